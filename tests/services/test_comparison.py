"""Comparison: a difference is told from luck question by question."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.services.comparison import difference

figures = st.floats(0, 1)


def test_as_many_questions_that_rise_and_fall_by_as_much_are_luck() -> None:
    told = difference([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    assert (told.before, told.now, told.better, told.worse) == (0.5, 0.5, 3, 3)
    assert told.chance == 1.0


def test_the_chance_of_few_questions_is_counted_out() -> None:
    # of the 64 ways to swap six pairs two are as far apart: the one seen, and its mirror image
    assert difference([0] * 6 + [1] * 6, [1] * 12).chance == pytest.approx(2 / 64)
    # one question proves nothing
    assert difference([0.0], [1.0]).chance == 1.0


def test_many_questions_that_rise_are_no_luck() -> None:
    before = np.random.default_rng(3).integers(2, size=630).astype(float)
    now = before.copy()
    now[np.flatnonzero(before == 0)[:30]] = 1
    told = difference(list(before), list(now))
    assert (told.better, told.worse) == (30, 0)
    assert told.chance < 0.001


@settings(max_examples=30)
@given(st.lists(st.tuples(figures, figures), min_size=1, max_size=12))
def test_it_does_not_matter_which_run_came_first(pairs: Sequence[tuple[float, float]]) -> None:
    one, other = [before for before, _ in pairs], [now for _, now in pairs]
    there, back = difference(one, other), difference(other, one)
    assert (there.better, there.worse) == (back.worse, back.better)
    assert there.chance == pytest.approx(back.chance, abs=0.02)
    assert 0 < there.chance <= 1


def test_runs_over_different_questions_are_refused() -> None:
    for before, now in (([1.0], [1.0, 0.0]), ([], [])):
        with pytest.raises(ValueError, match="each question"):
            difference(before, now)
