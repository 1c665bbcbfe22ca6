"""The lexical arm on a large bank: what terms cost an add, and how long a search takes.

Usage: python -m benchmarks.lexical [--notes 100000] [--queries 300] [--database postgresql://...]
Without --database it starts a PostgreSQL of its own in a temporary folder. Notes are pieces of 18 words of the LoCoMo
and LongMemEval development sets, queries those sets' questions, where they lie beside the checkout; else both are made
up.
"""

import argparse
import asyncio
import gzip
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import psycopg
from uuid_utils import compat

from benchmarks import texts
from memory_bank.domain.filters import Filter
from memory_bank.domain.notes import Draft
from memory_bank.providers.tokens import UnicodeTokeniser
from memory_bank.store import embedded, lexical, notes, schema
from memory_bank.store.database import Database

BANK = "benchmark"
BATCH = 500
POOL = 30
NOW = datetime.now(UTC)
PIECE, STEP = 18, 10

tokeniser = UnicodeTokeniser()


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--database", help="an empty database to use")
    given = parser.parse_args()
    contents, questions = corpus(given.notes, given.queries)
    with tempfile.TemporaryDirectory(prefix="mb-bench-", ignore_cleanup_errors=True) as folder:
        server = None if given.database else embedded.start(Path(folder))
        try:
            url = given.database or (server.url if server else "")
            schema.update(url)
            await measure(url, contents, questions)
        finally:
            if server is not None:
                server.close()


def corpus(count: int, queries: int) -> tuple[list[str], list[str]]:
    """Return `count` different note texts and up to `queries` questions."""
    draw = random.Random(1)
    folder = texts.LOCOMO.parent
    if not texts.LOCOMO.is_file():
        return texts.conversation_turns(count), texts.conversation_turns(queries)
    # not splitlines(), which also splits at U+2028, inside a string
    lines = texts.LOCOMO.read_text(encoding="utf-8").split("\n")
    lines += gzip.decompress((folder / "longmemeval-dev.jsonl.gz").read_bytes()).decode().split("\n")
    sets = [json.loads(line) for line in lines if line]
    pieces: dict[str, None] = {}
    for words in (document["text"].split() for each in sets for document in each["documents"]):
        for start in range(0, max(1, len(words) - PIECE // 2), STEP):
            pieces[" ".join(words[start : start + PIECE])] = None
    questions = [query["text"] for each in sets for query in each["queries"]]
    chosen = draw.sample(list(pieces), min(count, len(pieces)))
    return chosen, draw.sample(questions, min(queries, len(questions)))


async def measure(url: str, contents: Sequence[str], questions: Sequence[str]) -> None:
    """Fill a bank, then search it before and after a vacuum."""
    database = Database(url)
    try:
        await fill(database, contents)
        await search(database, questions, label="before any vacuum")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE) postings, notes")
        await search(database, questions, label="after vacuum")
        await search(database, questions, label="with a filter that half pass", wanted=Filter(tags=("even",)))
        await search(database, questions, label="with a filter that 1 in 1000 pass", wanted=Filter(tags=("rare",)))
        hard = {
            "only stop words": lambda _: tokeniser.asked("what was the").terms,
            "a query of 10,000 characters": lambda text: tokeniser.asked((" ".join(questions) * 4)[-10_000:]).terms,
        }
        for label, terms_of in hard.items():
            await search(database, questions[:40], label=label, terms_of=terms_of)
    finally:
        await database.close()


async def fill(database: Database, contents: Sequence[str]) -> None:
    """Add the notes in batches and print what their terms cost."""
    tokenising = storing = adding = 0.0
    distinct = 0
    for start in range(0, len(contents), BATCH):
        batch = contents[start : start + BATCH]
        began = time.perf_counter()
        terms = [tokeniser.terms(text) for text in batch]
        tokenising += time.perf_counter() - began
        distinct += sum(map(len, terms))
        new = [
            notes.New(id=compat.uuid7(), draft=Draft(content=text, tags=tags(start + n)), embedded_by=None)
            for n, text in enumerate(batch)
        ]
        async with database.transaction(BANK) as tx:
            began = time.perf_counter()
            await notes.add(tx, new, tokenised_by=tokeniser.name, now=NOW)
            adding += time.perf_counter() - began
            began = time.perf_counter()
            await lexical.add(tx, {each.id: own for each, own in zip(new, terms, strict=True)})
            storing += time.perf_counter() - began
    milliseconds = 1_000 / len(contents)
    print(
        f"{len(contents)} notes of {distinct / len(contents):.1f} terms; per note {tokenising * milliseconds:.3f} ms "
        f"tokenising, {storing * milliseconds:.3f} ms storing terms, {adding * milliseconds:.3f} ms storing the note"
    )


def tags(number: int) -> tuple[str, ...]:
    """Return the tags of a note: half are even, one in a thousand is rare."""
    return (*(("even",) if number % 2 == 0 else ()), *(("rare",) if number % 1_000 == 0 else ()))


async def search(
    database: Database,
    questions: Sequence[str],
    *,
    label: str,
    wanted: Filter | None = None,
    terms_of: Callable[[str], Sequence[str]] = lambda text: tokeniser.asked(text).terms,
) -> list[list[UUID]]:
    """Ask every question and print how long the answers took."""
    taken = []
    answers = []
    for question in [*questions[:20], *questions]:
        terms = terms_of(question)
        async with database.transaction(BANK) as tx:
            began = time.perf_counter()
            _, hits = await lexical.search(tx, terms, wanted=wanted or Filter(), pool=POOL)
            taken.append((time.perf_counter() - began) * 1_000)
        answers.append(list(hits))
    measured = sorted(taken[20:])
    print(
        f"{label}: p50 {statistics.median(measured):.1f} ms, p95 {measured[int(0.95 * len(measured))]:.1f} ms, "
        f"{sum(map(len, answers)) / len(answers):.0f} hits on average"
    )
    return answers[20:]


if __name__ == "__main__":
    asyncio.run(main())
