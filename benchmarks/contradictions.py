"""Measure the contradiction detector on labelled pairs of facts, beside the three rules as published.

    python -m benchmarks.contradictions [--facts FILE] [--pairs FILE] [--errors] [--no-similarity] [--judge]

Each line of a file is a JSON object with `old`, `new`, `contradiction`, `category` and perhaps `entity` and `lang`.
FILE of --facts holds facts as a memory keeps them; FILE of --pairs holds pairs of another kind, for information. Prints
precision, recall and F1, the confusion by category and by language, and what `suspected` lets through to a judge,
without and with the similarity of the facts' vectors. --judge asks the language model of the settings (OPENAI_API_KEY,
OPENAI_BASE_URL, OPENAI_MODEL_NAME) about each suspected pair, as `remember` does.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import itertools
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_bank import settings
from memory_bank.domain import contradictions
from memory_bank.errors import ProviderUnavailable
from memory_bank.providers import llm, model_files, sentence_transformers_embedding

_DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "contradictions"
_COLUMN = 28


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One labelled pair of facts; `similarity` is the cosine of their vectors, -1 to 1, when measured."""

    old: str
    new: str
    entity: str
    contradiction: bool
    category: str
    language: str
    similarity: float | None = None


def main() -> None:
    """Print the figures of both files, or say which is absent."""
    parser = argparse.ArgumentParser(description="Measure the contradiction detector on labelled pairs of facts.")
    parser.add_argument("--facts", type=Path, default=_DATA / "facts-dev.jsonl", help="labelled facts, JSON Lines")
    parser.add_argument("--pairs", type=Path, default=_DATA / "dev.jsonl", help="other labelled pairs, JSON Lines")
    parser.add_argument("--errors", action="store_true", help="list what was judged wrongly")
    parser.add_argument("--no-similarity", action="store_true", help="do not load the embedding model")
    parser.add_argument("--judge", action="store_true", help="ask the configured language model about suspected pairs")
    arguments = parser.parse_args()
    for path in (arguments.facts, arguments.pairs):
        if not path.is_file():
            print(f"No labelled pairs at {path}: nothing measured. Give a file with --facts or --pairs.\n")
            continue
        print(f"{path.name}")
        pairs = read(path)
        report(pairs if arguments.no_similarity else with_similarity(pairs), errors=arguments.errors)
        if arguments.judge:
            told = asyncio.run(judged(pairs))
            _print_score("with a judge", pairs, told)
            _print_confusion("category", pairs, told, lambda pair: pair.category)


def read(path: Path) -> list[Pair]:
    """Return the labelled pairs of a file."""
    pairs = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                row = json.loads(line)
                pairs.append(
                    Pair(
                        old=row["old"],
                        new=row["new"],
                        entity=row.get("entity") or "",
                        contradiction=bool(row["contradiction"]),
                        category=row.get("category") or "",
                        language=row.get("lang") or "",
                    )
                )
    return pairs


def with_similarity(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs with the cosine of their vectors."""
    encoder = sentence_transformers_embedding.SentenceTransformersEncoder(model_files.DEFAULT_MODEL, threads=None)
    vectors = encoder.encode([text for pair in pairs for text in (pair.old, pair.new)])
    # a fact fits in one window
    return [
        dataclasses.replace(pair, similarity=float(old[0] @ new[0]))
        for pair, old, new in zip(pairs, vectors[::2], vectors[1::2], strict=True)
    ]


async def judged(pairs: Sequence[Pair]) -> list[bool]:
    """Return what a language model says of the suspected pairs; of one that it cannot answer, what the rules say."""
    openai = settings.load(environ=os.environ, cwd=Path.cwd()).openai
    model = llm.LanguageModelAnalyst(
        model=openai.model_name,
        api_key=None if openai.api_key is None else openai.api_key.get_secret_value(),
        base_url=openai.base_url,
        temperature=openai.temperature,
        max_tokens=openai.max_tokens,
        timeout=openai.timeout,
    )

    async def one(pair: Pair) -> bool:
        if not contradictions.suspected(pair.old, pair.new, entity=pair.entity):
            return False
        try:
            (reason,) = await model.contradict(pair.entity, [(pair.old, pair.new)])
        except ProviderUnavailable as error:
            print(f"no verdict: {error}")
            return contradictions.between(pair.old, pair.new, entity=pair.entity) is not None
        return reason is not None

    async with contextlib.aclosing(model):
        return list(await asyncio.gather(*map(one, pairs)))


def report(pairs: Sequence[Pair], *, errors: bool) -> None:
    """Print the figures of one file."""
    found = [contradictions.between(pair.old, pair.new, entity=pair.entity) for pair in pairs]
    told = [one is not None for one in found]
    _print_score("the rules as published", pairs, [published(pair.old, pair.new) for pair in pairs])
    _print_score("between", pairs, told)
    if any(pair.similarity is not None for pair in pairs):
        _print_score("between, with similarity", pairs, _judged(pairs, lambda pair: pair.similarity))
    _print_score("suspected", pairs, _suspected(pairs, lambda _: None))
    if any(pair.similarity is not None for pair in pairs):
        _print_score("suspected, with similarity", pairs, _suspected(pairs, lambda pair: pair.similarity))
    _print_confusion("category", pairs, told, lambda pair: pair.category)
    _print_confusion("language", pairs, told, lambda pair: pair.language)
    strategies = Counter(one.strategy.value for one in found if one)
    print("by strategy: " + ", ".join(f"{name} {count}" for name, count in strategies.most_common()) + "\n")
    for pair, one in zip(pairs, found, strict=True):
        if errors and (one is not None) != pair.contradiction:
            print(f"{'false alarm' if one else 'missed'} [{pair.category}] {pair.entity}: {pair.old} => {pair.new}")
            print(f"    {one.reason}" if one else "")


def _judged(pairs: Sequence[Pair], similarity: Callable[[Pair], float | None]) -> list[bool]:
    return [
        contradictions.between(pair.old, pair.new, entity=pair.entity, similarity=similarity(pair)) is not None
        for pair in pairs
    ]


def _suspected(pairs: Sequence[Pair], similarity: Callable[[Pair], float | None]) -> list[bool]:
    return [
        contradictions.suspected(pair.old, pair.new, entity=pair.entity, similarity=similarity(pair)) for pair in pairs
    ]


def _print_score(name: str, pairs: Sequence[Pair], told: Sequence[bool]) -> None:
    hits = sum(answer and pair.contradiction for pair, answer in zip(pairs, told, strict=True))
    precision = hits / max(1, sum(told))
    recall = hits / max(1, sum(pair.contradiction for pair in pairs))
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    print(
        f"{name:<{_COLUMN}} precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  ({sum(told)} of {len(pairs)})"
    )


def _print_confusion(title: str, pairs: Sequence[Pair], told: Sequence[bool], key: Callable[[Pair], str]) -> None:
    print(f"\n{title:<{_COLUMN}}{'is':>16}{'told':>7}{'not told':>10}")
    counts = Counter((key(pair), pair.contradiction, answer) for pair, answer in zip(pairs, told, strict=True))
    for name, label in sorted({(name, label) for name, label, _ in counts}):
        truth = "contradiction" if label else "compatible"
        print(f"{name:<{_COLUMN}}{truth:>16}{counts[name, label, True]:>7}{counts[name, label, False]:>10}")
    print()


_AT_START = ("no longer", "not", "never", "doesn't", "don't", "isn't", "wasn't", "aren't", "cannot", "can't")
_ANYWHERE = (
    "does not", "do not", "did not", "will not", "should not", "deprecated", "removed", "disabled", "no longer",
)  # fmt: skip
_NUMBER = re.compile(r"(?:v|version )?(\d+(?:\.\d+)*)")


def published(old: str, new: str) -> bool:
    """Apply the three rules as they were published: negation, number by the text before it, topic with other keys."""
    one, two = old.strip().lower(), new.strip().lower()
    if len(one) < 10 or len(two) < 10:
        return False
    return _denies(one, two) or _other_number(one, two) or _other_keys(old, new)


def _denies(one: str, two: str) -> bool:
    for pattern in (*_AT_START, *_ANYWHERE):
        there = two.startswith if pattern in _AT_START and pattern not in _ANYWHERE else two.__contains__
        if there(pattern) and pattern not in one:
            rest, words = two.replace(pattern, "").split(), one.split()
            if sum(word in words for word in rest) / max(len(rest), len(words)) > 0.4:
                return True
    return False


def _other_number(one: str, two: str) -> bool:
    numbers = [
        {
            key: match.group(1)
            for match in _NUMBER.finditer(text)
            if len(key := " ".join(text[: match.start()].split())) > 2
        }
        for text in (one, two)
    ]
    return any(numbers[1].get(key, value) != value for key, value in numbers[0].items())


def _other_keys(old: str, new: str) -> bool:
    mine, yours = _grams(old), _grams(new)
    overlap = len(mine & yours) / len(mine | yours) if mine | yours else 0.0
    keys, others = _keys(old), _keys(new)
    return 0.4 < overlap < 0.95 and bool(keys & others) and bool(others - keys)


def _grams(text: str) -> set[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return set(words) | {f"{first} {second}" for first, second in itertools.pairwise(words)}


def _keys(text: str) -> set[str]:
    return {
        word.lower() for word in text.split() if "/" in word or "." in word or word[0].isupper() or word[0].isdigit()
    }


if __name__ == "__main__":
    main()
