"""Comparison: whether two runs over the same questions differ by more than chance.

Apart from the services of a server, which never compares runs: what reckons this takes half a second to load.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy import float64
from numpy.typing import NDArray
from scipy import stats

_ROUNDS = 9_999
_ROUNDS_AT_ONCE = 500
_SEED = 20_260_310


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two means over the same questions, and how many questions went up and down from the first to the second.

    `chance`: how often a difference at least as large, in either direction, arises where each question's two values are
    swapped at random; above 0, at most 1.
    """

    before: float
    now: float
    better: int
    worse: int
    chance: float


def difference(before: Sequence[float], now: Sequence[float]) -> Difference:
    """Compare a measure of at least one question, in the same order, by the paired randomisation test.

    Of the tests in use it is the one to prefer for rankings: Smucker, Allan & Carterette, "A comparison of statistical
    significance tests for information retrieval evaluation" (2007). The same values always give the same chance.
    """
    pair = np.asarray(before, dtype=float64), np.asarray(now, dtype=float64)
    if len(pair[0]) != len(pair[1]) or not len(pair[0]):
        raise ValueError("both runs need a value of each question, and there must be one")
    return Difference(
        before=float(pair[0].mean()),
        now=float(pair[1].mean()),
        better=int((pair[1] > pair[0]).sum()),
        worse=int((pair[1] < pair[0]).sum()),
        chance=_chance(pair),
    )


def _chance(pair: tuple[NDArray[float64], NDArray[float64]]) -> float:
    if len(pair[0]) == 1:
        # swapped or not, the difference is as large
        return 1.0
    told = stats.permutation_test(
        pair,
        _mean_difference,
        permutation_type="samples",
        n_resamples=_ROUNDS,
        batch=_ROUNDS_AT_ONCE,
        rng=np.random.default_rng(_SEED),
    )
    return float(told.pvalue)


def _mean_difference(before: NDArray[float64], now: NDArray[float64], axis: int = -1) -> NDArray[float64]:
    return np.asarray(np.mean(now - before, axis=axis))
