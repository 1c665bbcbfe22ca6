"""What services need of a tokeniser."""

from collections.abc import Mapping
from typing import Protocol

from memory_bank.domain.bm25 import Asked


class Tokeniser(Protocol):
    """Turns text into the terms of the lexical index; the same text always gives the same terms."""

    @property
    def name(self) -> str:
        """The rule and its version, as recorded with the notes it was applied to."""
        ...

    def terms(self, text: str) -> Mapping[str, int]:
        """Return how often each term occurs in a note's text."""
        ...

    def asked(self, text: str) -> Asked:
        """Return the words that a query asks for."""
        ...
