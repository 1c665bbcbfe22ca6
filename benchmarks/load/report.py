"""What a measurement found: figures, requirements that were met or missed, as a table or as JSON."""

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.load import clients
from benchmarks.load.clients import Call
from benchmarks.load.phases import Run, Sessions, Step, Stop
from benchmarks.load.workload import ADD, SEARCH

SLOWDOWN_LIMIT = 3.0
GROWTH_LIMIT = 0.05
STOP_LIMIT = 10.0


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """What must hold, whether it does, and the figure that says so."""

    name: str
    met: bool
    told: str


@dataclass(frozen=True, kw_only=True)
class Delays:
    """Milliseconds that answers took; p50 is what half of them took at most."""

    count: int
    p50: float
    p95: float
    p99: float
    longest: float


@dataclass(frozen=True, kw_only=True)
class Found:
    """All that was measured."""

    alone: Sequence[Call]
    steps: Sequence[Step]
    run: Run
    sessions: Sessions
    stop: Stop
    violations: Sequence[str]
    """Acknowledged writes that are lost or doubled, or half written, after the stop and a new start."""
    acknowledged: int
    complaints: Sequence[str]
    """Errors in the server's own log."""


def delays(calls: Sequence[Call]) -> Delays:
    """Return how long answered calls took; all zero where there are none."""
    taken = sorted(1000 * call.seconds for call in calls if not call.error)
    if not taken:
        return Delays(count=0, p50=0.0, p95=0.0, p99=0.0, longest=0.0)
    p50, p95, p99 = (taken[math.ceil(share * len(taken)) - 1] for share in (0.5, 0.95, 0.99))
    return Delays(count=len(taken), p50=p50, p95=p95, p99=p99, longest=taken[-1])


def requirements(found: Found) -> list[Requirement]:
    """Return what the product promises under load, each met or missed."""
    return [*_answers(found), *_steadiness(found), *_end(found)]


def table(found: Found) -> str:
    """Return the figures as lines of text."""
    return "\n".join(["", *_delay_lines(found), "", *_cost_lines(found), "", *_requirement_lines(found)])


def as_json(found: Found) -> str:
    """Return the figures as JSON; of the calls their counts and delays."""
    return json.dumps(
        {
            "unloaded": _by_transport(found.alone),
            "saturation": [
                {"callers": step.callers, "rate": step.rate, "cores": step.cores, **_by_transport(step.calls)}
                for step in found.steps
            ],
            "run": {
                "rate": found.run.rate,
                "seconds": found.run.seconds,
                "cores": found.run.cores,
                "memory": {of: _growth(found.run, of) for of in ("server", "database")},
                "late": dataclasses.asdict(_lateness(found.run.calls)),
                **_by_transport(found.run.calls),
            },
            "sessions": dataclasses.asdict(found.sessions),
            "stop": {**dataclasses.asdict(found.stop), "early": [call.error for call in found.stop.early]},
            "acknowledged": found.acknowledged,
            "violations": list(found.violations),
            "complaints": list(found.complaints),
            "requirements": [dataclasses.asdict(each) for each in requirements(found)],
        },
        indent=2,
    )


def _answers(found: Found) -> Iterator[Requirement]:
    failed = [call.error for call in _all_calls(found) if call.error]
    reasons = "; ".join(f"{times} times {reason}" for reason, times in Counter(failed).most_common(3))
    yield Requirement(name="no error", met=not failed, told=reasons or f"{len(_all_calls(found))} calls answered")
    yield Requirement(
        name="no error in the server's log",
        met=not found.complaints,
        told=f"{len(found.complaints)}" + (f", such as {found.complaints[0]}" if found.complaints else ""),
    )
    yield Requirement(
        name="no lost write",
        met=not found.violations,
        told="; ".join(found.violations[:3]) or f"{found.acknowledged} acknowledged, each there exactly once",
    )


def _steadiness(found: Found) -> Iterator[Requirement]:
    grown = found.run.server
    yield Requirement(
        name="memory flat",
        met=grown.share < GROWTH_LIMIT,
        told=f"{grown.before:.0f} to {grown.after:.0f} MiB, {grown.share:+.1%}, limit {GROWTH_LIMIT:.0%}",
    )
    one, many = delays(_searches(found.alone)), delays(_searches(found.run.calls))
    slowdown = many.p95 / one.p95 if one.p95 and many.p95 else math.inf
    yield Requirement(
        name="p95 of search",
        met=slowdown <= SLOWDOWN_LIMIT,
        told=f"{many.p95:.1f} ms against {one.p95:.1f} unloaded: {slowdown:.2f} times, limit {SLOWDOWN_LIMIT:.0f}",
    )
    yield Requirement(
        name="no session left behind",
        met=not any(found.sessions.after[each] for each in (clients.SSE, clients.STREAMABLE)),
        told=" -> ".join(
            ", ".join(f"{name} {value:.0f}" for name, value in each.items())
            for each in (found.sessions.before, found.sessions.during, found.sessions.after)
        ),
    )


def _end(found: Found) -> Iterator[Requirement]:
    end = found.stop
    yield Requirement(
        name="graceful stop under load",
        met=end.code == 0 and end.seconds <= STOP_LIMIT,
        told=f"{end.seconds:.1f} s, exit code {end.code}, limit {STOP_LIMIT:.0f} s",
    )
    yield Requirement(
        name="cut calls end with an error",
        met=not end.hanging,
        told=f"{end.answered} answered after the signal, {end.failed} failed, {end.hanging} left hanging",
    )


def _delay_lines(found: Found) -> Iterator[str]:
    yield f"{'ms':<36}{'calls':>8}{'p50':>9}{'p95':>9}{'p99':>9}{'longest':>9}"
    for name, calls in (("unloaded", found.alone), (f"{found.run.rate:.1f} calls a second", found.run.calls)):
        for tool in (SEARCH, ADD):
            for transport in ("", clients.SSE, clients.STREAMABLE):
                chosen = [each for each in calls if each.tool == tool and transport in ("", each.transport)]
                if chosen:
                    yield _delay_line(f"{name}, {tool.split('_')[0]} {transport}", delays(chosen))
    yield _delay_line("sent later than due, by the clients", _lateness(found.run.calls))


def _delay_line(name: str, each: Delays) -> str:
    return f"{name:<36}{each.count:>8}{each.p50:>9.1f}{each.p95:>9.1f}{each.p99:>9.1f}{each.longest:>9.1f}"


def _cost_lines(found: Found) -> Iterator[str]:
    for step in found.steps:
        yield f"{step.callers} clients without pause: {step.rate:.1f} calls a second; cores: {_cores(step.cores)}"
    yield f"{found.run.rate:.1f} calls a second for {found.run.seconds:.0f} s; cores: {_cores(found.run.cores)}"
    for name, grown in (("server", found.run.server), ("PostgreSQL, private", found.run.database)):
        yield (
            f"memory of {name}: {grown.before:.0f} MiB in the first {grown.seconds:.0f} s, "
            f"{grown.after:.0f} in the last ({grown.share:+.1%})"
        )


def _requirement_lines(found: Found) -> Iterator[str]:
    for each in requirements(found):
        yield f"{'met   ' if each.met else 'MISSED'}  {each.name}: {each.told}"


def _cores(used: dict[str, float] | object) -> str:
    assert isinstance(used, dict)
    return ", ".join(f"{name} {cores:.2f}" for name, cores in used.items())


def _all_calls(found: Found) -> list[Call]:
    stepped = [call for step in found.steps for call in step.calls]
    return [*found.alone, *stepped, *found.run.calls, *found.stop.early]


def _searches(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.tool == SEARCH]


def _lateness(calls: Sequence[Call]) -> Delays:
    return delays([dataclasses.replace(call, ended=call.begun, error="") for call in calls])


def _growth(run: Run, of: str) -> dict[str, float]:
    grown = run.server if of == "server" else run.database
    return {**dataclasses.asdict(grown), "share": grown.share}


def _by_transport(calls: Sequence[Call]) -> dict[str, object]:
    kinds = {(call.tool, call.transport) for call in calls}
    return {
        "errors": sum(1 for call in calls if call.error),
        "delays": {
            f"{tool} over {transport}": dataclasses.asdict(
                delays([call for call in calls if (call.tool, call.transport) == (tool, transport)])
            )
            for tool, transport in sorted(kinds)
        },
    }
