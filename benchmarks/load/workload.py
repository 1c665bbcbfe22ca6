"""What the clients ask for: adds of texts that nothing else holds, and searches, in an order that the seed decides."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks import texts
from benchmarks.crashes.ledger import Ledger

TURNS = 2_000
ADD, SEARCH = "add_memory_note", "search_memory_notes"
BATCH = 100


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A tool call to be made; `text` is the note to add, or the query."""

    tool: str
    text: str

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the call."""
        return {"content" if self.tool == ADD else "context": self.text}


@dataclass(kw_only=True)
class Workload:
    """Operations without end, of which the share `adds` are adds; `ledger` knows what was asked and acknowledged."""

    seed: int
    adds: float
    ledger: Ledger = field(init=False)

    def __post_init__(self) -> None:
        """Draw from the seed alone, so that two runs ask the same."""
        self._draw = random.Random(self.seed)
        self._turns = texts.conversation_turns(TURNS)
        self._made = 0
        self.ledger = Ledger(draw=self._draw)

    def next(self) -> Operation:
        """Return the next operation of the mix."""
        return self.add() if self._draw.random() < self.adds else self.search()

    def add(self) -> Operation:
        """Return the add of another note."""
        return Operation(tool=ADD, text=self._text())

    def search(self) -> Operation:
        """Return a search for some words of a conversation; hardly any two are the same."""
        words = self._draw.choice(self._turns).split()
        length = self._draw.randint(4, 9)
        start = self._draw.randint(0, max(0, len(words) - length))
        return Operation(tool=SEARCH, text=" ".join(words[start : start + length]))

    def batches(self, notes: int) -> Iterator[list[str]]:
        """Return the texts to begin with, in batches."""
        for start in range(0, notes, BATCH):
            yield [self._text() for _ in range(min(BATCH, notes - start))]

    def gap(self, rate: float) -> float:
        """Return the seconds to the next arrival of callers who do not know of each other, `rate` a second."""
        return self._draw.expovariate(rate)

    def _text(self) -> str:
        self._made += 1
        text = f"{self._turns[self._made % len(self._turns)]} (entry {self._made})"
        self.ledger.asked[text] += 1
        return text
