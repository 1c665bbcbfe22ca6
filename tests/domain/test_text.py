"""Text: what is removed, what is blank, and cuts that leave characters whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import text

FAMILY = "👩‍👩‍👧‍👦"
PIECES = [FAMILY, "🇩🇪", "👍🏽", "𠀋", "e\u0301", "a", " ", "✈️"]


@given(st.text())
def test_storable_text_is_utf8_without_nul_and_otherwise_the_same(given_text: str) -> None:
    kept = text.storable(given_text)
    assert "\x00" not in kept
    kept.encode("utf-8")
    assert kept == "".join(c for c in given_text if c != "\x00" and not "\ud800" <= c <= "\udfff")


@pytest.mark.parametrize("blank", ["", " ", "\t\n\r", "\u200b", "\u3000", "\u2060\ufeff", "\u00ad", "\u115f", "\u2800"])
def test_what_shows_nothing_is_blank(blank: str) -> None:
    assert text.is_blank(blank)


@pytest.mark.parametrize("visible", ["a", " a ", ".", "。", "😀", "\u0301", "0"])
def test_what_shows_something_is_not_blank(visible: str) -> None:
    assert not text.is_blank(visible)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.integers(min_value=1, max_value=40))
def test_a_preview_is_short_enough_and_cuts_between_whole_characters(given_text: str, limit: int) -> None:
    shown = text.preview(given_text, limit=limit)
    assert len(shown) <= max(limit, 1)
    if shown == given_text:
        return
    kept = shown.removesuffix("…")
    assert given_text.startswith(kept)
    rest = given_text[len(kept) :].lstrip(" ")
    assert not rest.startswith(("\u200d", "\u0301", "\ufe0f", "🏽"))
    assert not kept.endswith("\u200d")


@pytest.mark.parametrize("n", range(41))
def test_no_cut_point_halves_a_flag_or_a_family(n: int) -> None:
    filler = "x" * n
    for whole in (FAMILY, "🇩🇪🇫🇷", "👍🏽"):
        shown = text.preview(filler + whole + "tail" * 20, limit=25).removesuffix("…")
        tail = shown[n:]
        assert tail == "" or whole.startswith(tail) or tail.startswith(whole)
        if whole == "🇩🇪🇫🇷" and tail:
            assert len([c for c in tail if "\U0001f1e6" <= c <= "\U0001f1ff"]) % 2 == 0
