"""The README's tables say what the code says."""

import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from memory_bank import settings
from memory_bank.interfaces.cli.main import COMMANDS
from memory_bank.interfaces.mcp.server import TOOLSETS
from memory_bank.interfaces.metrics import Prometheus, Reading
from memory_bank.services.metrics import Outcome
from memory_bank.store.database import PoolState
from memory_bank.store.queue import QueueState

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


def test_every_metric_stands_in_the_table_of_metrics() -> None:
    text = README.read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| Metric \|.*?(?=\n\n)", text, flags=re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^\| `(memory_bank_\w+)(?:\{([\w,]+)\})?` \| ", table, flags=re.MULTILINE)
    assert {name: set(filter(None, labels.split(","))) for name, labels in listed} == exposed()


def exposed() -> dict[str, set[str]]:
    """Return the name and labels of every metric of ours, as a scrape shows them."""
    metrics = Prometheus()
    metrics.answered(door="rest", method="GET", route="/health", status=200, seconds=0.1)
    metrics.tool_called("recall", Outcome.OK, error="", seconds=0.1)
    metrics.embedded("query", texts=1, seconds=0.1)
    metrics.looked_up(hit=True)
    reading = Reading(
        queue=QueueState(waiting=0, running=0, failed=0, oldest_seconds=0.0),
        pool=PoolState(size=1, used=0, idle=0, waiting=0),
    )
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(metrics.exposition(reading).decode()):
        if family.name.startswith("memory_bank_"):
            name = f"{family.name}_total" if family.type == "counter" else family.name
            found[name] = set(family.samples[0].labels) - {"le"}
    return found
