"""Streams of a session, with something of ours around what the SDK gives."""

from types import TracebackType
from typing import Any, Self


class Around:
    """A stream around another one, which ends with it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
