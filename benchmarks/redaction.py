"""Measure redaction: what share of realistic secrets it finds, whether it changes innocent texts, and how fast it is.

    python -m benchmarks.redaction [--errors] [--seeds N]

Both lists are made at run time (benchmarks/redaction_texts.py); texts of the development sets beside the checkout
count as innocent too, where they are. Prints recall by kind, innocent texts that were changed, and texts a second.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import redaction_texts
from benchmarks.redaction_texts import Case
from memory_bank.providers import secrets
from memory_bank.providers.secrets import SecretRedactor

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
_PIECE = 12
"""Characters of a secret that may not be left anywhere in the text."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure the redaction of secrets.")
    parser.add_argument("--errors", action="store_true", help="list what was missed and what was changed wrongly")
    parser.add_argument("--seeds", type=int, default=1, help="how many draws of the lists are measured")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for when in ("the first time", "from their cache"):
            begun = time.perf_counter()
            secrets.load(Path(folder))
            print(f"detectors loaded {when} in {time.perf_counter() - begun:.2f} s")
        redactor = SecretRedactor(Path(folder))
        redactor.redacted("")
        cases = [case for seed in range(given.seeds) for case in redaction_texts.cases(2 * seed + 1)]
        innocents = [text for seed in range(given.seeds) for text in redaction_texts.innocents(2 * seed + 2)]
        _secrets(redactor, cases, errors=given.errors)
        _innocents(redactor, innocents, "innocent texts", errors=given.errors)
        published = list(development_texts())
        if published:
            _innocents(redactor, published, "texts of the development sets", errors=given.errors)
        else:
            print("no development sets beside the checkout: only made-up texts were measured")


def is_gone(case: Case, text: str) -> bool:
    """Tell whether nothing of a case's secret is left in `text`, and all that stood around it is."""
    before, _, after = case.text.partition(case.secret)
    pieces = [case.secret[at : at + _PIECE] for at in range(0, max(len(case.secret) - _PIECE + 1, 1), _PIECE)]
    return not any(piece in text for piece in pieces) and text.startswith(before) and text.endswith(after)


def development_texts() -> Iterator[str]:
    """Return the texts of the retrieval sets beside the checkout, if they are there."""
    for path in sorted((_SHARED / "retrieval").glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield from (each["text"] for each in json.loads(line).get("documents", ()))


def _secrets(redactor: SecretRedactor, cases: Sequence[Case], *, errors: bool) -> None:
    missed = [case for case in cases if not is_gone(case, redactor.redacted(case.text).text)]
    kinds = Counter(case.kind for case in cases)
    recall = 1 - len(missed) / len(cases)
    print(f"recall {recall:.4f}: {len(cases) - len(missed)} of {len(cases)} secrets of {len(kinds)} kinds")
    for kind, count in Counter(case.kind for case in missed).most_common():
        print(f"  missed {count} of {kinds[kind]} {kind}")
    if errors:
        for case in missed:
            print(f"  {case.text[:300]!r} -> {redactor.redacted(case.text).text[:200]!r}")


def _innocents(redactor: SecretRedactor, texts: Sequence[str], name: str, *, errors: bool) -> None:
    begun = time.perf_counter()
    done = [redactor.redacted(text) for text in texts]
    took = time.perf_counter() - begun
    changed = [(text, each) for text, each in zip(texts, done, strict=True) if each.text != text]
    length = sum(map(len, texts))
    print(
        f"{name}: {len(changed)} of {len(texts)} changed; {len(texts) / took:,.0f} texts/s, "
        f"{length / took / 1e6:.1f} million characters/s"
    )
    if errors:
        for text, each in changed:
            print(f"  {each.found} {text[:300]!r} -> {each.text[:300]!r}")


if __name__ == "__main__":
    main()
