"""Memory Bank: PostgreSQL-backed, self-organising memory that AI agents reach over MCP."""

__version__ = "0.1.0"
