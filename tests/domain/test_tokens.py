"""Tokens: their shape, and what they allow."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import tokens
from memory_bank.domain.tokens import OWNER, Access, Level, State, Token
from memory_bank.errors import Forbidden, InvalidInput

NOW = datetime(2026, 3, 10, tzinfo=UTC)
GOOD = tokens.written("abcdefgh2345", "A" * 43)


def token(*, expires_at: datetime | None = None, revoked_at: datetime | None = None) -> Token:
    return Token(
        id=uuid4(),
        name="ada",
        prefix="mb_abcdefgh2345",
        banks=None,
        level=Level.READ,
        created_at=NOW,
        expires_at=expires_at,
        revoked_at=revoked_at,
    )


def test_each_level_includes_those_before_it() -> None:
    assert [[one.covers(other) for other in Level] for one in Level] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("needed", Level)
@pytest.mark.parametrize(("banks", "inside"), [(None, True), (("a", "b"), True), (("b",), False)])
def test_access_takes_the_level_and_the_bank(
    level: Level, needed: Level, banks: tuple[str, ...] | None, inside: bool
) -> None:
    access = Access(level=level, banks=banks)
    allowed = level.covers(needed) and inside
    assert access.allows(needed, "a") is allowed
    if allowed:
        access.require(needed, "a")
    else:
        with pytest.raises(Forbidden):
            access.require(needed, "a")


def test_the_owner_may_do_everything() -> None:
    assert all(OWNER.allows(level, bank) for level in Level for bank in ("default", "other"))


def test_a_refusal_names_the_banks_of_the_token_and_not_the_one_that_was_asked_for() -> None:
    with pytest.raises(Forbidden, match="mine") as caught:
        Access(level=Level.WRITE, banks=("mine",)).require(Level.READ, "theirs")
    assert "theirs" not in str(caught.value)


@given(st.text())
def test_no_other_text_is_taken_for_a_token(text: str) -> None:
    assert tokens.read(text) is None


@pytest.mark.parametrize(
    "text", [GOOD + "A", GOOD[:-1], GOOD + "\n", " " + GOOD, GOOD.upper(), GOOD.replace("mb_", "xy_"), GOOD[:-1] + "é"]
)
def test_a_token_that_is_not_whole_is_none(text: str) -> None:
    assert tokens.read(GOOD) is not None
    assert tokens.read(text) is None


def test_state_follows_expiry_and_revocation() -> None:
    assert token().state(NOW) is State.ACTIVE
    assert token(expires_at=NOW + timedelta(seconds=1)).state(NOW) is State.ACTIVE
    assert token(expires_at=NOW).state(NOW) is State.EXPIRED
    assert token(expires_at=NOW, revoked_at=NOW).state(NOW) is State.REVOKED


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\0b", "a\u202eb"])
def test_a_name_that_no_list_could_show_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        tokens.checked_name(name)


@pytest.mark.parametrize("lifetime", [timedelta(), timedelta(seconds=-1), timedelta(days=36_501)])
def test_a_lifetime_must_be_sound(lifetime: timedelta) -> None:
    with pytest.raises(InvalidInput):
        tokens.checked_lifetime(lifetime)


def test_banks_are_checked_and_each_stands_once() -> None:
    assert tokens.checked_banks([]) is None
    assert tokens.checked_banks(["b", "a", "b"]) == ("b", "a")
    with pytest.raises(InvalidInput):
        tokens.checked_banks(["NOT A BANK"])
