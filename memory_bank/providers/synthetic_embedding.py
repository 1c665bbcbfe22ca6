"""Random vectors in place of a model's, for stores too large to embed in a moment's time."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_bank.providers.embedding import State

SEED = 1


class Model(Protocol):
    """The embedder behind the random one."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def state(self) -> State: ...

    @property
    def problem(self) -> str | None: ...

    def start(self) -> None: ...

    async def wait_ready(self) -> None: ...

    async def embed_query(self, text: str) -> NDArray[np.float32]: ...

    async def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.float32]]: ...

    def pieces(self, text: str) -> int | None: ...

    async def close(self) -> None: ...


class SyntheticEmbedder:
    """Embeds queries by the model, and documents by chance while `synthetic` is set."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._random = np.random.default_rng(SEED)
        self.synthetic = False

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._model.dimensions

    @property
    def state(self) -> State:
        """How far the model's loading has come."""
        return self._model.state

    @property
    def problem(self) -> str | None:
        """Why the last load failed, if it did."""
        return self._model.problem

    def start(self) -> None:
        """Begin loading the model."""
        self._model.start()

    async def wait_ready(self) -> None:
        """Wait until the model is loaded."""
        await self._model.wait_ready()

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the model's vector of a query, shape (dimensions,)."""
        return await self._model.embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return for each text one vector of length 1, shape (1, dimensions), uniform in direction; or the model's."""
        if not self.synthetic:
            return await self._model.embed_documents(texts)
        rows = self._random.standard_normal((len(texts), 1, self.dimensions)).astype(np.float32)
        return list(rows / np.linalg.norm(rows, axis=2, keepdims=True))

    def pieces(self, text: str) -> int | None:
        """Return how many pieces of the model's vocabulary a text makes."""
        return self._model.pieces(text)

    async def close(self) -> None:
        """Give the model back."""
        await self._model.close()
