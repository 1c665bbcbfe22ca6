"""Ranking: orders that do not depend on accidents, and the evidence that tells an answer from noise."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import bm25, duplicates, ranking, spans
from memory_bank.domain.bm25 import Asked, Weights
from memory_bank.domain.ranking import Calibration, Facts
from memory_bank.domain.spans import Span

TERMS = ("alpha", "beta", "gamma")
MINILM = Calibration(neutral=0.4, least_letters=2.0, full_letters=3.5)

ids = st.integers(min_value=0, max_value=2**128 - 1)
cosines = st.floats(min_value=-1, max_value=1)
notes = st.builds(
    Facts,
    session=st.none() | st.sampled_from(["s", "t"]),
    previous=st.none() | ids,
    following=st.none() | ids,
    cosine=st.none() | cosines,
    terms=st.dictionaries(st.sampled_from(TERMS), st.integers(min_value=1, max_value=5), max_size=3),
    length=st.integers(min_value=5, max_value=60),
    asks=st.booleans(),
    speaker=st.frozensets(st.sampled_from([*TERMS, "assistant"]), max_size=2),
    days=st.none() | st.floats(min_value=0, max_value=900),
    belief=st.none() | st.floats(min_value=0, max_value=1),
)
found = st.dictionaries(ids, notes, max_size=8)
scores = st.dictionaries(ids, st.floats(min_value=-1, max_value=1), max_size=8)


def asked(confidence: float = 1.0) -> ranking.Asked:
    words = Asked(words=tuple((term,) for term in TERMS))
    weights = bm25.weighed(words, notes=100, average=20, containing={"alpha": 1, "beta": 10, "gamma": 50})
    return ranking.Asked(weights=weights, confidence=confidence, neutral=0.4)


@given(found)
def test_every_candidate_is_scored_and_none_is_invented(facts: dict[int, Facts]) -> None:
    assert ranking.normalised(facts, facts, asked()).keys() == facts.keys()


@given(found)
def test_the_order_of_candidates_does_not_matter(facts: dict[int, Facts]) -> None:
    backwards = dict(reversed(facts.items()))
    assert ranking.normalised(facts, facts, asked()) == ranking.normalised(backwards, backwards, asked())


@given(cosines, cosines)
def test_without_words_in_common_the_nearer_note_comes_first(one: float, other: float) -> None:
    near, far = 1, 2
    facts = {near: Facts(session=None, cosine=max(one, other)), far: Facts(session=None, cosine=min(one, other))}
    ranked = ranking.normalised(facts, facts, asked())
    assert ranked[near] >= ranked[far]


@given(st.integers(min_value=1, max_value=50), st.integers(min_value=1, max_value=50))
def test_where_the_model_knows_nothing_more_words_come_first(one: int, other: int) -> None:
    more, fewer = 1, 2
    facts = {
        more: Facts(session=None, cosine=0.1, terms={"alpha": max(one, other)}, length=60),
        fewer: Facts(session=None, cosine=0.9, terms={"alpha": min(one, other)}, length=60),
    }
    ranked = ranking.normalised(facts, facts, asked(confidence=0.0))
    assert ranked[more] >= ranked[fewer]


def test_an_empty_search_has_no_scores() -> None:
    assert ranking.normalised([], {}, asked()) == {}


def test_neighbours_become_candidates_and_lend_their_cosine() -> None:
    hit, after, alone = 1, 2, 3
    facts = {
        hit: Facts(session="s", following=after, cosine=0.9, length=40),
        after: Facts(session="s", previous=hit, cosine=0.2, length=40),
        alone: Facts(session=None, cosine=0.2, length=40),
    }
    candidates = ranking.with_neighbours([hit, alone], facts)
    assert candidates == {hit, after, alone}
    ranked = ranking.normalised(candidates, facts, asked())
    assert ranked[hit] > ranked[after] > ranked[alone]


def test_the_nearest_note_is_not_lost_among_neighbours_that_are_far() -> None:
    nearest, before, other = 1, 2, 3
    facts = {
        before: Facts(session="s", following=nearest, cosine=0.2, length=40),
        nearest: Facts(session="s", previous=before, cosine=0.46, length=40),
        other: Facts(session=None, cosine=0.4, length=40),
    }
    ranked = ranking.normalised(facts, facts, asked())
    assert ranked[nearest] > ranked[other] > ranked[before]


def test_a_turn_that_only_asks_is_held_back_and_one_that_also_tells_is_not() -> None:
    def turn(length: int, *, asks: bool) -> float:
        facts = {1: Facts(session="s", following=2, cosine=0.5, length=length, asks=asks), 2: Facts(session="s")}
        return ranking.normalised([1], facts, asked())[1]

    assert turn(50, asks=True) < turn(50, asks=False)
    assert turn(60, asks=True) == turn(60, asks=False)


def test_a_named_speaker_and_a_named_day_lift_a_note() -> None:
    plain, named, dated = 1, 2, 3
    facts = {
        plain: Facts(session=None, cosine=0.5),
        named: Facts(session=None, cosine=0.5, speaker=frozenset({"alpha"})),
        dated: Facts(session=None, cosine=0.5, days=0.0),
    }
    ranked = ranking.normalised(facts, facts, asked())
    assert ranked[named] > ranked[plain]
    assert ranked[dated] > ranked[plain]


@given(scores, scores)
def test_reciprocal_ranks_depend_on_no_order_of_arms_and_invent_nothing(
    one: dict[int, float], other: dict[int, float]
) -> None:
    first, second = ranking.ordered(one), ranking.ordered(other)
    fused = ranking.reciprocal([first, second])
    assert fused == pytest.approx(ranking.reciprocal([second, first]))
    assert fused.keys() == one.keys() | other.keys()


@given(st.lists(ids, unique=True, max_size=10))
def test_reciprocal_ranks_of_one_arm_keep_its_order(ranked: list[int]) -> None:
    assert ranking.ordered(ranking.reciprocal([ranked])) == ranked


@given(scores, scores)
def test_weighted_scores_lie_between_0_and_1(vector: dict[int, float], lexical: dict[int, float]) -> None:
    fused = ranking.weighted(vector, lexical)
    assert fused.keys() == vector.keys() | lexical.keys()
    assert all(0 <= score <= 1 for score in fused.values())


@pytest.mark.parametrize(("letters", "pieces", "expected"), [(40, 10, 1.0), (20, 10, 0.0), (9, 10, 0.0), (55, 20, 0.5)])
def test_a_model_that_must_spell_a_query_is_not_trusted(letters: int, pieces: int, expected: float) -> None:
    assert ranking.confidence(letters, pieces, MINILM) == pytest.approx(expected)


def test_a_model_that_was_not_measured_is_trusted() -> None:
    assert ranking.confidence(1, 10, None) == 1.0
    assert ranking.confidence(1, None, MINILM) == 1.0


def test_evidence_tells_a_note_about_the_query_from_one_beside_it() -> None:
    about = Facts(session=None, cosine=0.6, terms={"alpha": 1, "beta": 1})
    beside = Facts(session=None, cosine=0.2, terms={"gamma": 1})
    assert ranking.evidence(about, asked()) > 0 > ranking.evidence(beside, asked())
    assert ranking.is_weak([-0.1, -0.01])
    assert not ranking.is_weak([-0.1, 0.2])
    assert not ranking.is_weak([])


@given(st.dictionaries(st.sampled_from(TERMS), st.integers(min_value=1, max_value=9), max_size=3))
def test_cover_is_a_share(terms: dict[str, int]) -> None:
    assert 0 <= bm25.cover(terms, asked().weights) <= 1


def test_a_word_is_covered_by_any_of_its_forms_and_a_missing_pair_counts_half() -> None:
    words = Asked(words=(("walk", "walking"), ("日本",)), pairs=frozenset({"日本"}))
    weights = Weights(asked=words, idf={"walk": 2.0, "walking": 2.0, "日本": 2.0}, average=10)
    assert bm25.cover({"walking": 1}, weights) == pytest.approx(2 / 3)
    assert bm25.cover({"walk": 1, "日本": 1}, weights) == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Ada do on 7 May 2023?", (Span(year=2023, month=5, day=7),)),
        ("on May 7, 2023", (Span(year=2023, month=5, day=7),)),
        ("May 7th", (Span(year=None, month=5, day=7),)),
        ("in June 2024 or 2022", (Span(year=2024, month=6), Span(year=2022))),
        ("on 2023-05-07 and 2023-06", (Span(year=2023, month=5, day=7), Span(year=2023, month=6))),
        ("am 3. März 2024", (Span(year=2024, month=3, day=3),)),
        ("el 5 de julio de 2021", (Span(year=2021, month=7, day=5),)),
        ("2023年5月7日", (Span(year=2023, month=5, day=7),)),
        ("in October", (Span(year=None, month=10),)),
        ("may I ask, we march on", ()),
        ("room 2000x, 12345, no date", ()),
        ("2023-19-45", ()),
    ],
)
def test_spans_are_read_where_a_query_names_them(text: str, expected: tuple[Span, ...]) -> None:
    assert spans.named(text) == expected


@given(st.text(max_size=60))
def test_any_text_may_be_looked_through_for_spans(text: str) -> None:
    for span in spans.named(text):
        assert span.distance(date(2024, 2, 29)) >= 0


@pytest.mark.parametrize(
    ("span", "moment", "days"),
    [
        (Span(year=2024, month=2, day=30), date(2024, 2, 29), 0),
        (Span(year=2024, month=2), date(2024, 3, 3), 3),
        (Span(year=2023), date(2024, 1, 1), 1),
        (Span(year=None, month=12, day=30), date(2024, 1, 2), 3),
        (Span(year=None, month=7), date(2024, 7, 15), 0),
    ],
)
def test_the_distance_to_a_span_is_counted_in_days(span: Span, moment: date, days: int) -> None:
    assert span.distance(moment) == days


LONG = "the meeting about the atlas release moved to the small room upstairs"


def test_a_near_duplicate_is_left_out_and_the_first_stays() -> None:
    texts = [LONG, f"{LONG} again", "something else entirely, about the garden and its tools"]
    assert duplicates.distinct(texts, limit=5) == [0, 2]


def test_no_more_texts_are_kept_than_asked_for() -> None:
    assert duplicates.distinct(["one", "two", "three"], limit=2) == [0, 1]


def test_short_texts_and_changed_numbers_are_no_duplicates() -> None:
    assert duplicates.distinct(["yes please", "yes please"], limit=5) == [0, 1]
    assert duplicates.distinct([f"{LONG} at 10", f"{LONG} at 11"], limit=5) == [0, 1]


@given(st.lists(st.text(max_size=30), max_size=8))
def test_what_is_kept_was_given_in_its_order(texts: list[str]) -> None:
    kept = duplicates.distinct(texts, limit=8)
    assert kept == sorted(set(kept))
    assert set(kept) <= set(range(len(texts)))
