import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import link_typing, links
from memory_bank.domain.cues import reading
from memory_bank.domain.links import LinkType

TARGET = uuid.UUID(int=7)


def judged(source: str, target: str, similarity: float) -> links.Judgement | None:
    return link_typing.judge(source, links.Candidate(id=TARGET, content=target, similarity=similarity))


# Similarities are those that all-MiniLM-L6-v2 gives to the two texts.
@pytest.mark.parametrize(
    ("kind", "source", "target", "similarity"),
    [
        (
            LinkType.CAUSAL,
            "The greenhouse heater tripped the breaker again, so the seedlings froze overnight.",
            "The extension cord to the greenhouse is rated for only five amps.",
            0.33,
        ),
        (LinkType.CAUSAL, "Build times doubled this week.", "Dependency caching was switched off on Monday.", 0.32),
        (
            LinkType.CAUSAL,
            "Die Heizung blieb kalt, weil die Pumpe ausgefallen war.",
            "Die Umwälzpumpe im Keller ist seit Dienstag defekt.",
            0.39,
        ),
        (
            LinkType.CAUSAL,
            "L'autobus est tombé en panne, c'est pourquoi nous avons raté le spectacle.",
            "Le spectacle de samedi a commencé sans nous.",
            0.62,
        ),
        (LinkType.CAUSAL, "サーバーが停止したため、受注が二時間遅れた。", "データセンターで停電が起きた。", 0.67),
        (
            LinkType.CONTRAST,
            "Unlike the mountain bike, the road bike has no suspension.",
            "The mountain bike soaks up roots and stones with long-travel forks.",
            0.45,
        ),
        (
            LinkType.CONTRAST,
            "Espresso: nine bars, thirty seconds, thick crema.",
            "Filter coffee: no pressure, four minutes, clear cup.",
            0.44,
        ),
        (
            LinkType.CONTRAST,
            "A differenza del treno, l'aereo richiede due ore di anticipo.",
            "Con il treno si sale cinque minuti prima della partenza.",
            0.54,
        ),
        (LinkType.CONTRAST, "与猫不同，狗每天要出去散步。", "猫可以整天待在家里。", 0.73),
        (
            LinkType.EXAMPLE,
            "For instance, the Vasa sank on her first voyage in 1628.",
            "Ships with too little ballast capsize easily.",
            0.24,
        ),
        (
            LinkType.EXAMPLE,
            "Zum Beispiel hat Frau Keller im Mai zwei Rechnungen doppelt bezahlt.",
            "Viele Kunden zahlen aus Versehen doppelt.",
            0.48,
        ),
        (
            LinkType.EXAMPLE,
            "Many insects copy the look of dangerous ones.",
            "The hoverfly on our balcony wears the stripes of a wasp.",
            0.48,
        ),
        (
            LinkType.DERIVED_CONCEPT,
            "Lesson learned: rehearse every restore before you need it.",
            "In March, June and September the restore failed each time on a missing key.",
            0.44,
        ),
        (
            LinkType.DERIVED_CONCEPT,
            "En règle générale, il faut réserver les trains de nuit deux mois à l'avance.",
            "Trois fois sur quatre, les couchettes étaient complètes à six semaines du départ.",
            0.52,
        ),
        (
            LinkType.DERIVED_CONCEPT,
            "总之，需求没写清楚的任务总会返工。",
            "上季度返工的五个任务，有四个没有写验收标准。",
            0.57,
        ),
        (
            LinkType.OPPOSITION,
            "Contrary to the wiki, the staging database is not wiped on Sundays.",
            "The wiki says the staging database is wiped every Sunday.",
            0.94,
        ),
        (
            LinkType.OPPOSITION,
            "The warranty on the dryer covers five years.",
            "The warranty on the dryer covers two years.",
            0.9,
        ),
        (LinkType.OPPOSITION, "La piscina está abierta en enero.", "La piscina está cerrada en enero.", 0.93),
        (LinkType.OPPOSITION, "更正：讲座不在二号厅，而是改到五号厅。", "讲座在二号厅举行。", 0.78),
        (
            LinkType.SHARED_CONTEXT,
            "Also for the Dresden trip: the museum closes at six.",
            "Dresden trip: hotel near the station, two nights.",
            0.65,
        ),
        (
            LinkType.SHARED_CONTEXT,
            "In derselben Sitzung wurde auch der Haushalt besprochen.",
            "Sitzung des Vorstands am 3. Mai: neue Satzung beschlossen.",
            0.58,
        ),
        (
            LinkType.SHARED_CONTEXT,
            "また、運動会の放送係は二年生が担当する。",
            "運動会のテントは前日に設営する。",
            0.69,
        ),
    ],
)
def test_a_pair_gets_the_type_that_its_words_support(
    kind: LinkType, source: str, target: str, similarity: float
) -> None:
    judgement = judged(source, target, similarity)

    assert judgement is not None
    assert judgement.type is kind
    assert judgement.target_id == TARGET
    assert judgement.origin is links.LinkOrigin.HEURISTIC


@pytest.mark.parametrize(
    ("source", "target", "similarity"),
    [
        ("The kettle needs descaling.", "Penguins huddle to keep warm.", 0.06),
        ("Because of the holiday the bakery is closed.", "Quartz is harder than glass.", 0.04),
        ("For example, the left drawer sticks in damp weather.", "The election was held in November 1932.", -0.06),
        ("Weil der Hund bellt, schläft das Kind nicht.", "Die Steuererklärung ist im Juli fällig.", 0.43),
        ("The pitcher broke on the kitchen floor last night.", "The pitcher threw eight innings last night.", 0.53),
    ],
)
def test_cue_words_and_homonyms_make_no_link_between_notes_without_a_common_subject(
    source: str, target: str, similarity: float
) -> None:
    assert judged(source, target, similarity) is None


def test_an_explanation_names_the_cue_that_decided() -> None:
    judgement = judged(
        "Unlike the mountain bike, the road bike has no suspension.", "The mountain bike has long-travel forks.", 0.45
    )

    assert judgement is not None
    assert "“unlike”" in judgement.explanation
    assert "“mountain”" in judgement.explanation
    assert "0.45" in judgement.explanation


def test_an_explanation_names_the_numbers_that_clash() -> None:
    judgement = judged(
        "The warranty on the dryer covers five years.", "The warranty on the dryer covers two years.", 0.9
    )

    assert judgement is not None
    assert "“5” and “2”" in judgement.explanation


@pytest.mark.parametrize(
    ("source", "target", "similarity"),
    [
        ("The client likes invoices by e-mail.", "The client prefers invoices by e-mail.", 0.95),
        ("The cello is kept in the attic.", "The cello is stored in the attic.", 0.95),
        ("用户喜欢简短的回答。", "用户偏好简短的答复。", 0.9),
    ],
)
def test_notes_that_say_the_same_in_other_words_are_no_opposition(source: str, target: str, similarity: float) -> None:
    judgement = judged(source, target, similarity)

    assert judgement is None or judgement.type is not LinkType.OPPOSITION


def test_the_time_in_a_speaker_line_is_no_conflicting_number() -> None:
    judgement = judged("Ada (9:15 am on 3 May): Lovely pottery, Ben!", "Ada (4:40 pm on 8 June): Lovely pottery.", 0.9)

    assert judgement is None or judgement.type is not LinkType.OPPOSITION


def test_a_pair_is_judged_alike_from_either_end() -> None:
    general, instance = "Ships with too little ballast capsize easily.", "For instance, the Vasa sank in 1628."

    there, back = judged(general, instance, 0.3), judged(instance, general, 0.3)

    assert there is not None
    assert back is not None
    assert there.type is back.type is LinkType.EXAMPLE
    assert there.confidence == back.confidence


@given(st.text(max_size=400), st.text(max_size=400), st.floats(-1, 1))
def test_any_two_texts_are_judged_within_bounds(source: str, target: str, similarity: float) -> None:
    judgement = judged(source, target, similarity)

    if judgement is not None:
        assert 0 <= judgement.confidence <= 1
        assert links.checked_explanation(judgement.explanation)


@pytest.mark.parametrize("unit", ["a", "a'", "(", "。", "1:", "é ", "あ", "🎉", "「", "\n- ", "no ", "١", "a.b@"])
def test_a_huge_note_of_one_repeated_unit_is_judged(unit: str) -> None:
    huge = unit * (100_000 // len(unit))

    judgement = judged(huge, huge[:-3], 0.99)

    assert judgement is None or links.checked_explanation(judgement.explanation)


def test_every_weight_has_its_evidence() -> None:
    pair = link_typing.paired(reading.read("Tea."), reading.read("Coffee."), similarity=0.5)

    assert set(link_typing.WEIGHTS) == set(link_typing.evidence(pair))
