"""The rules that events of a session obey."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import notes, text, working_memory
from memory_bank.domain.working_memory import Event, EventType
from memory_bank.errors import InvalidInput

NOW = datetime(2026, 3, 10, 3, 15, tzinfo=UTC)


def event(content: str, session: str = "s") -> Event:
    return Event(session=session, type=EventType.DECISION, content=content, created_at=NOW)


def test_an_event_is_cleaned_and_otherwise_kept() -> None:
    assert working_memory.checked(event(" a\x00 ", " s\ud800 ")) == event(" a ", "s")


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (event(""), "content"),
        (event("\u200b\n"), "content"),
        (event("x" * (working_memory.CONTENT_LIMIT + 1)), "content"),
        (event("x", ""), "session"),
        (event("x", "\u3000"), "session"),
        (event("x", "s" * (notes.SESSION_LENGTH + 1)), "session"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_its_field(bad: Event, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        working_memory.checked(bad)
    assert caught.value.field == field


@given(content=st.text(max_size=50), session=st.text(max_size=50))
def test_any_text_is_stored_or_refused_by_name(content: str, session: str) -> None:
    if text.is_blank(text.storable(content)) or text.is_blank(text.storable(session)):
        with pytest.raises(InvalidInput, match=r"content|session"):
            working_memory.checked(event(content, session))
        return
    kept = working_memory.checked(event(content, session))
    assert "\x00" not in kept.content + kept.session


@given(user=st.text(max_size=400), assistant=st.text(max_size=400))
def test_an_exchange_is_an_event_of_its_beginnings(user: str, assistant: str) -> None:
    found = working_memory.of_exchange(session="s", user=user, assistant=assistant, now=NOW)
    assert found.type is EventType.OBSERVATION
    assert len(found.content) <= 2 * (120 + len("Assistant: ")) + 1


def test_a_blank_side_of_an_exchange_is_left_out() -> None:
    assert working_memory.of_exchange(session="s", user="", assistant=" yes ", now=NOW).content == "Assistant: yes"
