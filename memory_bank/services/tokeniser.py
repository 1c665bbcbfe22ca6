"""What services need of a tokeniser."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class Tokeniser(Protocol):
    """Turns text into the terms of the lexical index; the same text always gives the same terms."""

    @property
    def name(self) -> str:
        """The rule and its version, as recorded with the notes it was applied to."""
        ...

    def terms(self, text: str) -> Mapping[str, int]:
        """Return how often each term occurs in a note's text."""
        ...

    def query_terms(self, text: str) -> Sequence[str]:
        """Return the distinct terms to look for."""
        ...
