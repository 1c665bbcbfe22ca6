"""Forgetting: how likely a note is still recalled, and which notes a search may return.

Formula: Woźniak, Gorzelańczyk & Murakowski, "Two components of long-term memory".
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


class FilterType(StrEnum):
    """How retrievability decides what a search may return."""

    THRESHOLD = "threshold"
    PROBABILISTIC = "probabilistic"


@dataclass(frozen=True, kw_only=True)
class DecayPolicy:
    """The constants of forgetting and the filter built on them.

    target_recall_probability: K, in (0, 1): recall probability at the end of the first interval.
    length_of_first_interval: c1, seconds, > 0.
    relearning_rate: c2, >= 1: growth of the interval with each retrieval.
    threshold: lowest probability kept by the threshold filter, in [0, 1].
    """

    enabled: bool = True
    type: FilterType = FilterType.THRESHOLD
    target_recall_probability: float = 0.95
    length_of_first_interval: float = 604_800.0
    relearning_rate: float = 1.5
    threshold: float = 0.0
    draw: Callable[[], float] = field(default=random.random)


def probability(policy: DecayPolicy, *, idle_seconds: float, retrieval_count: int) -> float:
    """Return R(t, i) = exp(t · ln K / (c1 · c2^(i-1))), clamped to [0, 1].

    `idle_seconds` is t, the time since the last access; `retrieval_count` is i. A last access in the
    future counts as now. The interval is computed in logarithms, so that no count overflows.
    """
    if idle_seconds <= 0:
        return 1.0
    log_interval = math.log(policy.length_of_first_interval) + (retrieval_count - 1) * math.log(policy.relearning_rate)
    intervals = math.exp(min(math.log(idle_seconds) - log_interval, 700.0))
    return math.exp(max(intervals * math.log(policy.target_recall_probability), -745.0))


def keeps(policy: DecayPolicy, retrievability: float, *, at_least: float | None = None) -> bool:
    """Tell whether a search may return a note of this retrievability.

    A disabled policy keeps everything. `at_least` is the caller's own bound for one search and holds in any case.
    """
    if at_least is not None and retrievability < at_least:
        return False
    if not policy.enabled:
        return True
    match policy.type:
        case FilterType.THRESHOLD:
            return retrievability >= policy.threshold
        case FilterType.PROBABILISTIC:
            return policy.draw() < retrievability
