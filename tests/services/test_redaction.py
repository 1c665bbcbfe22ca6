"""The guard around the services: what is given is redacted before it is stored, what is answered before it leaves."""

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from uuid import UUID, uuid4

import psycopg

from memory_bank import bootstrap, settings
from memory_bank.bootstrap import App, Parts
from memory_bank.domain import redaction as values
from memory_bank.domain.beliefs import EntityType, Statement
from memory_bank.domain.notes import Change, Draft, Kind
from memory_bank.domain.recall import Query
from memory_bank.domain.redaction import Redacted
from memory_bank.domain.secrets import found
from memory_bank.domain.transfer import Archive, Entity, Event, Exchange, Fact, Relation
from memory_bank.domain.working_memory import EventType
from memory_bank.services import redaction
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder

SECRET = "hunter" + "2"
SAID = f"the password is {SECRET}"
TOKEN = "gh" + "p_" + "a8Kx03JdPqLmZ4nRtYvB7cWf2Hs9GuE1iOQz"


class Patterns:
    """A redactor of the domain's patterns alone."""

    async def ready(self) -> None:
        """Be ready."""

    def redacted(self, text: str) -> Redacted:
        """Redact."""
        return values.redacted(text, found(text))


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Everything that may carry a text, and what may not be touched."""

    id: UUID
    kind: Kind
    at: datetime
    texts: tuple[str, ...]
    named: dict[str, str]
    count: int = 0


class Echo:
    """A service that answers with what it was given."""

    def __init__(self) -> None:
        self.given: list[object] = []

    async def take(self, value: object, *, more: object = None) -> tuple[object, object]:
        """Take and answer."""
        self.given.append(value)
        return value, more


async def test_texts_of_every_shape_are_redacted_and_nothing_else_is_touched() -> None:
    kept = Kept(id=uuid4(), kind=Kind.FACT, at=datetime.now(UTC), texts=(SAID, "x"), named={"a": SAID, "b": "y"})
    echo = Echo()
    answer, more = await redaction.guarded(echo, Patterns()).take(kept, more=[SAID, frozenset({SAID}), 7])
    assert SECRET not in repr((echo.given, answer, more))
    assert isinstance(answer, Kept)
    assert (answer.id, answer.kind, answer.at, answer.texts[1], answer.named["b"]) == (
        kept.id,
        Kind.FACT,
        kept.at,
        "x",
        "y",
    )
    assert type(answer.kind) is Kind


async def test_what_holds_no_secret_passes_as_the_same_object() -> None:
    kept = Kept(id=uuid4(), kind=Kind.NOTE, at=datetime.now(UTC), texts=("tea",), named={})
    answer, _ = await redaction.guarded(Echo(), Patterns()).take(kept)
    assert answer is kept


async def test_an_archive_is_redacted_before_it_is_imported() -> None:
    archive = Archive(
        entities=(Entity(name="db", aliases=(SAID,), tags={"note": SAID}, facts=(Fact(content=SAID, reason=SAID),)),),
        relations=(Relation(from_name="a", type=SAID, to_name="b"),),
        exchanges=(Exchange(user=SAID, assistant="ok"),),
        events=(Event(session="s", type=EventType.ACTION, content=SAID),),
    )
    echo = Echo()
    await redaction.guarded(echo, Patterns()).take(archive)
    assert SECRET not in repr(echo.given)
    assert repr(echo.given).count("[REDACTED:password]") == 7


async def test_queries_pass_and_their_answers_are_redacted() -> None:
    echo = Echo()
    answer, _ = await redaction.guarded(echo, Patterns(), asked=False).take(SAID)
    assert echo.given == [SAID]
    assert answer == "the password is [REDACTED:password]"


async def test_kinds_that_came_in_are_noticed_and_those_that_go_out_are_not() -> None:
    with redaction.noticing() as kinds:
        await redaction.guarded(Echo(), Patterns(), asked=False).take(SAID)
        assert redaction.notice(kinds) == ""
        await redaction.guarded(Echo(), Patterns()).take(SAID)
    assert redaction.notice(kinds) == "Redacted as a secret, and not stored: password."


async def test_a_long_text_is_redacted_beside_the_event_loop() -> None:
    answer, _ = await redaction.guarded(Echo(), Patterns()).take(SAID + " x" * redaction.AT_ONCE)
    assert SECRET not in str(answer)


def test_every_part_of_an_app_is_guarded_or_known_to_carry_no_text() -> None:
    names = {field.name for field in fields(App)}
    assert names >= bootstrap.UNGUARDED
    assert bootstrap.SEARCHING in names


async def test_no_secret_is_stored_by_any_service(app: App, url: str) -> None:
    said = f"{SAID}, the token {TOKEN}"
    added = await app.notes.add("b", Draft(content=said, context=said, tags=(f"token:{TOKEN}",)))
    await app.notes.add_all("b", [Draft(content=f"again {said}", session=TOKEN)])
    await app.notes.update("b", added.note.id, Change(context=f"now {said}"))
    await app.beliefs.remember("b", Statement(name="db", types=(EntityType.OTHER,), facts=(said,)))
    await app.relations.relate("b", "db", f"uses {TOKEN}", "host")
    await app.exchanges.observe("b", user=said, assistant=said, session="s")
    await app.working_memory.push("b", "s", said)
    started = await app.tasks.start("b", title=said, goal=said, success_condition=said)
    await app.tasks.abort("b", started.task.id, said)
    redacted = 0
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            rows = connection.execute(f'SELECT t::text FROM "{table}" t').fetchall()
            stored = " ".join(str(row[0]) for row in rows).lower()
            assert SECRET not in stored, table
            assert TOKEN.lower() not in stored, table
            redacted += stored.count("[redacted:")
    assert redacted >= 20


async def test_what_was_stored_before_is_redacted_when_it_is_answered(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> None:
    parts = Parts(embedder=embedder, analyst=analyst, clock=clock)
    off = loaded.model_copy(update={"redaction": settings.Redaction(enabled=False)})
    async with bootstrap.open_app(off, parts=parts) as app:
        added = await app.notes.add("b", Draft(content=SAID, tags=("db",)))
        assert added.note.content == SAID
        assert (await app.notes.get("b", [added.note.id]))[0].note.content == SAID
    async with bootstrap.open_app(loaded, parts=parts) as app:
        (got,) = await app.notes.get("b", [added.note.id])
        (hit,) = await app.recall.search("b", Query(text=SAID))
        assert got.note.content == hit.note.content == "the password is [REDACTED:password]"
