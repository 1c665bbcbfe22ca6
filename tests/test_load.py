"""A moment of the load benchmark: a server that stops under clients, and figures that tell what was missed."""

import asyncio
import dataclasses
import tempfile
from pathlib import Path

import pytest

from benchmarks.crashes import checks
from benchmarks.load import clients, phases, report
from benchmarks.load.clients import Call
from benchmarks.load.phases import Run, Sessions, Stop
from benchmarks.load.report import Found
from benchmarks.load.watching import Growth
from benchmarks.load.workload import ADD, SEARCH, Workload
from memory_bank.store import embedded
from tests.processes import Commands

NOTHING_OPEN = {clients.SSE: 0.0, clients.STREAMABLE: 0.0, "descriptors": 20.0}


def call(milliseconds: float, *, tool: str = SEARCH, late: float = 0.0, error: str = "") -> Call:
    return Call(
        tool=tool,
        transport=clients.SSE,
        due=10.0,
        begun=10.0 + late / 1000,
        ended=10.0 + milliseconds / 1000,
        error=error,
    )


def steady(growth: float) -> Growth:
    return Growth(seconds=60.0, before=400.0, after=400.0 * (1 + growth))


GOOD = Found(
    alone=[call(20.0 + n / 100) for n in range(100)],
    steps=[],
    run=Run(
        rate=20.0,
        seconds=300.0,
        calls=[call(40.0 + n / 100) for n in range(100)] + [call(500.0, tool=ADD)],
        cores={"clients": 0.1},
        server=steady(0.01),
        database=steady(0.5),
    ),
    sessions=Sessions(before=NOTHING_OPEN, during={**NOTHING_OPEN, clients.SSE: 50.0}, after=NOTHING_OPEN),
    stop=Stop(seconds=3.0, code=0, answered=5, failed=95, hanging=0, early=[]),
    violations=[],
    acknowledged=12,
    complaints=[],
)


def missed(found: Found) -> list[str]:
    return [each.name for each in report.requirements(found) if not each.met]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"run": dataclasses.replace(GOOD.run, calls=[call(90.0)])}, "p95 of search"),
        ({"run": dataclasses.replace(GOOD.run, calls=[*GOOD.run.calls, call(1.0, error="busy")])}, "no error"),
        ({"run": dataclasses.replace(GOOD.run, server=steady(0.06))}, "memory flat"),
        ({"complaints": ["a traceback"]}, "no error in the server's log"),
        ({"violations": ["note 1 was acknowledged and is gone"]}, "no lost write"),
        (
            {"sessions": dataclasses.replace(GOOD.sessions, after={**NOTHING_OPEN, clients.SSE: 1.0})},
            "no session left behind",
        ),
        ({"stop": dataclasses.replace(GOOD.stop, seconds=11.0)}, "graceful stop under load"),
        ({"stop": dataclasses.replace(GOOD.stop, code=None)}, "graceful stop under load"),
        ({"stop": dataclasses.replace(GOOD.stop, hanging=1)}, "cut calls end with an error"),
    ],
)
def test_each_requirement_that_is_missed_is_named(change: dict[str, object], name: str) -> None:
    assert missed(GOOD) == []
    worse = dataclasses.replace(GOOD, **change)  # type: ignore[arg-type]
    assert missed(worse) == [name]
    assert f"MISSED  {name}" in report.table(worse)
    assert f'"name": "{name}"' in report.as_json(worse)


def test_a_delay_counts_from_the_moment_the_call_was_due() -> None:
    assert report.delays([call(80.0, late=60.0)]).p95 == pytest.approx(80.0)


def test_a_server_under_clients_stops_in_time_and_keeps_what_it_acknowledged(graph_dir: Path) -> None:
    workload = Workload(seed=3, adds=0.5)
    with tempfile.TemporaryDirectory(prefix="mb-test-", ignore_cleanup_errors=True) as folder:
        environment = {"MEMORY_BANK_DATA_DIR": folder, "EMBEDDING_GRAPH_DIR": str(graph_dir)}
        commands = Commands(folder=Path(folder), environment={**environment, "LOGGING_FORMAT": "json"})
        with commands.serving(LOGGING_LEVEL="warn") as served:
            served.ready()
            stop = asyncio.run(phases.stop(served, workload, sse=4, http=4, writes=8))
            complaints = phases.complaints(served.process.stderr)
        assert stop.code == 0, served.process.stderr
        assert (stop.hanging, stop.early, complaints) == (0, [], [])
        assert stop.failed == 8
        with embedded.running(Path(folder)) as database:
            assert list(checks.violations(database.url, workload.ledger)) == []
    assert workload.ledger.acknowledged >= 8
