"""Load: many MCP clients at once, for minutes; then a stop in the midst of it."""
