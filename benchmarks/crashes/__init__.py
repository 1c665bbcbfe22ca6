"""Crashes under load: server and PostgreSQL killed at random moments, and what was acknowledged looked for after."""
