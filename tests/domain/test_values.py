"""Filters, cursors, moments, bank names, and bounded analyses."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import analysis, banks, filters, links, moments, notes
from memory_bank.domain.links import LinkOrigin
from memory_bank.errors import InvalidInput

moments_in_time = st.datetimes(timezones=st.just(UTC))


@given(moments_in_time, st.uuids())
def test_a_cursor_survives_the_way_to_the_caller_and_back(moment: datetime, id: UUID) -> None:
    cursor = filters.Cursor(timestamp=moment, id=id)
    assert filters.parsed_cursor(str(cursor)) == cursor


@given(st.text())
def test_any_other_cursor_is_refused_by_name(rubbish: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        filters.parsed_cursor(rubbish)
    assert caught.value.field == "cursor"


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("2026-03-10T03:15:00", datetime(2026, 3, 10, 3, 15, tzinfo=UTC)),
        ("2026-03-10T03:15:00Z", datetime(2026, 3, 10, 3, 15, tzinfo=UTC)),
        ("2026-03-10T03:15:00+09:00", datetime(2026, 3, 9, 18, 15, tzinfo=UTC)),
        ("2026-03-10", datetime(2026, 3, 10, tzinfo=UTC)),
        (" 20260310T031500Z ", datetime(2026, 3, 10, 3, 15, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_utc_unless_they_name_a_zone(given_text: str, expected: datetime) -> None:
    moment = moments.parsed(given_text, field="timestamp")
    assert moment == expected
    assert moment.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    "wrong", ["2026-02-30", "yesterday", "", "1700000000", "2026-13-01", "9999-12-31T23:59:59-12:00"]
)
def test_an_impossible_time_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(InvalidInput, match=r"^since:"):
        moments.parsed(wrong, field="since")


def test_naive_and_aware_times_never_mix() -> None:
    wanted = filters.checked(
        since=datetime(2026, 1, 1),  # noqa: DTZ001 - a caller may leave the zone out
        until=datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=9))),
    )
    assert wanted.since == wanted.until


@given(st.text(max_size=80))
def test_a_bank_name_is_short_plain_and_lower_case_or_refused(name: str) -> None:
    plain = 1 <= len(name) <= 64 and all(c in "abcdefghijklmnopqrstuvwxyz0123456789._-" for c in name)
    if plain:
        assert banks.checked_name(name) == name
    else:
        with pytest.raises(InvalidInput):
            banks.checked_name(name)


@given(st.lists(st.text(max_size=120), max_size=60), st.text(max_size=3_000))
def test_an_analysis_is_bounded_whoever_made_it(words: list[str], context: str) -> None:
    bounded = analysis.bounded(keywords=words, context=context, tags=words, origin=LinkOrigin.LLM)
    assert len(bounded.keywords) <= analysis.KEYWORD_COUNT
    assert len(bounded.tags) <= analysis.TAG_COUNT
    assert len(bounded.context) <= analysis.CONTEXT_LENGTH
    assert len({each.casefold() for each in bounded.keywords}) == len(bounded.keywords)
    assert all(each == each.strip() != "" for each in (*bounded.keywords, *bounded.tags))


def test_tags_are_lower_case_and_stand_once() -> None:
    assert notes.checked_tags(["B", "a", "b ", "project:Atlas"]) == ("b", "a", "project:atlas")


@pytest.mark.parametrize("explanation", ["", "  ", "\x00", "x" * 1_001])
def test_a_link_needs_a_short_explanation(explanation: str) -> None:
    with pytest.raises(InvalidInput, match=r"^explanation:"):
        links.checked_explanation(explanation)
