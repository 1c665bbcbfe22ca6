"""A few rounds of the crash suite: what is acknowledged under load outlives SIGKILL. `benchmarks.crashes` runs many."""

import random
import tempfile
from pathlib import Path

import psycopg

from benchmarks.crashes import __main__ as suite
from benchmarks.crashes import checks
from benchmarks.crashes.ledger import Ledger
from memory_bank.bootstrap import App
from memory_bank.domain.beliefs import Statement
from memory_bank.domain.notes import Draft


def test_what_is_acknowledged_outlives_crashes(graph_dir: Path) -> None:
    ledger = Ledger(draw=random.Random(4))
    with tempfile.TemporaryDirectory(prefix="mb-test-", ignore_cleanup_errors=True) as folder:
        store = suite.opened(Path(folder), graph_dir)
        outcomes = list(suite.rounds(store, ledger, random.Random(4), count=2, clients=3, drain=False))
    assert [each.found for each in outcomes] == [[], []]
    assert ledger.acknowledged > 0


async def test_what_is_lost_doubled_or_half_written_is_told(app: App, url: str) -> None:
    ledger = Ledger(draw=random.Random(1))
    for content in ("kept", "halved", "lost"):
        ledger.asked[content] += 1
        ledger.notes[content] = str((await app.notes.add("default", Draft(content=content))).note.id)
    ledger.facts["is blue"] = "sky"
    await app.beliefs.remember("default", Statement(name="sky", facts=("is blue",)))
    assert list(checks.violations(url, ledger)) == []
    await app.notes.add("default", Draft(content="asked by nobody"))
    with psycopg.connect(url) as connection:
        connection.execute("DELETE FROM embeddings WHERE note_id = %s", [ledger.notes["halved"]])
        connection.execute("DELETE FROM notes WHERE id = %s", [ledger.notes["lost"]])
        connection.execute("DELETE FROM facts")
    told = "; ".join(checks.violations(url, ledger))
    for words in (
        "no vector: 1",
        "is gone",
        "asked for 0 times: asked by",
        "totals are not",
        "kind fact has no fact",
        "stands 0 times",
    ):
        assert words in told
