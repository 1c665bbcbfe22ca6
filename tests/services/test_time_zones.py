"""Time is UTC wherever server and database stand, and a moment without a zone is read by one rule."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from memory_bank.bootstrap import Parts, open_app
from memory_bank.domain import filters, moments
from memory_bank.domain.beliefs import Statement
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import arguments, notes, recollection
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder

ZONES = ["UTC", "Asia/Tokyo", "America/Los_Angeles"]


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A zone in which both this process and the database live."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET timezone TO '{request.param}'")
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


async def test_moments_are_the_same_in_every_zone(zone: str, loaded: Settings, embedder: FakeEmbedder) -> None:
    parts = Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())
    async with open_app(loaded, parts=parts) as app:
        given = {
            "": "2026-03-10T03:15:00Z",
            "2026-03-10T03:15:00": "2026-03-10T03:15:00Z",
            "2026-03-10T03:15:00Z": "2026-03-10T03:15:00Z",
            "2026-03-10T03:15:00+09:00": "2026-03-09T18:15:00Z",
            "2026-03-10": "2026-03-10T00:00:00Z",
            "1900-01-01T00:00:00": "1900-01-01T00:00:00Z",
        }
        for stamp, meant in given.items():
            asked = arguments.read(notes.AddNote, {"content": f"noted {stamp}", "timestamp": stamp})
            added = await notes.add(app, asked)
            got = await notes.get_one(app, arguments.read(notes.GetNotes, {"ids": [added.id]}))
            assert added.timestamp == got.timestamp
            assert f'"timestamp":"{meant}"' in got.model_dump_json()
        day = {"since": "2026-03-10T00:00:00Z", "until": "2026-03-10T23:59:59Z"}
        listed = await notes.browse(app, arguments.read(notes.ListNotes, day))
        assert len(listed.notes) == 4
        await app.beliefs.remember("default", _fact("port is 1"))
        await app.beliefs.remember("default", _fact("port is 2"))
        _, held = await app.beliefs.entity("default", "gateway")
        assert len(held) == 2
        told = await recollection.recalled(
            app, arguments.read(recollection.Recall, {"mode": "history", "name": "gateway"})
        )
        assert '"last_confirmed":"2026-03-10T03:15:00Z"' in told.model_dump_json()
        everything = await app.notes.browse("default", wanted=filters.Filter(), limit=50)
        assert all(each.note.timestamp.tzinfo is not None for each in everything.notes)


def _fact(words: str) -> Statement:
    return Statement(name="gateway", facts=(words,))


@pytest.mark.parametrize("impossible", ["2026-02-30", "2026-13-01", "1700000000", "yesterday", "2026-03-10T25:00"])
def test_what_is_no_moment_is_refused_by_its_field(impossible: str) -> None:
    with pytest.raises(InvalidInput, match="since"):
        moments.parsed(impossible, field="since")


def test_two_spellings_of_a_moment_compare() -> None:
    assert moments.parsed("2026-03-10T03:15", field="x") == datetime(2026, 3, 10, 3, 15, tzinfo=UTC)
    assert moments.parsed("2026-03-10T12:15+09:00", field="x") == moments.parsed("2026-03-10T03:15", field="x")
