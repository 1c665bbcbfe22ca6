"""Evaluation: asking the recall that everybody gets what a set of questions and answers says it should find."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from uuid import UUID

from memory_bank.domain import evaluation, notes, recall
from memory_bank.domain.evaluation import Corpus, Document, Measures, Question
from memory_bank.domain.notes import Draft
from memory_bank.domain.recall import Arm, Query, Recalled
from memory_bank.errors import InvalidInput
from memory_bank.services.embedder import Embedder
from memory_bank.services.measurement import MeasurementService
from memory_bank.services.notes import NoteService
from memory_bank.services.recall import RecallService

VARIANTS = {
    "vector": frozenset({Arm.VECTOR}),
    "lexical": frozenset({Arm.LEXICAL}),
    "hybrid": frozenset(Arm),
}
"""What can be compared: the arms that take part."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A corpus whose documents are notes of `bank`; documents of one text and session are one note.

    `document_of` names a note by the first of its documents, `name_of` says by which name each document goes.
    """

    corpus: Corpus
    bank: str
    document_of: dict[UUID, str] = field(default_factory=dict)
    name_of: dict[str, str] = field(default_factory=dict)
    session_of: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A returned note, by its document, and how it was found."""

    document: str
    recalled: Recalled


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question and what was answered; `ranks` has each relevant document, None where it was not returned."""

    corpus: str
    question: Question
    hits: tuple[Hit, ...]
    seconds: float
    ranks: dict[str, int | None]
    turn: Measures | None
    session: Measures | None


class EvaluationService:
    """Loads sets into banks of their own and asks their questions; never touches other banks."""

    def __init__(
        self, *, notes: NoteService, recall: RecallService, embedder: Embedder, measurement: MeasurementService
    ) -> None:
        self._notes = notes
        self._recall = recall
        self._embedder = embedder
        self._measurement = measurement

    async def load(self, bank: str, corpus: Corpus, *, progress: Callable[[int], None]) -> Loaded:
        """Add every document of a corpus as a note; `progress` gets the number of documents just added.

        Raises `InvalidInput` for a document that may not be a note, `ProviderUnavailable` without an embedding model.
        """
        # an add succeeds without a model; here that would measure something else
        await self._embedder.embed_query("Does the model answer?")
        loaded = Loaded(corpus=corpus, bank=bank)
        drafts = iter(list(zip(corpus.documents, _drafts(corpus.documents), strict=True)))
        while batch := list(islice(drafts, notes.BATCH_LIMIT)):
            outcomes = await self._notes.add_all(bank, [draft for _, draft in batch])
            for (document, _), outcome in zip(batch, outcomes, strict=True):
                if outcome.id is None:
                    raise InvalidInput(corpus.file, f"bank {corpus.name!r}, document {document.id!r}: {outcome.error}")
                name = loaded.document_of.setdefault(outcome.id, document.id)
                loaded.name_of[document.id] = name
                if document.session is not None:
                    loaded.session_of[name] = document.session
            progress(len(batch))
        await self._measurement.require_vectors(bank)
        return loaded

    async def ask(self, loaded: Loaded, question: Question, *, variants: Sequence[str], limit: int) -> dict[str, Asked]:
        """Ask a question once for each variant, by the same recall as every caller, and measure what comes back.

        The query is embedded once, and the time of that counted in where the vector arm takes part.
        """
        text = recall.checked(Query(text=question.text)).text
        started = time.perf_counter()
        await self._embedder.embed_query(text)
        embedding = time.perf_counter() - started
        asked = {}
        for variant in variants:
            arms = VARIANTS[variant]
            # forgetting off: a set's questions must not depend on when it is asked
            query = Query(text=text, limit=limit, include_forgotten=True, arms=arms)
            started = time.perf_counter()
            found = await self._recall.search(loaded.bank, query)
            seconds = time.perf_counter() - started + (embedding if Arm.VECTOR in arms else 0.0)
            asked[variant] = _judged(loaded, question, found, seconds=seconds)
        return asked

    async def remove(self, bank: str) -> None:
        """Remove a bank that `load` filled."""
        await self._measurement.remove(bank)


def _drafts(documents: Sequence[Document]) -> list[Draft]:
    places: dict[str, int] = {}
    drafts = []
    for document in documents:
        position = None
        if document.session is not None:
            position = places.get(document.session, 0)
            places[document.session] = position + 1
        drafts.append(
            Draft(content=document.text, session=document.session, position=position, timestamp=document.timestamp)
        )
    return drafts


def _judged(loaded: Loaded, question: Question, found: Sequence[Recalled], *, seconds: float) -> Asked:
    hits = tuple(
        Hit(document=loaded.document_of[each.note.id], recalled=each)
        for each in found
        if each.note.id in loaded.document_of
    )
    ranking = [hit.document for hit in hits]
    relevant = {loaded.name_of[each] for each in question.relevant if each in loaded.name_of}
    sessions = evaluation.sessions_of(sorted(relevant), session_of=loaded.session_of)
    ranked_sessions = evaluation.sessions_of(ranking, session_of=loaded.session_of)
    ranks = {document: rank for rank, document in enumerate(ranking, start=1)}
    return Asked(
        corpus=loaded.corpus.name,
        question=question,
        hits=hits,
        seconds=seconds,
        ranks={each: ranks.get(loaded.name_of.get(each, each)) for each in question.relevant},
        turn=evaluation.measures(ranking, relevant) if relevant else None,
        session=evaluation.measures(ranked_sessions, sessions) if sessions else None,
    )
