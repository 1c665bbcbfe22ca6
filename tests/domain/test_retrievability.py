"""Forgetting: the published formula, its bounds, and the two filters."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import retrievability
from memory_bank.domain.retrievability import DecayPolicy, FilterType

DAY = 86_400
POLICY = DecayPolicy()

idle = st.floats(min_value=0, max_value=1e12)
counts = st.integers(min_value=0, max_value=10_000)


def r(idle_seconds: float, retrieval_count: int, policy: DecayPolicy = POLICY) -> float:
    return retrievability.probability(policy, idle_seconds=idle_seconds, retrieval_count=retrieval_count)


def test_at_the_end_of_the_first_interval_it_is_exactly_the_target() -> None:
    assert r(604_800, 1) == pytest.approx(0.95, abs=1e-12)


@pytest.mark.parametrize(("count", "expected"), [(0, 0.719), (1, 0.803), (2, 0.864), (5, 0.958), (10, 0.994)])
def test_thirty_days_idle_give_the_published_values(count: int, expected: float) -> None:
    assert r(30 * DAY, count) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(("count", "expected"), [(0, 0.018), (1, 0.069), (2, 0.168), (5, 0.590), (10, 0.933)])
def test_a_year_idle_gives_the_published_values(count: int, expected: float) -> None:
    assert r(365 * DAY, count) == pytest.approx(expected, abs=5e-4)


@given(idle, counts)
def test_it_is_a_probability(idle_seconds: float, count: int) -> None:
    assert 0 <= r(idle_seconds, count) <= 1


@given(idle, idle, counts)
def test_it_never_grows_with_idle_time(one: float, other: float, count: int) -> None:
    assert r(max(one, other), count) <= r(min(one, other), count)


@given(idle, counts)
def test_it_never_falls_with_a_retrieval(idle_seconds: float, count: int) -> None:
    assert r(idle_seconds, count + 1) >= r(idle_seconds, count)


@given(st.floats(max_value=0, allow_nan=False), counts)
def test_a_last_access_in_the_future_counts_as_now(idle_seconds: float, count: int) -> None:
    assert r(idle_seconds, count) == 1


@given(
    st.floats(min_value=1e-6, max_value=1 - 1e-6),
    st.floats(min_value=1, max_value=1e9),
    st.floats(min_value=1, max_value=100),
)
def test_every_policy_reaches_its_target_after_its_first_interval(k: float, c1: float, c2: float) -> None:
    policy = DecayPolicy(target_recall_probability=k, length_of_first_interval=c1, relearning_rate=c2)
    assert r(c1, 1, policy) == pytest.approx(k, rel=1e-9)


def test_the_threshold_is_inclusive() -> None:
    policy = DecayPolicy(threshold=0.5)
    assert retrievability.keeps(policy, 0.5)
    assert not retrievability.keeps(policy, 0.4999)


@given(st.floats(min_value=0, max_value=1))
def test_a_disabled_policy_keeps_everything(chance: float) -> None:
    assert retrievability.keeps(DecayPolicy(enabled=False, threshold=1.0), chance)
    assert retrievability.keeps(DecayPolicy(enabled=False, type=FilterType.PROBABILISTIC, draw=lambda: 0.999), chance)


def test_the_probabilistic_filter_keeps_a_note_as_often_as_its_retrievability_says() -> None:
    policy = DecayPolicy(type=FilterType.PROBABILISTIC, draw=random.Random(3).random)
    kept = sum(retrievability.keeps(policy, 0.3) for _ in range(10_000))
    assert 2_800 < kept < 3_200


def test_the_probabilistic_filter_never_keeps_the_impossible_and_always_the_certain() -> None:
    policy = DecayPolicy(type=FilterType.PROBABILISTIC, draw=random.Random(3).random)
    assert not any(retrievability.keeps(policy, 0.0) for _ in range(1_000))
    assert all(retrievability.keeps(policy, 1.0) for _ in range(1_000))


def test_the_callers_bound_holds_even_when_the_policy_is_disabled() -> None:
    assert not retrievability.keeps(DecayPolicy(enabled=False), 0.2, at_least=0.3)
    assert retrievability.keeps(DecayPolicy(enabled=False), 0.3, at_least=0.3)
