"""Diagnosis: is every part of the store there and sound, and what is to be done where it is not?"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from memory_bank.domain.backups import Schedule
from memory_bank.domain.tokens import Authentication, State, Token
from memory_bank.errors import ConfigurationError, MemoryBankError
from memory_bank.services import losses, shelf
from memory_bank.services.losses import Losses
from memory_bank.services.shelf import Shelf
from memory_bank.services.tokeniser import Tokeniser
from memory_bank.store import backups, diagnosis, embedding_model, queue, schema, tokens
from memory_bank.store.completeness import Unguarded
from memory_bank.store.confinement import Wall
from memory_bank.store.database import Database, PoolState, StoreTx
from memory_bank.store.diagnosis import NoteCounts, Server, Standing, Vector
from memory_bank.store.embedding_model import StoredModel
from memory_bank.store.queue import QueueState

OLDEST_POSTGRESQL, OLDEST_VECTOR = 15, (0, 8)
LONGEST_WAIT = timedelta(minutes=10)
"""How long a job may be due before something must be wrong with the workers."""

STORE_CHECKS = ("database", "pgvector", "row-level security", "schema")
"""What is asked of any database that answers."""

CONTENT_CHECKS = ("stored vectors", "queue", "notes", "tokens", "backup")
"""What is asked of a database whose schema is this version's."""


class Result(StrEnum):
    """How a check ended; `skipped` where what it rests on is missing, or nobody asked for it."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check: what was found, in a sentence, and what to do about it where all is not well."""

    name: str
    result: Result
    detail: str
    remedy: str = ""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What the settings make of the store.

    migrates: whether a start brings the schema up. refuses: whether it ends where the schema is another one. host: the
    address to listen on, `local` if nobody else reaches it. now: the moment from which ages count.
    """

    model: str
    dimensions: int
    migrates: bool
    refuses: bool
    host: str
    local: bool
    insecure: bool
    authentication: Authentication
    schedule: Schedule | None
    now: datetime


class DiagnosisService:
    """Looks at the store and changes nothing: it makes no schema, migrates none, and takes no model for its own."""

    def __init__(self, *, database: Database, url: str, tokeniser: Tokeniser) -> None:
        self._database = database
        self._url = url
        self._tokeniser = tokeniser

    def pool(self) -> PoolState:
        """Return how far the connections of this process are used."""
        return self._database.pool()

    async def queue(self, *, within: float) -> QueueState:
        """Return how full the queue is; raises `StoreUnavailable`, also after `within` seconds in the database."""
        async with self._database.whole_store() as tx:
            await diagnosis.limit(tx, seconds=within)
            return await queue.state(tx)

    async def checks(self, expected: Expected) -> list[Check]:
        """Return what is found of the database, its schema and what it holds.

        What cannot be asked because something before it failed is skipped.
        """
        try:
            async with self._database.whole_store() as tx:
                found = [_server(await diagnosis.server(tx)), _vector(await diagnosis.vector(tx))]
        except MemoryBankError as error:
            return unanswered(str(error))
        try:
            standing = await asyncio.to_thread(diagnosis.standing, self._url)
        except MemoryBankError as error:
            remedy = "upgrade this program, or restore a backup that it made" if _is_newer(error) else ""
            found += [
                failed("schema", str(error), remedy),
                *_skipped(("row-level security", *CONTENT_CHECKS), "schema"),
            ]
            return found
        found += [_wall(standing), _schema(standing, expected)]
        if standing.revision != schema.head() or standing.missing.parts:
            return [*found, *_skipped(CONTENT_CHECKS, "schema")]
        async with self._database.whole_store() as tx:
            return [*found, *await self._contents(tx, expected)]

    async def _contents(self, tx: StoreTx, expected: Expected) -> list[Check]:
        counts = await diagnosis.notes(tx)
        return [
            _model(await embedding_model.known(tx), expected),
            _queue(await queue.state(tx)),
            _notes(counts, await losses.of_store(tx, self._tokeniser)),
            _tokens(await tokens.every(tx), expected),
            _backup(await asyncio.to_thread(shelf.of, await backups.every(tx), expected.schedule), counts, expected),
        ]


def ok(name: str, detail: str) -> Check:
    """Return a check that found all in order."""
    return Check(name=name, result=Result.OK, detail=detail)


def warning(name: str, detail: str, remedy: str) -> Check:
    """Return a check that found what works, but not well."""
    return Check(name=name, result=Result.WARNING, detail=detail, remedy=remedy)


def failed(name: str, detail: str, remedy: str) -> Check:
    """Return a check that found what does not work."""
    return Check(name=name, result=Result.FAILED, detail=detail, remedy=remedy)


def skipped(name: str, detail: str, remedy: str = "") -> Check:
    """Return a check that was not made, and why."""
    return Check(name=name, result=Result.SKIPPED, detail=detail, remedy=remedy)


def unanswered(problem: str) -> list[Check]:
    """Return the checks of a database that does not answer."""
    first, *others = STORE_CHECKS
    cause = problem.partition(";")
    remedy = cause[2].strip() or "check postgres.url, postgres.username and postgres.password"
    return [failed(first, cause[0], remedy), *_skipped((*others, *CONTENT_CHECKS), first)]


def unmade(detail: str) -> list[Check]:
    """Return the checks of a store that the first start will make."""
    first, *others = STORE_CHECKS
    return [ok(first, detail), *(skipped(name, "there is no store yet") for name in (*others, *CONTENT_CHECKS))]


def _skipped(names: Sequence[str], cause: str) -> list[Check]:
    return [skipped(name, f"not looked at, because of what is said about {cause!r}") for name in names]


def _is_newer(error: MemoryBankError) -> bool:
    return isinstance(error, ConfigurationError) and "newer Memory Bank" in str(error)


def _server(found: Server) -> Check:
    if found.number < OLDEST_POSTGRESQL * 10_000:
        return failed(
            "database",
            f"PostgreSQL {found.version} answers, but {OLDEST_POSTGRESQL} or newer is needed",
            "upgrade the server, or let postgres.url (POSTGRES_URL) name another one",
        )
    return ok("database", f"PostgreSQL {found.version} answers to the role {found.login}")


def _vector(found: Vector) -> Check:
    name, wanted = "pgvector", ".".join(map(str, OLDEST_VECTOR))
    if found.installed is not None and _numbers(found.installed) >= OLDEST_VECTOR:
        return ok(name, f"version {found.installed}")
    if found.available is None or _numbers(found.available) < OLDEST_VECTOR:
        has = f"has pgvector {found.available}" if found.available else "has no pgvector"
        return failed(name, f"the server {has}", f"install pgvector {wanted} or newer on the server")
    if found.installed is None:
        return ok(name, f"not in this database yet; the first start adds version {found.available}")
    return failed(
        name,
        f"this database has version {found.installed}, but {wanted} or newer is needed",
        "as a superuser run ALTER EXTENSION vector UPDATE in this database",
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version)[:2])


def _wall(found: Standing) -> Check:
    name = "row-level security"
    if found.wall is None:
        return skipped(name, "there are no tables yet")
    if found.wall.blind:
        return failed(name, f"the role {found.wall.login} sees no memories", found.wall.remedy)
    if found.missing.parts:
        return _skipped([name], "schema")[0]
    if found.unguarded:
        return _unguarded(found.wall, found.unguarded)
    if not found.wall.stands:
        return warning(
            name,
            "PostgreSQL does not keep the banks apart itself; the program alone does",
            found.wall.remedy,
        )
    return ok(name, f"PostgreSQL keeps the banks apart by the role {found.wall.role}")


def _unguarded(wall: Wall, tables: Sequence[Unguarded]) -> Check:
    name, named = "row-level security", ", ".join(each.table for each in tables)
    statements = " ".join(statement for each in tables for statement in each.statements)
    remedy = f"as {wall.owner}, which owns the tables, or as a superuser run: {statements}"
    if not wall.stands:
        without_role = f"{remedy} Then {wall.remedy}" if not (wall.made and wall.taken) else remedy
        detail = f"PostgreSQL does not keep the banks apart itself; the program alone does: {named} lack their policy"
        return warning(name, detail, without_role)
    return failed(
        name, f"{named}: without the policy own_bank alone, a bank sees none of its rows there, or others' too", remedy
    )


def _schema(found: Standing, expected: Expected) -> Check:
    newest = schema.head()
    elsewhere = "restore the last backup into an empty database or data folder: run `memory-bank restore FILE` there"
    if found.missing.parts:
        return failed("schema", f"at {newest}, the newest, but without {', '.join(found.missing.parts)}", elsewhere)
    if found.revision is None and found.wall is not None:
        return failed("schema", "there are tables, but alembic_version does not say of which revision", elsewhere)
    if found.missing.statements:
        return warning(
            "schema",
            f"at {newest}, the newest, but {len(found.missing.statements)} of its indexes or rules are missing",
            f"as the owner of the tables run: {' '.join(found.missing.statements)}",
        )
    if found.revision == newest:
        return ok("schema", f"at {newest}, the newest")
    at = f"at {found.revision}, while this version needs {newest}" if found.revision else "not made yet"
    if expected.migrates and found.revision is None:
        return ok("schema", f"{at}; the first start makes it")
    if expected.migrates:
        return warning("schema", f"{at}; the next start migrates it", "make a backup, then start memory-bank serve")
    remedy = "start once with postgres.ddl-auto=update (POSTGRES_DDL_AUTO)"
    return failed("schema", f"{at}, and a start {'refuses it' if expected.refuses else 'leaves it so'}", remedy)


def _model(stored: StoredModel | None, expected: Expected) -> Check:
    name, ours = "stored vectors", f"{expected.model!r} ({expected.dimensions} dimensions)"
    if stored is None:
        return ok(name, f"none yet; the first start decides for {ours}")
    theirs = f"{stored.name!r} ({stored.dimensions} dimensions)"
    if (stored.name, stored.dimensions) != (expected.model, expected.dimensions):
        return failed(
            name,
            f"made by {theirs}, but embedding.model is {ours}",
            f"set embedding.model (EMBEDDING_MODEL) to {stored.name}, or run `memory-bank reindex`",
        )
    if not stored.complete:
        return failed(name, f"re-embedding by {theirs} is not finished", "run `memory-bank reindex` to finish it")
    return ok(name, f"made by {theirs}, as configured")


def _queue(state: QueueState) -> Check:
    waits = timedelta(seconds=round(state.oldest_seconds))
    detail = f"{state.waiting} jobs waiting, {state.running} running, {state.failed} failed; the oldest waits {waits}"
    if waits > LONGEST_WAIT:
        return warning("queue", detail, "run `memory-bank serve` with worker.enabled=true, or `memory-bank worker`")
    if state.failed:
        return warning("queue", detail, "see the log, then run `memory-bank enrich --failed`")
    return ok("queue", detail)


def _notes(counts: NoteCounts, lost: Losses) -> Check:
    lacking = {
        "without vectors": (counts.unembedded + lost.vectors, "run `memory-bank reindex`"),
        "without terms": (counts.untokenised + lost.terms, "run `memory-bank reindex`"),
        "banks whose terms are miscounted": (lost.miscounted, "run `memory-bank reindex`"),
        "whose enrichment failed": (counts.failed, "mend the cause, then run `memory-bank enrich --failed`"),
    }
    parts = [f"{count} {what}" for what, (count, _) in lacking.items() if count]
    detail = ", ".join([f"{counts.total} notes", *parts, f"{counts.pending} being enriched"])
    remedies = dict.fromkeys(remedy for count, remedy in lacking.values() if count)
    return warning("notes", detail, "; ".join(remedies)) if remedies else ok("notes", detail)


def _tokens(made: Sequence[Token], expected: Expected) -> Check:
    good = sum(each.state(expected.now) is State.ACTIVE for each in made)
    required = expected.authentication is Authentication.REQUIRED
    closed = required or (expected.authentication is Authentication.AUTO and bool(made))
    create = "make one with `memory-bank token create NAME`"
    if not closed and not expected.local:
        if expected.insecure:
            return warning(
                "tokens",
                f"whoever reaches {expected.host} may read and change everything",
                f"{create}, and drop server.insecure",
            )
        remedy = f"{create}; server.auth must not be off" if expected.authentication is Authentication.OFF else create
        return failed(
            "tokens", f"serve refuses to listen on {expected.host}, which others may reach, without any", remedy
        )
    if closed and not good:
        return warning("tokens", "every caller over HTTP needs one, and none is good", create)
    if closed:
        return ok("tokens", f"every caller over HTTP needs one; {good} of {len(made)} are good")
    return ok("tokens", f"none needed: nobody else reaches {expected.host}")


def _backup(found: Shelf, counts: NoteCounts, expected: Expected) -> Check:
    make = "run `memory-bank backup FILE`"
    if not found.made:
        if not counts.total:
            return ok("backup", "none yet, and nothing to lose")
        if expected.schedule is None:
            return ok("backup", "none by this program; the database's own backups are yours to see to")
        return warning("backup", "none was made yet", f"{make}, or keep `memory-bank serve` running, which makes them")
    if not found.there:
        gone = f"all {len(found.made)} that were made are gone or cut short; the last one was {found.made[0].file}"
        return warning("backup", gone, f"{make}, or put them back if they were moved")
    last = found.there[0]
    age = expected.now - last.created_at
    newer = found.made.index(last)
    detail = f"{last.file}, {_ago(age)}, {last.notes} notes, {last.size} bytes"
    if newer:
        detail += f"; {newer} newer ones are gone or cut short"
    if expected.schedule is not None and age > 2 * expected.schedule.interval:
        return warning("backup", f"the last one is overdue: {detail}", f"{make}, and look for `snapshot` in the log")
    return ok("backup", f"the last one that is there: {detail}" if newer else f"the last one: {detail}")


def _ago(age: timedelta) -> str:
    hours = max(int(age.total_seconds() // 3600), 0)
    return f"{hours // 24} days ago" if hours >= 48 else f"{hours} hours ago"
