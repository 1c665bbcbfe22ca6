"""What services and doors count and time; where the figures go is the affair of whoever composes them."""

from enum import StrEnum
from typing import Protocol


class Enriched(StrEnum):
    """What became of an attempt to enrich a note."""

    DONE = "done"
    RETRIED = "retried"
    FAILED = "failed"


class Reason(StrEnum):
    """Why the enrichment of a note was given up: attempts used up, the model or key refused, or a fault of ours."""

    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    UNEXPECTED = "unexpected"


class Outcome(StrEnum):
    """How a tool call ended: answered, refused by an error that the caller can act on, or failed unexpectedly."""

    OK = "ok"
    REFUSED = "refused"
    FAILED = "failed"


class Metrics(Protocol):
    """Takes figures. Every text given here is one of a few that this product knows, never a caller's."""

    def enriched(self, outcome: Enriched, *, reason: Reason | None = None) -> None:
        """Count an attempt to enrich a note; `reason` where it failed for good."""
        ...

    def embedded(self, kind: str, *, texts: int, seconds: float) -> None:
        """Count a call of the embedding model for `texts` of this kind (`query`, `documents`)."""
        ...

    def looked_up(self, *, hit: bool) -> None:
        """Count a query that was looked for among those embedded before."""
        ...

    def tool_called(self, tool: str, outcome: Outcome, *, error: str, seconds: float) -> None:
        """Count a tool call; `error` is the type of the refusal, empty where there was none."""
        ...


class Unmeasured:
    """Counts nothing: for processes that nobody asks for figures."""

    def enriched(self, outcome: Enriched, *, reason: Reason | None = None) -> None:
        """Do nothing."""

    def embedded(self, kind: str, *, texts: int, seconds: float) -> None:
        """Do nothing."""

    def looked_up(self, *, hit: bool) -> None:
        """Do nothing."""

    def tool_called(self, tool: str, outcome: Outcome, *, error: str, seconds: float) -> None:
        """Do nothing."""
