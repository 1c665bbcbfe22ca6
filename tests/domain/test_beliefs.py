"""Beliefs and relations: confidence, chains, and types, as properties."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import beliefs, consolidation, relations, volatility
from memory_bank.domain.beliefs import Entity, EntityType, Fact, Status
from memory_bank.domain.consolidation import Policy
from memory_bank.errors import InvalidInput

NOW = datetime(2026, 3, 10, tzinfo=UTC)
days = st.floats(min_value=-10, max_value=100_000)


def fact(number: int, *, by: int | None = None, **given: object) -> Fact:
    fields: dict[str, object] = {
        "id": UUID(int=number),
        "entity_id": UUID(int=0),
        "content": f"fact {number}",
        "sources": 1,
        "first_seen": NOW + timedelta(days=number),
        "last_confirmed": NOW,
        "superseded_by": None if by is None else UUID(int=by),
        "superseded_at": None if by is None else NOW + timedelta(days=by),
        "status": Status.ACTIVE if by is None else Status.SUPERSEDED,
    }
    return Fact(**{**fields, **given})  # type: ignore[arg-type]


def entity(name: str, *types: EntityType) -> Entity:
    return Entity(id=UUID(int=hash(name) % 2**64), name=name, types=types, created_at=NOW, last_seen=NOW)


@pytest.mark.parametrize(
    ("sources", "age", "expected"),
    [
        (1, 0, 0.60),
        (2, 0, 0.72),
        (3, 0, 0.80),
        (4, 0, 0.85),
        (5, 0, 0.90),
        (9, 0, 0.90),
        (1, 90, 0.4104),
        (1, 1e9, 0.3),
    ],
)
def test_confidence_is_that_of_the_specification(sources: int, age: float, expected: float) -> None:
    assert beliefs.confidence(sources, days=age) == pytest.approx(expected, abs=1e-4)


@given(st.integers(min_value=0, max_value=10_000), days)
def test_confidence_lies_between_its_base_and_nine_tenths(sources: int, age: float) -> None:
    base = beliefs.BASES[min(max(sources, 1), 5) - 1]
    assert base <= beliefs.confidence(sources, days=age) <= 0.9 + 1e-12


@given(st.integers(min_value=1, max_value=50), days, days)
def test_confidence_grows_with_sources_and_falls_with_time(sources: int, one: float, other: float) -> None:
    early, late = sorted((one, other))
    assert beliefs.confidence(sources, days=early) >= beliefs.confidence(sources, days=late)
    assert beliefs.confidence(sources + 1, days=late) >= beliefs.confidence(sources, days=late)


def test_a_chain_of_any_length_is_one_history() -> None:
    facts = [fact(number, by=number + 1 if number < 50 else None) for number in range(1, 51)]
    (chain,) = beliefs.chains(facts[::-1])
    assert [each.id.int for each in chain] == list(range(1, 51))


def test_facts_that_gave_way_to_one_precede_it() -> None:
    (chain,) = beliefs.chains([fact(1, by=3), fact(2, by=3), fact(3)])
    assert [each.id.int for each in chain] == [1, 2, 3]


def test_a_change_that_was_undone_ends_in_what_holds_again() -> None:
    (chain,) = beliefs.chains([fact(1), fact(2, by=1)])
    assert [each.id.int for each in chain] == [2, 1]


@given(st.lists(st.one_of(st.none(), st.integers(min_value=1, max_value=12)), max_size=12))
def test_no_fact_is_lost_or_told_twice_even_in_a_circle(successors: list[int | None]) -> None:
    facts = [fact(number, by=by) for number, by in enumerate(successors, start=1)]
    told = [each.id for chain in beliefs.chains(facts) for each in chain]
    assert sorted(told) == sorted(each.id for each in facts)


@given(st.integers(min_value=1, max_value=200))
def test_every_statement_makes_a_relation_stronger(evidence: int) -> None:
    assert 0.5 <= relations.weight(evidence) <= relations.weight(evidence + 1) <= 1
    assert relations.weight(1) == 0.5
    assert relations.weight(2) == 0.75


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("depends on", "depends-on"),
        ("DEPENDS_ON", "depends-on"),
        ("relies on", "depends-on"),
        ("works for", "works-at"),
        ("invented by", "invented-by"),
        ("  part   of ", "part-of"),
        ("依赖", "依赖"),
    ],
)
def test_types_are_written_in_one_way(written: str, stored: str) -> None:
    assert relations.normalised(written) == stored


@pytest.mark.parametrize("written", ["", "  ", "---", "x" * 61, "\x00"])
def test_a_type_without_words_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        relations.normalised(written)


def test_every_published_type_is_itself() -> None:
    assert [relations.normalised(each) for each in relations.PUBLISHED] == list(relations.PUBLISHED)


@given(st.text(max_size=80))
def test_a_type_is_stored_as_it_is_read_back(written: str) -> None:
    try:
        stored = relations.normalised(written)
    except InvalidInput:
        return
    assert relations.normalised(stored) == stored


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("port is 8080", "a port"),
        ("listens on localhost:3000", "a local address"),
        ("pinned to 1.24.3", "a version"),
        ("config lives in /etc/app/config.toml", "a path"),
        ("reads process.env.TOKEN", "an environment variable"),
        ("needs an API key", "a key or token"),
        ("the default branch is main", "a branch"),
        ("documented at https://example.org/docs", "an address"),
        ("端口 8080", "a port"),
    ],
)
def test_volatile_facts_are_known(said: str, what: str) -> None:
    found = volatility.of(said)
    assert found is not None
    assert found.what == what
    assert found.hint


@pytest.mark.parametrize("said", ["likes green tea", "born in 1984", "has two children", "reports to Ana"])
def test_lasting_facts_are_no_gaps(said: str) -> None:
    assert volatility.of(said) is None


def test_only_old_unsure_unprotected_facts_of_one_source_are_retired() -> None:
    policy = Policy()
    old = NOW - timedelta(days=120)
    service = entity("x", EntityType.SERVICE)
    assert consolidation.is_to_retire(fact(1, last_confirmed=old), service, policy, now=NOW)
    assert not consolidation.is_to_retire(fact(1, last_confirmed=old, sources=2), service, policy, now=NOW)
    assert not consolidation.is_to_retire(fact(1, last_confirmed=NOW), service, policy, now=NOW)
    person = entity("x", EntityType.PERSON)
    assert not consolidation.is_to_retire(fact(1, last_confirmed=old), person, policy, now=NOW)


def test_names_that_are_nearly_the_same_are_reported_and_numbers_tell_apart() -> None:
    names = ["billing-service", "billing service", "auth", "node 1", "node 2", "payment gateway", "payments gateway"]
    pairs = consolidation.alike([entity(each, EntityType.SERVICE) for each in names])
    assert {frozenset((one.name, other.name)) for one, other in pairs} == {
        frozenset(("billing-service", "billing service")),
        frozenset(("payment gateway", "payments gateway")),
    }
