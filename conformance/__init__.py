"""The server held against what others define: the public MCP suite, and its own OpenAPI document."""
