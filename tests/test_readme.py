"""The README's tables say what the code says."""

import re
from pathlib import Path

from memory_bank import settings
from memory_bank.interfaces.cli.main import COMMANDS
from memory_bank.interfaces.mcp.server import TOOLSETS

README = Path(__file__).resolve().parents[1] / "README.md"


def settings_table() -> str:
    """Return the table of settings as the README must show it."""
    loaded = settings.load(environ={"HOME": "/home/you"}, cwd=Path("/nowhere"))
    lines = ["| Key | Environment | Default | Meaning |", "|---|---|---|---|"]
    lines += [
        f"| `{row.key}` | `{row.environment}` | {row.default} | {row.comment} |" for row in settings.describe(loaded)
    ]
    return "\n".join(lines)


def test_the_table_of_settings_is_the_code_s() -> None:
    assert settings_table() in README.read_text(encoding="utf-8")


def test_every_tool_stands_in_the_table_of_tools() -> None:
    (table,) = re.findall(r"^\| Tool \|.*?(?=\n\n)", README.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^\| `(\w+)` \| ", table, flags=re.MULTILINE)
    assert listed == [tool.name for tools in TOOLSETS.values() for tool in tools]


def test_every_command_is_named() -> None:
    (line,) = re.findall(r"^`memory-bank (serve [^`]+)`", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert line.split(" | ") == list(COMMANDS)
