"""What clients asked for, and what was acknowledged: all that may and must be in the store."""

import random
from collections import Counter
from dataclasses import dataclass, field

_WORDS = (
    *("harbour", "lighthouse", "invoice", "garden", "bicycle", "piano", "budget", "server", "recipe", "coffee"),
    *("meeting", "release", "customer", "travel", "winter", "glacier", "violin", "lantern", "orchard", "compass"),
)


@dataclass(kw_only=True)
class Ledger:
    """Everything that clients tried, by the words that tell it from all else.

    `asked` holds what was sent, whether it was answered or not; the other fields what was answered with success.
    """

    draw: random.Random
    asked: Counter[str] = field(default_factory=Counter)
    notes: dict[str, str] = field(default_factory=dict)
    """Ids by content."""
    deleting: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    tags: dict[str, str] = field(default_factory=dict)
    """Tags by content, of notes that are not deleted."""
    facts: dict[str, str] = field(default_factory=dict)
    """Things by what is known of them."""
    relations: Counter[str] = field(default_factory=Counter)
    """Statements by thing."""
    tasks: dict[str, str] = field(default_factory=dict)
    """Ids by title."""
    finishing: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    events: set[str] = field(default_factory=set)
    refused: int = 0
    answered: int = 0

    def token(self) -> str:
        """Return a word that nothing else holds."""
        return "".join(self.draw.choices("bcdfghjklmnpqrstvwxz", k=12))

    def text(self) -> str:
        """Return a text that nothing else holds."""
        return f"{self.token()} {' '.join(self.draw.choices(_WORDS, k=12))}"

    @property
    def acknowledged(self) -> int:
        """Return how many writes were answered with success."""
        kept = (self.notes, self.deleted, self.tags, self.facts, self.tasks, self.finished, self.events)
        return sum(map(len, kept)) + self.relations.total()
