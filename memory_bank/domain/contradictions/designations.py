"""Designations: numbers, letters and sides by which a fact says which one of several like things it is about."""

from memory_bank.domain.contradictions import denial
from memory_bank.domain.contradictions.facts import Fact, Part
from memory_bank.domain.contradictions.quantities import Kind, Quantity
from memory_bank.domain.cues import grammar, reading

_LEADING = reading.word_set(grammar.BE, grammar.COPULAS, grammar.AUXILIARIES)
_DEFINITE = reading.word_set(grammar.DEFINITE)
_SIDES = [
    (word, scale, rank) for scale, pair in enumerate(grammar.SIDES.split("|")) for rank, word in enumerate(pair.split())
]
_SIDE_WORDS = frozenset(word for word, _, _ in _SIDES)
_VERBS = (Part.PLAIN, Part.NEGATOR, Part.MULTIPLE, Part.RELATION, Part.REPLACEMENT)


def apart(old: Fact, new: Fact) -> bool:
    """Tell whether each fact says of which thing it speaks, and not of the same one ("gate 3 is", "the left door is").

    Facts that differ in the side or version alone may well exclude each other: it is what they state.
    """
    mine, yours = _labels(old), _labels(new)
    if mine and yours and not mine & yours:
        return True
    one, two = _versions(old), _versions(new)
    told = (bool(one and two) and not one & two) or _opposed(_sides(old), _sides(new))
    return told and (_is_shared(old) or _beside(old) != _beside(new))


def _labels(fact: Fact) -> set[str]:
    """Return the numbers and letters that stand between a noun and its verb: "issue 12 is", "plan B was"."""
    numbers = {number.value for number in fact.quantities if _is_label(fact, number) and not _is_version(number)}
    letters = {
        token.text
        for i, token in enumerate(fact.tokens)
        if len(token.text) == 1 and token.text.isalpha() and not token.character and _is_between(fact, i, i + 1)
    }
    return numbers | letters


def _versions(fact: Fact) -> set[str]:
    """Return the versions that stand before a verb: "v2 is", "Firmware 5.14 was"."""
    return {number.value for number in fact.quantities if _is_label(fact, number) and _is_version(number)}


def _is_version(number: Quantity) -> bool:
    return number.kind is Kind.VERSION or (number.kind is Kind.AMOUNT and "." in number.text)


def _is_shared(fact: Fact) -> bool:
    """Tell whether a fact says of its thing what may be said of several side by side ("is supported")."""
    return any(token.text in _SHARED for token in fact.tokens)


_SHARED = reading.word_set(grammar.SHARED_PASSIVES)


def _is_label(fact: Fact, number: Quantity) -> bool:
    """Tell whether a number tells which thing is meant, rather than how many, how much or when."""
    if number.kind in (Kind.TIME, Kind.YEAR) or (number.kind is Kind.AMOUNT and number.measure):
        return False
    if number.value.endswith("."):
        return number.start in _attributes(fact)
    if number.kind is Kind.VERSION or number.measure == "#":
        return _is_subject(fact, number)
    return _is_between(fact, number.start, number.end)


def _is_subject(fact: Fact, number: Quantity) -> bool:
    """Tell whether a clause is about the number that it opens with: "v2 is", "#12 of the backlog was"."""
    first, last = denial.clause(fact, number.start)
    verb = next((i for i in range(number.end, last) if _is_verb(fact, i)), last)
    led = any(fact.tokens[i].text in _LEADING for i in range(first, number.start))
    return verb < last and not led and len(fact.words(first, number.start)) <= 1 and not _gives_value(fact, verb, last)


def _is_between(fact: Fact, start: int, end: int) -> bool:
    """Tell whether a name stands behind a noun and right before a verb that does not make it a value."""
    first, last = denial.clause(fact, start)
    if end >= last or not _is_verb(fact, end) or start <= first:
        return False
    return (fact.content[start - 1] or fact.own[start - 1]) and not _gives_value(fact, end, last)


def _gives_value(fact: Fact, verb: int, end: int) -> bool:
    """Tell whether what follows the verb is what has one value: "is the current version"."""
    definite = verb + 1 < end and fact.tokens[verb + 1].text in _DEFINITE
    return definite or any(verb < phrase.start < end for phrase in fact.of(Part.SINGLE))


def _sides(fact: Fact) -> dict[int, int]:
    """Return the sides by their scale that the subjects of a fact are told by: "the left door", "cold water"."""
    attributes = _attributes(fact)
    told = {phrase.state for phrase in fact.of(Part.STATE) if attributes.issuperset(range(phrase.start, phrase.end))}
    words = {fact.tokens[i].text for i in attributes} & _SIDE_WORDS
    named = {-1 - scale: rank for word, scale, rank in _SIDES if word in words}
    return {state[0]: state[1] for state in told if state} | named


def _opposed(mine: dict[int, int], yours: dict[int, int]) -> bool:
    return any(mine[scale] != yours[scale] for scale in mine.keys() & yours.keys())


def _beside(fact: Fact) -> tuple[str, ...]:
    """Return all words of a fact but those that tell which thing it is about."""
    numbered = {i for number in fact.quantities for i in range(number.start, number.end)}
    states = {i for phrase in fact.of(Part.STATE) for i in range(phrase.start, phrase.end)}
    sides = {i for i in _attributes(fact) if i in states or fact.tokens[i].text in _SIDE_WORDS}
    return tuple(token.stem for i, token in enumerate(fact.tokens) if i not in numbered | sides)


def _attributes(fact: Fact) -> frozenset[int]:
    """Return the positions beside a noun before the verb of their clause."""
    negators = {phrase.start for phrase in fact.of(Part.NEGATOR)}
    verbs: dict[int, int] = {}
    for i, token in enumerate(fact.tokens):
        if token.text in _LEADING or i in negators:
            verbs.setdefault(token.clause, i)
    before = [i for i, token in enumerate(fact.tokens) if i < verbs.get(token.clause, 0)]
    nouns = {i for i in before if fact.content[i] or fact.own[i]}
    return frozenset(i for i in before if i - 1 in nouns or i + 1 in nouns)


def _is_verb(fact: Fact, position: int) -> bool:
    return fact.tokens[position].text in _LEADING or any(
        phrase.start == position for part in _VERBS for phrase in fact.of(part)
    )
