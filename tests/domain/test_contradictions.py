import csv
import unicodedata
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.domain import contradictions
from memory_bank.domain.contradictions import Strategy

POSITIVE = {"negation", "number_change", "version_change", "value_change", "retirement", "state_change"}
Row = dict[str, str]


def table(name: str) -> list[Row]:
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


ROWS = table("contradictions.tsv")
FIRING = [row for row in ROWS if contradictions.between(row["old"], row["new"], entity=row["entity"]) is not None]


@pytest.mark.parametrize(
    ("strategy", "old", "new"),
    [
        (Strategy.NEGATION, "The kiosk sells stamps.", "The kiosk doesn't sell stamps any longer."),
        (Strategy.NEGATION, "Ove does not drink coffee.", "Ove drinks coffee again."),
        (Strategy.NEGATION, "Die Halle ist nicht beheizt.", "Die Halle ist beheizt."),
        (Strategy.NEGATION, "El parque abre los festivos.", "El parque no abre los festivos."),
        (Strategy.NEGATION, "La salle est chauffée.", "La salle n'est pas chauffée."),
        (Strategy.NEGATION, "Il negozio accetta assegni.", "Il negozio non accetta assegni."),
        (Strategy.NEGATION, "A loja aceita cheques.", "A loja não aceita cheques."),
        (Strategy.NEGATION, "De winkel accepteert cheques.", "De winkel accepteert geen cheques."),
        (Strategy.NEGATION, "这个接口支持分页", "这个接口不支持分页"),
        (Strategy.NEGATION, "この部屋では喫煙できる。", "この部屋では喫煙できない。"),
        (Strategy.NUMBER, "The ladder is 4 metres long.", "The ladder is 450 cm long."),
        (Strategy.NUMBER, "The course has twelve places.", "The course has 15 places."),
        (Strategy.NUMBER, "Das Archiv hat 1.200 Akten.", "Das Archiv hat 1.350 Akten."),
        (Strategy.NUMBER, "仓库有十二名工人", "仓库有20名工人"),
        (Strategy.NUMBER, "built with Gradle 7.6", "built with Gradle 8.9"),
        (Strategy.TOPIC, "Head office: Lund", "The head office is in Malmö."),
        (Strategy.TOPIC, "Ida lives in Bergen.", "Ida moved to Trondheim."),
        (Strategy.TOPIC, "The default theme is light.", "The default theme is sepia."),
        (Strategy.RETIREMENT, "The hotel has a sauna.", "The sauna was removed."),
        (Strategy.RETIREMENT, "学校有游泳馆", "学校的游泳馆已经拆除"),
        (Strategy.STATE, "The request is pending.", "The request was approved."),
        (Strategy.STATE, "Die Wohnung steht leer.", "Die Wohnung ist vermietet."),
    ],
)
def test_a_contradiction_is_found_by_its_own_strategy_and_says_why(strategy: Strategy, old: str, new: str) -> None:
    found = contradictions.between(old, new)

    assert found is not None
    assert found.strategy is strategy
    assert 10 < len(found.reason) <= 300
    assert found.reason.endswith((".", "…"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ove plays the flute.", "Ove plays the harp."),
        ("The editor supports tabs.", "The editor supports split views."),
        ("Fee for adults: 12 euros", "Fee for children: 5 euros"),
        ("In 2016 sales were 4 million.", "In 2019 sales were 7 million."),
        ("Ada led the lab until 2012.", "Ada has led the clinic since 2016."),
        ("The session lasts an hour.", "The session lasts 60 minutes."),
        ("The gate closes at 6 pm.", "The gate closes at 18:00."),
        ("The hut doesn't have running water.", "The hut has a stove."),
        ("The café has a garden.", "The café has a garden with forty seats."),
        ("Mina lives in Spain.", "Mina lives in Seville, Spain."),
        ("They are not married.", "They are single."),
        ("该店接受现金", "该店接受支票"),
        ("会場には椅子が30脚ある。", "会場には机が10台ある。"),
        ("No dogs in the garden.", "No cats in the garden."),
        ("", "The sauna was removed."),
        ("...", "!!!"),
    ],
)
def test_what_can_hold_side_by_side_is_no_contradiction(old: str, new: str) -> None:
    assert contradictions.between(old, new) is None


def test_the_table_of_pairs_is_judged_with_high_precision_and_good_recall() -> None:
    right = sum(row["category"] in POSITIVE for row in FIRING)

    assert right / len(FIRING) >= 0.97
    assert right / sum(row["category"] in POSITIVE for row in ROWS) >= 0.93


def test_short_facts_are_judged_with_high_precision_and_good_recall() -> None:
    rows = table("short_facts.tsv")
    firing = [row for row in rows if contradictions.between(row["old"], row["new"], entity=row["entity"]) is not None]
    right = sum(row["contradiction"] == "yes" for row in firing)

    assert right / len(firing) >= 0.97
    assert right / sum(row["contradiction"] == "yes" for row in rows) >= 0.95


def test_no_category_of_the_table_is_left_to_chance() -> None:
    told: dict[str, list[bool]] = defaultdict(list)
    for row in ROWS:
        told[row["category"]].append((row in FIRING) == (row["category"] in POSITIVE))

    assert {category for category, right in told.items() if sum(right) / len(right) < 0.85} == set()


def test_nearly_every_contradiction_is_suspected_and_few_unrelated_pairs() -> None:
    suspected = [row for row in ROWS if contradictions.suspected(row["old"], row["new"], entity=row["entity"])]
    positive = [row for row in ROWS if row["category"] in POSITIVE]

    assert sum(row in suspected for row in positive) / len(positive) >= 0.97
    assert sum(row["category"] == "unrelated" for row in suspected) < 0.6 * sum(
        row["category"] == "unrelated" for row in ROWS
    )
    assert all(row in suspected for row in FIRING)


def test_facts_that_lie_close_are_suspected_whatever_their_words() -> None:
    old, new = "Bea keeps a parrot.", "Her bird found another owner."

    assert not contradictions.suspected(old, new)
    assert contradictions.suspected(old, new, similarity=0.7)


def test_pairs_of_unrelated_facts_hardly_ever_contradict() -> None:
    shifted = [(row, ROWS[(index * 7 + 3) % len(ROWS)]) for index, row in enumerate(ROWS)]
    alien = [(one, two) for one, two in shifted if one["entity"] != two["entity"]]
    fired = [pair for pair in alien if contradictions.between(pair[0]["old"], pair[1]["new"], entity=pair[0]["entity"])]

    assert len(fired) <= 0.01 * len(alien)


@pytest.mark.parametrize("row", ROWS[::5], ids=lambda row: f"{row['category']}-{row['entity']}")
def test_letter_case_white_space_and_width_make_no_difference(row: Row) -> None:
    found = contradictions.between(row["old"], row["new"], entity=row["entity"])
    wide = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x30, 0x3A)})

    for changed in (
        {key: row[key].upper() for key in ("old", "new", "entity")},
        {key: "  " + row[key].replace(" ", " \t ") + "  " for key in ("old", "new", "entity")},
        {key: row[key].translate(wide) for key in ("old", "new", "entity")},
        {key: unicodedata.normalize("NFD", row[key]) for key in ("old", "new", "entity")},
    ):
        # capital ß is SS, which folds to the same letters
        again = contradictions.between(changed["old"], changed["new"], entity=changed["entity"])
        assert (again is None) == (found is None)


@pytest.mark.parametrize("row", [row for row in FIRING if row["category"] == "negation"], ids=lambda row: row["entity"])
def test_a_denial_is_found_in_both_directions(row: Row) -> None:
    assert contradictions.between(row["new"], row["old"], entity=row["entity"]) is not None


@pytest.mark.parametrize("row", ROWS[::3], ids=lambda row: f"{row['category']}-{row['entity']}")
def test_a_fact_never_contradicts_itself(row: Row) -> None:
    for text in (row["old"], row["new"]):
        assert contradictions.between(text, text, entity=row["entity"]) is None
        assert contradictions.between(text, f"- {text} ", entity=row["entity"]) is None
        assert not contradictions.suspected(text, text, entity=row["entity"])


hostile = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(["not", "no", "不", "2020", "until", "12,5", "v1.2.3", "：", "-", "ない", "\n", "closed"])
    ).map(" ".join),
    st.sampled_from([row["old"] for row in ROWS] + [row["new"] for row in ROWS]),
)


@given(old=hostile, new=hostile, entity=hostile)
@settings(deadline=None, max_examples=200)
def test_any_text_is_judged_without_failing_and_the_same_way_twice(old: str, new: str, entity: str) -> None:
    found = contradictions.between(old, new, entity=entity)

    assert found == contradictions.between(old, new, entity=entity, similarity=0.9)
    assert found is None or len(found.reason) <= 300
    if found is not None:
        assert contradictions.suspected(old, new, entity=entity)


@given(text=hostile, entity=hostile)
@settings(deadline=None)
def test_no_text_contradicts_itself(text: str, entity: str) -> None:
    assert contradictions.between(text, text, entity=entity) is None


@pytest.mark.parametrize(
    "piece",
    ["a", "1,", "not ", "不", "- ", "until ", "a'", "/a", "\n", "̀", "八十", "from 2020 to ", "is closed on monday "],
)
def test_only_the_beginning_of_a_very_long_fact_is_read(piece: str) -> None:
    long = piece * (100_000 // len(piece))

    assert contradictions.between(long, long + "x") is None
    contradictions.between(long, "The shop is not open on Monday.", entity=long)
    contradictions.between("The shop is open on Monday.", long)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("has 3 replicas in eu", "has 5 replicas in us"),
        ("port is 8080 in staging", "port is 9090 in production"),
        ("port is 8080 on host a", "port is 9090 on host b"),
        ("status is active in prod", "status is inactive in dev"),
        ("works at Acme on weekdays", "works at Beta on weekends"),
        ("database is Postgres for users", "database is Redis for sessions"),
        ("versão é 2.0 no servidor A", "versão é 3.0 no servidor B"),
        ("порт 8080 для http", "порт 8443 для https"),
    ],
)
def test_facts_about_two_scopes_do_not_exclude_each_other(one: str, other: str) -> None:
    assert contradictions.between(one, other) is None
    assert contradictions.between(other, one) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("has 3 replicas in eu", "has 5 replicas in eu"),
        ("port is 8080 in staging", "port is 9090 in staging"),
        ("the ferry has a single stop, in Bergen", "the ferry has a single stop, in Oslo"),
    ],
)
def test_in_one_scope_they_do_and_a_scope_may_be_what_is_stated(one: str, other: str) -> None:
    assert contradictions.between(one, other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # a protocol is not the plural of another one
        ("HTTP port is 80", "HTTPS port is 443"),
        ("supports HTTP", "supports HTTPS"),
        ("ldap timeout is 5s", "ldaps timeout is 9s"),
        # numbers, letters, versions and sides tell which thing is meant
        ("issue #12 is open", "issue #13 is closed"),
        ("#4 is approved", "#5 is rejected"),
        ("PR 12 is merged", "PR 13 is not merged"),
        ("feature A is enabled", "feature B is disabled"),
        ("v1 is deprecated", "v2 is supported"),
        ("Firmware 5.14 is stable", "Firmware 5.16 is unstable"),
        ("the left door is open", "the right door is closed"),
        ("The cold tap is open.", "The hot tap is shut."),
        ("Die linke Tür ist offen.", "Die rechte Tür ist geschlossen."),
        ("task #5 is blocked", "task #6 is unblocked"),
        ("v3 of the API is supported", "v1 of the API is no longer supported"),
        ("the front gate is open", "the back gate is closed"),
        # the two ends of a span
        ("öffnet um 8 Uhr", "schließt um 20 Uhr"),
        ("opens at 9", "closes at 17"),
        ("starts at 10", "ends at 12"),
        ("begins on May 3", "ends on May 5"),
        ("opens on Monday", "closes on Friday"),
        # what there may be several of
        ("supports Python 3.11", "supports Python 3.12"),
        ("supports synchronous calls", "supports asynchronous calls"),
        ("compatible with Django 4.2", "compatible with Django 5.0"),
        # places and times
        ("is available in Europe", "is unavailable in Asia"),
        ("is up on host alpha", "is down on host beta"),
        ("is up in eu-west", "is down in us-east"),
        ("error rate was 5% before the fix", "error rate was 1% after the fix"),
        # what is denied leaves room for all else
        ("not on port 80", "on port 443"),
        ("does not have 4 seats", "has 6 seats"),
        ("no longer works at Acme", "works at Globex"),
        ("does not live in Oslo", "no longer lives in Bergen"),
    ],
)
def test_facts_about_something_else_do_not_exclude_each_other(one: str, other: str) -> None:
    assert contradictions.between(one, other) is None
    assert contradictions.between(other, one) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("issue #12 is open", "issue 12 is closed"),
        ("the left door is open", "the left door is closed"),
        ("Firmware 5.14 is installed", "Firmware 5.16 is installed"),
        ("v2 is the current version", "v3 is the current version"),
        ("opens at 9", "opens at 10"),
        ("the site is served over HTTP", "the site is served over HTTPS"),
        ("is up in eu-west", "is down in eu-west"),
        ("opens on Sunday", "closes on Sunday"),
    ],
)
def test_facts_about_the_same_one_still_do(one: str, other: str) -> None:
    assert contradictions.between(one, other) is not None


@pytest.mark.parametrize(
    "predicate",
    ["available", "running", "working", "installed", "open", "live", "up", "on", "in use", "possible", "enabled"],
)
def test_the_plainest_denial_is_found_both_ways(predicate: str) -> None:
    for one, other in ((f"is {predicate}", f"is not {predicate}"), (f"is {predicate}", f"isn't {predicate}")):
        assert contradictions.between(one, other) is not None
        assert contradictions.between(other, one) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("it runs", "it doesn't run"),
        ("works", "does not work"),
        ("läuft", "läuft nicht"),
        ("ist verfügbar", "ist nicht verfügbar"),
        ("está disponible", "no está disponible"),
        ("funziona", "non funziona"),
        ("is available", "is unavailable"),
        ("the relay is reachable", "the relay is unreachable"),
        ("is compatible", "is incompatible"),
        ("está activo", "está inactivo"),
    ],
)
def test_so_is_a_denial_in_a_verb_or_in_the_beginning_of_a_word(one: str, other: str) -> None:
    assert contradictions.between(one, other) is not None
    assert contradictions.between(other, one) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the web server has two disks", "the web server is not running"),
        ("is running Debian", "is not running"),
        ("the API is available", "is not available"),
        ("is available", "is not available in Japan"),
        ("is unavailable", "is not available"),
        ("the relay is reachable", "the printer is unreachable"),
        ("is famous", "is infamous"),
        ("was running", "is not running"),
        ("will be available in May", "is not available"),
        ("is up to date", "is not up"),
        ("runs every night", "is not running"),
        ("is stalled", "is installed"),
    ],
)
def test_a_denial_of_something_else_is_none(one: str, other: str) -> None:
    assert contradictions.between(one, other) is None
    assert contradictions.between(other, one) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("port is 8080", "port: 9090"),
        ("port is 8080", "port = 9090"),
        ("port 8080", "port is 9090"),
        ("port is 8080", "now uses port 9090"),
        ("lives in Berlin", "now lives in Munich"),
        ("lives in Berlin", "lives in Munich now"),
        ("wohnt in Berlin", "wohnt in Hamburg"),
        ("vive en Madrid", "ahora vive en Sevilla"),
        ("woont in Gent", "woont nu in Leuven"),
    ],
)
def test_a_correction_may_be_worded_and_labelled_differently(old: str, new: str) -> None:
    assert contradictions.between(old, new) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("HTTP port is 8080", "now uses port 9090"),
        ("uses port 8080", "also uses port 9090"),
        ("the admin port is 8080", "metrics port 9090"),
        ("floor is 3", "gate 4"),
    ],
)
def test_a_label_of_something_else_corrects_nothing(old: str, new: str) -> None:
    assert contradictions.between(old, new) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("port is 8080", "port is 9090, not 8080"),
        ("port is 8080", "the port was changed from 8080 to 9090"),
        ("version is 1.4", "upgraded from 1.4 to 1.6"),
        ("lives in Berlin", "moved from Berlin to Munich"),
        ("uses PostgreSQL", "switched from PostgreSQL to MySQL"),
        ("uses Python 3.11", "switched from Python to Go"),
        ("uses PostgreSQL", "uses MySQL instead of PostgreSQL"),
        ("uses tabs", "uses spaces and not tabs"),
        ("sells cakes", "sells bread, not cakes"),
        ("wohnt in Berlin", "ist von Berlin nach München gezogen"),
        ("vive en Madrid", "se mudó de Madrid a Sevilla"),
        ("utilise MySQL", "utilise PostgreSQL au lieu de MySQL"),
    ],
)
def test_a_fact_that_names_the_old_value_itself_corrects_it(old: str, new: str) -> None:
    found = contradictions.between(old, new)

    assert found is not None
    assert found.strategy is Strategy.CORRECTION


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("was born in Berlin", "moved from Berlin to Munich"),
        ("likes Berlin", "moved from Berlin to Munich"),
        ("works in Berlin", "flew from Berlin to Munich"),
        ("flies from Rome to Oslo", "flies from Madrid to Rome"),
        ("the office is open from 9 to 17", "the office is open from 9 to 17 and not on Sundays"),
        ("alerts use Prometheus", "metrics moved from Prometheus to Datadog"),
        ("latency is 1.4", "upgraded from 1.4 to 1.6"),
        ("port is 8080", "the admin port was changed from 8080 to 9090"),
        ("port is 8080", "the port was changed from 8080 to 9090 in staging"),
        ("drinks coffee", "drinks tea instead of coffee in the evening"),
        ("port is 9090", "port is 9090, not 8080"),
        ("the reports use PostgreSQL", "the worker uses MySQL instead of PostgreSQL"),
    ],
)
def test_an_old_value_of_something_else_is_not_corrected(old: str, new: str) -> None:
    assert contradictions.between(old, new) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("likes coffee", "hates coffee"), ("enjoys running", "detests running"), ("mag Kaffee", "hasst Kaffee")],
)
def test_nobody_likes_and_hates_the_same_thing(one: str, other: str) -> None:
    assert contradictions.between(one, other) is not None
    assert contradictions.between(other, one) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("likes coffee", "hates tea"),
        ("likes black coffee", "hates black tea"),
        ("likes coffee", "hates coffee in the evening"),
        ("Ann loves jazz", "Bob hates jazz"),
        ("likes coffee", "doesn't hate coffee"),
    ],
)
def test_but_one_thing_and_another(one: str, other: str) -> None:
    assert contradictions.between(one, other) is None
    assert contradictions.between(other, one) is None
