"""What must hold after every crash; each violation is a sentence."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg

from benchmarks.crashes.ledger import Ledger
from tests.processes import Served

SAMPLE = 12

# each answers with the rows that there must not be
_HALVES = {
    "a live note has no terms": """
        SELECT n.id FROM notes n
        WHERE n.deleted_at IS NULL AND n.reach = 'full' AND NOT EXISTS (
            SELECT FROM postings p WHERE p.bank_id = n.bank_id AND p.note_id = n.id)
    """,
    "a live note has no vector": """
        SELECT n.id FROM notes n
        WHERE n.deleted_at IS NULL AND n.reach <> 'none' AND NOT EXISTS (
            SELECT FROM embeddings e WHERE e.bank_id = n.bank_id AND e.note_id = n.id)
    """,
    "a deleted or superseded note is in an index": """
        SELECT n.id FROM notes n
        WHERE (n.deleted_at IS NOT NULL OR n.reach = 'none') AND (
            EXISTS (SELECT FROM postings p WHERE p.bank_id = n.bank_id AND p.note_id = n.id)
            OR EXISTS (SELECT FROM embeddings e WHERE e.bank_id = n.bank_id AND e.note_id = n.id))
    """,
    "a text lives twice": """
        SELECT n.content FROM notes n
        WHERE n.deleted_at IS NULL AND n.reach <> 'none'
        GROUP BY n.bank_id, n.kind, n.session, n.content HAVING count(*) > 1
    """,
    "a note of kind fact has no fact": """
        SELECT n.id FROM notes n
        WHERE n.kind = 'fact' AND n.deleted_at IS NULL AND NOT EXISTS (
            SELECT FROM facts f WHERE f.bank_id = n.bank_id AND f.note_id = n.id)
    """,
    "a fact has no source and no confirmation": """
        SELECT f.note_id FROM facts f
        WHERE f.confirmations = 0 AND NOT EXISTS (
            SELECT FROM fact_sources s WHERE s.bank_id = f.bank_id AND s.note_id = f.note_id)
    """,
    "a living thing has no name": """
        SELECT e.id FROM entities e
        WHERE e.deleted_at IS NULL AND NOT EXISTS (
            SELECT FROM entity_names a WHERE a.bank_id = e.bank_id AND a.entity_id = e.id)
    """,
    "an enriched note was never analysed": "SELECT id FROM notes WHERE enrichment = 'done' AND analysed_by IS NULL",
    "enrichment of a note failed": "SELECT id FROM notes WHERE enrichment = 'failed'",
    "the lexical totals are not those of the postings": """
        SELECT t.bank_id
        FROM (SELECT bank_id, sum(notes) AS notes, sum(length) AS length FROM lexical_totals GROUP BY bank_id) t
        FULL JOIN (
            SELECT bank_id, count(*) AS notes, sum(length) AS length
            FROM (SELECT DISTINCT bank_id, note_id, length FROM postings) p GROUP BY bank_id
        ) p ON p.bank_id = t.bank_id
        WHERE (coalesce(t.notes, 0), coalesce(t.length, 0)) <> (coalesce(p.notes, 0), coalesce(p.length, 0))
    """,
    "the vectors are called incomplete": "SELECT name FROM embedding_model WHERE NOT complete",
}


def violations(url: str, ledger: Ledger) -> Iterator[str]:
    """Return what is lost, doubled or half written in the database at `url`."""
    with psycopg.connect(url) as connection:
        for sentence, query in _HALVES.items():
            if found := connection.execute(query.encode()).fetchall():
                yield f"{sentence}: {len(found)}, such as {found[0][0]}"
        yield from _notes(connection, ledger)
        yield from _facts(connection, ledger)
        yield from _tasks(connection, ledger)
        yield from _events(connection, ledger)


def _notes(connection: psycopg.Connection[Any], ledger: Ledger) -> Iterator[str]:
    rows = connection.execute(
        "SELECT content, id::text, deleted_at IS NULL, tags FROM notes WHERE kind = 'note'"
    ).fetchall()
    counted = Counter(content for content, *_ in rows)
    stored = {content: (id, lives, tags) for content, id, lives, tags in rows}
    for content, id in ledger.notes.items():
        if content not in stored:
            yield f"note {id} was acknowledged and is gone"
        elif stored[content][0] != id:
            yield f"note {id} was acknowledged and is called {stored[content][0]}"
        elif not stored[content][1] and content not in ledger.deleting:
            yield f"note {id} is deleted, which nobody asked for"
        elif stored[content][1] and content in ledger.deleted:
            yield f"note {id} lives again although its deletion was acknowledged"
        elif content in ledger.tags and ledger.tags[content] not in stored[content][2]:
            yield f"note {id} has lost its acknowledged tag {ledger.tags[content]}"
    for content, times in counted.items():
        if times > 1 or not ledger.asked[content]:
            yield f"a note stands {times} times, and was asked for {ledger.asked[content]} times: {content[:12]}"


def _facts(connection: psycopg.Connection[Any], ledger: Ledger) -> Iterator[str]:
    rows = connection.execute(
        "SELECT f.content, e.name FROM facts f JOIN entities e ON (e.bank_id, e.id) = (f.bank_id, f.entity_id)"
    ).fetchall()
    stored = Counter(rows)
    for fact, name in ledger.facts.items():
        if stored[fact, name] != 1:
            yield f"the fact {fact!r} of {name!r} was acknowledged and stands {stored[fact, name]} times"
    edges = connection.execute(
        "SELECT e.name, r.evidence FROM relations r JOIN entities e ON (e.bank_id, e.id) = (r.bank_id, r.from_id)"
    ).fetchall()
    for name, least in ledger.relations.items():
        evidence = [found for stored_name, found in edges if stored_name == name]
        if len(evidence) != 1 or not least <= evidence[0] <= ledger.asked[name]:
            yield f"{name!r} was related {least} to {ledger.asked[name]} times, and has {evidence}"


def _tasks(connection: psycopg.Connection[Any], ledger: Ledger) -> Iterator[str]:
    stored = connection.execute("SELECT title, id::text, status FROM tasks").fetchall()
    for title, id in ledger.tasks.items():
        states = [(found, status) for name, found, status in stored if name == title]
        if [found for found, _ in states] != [id]:
            yield f"task {title!r} was acknowledged and is stored as {states}"
        elif title in ledger.finished and states[0][1] != "completed":
            yield f"task {title!r} was finished and is {states[0][1]}"
        elif title not in ledger.finishing and states[0][1] != "running":
            yield f"task {title!r} is {states[0][1]}, which nobody asked for"


def _events(connection: psycopg.Connection[Any], ledger: Ledger) -> Iterator[str]:
    stored = Counter(content for (content,) in connection.execute("SELECT content FROM working_memory").fetchall())
    for content in ledger.events:
        if stored[content] != 1:
            yield f"event {content[:12]} was acknowledged and stands {stored[content]} times"


def unfindable(served: Served, ledger: Ledger, draw: random.Random, new: list[str]) -> Iterator[str]:
    """Return which of some acknowledged notes, new ones first, a search does not find by word or by meaning."""
    alive = [each for each in ledger.notes if each not in ledger.deleting]
    fresh = [each for each in new if each not in ledger.deleting]
    for content in [*_some(fresh, draw), *_some(alive, draw)]:
        id = ledger.notes[content]
        by_word = served.post("/notes/search", {"context": content.split()[0], "limit": 3})["notes"]
        if id not in [each["id"] for each in by_word]:
            yield f"note {id} is not found by its word {content.split()[0]}"
        whole = served.post("/notes/search", {"context": content, "limit": 3, "explain": True})["notes"]
        arms = {arm["arm"] for each in whole if each["id"] == id for arm in each["arms"]}
        if not {"vector", "lexical"} <= arms:
            yield f"note {id} is found by {sorted(arms) or 'neither arm'} alone"


def unfinished(url: str) -> str:
    """Return what enrichment has still to do; empty when all of it is done."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            """
            SELECT
                (SELECT count(*) FROM notes WHERE enrichment = 'pending' AND deleted_at IS NULL AND reach <> 'none'),
                (SELECT count(*) FROM procrastinate_jobs
                WHERE status IN ('todo', 'doing') AND queue_name = 'enrichment')
            """
        ).fetchone()
    assert row is not None
    return f"{row[0]} notes pending, {row[1]} jobs left" if any(row) else ""


def _some(contents: list[str], draw: random.Random) -> list[str]:
    return draw.sample(contents, min(SAMPLE // 2, len(contents)))
