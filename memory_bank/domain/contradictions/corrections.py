"""Contradiction by correction: the newer fact itself names what the older one says as what is so no more."""

from collections.abc import Iterator
from dataclasses import dataclass

from memory_bank.domain.contradictions import denial, facts
from memory_bank.domain.contradictions.facts import Fact, Part
from memory_bank.domain.cues import grammar, reading, relations

_CHANGES = reading.word_set(grammar.CHANGES)
_FROM, _TO = reading.word_set(grammar.FROM), reading.word_set(grammar.TOWARDS)
_INSTEAD = frozenset(grammar.INSTEAD.split("|"))
_JOINING = reading.word_set(grammar.JOINING)
_USING = reading.word_set(grammar.USING)
_WEAK = reading.word_set(grammar.WEAK)
_SCOPING = reading.word_set(grammar.LIMITING)
_LONGEST = 6


@dataclass(frozen=True, kw_only=True)
class _Change:
    """A change as a fact tells it: its verb, the words of the value that was, and where the one that is begins."""

    verb: str
    towards: str
    start: int
    was: range
    now: int


def corrected(old: Fact, new: Fact) -> str:
    """Return why the newer fact takes back what the older one says, or nothing."""
    if old.of(Part.NEGATOR) or old.of(Part.ENDING) or not old.tokens or old.tokens[0].character:
        return ""
    for change in _changes(new):
        if _is_said(old, new, change.was) and _is_of(old, new, change):
            return f"The newer fact says that “{_shown(new, change.was)}” of the older one was changed."
    for dropped in _dropped(new):
        if _is_said(old, new, dropped) and _is_instead(old, new, dropped):
            return f"The newer fact says that it is not “{_shown(new, dropped)}”, as the older one has it."
    return ""


def _changes(fact: Fact) -> Iterator[_Change]:
    """Yield what a fact says to have changed from one value to another ("moved from Berlin to Munich")."""
    for position, token in enumerate(fact.tokens):
        if token.text not in _FROM:
            continue
        start, end = denial.clause(fact, position)
        verb = next((fact.tokens[i].text for i in range(start, end) if fact.tokens[i].text in _CHANGES), "")
        to = next((i for i in range(position + 2, end - 1) if fact.tokens[i].text in _TO), 0)
        if verb and to and to - position <= _LONGEST:
            towards = fact.tokens[to].text
            yield _Change(verb=verb, towards=towards, start=start, was=range(position + 1, to), now=to + 1)


def _dropped(fact: Fact) -> Iterator[range]:
    """Yield the values that a fact names as those it has not: "instead of PostgreSQL", "9090, not 8080"."""
    for phrase in fact.of(Part.ASIDE):
        if phrase.text in _INSTEAD:
            yield range(phrase.end, _end_of_clause(fact, phrase.start))
    for phrase in fact.of(Part.NEGATOR):
        before = fact.tokens[phrase.start - 1] if phrase.start else None
        if before is None or before.sentence != fact.tokens[phrase.start].sentence:
            continue
        if before.text in _JOINING or before.clause != fact.tokens[phrase.start].clause:
            yield range(phrase.end, _end_of_clause(fact, phrase.start))


def _end_of_clause(fact: Fact, position: int) -> int:
    _, end = denial.clause(fact, position)
    number = fact.tokens[position].clause
    while end < len(fact.tokens) and fact.tokens[end].clause == number:
        end += 1
    return end


def _is_said(old: Fact, new: Fact, value: range) -> bool:
    """Tell whether the older fact says this value of the newer one, and nothing beside that the newer one lacks."""
    words = new.words(value.start, value.stop)
    numbers = {number.value for number in new.quantities if number.start in value}
    related = {i for phrase in old.of(Part.RELATION) for i in range(phrase.start, phrase.end)}
    claimed = [i for i in old.words() if i not in related]
    if not (words or numbers) or facts.missing(new, old, words) or facts.missing(old, new, claimed):
        return False
    known = {number.value for number in old.quantities}
    further = [
        number
        for number in old.quantities
        if number.value not in numbers and not (words and number.start and old.content[number.start - 1])
    ]
    return numbers <= known and not further


def _is_of(old: Fact, new: Fact, change: _Change) -> bool:
    """Tell whether what changed is what the older fact gives the value of."""
    about = new.words(change.start, change.was.start)
    after = range(change.now, _end_of_clause(new, change.now))
    if facts.missing(new, old, about) or _is_bounded(old, new, after):
        return False
    words = new.words(change.was.start, change.was.stop)
    if not words:
        return bool(about) or not old.words()
    named = [new.tokens[i].stem for i in words]
    first = next((i for i in old.words() if any(_is_one_word(old.tokens[i].stem, each) for each in named)), None)
    return first is not None and (bool(about) or _is_held(old, first, change))


def _is_one_word(one: str, two: str) -> bool:
    return one == two or facts.akin(one, two)


def _is_bounded(old: Fact, new: Fact, after: range) -> bool:
    """Tell whether the change is said of a place or use that the older fact does not name ("to 9090 in staging")."""
    first = next((i for i in after if new.tokens[i].text in _SCOPING), None)
    if first is None:
        return False
    bounds = [i for i in new.words(first, after.stop) if new.tokens[i].text not in denial.CALENDAR]
    return bool(facts.missing(new, old, bounds))


def _is_held(old: Fact, position: int, change: _Change) -> bool:
    """Tell whether the older fact has the value by a verb that such a change ends: "lives in", "uses"."""
    if position and old.tokens[position - 1].text in _USING:
        return True
    rows = relations.RELATIONS.get(old.language, ())
    turned = f"{change.verb} {change.towards}"
    return any(
        phrase.end == position
        and phrase.state is not None
        and any(text == turned or text.endswith(f" {turned}") for text in rows[phrase.state[0]].split("|"))
        for phrase in old.of(Part.RELATION)
    )


def _is_instead(old: Fact, new: Fact, dropped: range) -> bool:
    """Tell whether the newer fact says the same as the older one of another value, which stands right before."""
    verbs = [
        phrase
        for part in (Part.PLAIN, Part.MULTIPLE, Part.RELATION, Part.ATTITUDE)
        for phrase in old.of(part)
        if phrase.text not in _WEAK
    ]
    if not all(facts.has(new, old, phrase.start) for phrase in verbs):
        return False
    stop = dropped.start - 1
    while stop > 0 and not (new.content[stop - 1] or _is_number(new, stop - 1)):
        stop -= 1
    start = stop
    while start > 0 and (new.content[start - 1] or _is_number(new, start - 1)):
        start -= 1
    value = range(start, stop)
    gained = facts.missing(new, old, new.words())
    numbers = {number.value for number in new.quantities if number.start in value}
    fresh = bool(gained) or bool(numbers - {number.value for number in old.quantities})
    return fresh and all(i in value for i in gained)


def _is_number(fact: Fact, position: int) -> bool:
    return any(number.start <= position < number.end for number in fact.quantities)


def _shown(fact: Fact, value: range) -> str:
    return fact.shown(value)[:60]
