"""A fact as the strategies read it: tokens in clauses, each with the part it plays, words and characters alike."""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memory_bank.domain import characters
from memory_bank.domain.contradictions import quantities
from memory_bank.domain.cues import attributes, changes, grammar, reading, relations, states, states_unspaced, words

READ_LIMIT = 1_200
"""Characters of a fact that are read: what it claims stands in its beginning."""
_TOKENS = 240
ANTONYMS = 1_000
"""Scales from this number on are pairs of antonyms, which are states only as predicates."""

_UNSPACED = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_HIRAGANA = re.compile("[\u3040-\u309f]")
_BULLET = re.compile(r"\s*(?:[-*–—+#>]+\s+|•\s*)+")
_TOKEN = re.compile(
    r"(?P<path>(?<!\w)/[a-z\d_][\w./-]*)"
    rf"|(?P<number>(?:(?<!\w)[-−#](?=\d))?(?<![a-z\d_])v?\d+(?:[.,:/]\d+)*)|(?P<character>[{_UNSPACED}])"
    rf"|(?P<word>[^\W_{_UNSPACED}](?:[^\W{_UNSPACED}]|{chr(0x300)})*(?:['./@+-](?:[^\W{_UNSPACED}])+)*)"
    r"|(?P<stop>[.!?;。！？；\n]+|\s[-–—]+\s|[()（）])|(?P<comma>[,，、:：]+)"
)
_SAME_BEGINNING = 5


class Part(StrEnum):
    """What a phrase does in a fact."""

    PLAIN = "plain"
    NEGATOR = "negator"
    IDIOM = "idiom"
    ENDING = "ending"
    RETURN = "return"
    REPLACEMENT = "replacement"
    ADDITIVE = "additive"
    ASIDE = "aside"
    SINGLE = "single"
    MULTIPLE = "multiple"
    STATE = "state"
    RELATION = "relation"
    KIND = "kind"
    ATTITUDE = "attitude"


@dataclass(frozen=True, kw_only=True)
class Token:
    """A word, number or unspaced character; `clause` counts the commas and stops before it, `sentence` the stops."""

    text: str
    stem: str
    clause: int
    sentence: int
    number: bool = False
    character: bool = False
    label: bool = False


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """A cue at tokens `start` to `end`.

    `state` is the scale and class of a state, day or attitude, or the row of a relation and 0.
    """

    part: Part
    start: int
    end: int
    text: str
    state: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One fact read. `content` marks the tokens that say what it is about, `own` the words of its entity."""

    tokens: tuple[Token, ...]
    language: str
    content: tuple[bool, ...]
    phrases: tuple[Phrase, ...]
    quantities: tuple[quantities.Quantity, ...]
    own: tuple[bool, ...]
    stems: frozenset[str]
    kin: Mapping[str, tuple[str, ...]]
    pairs: frozenset[str]

    def of(self, part: Part) -> tuple[Phrase, ...]:
        """Return the phrases that play `part`."""
        return tuple(phrase for phrase in self.phrases if phrase.part is part)

    def words(self, start: int = 0, end: int | None = None) -> tuple[int, ...]:
        """Return the positions of the content words from `start` to before `end`."""
        return tuple(i for i in range(start, len(self.tokens) if end is None else end) if self.content[i])

    def shown(self, positions: Iterable[int]) -> str:
        """Return the words at `positions` as a reader sees them."""
        out = ""
        for position in positions:
            token = self.tokens[position]
            out += token.text if token.character or not out else " " + token.text
        return out


@functools.lru_cache(maxsize=512)
def prepared(text: str) -> str:
    """Return what is read of `text`: normalised, folded, without a bullet, single-spaced."""
    known = characters.normalised(text[: READ_LIMIT * 2])[: READ_LIMIT * 2]
    if bullet := _BULLET.match(known):
        known = known[bullet.end() :]
    return re.sub(r"[^\S\n]+", " ", characters.folded(known)).strip()[:READ_LIMIT]


@functools.lru_cache(maxsize=256)
def read(text: str, *, language: str, entity: str = "") -> Fact:
    """Read a prepared fact in `language`; the words of `entity` are no content, for every fact of it shares them."""
    tokens = _tokens(text, language)
    numbers = quantities.found(tuple(token.text for token in tokens), language=language)
    taken = {position for number in numbers for position in range(number.start, number.end)}
    phrases = tuple(_phrases(tokens, language))
    silent = {i for phrase in phrases if _is_silent(phrase) for i in range(phrase.start, phrase.end)}
    named = _tokens(prepared(entity), language) if entity else ()
    own = frozenset(token.stem for token in named)
    stems = frozenset(form for token in tokens if not token.character for form in (token.stem, token.text))
    function = _function_words(language)
    content = tuple(
        i not in taken
        and i not in silent
        and not token.number
        and token.text not in function
        and not token.text.endswith("'")
        and not (token.character and _HIRAGANA.match(token.text))
        and not (not token.character and token.stem in own)
        for i, token in enumerate(tokens)
    )
    return Fact(
        tokens=tokens,
        language=language,
        content=content,
        phrases=phrases,
        quantities=numbers,
        own=tuple(token.stem in own if not token.character else False for token in tokens),
        stems=stems,
        kin=_by_beginning(stems),
        pairs=frozenset(_pairs(tokens)) | frozenset(_pairs(named)),
    )


def language(one: str, two: str) -> str:
    """Return the language of two prepared texts: where function words point to several, the one with most cues."""
    candidates = reading.languages(f"{one} . {two}")
    if len(candidates) == 1:
        return candidates[0]
    known = {each: _known(one, each) + _known(two, each) for each in candidates if each in _CUED}
    return max(known, key=lambda each: known[each], default=candidates[0])


@functools.lru_cache(maxsize=1_024)
def _known(text: str, language: str) -> int:
    """Return how many words of `text`, function words apart, stand in cues of `language`."""
    tokens, function = _tokens(text, language), _function_words(language)
    # antonyms are known in every language alike
    own = (phrase for phrase in _phrases(tokens, language) if phrase.state is None or phrase.state[0] < ANTONYMS)
    marked = {i for phrase in own for i in range(phrase.start, phrase.end)}
    return sum(tokens[i].text not in function for i in marked)


def missing(fact: Fact, other: Fact, positions: Iterable[int]) -> list[int]:
    """Return those of the content words at `positions` of `fact` that `other` does not have."""
    return [position for position in positions if not has(other, fact, position)]


def parted(fact: Fact, other: Fact) -> bool:
    """Tell whether each fact names another part of the entity, as those about "gas and water" may."""
    mine = {token.stem for token, own in zip(fact.tokens, fact.own, strict=True) if own}
    yours = {token.stem for token, own in zip(other.tokens, other.own, strict=True) if own}
    return bool(mine - other.stems) and bool(yours - fact.stems)


def shared(fact: Fact, other: Fact) -> list[int]:
    """Return the content words of `fact` that `other` has."""
    return [position for position in fact.words() if has(other, fact, position)]


def has(other: Fact, fact: Fact, position: int) -> bool:
    """Tell whether `other` has the word, or the unspaced character in its surroundings, at `position` of `fact`."""
    token = fact.tokens[position]
    if not token.character:
        return token.stem in other.stems or any(
            akin(form, known)
            for form in (token.stem, token.text)
            for known in other.kin.get(form[:_SAME_BEGINNING], ())
        )
    near = [
        "".join(each.text for each in fact.tokens[start : start + 2])
        for start in (position - 1, position)
        if start >= 0
    ]
    return any(pair in other.pairs for pair in near)


def akin(one: str, two: str) -> bool:
    """Tell whether two stems belong to one word: one begins the other, or most of both is the same."""
    if one in _SECURED or two in _SECURED:
        return one == two
    short, long = sorted((one, two), key=len)
    if len(short) < _SAME_BEGINNING or short[0] != long[0] or not short.isalpha():
        return False
    common = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return common == len(short) or (common >= _SAME_BEGINNING and common >= 0.75 * len(long))


def _by_beginning(stems: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for stem in stems:
        if len(stem) >= _SAME_BEGINNING:
            found.setdefault(stem[:_SAME_BEGINNING], []).append(stem)
    return {beginning: tuple(known) for beginning, known in found.items()}


def _is_silent(phrase: Phrase) -> bool:
    return phrase.part in (Part.PLAIN, Part.NEGATOR, Part.IDIOM, Part.RETURN, Part.REPLACEMENT, Part.ASIDE)


def _tokens(text: str, language: str = "") -> tuple[Token, ...]:
    found: list[Token] = []
    clause = sentence = 0
    for match in _TOKEN.finditer(text):
        if len(found) >= _TOKENS:
            break
        kind, value = match.lastgroup, match.group()
        if kind in ("stop", "comma"):
            clause += 1
            sentence += kind == "stop"
            if kind == "comma" and value[0] in ":：" and found:
                found[-1] = _labelled(found[-1])
            continue
        if kind == "word" and language in _ELIDING and (elided := _ELIDED.match(value)):
            head = elided.group()
            found.append(Token(text=head, stem=head, clause=clause, sentence=sentence))
            value = value[len(head) :]
        word = _IRREGULAR.get(value, value) if kind == "word" else value
        found.append(
            Token(
                text=value,
                stem=_stem(word.removesuffix("'s"), language) if kind == "word" else value,
                clause=clause,
                sentence=sentence,
                number=kind == "number",
                character=kind == "character",
            )
        )
    return tuple(found)


def _stem(word: str, language: str) -> str:
    if word in _SECURED:
        return word
    stem = reading.stem(word)
    if language in _ROMANCE:
        stem = _ROMANCE_ENDING.sub("", stem)
    return reading.stem(stem) if len(stem) > 4 else stem


_SECURED = reading.word_set(grammar.SECURED)
_ELIDING = frozenset({"fr", "it"})
_ELIDED = re.compile(r"(?:[ldnscjmt]|qu|un|dell|all|nell|sull|dall|quest)'(?=\w)")
_ROMANCE = frozenset({"es", "fr", "it", "pt"})
# Endings of infinitives, participles and the third person that `reading.stem` leaves.
_ROMANCE_ENDING = re.compile(
    r"(?<=\w\w\w)(?:ar|er|ir|are|ere|ire|ad|id|and|iend|ant|ent|ons|ont|ut|é|ée|aron|ieron|i|u)$"
)


def _labelled(token: Token) -> Token:
    return Token(
        text=token.text,
        stem=token.stem,
        clause=token.clause,
        sentence=token.sentence,
        number=token.number,
        character=token.character,
        label=True,
    )


def _pairs(tokens: Iterable[Token]) -> Iterator[str]:
    before: Token | None = None
    for token in tokens:
        if before is not None and (token.character or before.character):
            yield before.text + token.text
        before = token


@functools.cache
def _function_words(language: str) -> frozenset[str]:
    listed = words.FUNCTION_WORDS.get(language, "") + " " + words.FUNCTION_WORDS_MORE.get(language, "")
    return frozenset(characters.folded(listed).split()) - frozenset(quantities.NUMBER_WORDS)


_STATES = {**states.STATES, **states_unspaced.STATES}
_LEXICONS: tuple[tuple[Part, Mapping[str, str]], ...] = (
    (Part.IDIOM, changes.NO_NEGATIONS),
    (Part.NEGATOR, changes.NEGATORS),
    (Part.ENDING, changes.ENDINGS),
    (Part.RETURN, changes.RETURNS),
    (Part.REPLACEMENT, changes.REPLACEMENTS),
    (Part.ADDITIVE, changes.ADDITIVE),
    (Part.ASIDE, changes.ASIDES),
    (Part.SINGLE, attributes.SINGLE),
    (Part.MULTIPLE, attributes.MULTIPLE),
    (Part.PLAIN, changes.PLAIN),
)

_CUED = frozenset(changes.NEGATORS)
_IRREGULAR = {form: base for base, forms in words.IRREGULAR_FORMS.items() for form in forms.split()}


@functools.cache
def _lexicon(language: str) -> dict[str, tuple[tuple[tuple[str, ...], Part, tuple[int, int] | None], ...]]:
    """Return the phrases of `language` by their first token."""
    known: dict[str, list[tuple[tuple[str, ...], Part, tuple[int, int] | None]]] = {}

    def add(text: str, part: Part, state: tuple[int, int] | None = None) -> None:
        parts = tuple(token.text for token in _tokens(characters.folded(text.strip()), language))
        if parts:
            known.setdefault(parts[0], []).append((parts, part, state))

    for part, table in _LEXICONS:
        for text in table.get(language, "").split("|"):
            add(text, part)
    for part, scales in (
        (Part.STATE, _STATES),
        (Part.KIND, relations.KINDS),
        (Part.ATTITUDE, relations.ATTITUDES),
    ):
        for scale, row in enumerate(scales.get(language, ())):
            for rank, listed in enumerate(row.split("/")):
                for text in listed.split("|"):
                    add(text, part, (scale, rank))
    for scale, entry in enumerate(words.ANTONYMS.split("|"), start=ANTONYMS):
        for rank, text in enumerate(entry.split()):
            add(text, Part.STATE, (scale, rank))
    for scale, listed in enumerate(relations.RELATIONS.get(language, ())):
        for text in listed.split("|"):
            add(text, Part.RELATION, (scale, 0))
    return {first: tuple(found) for first, found in known.items()}


def _phrases(tokens: tuple[Token, ...], language: str) -> Iterator[Phrase]:
    """Yield the cues, of each part the longest at a place and none inside another; idioms hide the negators in them."""
    lexicon = _lexicon(language)
    texts = tuple(token.text for token in tokens)
    ends: dict[Part, int] = {}
    for start, text in enumerate(texts):
        here = [
            (end, part, state)
            for parts, part, state in lexicon.get(text, ())
            if (end := _end(texts, start, parts)) and tokens[start].sentence == tokens[end - 1].sentence
        ]
        for end, part, state in sorted(here, key=lambda each: -each[0]):
            if start < ends.get(part, 0) and state is None:
                continue
            if part is Part.NEGATOR and start < ends.get(Part.IDIOM, 0):
                continue
            ends[part] = max(end, ends.get(part, 0))
            yield Phrase(part=part, start=start, end=end, text=_joined(tokens[start:end]), state=state)
        if language in _COMPOUNDING and start >= ends.get(Part.SINGLE, 0) and _ends_in_single(text, language):
            ends[Part.SINGLE] = start + 1
            yield Phrase(part=Part.SINGLE, start=start, end=start + 1, text=text)


def _end(texts: tuple[str, ...], start: int, parts: tuple[str, ...]) -> int:
    """Return where a phrase at `start` ends, 0 if it is none; behind its first word "now" may stand."""
    if texts[start : start + len(parts)] == parts:
        return start + len(parts)
    inside = start + 1
    later = len(parts) > 1 and inside < len(texts) and texts[inside] in _PRESENT
    return inside + len(parts) if later and texts[inside + 1 : inside + len(parts)] == parts[1:] else 0


_PRESENT = reading.word_set(grammar.PRESENT)
_COMPOUNDING = frozenset({"de", "nl"})


def _ends_in_single(word: str, language: str) -> bool:
    """Tell whether a compound such as "Projektsprache" ends in a noun that there is one of."""
    known = _lexicon(language)
    return any(
        parts == (word[cut:],) and part is Part.SINGLE
        for cut in range(3, min(len(word), 40) - 3)
        for parts, part, _ in known.get(word[cut:], ())
    )


def _joined(tokens: Iterable[Token]) -> str:
    out = ""
    for token in tokens:
        out += token.text if token.character or not out else " " + token.text
    return out
