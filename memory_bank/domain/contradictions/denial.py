"""Contradiction by denial: one fact says that what the other one claims is not so, or is over."""

from collections.abc import Iterator

from memory_bank.domain.contradictions import facts, quantities
from memory_bank.domain.contradictions.facts import Fact, Part
from memory_bank.domain.cues import grammar, reading, words

BE = reading.word_set(grammar.BE)
_PASSIVE_ONLY = reading.word_set(grammar.PASSIVE_ONLY)
_VERB_LAST = frozenset({"ja", "ko", "de", "nl"})
_MOST_APART = 0.25


def negated(old: Fact, new: Fact) -> str:
    """Return why one of the facts denies what the other claims, or nothing."""
    for negative, positive, order in ((new, old, "newer"), (old, new, "older")):
        negators = [phrase.text for phrase in negative.of(Part.NEGATOR)]
        for phrase in positive.of(Part.NEGATOR):
            if phrase.text in negators:
                negators.remove(phrase.text)
            else:
                negators = []
                break
        counted = [text for text in negators if text not in _CONCORD]
        doubled = len(counted) > 1 and any(text in _WITHOUT for text in counted)
        if not negators or doubled or _ends_otherwise(positive, negative):
            continue
        for phrase in negative.of(Part.NEGATOR):
            if phrase.text in negators and (shared := _denied(negative, positive, phrase)):
                return f"The {order} fact denies (“{phrase.text}”) what the other one says of “{shared}”."
    return ""


def _ends_otherwise(positive: Fact, negative: Fact) -> bool:
    """Tell whether the fact without a negator denies in its own way, by an ending that the other one does not name."""
    return any(not facts.has(negative, positive, phrase.start) for phrase in positive.of(Part.ENDING))


def _denied(negative: Fact, positive: Fact, negator: facts.Phrase) -> str:
    """Return the words that the negative clause shares with the positive fact, if that has all of them."""
    start, end = clause(negative, negator.start)
    said = [position for position in negative.words(start, end) if not negator.start <= position < negator.end]
    if not said:
        return _plainly_denied(negative, positive, negator)
    if facts.missing(negative, positive, said) or not _same_numbers(negative, positive, start, end):
        return ""
    answered = [position for position in positive.words() if facts.has(negative, positive, position)]
    if not answered:
        return ""
    first, last = answered[0], answered[-1]
    between = [position for position in positive.words(first, last) if position not in answered]
    before = positive.words(clause(positive, first)[0], first)
    if _of_another(positive, first) != _of_another(negative, said[0]) or not _same_verb(
        negative, positive, said, start, end
    ):
        return ""
    limit = 4 if positive.tokens[first].character else 1
    if len(before) > limit or len(between) > max(limit, len(answered)):
        return ""
    return negative.shown(said[:12])


def _plainly_denied(negative: Fact, positive: Fact, negator: facts.Phrase) -> str:
    """Return the predicate of a clause that says nothing else ("is not running"), if the entity has it elsewhere."""
    start, end = clause(negative, negator.start)
    said = [i for i in _predicate(negative, start, end) if not negator.start <= i < negator.end]
    if not said or facts.missing(negative, positive, said) or not _same_numbers(negative, positive, start, end):
        return ""
    begin, stop = clause(positive, 0)
    affirmed = [i for i in _predicate(positive, begin, stop) if facts.has(negative, positive, i)]
    if not affirmed or _of_another(positive, affirmed[0]) != _of_another(negative, said[0]):
        return ""
    if positive.words(begin, affirmed[0]) or _has_object(positive, affirmed[-1] + 1, stop):
        return ""
    if _tense(positive) != _tense(negative) or _means_more(negative, positive, said, affirmed, stop):
        return ""
    return negative.shown(said)


def _tense(fact: Fact) -> tuple[bool, bool]:
    """Tell whether a fact speaks of the past, and whether of the future."""
    words = {token.text for token in fact.tokens}
    return bool(words & _PAST), bool(words & _FUTURE)


def _means_more(negative: Fact, positive: Fact, said: list[int], affirmed: list[int], stop: int) -> bool:
    """Tell whether the positive predicate is part of a longer phrase ("up to date") or a habit ("runs every night")."""
    longer = any(
        phrase.start == affirmed[0] and phrase.end - phrase.start > len(said)
        for part in (Part.PLAIN, Part.STATE, Part.REPLACEMENT)
        for phrase in positive.of(part)
    )
    same = {negative.tokens[i].text for i in said} >= {positive.tokens[i].text for i in affirmed}
    return longer or (not same and bool(positive.words(affirmed[-1] + 1, stop)))


def _predicate(fact: Fact, start: int, end: int) -> list[int]:
    """Return the positions of the verbs and states in a clause that are no content: "running", "up", "in use"."""
    marked = {
        i
        for part in (Part.PLAIN, Part.STATE)
        for phrase in fact.of(part)
        if start <= phrase.start < end and phrase.text not in _WEAK
        for i in range(phrase.start, phrase.end)
    }
    return sorted(i for i in marked if not fact.own[i] and fact.tokens[i].text not in BE)


def _has_object(fact: Fact, position: int, end: int) -> bool:
    """Tell whether a verb that ends at `position` goes on to what is done, as in "runs Debian", "opens 3 doors"."""
    if position >= end or fact.tokens[position].character:
        return False
    return fact.content[position] or any(number.start == position for number in fact.quantities)


def _of_another(fact: Fact, position: int) -> bool:
    """Tell whether the words up to `position` speak of something that belongs to the entity ("Ben's sister")."""
    start, _ = clause(fact, position)
    return any(fact.own[i] and fact.tokens[i].text.endswith(("'s", "s'")) for i in range(start, position))


def _same_verb(negative: Fact, positive: Fact, said: list[int], start: int, end: int) -> bool:
    """Tell whether the positive fact has the verb that a clause denies, if it names any.

    Only a verb without an object counts where more than one word is said: "is not running", but not "cannot use it".
    """
    if negative.tokens[said[0]].character:
        return True
    first = said[-1] if len(said) > 1 else start
    verbs = [phrase for phrase in negative.of(Part.PLAIN) if first <= phrase.start < end and phrase.text not in _WEAK]
    return all(facts.has(positive, negative, phrase.start) for phrase in verbs)


_WEAK = reading.word_set(grammar.WEAK)


def ended(old: Fact, new: Fact) -> str:
    """Return why the newer fact says that something of the older one is over, or nothing."""
    if old.of(Part.ENDING) or old.of(Part.NEGATOR):
        return ""
    if gone := _gone(old, new):
        return gone
    for phrase in new.of(Part.ENDING):
        if _known(new, old, phrase):
            continue
        theme = _theme(new, phrase)
        if not theme and _whole(old, new, phrase):
            return (
                f"The newer fact says that the thing itself is over (“{phrase.text}”), of which the older one speaks."
            )
        if theme and _covered(new, old, theme):
            return f"The newer fact says that “{new.shown(theme[:12])}” of the older one is over (“{phrase.text}”)."
    return ""


def returned(old: Fact, new: Fact) -> str:
    """Return why the newer fact says that what the older one calls over is so again, or nothing."""
    if new.of(Part.ENDING) or new.of(Part.NEGATOR):
        return ""
    for phrase in old.of(Part.ENDING):
        if _known(old, new, phrase):
            continue
        theme = _theme(old, phrase)
        if not theme or not _covered(old, new, theme):
            continue
        start, end = clause(new, 0)
        said = new.words(start, end)
        known = [position for position in said if facts.has(old, new, position)]
        if new.of(Part.RETURN) or len(known) * 2 > len(said):
            return (
                f"The newer fact affirms “{old.shown(theme[:12])}”, which the older one calls over (“{phrase.text}”)."
            )
    return ""


def _known(fact: Fact, other: Fact, ending: facts.Phrase) -> bool:
    """Tell whether the other fact affirms the state that the ending brings about: "closed", "shut"."""
    brought = {
        phrase.state for phrase in fact.of(Part.STATE) if phrase.start < ending.end and ending.start < phrase.end
    }
    return bool(brought & _affirmed(other))


def _affirmed(fact: Fact) -> set[tuple[int, int] | None]:
    denied = {fact.tokens[phrase.start].clause for phrase in fact.of(Part.NEGATOR)}
    return {
        phrase.state
        for phrase in fact.of(Part.STATE)
        if phrase.text not in _LOOSE_WORDS and fact.tokens[phrase.start].clause not in denied
    }


def _gone(old: Fact, new: Fact) -> str:
    """Return why the newer fact says that what the entity names is no more ("there is no demo any more")."""
    for phrase in new.of(Part.NEGATOR):
        start, end = clause(new, phrase.start)
        named = [i for i in range(start, end) if new.own[i]]
        if phrase.text not in _NO_MORE or not named or new.words(start, end):
            continue
        if all(new.tokens[i].stem in old.stems for i in named) and old.words():
            return f"The newer fact says that “{new.shown(named)}” is no more (“{phrase.text}”)."
    return ""


_NO_MORE = frozenset(grammar.NO_MORE.split("|"))


def _whole(old: Fact, new: Fact, ending: facts.Phrase) -> bool:
    """Tell whether the ending is said of the entity itself, of which the older fact says something in the present."""
    start, _ = clause(new, ending.start)
    said = range(start, ending.start)
    if not any(new.own[i] for i in said) or any(new.content[i] for i in said):
        return False
    if not any(new.tokens[i].text in _PASSIVE_ONLY for i in range(start, ending.end)):
        return False
    first = next((i for i in range(len(old.tokens)) if old.own[i] or old.content[i]), None)
    past = any(token.text in _PAST for token in old.tokens) or any(
        number.kind is quantities.Kind.YEAR for number in old.quantities
    )
    whole = all(new.tokens[i].stem in old.stems for i in said if new.own[i])
    return first is not None and (old.own[first] or whole) and not past


_PAST = reading.word_set(grammar.PAST)
_FUTURE = reading.word_set(grammar.FUTURE)
_CONCORD = frozenset(grammar.CONCORD.split("|"))
_WITHOUT = reading.word_set(grammar.WITHOUT)
_LOOSE_WORDS = reading.word_set(grammar.LOOSE_WORDS)


def denies(fact: Fact, position: int) -> bool:
    """Tell whether the clause of a fact around `position` is a negative one."""
    start, end = clause(fact, position)
    return any(start <= phrase.start < end for phrase in fact.of(Part.NEGATOR))


def clause(fact: Fact, position: int, *, whole: bool = False) -> tuple[int, int]:
    """Return the bounds of the clause around `position`: from comma to comma, or to a word that opens an aside.

    A `whole` clause keeps what stands before `position`, asides too.
    """
    if not fact.tokens:
        return 0, 0
    number = fact.tokens[position].clause
    start = end = position
    while start > 0 and fact.tokens[start - 1].clause == number:
        start -= 1
    while end < len(fact.tokens) and fact.tokens[end].clause == number:
        end += 1
    for phrase in fact.of(Part.ASIDE):
        if not whole and start < phrase.start <= position and phrase.end <= position:
            start = phrase.end
        elif position < phrase.start < end:
            end = phrase.start
    return start, end


def _theme(fact: Fact, ending: facts.Phrase) -> list[int]:
    """Return the words for what is over: before a passive or a last verb, else after it, else in its clause."""
    start, end = clause(fact, ending.start)
    covered = {i for phrase in fact.of(Part.ENDING) for i in range(phrase.start, phrase.end)}

    def content(first: int, last: int) -> list[int]:
        return [i for i in fact.words(first, last) if i not in covered]

    after = content(ending.end, _until_preposition(fact, ending.end, end))
    if len(after) > 1 and after[0] == ending.end and fact.tokens[after[0]].text.endswith("ing"):
        after = after[1:]
    auxiliary = next(
        (
            i
            for i in range(ending.start - 1, max(start, ending.start - 8) - 1, -1)
            if fact.tokens[i].text in _PASSIVE_ONLY
        ),
        None,
    )
    before = content(start, auxiliary if auxiliary is not None else ending.start)
    if before and all(fact.tokens[i].text.rstrip("s") in CALENDAR for i in before):
        before = content(start, ending.start)
    if auxiliary is not None and not before and any(fact.own[start:auxiliary]):
        return []
    passive = (
        auxiliary is not None
        or fact.tokens[ending.start].text in _PASSIVE_ONLY
        or any(token.text == "被" for token in fact.tokens[start : ending.start])
    )
    if passive or (fact.language in _VERB_LAST and before) or not after:
        return before or content(start, ending.start) or after
    active = any(token.text in BE for token in fact.tokens[max(start, ending.start - 3) : ending.start])
    if before and not active and not _determined(fact, ending.end):
        return before
    return after


def _determined(fact: Fact, position: int) -> bool:
    return position < len(fact.tokens) and fact.tokens[position].text not in _PREPOSITIONS


def _until_preposition(fact: Fact, first: int, end: int) -> int:
    return next((i for i in range(first, end) if fact.tokens[i].text in _PREPOSITIONS), end)


CALENDAR = frozenset(words.CALENDAR.split())
_PREPOSITIONS = reading.word_set(grammar.PREPOSITIONS)


def _covered(fact: Fact, other: Fact, theme: list[int]) -> bool:
    lost = facts.missing(fact, other, theme)
    characters = fact.tokens[theme[0]].character
    if len(lost) > (len(theme) * _MOST_APART if characters or len(theme) >= 4 else 0) or len(lost) == len(theme):
        return False
    return _same_numbers(fact, other, theme[0] - 2, theme[-1] + 2)


def _same_numbers(fact: Fact, other: Fact, start: int, end: int) -> bool:
    values = {number.value for number in other.quantities}
    return all(number.value in values for number in _numbers(fact, start, end))


def _numbers(fact: Fact, start: int, end: int) -> Iterator[quantities.Quantity]:
    return (number for number in fact.quantities if start <= number.start < end)
