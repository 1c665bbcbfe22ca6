"""Rewordings: whether two texts whose vectors lie close say the same, or differ in a word that counts.

Vectors tell what a text is about. They hardly tell staging from production, enabled from disabled, or 2.3 from 2.4.
"""

import re
import unicodedata
from dataclasses import dataclass

from memory_bank.domain import duplicates
from memory_bank.domain.cues import reading, words

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[\w'’]+")
_CONTRACTED_NOT = re.compile(r"n['’]t$")
_TEMPLATE = 0.6
_ROOT = 4
_ROOT_SHARE = 0.7
# Different words of one meaning in what people set out to do; each line is a meaning.
_SYNONYMS = (
    "fix repair resolve solve mend correct debug",
    "bug error issue problem defect fault failure fehler",
    "write create add implement build develop make draft prepare produce",
    "update upgrade refresh bump",
    "remove delete drop eliminate",
    "improve optimise optimize enhance tune",
    "investigate research analyse analyze examine explore find",
    "documentation docs document guide manual",
    "move migrate port transfer",
    "refactor clean restructure rewrite rework tidy",
    "deploy release ship publish",
    "setup set configure install",
    "plan organise organize arrange schedule",
    "review check verify validate inspect",
    "config configuration settings",
    "database db",
    "reduce shrink lower cut decrease",
    "finish complete finalise finalize",
    "replace change swap exchange",
    "learn study",
    "image picture photo",
    "folder directory",
    "quick fast rapid",
)


@dataclass(frozen=True, kw_only=True)
class Gist:
    """A text as another one is compared with it.

    words: folded; of scripts without spaces, pairs of characters. stems: of the words with a meaning of their own.
    """

    words: frozenset[str]
    stems: frozenset[str]
    numbers: frozenset[str]
    denies: bool


def gist(text: str) -> Gist:
    """Return the gist of a text in any script."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    spaced = _UNSPACED.sub(" ", folded)
    runs = _UNSPACED.findall(folded)
    pairs = frozenset(run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1)))
    known = duplicates.words(spaced)
    return Gist(
        words=known.words | pairs,
        stems=frozenset(reading.stem(word) for word in known.words if _tells(word)) | pairs,
        numbers=known.numbers,
        denies=any(map(_is_negation, _WORD.findall(spaced))) or any(_negated_run(run) for run in runs),
    )


def similarity(one: Gist, other: Gist) -> float:
    """Return the share of common words, 0 to 1 (Jaccard 1912)."""
    return duplicates.similarity(one.words, other.words)


def contrary(one: Gist, other: Gist) -> bool:
    """Tell whether the texts differ in a number or a word with digits, or by an antonym."""
    if one.numbers != other.numbers:
        return True
    mine, yours = one.stems - other.stems, other.stems - one.stems
    return any((word, against) in _ANTONYMS for word in mine for against in yours)


def swapped(one: Gist, other: Gist) -> bool:
    """Tell whether the texts are alike but for a denial, or for words of each that do not mean the same.

    A rewording changes many words; one that changes few names another thing in the same words.
    """
    if similarity(one, other) < _TEMPLATE:
        return False
    return one.denies != other.denies or substituted(one, other)


def substituted(one: Gist, other: Gist) -> bool:
    """Tell whether each of the texts has words with a meaning that nothing in the other one has."""
    said, other_said = one.stems or one.words, other.stems or other.words
    mine, yours = said - other_said, other_said - said
    own = [word for word in mine if not any(_related(word, against) for against in yours)]
    theirs = [word for word in yours if not any(_related(word, against) for against in mine)]
    return bool(own and theirs)


def names_differ(one: str, other: str) -> bool:
    """Tell whether each of the texts names, in its beginning, somebody or something that the other does not."""
    mine, yours = reading.read(one).names, reading.read(other).names
    return bool(mine - yours and yours - mine)


def _tells(word: str) -> bool:
    return len(word) > 1 and word not in _FUNCTION


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or bool(_CONTRACTED_NOT.search(word))


def _negated_run(run: str) -> bool:
    return any(sign in run for sign in _NEGATIONS_UNSPACED)


def _related(one: str, other: str) -> bool:
    """Tell whether two stems are forms of one word, or have one meaning."""
    if (one, other) in _SAME:
        return True
    common = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return common >= _ROOT and common >= _ROOT_SHARE * min(len(one), len(other))


def _both_ways(pairs: set[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    return frozenset(pairs | {(second, first) for first, second in pairs})


def _stem_pairs(line: str) -> set[tuple[str, str]]:
    stems = [reading.stem(word) for word in line.split()]
    return {(one, other) for one in stems for other in stems if one != other}


_FUNCTION = frozenset(word for listed in words.FUNCTION_WORDS.values() for word in listed.split())
_NEGATIONS = frozenset(words.NEGATIONS.split())
_NEGATIONS_UNSPACED = tuple(words.NEGATIONS_UNSPACED.split())
_ANTONYMS = _both_ways({pair for line in words.ANTONYMS.split("|") for pair in _stem_pairs(line)})
_SAME = frozenset(pair for line in _SYNONYMS for pair in _stem_pairs(line))
