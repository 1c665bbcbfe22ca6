"""What services need of an embedding model."""

from collections.abc import Sequence
from typing import Protocol

from numpy import float32
from numpy.typing import NDArray

from memory_bank.errors import ProviderUnavailable

_PLAIN = "a plain text"


class Embedder(Protocol):
    """Turns text into L2-normalised vectors; waits for a model that is still loading."""

    @property
    def name(self) -> str:
        """The model's name, as recorded with the vectors it made."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...

    async def embed_query(self, text: str) -> NDArray[float32]:
        """Return one vector, shape (dimensions,); raises `ProviderUnavailable`."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> list[NDArray[float32]]:
        """Return the vectors of each text's windows, shape (windows, dimensions); raises `ProviderUnavailable`."""
        ...

    def pieces(self, text: str) -> int | None:
        """Return how many pieces of its vocabulary the model makes of a text; None where that is unknown."""
        ...


async def each(embedder: Embedder, texts: Sequence[str]) -> list[NDArray[float32] | ProviderUnavailable]:
    """Return for each text its windows' vectors, or why the model gives none for it: one must not cost the others.

    Raises `ProviderUnavailable` while the model gives none for any text.
    """
    try:
        return list(await embedder.embed_documents(texts))
    except ProviderUnavailable:
        # is it away, or is it one of the texts?
        await embedder.embed_documents([_PLAIN])
    return [await _alone(embedder, text) for text in texts]


async def _alone(embedder: Embedder, text: str) -> NDArray[float32] | ProviderUnavailable:
    try:
        (windows,) = await embedder.embed_documents([text])
    except ProviderUnavailable as error:
        return error
    return windows
