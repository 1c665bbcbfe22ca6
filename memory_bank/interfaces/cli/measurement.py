"""`memory-bank bench`: how fast notes are added and found, beside the bare model and a hand-written query."""

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from memory_bank.domain import evaluation, text
from memory_bank.domain.notes import BATCH_LIMIT, CONTENT_LIMIT, When, checked_content
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import retrieval_sets
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.cli import throwaway
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show, waited
from memory_bank.services import measurement
from memory_bank.services.measurement import RESULTS, Ingested, Searched

SAMPLE = 1_000
"""Notes that are embedded by the model where the others get synthetic vectors."""

SINGLES = 200
"""Notes that are added one by one in each way, unless there are fewer in all."""

QUERY_SOURCES = 2_000
DEFINITIONS = {
    "ingest": "notes a second added in batches of up to 500, embedded, stored and queued, not enriched; "
    "beside it the model alone embedding the same texts, batch by batch in turn",
    "queued, inline": f"notes a second added each by a call of its own, once the searches are done, up to {SINGLES} in "
    "each way, the ways in turn; beside each note the model alone embedding the same text",
    "queued": "embedded and stored, keywords and links left to the queue",
    "inline": "answered with keywords and links, as a single add is",
    "search": f"recall of {RESULTS} notes in process, one query at a time, each a new one",
    "embedding": "the model alone embedding that query, before it is searched for",
    "pgvector": f"SELECT ... ORDER BY embedding <=> query LIMIT {RESULTS} in the same bank of the same table, "
    "in a transaction of its own, in turn before and after the search",
    "p50, p95": "nearest rank over the queries; a ratio is of the medians",
}


class RateAnswer(Answer):
    """How fast notes were added, beside the bare model on the same texts; `notes` are those of the comparison."""

    notes: int
    notes_per_second: float
    embedder_texts_per_second: float
    ratio_to_embedder: float


class IngestAnswer(RateAnswer):
    """How fast notes were added in batches, and those with synthetic vectors, which are compared with nothing."""

    synthetic_notes: int
    synthetic_notes_per_second: float | None = None


class OneByOneAnswer(Answer):
    """Both ways of adding a single note."""

    queued: RateAnswer
    inline: RateAnswer


class SpreadAnswer(Answer):
    """Milliseconds."""

    p50_ms: float
    p95_ms: float


class SearchAnswer(Answer):
    """How long searches took; ratios are of medians."""

    queries: int
    mean_results: float
    search: SpreadAnswer
    embedding: SpreadAnswer
    pgvector: SpreadAnswer
    ratio_to_embedder: float
    ratio_to_pgvector: float
    ratio_to_embedder_and_pgvector: float


class BenchAnswer(Answer):
    """What was measured, and the figures."""

    notes: int
    banks: int
    model: str
    database: str
    texts: str
    synthetic_vectors: bool
    definitions: dict[str, str]
    ingest: IngestAnswer
    one_by_one: OneByOneAnswer
    search: SearchAnswer


@click.command()
@click.option("--notes", type=click.IntRange(1, 10_000_000), default=2_000, show_default=True, help="Notes in all.")
@click.option(
    "--banks", type=click.IntRange(1, 1_000), default=1, show_default=True, help="Banks they are spread over."
)
@click.option("--queries", type=click.IntRange(1, 10_000), default=100, show_default=True, help="Searches to time.")
@click.option(
    "--texts",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Instead of made-up texts: the lines of a .txt file, a note each, or the documents of a retrieval set.",
)
@click.option(
    "--synthetic-vectors", is_flag=True, help=f"Random unit vectors for all notes but the first {SAMPLE}: for large N."
)
@json_option
@click.pass_obj
def bench(
    invocation: Invocation,
    /,
    notes: int,
    banks: int,
    queries: int,
    texts: Path | None,
    synthetic_vectors: bool,
    as_json: bool,
) -> None:
    """Measure adding and searching at a size, in a throw-away place, beside what they cannot be faster than."""
    source = _texts(texts)

    async def work() -> BenchAnswer:
        async with throwaway.place(invocation) as place:
            names = [place.bank() for _ in range(min(banks, notes))]
            with click.progressbar(length=notes, label="Adding", file=sys.stderr) as bar:
                ingest, sample = await ingest_notes(
                    place, names, source, notes=notes, synthetic=synthetic_vectors, progress=bar.update
                )
            searched = await time_searches(place, names, sample, queries=queries)
            # last, so that searches meet as many notes as were asked for
            singly = await ingest_singles(place, names, source, notes=min(notes, SINGLES))
            return BenchAnswer(
                notes=notes,
                banks=len(names),
                model=place.embedder.name,
                database=await place.app.maintenance.server(),
                texts="made-up texts of 20 to 30 words" if texts is None else str(texts),
                synthetic_vectors=synthetic_vectors,
                definitions=DEFINITIONS,
                ingest=ingest,
                one_by_one=singly,
                search=searched,
            )

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: "\n".join(_lines(answer)))


async def ingest_notes(
    place: throwaway.Place,
    banks: Sequence[str],
    source: Iterator[str],
    *,
    notes: int,
    synthetic: bool,
    progress: Callable[[int], None],
) -> tuple[IngestAnswer, list[str]]:
    """Add notes, spread evenly over the banks, those past `SAMPLE` with random vectors if `synthetic`.

    Returns the figures, and texts to make queries of.
    """
    service = place.app.measurement
    await place.embedder.embed_query("warm up")
    embedded = min(notes, SAMPLE) if synthetic else notes
    real: list[Ingested] = []
    chance: list[tuple[int, float]] = []
    sample: list[str] = []
    turns = itertools.cycle(banks)
    # every bank gets its share, however few notes there are
    size = max(1, min(BATCH_LIMIT, embedded // len(banks)))
    for batch in measurement.batches(source, embedded, size=size):
        sample += batch[: QUERY_SOURCES - len(sample)]
        real.append(await service.ingest(next(turns), batch))
        progress(len(batch))
    place.embedder.synthetic = True
    for batch in measurement.batches(source, notes - embedded):
        chance.append((len(batch), await service.add(next(turns), batch)))
        progress(len(batch))
    place.embedder.synthetic = False
    for bank in banks:
        await service.require_vectors(bank)
    return _ingested(real, chance), sample


def _ingested(real: Sequence[Ingested], chance: Sequence[tuple[int, float]]) -> IngestAnswer:
    others = sum(count for count, _ in chance)
    return IngestAnswer(
        **_rate(real).model_dump(),
        synthetic_notes=others,
        synthetic_notes_per_second=round(others / sum(seconds for _, seconds in chance), 1) if chance else None,
    )


async def ingest_singles(
    place: throwaway.Place, banks: Sequence[str], source: Iterator[str], *, notes: int
) -> OneByOneAnswer:
    """Add `notes` notes one by one in each way, the ways and the banks in turn."""
    service = place.app.measurement
    measured: dict[When, list[Ingested]] = {When.QUEUED: [], When.INLINE: []}
    for when in measured:
        # what is made once is made here
        await service.ingest_one(banks[0], next(source), when=when)
    with click.progressbar(length=notes, label="Adding one by one", file=sys.stderr) as bar:
        for bank in itertools.islice(itertools.cycle(banks), notes):
            for when, each in measured.items():
                each.append(await service.ingest_one(bank, next(source), when=when))
            bar.update(1)
    for bank in banks:
        await service.require_vectors(bank)
    return OneByOneAnswer(queued=_rate(measured[When.QUEUED]), inline=_rate(measured[When.INLINE]))


def _rate(measured: Sequence[Ingested]) -> RateAnswer:
    notes = sum(each.notes for each in measured)
    adding, embedding = sum(each.adding for each in measured), sum(each.embedding for each in measured)
    return RateAnswer(
        notes=notes,
        notes_per_second=round(notes / adding, 1),
        embedder_texts_per_second=round(notes / embedding, 1),
        ratio_to_embedder=round(embedding / adding, 3),
    )


async def time_searches(
    place: throwaway.Place, banks: Sequence[str], sample: Sequence[str], *, queries: int
) -> SearchAnswer:
    """Search `queries` times, the banks in turn, for words of the sample."""
    service = place.app.measurement
    await service.warm_up(banks[0])
    asked = list(zip(measurement.made_up_queries(sample, queries), itertools.cycle(banks), strict=False))
    with click.progressbar(asked, label="Searching", file=sys.stderr) as bar:
        return _searched(
            [
                await service.search(bank, text, baseline_first=number % 2 == 0)
                for number, (text, bank) in enumerate(bar)
            ]
        )


def _searched(measured: Sequence[Searched]) -> SearchAnswer:
    search = _spread([each.search for each in measured])
    embedding = _spread([each.embedding for each in measured])
    pgvector = _spread([each.baseline for each in measured])
    return SearchAnswer(
        queries=len(measured),
        mean_results=round(sum(each.found for each in measured) / len(measured), 2),
        search=search,
        embedding=embedding,
        pgvector=pgvector,
        ratio_to_embedder=_ratio(search, embedding.p50_ms),
        ratio_to_pgvector=_ratio(search, pgvector.p50_ms),
        ratio_to_embedder_and_pgvector=_ratio(search, embedding.p50_ms + pgvector.p50_ms),
    )


def _spread(seconds: Sequence[float]) -> SpreadAnswer:
    return SpreadAnswer(
        p50_ms=round(evaluation.percentile(seconds, 0.5) * 1_000, 3),
        p95_ms=round(evaluation.percentile(seconds, 0.95) * 1_000, 3),
    )


def _ratio(spread: SpreadAnswer, milliseconds: float) -> float:
    # the clock may be too coarse for a model that does nothing
    return round(spread.p50_ms / max(milliseconds, 0.001), 3)


def _texts(file: Path | None) -> Iterator[str]:
    """Return texts without end: those of a file, again with a number when they are used up, or made-up ones."""
    if file is None:
        return measurement.made_up_texts()
    given = list(dict.fromkeys(_lines_of(file) if file.suffix == ".txt" else _documents_of(file)))
    return (_numbered(content, again) if again else content for again in itertools.count() for content in given)


def _numbered(content: str, again: int) -> str:
    number = f" ({again})"
    # the longest text that a note may have has no room for it
    return content[: CONTENT_LIMIT - len(number)] + number


def _documents_of(file: Path) -> Iterator[str]:
    return (each.text for corpus in retrieval_sets.read(file) for each in corpus.documents)


def _lines_of(file: Path) -> list[str]:
    """Return the lines of a text file that are not blank.

    Raises `InvalidInput` where there are none, and naming the line that no note can hold.
    """
    try:
        # not splitlines, which breaks at separators that may stand within a text and that no editor counts as lines
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError) as error:
        raise InvalidInput(str(file), f"cannot be read as UTF-8: {error}; save it as UTF-8 text") from error
    held = {number: line for number, line in enumerate(lines, start=1) if not text.is_blank(text.storable(line))}
    if not held:
        raise InvalidInput(str(file), "holds no text; write a note in each line")
    for number, line in held.items():
        try:
            checked_content(line)
        except InvalidInput as error:
            raise InvalidInput(f"{file}:{number}", error.problem) from error
    return list(held.values())


def _lines(answer: BenchAnswer) -> Iterator[str]:
    ingest, search = answer.ingest, answer.search
    yield f"{answer.notes} notes in {answer.banks} banks, {answer.texts}; {answer.model}; {answer.database}"
    if answer.synthetic_vectors:
        yield f"{ingest.synthetic_notes} of them have synthetic vectors: random, so close to no query"
    yield ""
    yield _line("ingest", ingest)
    if ingest.synthetic_notes_per_second is not None:
        yield f"           {ingest.synthetic_notes_per_second:>8.0f} notes/s with synthetic vectors"
    yield _line("queued", answer.one_by_one.queued)
    yield _line("inline", answer.one_by_one.inline)
    yield ""
    yield f"{search.queries} queries, {search.mean_results:.1f} notes found by each on average"
    yield f"{'':<10} {'p50 ms':>8} {'p95 ms':>8}"
    rows = {"search": search.search, "embedding": search.embedding}
    for name, spread in {**rows, "pgvector": search.pgvector}.items():
        yield f"{name:<10} {spread.p50_ms:>8.2f} {spread.p95_ms:>8.2f}"
    yield (
        f"search / embedding {search.ratio_to_embedder:.2f}, search / pgvector {search.ratio_to_pgvector:.2f}, "
        f"search / (embedding + pgvector) {search.ratio_to_embedder_and_pgvector:.2f}"
    )
    yield ""
    yield from (f"{name}: {meaning}" for name, meaning in answer.definitions.items())


def _line(name: str, rate: RateAnswer) -> str:
    return (
        f"{name:<10} {rate.notes_per_second:>8.0f} notes/s   bare embedder {rate.embedder_texts_per_second:.0f} "
        f"texts/s   {rate.ratio_to_embedder:.0%} of it   ({rate.notes} notes)"
    )


COMMANDS = {"bench": bench}
