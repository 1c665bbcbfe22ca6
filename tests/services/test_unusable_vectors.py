"""A model that gives nonsense for some texts: they are kept, found by their words, and cost the others nothing."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_bank.bootstrap import Parts, open_app
from memory_bank.domain import recall
from memory_bank.domain.filters import Filter
from memory_bank.domain.notes import Draft
from memory_bank.providers.embedding import Embedder
from memory_bank.settings import Settings
from tests.fakes import DIMENSIONS, FakeAnalyst, FakeClock, FakeEmbedder

NONSENSE = {"zeros": 0.0, "nothing": math.nan, "endless": math.inf, "dust": 1e-30}
"""Values of the vectors of the texts that hold these words."""


class Encoder:
    """Encodes as the fake embedder does, but for the texts that name nonsense, until it is mended."""

    name, dimensions = "words", DIMENSIONS

    def __init__(self) -> None:
        self.mended = False
        self._sound = FakeEmbedder()

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        return [self._rows(text) for text in texts]

    def pieces(self, text: str) -> int | None:
        return None

    def _rows(self, text: str) -> NDArray[np.float32]:
        rows = self._sound._windows(text)
        for word, value in NONSENSE.items():
            if word in text and not self.mended:
                rows[:] = value
        return rows


@pytest.fixture
def encoder() -> Encoder:
    return Encoder()


@pytest.fixture
def parts(encoder: Encoder) -> Parts:
    embedder = Embedder(lambda: encoder, name="words", dimensions=DIMENSIONS, wait_seconds=30)
    return Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())


SOUND = [f"a sound note about harbour number{n}" for n in range(3)]
BROKEN = [f"a note about harbour of {word}" for word in NONSENSE]


@pytest.mark.parametrize("together", [True, False])
async def test_only_what_has_no_direction_stays_without_a_vector_and_words_find_it(
    loaded: Settings, parts: Parts, encoder: Encoder, together: bool
) -> None:
    async with open_app(loaded, parts=parts) as app:
        for drafts in [[*BROKEN, *SOUND]] if together else [[each] for each in (*BROKEN, *SOUND)]:
            outcomes = await app.notes.add_all("default", [Draft(content=each) for each in drafts])
            assert all(each.error is None for each in outcomes)
        page = await app.notes.browse("default", wanted=Filter(), limit=50)
        ids = [each.note.id for each in page.notes]
        await app.enrichment.enrich_now("default", ids)
        (state,) = (await app.maintenance.state()).banks
        assert (state.notes, state.unembedded) == (len(SOUND) + len(BROKEN), len(BROKEN))
        left = (await app.maintenance.work_left()).notes
        assert (left.failed, left.unembedded) == (0, len(BROKEN))

        for text in ("harbour number1", "sound note about harbour"):
            found = await app.recall.search("default", recall.Query(text=text, limit=50))
            contents = [each.note.content for each in found]
            assert set(contents[: len(SOUND)]) == set(SOUND)
            assert all(each.score is not None and math.isfinite(each.score) for each in found)
        for word, content in zip(NONSENSE, BROKEN, strict=True):
            found = await app.recall.search("default", recall.Query(text=word))
            assert [each.note.content for each in found] == [content]

        encoder.mended = True
        await app.enrichment.enrich_now("default", ids)
        assert (await app.maintenance.state()).banks[0].unembedded == 0


async def test_embedding_anew_ends_though_some_notes_get_no_vector(
    loaded: Settings, parts: Parts, encoder: Encoder
) -> None:
    async with open_app(loaded, parts=parts) as app:
        await app.notes.add_all("default", [Draft(content=each) for each in (*SOUND, *BROKEN)])
        told: list[tuple[int, int]] = []
        await app.maintenance.reindex(lambda done, total: told.append((done, total)))
        (state,) = (await app.maintenance.state()).banks
        assert (state.notes, state.unembedded) == (len(SOUND) + len(BROKEN), len(BROKEN))
        await app.maintenance.check_model()
        encoder.mended = True
        assert await app.maintenance.reindex(lambda done, total: None) == len(BROKEN)
        assert (await app.maintenance.state()).banks[0].unembedded == 0
