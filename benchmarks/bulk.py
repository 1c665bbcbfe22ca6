"""Bulk adds per second as a share of what the bare embedder does on the same texts, side by side in one run.

Usage: python -m benchmarks.bulk [--notes 2000] [--batch 500] [--rounds 3]
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks import texts
from memory_bank import settings
from memory_bank.bootstrap import App, open_app, running_worker
from memory_bank.domain.notes import Draft


async def main() -> None:
    """Measure and print one line for each round and the median share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data-dir", type=Path, help="a data folder whose model is already exported")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mb-bench-", ignore_cleanup_errors=True) as folder:
        data = given.data_dir or Path(folder)
        loaded = settings.load(environ={}, cwd=Path(folder), overrides={"memory-bank.data-dir": str(data)})
        async with open_app(loaded) as app, running_worker(app):
            await app.embedder.embed_query("warm up")
            turns = texts.conversation_turns(given.notes)
            shares = [await one_round(app, turns, given.batch, number) for number in range(given.rounds)]
    print(f"median share of the bare embedder: {statistics.median(shares):.0%}")


async def one_round(app: App, turns: list[str], batch: int, number: int) -> float:
    """Embed the texts alone, then add them as notes of a new bank; return adding's speed as a share of embedding's."""
    batches = [turns[start : start + batch] for start in range(0, len(turns), batch)]
    started = time.perf_counter()
    for each in batches:
        await app.embedder.embed_documents(each)
    embedding = time.perf_counter() - started
    started = time.perf_counter()
    for each in batches:
        await app.notes.add_all(f"round-{number}-{started:.0f}", [Draft(content=turn) for turn in each])
    adding = time.perf_counter() - started
    # the queue is in the database: there is nothing in this process to wait on
    while await unfinished(app):  # noqa: ASYNC110
        await asyncio.sleep(0.2)
    enriched = time.perf_counter() - started
    print(
        f"bare embedder {len(turns) / embedding:.0f} texts/s, bulk adds {len(turns) / adding:.0f} notes/s "
        f"({embedding / adding:.0%}), enriched {len(turns) / enriched:.0f} notes/s"
    )
    return embedding / adding


async def unfinished(app: App) -> int:
    """Return how many jobs wait or run."""
    state = (await app.maintenance.state()).queue
    return state.waiting + state.running


if __name__ == "__main__":
    asyncio.run(main())
