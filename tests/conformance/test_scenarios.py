"""Which scenarios of the MCP conformance suite apply, and how one is judged."""

import json

import pytest

from conformance import messages, scenarios
from conformance.scenarios import SESSIONS, Check, Kind, Need, Offer, Outcome, Verdict

NOTHING = Offer(found=frozenset())


def offering(*found: tuple[Kind, str]) -> Offer:
    return Offer(found=frozenset(found))


def check(status: str, id: str = "it", message: str = "") -> Check:
    return Check(id=id, status=status, message=message)


def test_a_scenario_that_nothing_is_said_of_applies_to_every_server() -> None:
    assert scenarios.need("dns-rebinding-protection") is None
    failed = scenarios.judged("ping", [check("SUCCESS"), check("FAILURE", message="no answer")], NOTHING)
    assert failed == Outcome(scenario="ping", verdict=Verdict.FAILED, note="it: no answer")
    assert scenarios.judged("ping", [check("SUCCESS")], NOTHING).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("scenario", "offer"),
    [
        ("tools-call-image", (Kind.TOOL, "test_image_content")),
        ("resources-list", (Kind.CAPABILITY, "resources")),
        ("resources-read-text", (Kind.RESOURCE, "test://static-text")),
        ("prompts-get-simple", (Kind.PROMPT, "test_simple_prompt")),
        ("server-sse-multiple-streams", (Kind.TRAIT, SESSIONS)),
        ("tasks-lifecycle", (Kind.CAPABILITY, "tasks")),
    ],
)
def test_a_scenario_applies_as_soon_as_the_server_has_what_it_asks_for(scenario: str, offer: tuple[Kind, str]) -> None:
    done = [check("FAILURE", message="wrong")]
    assert scenarios.judged(scenario, done, NOTHING).verdict is Verdict.NOT_APPLICABLE
    assert scenarios.judged(scenario, done, offering(offer)).verdict is Verdict.FAILED


def test_what_does_not_apply_and_passes_nevertheless_is_told() -> None:
    told = scenarios.judged("tools-call-error", [check("SUCCESS")], NOTHING)
    assert told.verdict is Verdict.NOT_APPLICABLE
    assert told.note == "calls the suite's own tool 'test_error_handling' (passes nevertheless)"


@pytest.mark.parametrize("done", [[], [check("INFO")], [check("WARNING", message="slow")], [check("SKIPPED")]])
def test_a_scenario_that_checks_nothing_has_not_passed(done: list[Check]) -> None:
    assert scenarios.judged("ping", done, NOTHING).verdict is Verdict.FAILED


def test_a_single_check_that_needs_what_is_missing_is_excused_alone() -> None:
    excused = check("FAILURE", id="sep-2549-prompts-list-caching-hints", message="no prompts")
    passed = scenarios.judged("caching", [check("SUCCESS"), excused], NOTHING)
    assert passed.verdict is Verdict.PASSED
    assert "does not declare 'prompts'" in passed.note
    assert scenarios.judged("caching", [check("SUCCESS"), excused, check("FAILURE")], NOTHING).verdict is Verdict.FAILED
    having = offering((Kind.CAPABILITY, "prompts"))
    assert scenarios.judged("caching", [check("SUCCESS"), excused], having).verdict is Verdict.FAILED


def test_every_need_says_why_a_scenario_does_not_apply() -> None:
    for need in (*scenarios.NEEDS.values(), *scenarios.FAMILIES.values(), *scenarios.NEEDS_OF_CHECKS.values()):
        assert need.name in need.unmet()
    assert Need(kind=Kind.TRAIT, name=SESSIONS).unmet() == "the server has no sessions over streamable HTTP"


def test_names_and_reports_of_the_suite_are_read() -> None:
    listing = (
        "Server scenarios (test against a server):\n  - ping [2025-06-18,2025-11-25]\n  - tools-list [2025-11-25]\n"
    )
    assert scenarios.names(listing) == ["ping", "tools-list"]
    report = [{"id": "a", "status": "FAILURE", "errorMessage": "no"}, {"id": "b", "status": "SUCCESS"}]
    assert scenarios.checks(report) == [check("FAILURE", "a", "no"), check("SUCCESS", "b")]


def test_the_table_has_a_line_for_each_scenario_what_failed_first() -> None:
    table = scenarios.table(
        [
            Outcome(scenario="prompts-list", verdict=Verdict.NOT_APPLICABLE, note="none"),
            Outcome(scenario="ping", verdict=Verdict.PASSED, note="1 checks"),
            Outcome(scenario="tools-list", verdict=Verdict.FAILED, note="bad"),
        ]
    ).splitlines()
    assert [line.split()[0] for line in table] == ["tools-list", "ping", "prompts-list", "1"]
    assert table[-1] == "1 FAILED, 1 passed, 1 not applicable"


@pytest.mark.parametrize(
    ("version", "enough"), [("v22.23.3\n", True), ("v24.0.0", True), ("v20.20.2", False), ("", False), ("oops", False)]
)
def test_an_old_node_is_not_enough(version: str, enough: bool) -> None:
    assert scenarios.is_new_enough(version, least=22) is enough


def test_an_answer_is_read_from_json_and_from_a_stream() -> None:
    answer = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert messages.message(json.dumps(answer)) == answer
    assert messages.message(f"id: 1\ndata:\n\nevent: message\ndata: {json.dumps(answer)}\n\n") == answer
