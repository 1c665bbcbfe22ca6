"""Contradiction by state: one thing is in two states of which one excludes the other."""

from memory_bank.domain.contradictions import denial, facts, numbers, values
from memory_bank.domain.contradictions.facts import Fact, Part, Phrase
from memory_bank.domain.cues import grammar, reading

# Words that are a state only as a predicate: elsewhere prepositions, particles or parts of other phrases.
_LOOSE = reading.word_set(grammar.LOOSE)
_COPULAS = reading.word_set(grammar.COPULAS)


def differ(old: Fact, new: Fact) -> str:
    """Return why the facts give one thing two states that exclude each other, or nothing."""
    if values.other_days(old, new):
        return ""
    mine, yours = _stated(old), _stated(new)
    for one in mine:
        for two in yours:
            if one.state is None or two.state is None or one.state[0] != two.state[0]:
                continue
            scale = one.state[0]
            if _classes(mine, scale) & _classes(yours, scale):
                continue
            if _ends_of_a_span(old, new, one, two) or (_of_many(old, one) and _of_many(new, two)):
                continue
            if _of_one_thing(old, new, one, two):
                return _excluding(one, two)
    return _attitudes(old, new) or _opposite(old, new)


def _attitudes(old: Fact, new: Fact) -> str:
    """Return why the facts tell of opposite attitudes to the very same thing ("likes tea", "hates tea"), or nothing."""
    for one in old.of(Part.ATTITUDE):
        for two in new.of(Part.ATTITUDE):
            if one.state == two.state or _is_negated(old, one) or _is_negated(new, two):
                continue
            if _to_one_thing(old, new, one, two) and values.same_subject(old, new, one, two):
                return _excluding(one, two)
    return ""


def _to_one_thing(old: Fact, new: Fact, one: Phrase, two: Phrase) -> bool:
    end, stop = denial.clause(old, one.start)[1], denial.clause(new, two.start)[1]
    mine, yours = old.words(one.end, end), new.words(two.end, stop)
    if not mine and not yours:
        said = [token.text for token in old.tokens[one.end : end]]
        return bool(said) and said == [token.text for token in new.tokens[two.end : stop]]
    return bool(mine and yours) and not facts.missing(old, new, mine) and not facts.missing(new, old, yours)


def _excluding(one: Phrase, two: Phrase) -> str:
    return f"“{one.text}” in the older fact and “{two.text}” in the newer one exclude each other."


def _opposite(old: Fact, new: Fact) -> str:
    """Return why one fact's predicate is the opposite of the other's by its beginning ("available", "unavailable")."""
    for one in _predicates(old):
        for two in _predicates(new):
            short, long = sorted((one.text, two.text), key=len)
            if _turned(short, long) and _of_one_thing(old, new, one, two):
                return _excluding(one, two)
    return ""


def _turned(word: str, turned: str) -> bool:
    """Tell whether `turned` is `word` behind a beginning that denies it."""
    beginning = turned.removesuffix(word)
    if beginning == turned or len(word) < _SHORTEST_OPPOSED or word in _UNDENIED:
        return False
    return beginning in _DENYING or (beginning in _DENYING_SOME and word.endswith(_DENIED_ENDINGS))


_SHORTEST_OPPOSED = 4
_DENYING = reading.word_set(grammar.DENYING)
_DENYING_SOME = reading.word_set(grammar.DENYING_SOME)
_DENIED_ENDINGS = tuple(grammar.DENIED_ENDINGS.split())
_UNDENIED = reading.word_set(grammar.UNDENIED)


def _predicates(fact: Fact) -> list[Phrase]:
    """Return the words behind a form of being, as far as the fact affirms them."""
    found = [
        Phrase(part=Part.STATE, start=i, end=i + 1, text=token.text)
        for i, token in enumerate(fact.tokens)
        if i and fact.tokens[i - 1].text in _COPULAS and fact.tokens[i - 1].clause == token.clause
    ]
    return [phrase for phrase in found if not _is_negated(fact, phrase)]


def _classes(phrases: list[Phrase], scale: int) -> set[int]:
    return {phrase.state[1] for phrase in phrases if phrase.state is not None and phrase.state[0] == scale}


def _stated(fact: Fact) -> list[Phrase]:
    """Return the states that the fact affirms."""
    found = [phrase for phrase in fact.of(Part.STATE) if _is_predicate(fact, phrase) and not _is_negated(fact, phrase)]
    longest = []
    for phrase in found:
        inner = any(
            other is not phrase
            and other.start <= phrase.start
            and phrase.end <= other.end
            and other.end - other.start > phrase.end - phrase.start
            for other in found
        )
        if not inner:
            longest.append(phrase)
    return longest


def _ends_of_a_span(old: Fact, new: Fact, one: Phrase, two: Phrase) -> bool:
    """Tell whether the facts say when one thing begins and when it ends: "opens at 9", "closes at 17"."""
    if not (one.text in _BOUNDS and two.text in _BOUNDS):
        return False
    mine, yours = _moments(old, one), _moments(new, two)
    return bool(mine and yours) and not mine & yours


_BOUNDS = reading.word_set(grammar.BOUNDS)


def _moments(fact: Fact, phrase: Phrase) -> set[str]:
    """Return the numbers and days behind a verb, up to the next comma."""
    clause = fact.tokens[phrase.start].clause
    after = [i for i in range(phrase.end, len(fact.tokens)) if fact.tokens[i].clause == clause]
    numbers = {number.value for number in fact.quantities if number.start in after}
    return numbers | {kind.text for kind in fact.of(Part.KIND) if kind.start in after}


def _of_many(fact: Fact, phrase: Phrase) -> bool:
    """Tell whether the state is one of what a thing may have side by side: "supports streaming", "accepts cards"."""
    start, _ = denial.clause(fact, phrase.start)
    start = max([start, *(i + 1 for i in range(start, phrase.start) if fact.tokens[i].text in denial.BE)])
    return numbers.supports(fact, start, phrase.start)


def _is_predicate(fact: Fact, phrase: Phrase) -> bool:
    if phrase.text not in _LOOSE and phrase.state is not None and phrase.state[0] < facts.ANTONYMS:
        return True
    start, end = denial.clause(fact, phrase.start)
    led = phrase.start == start or any(
        token.text in _COPULAS for token in fact.tokens[max(start, phrase.start - 2) : phrase.start]
    )
    return (
        led
        and (phrase.end == end or not fact.content[phrase.end])
        and not (phrase.end < end and fact.tokens[phrase.end].number)
    )


def _is_negated(fact: Fact, phrase: Phrase) -> bool:
    start, end = denial.clause(fact, phrase.start)
    return any(
        start <= negator.start < end and not phrase.start <= negator.start < phrase.end
        for negator in fact.of(Part.NEGATOR)
    )


def _of_one_thing(old: Fact, new: Fact, one: Phrase, two: Phrase) -> bool:
    mine, yours = _topic(old, one), _topic(new, two)
    lost, gained = facts.missing(old, new, mine), facts.missing(new, old, yours)
    if (lost and gained) or _circumstances(old, new, one, two):
        return False
    shared = len(mine) - len(lost) + len(yours) - len(gained)
    if shared:
        return 2 * (len(lost) + len(gained)) <= shared
    return (not mine or values.opens_with_entity(old, one)) and (not yours or values.opens_with_entity(new, two))


def _topic(fact: Fact, phrase: Phrase) -> tuple[int, ...]:
    """Return what the state is said of: the words before it, and one right after it that it describes."""
    before = values.subject(fact, phrase)
    near = range(max(0, phrase.start - 3), phrase.start)
    copula = next((i for i in near if fact.tokens[i].text in _COPULAS), phrase.start)
    before = tuple(i for i in before if i < copula)
    _, end = denial.clause(fact, phrase.start)
    character = bool(fact.tokens) and fact.tokens[phrase.start].character
    led = phrase.start and fact.tokens[phrase.start - 1].text in _COPULAS
    led = led and fact.tokens[phrase.end - 1].text not in ("for", "into", "off")
    described = fact.words(phrase.end, min(end, phrase.end + 2))[:1] if not character and not led else ()
    if (
        described
        and described[0] > phrase.end
        and fact.content[phrase.end - 1]
        and fact.tokens[phrase.end - 1].text
        not in (
            "for",
            "into",
            "off",
        )
    ):
        described = ()
    return (*before, *(i for i in described if fact.tokens[i].text not in denial.CALENDAR))


def _circumstances(old: Fact, new: Fact, one: Phrase, two: Phrase) -> bool:
    """Tell whether the states are said for different times, uses or places: "closed on Sundays", "open on Mondays"."""
    mine, yours = _limits(old, one), _limits(new, two)
    return any(
        bool(facts.missing(old, new, words)) and bool(facts.missing(new, old, yours.get(preposition, ())))
        for preposition, words in mine.items()
    )


def _limits(fact: Fact, phrase: Phrase) -> dict[str, tuple[int, ...]]:
    _, end = denial.clause(fact, phrase.start)
    limits: dict[str, tuple[int, ...]] = {}
    # a state may end in its preposition: "available in"
    for position in range(max(phrase.start + 1, phrase.end - 1), end):
        if fact.tokens[position].text in _LIMITING:
            limits[fact.tokens[position].text] = fact.words(position + 1, min(end, position + 4))
    return limits


_LIMITING = reading.word_set(grammar.LIMITING)
