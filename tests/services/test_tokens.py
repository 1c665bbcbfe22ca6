"""Tokens in the store: what is kept of them, and when they stop being good."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain.tokens import OWNER, Authentication, Level
from memory_bank.errors import InvalidInput, NotFound, Unauthenticated
from memory_bank.services.tokens import KNOWN_FOR
from memory_bank.settings import Settings
from tests.fakes import FakeClock, FakeEmbedder


def rows(url: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT * FROM tokens").fetchall()


async def test_everybody_is_let_in_until_the_first_token_is_made_and_never_again(app: App, clock: FakeClock) -> None:
    assert await app.tokens.authenticate(None) == OWNER
    assert await app.tokens.authenticate("whatever") == OWNER
    made = await app.tokens.create("ada")
    await app.tokens.revoke(made.token.prefix)
    clock.advance(days=400)
    with pytest.raises(Unauthenticated, match="memory-bank token create"):
        await app.tokens.authenticate(None)
    with pytest.raises(Unauthenticated, match="revoked"):
        await app.tokens.authenticate(made.secret)


async def test_a_token_gives_what_it_was_made_for(app: App) -> None:
    made = await app.tokens.create(" ada ", banks=["a", "b", "a"], level=Level.READ, lifetime=timedelta(days=1))
    access = await app.tokens.authenticate(made.secret)
    assert (access.level, access.banks, access.token) == (Level.READ, ("a", "b"), made.token.id)
    (listed,) = await app.tokens.list()
    assert listed.name == "ada"
    assert listed.last_used_at is not None
    assert made.secret.startswith(listed.prefix)


async def test_the_secret_is_kept_nowhere(app: App, url: str) -> None:
    made = await app.tokens.create("ada")
    other = await app.tokens.create("bob")
    kept = repr(rows(url))
    assert made.secret.removeprefix(made.token.prefix + "_") not in kept
    assert len(made.secret.removeprefix(made.token.prefix + "_")) == 43
    assert made.secret[-43:] != other.secret[-43:]


async def test_a_wrong_secret_behind_a_known_beginning_is_refused(app: App) -> None:
    made = await app.tokens.create("ada")
    wrong = made.secret[:-1] + ("A" if made.secret[-1] != "A" else "B")
    for shown in (wrong, made.token.prefix, str(made.token.id), "", "x", made.secret + "x", "\0", "é" * 60):
        with pytest.raises(Unauthenticated, match="not known") as caught:
            await app.tokens.authenticate(shown)
        assert made.secret not in str(caught.value)
    await app.tokens.authenticate(made.secret)


async def test_a_token_ends_when_its_time_is_over_although_it_is_in_use(app: App, clock: FakeClock) -> None:
    made = await app.tokens.create("ada", lifetime=KNOWN_FOR / 2)
    await app.tokens.authenticate(made.secret)
    clock.advance(seconds=KNOWN_FOR.total_seconds() / 2)
    with pytest.raises(Unauthenticated, match="expired"):
        await app.tokens.authenticate(made.secret)


async def test_another_process_feels_a_first_token_and_a_revocation_within_seconds(
    app: App, loaded: Settings, clock: FakeClock
) -> None:
    async with open_app(loaded, parts=Parts(embedder=FakeEmbedder(), clock=clock)) as other:
        assert await other.tokens.authenticate(None) == OWNER
        made = await app.tokens.create("ada")
        clock.advance(seconds=KNOWN_FOR.total_seconds())
        with pytest.raises(Unauthenticated):
            await other.tokens.authenticate(None)
        await other.tokens.authenticate(made.secret)
        await app.tokens.revoke(str(made.token.id).upper())
        clock.advance(seconds=KNOWN_FOR.total_seconds())
        with pytest.raises(Unauthenticated, match="revoked"):
            await other.tokens.authenticate(made.secret)
    assert timedelta(seconds=10) >= KNOWN_FOR


async def test_a_revocation_is_felt_at_once_where_it_was_made_and_keeps_its_moment(app: App, clock: FakeClock) -> None:
    made = await app.tokens.create("ada")
    await app.tokens.authenticate(made.secret)
    first = await app.tokens.revoke(made.token.prefix)
    with pytest.raises(Unauthenticated):
        await app.tokens.authenticate(made.secret)
    clock.advance(days=1)
    assert (await app.tokens.revoke(made.token.prefix)).revoked_at == first.revoked_at


@pytest.mark.parametrize("pasted", ["{}", " {}\n", "Authorization: Bearer {}", "'{}'", "{}x"])
async def test_a_leaked_token_is_ended_by_pasting_it(app: App, pasted: str) -> None:
    made, other = await app.tokens.create("ada"), await app.tokens.create("bob")
    ended = await app.tokens.revoke(pasted.format(made.secret))
    assert ended.id == made.token.id
    with pytest.raises(Unauthenticated, match="revoked"):
        await app.tokens.authenticate(made.secret)
    await app.tokens.authenticate(other.secret)


async def test_a_pasted_token_that_is_not_known_is_not_repeated(app: App) -> None:
    unknown = f"mb_aaaaaaaaaaaa_{'s' * 43}"
    with pytest.raises(NotFound, match="memory-bank token list") as caught:
        await app.tokens.revoke(unknown)
    assert "sss" not in str(caught.value)


async def test_what_is_not_there_cannot_be_revoked(app: App) -> None:
    for named in ("mb_aaaaaaaaaaaa", "", "' OR true --", "%"):
        with pytest.raises(NotFound):
            await app.tokens.revoke(named)


async def test_bad_wishes_are_refused_by_name_and_make_nothing(app: App) -> None:
    for field, name, banks, lifetime in (
        ("name", "", (), None),
        ("bank", "ada", ("NOT A BANK",), None),
        ("expires", "ada", (), timedelta()),
    ):
        with pytest.raises(InvalidInput) as caught:
            await app.tokens.create(name, banks=banks, lifetime=lifetime)
        assert caught.value.field == field
    assert await app.tokens.list() == []
    assert not await app.tokens.active()


@pytest.mark.parametrize("authentication", [Authentication.REQUIRED, Authentication.OFF])
async def test_the_setting_asks_for_tokens_always_or_never(
    loaded: Settings, authentication: Authentication, clock: FakeClock
) -> None:
    own = loaded.model_copy(update={"server": loaded.server.model_copy(update={"auth": authentication})})
    async with open_app(own, parts=Parts(embedder=FakeEmbedder(), clock=clock)) as app:
        required = authentication is Authentication.REQUIRED
        assert await app.tokens.active() is required
        await app.tokens.create("ada")
        assert await app.tokens.active() is required
