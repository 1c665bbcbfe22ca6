"""Contradiction by value: one thing is given two values of what it has one of at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.domain.contradictions import denial, facts
from memory_bank.domain.contradictions.facts import Fact, Part
from memory_bank.domain.cues import grammar, reading

_LONGEST, _LONGEST_UNSPACED = 4, 14
_ARTICLES = reading.word_set(grammar.ARTICLES)
_EXCLUSIVE = reading.word_set(grammar.EXCLUSIVE)


@dataclass(frozen=True, kw_only=True)
class _Slot:
    """Where a fact differs from another one: the words before and after in common, and the words of its value."""

    before: tuple[int, ...]
    value: tuple[int, ...]
    after: tuple[int, ...]


def differ(old: Fact, new: Fact) -> str:
    """Return why the facts fill one single-valued place differently, or nothing."""
    slots = _slots(old, new)
    if slots is None:
        return ""
    mine, yours = slots
    if _leaves_room(old, mine.value[0]) or _leaves_room(new, yours.value[0]):
        return ""
    if _specified(old, new, mine.value, yours.value):
        return ""
    if not _exclusive(old, new, mine.value, yours.value) or bool(old.of(Part.NEGATOR)) != bool(new.of(Part.NEGATOR)):
        return ""
    cue, other = _single(old, mine), _single(new, yours)
    framed = bool(mine.before or mine.after) or _share_entity(old, new)
    if not cue or not other or not (cue == other or facts.akin(cue, other) or mine.before or mine.after):
        if not framed or not _of_one_kind(old, new, mine, yours):
            return ""
        cue = old.shown((*mine.before, *mine.after)) or "The time"
    elif not framed and cue in _EXCLUSIVE:
        return ""
    one, two = old.shown(mine.value), new.shown(yours.value)
    return f"“{cue}” has one value: “{one}” in the older fact, “{two}” in the newer one."


def related(old: Fact, new: Fact) -> str:
    """Return why the facts put one thing into one relation with two others, or nothing."""
    for mine in old.of(Part.RELATION):
        for yours in new.of(Part.RELATION):
            if mine.state is None or yours.state is None or mine.state[0] != yours.state[0]:
                continue
            if _leaves_room(old, mine.start) or _leaves_room(new, yours.start):
                continue
            if denial.denies(old, mine.start) or denial.denies(new, yours.start):
                continue
            one, two = _object(old, mine), _object(new, yours)
            if not one or not two or _specified(old, new, one, two) or _as_what(mine) != _as_what(yours):
                continue
            if _exclusive(old, new, one, two) and same_subject(old, new, mine, yours):
                return (
                    f"“{mine.text} {old.shown(one)}” in the older fact and “{yours.text} {new.shown(two)}” in the"
                    " newer one exclude each other."
                )
    return ""


def _specified(old: Fact, new: Fact, mine: Sequence[int], yours: Sequence[int]) -> bool:
    """Tell whether the newer value may name what the older one describes: "a JVM language", "Kotlin"."""
    vague = [
        first > 0 and fact.tokens[first - 1].text in _ARTICLES for fact, first in ((old, mine[0]), (new, yours[0]))
    ]
    return vague[0] and not vague[1]


def _as_what(phrase: facts.Phrase) -> bool:
    """Tell whether a relation says as what somebody works, rather than where or for whom."""
    return phrase.text.rpartition(" ")[2] in _AS


_AS = reading.word_set("as als como comme come")


def _share_entity(old: Fact, new: Fact) -> bool:
    named = {token.stem for token, own in zip(old.tokens, old.own, strict=True) if own}
    return any(own and token.stem in named for token, own in zip(new.tokens, new.own, strict=True))


def _leaves_room(fact: Fact, position: int) -> bool:
    start, end = denial.clause(fact, position)
    return any(start <= phrase.start < end for phrase in fact.of(Part.ADDITIVE))


def same_subject(old: Fact, new: Fact, mine: facts.Phrase, yours: facts.Phrase) -> bool:
    """Tell whether the clauses of two phrases speak of one thing: of the entity itself, or in words of both facts."""
    one = subject(old, mine)
    two = subject(new, yours)
    lost, gained = facts.missing(old, new, one), facts.missing(new, old, two)
    if lost and gained:
        return False
    shared = len(one) - len(lost) + len(two) - len(gained)
    if shared:
        return 2 * (len(lost) + len(gained)) < shared
    return all(
        not words or opens_with_entity(fact, phrase) for fact, phrase, words in ((old, mine, one), (new, yours, two))
    )


def opens_with_entity(fact: Fact, phrase: facts.Phrase) -> bool:
    """Tell whether the clause of `phrase` begins with the entity, and not with something that belongs to it."""
    start, _ = denial.clause(fact, phrase.start)
    first = next((i for i in range(start, phrase.start) if fact.own[i] or fact.content[i]), None)
    return first is not None and fact.own[first] and not fact.tokens[first].text.endswith(("'s", "s'"))


def subject(fact: Fact, phrase: facts.Phrase) -> tuple[int, ...]:
    """Return the content words before `phrase` in its clause, cues apart."""
    start, _ = denial.clause(fact, phrase.start)
    end = phrase.start
    if fact.language in ("ja", "ko"):
        end = next((i for i in range(start, end) if fact.tokens[i].text in _TOPIC_MARKS), end)
    return tuple(
        i for i in fact.words(start, end) if not _within(fact, i) and fact.tokens[i].text not in denial.CALENDAR
    )


_TOPIC_MARKS = frozenset("はがも은는이가")


def _within(fact: Fact, position: int) -> bool:
    return any(phrase.start <= position < phrase.end for phrase in fact.phrases if phrase.state is not None)


def _object(fact: Fact, phrase: facts.Phrase) -> tuple[int, ...]:
    _, end = denial.clause(fact, phrase.start)
    if fact.language in ("ja", "ko"):
        start, _ = denial.clause(fact, phrase.start)
        return fact.words(start, phrase.start)[-_LONGEST_UNSPACED:]
    return fact.words(phrase.end, end)[: _LONGEST_UNSPACED if fact.language == "zh" else _LONGEST]


def _slots(old: Fact, new: Fact) -> tuple[_Slot, _Slot] | None:
    """Lay the facts over each other from the start, then the words of the first clauses that differ from their ends."""
    mine, yours = old.words(), new.words()
    same = 0
    while same < min(len(mine), len(yours)) and _equal(old, new, mine[same], yours[same]):
        same += 1
    if same == len(mine) or same == len(yours):
        return None
    one, two = _clause_from(old, mine, same), _clause_from(new, yours, same)
    tail = 0
    while tail < min(len(one), len(two)) and _equal(old, new, one[-1 - tail], two[-1 - tail]):
        tail += 1
    values = one[: len(one) - tail], two[: len(two) - tail]
    limit = _LONGEST_UNSPACED if old.tokens[mine[same]].character else _LONGEST
    if not all(values) or any(len(value) > limit for value in values):
        return None
    return (
        _Slot(before=tuple(mine[:same]), value=tuple(values[0]), after=tuple(one[len(one) - tail :])),
        _Slot(before=tuple(yours[:same]), value=tuple(values[1]), after=tuple(two[len(two) - tail :])),
    )


def _clause_from(fact: Fact, content: Sequence[int], index: int) -> list[int]:
    _, end = denial.clause(fact, content[index])
    return [position for position in content[index:] if position < end]


def _equal(old: Fact, new: Fact, mine: int, yours: int) -> bool:
    one, two = old.tokens[mine], new.tokens[yours]
    return one.stem == two.stem or (not one.character and facts.akin(one.stem, two.stem))


def _exclusive(old: Fact, new: Fact, mine: Sequence[int], yours: Sequence[int]) -> bool:
    """Tell whether no value contains the other one, nor stands elsewhere in the other fact."""
    one, two = facts.missing(old, new, mine), facts.missing(new, old, yours)
    return len(one) * 2 > len(mine) and len(two) * 2 > len(yours)


def _single(fact: Fact, slot: _Slot) -> str:
    """Return the words that leave room for one value only, if any stand by the slot."""
    start, end = slot.value[0], slot.value[-1] + 1
    inside = set(slot.value)
    around = [
        phrase
        for phrase in fact.of(Part.SINGLE)
        if not inside & set(range(phrase.start, phrase.end)) and _near(fact, phrase, slot)
    ]
    exclusive = next((phrase for phrase in around if phrase.text in _EXCLUSIVE), None)
    if exclusive is not None:
        return exclusive.text
    for phrase in reversed(around):
        if phrase.start and fact.tokens[phrase.start - 1].text in _ARTICLES:
            continue
        if not _points(fact, phrase, slot):
            continue
        first, last = (phrase.end, start) if phrase.end <= start else (end, phrase.start)
        if not any(first <= many.start < last for many in fact.of(Part.MULTIPLE)):
            return phrase.text
    return _label(fact, slot) or _passive(fact, slot) or _located(fact, slot)


def _of_one_kind(old: Fact, new: Fact, mine: _Slot, yours: _Slot) -> bool:
    """Tell whether the values are two days, two parts of the day or two rhythms of one thing that is or happens."""
    one, two = _kinds(old, mine), _kinds(new, yours)
    return any(scale == other and rank != its for scale, rank in one for other, its in two) and not any(
        phrase.start <= slot.value[-1]
        for fact, slot in ((old, mine), (new, yours))
        for phrase in fact.of(Part.MULTIPLE)
    )


def other_days(old: Fact, new: Fact) -> bool:
    """Tell whether the facts name different days, parts of the day or rhythms."""
    one = {phrase.state for phrase in old.of(Part.KIND) if phrase.state}
    two = {phrase.state for phrase in new.of(Part.KIND) if phrase.state}
    scales = {scale for scale, _ in one} & {scale for scale, _ in two}
    return any(
        not {rank for scale, rank in one if scale == each} & {rank for scale, rank in two if scale == each}
        for each in scales
    )


def _kinds(fact: Fact, slot: _Slot) -> set[tuple[int, int]]:
    inside = set(slot.value)
    return {
        phrase.state for phrase in fact.of(Part.KIND) if phrase.state and inside & set(range(phrase.start, phrase.end))
    }


def _points(fact: Fact, phrase: facts.Phrase, slot: _Slot) -> bool:
    """Tell whether the cue is said of the value: by its own preposition or verb, or by a copula or colon between."""
    first, last = slot.value[0], slot.value[-1]
    behind = phrase.start > last
    between = fact.tokens[last + 1 : phrase.start] if behind else fact.tokens[phrase.end : first]
    if fact.tokens[first].character or fact.tokens[phrase.start].character:
        if behind:
            return bool(between) and between[0].text in _LINKS
        return not between or between[0].text not in _INSIDE
    verb = fact.tokens[phrase.end - 1].text in _POINTERS or phrase.text in _POINTERS
    if behind:
        return bool(between) and not fact.content[last + 1] and not verb
    label = fact.tokens[phrase.start].clause != fact.tokens[first].clause and any(
        token.label for token in fact.tokens[phrase.start : first]
    )
    return verb or label or any(token.text in denial.BE for token in between)


_INSIDE = reading.word_set(grammar.INSIDE)
_LINKS = reading.word_set(grammar.LINKS)
_POINTERS = reading.word_set(grammar.POINTERS)


def _near(fact: Fact, phrase: facts.Phrase, slot: _Slot) -> bool:
    return abs(fact.tokens[phrase.start].clause - fact.tokens[slot.value[0]].clause) <= 1


def _located(fact: Fact, slot: _Slot) -> str:
    """Return "is in" of "the fair is in Lyon": a definite thing is in one place."""
    first = slot.value[0]
    while first > 0 and fact.tokens[first - 1].text in _DEFINITE:
        first -= 1
    if first < 3 or fact.tokens[first].character:
        return ""
    copula, preposition = fact.tokens[first - 2].text, fact.tokens[first - 1].text
    definite = fact.tokens[0].text in _DEFINITE or fact.own[0]
    if (
        definite
        and copula in _COPULAS
        and preposition in _PLACED
        and any(fact.own[: first - 2] + fact.content[: first - 2])
    ):
        return f"{copula} {preposition}"
    return ""


_DEFINITE = reading.word_set(grammar.DEFINITE)
_COPULAS = reading.word_set(grammar.LOCATING)
_PLACED = reading.word_set(grammar.PLACED)


def _passive(fact: Fact, slot: _Slot) -> str:
    """Return "serialised as" of "messages are serialised as JSON": how or by whom something is done is one."""
    first = slot.value[0]
    if first < 3 or fact.language != "en":
        return ""
    copula, verb, preposition = (token.text for token in fact.tokens[first - 3 : first])
    if (
        copula in ("is", "are")
        and preposition in ("as", "by", "with")
        and verb.endswith(("ed", "en", "wn", "de", "lt"))
    ):
        return "" if verb in _SHARED_PASSIVES else f"{verb} {preposition}"
    return ""


_PLACES = reading.word_set(grammar.PLACES)
_SHARED_PASSIVES = reading.word_set(grammar.SHARED_PASSIVES)


def _label(fact: Fact, slot: _Slot) -> str:
    """Return the words before a colon right before the value, when they are singular and name no list."""
    label = next((i for i in range(slot.value[0]) if fact.tokens[i].label), None)
    if (
        label is None
        or label > 3
        or fact.tokens[0].text in _PLACES
        or any(phrase.start <= label for phrase in fact.of(Part.MULTIPLE))
    ):
        return ""
    word = fact.tokens[label].text
    plural = not fact.tokens[label].character and word.endswith("s") and not word.endswith("ss")
    if plural or fact.tokens[slot.value[0]].clause != fact.tokens[label].clause + 1:
        return ""
    return fact.shown(range(label + 1))
