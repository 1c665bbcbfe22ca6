"""Terms of the lexical index, from a text in any script.

- Text is normalised (NFKC, case folded, nothing invisible) first.
- A word of a script with spaces becomes its stem: by the English rules for Latin letters, whatever the language, by the
  script's own language for the others. What one word becomes depends on that word alone, so that note and query agree.
  A note in another language of Latin letters, as its function words tell, gets that language's stems besides.
- A run of Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese becomes its overlapping pairs of characters, and its
  single characters; a query asks for the pairs, and for a single character where it stands alone.
- An identifier (`foo.bar/baz`, `snake_case`, `camelCase`, `v2.3.1`, a URL, an e-mail address) becomes itself as a
  whole, and its parts.
- An emoji is a term. Punctuation is none.

The stems are Snowball's (https://snowballstem.org) by `PyStemmer` (MIT and BSD).
"""

import functools
import hashlib
import itertools
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator

import Stemmer

from memory_bank.domain import bm25, characters, stop_words
from memory_bank.domain.cues import words

NAME = "unicode-1"
"""Goes up with every change of the rules: notes with terms of an older one are then tokenised anew."""

TERM_LENGTH = 64
"""Characters of the longest term; a longer one is its beginning and a digest of the whole."""
NOTE_TERMS = 20_000
"""Distinct terms kept of a note, the first ones: more than any text of 100,000 characters in words has."""
QUERY_TERMS = 256
"""Distinct terms kept of a query, the first ones."""

_CACHED_WORDS = 65_536
_CACHED_LENGTH = 48
_LATIN = {
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
}
_FUNCTION = {name: frozenset(words.FUNCTION_WORDS[name].split()) for name in ("en", *_LATIN)}
# the first letter decides: up to this one, exclusively
_SCRIPTS = (
    (0x0250, "english"),
    (0x0370, ""),
    (0x0400, "greek"),
    (0x0530, "russian"),
    (0x0590, "armenian"),
    (0x0600, ""),
    (0x0780, "arabic"),
    (0x0900, ""),
    (0x0980, "hindi"),
    (0x0B80, ""),
    (0x0C00, "tamil"),
    (0x1E00, ""),
    (0x1F00, "english"),
    (0x2000, "greek"),
)

# signs that join the parts of an identifier, a comma never
_JOINTS = r"._\-/\\:@+#&=~%?'"
_ASCII_CHUNK = re.compile(rf"\w+(?:[{_JOINTS}]{{1,3}}\w+)*(?:\+\+|\#)?", re.ASCII)
_SECTION = re.compile(r"[/\\:@+#&=~%?]+")
_JOINT = re.compile(rf"[{_JOINTS}]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^A-Za-z]+")
_VERSION = re.compile(r"[vV]\d[\w.+-]*")
_SIGNED = re.compile(r"[A-Za-z]{1,2}(?:\+\+|#)")


class UnicodeTokeniser:
    """The tokeniser of the lexical arm; safe to call from several threads."""

    name = NAME

    def terms(self, text: str) -> dict[str, int]:
        """Return how often each term occurs in `text`: at most `NOTE_TERMS` terms of `TERM_LENGTH` characters."""
        cut = _Cut(text)
        found: Counter[str] = Counter()
        for chunk in cut.chunks:
            found.update(_of_chunk(chunk))
        if language := _language(cut.lower_words):
            for word in cut.lower_words:
                found.update(_other_stem(word, language))
        for run in cut.runs:
            found.update((*run, *_pairs(run)) if len(run) > 1 else run)
        found.update(cut.pictures)
        return _bounded(found)

    def asked(self, text: str) -> bm25.Asked:
        """Return the distinct words that a query asks for, each with the forms it is looked for under.

        At most `QUERY_TERMS` words. Leaves out the stop words of its language unless nothing else is left. A query too
        short to tell its language asks for the stems of every language that is told apart.
        """
        cut = _Cut(text)
        languages, stopped = _languages_asked(cut.lower_words)
        found = _asked(cut, languages, stopped) or _asked(cut, languages, frozenset())
        pairs = frozenset(pair for run in cut.runs for pair in _pairs(run))
        words = tuple(tuple(map(_shortened, forms)) for forms in found[:QUERY_TERMS])
        return bm25.Asked(words=words, pairs=pairs)


def _asked(cut: "_Cut", languages: Iterable[str], stopped: frozenset[str]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for chunk in cut.chunks:
        if chunk.lower() in stopped:
            continue
        terms = _of_chunk(chunk)
        word = characters.folded(chunk)
        if len(terms) == 1 and _is_latin_word(word):
            others = (stem for language in languages for stem in _other_stem(word, language))
            found.append(tuple(dict.fromkeys((*terms, *others))))
        else:
            found += [(term,) for term in terms]
    for run in cut.runs:
        found += [(term,) for term in (_pairs(run) if len(run) > 1 else run)]
    found += [(picture,) for picture in cut.pictures]
    return list(dict.fromkeys(found))


def _is_latin_word(word: str) -> bool:
    return len(word) <= _CACHED_LENGTH and word.isalpha() and word < "\u0250"


class _Cut:
    """A normalised text, cut: words and identifiers as written, runs of unspaced scripts as clusters, and emoji."""

    def __init__(self, text: str) -> None:
        normal = characters.normalised(text)
        self.runs: list[tuple[str, ...]] = []
        self.pictures: list[str] = []
        self.chunks: list[str]
        if normal.isascii():
            self.chunks = _ASCII_CHUNK.findall(normal)
            return
        self.chunks = []
        for found in _pieces().finditer(normal):
            piece = found.group()
            match found.lastgroup:
                case "word":
                    self.chunks.append(piece)
                case "run":
                    self.runs.append(tuple(_clusters().findall(piece)))
                case _:
                    self.pictures.append(piece)

    @functools.cached_property
    def lower_words(self) -> list[str]:
        """The words of Latin letters, in lower case."""
        folded = (characters.folded(chunk) for chunk in self.chunks if len(chunk) <= _CACHED_LENGTH)
        return [word for word in folded if _is_latin_word(word)]


def _pairs(run: tuple[str, ...]) -> Iterator[str]:
    return map("".join, itertools.pairwise(run))


def _of_chunk(chunk: str) -> tuple[str, ...]:
    return _of_short_chunk(chunk) if len(chunk) <= _CACHED_LENGTH else tuple(_chunk_terms(chunk))


@functools.lru_cache(maxsize=_CACHED_WORDS)
def _of_short_chunk(chunk: str) -> tuple[str, ...]:
    return tuple(_chunk_terms(chunk))


def _chunk_terms(chunk: str) -> Iterator[str]:
    """Yield the terms of a word, or of an identifier as a whole and in parts."""
    if chunk.isalpha() and (chunk.islower() or chunk.istitle() or chunk.isupper()):
        yield _stem(characters.folded(chunk))
        return
    if signed := _SIGNED.fullmatch(chunk):
        yield signed.group().lower()
    parts = [part for part in _JOINT.split(chunk) if part]
    wholes = [characters.folded(whole) for whole in _wholes(chunk, parts)]
    yield from dict.fromkeys(wholes)
    # what an apostrophe leaves over is no word: the s of "Ada's", the d of "d'Angelo"
    bare = "'" in chunk and len(parts) > 1
    for part in parts:
        if bare and len(part) == 1 and part.isalpha():
            continue
        yield _stem(characters.folded(part))
        inner = _CAMEL.findall(part) if part.isascii() and not part.islower() and not part.isupper() else ()
        if len(inner) > 1 and part[1:].lower() != part[1:]:
            yield from (_stem(each.lower()) for each in inner)


def _wholes(chunk: str, parts: list[str]) -> Iterator[str]:
    """Yield an identifier as a whole, and its sections that have parts of their own: the host of a URL."""
    if len(parts) < 2 or set(_JOINT.findall(chunk)) == {"'"}:
        return
    yield chunk
    for section in _SECTION.split(chunk):
        if section != chunk and len(_JOINT.split(section)) > 1:
            yield section
    if _VERSION.fullmatch(chunk):
        yield chunk[1:]


def _stem(word: str) -> str:
    """Return the stem of a folded word by the language that its script, not its text, suggests."""
    if not word.isalpha() and not _has_marks(word):
        return word
    first = ord(word[0])
    algorithm = next((name for end, name in _SCRIPTS if first < end), "")
    return _snowball(algorithm, word) if algorithm else word


def _has_marks(word: str) -> bool:
    return not word.isascii() and _lettered().fullmatch(word) is not None


@functools.lru_cache(maxsize=_CACHED_WORDS)
def _other_stem(word: str, language: str) -> tuple[str, ...]:
    """Return the word's stem in `language` where it differs from the one that every note has."""
    stem = _snowball(_LATIN[language], word)
    return () if stem == _stem(word) else (stem,)


_stemming = threading.Lock()


def _snowball(algorithm: str, word: str) -> str:
    # a stemmer may work for one thread at a time
    with _stemming:
        stem: str = _stemmer(algorithm).stemWord(word)
    return stem


@functools.cache
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    # without a cache of its own: whole words are cached above
    return Stemmer.Stemmer(algorithm, 0)


def _counts(lower_words: Iterable[str]) -> dict[str, int]:
    present = list(lower_words)
    return {language: sum(word in known for word in present) for language, known in _FUNCTION.items()}


def _language(lower_words: list[str]) -> str:
    """Return the language of Latin letters, other than English, that the function words tell; empty for none."""
    counts = _counts(lower_words)
    best = max(_LATIN, key=lambda language: counts[language])
    return best if counts[best] > counts["en"] else ""


def _languages_asked(lower_words: list[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the languages, other than English, that a query may be in, and the stop words of those it is likely in."""
    counts = _counts(lower_words)
    most = max(counts.values())
    if not most:
        return tuple(_LATIN), frozenset()
    likely = [language for language, count in counts.items() if count == most]
    stopped = frozenset().union(*(stop_words.STOP_WORDS[language] for language in likely))
    return tuple(language for language in likely if language != "en"), stopped


def _bounded(found: Counter[str]) -> dict[str, int]:
    if len(found) <= NOTE_TERMS and max(map(len, found), default=0) <= TERM_LENGTH:
        return dict(found)
    kept: Counter[str] = Counter()
    for term, count in list(found.items())[:NOTE_TERMS]:
        kept[_shortened(term)] += count
    return dict(kept)


def _shortened(term: str) -> str:
    if len(term) <= TERM_LENGTH:
        return term
    digest = hashlib.blake2b(term.encode(), digest_size=8).hexdigest()
    return f"{term[: TERM_LENGTH - 17]}~{digest}"


@functools.cache
def _pieces() -> re.Pattern[str]:
    unspaced, marks = characters.UNSPACED, characters.marks()
    letter = rf"(?:(?![{unspaced}])[\w])(?:(?![{unspaced}])[\w{marks}])*"
    return re.compile(
        rf"(?P<run>[{unspaced}][{unspaced}{marks}]*)"
        rf"|(?P<word>{letter}(?:[{_JOINTS}]{{1,3}}{letter})*(?:\+\+|\#)?)"
        rf"|(?P<picture>[{characters.FLAG_HALVES}]{{1,2}}|[{characters.PICTURES}])"
    )


@functools.cache
def _clusters() -> re.Pattern[str]:
    return re.compile(f"[^{characters.marks()}][{characters.marks()}]*|[{characters.marks()}]+")


@functools.cache
def _lettered() -> re.Pattern[str]:
    return re.compile(rf"[^\W\d_](?:[^\W\d_]|[{characters.marks()}])*")
