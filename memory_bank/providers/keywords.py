"""Keywords of a text in any script, most important first.

Ranking is YAKE (Campos et al., "YAKE! Keyword extraction from single documents using multiple local features", 2020) by
`yake-rust`: MIT, where the Python `yake` is LGPL. `budoux` (Apache-2.0) cuts scripts that write no spaces.
"""

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator

import budoux
import yake_rust

from memory_bank.domain.cues import reading, words

READ_LIMIT = 4_000
"""Characters of a text that are read: its beginning names what it is about."""
_WORD_LIMIT = 40
_FIRST, _IDENTIFIERS = 3, 5
_YAKE_LANGUAGES = frozenset({"en", "de", "es", "fr", "it", "pt", "nl", "ru", "zh", "ja"})
_LINK = re.compile(r"(?:https?://|www\.)\S{1,2000}")
_RUN = re.compile("[\u0e00-\u0e7f]+|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff々]+")
_PIECE = re.compile(rf"[^\W_](?:[\w{reading.MARKS}]|[-'’./@+](?=\w))*|[^\w\s]")
_TRAILING_HIRAGANA = re.compile("(?<=[\u30a0-\u30ff\u3400-\u9fff々])[\u3040-\u309f]+$")
_KOREAN_PARTICLE = re.compile("(?<=[가-힣]{2})(?:에서|에게|으로|은|는|이|가|을|를|에|로|의|와|과|도)$")
_HIRAGANA_ONLY = re.compile("[\u3040-\u309f]+")
_CHINESE_TIME = re.compile("([去今明昨前后上下本][年天日晚周月]|[周星][期]?[一二三四五六日])")
_SENTENCE_END = frozenset(".!?。！？؟।۔;")
_IDENTIFIER = re.compile(r"(?=.*[^\W\d_])(?:.*[\d_@/].*|.+[^.]\.\w.*|[^\W_a-z]*[^\W_A-Z]+[A-Z].*)")
_NOISE = frozenset(
    " ".join(
        (
            words.CALENDAR,
            words.CALENDAR_UNSPACED,
            words.PERSONAL,
            words.IRREGULAR_PAST,
            *words.FUNCTION_WORDS.values(),
        )
    ).split()
)


def extracted(text: str, *, limit: int) -> tuple[str, ...]:
    """Return up to `limit` keywords or two-word phrases of `text`, most important first.

    Reads `READ_LIMIT` characters. Never fails: text without words has no keywords.
    """
    sample = unicodedata.normalize("NFC", text[:READ_LIMIT])
    pieces = tuple(_pieces(_LINK.sub(" ", sample)))
    told = [piece for piece in pieces if _tells(piece)]
    language = reading.language(sample)
    ranked = [phrase for phrase in _ranked(pieces, language, count=3 * limit) if _tells(phrase)]
    phrases = list(_without_parts(ranked))
    identifiers = [word for word in told if is_identifier(word)][:_IDENTIFIERS]
    merged = [*phrases[:_FIRST], *identifiers, *phrases[_FIRST:]]
    if len(phrases) < _FIRST:
        merged += [*ranked, *told]
    distinct: dict[str, str] = {}
    for keyword in merged:
        distinct.setdefault(keyword.casefold(), keyword)
    return tuple(distinct.values())[:limit]


def is_identifier(word: str) -> bool:
    """Tell whether `word` names one thing by its form: letters with digits, inner capitals, dots, `_`, `@` or `/`."""
    return len(word) <= _WORD_LIMIT and bool(_IDENTIFIER.fullmatch(word))


def _pieces(text: str) -> Iterator[str]:
    """Yield words and the signs between them, scripts without spaces cut into words."""
    japanese = re.search("[\u3040-\u30ff]", text) is not None
    cut = _RUN.sub(lambda run: " " + " ".join(_cut(run.group(), japanese=japanese)) + " ", text)
    for piece in _PIECE.findall(cut):
        if len(piece) <= _WORD_LIMIT:
            yield _KOREAN_PARTICLE.sub("", piece.strip("'’"))


def _cut(run: str, *, japanese: bool) -> Iterator[str]:
    if not japanese:
        parts = _CHINESE_TIME.split(run)
        if len(parts) > 1:
            for part in filter(None, parts):
                yield from (part,) if _CHINESE_TIME.fullmatch(part) else _cut(part, japanese=False)
            return
    name = "th" if "\u0e00" <= run[0] <= "\u0e7f" else "ja" if japanese else "zh-hans"
    for word in _parser(name).parse(run):
        # Particles and endings follow a Japanese word without a space.
        yield _TRAILING_HIRAGANA.sub("", word) if japanese else word


@functools.cache
def _parser(name: str) -> budoux.Parser:
    match name:
        case "th":
            return budoux.load_default_thai_parser()
        case "ja":
            return budoux.load_default_japanese_parser()
        case _:
            return budoux.load_default_simplified_chinese_parser()


@functools.cache
def _yake(language: str) -> yake_rust.Yake:
    # Words cut from a script without spaces stay single: a particle stood between two Japanese ones.
    ngrams = 1 if language in ("zh", "ja") else 2
    if language in _YAKE_LANGUAGES:
        return yake_rust.Yake(language=language, ngrams=ngrams)
    return yake_rust.Yake(stopwords=set(), ngrams=ngrams)


def _ranked(pieces: Iterable[str], language: str, *, count: int) -> list[str]:
    # The words are laid out anew, one sentence a line: no sequence of signs in a note then reaches the library, and no
    # identifier, which it would take apart.
    laid_out: list[str] = []
    for piece in pieces:
        word = piece[:1].isalnum() and not is_identifier(piece)
        part = f" {piece}" if word else ".\n" if piece in _SENTENCE_END else " ,"
        if word or (laid_out and laid_out[-1] not in (" ,", ".\n")):
            laid_out.append(part)
    return [phrase for phrase, _ in _yake(language).get_n_best("".join(laid_out), n=count)] if laid_out else []


def _tells(phrase: str) -> bool:
    """Tell whether a phrase says something: no date, number, lone sign or function word at either end."""
    parts = phrase.split()
    if not parts or any(part.lower() in _NOISE or not part[0].isalpha() for part in (parts[0], parts[-1])):
        return is_identifier(phrase)
    if all(_HIRAGANA_ONLY.fullmatch(part) for part in parts):
        return False
    shortest = 2 if parts[0][0].isascii() or _RUN.match(parts[0]) else 1
    return all(len(part) >= shortest and len(set(part)) > 1 for part in parts)


def _without_parts(ranked: Iterable[str]) -> Iterator[str]:
    """Drop a phrase that shares a word with one ranked above it."""
    used: set[str] = set()
    for phrase in ranked:
        parts = {reading.stem(part) for part in phrase.lower().split()}
        if not parts & used:
            used |= parts
            yield phrase
