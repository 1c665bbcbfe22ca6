"""`memory-bank eval --against`: what has changed since an earlier run over the same questions."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pydantic

from memory_bank.domain import evaluation
from memory_bank.domain.evaluation import Corpus, Measures
from memory_bank.errors import InvalidInput
from memory_bank.interfaces.answers import Answer
from memory_bank.services import comparison
from memory_bank.services.comparison import Difference

NOTES = (
    "better, worse: questions of both runs whose own figure, by turns, is higher or lower now",
    "chance: how often a difference as large arises where each question's two figures are swapped at random; nobody can"
    " tell one above 0.05 from luck",
)
_OPTION = "--against"

Key = tuple[str, str, str]
"""A question as both runs know it: its bank, its id and its text, as files may share the names of their banks."""


MEASURES = (
    *(f"{name}@{cutoff}" for name in ("any", "recall", "all") for cutoff in evaluation.CUTOFFS),
    "MRR",
    f"nDCG@{evaluation.NDCG_CUTOFF}",
)


class FiguresAnswer(Answer):
    """The figures of one query, or means over several; each list has one value for each cut-off."""

    any: list[float]
    recall: list[float]
    all: list[float]
    mrr: float
    ndcg_at_10: float

    @property
    def values(self) -> tuple[float, ...]:
        """Every figure, in the order of `MEASURES`."""
        return (*self.any, *self.recall, *self.all, self.mrr, self.ndcg_at_10)


class DifferenceAnswer(Answer):
    """A measure over the questions of both runs: before and now, and whether chance explains the difference."""

    measure: str
    before: float
    now: float
    better: int
    worse: int
    chance: float


class AgainstAnswer(Answer):
    """What has changed since an earlier run."""

    file: str
    queries: int
    differences: list[DifferenceAnswer]


class _Explained(pydantic.BaseModel):
    bank: str
    query: str
    text: str
    figures: FiguresAnswer | None = None


class _Variant(pydantic.BaseModel):
    arms: str
    explained: list[_Explained] = []


class _Answer(pydantic.BaseModel):
    cutoffs: list[int]
    variants: list[_Variant]


class Earlier:
    """An earlier run, by its answer in a file."""

    def __init__(self, file: Path) -> None:
        """Read the answer; raises `InvalidInput` where it is none that holds each query's own figures."""
        try:
            answer = _Answer.model_validate_json(file.read_bytes())
        except (OSError, pydantic.ValidationError) as error:
            raise InvalidInput(_OPTION, f"{file} holds no answer of `memory-bank eval --explain --json`") from error
        self.file = file.name
        self._figures = {
            variant.arms: {(each.bank, each.query, each.text): each.figures for each in variant.explained}
            for variant in answer.variants
        }
        if answer.cutoffs != list(evaluation.CUTOFFS) or not any(self._figures.values()):
            raise InvalidInput(_OPTION, f"{file} holds no query's own figures; make it with --explain --json")

    def require(self, arms: Sequence[str], corpora: Sequence[Corpus], *, limit_queries: int | None) -> None:
        """Raise `InvalidInput` unless each of the choices of arms can be compared on some question."""
        asked = {(each.name, own.id, own.text) for each in corpora for own in each.questions[:limit_queries]}
        for each in arms:
            known = self._figures.get(each, {})
            if not any(figures is not None and key in asked for key, figures in known.items()):
                raise InvalidInput(_OPTION, f"{self.file} has no answered question of these files with --arms {each}")

    def compared(self, arms: str, measured: Mapping[Key, Measures]) -> AgainstAnswer:
        """Compare what was measured now with the same questions of then."""
        known = self._figures[arms]
        pairs = [(then, figures(now)) for key, now in measured.items() if (then := known.get(key)) is not None]
        before = zip(*(then.values for then, _ in pairs), strict=True)
        now = zip(*(now.values for _, now in pairs), strict=True)
        return AgainstAnswer(
            file=self.file,
            queries=len(pairs),
            differences=[
                _difference(measure, comparison.difference(*values))
                for measure, values in zip(MEASURES, zip(before, now, strict=True), strict=bool(pairs))
            ],
        )


def figures(measured: Measures) -> FiguresAnswer:
    """Return one query's figures as they are answered."""
    return FiguresAnswer(
        any=[round(each, 6) for each in measured.any],
        recall=[round(each, 6) for each in measured.recall],
        all=[round(each, 6) for each in measured.all],
        mrr=round(measured.mrr, 6),
        ndcg_at_10=round(measured.ndcg, 6),
    )


def lines(arms: str, against: AgainstAnswer) -> Iterator[str]:
    """Yield a readable table."""
    yield f"{arms}, against {against.file}: {against.queries} questions of both"
    yield f"{'':<10} {'before':>7} {'now':>7} {'better':>7} {'worse':>6} {'chance':>7}"
    for each in against.differences:
        counts = f"{each.better:>7} {each.worse:>6}"
        yield f"{each.measure:<10} {each.before:>7.4f} {each.now:>7.4f} {counts} {each.chance:>7.3f}"


def _difference(measure: str, told: Difference) -> DifferenceAnswer:
    return DifferenceAnswer(
        measure=measure,
        before=round(told.before, 4),
        now=round(told.now, 4),
        better=told.better,
        worse=told.worse,
        chance=round(told.chance, 4),
    )
