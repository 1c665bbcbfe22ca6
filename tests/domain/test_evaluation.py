"""Measures of a ranking, against cases worked out by hand and what must hold for every ranking."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import evaluation
from memory_bank.domain.evaluation import CUTOFFS, Measures

ITEMS = [f"d{n}" for n in range(40)]
RANKINGS = st.lists(st.sampled_from(ITEMS), unique=True, max_size=30)
RELEVANT = st.sets(st.sampled_from(ITEMS), min_size=1, max_size=25)


def test_measures_equal_those_worked_out_by_hand() -> None:
    ranking = ["a", "b", "c", "d", "e", "f", "g"]
    # relevant at ranks 2 and 6, the third one not returned
    measured = evaluation.measures(ranking, {"b", "f", "missing"})
    assert measured.any == (0.0, 1.0, 1.0, 1.0)
    assert measured.recall == pytest.approx((0.0, 1 / 3, 2 / 3, 2 / 3))
    assert measured.all == (0.0, 0.0, 0.0, 0.0)
    assert measured.mrr == 1 / 2
    best = 1 + 1 / math.log2(3) + 1 / 2
    assert measured.ndcg == pytest.approx((1 / math.log2(3) + 1 / math.log2(7)) / best)


def test_a_relevant_item_past_the_tenth_counts_for_mrr_but_not_for_ndcg() -> None:
    measured = evaluation.measures(ITEMS[:20], {"d11"})
    assert (measured.mrr, measured.ndcg) == (1 / 12, 0.0)
    assert measured.any == measured.recall == measured.all == (0.0, 0.0, 0.0, 1.0)


def test_an_empty_answer_earns_nothing() -> None:
    nothing = (0.0,) * len(CUTOFFS)
    assert evaluation.measures([], {"a"}) == Measures(any=nothing, recall=nothing, all=nothing, mrr=0.0, ndcg=0.0)


def test_means_are_taken_over_queries() -> None:
    both = evaluation.mean([evaluation.measures(["a"], {"a"}), evaluation.measures(["b"], {"a", "c"})])
    assert both.any == (0.5,) * len(CUTOFFS)
    assert (both.mrr, both.ndcg) == (0.5, 0.5)


def test_sessions_stand_in_the_order_in_which_items_first_name_them() -> None:
    session_of = {"a": "s1", "b": "s2", "c": "s1"}
    assert evaluation.sessions_of(["b", "none", "c", "a", "b"], session_of=session_of) == ["s2", "s1"]


def test_percentiles_are_values_that_occurred() -> None:
    assert evaluation.percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert evaluation.percentile([4.0, 1.0, 3.0, 2.0], 0.95) == 4.0
    assert evaluation.percentile([7.0], 0.5) == 7.0
    assert evaluation.percentile([float(n) for n in range(1, 101)], 0.95) == 95.0


@pytest.mark.parametrize(("ranking", "relevant"), [(["a", "a"], ["a"]), (["a"], [])])
def test_what_cannot_be_measured_is_refused(ranking: list[str], relevant: list[str]) -> None:
    with pytest.raises(ValueError, match="relevant"):
        evaluation.measures(ranking, relevant)


@given(ranking=RANKINGS, relevant=RELEVANT)
def test_every_measure_lies_between_0_and_1_and_grows_with_the_cutoff(ranking: list[str], relevant: set[str]) -> None:
    measured = evaluation.measures(ranking, relevant)
    for row in (measured.any, measured.recall, measured.all):
        assert list(row) == sorted(row)
        assert all(0 <= each <= 1 for each in row)
    for at_any, recall, at_all in zip(measured.any, measured.recall, measured.all, strict=True):
        assert at_all <= recall <= at_any
    assert 0 <= measured.mrr <= 1
    assert 0 <= measured.ndcg <= 1 + 1e-12


@given(relevant=RELEVANT, rest=RANKINGS)
def test_only_relevant_items_first_is_perfect(relevant: set[str], rest: list[str]) -> None:
    perfect = evaluation.measures([*sorted(relevant), *(each for each in rest if each not in relevant)], relevant)
    assert perfect.mrr == 1
    assert perfect.ndcg == pytest.approx(1)
    assert perfect.recall == tuple(min(cutoff / len(relevant), 1.0) for cutoff in CUTOFFS)


@given(ranking=RANKINGS.filter(lambda each: len(each) > 1), relevant=RELEVANT, data=st.data())
def test_moving_a_relevant_item_up_makes_nothing_worse(
    ranking: list[str], relevant: set[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(1, len(ranking) - 1))
    if ranking[place] not in relevant:
        return
    swapped = [*ranking[: place - 1], ranking[place], ranking[place - 1], *ranking[place + 1 :]]
    before, after = evaluation.measures(ranking, relevant), evaluation.measures(swapped, relevant)
    assert after.mrr >= before.mrr
    assert after.ndcg >= before.ndcg - 1e-12
    assert all(new >= old for new, old in zip(after.recall, before.recall, strict=True))
