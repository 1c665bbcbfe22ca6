"""Contradiction by number: one thing is given two different amounts, times or versions."""

from memory_bank.domain.contradictions import denial, facts
from memory_bank.domain.contradictions.facts import Fact, Part
from memory_bank.domain.contradictions.quantities import Kind, Quantity
from memory_bank.domain.cues import grammar, reading

# What can happen only once, so that two years of it exclude each other.
_ONCE = reading.word_set(grammar.ONCE)


def differ(old: Fact, new: Fact, *, apart: bool) -> str:
    """Return why the facts give two different numbers of one thing, or nothing; `apart` when their times differ."""
    mine, yours = _unshared(old, new), _unshared(new, old)
    if not mine or not yours or len(mine) > 3 or len(mine) != len(yours):
        return ""
    if any(not _comparable(old, new, one, two) for one, two in zip(mine, yours, strict=True)):
        return ""
    if (
        len(mine) > 1
        and not (_is_range(old, mine) and _is_range(new, yours))
        and not _only_numbers(old, new, mine, yours)
    ):
        return ""
    one, two = mine[0], yours[0]
    if apart and not (one.kind is two.kind is Kind.YEAR):
        return ""
    if not _one_thing(old, new, one, two):
        return ""
    topic = old.shown(i for i in old.words() if facts.has(new, old, i))[:60] or "the same thing"
    return f"Of “{topic}” the older fact says “{one.text}”, the newer one “{two.text}”."


_TO = reading.word_set(grammar.TO)


def _unshared(fact: Fact, other: Fact) -> list[Quantity]:
    values = {number.value for number in other.quantities}
    found = [number for number in fact.quantities if number.value not in values]
    asides = [phrase.start for phrase in fact.of(Part.ASIDE)]
    # "since the first of May" dates the claim and is no part of it
    return [number for number in found if not any(aside < number.start for aside in asides)] or found


def _comparable(old: Fact, new: Fact, one: Quantity, two: Quantity) -> bool:
    kinds = {one.kind, two.kind}
    if one.measure != two.measure:
        return _said_of(old, one, two) or _said_of(new, two, one)
    return len(kinds) == 1 or kinds in ({Kind.AMOUNT, Kind.VERSION}, {Kind.AMOUNT, Kind.LABEL})


def _said_of(fact: Fact, number: Quantity, named: Quantity) -> bool:
    """Tell whether a plain number is said of what names the other one: "port is 8080", "port 9090"."""
    if number.measure or number.kind is not Kind.AMOUNT or named.kind is not Kind.LABEL or not named.measure:
        return False
    copula = number.start > 1 and fact.tokens[number.start - 1].text in denial.BE
    return copula and fact.tokens[number.start - 2].text == named.measure


def _is_range(fact: Fact, numbers: list[Quantity]) -> bool:
    """Tell whether two numbers are one span, as in "from 9 to 17"."""
    between = [token.text for token in fact.tokens[numbers[0].end : numbers[-1].start]]
    return (
        len(numbers) == 2
        and numbers[0].kind is numbers[1].kind
        and (not between or (between[0] in _TO and len(between) <= 2))
    )


def _only_numbers(old: Fact, new: Fact, mine: list[Quantity], yours: list[Quantity]) -> bool:
    """Tell whether several numbers differ in otherwise equal facts, none of them saying which thing is meant."""
    if not all(number.measure and number.kind is Kind.AMOUNT for number in (*mine, *yours)):
        return False
    return not facts.missing(old, new, old.words()) and not facts.missing(new, old, new.words())


def _one_thing(old: Fact, new: Fact, one: Quantity, two: Quantity) -> bool:
    if _leaves_room(old, one) or _leaves_room(new, two) or _denied(old, one) or _denied(new, two):
        return False
    lost, gained = _around(old, new, one), _around(new, old, two)
    if lost and gained:
        return False
    # a word added before the number tells which thing is meant, one added after it tells more of the same
    if any(position < one.start for position in lost) or any(position < two.start for position in gained):
        return False
    if _counted(old, new, one) or _counted(new, old, two):
        return False
    if one.kind is Kind.YEAR and not any(token.text in _ONCE for token in old.tokens):
        return False
    if one.kind in (Kind.LABEL, Kind.VERSION) and (_tells_which(old, one) or _tells_which(new, two)):
        return False
    if _names_one(old, one) and _names_one(new, two):
        return False
    shared = [i for i in old.words() if facts.has(new, old, i)]
    return bool(shared) or (_bare(old, one) and _bare(new, two) and _frames_agree(old, new))


def _around(fact: Fact, other: Fact, number: Quantity) -> list[int]:
    start, end = denial.clause(fact, number.start, whole=True)
    label = next((i for i in range(start) if fact.tokens[i].label), None)
    heading = fact.words(denial.clause(fact, label)[0], label + 1) if label is not None else ()
    return facts.missing(fact, other, (*heading, *fact.words(start, end)))


def _leaves_room(fact: Fact, number: Quantity) -> bool:
    start, end = denial.clause(fact, number.start)
    return any(start <= phrase.start < end for phrase in fact.of(Part.ADDITIVE))


def _denied(fact: Fact, number: Quantity) -> bool:
    """Tell whether the fact says that it is not this number, which leaves room for every other one."""
    start, end = denial.clause(fact, number.start)
    before = range(start, end if fact.language in _VERB_LAST else number.start)
    return any(phrase.start in before and phrase.text not in _WITHOUT for phrase in fact.of(Part.NEGATOR))


_VERB_LAST = frozenset({"ja", "ko"})
_WITHOUT = reading.word_set(grammar.WITHOUT)


def _counted(fact: Fact, other: Fact, number: Quantity) -> bool:
    """Tell whether the number counts something that the other fact does not speak of."""
    if number.measure or number.kind is not Kind.AMOUNT:
        return False
    following = fact.words(number.end, min(number.end + 2, denial.clause(fact, number.start)[1]))
    return bool(following) and bool(facts.missing(fact, other, following[:1]))


def _tells_which(fact: Fact, number: Quantity) -> bool:
    """Tell whether the number belongs to the subject ("room 4 has a sink") or to one of many values."""
    start, end = denial.clause(fact, number.start)
    if any(start <= phrase.start < number.start for phrase in fact.of(Part.MULTIPLE)) and not any(
        start <= phrase.start < number.start for phrase in fact.of(Part.SINGLE)
    ):
        return number.kind is Kind.LABEL or supports(fact, start, number.start)
    if number.kind is not Kind.LABEL:
        return False
    before, after = fact.words(start, number.start), fact.words(number.end, end)
    verb = any(start <= phrase.start < number.start - 1 for phrase in fact.of(Part.PLAIN)) or any(
        token.text in denial.BE for token in fact.tokens[start : number.start]
    )
    return not verb and bool(after) and len(after) >= len(before)


def _names_one(fact: Fact, number: Quantity) -> bool:
    """Tell whether the number is part of a name among those that a thing has side by side: "supports Python 3.11"."""
    start, _ = denial.clause(fact, number.start)
    name = number.start
    while name > start and fact.content[name - 1]:
        name -= 1
    verb = next((phrase.start for phrase in fact.of(Part.MULTIPLE) if phrase.end == name), name)
    return name < number.start and not number.measure and supports(fact, verb, number.start - 1)


def supports(fact: Fact, start: int, end: int) -> bool:
    """Tell whether a verb that holds of several things side by side stands between the positions."""
    plain = {(phrase.start, phrase.end) for phrase in fact.of(Part.PLAIN)}
    return any(
        start <= phrase.start and phrase.end <= end and (phrase.start, phrase.end) not in plain
        for phrase in fact.of(Part.MULTIPLE)
    )


def _frames_agree(old: Fact, new: Fact) -> bool:
    """Tell whether facts without content words beside their numbers have a verb or a name in common."""
    plain = {i for phrase in old.of(Part.PLAIN) for i in range(phrase.start, phrase.end)}
    known = [token for i, token in enumerate(old.tokens) if i in plain or old.own[i]]
    rest = [
        fact for fact in (old, new) if len(fact.tokens) > sum(number.end - number.start for number in fact.quantities)
    ]
    return not rest or any(token.stem in new.stems or token.character for token in known)


def _bare(fact: Fact, number: Quantity) -> bool:
    start, end = denial.clause(fact, number.start, whole=True)
    return not fact.words(start, end)
