"""The beliefs toolset at every door: MCP over both transports, REST, and the command line."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory_bank.bootstrap import Parts
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.interfaces.live import TRANSPORTS, call, connected, refused, serving
from tests.processes import Commands

TOOLS = ["remember", "recall", "observe", "relate", "context", "task", "introspect", "consolidate", "forget"]

transports = pytest.mark.parametrize("transport", TRANSPORTS)


async def contents(session: Any, query: str) -> list[str]:
    answer = await call(session, "recall", query=query)
    return [each["content"] for each in answer["results"]]


@transports
async def test_a_correction_warns_shows_the_chain_and_can_be_undone(server: str, transport: str) -> None:
    async with connected(server, transport) as session:
        await call(session, "remember", name="gateway", type="service", facts=["port is 3211"])
        corrected = await call(session, "remember", name="gateway", type="service", facts=["port is 8080"])
        old = corrected["conflicts"][0]["old"]
        assert "WARNING" in corrected["message"]
        assert old["id"] in corrected["message"]
        assert [each["content"] for each in corrected["chain"]] == ["port is 3211", "port is 8080"]
        assert await contents(session, "gateway port") == ["gateway: port is 8080"]
        history = await call(session, "recall", mode="history", name="gateway")
        ((first, second),) = history["chains"]
        assert (first["content"], second["content"]) == ("port is 3211", "port is 8080")
        assert first["superseded_by"] == second["id"]
        assert first["reason"]
        assert first["superseded_at"]
        undone = await call(session, "remember", name="gateway", undo=old["id"])
        assert undone["confirmed"][0]["content"] == "port is 3211"
        assert "is history now" in undone["message"]
        assert await contents(session, "gateway port") == ["gateway: port is 3211"]


@transports
async def test_an_undo_says_when_nothing_held_in_the_facts_place(server: str, transport: str) -> None:
    async with connected(server, transport) as session:
        await call(session, "remember", name="gateway", facts=["port is 3211"])
        corrected = await call(session, "remember", name="gateway", facts=["port is 8080"])
        await call(session, "forget", action="fact", name="gateway", query="port is 8080")
        undone = await call(session, "remember", name="gateway", undo=corrected["conflicts"][0]["old"]["id"])
        assert "nothing held in its place" in undone["message"]


@transports
async def test_every_mode_of_recall_answers(server: str, transport: str) -> None:
    async with connected(server, transport) as session:
        await call(session, "add_memory_note", content="The gateway was rewritten in March")
        await call(
            session,
            "remember",
            name="gateway",
            type="service",
            facts=["owned by the platform team", "port is 3211"],
            tags={"project": "atlas"},
        )
        await call(session, "remember", name="gateway", facts=["port is 8080"])
        await call(session, "relate", **{"from": "gateway", "type": "depends on", "to": "redis"})
        await call(session, "observe", user="who owns the gateway?", assistant="the platform team", sessionId="s1")
        found = await call(session, "recall", query="gateway platform team", limit=10, include_history=True)
        kinds = [each["kind"] for each in found["results"]]
        assert set(kinds) == {"note", "fact", "exchange"}
        port = next(each for each in found["results"] if each["content"].endswith("8080"))
        assert (port["about"], port["fact"]["status"]) == ("gateway", "active")
        assert [each["content"] for each in port["earlier"]] == ["port is 3211"]
        entity = await call(session, "recall", mode="entity", name="GATEWAY", include_history=True)
        assert entity["entity"]["tags"] == {"project": "atlas"}
        assert {each["content"] for each in entity["facts"]} == {"owned by the platform team", "port is 8080"}
        assert [each["content"] for each in entity["history"]] == ["port is 3211"]
        narrowed = await call(session, "recall", mode="entity", name="gateway", query="which port?")
        assert narrowed["facts"][0]["content"] == "port is 8080"
        related = await call(session, "recall", mode="relations", name="redis")
        assert related["relations"][0] | {"created_at": 0, "last_validated": 0} == {
            "from": "gateway",
            "type": "depends-on",
            "to": "redis",
            "weight": 0.5,
            "evidence": 1,
            "created_at": 0,
            "last_validated": 0,
        }
        turns = await call(session, "recall", mode="exchanges")
        assert (turns["total"], turns["exchanges"][0]["session"]) == (1, "s1")
        assert (await call(session, "recall", mode="exchanges", query="owns gateway"))["exchanges"]
        timeline = await call(session, "recall", mode="timeline")
        assert {"note", "fact", "exchange"} <= {each["kind"] for each in timeline["timeline"]}
        elsewhere = await call(session, "recall", query="gateway", project="hermes")
        assert {each["kind"] for each in elsewhere["results"]} == {"note", "exchange"}
        assert (await call(session, "recall", query="gateway", bank="other"))["results"] == []


@transports
async def test_tasks_and_working_memory_outlive_the_server(
    loaded: Settings, embedder: FakeEmbedder, transport: str
) -> None:
    parts = Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())
    async with serving(loaded, parts) as url, connected(url, transport) as session:
        started = await call(session, "task", action="start", title="Migrate the index", goal="All notes re-embedded")
        for number in range(30):
            await call(session, "context", action="push", session_id="s", content=f"step {number}")
        await call(session, "remember", name="index", facts=["has 384 dimensions"])
        await call(session, "recall", query="index dimensions")
    async with serving(loaded, parts) as url, connected(url, transport) as session:
        listed = await call(session, "task", action="list")
        assert [each["id"] for each in listed["tasks"]] == [started["task"]["id"]]
        events = await call(session, "context", action="get", session_id="s", limit=25)
        assert [each["content"] for each in events["events"]] == [f"step {number}" for number in range(5, 30)]
        again = await call(session, "recall", query="index dimensions")
        assert again["results"][0]["retrieval_count"] == 2
        done = await call(
            session, "task", action="done", taskId=started["task"]["id"], result="Re-embedded in two hours"
        )
        assert done["task"]["status"] == "completed"
        assert "success" in done["remembered_as"]
        assert any("Re-embedded in two hours" in each for each in await contents(session, "what came of the migration"))
        assert "completed" in await refused(session, "task", action="abort", taskId=started["task"]["id"])


@transports
async def test_forgetting_is_shown_first_and_then_leaves_nothing_to_be_found(server: str, transport: str) -> None:
    async with connected(server, transport) as session:
        await call(session, "remember", name="secret plan", facts=["starts in May", "costs 40 thousand"])
        await call(session, "relate", **{"from": "secret plan", "type": "part-of", "to": "company"})
        shown = await call(session, "forget", action="entity", name="secret plan", preview=True)
        assert (shown["forgotten"], shown["total"]) == (False, 3)
        assert await contents(session, "secret plan")
        gone = await call(session, "forget", action="entity", name="secret plan")
        assert (gone["forgotten"], gone["total"]) == (True, 3)
        assert await contents(session, "secret plan") == []
        assert "nothing called" in await refused(session, "recall", mode="entity", name="secret plan")
        kept = await call(session, "recall", mode="entity", name="company")
        assert kept["relations"] == []
        again = await call(session, "remember", name="secret plan", facts=["starts in May"])
        assert again["created"] is True


async def test_things_made_by_relate_survive_consolidation(server: str) -> None:
    async with connected(server, "sse") as session:
        await call(session, "relate", **{"from": "a service", "type": "uses", "to": "a library"})
        await call(session, "consolidate")
        related = await call(session, "recall", mode="relations", name="a service")
        assert len(related["relations"]) == 1


async def test_the_view_of_a_bank_counts_what_there_is(server: str) -> None:
    async with connected(server, "sse") as session:
        await call(session, "remember", name="gateway", type="service", facts=["port is 3211"])
        await call(session, "remember", name="gateway", facts=["port is 8080"])
        told = await call(session, "introspect", view="all")
        counts = told["statistics"]
        assert (counts["facts_active"], counts["facts_superseded"], counts["types"]) == (1, 1, {"service": 1})
        assert (told["stale"], told["gaps"]) == ([], [])


@pytest.mark.parametrize(
    ("tool", "given", "word"),
    [
        ("remember", {"name": "x"}, "facts"),
        ("remember", {"name": "", "facts": ["a"]}, "name"),
        ("remember", {"name": "x", "facts": ["a"], "type": "planet"}, "type"),
        ("remember", {"name": "x", "undo": "nonsense"}, "undo"),
        ("recall", {}, "query"),
        ("recall", {"mode": "entity"}, "name"),
        ("recall", {"mode": "entity", "name": "nobody"}, "nobody"),
        ("recall", {"query": "x", "limit": 0}, "limit"),
        ("relate", {"from": "x", "type": "is", "to": "X"}, "to"),
        ("relate", {"from": "x", "type": " ", "to": "y"}, "type"),
        ("observe", {"user": " ", "assistant": "", "sessionId": "s"}, "user"),
        ("observe", {"user": "x", "assistant": "y", "sessionId": "s", "importance": 2}, "importance"),
        ("context", {"action": "push", "session_id": "s"}, "content"),
        ("task", {"action": "done"}, "taskId"),
        ("task", {"action": "done", "taskId": "task_1_abcd"}, "task_1_abcd"),
        ("task", {"action": "start", "title": "", "goal": ""}, "title"),
        ("forget", {"action": "entity"}, "name"),
        ("forget", {"action": "exchange", "query": "%"}, "query"),
        ("consolidate", {"minConfidence": "nan"}, "minConfidence"),
    ],
)
async def test_bad_arguments_are_refused_by_name(server: str, tool: str, given: dict[str, Any], word: str) -> None:
    async with connected(server, "streamable") as session:
        assert word in await refused(session, tool, **given)


async def test_two_servers_on_one_database_lose_nothing(loaded: Settings, embedder: FakeEmbedder) -> None:
    parts = Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())
    async with (
        serving(loaded, parts) as one,
        serving(loaded, parts) as other,
        connected(one, "sse") as first,
        connected(other, "streamable") as second,
        asyncio.timeout(180),
    ):
        calls = []
        for number in range(40):
            session = (first, second)[number % 2]
            words = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")[number % 8]
            calls += [
                call(session, "remember", name="shared", facts=["stated by everybody"]),
                call(session, "relate", **{"from": "shared", "type": "uses", "to": f"part {number % 4}"}),
                call(session, "observe", user=f"{words} {number}", assistant=f"noted {number}", sessionId="s"),
                call(session, "task", action="start", title=f"Count {words}", goal=f"{words} counted"),
            ]
        await asyncio.gather(*calls)
        entity = await call(first, "recall", mode="entity", name="shared")
        assert [each["sources"] for each in entity["facts"]] == [40]
        assert sorted(each["evidence"] for each in entity["relations"]) == [10, 10, 10, 10]
        turns = await call(second, "recall", mode="exchanges", limit=100)
        assert turns["total"] + sum(each["repeats"] for each in turns["exchanges"]) == 40
        tasks = await call(second, "task", action="list", limit=100)
        assert sorted({each["title"] for each in tasks["tasks"]}) == sorted(each["title"] for each in tasks["tasks"])
        assert len(tasks["tasks"]) == 8


async def test_rest_answers_as_the_tools_do(server: str) -> None:
    async with httpx.AsyncClient(base_url=server) as client:
        done = await client.post("/api/v1/remember", json={"name": "gateway", "facts": ["port is 3211"]})
        assert done.json()["created"] is True
        await client.post("/api/v1/relate", json={"from": "gateway", "type": "uses", "to": "redis"})
        answer = await client.post("/api/v1/recall", json={"mode": "entity", "name": "gateway"})
        assert answer.json()["relations"][0]["to"] == "redis"
        missing = await client.post("/api/v1/recall", json={"mode": "entity", "name": "nobody"})
        assert missing.status_code == 404
        wrong = await client.post("/api/v1/remember", json={"name": "gateway", "fact": ["x"]})
        assert wrong.status_code == 422
        final = await client.post("/api/v1/task", json={"action": "start", "title": "t", "goal": "g"})
        id = final.json()["task"]["id"]
        await client.post("/api/v1/task", json={"action": "done", "taskId": id, "result": "r"})
        again = await client.post("/api/v1/task", json={"action": "done", "task_id": id, "result": "r"})
        assert again.status_code == 409
        for path, body in (
            ("observe", {"user": "u", "assistant": "a", "sessionId": "s"}),
            ("context", {"action": "push", "session_id": "s", "content": "c"}),
            ("introspect", {}),
            ("consolidate", {"dry_run": True}),
            ("forget", {"action": "relation", "from": "gateway", "relationType": "uses", "to": "redis"}),
        ):
            assert (await client.post(f"/api/v1/{path}", json=body)).status_code == 200


def test_the_command_line_answers_as_the_tools_do(url: str, graph_dir: Path, tmp_path: Path) -> None:
    commands = Commands(
        folder=tmp_path,
        environment={
            "POSTGRES_URL": url,
            "MEMORY_BANK_DATA_DIR": str(tmp_path / "data"),
            "EMBEDDING_GRAPH_DIR": str(graph_dir),
        },
    )

    def said(*arguments: str) -> str:
        done = commands.run(*arguments)
        assert done.code == 0, done.stderr
        return done.text

    said("remember", "gateway", "--type", "service", "--fact", "port is 3211", "--tag", "project=atlas")
    corrected = commands.run("remember", "gateway", "--fact", "port is 8080", "--json").json()
    assert corrected["conflicts"][0]["superseded"] is True
    assert "8080" in said("recall", "which port has the gateway?")
    said("remember", "gateway", "--fact", "port is 98")
    (found, *before) = said("recall", "which port has the gateway?", "--include-history", "--limit", "1").splitlines()
    assert "gateway: port is 98" in found
    assert [line.partition("port is ")[2].split()[0] for line in before] == ["3211", "8080"]
    assert "3211" in said("recall", "--mode", "history", "--name", "gateway")
    assert "gateway depends-on redis" in said("relate", "gateway", "depends on", "redis")
    assert "facts_active: 1" in said("introspect")
    assert "would be archived" in said("consolidate", "--dry-run")
    forget = ("forget", "relation", "--from", "gateway", "--relation-type", "depends-on", "--to", "redis", "--preview")
    assert "1 would go" in said(*forget)
