"""Which scenarios of the MCP conformance suite apply to a server, and how one went."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What a server may have, so that a scenario can ask for it."""

    CAPABILITY = "capability"
    TOOL = "tool"
    PROMPT = "prompt"
    RESOURCE = "resource"
    TRAIT = "trait"


SESSIONS = "sessions over streamable HTTP"


@dataclass(frozen=True, kw_only=True)
class Need:
    """What a scenario asks for by its name, and what that is for."""

    kind: Kind
    name: str

    def unmet(self) -> str:
        """Return why a scenario does not apply to a server without it."""
        match self.kind:
            case Kind.CAPABILITY:
                return f"the server does not declare {self.name!r}"
            case Kind.TRAIT:
                return f"the server has no {self.name}"
            case _:
                return f"calls the suite's own {self.kind} {self.name!r}"


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What the server has, as its answers tell."""

    found: frozenset[tuple[Kind, str]]

    def meets(self, need: Need) -> bool:
        """Tell whether the server has what is asked for."""
        return (need.kind, need.name) in self.found


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check of a scenario, as the suite reports it."""

    id: str
    status: str
    message: str = ""


class Verdict(StrEnum):
    """How a scenario went."""

    PASSED = "passed"
    FAILED = "FAILED"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A scenario, how it went, and what is to be said of it."""

    scenario: str
    verdict: Verdict
    note: str = ""


def _tool(name: str) -> Need:
    return Need(kind=Kind.TOOL, name=name)


def _prompt(name: str) -> Need:
    return Need(kind=Kind.PROMPT, name=name)


def _resource(name: str) -> Need:
    return Need(kind=Kind.RESOURCE, name=name)


def _capability(name: str) -> Need:
    return Need(kind=Kind.CAPABILITY, name=name)


NEEDS: Mapping[str, Need] = {
    "logging-set-level": _capability("logging"),
    "completion-complete": _capability("completions"),
    "tools-call-simple-text": _tool("test_simple_text"),
    "tools-call-image": _tool("test_image_content"),
    "tools-call-audio": _tool("test_audio_content"),
    "tools-call-embedded-resource": _tool("test_embedded_resource"),
    "tools-call-mixed-content": _tool("test_multiple_content_types"),
    "tools-call-with-logging": _tool("test_tool_with_logging"),
    "tools-call-error": _tool("test_error_handling"),
    "tools-call-with-progress": _tool("test_tool_with_progress"),
    "tools-call-sampling": _tool("test_sampling"),
    "tools-call-elicitation": _tool("test_elicitation"),
    "json-schema-2020-12": _tool("json_schema_2020_12_tool"),
    "elicitation-sep1034-defaults": _tool("test_elicitation_sep1034_defaults"),
    "elicitation-sep1330-enums": _tool("test_elicitation_sep1330_enums"),
    "server-sse-polling": _tool("test_reconnection"),
    "server-sse-multiple-streams": Need(kind=Kind.TRAIT, name=SESSIONS),
    "server-session-lifecycle": Need(kind=Kind.TRAIT, name=SESSIONS),
    "resources-list": _capability("resources"),
    "resources-read-text": _resource("test://static-text"),
    "resources-read-binary": _resource("test://static-binary"),
    "resources-templates-read": _resource("test://template/{id}/data"),
    "resources-subscribe": _resource("test://watched-resource"),
    "resources-unsubscribe": _resource("test://watched-resource"),
    "prompts-list": _capability("prompts"),
    "prompts-get-simple": _prompt("test_simple_prompt"),
    "prompts-get-with-args": _prompt("test_prompt_with_arguments"),
    "prompts-get-embedded-resource": _prompt("test_prompt_with_embedded_resource"),
    "prompts-get-with-image": _prompt("test_prompt_with_image"),
    "sep-2164-resource-not-found": _capability("resources"),
    "http-custom-header-server-validation": Need(kind=Kind.TRAIT, name="argument that is sent as a header"),
}
"""What scenarios ask for that not every server has; whatever is not named here applies."""

FAMILIES: Mapping[str, Need] = {
    "tasks-": _capability("tasks"),
    "sep-2640-skills-": _capability("skills"),
    "input-required-result-": _tool("test_input_required_result_*"),
}
"""The same for all scenarios whose name begins so."""

NEEDS_OF_CHECKS: Mapping[str, Need] = {
    "sep-2575-server-rejects-undeclared-capability": _tool("test_missing_capability"),
    "sep-2575-missing-capability-http-400": _tool("test_missing_capability"),
    "sep-2549-prompts-list-caching-hints": _capability("prompts"),
    "sep-2549-resources-list-caching-hints": _capability("resources"),
    "sep-2549-resources-templates-list-caching-hints": _capability("resources"),
}
"""The same for single checks of scenarios that apply otherwise."""


def need(scenario: str) -> Need | None:
    """Return what a scenario asks for; None where it applies to every server."""
    family = next((each for start, each in FAMILIES.items() if scenario.startswith(start)), None)
    return NEEDS.get(scenario, family)


def names(listing: str) -> list[str]:
    """Return the scenarios in what the suite's `list` prints."""
    lines = (line.strip() for line in listing.splitlines())
    return [line.removeprefix("- ").split()[0] for line in lines if line.startswith("- ")]


def checks(report: Iterable[Mapping[str, Any]]) -> list[Check]:
    """Return the checks in a report of the suite."""
    return [
        Check(id=str(each.get("id")), status=str(each.get("status")), message=str(each.get("errorMessage") or ""))
        for each in report
    ]


def judged(scenario: str, done: Sequence[Check], offer: Offer) -> Outcome:
    """Judge a scenario by its checks: one that applies must pass some, and fail none."""
    failures = [each for each in done if each.status == "FAILURE"]
    successes = sum(each.status == "SUCCESS" for each in done)
    asked = need(scenario)
    if asked is not None and not offer.meets(asked):
        note = asked.unmet()
        # a pass that proves nothing, or a need that is none: either wants a look
        note += " (passes nevertheless)" if successes and not failures else ""
        return Outcome(scenario=scenario, verdict=Verdict.NOT_APPLICABLE, note=note)
    excused = [each for each in failures if each.id in NEEDS_OF_CHECKS and not offer.meets(NEEDS_OF_CHECKS[each.id])]
    held = [each for each in failures if each not in excused]
    if held or not successes:
        told = "; ".join(f"{each.id}: {each.message}" for each in held)
        return Outcome(scenario=scenario, verdict=Verdict.FAILED, note=told or "nothing was checked")
    notes = [f"{successes} checks"]
    notes += [f"not {each.id}: {NEEDS_OF_CHECKS[each.id].unmet()}" for each in excused]
    notes += [f"warned of {each.id}: {each.message}" for each in done if each.status == "WARNING"]
    return Outcome(scenario=scenario, verdict=Verdict.PASSED, note="; ".join(notes))


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a line for each scenario, those that apply first, and the sums."""
    order = (Verdict.FAILED, Verdict.PASSED, Verdict.NOT_APPLICABLE)
    width = max((len(each.scenario) for each in outcomes), default=0)
    lines = [
        f"{each.scenario:<{width}}  {each.verdict:<14}  {each.note}"
        for verdict in order
        for each in outcomes
        if each.verdict is verdict
    ]
    sums = ", ".join(f"{sum(each.verdict is verdict for each in outcomes)} {verdict}" for verdict in order)
    return "\n".join([*lines, sums])


def is_new_enough(version: str, *, least: int) -> bool:
    """Tell whether a version such as `v22.3.0` is of major version `least` or later."""
    major = version.strip().removeprefix("v").partition(".")[0]
    return major.isdecimal() and int(major) >= least
