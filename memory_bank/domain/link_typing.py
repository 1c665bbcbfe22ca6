"""Link typing without a language model: how two notes relate, judged from cues, claims and similarity.

Each kind of evidence has a strength from 0 to 1 and says, through a few weights, how far it speaks for a link type or
for no link at all. The scores add up; the best type wins unless "no link" beats it.
"""

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory_bank.domain import links, text
from memory_bank.domain.cues import reading, words
from memory_bank.domain.links import LinkType

_NAMED_WORDS, _NAMED_LENGTH = 3, 40
# Two notes that share less than this part of the shorter one's words make no claim about the same thing.
_CLASH_OVERLAP = 0.25
_LEAST_CONFIDENCE = 0.3
# The mean cosine that all-MiniLM-L6-v2 gives to unrelated sentences of a language: it was trained on English alone.
_UNRELATED_SIMILARITY = {"en": 0.05, "zh": 0.55, "ja": 0.55, "ko": 0.55}
_UNRELATED_ELSEWHERE = 0.35


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two readings side by side; `nearness` is the similarity above that of unrelated notes, 0 to 1."""

    source: reading.Reading
    target: reading.Reading
    similarity: float
    nearness: float
    shared: tuple[str, ...]
    overlap: float


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One observation about a pair: `strength` is between 0 and 1, `words` is a clause that tells it to a reader."""

    strength: float
    words: str = ""


_BIAS: dict[LinkType | None, float] = {
    LinkType.CAUSAL: 2.0,
    LinkType.CONTRAST: -0.5,
    LinkType.EXAMPLE: -1.5,
    LinkType.DERIVED_CONCEPT: 0.0,
    LinkType.SHARED_CONTEXT: 1.5,
    LinkType.OPPOSITION: -1.5,
    None: 0.5,
}
# Points per full strength of each kind of evidence, `None` for no link. Fitted by a sparse logistic regression
# over labelled pairs, then rounded to halves and pruned of what has no reason in language.
WEIGHTS: dict[str, dict[LinkType | None, float]] = {
    "causal_cue": {LinkType.CAUSAL: 2.0},
    "contrast_cue": {LinkType.CONTRAST: 4.5},
    "example_cue": {LinkType.EXAMPLE: 4.5},
    "derived_concept_cue": {LinkType.DERIVED_CONCEPT: 4.0},
    "shared_context_cue": {LinkType.SHARED_CONTEXT: 2.0},
    "opposition_cue": {LinkType.OPPOSITION: 4.0},
    "general": {
        LinkType.CAUSAL: -3.0,
        LinkType.EXAMPLE: 4.0,
        LinkType.DERIVED_CONCEPT: 1.0,
        LinkType.SHARED_CONTEXT: -1.5,
    },
    "gap": {LinkType.EXAMPLE: 1.5, LinkType.DERIVED_CONCEPT: 0.5, None: -1.0},
    "observations": {LinkType.DERIVED_CONCEPT: 2.5},
    "trouble": {LinkType.CAUSAL: 1.5, LinkType.CONTRAST: -1.5, LinkType.SHARED_CONTEXT: -2.0},
    "both_troubled": {LinkType.CAUSAL: 1.0},
    "dated": {LinkType.CAUSAL: 0.5, LinkType.CONTRAST: -1.0},
    "timeless": {LinkType.CONTRAST: 1.0, LinkType.DERIVED_CONCEPT: -1.0, LinkType.SHARED_CONTEXT: 0.5},
    "conflict": {LinkType.OPPOSITION: 4.5, LinkType.SHARED_CONTEXT: -2.0},
    "near_conflict": {LinkType.OPPOSITION: 2.0},
    "repetition": {LinkType.EXAMPLE: -1.5, LinkType.SHARED_CONTEXT: 2.5},
    "unrelated": {None: 3.5},
    "other_names": {LinkType.CONTRAST: 1.0, LinkType.SHARED_CONTEXT: 1.0},
    "homonyms": {None: 2.5},
    "same_subject": {LinkType.CAUSAL: -1.5, LinkType.SHARED_CONTEXT: 0.5, None: 0.5},
    "crossed_subject": {LinkType.OPPOSITION: 1.0, LinkType.DERIVED_CONCEPT: -0.5},
    "other_subject": {LinkType.CONTRAST: 2.0, None: -0.5},
    "shared_label": {LinkType.SHARED_CONTEXT: 2.0},
    "one_label": {LinkType.DERIVED_CONCEPT: 1.0, LinkType.SHARED_CONTEXT: 0.5, None: -1.0},
    "two_labels": {LinkType.CONTRAST: 2.5},
}


def judge(content: str, candidate: links.Candidate) -> links.Judgement | None:
    """Decide whether the note `content` links to `candidate`, how, and by what evidence; `None` means no link.

    Reads the first `reading.READ_LIMIT` characters of both notes.
    """
    return judge_reading(reading.read(content), candidate)


def judge_reading(source: reading.Reading, candidate: links.Candidate) -> links.Judgement | None:
    """Do what `judge` does with a note that has been read already."""
    pair = paired(source, reading.read(candidate.content), similarity=candidate.similarity)
    found = evidence(pair)
    scores = _scores(found)
    best = max(scores, key=lambda kind: scores[kind])
    if best is None:
        return None
    confidence = 1 / sum(math.exp(score - scores[best]) for score in scores.values())
    if confidence < _LEAST_CONFIDENCE:
        return None
    return links.Judgement(
        target_id=candidate.id,
        type=best,
        explanation=_explanation(best, pair, found),
        origin=links.LinkOrigin.HEURISTIC,
        confidence=round(confidence, 3),
    )


def paired(source: reading.Reading, target: reading.Reading, *, similarity: float) -> Pair:
    """Lay two readings side by side; `similarity` is the cosine of their embeddings, -1 to 1."""
    unrelated = _UNRELATED_SIMILARITY.get(source.language, _UNRELATED_ELSEWHERE)
    shared = tuple(stem for stem in source.stems if stem in target.stems)
    smaller = min(len(source.stems), len(target.stems))
    return Pair(
        source=source,
        target=target,
        similarity=similarity,
        nearness=max(0.0, (similarity - unrelated) / (1 - unrelated)),
        shared=shared,
        overlap=len(shared) / smaller if smaller else 0.0,
    )


def evidence(pair: Pair) -> dict[str, Evidence]:
    """Weigh everything that speaks for or against a link; the keys are those of `WEIGHTS`."""
    return {**_cues(pair), **_claims(pair), **_conflicts(pair), **_subjects(pair)}


def _cues(pair: Pair) -> dict[str, Evidence]:
    # A cue may join two halves of its own note: it counts less the less the other note has to do with it.
    credit = 1 - 0.6 * _unrelated(pair)
    found = {f"{kind}_cue": Evidence(strength=0.0) for kind in LinkType}
    for cue in itertools.chain(pair.source.cues, pair.target.cues):
        strength = credit * ((1.0 if cue.initial else 0.7) if cue.outer else (0.5 if cue.initial else 0.3))
        if strength > found[f"{cue.type}_cue"].strength:
            found[f"{cue.type}_cue"] = Evidence(strength=strength, words=f"the cue {_quoted(cue.phrase)} says so")
    return found


def _claims(pair: Pair) -> dict[str, Evidence]:
    """Compare what kind of statement each note makes: a general one, one event, several events, a trouble."""
    source, target = pair.source, pair.target
    general, specific = sorted((source, target), key=lambda note: -note.generality)
    observations = len(specific.plural) + 2 * (len(specific.numbers) >= 3)
    trouble = (*source.trouble, *target.trouble)
    return {
        "general": Evidence(strength=(general.generality + 1) / 2),
        "gap": Evidence(
            strength=(general.generality - specific.generality) / 2,
            words="one states a general case, the other a particular one",
        ),
        "observations": Evidence(
            strength=min(3, observations) / 3, words="one gathers several observations that the other sums up"
        ),
        "trouble": Evidence(
            strength=min(2, max(len(source.trouble), len(target.trouble))) / 2,
            words=f"one tells of a change or trouble ({_quoted(trouble[0])})" if trouble else "",
        ),
        "both_troubled": Evidence(strength=float(bool(source.trouble) and bool(target.trouble))),
        "dated": Evidence(strength=(bool(source.dated) + bool(target.dated)) / 2),
        "timeless": Evidence(strength=float(not source.past and not target.past)),
    }


def _conflicts(pair: Pair) -> dict[str, Evidence]:
    clash = _clash(pair)
    claimed = any(cue.type is LinkType.OPPOSITION for note in (pair.source, pair.target) for cue in note.cues)
    near = max(0.0, pair.nearness - 0.4) / 0.6
    # Nearness alone is repetition: without a sign of conflict, two notes that say much the same are no opposition.
    return {
        "conflict": Evidence(strength=pair.overlap if clash else 0.0, words=clash),
        "near_conflict": Evidence(strength=near if clash or claimed else 0.0),
        "repetition": Evidence(strength=0.0 if clash or claimed else near, words="they say much the same thing"),
    }


def _clash(pair: Pair) -> str:
    if numbers := _clashing_numbers(pair):
        return f"they give different numbers ({_quoted(numbers[0])} and {_quoted(numbers[1])})"
    if antonyms := _antonyms(pair):
        return f"{_quoted(antonyms[0])} stands against {_quoted(antonyms[1])}"
    if bool(pair.source.negations) != bool(pair.target.negations) and pair.overlap >= _CLASH_OVERLAP:
        return f"only one of them negates ({_quoted((*pair.source.negations, *pair.target.negations)[0])})"
    return ""


def _subjects(pair: Pair) -> dict[str, Evidence]:
    source, target = pair.source, pair.target
    named = source.names & target.names
    anchored = bool(pair.shared or named)
    crossed = source.subject in target.stems or target.subject in source.stems
    labels = bool(source.label) + bool(target.label)
    return {
        "unrelated": Evidence(strength=_unrelated(pair)),
        "homonyms": Evidence(strength=_homonyms(pair)),
        "other_names": Evidence(
            strength=float(bool(source.names - target.names) and bool(target.names - source.names)),
            words="each names something else",
        ),
        "same_subject": Evidence(
            strength=float(bool(source.subject) and source.subject == target.subject), words="both have one subject"
        ),
        "crossed_subject": Evidence(strength=float(crossed)),
        "other_subject": Evidence(
            strength=float(anchored and not crossed), words="they speak of different subjects in like terms"
        ),
        "shared_label": Evidence(strength=float(_shares_label(pair)), words="they share the words of a heading"),
        "one_label": Evidence(strength=float(labels == 1)),
        "two_labels": Evidence(strength=float(labels == 2), words="each lists its own under a heading"),
    }


def _shares_label(pair: Pair) -> bool:
    sides = ((pair.source, pair.target), (pair.target, pair.source))
    return any(
        found in other.stems
        for note, other in sides
        for found in (reading.stem(word) for word in re.findall(r"\w+", note.label))
    )


def _unrelated(pair: Pair) -> float:
    if pair.shared or pair.source.names & pair.target.names:
        return 0.0
    return max(0.0, 1 - pair.nearness / 0.25)


def _homonyms(pair: Pair) -> float:
    """Tell how far shared words seem to mean different things: much overlap, yet embeddings far apart."""
    if pair.overlap < 0.45 or pair.source.names & pair.target.names:
        return 0.0
    return min(1.0, max(0.0, (pair.overlap - pair.nearness + 0.15) / 0.3))


def _clashing_numbers(pair: Pair) -> tuple[str, str] | None:
    """Return two numbers of one thing that differ, or the only two that differ between much alike notes."""
    source = [number for number in pair.source.numbers if number not in pair.target.numbers]
    target = [number for number in pair.target.numbers if number not in pair.source.numbers]
    for (value, counted), (other, other_counted) in itertools.product(source[:20], target[:20]):
        if value != other and counted and counted == other_counted and pair.overlap >= _CLASH_OVERLAP:
            return value, other
    if len(source) == len(target) == 1 and source[0][0] != target[0][0] and pair.overlap >= 0.4:
        return source[0][0], target[0][0]
    return None


def _parsed_antonyms(listed: str) -> frozenset[tuple[str, str]]:
    entries = (map(reading.stem, entry.split()) for entry in listed.split("|"))
    pairs = {(first, second) for first, second in entries}
    return frozenset(pairs | {(second, first) for first, second in pairs})


_ANTONYMS = _parsed_antonyms(words.ANTONYMS)
_ANTONYMS_UNSPACED = _parsed_antonyms(words.ANTONYMS_UNSPACED)
_WITH_ANTONYM = frozenset(first for first, _ in _ANTONYMS)


def _antonyms(pair: Pair) -> tuple[str, str] | None:
    source, target = ({reading.stem(token): token for token in note.tokens} for note in (pair.source, pair.target))
    for word in sorted((source.keys() - target.keys()) & _WITH_ANTONYM):
        for other in sorted((target.keys() - source.keys()) & _WITH_ANTONYM):
            if (word, other) in _ANTONYMS:
                return source[word], target[other]
    if pair.source.language not in ("zh", "ja", "ko"):
        return None
    one, two = pair.source.text, pair.target.text
    for word, other in sorted(_ANTONYMS_UNSPACED):
        if word in one and other in two and word not in two and other not in one:
            return word, other
    return None


def _scores(found: Mapping[str, Evidence]) -> dict[LinkType | None, float]:
    scores = dict(_BIAS)
    for name, weights in WEIGHTS.items():
        for kind, weight in weights.items():
            scores[kind] += weight * found[name].strength
    return scores


_CLAIMS = {
    LinkType.CAUSAL: "One note looks like a cause of the other",
    LinkType.CONTRAST: "The notes set two things side by side",
    LinkType.EXAMPLE: "One note is an instance of what the other says",
    LinkType.DERIVED_CONCEPT: "One note generalises the other",
    LinkType.SHARED_CONTEXT: "The notes belong to the same context",
    LinkType.OPPOSITION: "The notes contradict each other",
}


def _explanation(kind: LinkType, pair: Pair, found: Mapping[str, Evidence]) -> str:
    """Say in two sentences what the link is, by which evidence, heaviest first, and what the notes have in common."""
    weighed = sorted(
        ((weights.get(kind, 0.0) * found[name].strength, name) for name, weights in WEIGHTS.items()), reverse=True
    )
    reasons = [found[name].words for weight, name in weighed if weight > 0 and found[name].words][:2]
    claim = _CLAIMS[kind] + (": " + "; ".join(reasons) if reasons else "") + "."
    common = _common_words(pair)
    if not common:
        return f"{claim} Their similarity is {pair.similarity:.2f}."
    return f"{claim} They share {', '.join(map(_quoted, common))} (similarity {pair.similarity:.2f})."


def _common_words(pair: Pair) -> list[str]:
    """Return up to three words that both notes have: names first, character pairs joined where they overlap."""
    found = sorted(pair.source.names & pair.target.names)
    for stem in pair.shared:
        word = pair.source.stems[stem]
        if found and not word[0].isascii() and len(word) == 2 and found[-1][-1] == word[0]:
            found[-1] += word[1]
        elif word not in found:
            found.append(word)
    return found[:_NAMED_WORDS]


def _quoted(word: str) -> str:
    return f"“{text.preview(word, limit=_NAMED_LENGTH)}”"
