"""Which words tell two texts apart whose vectors lie close."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import rewording

texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=80)


@given(one=texts, other=texts)
def test_comparing_is_the_same_both_ways_and_a_text_differs_from_itself_in_nothing(one: str, other: str) -> None:
    mine, yours = rewording.gist(one), rewording.gist(other)
    assert rewording.contrary(mine, yours) == rewording.contrary(yours, mine)
    assert rewording.swapped(mine, yours) == rewording.swapped(yours, mine)
    assert rewording.names_differ(one, other) == rewording.names_differ(other, one)
    assert 0.0 <= rewording.similarity(mine, yours) <= 1.0
    assert not rewording.contrary(mine, mine)
    assert not rewording.swapped(mine, mine)
    assert not rewording.names_differ(one, one)


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("It does work", False),
        ("It doesn't work", True),
        ("It doesn’t work", True),
        ("It cannot work", True),
        ("Es geht nicht", True),
        ("Ça ne marche pas", True),
        ("它不可用", True),
        ("それは使えない", True),
        ("It can be noticed by nobody", True),
        ("a cant of the hill", False),
    ],
)
def test_a_denial_is_read_in_many_languages(text: str, denies: bool) -> None:
    assert rewording.gist(text).denies is denies


def test_numbers_are_read_in_any_script_and_width() -> None:
    assert rewording.gist("第3版").numbers == rewording.gist("版 ３").numbers == {"3"}
    assert rewording.contrary(rewording.gist("v1.2"), rewording.gist("v1.3"))
    assert not rewording.contrary(rewording.gist("port 80"), rewording.gist("the port, 80"))


def test_a_swap_counts_only_where_the_rest_is_common() -> None:
    def swapped(one: str, other: str) -> bool:
        return rewording.swapped(rewording.gist(one), rewording.gist(other))

    assert swapped("clean the kitchen and the hall", "clean the bathroom and the hall")
    assert not swapped("clean the kitchen", "make everything shine where we cook")
    assert not swapped("fix the login of the shop", "repair the login of the shop")
    assert not swapped("clean the kitchen and the hall", "clean the kitchen and the hall well")
