"""A reading of one note: what its words say about its subject, its tense, its claims and its cues."""

import functools
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory_bank.domain.cues import phrases, words
from memory_bank.domain.links import LinkType

READ_LIMIT = 2_000
"""Characters of a note that are read; how two notes relate shows in their beginnings."""

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]+")
# Vowel signs and other marks that belong to the letter before them but are no word characters to `re`.
MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0fff\u1000-\u109f\u1780-\u17dd"
# A number or version, or a word with inner apostrophes, joints or underscores; CJK runs are read apart.
_TOKEN = re.compile(rf"\d+(?:[.,:]\d+)*|[^\W\d_](?:[^\W_]|[{MARKS}])*(?:['’_-](?:[^\W_]|[{MARKS}])+)*")
# Who spoke and when, as in "Ada (3 May, 14:00):", "[14:00] Ada:" or "user:": no part of what the note claims.
_SPEAKER = re.compile(
    r"\s*(?:\[[^\]\n]{1,40}\]\s*[^\W\d_][\w .'-]{0,40}|[^\W\d_][\w .'-]{0,40}\([^)\n]{0,20}\d[^)\n]{0,60}\)"
    r"|user|assistant|system|human|ai)\s{0,5}:\s",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?;:。！？；：\n])[\s\-*•–—\"'“”«»（(「『]*")
_KANJI_NUMBER = re.compile("[〇一二三四五六七八九十百千万两]+|[0-9０-９]+(?:[.．][0-9０-９]+)?")
_QUOTED = re.compile("[「『“«]([^「『“«」』”»]{1,40})[」』”»]")
_HIRAGANA = re.compile("[\u3040-\u309f]")
_UNSPACED_LANGUAGES = frozenset({"zh", "ja", "ko"})
_SUFFIXES = (
    "ations",
    "ation",
    "ungen",
    "ingly",
    "ings",
    "ing",
    "ies",
    "ied",
    "ung",
    "ers",
    "ed",
    "es",
    "er",
    "en",
    "em",
    "ly",
    "s",
    "e",
    "y",
    "n",
    "a",
    "o",
)


@dataclass(frozen=True, kw_only=True)
class Cue:
    """A cue phrase found in a note; `initial` when it opens a sentence, `outer` when it points out of the note."""

    type: LinkType
    phrase: str
    outer: bool
    initial: bool


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What was read in one note.

    stems: content words without endings, or character pairs of unspaced scripts, with the word as written.
    numbers: each number with the stem of the word that it counts, empty when there is none.
    label: the words before an opening colon ("Project Heron: ..."), in lower case.
    subject: the first stem.
    generality: from -1 (one dated, personal event) to 1 (a statement about a class of things).
    """

    text: str
    tokens: tuple[str, ...]
    language: str
    stems: Mapping[str, str]
    subject: str
    names: frozenset[str]
    numbers: tuple[tuple[str, str], ...]
    label: str
    cues: tuple[Cue, ...]
    negations: tuple[str, ...]
    plural: tuple[str, ...]
    dated: tuple[str, ...]
    trouble: tuple[str, ...]
    past: bool
    generality: float


def read(text: str) -> Reading:
    """Read the first `READ_LIMIT` characters of `text`, in any script; never fails."""
    text = unicodedata.normalize("NFKC", text[:READ_LIMIT])[:READ_LIMIT].replace("’", "'")
    if speaker := _SPEAKER.match(text):
        text = text[speaker.end() :]
    spaced = _UNSPACED.sub(" ", text)
    tokens = tuple(token.group().lower() for token in _TOKEN.finditer(spaced))
    runs = tuple(_UNSPACED.findall(text))
    spoken = _language(tokens, runs)
    stems = _stems(tokens) | _pairs(runs)
    names, numbers = _names(text, spaced, spoken), _numbers(text, tokens, runs)
    cues = _cues(text, tokens, spaced, spoken)
    joined = " ".join(runs)
    dated = _found(tokens, joined, _CALENDAR)
    past = _past(tokens, joined)
    generality = (
        min(2, len(_found(tokens, joined, _GENERAL)))
        + _opens_with_bare_plural(tokens, spoken)
        + any(cue.outer and cue.type is LinkType.DERIVED_CONCEPT for cue in cues)
        - 0.7 * (min(2, past) + min(2, len(dated)) + min(2, len(numbers)))
        - 0.5 * (min(2, len(names)) + any(token in _PERSONAL for token in tokens))
    )
    return Reading(
        text=text,
        tokens=tokens,
        language=spoken,
        stems=stems,
        subject=next(iter(stems), ""),
        names=names,
        numbers=numbers,
        label=_label(text),
        cues=cues,
        negations=_found(tokens, joined, _NEGATIONS),
        plural=_found(tokens, joined, _PLURAL),
        dated=dated,
        trouble=_found(tokens, joined, _TROUBLE),
        past=past > 0,
        generality=math.tanh(generality / 2),
    )


def language(text: str) -> str:
    """Return the language that the function words or the script of `text` point to, `xx` when none does."""
    text = text[:READ_LIMIT]
    tokens = tuple(token.group().lower() for token in _TOKEN.finditer(_UNSPACED.sub(" ", text)))
    return _language(tokens, tuple(_UNSPACED.findall(text)))


def languages(text: str) -> tuple[str, ...]:
    """Return every language that the function words or the script of `text` point to equally, best guess first."""
    text = text[:READ_LIMIT]
    tokens = tuple(token.group().lower() for token in _TOKEN.finditer(_UNSPACED.sub(" ", text)))
    first = _language(tokens, tuple(_UNSPACED.findall(text)))
    if first in _UNSPACED_LANGUAGES:
        return (first,)
    scores = {each: score for each, score in _scores(tokens).items() if each not in _UNSPACED_LANGUAGES}
    most = max(scores.values())
    return (first, *(each for each, score in scores.items() if score == most and each != first))


@functools.lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a lower-case word without a common ending of the European languages; short words stay whole."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def word_set(*texts: str) -> frozenset[str]:
    """Return the words of space-separated lists."""
    return frozenset(word for text in texts for word in text.split())


_FUNCTION = {language: word_set(text) for language, text in words.FUNCTION_WORDS.items()}
_ANY_FUNCTION = frozenset().union(*_FUNCTION.values())
_NEGATIONS = (word_set(words.NEGATIONS), tuple(words.NEGATIONS_UNSPACED.split()))
_GENERAL = (word_set(words.GENERAL), tuple(words.GENERAL_UNSPACED.split()))
_PLURAL = (word_set(words.PLURAL), tuple(words.PLURAL_UNSPACED.split()))
_CALENDAR = (word_set(words.CALENDAR), tuple(words.CALENDAR_UNSPACED.split()))
_TROUBLE = (word_set(words.TROUBLE), tuple(words.TROUBLE_UNSPACED.split()))
_PERSONAL = word_set(words.PERSONAL)
_NUMBER_WORDS = {word: str(value) for value, listed in words.NUMBER_WORDS.items() for word in listed.split()}
_IRREGULAR_PAST = word_set(words.IRREGULAR_PAST)


def _found(tokens: Iterable[str], joined: str, lexicon: tuple[frozenset[str], tuple[str, ...]]) -> tuple[str, ...]:
    spaced, unspaced = lexicon
    hits = [token for token in tokens if token in spaced]
    if joined:
        hits.extend(word for word in unspaced for _ in range(joined.count(word)))
    return tuple(hits)


def _opens_with_bare_plural(tokens: tuple[str, ...], language: str) -> bool:
    """Tell whether an English note opens like "Migratory birds ...": a plural without article speaks of a class."""
    if language != "en":
        return False
    for token in tokens[:3]:
        if token in _ANY_FUNCTION:
            return False
        if len(token) > 3 and token.endswith("s") and not token.endswith("ss"):
            return True
    return False


def _language(tokens: tuple[str, ...], runs: tuple[str, ...]) -> str:
    characters = sum(map(len, runs))
    if characters * 2 > sum(map(len, tokens)):
        joined = "".join(runs)
        if re.search("[\uac00-\ud7af]", joined):
            return "ko"
        return "ja" if re.search("[\u3040-\u30ff]", joined) else "zh"
    scores = _scores(tokens)
    best = max(scores, key=lambda language: scores[language])
    if scores[best]:
        return best
    return "en" if all(token.isascii() for token in tokens) else "xx"


def _scores(tokens: tuple[str, ...]) -> dict[str, int]:
    return {language: sum(token in known for token in tokens) for language, known in _FUNCTION.items()}


def _stems(tokens: tuple[str, ...]) -> dict[str, str]:
    stems: dict[str, str] = {}
    for token in tokens:
        word = _base(token)
        if len(word) > 1 and word[0].isalpha() and word not in _ANY_FUNCTION:
            stems.setdefault(stem(word), word)
    return stems


def _base(token: str) -> str:
    """Return "ireland" of "ireland's" and "eau" of "l'eau"."""
    head, _, tail = token.partition("'")
    return tail if len(tail) > 2 and head in _ANY_FUNCTION else head


def _pairs(runs: tuple[str, ...]) -> dict[str, str]:
    pairs = (run[i : i + 2] for run in runs for i in range(len(run) - 1))
    return {pair: pair for pair in pairs if not _HIRAGANA.search(pair)}


def _names(text: str, spaced: str, language: str) -> frozenset[str]:
    names = {found.group(1).lower() for found in _QUOTED.finditer(text)}
    starts = {found.end() for found in _SENTENCE_START.finditer(spaced)}
    for token in _TOKEN.finditer(spaced):
        word = token.group()
        mixed = "_" in word or any(letter.isupper() for letter in word[1:])
        proper = word[0].isupper() and token.start() not in starts and language != "de"
        base = _base(word.lower())
        if (proper or mixed) and len(base) > 1 and base not in _ANY_FUNCTION and base not in _CALENDAR[0]:
            names.add(base)
    return frozenset(names)


def _numbers(text: str, tokens: tuple[str, ...], runs: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return each number with the word it counts: the next content word, else the one before."""
    found = []
    for index, token in enumerate(tokens):
        value = token if token[0].isdigit() else _NUMBER_WORDS.get(token, "")
        if value:
            near = (*tokens[index + 1 : index + 3], *tokens[max(0, index - 2) : index][::-1])
            found.append(
                (value, next((stem(word) for word in near if word[0].isalpha() and word not in _ANY_FUNCTION), ""))
            )
    if runs:
        found.extend(
            (_arabic(match.group()), text[match.end() : match.end() + 1])
            for match in _KANJI_NUMBER.finditer(text)
            if match.group() not in ("一", "万", "千", "百")
        )
    return tuple(found)


def _arabic(numeral: str) -> str:
    digits = {character: index for index, character in enumerate("〇一二三四五六七八九")} | {"两": 2}
    units = {"十": 10, "百": 100, "千": 1000, "万": 10000}
    if not any(character in digits or character in units for character in numeral):
        return numeral
    total = current = 0
    for character in numeral:
        if character in units:
            total, current = total + max(current, 1) * units[character], 0
        else:
            current = current * 10 + digits.get(character, 0)
    return str(total + current)


def _label(text: str) -> str:
    head = re.match(r"[\s\-*•]*([^:：.。!?\n]{2,50})[:：](?=\s|[^\d\s])", text)
    return head.group(1).strip().lower() if head else ""


def _past(tokens: tuple[str, ...], joined: str) -> int:
    regular = sum(len(token) > 4 and token.endswith(("ed", "aron", "ieron", "irono", "arono", "ó")) for token in tokens)
    german = sum(len(token) > 5 and token.endswith(("te", "ten", "tet")) for token in tokens)
    unspaced = sum(joined.count(mark) for mark in ("た ", "った", "した", "了", "였", "었", "았")) + joined.endswith(
        "た"
    )
    return regular + german + unspaced + sum(token in _IRREGULAR_PAST for token in tokens)


@dataclass(frozen=True, kw_only=True)
class _Phrase:
    words: tuple[str, ...]
    type: LinkType
    outer: bool
    language: str


@functools.cache
def _lexicon() -> dict[str, tuple[_Phrase, ...]]:
    """Return the phrases by first word, those of unspaced scripts by first character."""
    known: dict[str, list[_Phrase]] = {}
    for outer, table in ((True, phrases.OUTER), (False, phrases.INNER)):
        for kind, rows in table.items():
            for language, row in zip(phrases.LANGUAGES, rows, strict=True):
                for text in row.split("|"):
                    unspaced = bool(_UNSPACED.search(text))
                    parts = (text,) if unspaced else tuple(token.lower() for token in _TOKEN.findall(text))
                    phrase = _Phrase(words=parts, type=kind, outer=outer, language=language)
                    known.setdefault(text[0] if unspaced else parts[0], []).append(phrase)
    return {first: tuple(found) for first, found in known.items()}


def _cues(text: str, tokens: tuple[str, ...], spaced: str, language: str) -> tuple[Cue, ...]:
    lexicon = _lexicon()
    starts = {match.end() for match in _SENTENCE_START.finditer(spaced)}
    found: dict[tuple[LinkType, str], Cue] = {}
    for index, match in enumerate(_TOKEN.finditer(spaced)):
        for phrase in lexicon.get(tokens[index], ()):
            # A single word may be a cue in one language and another word in the next: "want", "car", "door".
            native = len(phrase.words) > 1 or phrase.language == language
            if native and tokens[index : index + len(phrase.words)] == phrase.words:
                _add(found, phrase, initial=match.start() in starts)
    starts = {match.end() for match in _SENTENCE_START.finditer(text)}
    for run in _UNSPACED.finditer(text):
        for offset in range(run.start(), run.end()):
            for phrase in lexicon.get(text[offset], ()):
                if phrase.language in _UNSPACED_LANGUAGES and text.startswith(phrase.words[0], offset):
                    _add(found, phrase, initial=offset in starts)
    return tuple(found.values())


def _add(found: dict[tuple[LinkType, str], Cue], phrase: _Phrase, *, initial: bool) -> None:
    words_found = " ".join(phrase.words)
    known = found.get((phrase.type, words_found))
    if known is None or (initial and not known.initial):
        found[phrase.type, words_found] = Cue(type=phrase.type, phrase=words_found, outer=phrase.outer, initial=initial)
