"""Texts to measure with: turns of the LoCoMo development set where it lies beside the checkout, else made-up ones."""

import json
import random
from pathlib import Path

LOCOMO = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval" / "locomo-dev.jsonl"
_WORDS = (
    *("meeting", "release", "customer", "invoice", "garden", "bicycle", "piano"),
    *("budget", "server", "database", "travel", "recipe", "coffee"),
)


def conversation_turns(count: int) -> list[str]:
    """Return `count` different texts of about 30 words each."""
    if not LOCOMO.is_file():
        draw = random.Random(1)
        return [f"{n}: {' '.join(draw.choices(_WORDS, k=30))}" for n in range(count)]
    lines = LOCOMO.read_text(encoding="utf-8").splitlines()
    turns = [document["text"] for line in lines for document in json.loads(line)["documents"]]
    rounds = range(-(-count // len(turns)))
    return [turn if again == 0 else f"{turn} ({again})" for again in rounds for turn in turns][:count]
