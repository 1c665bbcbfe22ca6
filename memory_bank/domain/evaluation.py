"""Evaluation: how good a ranking is, given what should have been found."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

CUTOFFS = (1, 5, 10, 20)
NDCG_CUTOFF = 10

DEFINITIONS = {
    "any@k": "share of queries with at least one relevant item among the first k",
    "recall@k": "share of a query's relevant items that stand among the first k, averaged over queries",
    "all@k": "share of queries with every relevant item among the first k",
    "MRR": "1 / rank of the first relevant item, 0 when none was returned, averaged over queries",
    "nDCG@10": "binary: sum of 1/log2(rank + 1) over relevant items among the first 10, divided by the best possible",
}


@dataclass(frozen=True, kw_only=True)
class Document:
    """A text of a set; `session` is the conversation it is part of."""

    id: str
    text: str
    session: str | None = None
    timestamp: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """A query of a set and the ids of the documents that answer it; none where nothing does."""

    id: str
    text: str
    relevant: tuple[str, ...]
    category: str


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """One bank of a set; `file` is where it was read from, by its name."""

    file: str
    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, kw_only=True)
class Measures:
    """The measures of one ranking, or their means; each from 0 to 1, those with a cut-off in the order of `CUTOFFS`."""

    any: tuple[float, ...]
    recall: tuple[float, ...]
    all: tuple[float, ...]
    mrr: float
    ndcg: float


def measures(ranking: Sequence[str], relevant: Collection[str]) -> Measures:
    """Measure a ranking, best first and each item once, against at least one relevant item."""
    wanted = set(relevant)
    if not wanted or len(set(ranking)) != len(ranking):
        raise ValueError("a ranking names each item once, and something must be relevant")
    ranks = [rank for rank, item in enumerate(ranking, start=1) if item in wanted]
    found = [sum(rank <= cutoff for rank in ranks) for cutoff in CUTOFFS]
    best = sum(_gain(rank) for rank in range(1, min(len(wanted), NDCG_CUTOFF) + 1))
    return Measures(
        any=tuple(float(count > 0) for count in found),
        recall=tuple(count / len(wanted) for count in found),
        all=tuple(float(count == len(wanted)) for count in found),
        mrr=1 / ranks[0] if ranks else 0.0,
        ndcg=sum(_gain(rank) for rank in ranks if rank <= NDCG_CUTOFF) / best,
    )


def mean(measured: Sequence[Measures]) -> Measures:
    """Return the arithmetic mean of each measure over at least one query."""
    return Measures(
        any=_means([each.any for each in measured]),
        recall=_means([each.recall for each in measured]),
        all=_means([each.all for each in measured]),
        mrr=math.fsum(each.mrr for each in measured) / len(measured),
        ndcg=math.fsum(each.ndcg for each in measured) / len(measured),
    )


def sessions_of(items: Iterable[str], *, session_of: Mapping[str, str]) -> list[str]:
    """Return the sessions of items in order of first appearance; items of no session are passed over."""
    return list(dict.fromkeys(session_of[item] for item in items if item in session_of))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile: the smallest value that at least `share` of the values do not exceed.

    `share` is above 0 and at most 1; there is at least one value.
    """
    return sorted(values)[max(math.ceil(share * len(values)), 1) - 1]


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _means(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(math.fsum(column) / len(rows) for column in zip(*rows, strict=True))
