"""Stand-ins for the world outside: an embedder, an analyst and a clock that tests command."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy import float32
from numpy.typing import NDArray

from memory_bank.domain import analysis
from memory_bank.domain.analysis import Analysis
from memory_bank.domain.links import Candidate, Judgement, LinkOrigin, LinkType
from memory_bank.errors import ProviderUnavailable
from memory_bank.providers.embedding import State

DIMENSIONS = 384
WINDOW_WORDS = 200


class FakeEmbedder:
    """Embeds a text as the sum of directions that its words own: texts with common words lie close together."""

    def __init__(self, *, name: str = "words", dimensions: int = DIMENSIONS) -> None:
        self.name = name
        self.dimensions = dimensions
        self.down = False
        self.embedded: list[str] = []
        self.state = State.READY
        self.problem: str | None = None
        self.released = asyncio.Event()
        self.released.set()

    def start(self) -> None:
        """Nothing to load."""

    async def wait_ready(self) -> None:
        """Be ready."""

    async def close(self) -> None:
        """Nothing to close."""

    async def embed_query(self, text: str) -> NDArray[float32]:
        (windows,) = await self.embed_documents([text])
        vector: NDArray[float32] = windows[0]
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> list[NDArray[float32]]:
        await self.released.wait()
        if self.down:
            raise ProviderUnavailable("the embedder is down; try again")
        self.embedded += texts
        return [self._windows(text) for text in texts]

    def pieces(self, text: str) -> int | None:
        return None

    def _windows(self, text: str) -> NDArray[float32]:
        words = re.findall(r"\w+", text.casefold()) or [text]
        parts = [words[start : start + WINDOW_WORDS] for start in range(0, len(words), WINDOW_WORDS)]
        return np.stack([self._vector(part) for part in parts])

    def _vector(self, words: Sequence[str]) -> NDArray[float32]:
        total = np.sum([self._direction(word) for word in words], axis=0)
        vector: NDArray[float32] = (total / np.linalg.norm(total)).astype(float32)
        return vector

    def _direction(self, word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(f"{self.name} {word}".encode()).digest()[:8])
        return np.random.default_rng(seed).standard_normal(self.dimensions)


class FakeAnalyst:
    """Calls every word of more than four letters a keyword and links every candidate it is offered."""

    def __init__(self, *, origin: LinkOrigin = LinkOrigin.LLM) -> None:
        self.origin = origin
        self.failure: Exception | None = None
        self.released = asyncio.Event()
        self.released.set()
        self.judged: list[tuple[str, tuple[str, ...]]] = []
        self.analysed: list[str] = []

    async def analyse(self, content: str) -> Analysis:
        await self.released.wait()
        if self.failure is not None:
            raise self.failure
        self.analysed.append(content)
        words = [word for word in re.findall(r"\w+", content) if len(word) > 4]
        return analysis.bounded(keywords=words, context=f"About {content[:40]}", tags=words[:3], origin=self.origin)

    async def judge(self, content: str, candidates: Sequence[Candidate]) -> list[Judgement]:
        if self.failure is not None:
            raise self.failure
        self.judged.append((content, tuple(each.content for each in candidates)))
        return [
            Judgement(
                target_id=each.id,
                type=LinkType.SHARED_CONTEXT,
                explanation=f"Both speak of the same; similarity {each.similarity:.2f}.",
                origin=self.origin,
                confidence=0.5,
            )
            for each in candidates
        ]


class FakeClock:
    """Stands still until a test moves it."""

    def __init__(self, moment: datetime = datetime(2026, 3, 10, 3, 15, tzinfo=UTC)) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def advance(self, **duration: float) -> None:
        self.moment += timedelta(**duration)
