"""What services need of an embedding model."""

from collections.abc import Sequence
from typing import Protocol

from numpy import float32
from numpy.typing import NDArray


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
