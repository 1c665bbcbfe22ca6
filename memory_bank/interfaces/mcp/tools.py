"""Tools: one table for every transport, so that none of them can differ."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from mcp import types

from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.arguments import InBank
from memory_bank.interfaces.mcp import schemas

if TYPE_CHECKING:
    from memory_bank.bootstrap import App

AskedT = TypeVar("AskedT", bound=InBank)
AnswerT = TypeVar("AnswerT", bound=Answer)


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[AskedT, AnswerT]):
    """One operation as agents see it; the description tells a model when to use it."""

    name: str
    title: str
    description: str
    arguments: type[AskedT]
    answer: type[AnswerT]
    run: "Callable[[App, AskedT], Awaitable[AnswerT]]"
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False

    def definition(self) -> types.Tool:
        """Return what `tools/list` answers about this tool."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema={**schemas.plain(self.arguments, mode="validation"), "description": self.title},
            output_schema=schemas.plain(self.answer, mode="serialization"),
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=self.read_only,
                destructive_hint=self.destructive,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
        )
