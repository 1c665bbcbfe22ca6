"""`memory-bank eval`: how well recall answers a set of questions."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from memory_bank.domain import evaluation, ranking, recall
from memory_bank.domain.evaluation import Corpus, Measures
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import retrieval_sets
from memory_bank.interfaces.answers import Answer, ArmAnswer
from memory_bank.interfaces.cli import comparison, throwaway
from memory_bank.interfaces.cli.comparison import AgainstAnswer, Earlier, FiguresAnswer
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show, waited
from memory_bank.services.evaluation import VARIANTS, Asked, Loaded

EXPLAINED_HITS = 5
SETTING_NOTES = (
    "the documents of a bank are notes of a bank of their own, not enriched; documents of one text and session are one",
    "turn: the items are documents. session: they are sessions, in the order in which the documents returned name "
    "them; a session is relevant if a relevant document is part of it",
    "figures are means over queries; ranks past the limit count as not returned; forgetting is off",
    "nothing, weak: share of queries answered by no note at all, or by notes without evidence of being about it",
    "ms: the query's embedding, where the vector arm takes part, and the search; one after the other; nearest rank",
)


class ScoreAnswer(FiguresAnswer):
    """Means over the queries of one category, or of all."""

    category: str
    queries: int


class HitAnswer(Answer):
    """A returned document, its score, and the arms that found it."""

    document: str
    score: float | None
    arms: list[ArmAnswer]


class ExplainedAnswer(Answer):
    """One query: where each relevant document was ranked, None for nowhere, and what came first.

    `figures`: by turns, None where nothing is relevant.
    """

    bank: str
    query: str
    text: str
    category: str
    relevant: dict[str, int | None]
    figures: FiguresAnswer | None = None
    milliseconds: float
    top: list[HitAnswer]


class OffTopicAnswer(Answer):
    """Queries asked of another bank than theirs: the shares that were answered with nothing, and weakly."""

    queries: int
    nothing: float
    weak: float


class VariantAnswer(Answer):
    """All figures of one choice of arms; the first score of a level is over every category."""

    arms: str
    queries: int
    unanswerable: int
    nothing: float
    weak: float
    p50_ms: float
    p95_ms: float
    turn: list[ScoreAnswer]
    session: list[ScoreAnswer]
    off_topic: OffTopicAnswer | None = None
    against: AgainstAnswer | None = None
    explained: list[ExplainedAnswer] | None = None


class EvaluationAnswer(Answer):
    """What was evaluated, what the figures mean, and the figures of each choice of arms."""

    files: list[str]
    banks: int
    documents: int
    limit: int
    model: str
    cutoffs: list[int]
    definitions: dict[str, str]
    setting: list[str]
    variants: list[VariantAnswer]


@click.command(name="eval")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--arms", default="hybrid", show_default=True, help=f"Compare these, of {', '.join(VARIANTS)}.")
@click.option(
    "--limit",
    type=click.IntRange(max(evaluation.CUTOFFS), recall.RESULT_LIMIT),
    default=max(evaluation.CUTOFFS),
    show_default=True,
    help="Notes asked for with each query.",
)
@click.option("--limit-banks", type=click.IntRange(1), help="Only the first banks of each file.")
@click.option("--limit-queries", type=click.IntRange(1), help="Only the first queries of each bank.")
@click.option("--off-topic", is_flag=True, help="Also ask each bank's queries of the next bank of its file.")
@click.option("--explain", is_flag=True, help="Show for each query where the relevant documents were ranked.")
@click.option(
    "--against",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Compare with an earlier run, by its answer of --explain --json.",
)
@json_option
@click.pass_obj
def evaluate(
    invocation: Invocation,
    /,
    files: tuple[Path, ...],
    arms: str,
    limit: int,
    limit_banks: int | None,
    limit_queries: int | None,
    off_topic: bool,
    explain: bool,
    against: Path | None,
    as_json: bool,
) -> None:
    """Measure recall on FILES of questions with known answers, in a throw-away place.

    A file has a bank a line, plain or gzipped: {"bank", "documents": [{"id", "text", "session", "date"}],
    "queries": [{"id", "text", "relevant", "category"}]}.
    """
    variants = _variants(arms)
    corpora = [corpus for file in files for corpus in retrieval_sets.read(file, banks=limit_banks)]
    following = _following(corpora) if off_topic else {}
    earlier = None if against is None else Earlier(against)
    if earlier is not None:
        earlier.require(variants, corpora, limit_queries=limit_queries)

    async def work() -> EvaluationAnswer:
        async with throwaway.place(invocation) as place:
            run = Run(place, variants=variants, limit=limit, limit_queries=limit_queries)
            return await run.answer(corpora, following=following, explain=explain, earlier=earlier)

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: "\n".join(readable(answer)))


class Run:
    """One evaluation in an open place."""

    def __init__(
        self, place: throwaway.Place, *, variants: Sequence[str], limit: int, limit_queries: int | None = None
    ) -> None:
        self._place = place
        self._variants = variants
        self._limit = limit
        self._limit_queries = limit_queries

    async def answer(
        self,
        corpora: Sequence[Corpus],
        *,
        following: Mapping[int, int],
        explain: bool,
        earlier: Earlier | None = None,
    ) -> EvaluationAnswer:
        """Load every corpus, ask all questions, those of `following` also of another corpus, and sum up."""
        loaded = await self._load(corpora)
        asked, astray = await self._ask(loaded, following)
        documents = sum(len(each.corpus.documents) for each in loaded)
        return EvaluationAnswer(
            files=list(dict.fromkeys(each.file for each in corpora)),
            banks=len(corpora),
            documents=documents,
            limit=self._limit,
            model=self._place.embedder.name,
            cutoffs=list(evaluation.CUTOFFS),
            definitions=evaluation.DEFINITIONS,
            setting=[*SETTING_NOTES, *(comparison.NOTES if earlier is not None else ())],
            variants=[
                _variant(each, asked[each], astray[each], explain=explain, earlier=earlier) for each in self._variants
            ],
        )

    async def _load(self, corpora: Sequence[Corpus]) -> list[Loaded]:
        total = sum(len(each.documents) for each in corpora)
        with click.progressbar(length=total, label="Adding", file=sys.stderr) as bar:
            service = self._place.app.evaluation
            loaded = [await service.load(self._place.bank(), each, progress=bar.update) for each in corpora]
        await self._place.app.measurement.warm_up(loaded[0].bank)
        return loaded

    async def _ask(
        self, loaded: Sequence[Loaded], following: Mapping[int, int]
    ) -> tuple[dict[str, list[Asked]], dict[str, list[Asked]]]:
        on_topic: dict[str, list[Asked]] = {each: [] for each in self._variants}
        astray: dict[str, list[Asked]] = {each: [] for each in self._variants}
        questions = [each.corpus.questions[: self._limit_queries] for each in loaded]
        plan = [(own, each, on_topic) for own, asked in zip(loaded, questions, strict=True) for each in asked]
        plan += [(loaded[other], each, astray) for own, other in following.items() for each in questions[own]]
        with click.progressbar(plan, label="Asking", file=sys.stderr) as bar:
            for of, question, into in bar:
                answers = await self._place.app.evaluation.ask(of, question, variants=self._variants, limit=self._limit)
                for variant, asked in answers.items():
                    into[variant].append(asked)
        return on_topic, astray


def _variants(arms: str) -> list[str]:
    named = list(dict.fromkeys(each.strip() for each in arms.split(",") if each.strip()))
    for each in named:
        if each not in VARIANTS:
            raise InvalidInput("--arms", f"{each[:40]!r} is unknown; name some of {', '.join(VARIANTS)}")
        # refused before anything is loaded
    if not named:
        raise InvalidInput("--arms", f"name some of {', '.join(VARIANTS)}")
    return named


def _following(corpora: Sequence[Corpus]) -> dict[int, int]:
    """Return for each corpus of a file of several the place of the one after it, of the last one the first."""
    places: dict[str, list[int]] = {}
    for place, corpus in enumerate(corpora):
        places.setdefault(corpus.file, []).append(place)
    following = {
        own: of_file[(number + 1) % len(of_file)]
        for of_file in places.values()
        if len(of_file) > 1
        for number, own in enumerate(of_file)
    }
    if not following:
        raise InvalidInput("--off-topic", "needs a file with at least two banks; give one, or leave the option out")
    return following


def _variant(
    arms: str, asked: Sequence[Asked], astray: Sequence[Asked], *, explain: bool, earlier: Earlier | None
) -> VariantAnswer:
    milliseconds = [each.seconds * 1_000 for each in asked] or [0.0]
    return VariantAnswer(
        arms=arms,
        queries=len(asked),
        unanswerable=sum(each.turn is None for each in asked),
        nothing=_share([not each.hits for each in asked]),
        weak=_share([ranking.is_weak([hit.recalled.evidence for hit in each.hits]) for each in asked]),
        p50_ms=round(evaluation.percentile(milliseconds, 0.5), 3),
        p95_ms=round(evaluation.percentile(milliseconds, 0.95), 3),
        turn=_scores([(each.question.category, each.turn) for each in asked if each.turn is not None]),
        session=_scores([(each.question.category, each.session) for each in asked if each.session is not None]),
        off_topic=OffTopicAnswer(
            queries=len(astray),
            nothing=_share([not each.hits for each in astray]),
            weak=_share([ranking.is_weak([hit.recalled.evidence for hit in each.hits]) for each in astray]),
        )
        if astray
        else None,
        against=earlier.compared(
            arms,
            {(each.corpus, each.question.id, each.question.text): each.turn for each in asked if each.turn is not None},
        )
        if earlier is not None
        else None,
        explained=[_explained(each) for each in asked] if explain else None,
    )


def _scores(measured: Sequence[tuple[str, Measures]]) -> list[ScoreAnswer]:
    if not measured:
        return []
    categories = sorted({category for category, _ in measured})
    rows = [("overall", [each for _, each in measured])]
    if len(categories) > 1:
        rows += [(name, [each for category, each in measured if category == name]) for name in categories]
    return [_score(name, own) for name, own in rows]


def _score(category: str, measured: Sequence[Measures]) -> ScoreAnswer:
    mean = evaluation.mean(measured)
    return ScoreAnswer(
        category=category,
        queries=len(measured),
        any=[round(each, 4) for each in mean.any],
        recall=[round(each, 4) for each in mean.recall],
        all=[round(each, 4) for each in mean.all],
        mrr=round(mean.mrr, 4),
        ndcg_at_10=round(mean.ndcg, 4),
    )


def _explained(asked: Asked) -> ExplainedAnswer:
    return ExplainedAnswer(
        bank=asked.corpus,
        query=asked.question.id,
        text=asked.question.text,
        category=asked.question.category,
        relevant=asked.ranks,
        figures=None if asked.turn is None else comparison.figures(asked.turn),
        milliseconds=round(asked.seconds * 1_000, 3),
        top=[
            HitAnswer(
                document=hit.document,
                score=None if hit.recalled.score is None else round(hit.recalled.score, 6),
                arms=[
                    ArmAnswer(arm=each.arm, rank=each.rank, score=round(each.score, 6)) for each in hit.recalled.arms
                ],
            )
            for hit in asked.hits[:EXPLAINED_HITS]
        ],
    )


def _share(held: Sequence[bool]) -> float:
    return round(sum(held) / len(held), 4) if held else 0.0


def readable(answer: EvaluationAnswer) -> Iterator[str]:
    """Yield an answer line by line."""
    for variant in answer.variants:
        if variant.explained is not None:
            yield from (line for each in variant.explained for line in _explanation(variant.arms, each))
            yield ""
    yield (
        f"{answer.documents} documents in {answer.banks} banks, {answer.variants[0].queries} queries, "
        f"{answer.variants[0].unanswerable} of them without a relevant document; {answer.limit} notes asked for; "
        f"{answer.model}"
    )
    for level in ("turn", "session"):
        tables = [(each.arms, each.turn if level == "turn" else each.session) for each in answer.variants]
        if any(rows for _, rows in tables):
            yield from ("", *_table(level, tables))
    yield ""
    for each in answer.variants:
        yield (
            f"{each.arms:<8}  search p50 {each.p50_ms:.1f} ms, p95 {each.p95_ms:.1f} ms; "
            f"nothing {each.nothing:.1%}, weak {each.weak:.1%}"
        )
        if each.off_topic is not None:
            yield (
                f"{'':<8}  off topic ({each.off_topic.queries} queries): nothing {each.off_topic.nothing:.1%}, "
                f"weak {each.off_topic.weak:.1%}"
            )
    for each in answer.variants:
        if each.against is not None:
            yield from ("", *comparison.lines(each.arms, each.against))
    yield ""
    yield from (f"{name}: {meaning}" for name, meaning in answer.definitions.items())
    yield from answer.setting


def _table(level: str, tables: Sequence[tuple[str, Sequence[ScoreAnswer]]]) -> Iterator[str]:
    width = max(len(row.category) for _, rows in tables for row in rows)
    heads = "".join(f" {head:>9}" for head in comparison.MEASURES)
    yield f"{level:<8}  {'':<{width}} {'queries':>7}{heads}"
    for arms, rows in tables:
        for row in rows:
            figures = "".join(f" {each:>9.3f}" for each in row.values)
            yield f"{arms:<8}  {row.category:<{width}} {row.queries:>7}{figures}"


def _explanation(arms: str, each: ExplainedAnswer) -> Iterator[str]:
    ranks = ", ".join(f"{document} at {rank or '-'}" for document, rank in each.relevant.items())
    yield f"{arms}  {each.bank} {each.query} [{each.category}] {each.text}"
    yield f"    relevant: {ranks or 'none'}"
    for place, hit in enumerate(each.top, start=1):
        found = ", ".join(f"{arm.arm} {arm.rank} ({arm.score:.3f})" for arm in hit.arms)
        score = "" if hit.score is None else f"{hit.score:.3f}  "
        mark = "*" if each.relevant.get(hit.document) == place else " "
        yield f"    {place}{mark} {hit.document}  {score}{found}"


COMMANDS = {"eval": evaluate}
