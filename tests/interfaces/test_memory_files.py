"""Files of other memories as archives, and archives as files: what each format means, and that nothing is lost."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from memory_bank.domain import transfer
from memory_bank.domain.beliefs import EntityType, Status
from memory_bank.domain.tasks import TaskStatus
from memory_bank.domain.transfer import Archive, Entity, Item, Kind, Outcome
from memory_bank.domain.working_memory import EventType
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import memory_files

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
IMPORTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "imports"
T = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
MS = 1_700_000_000_000
DAY = timedelta(days=1)

Write = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(content: object, name: str = "memory.json") -> Path:
        file = tmp_path / name
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8", newline="")
        return file

    return write


def entity(archive: Archive, name: str) -> Entity:
    return next(each for each in archive.entities if each.name == name)


def real(*parts: str) -> Path:
    file = IMPORTS.joinpath(*parts)
    if not file.exists():
        pytest.skip(f"{file} is not there: the shared files of other memories are absent")
    return file


@pytest.mark.parametrize("name", ["memory_v4", "memory_v5", "memory_v6", "memory_v7", "memory_v7_own"])
def test_a_file_of_each_version_is_the_same_after_it_was_written_and_read_again(name: str, tmp_path: Path) -> None:
    archive, problems = memory_files.read(SAMPLES / f"{name}.json")
    memory_files.write(archive, tmp_path / "again.json")
    assert (archive.entities, archive.exchanges, archive.tasks, problems) != ((), (), (), [])
    assert problems == []
    assert memory_files.read(tmp_path / "again.json") == (archive, [])


def test_text_facts_of_version_4_are_believed_since_their_entity_was_last_seen() -> None:
    archive, _ = memory_files.read(SAMPLES / "memory_v4.json")
    first, second = entity(archive, "Ana").facts
    assert first == transfer.Fact(
        content="prefers tabs", sources=1, confidence=0.8, first_seen=T + DAY, last_confirmed=T + DAY
    )
    assert (second.content, second.status) == ("[SUPERSEDED by: x] stays as it is", Status.ACTIVE)
    relation = archive.relations[0]
    assert (relation.weight, relation.evidence) == (0.5, 1)
    assert relation.last_validated == relation.created_at == T + timedelta(seconds=5)


def test_a_file_without_a_version_is_read_as_version_4(written: Write) -> None:
    content = json.loads((SAMPLES / "memory_v4.json").read_text(encoding="utf-8"))
    del content["version"]
    assert memory_files.read(written(content)) == memory_files.read(SAMPLES / "memory_v4.json")


def test_facts_of_version_5_get_the_status_that_their_text_begins_with() -> None:
    archive, _ = memory_files.read(SAMPLES / "memory_v5.json")
    old, new, bracketed, _, by_hand = entity(archive, "Billing API").facts
    assert (old.content, old.status, old.superseded_by) == ("listens on port 8080", Status.SUPERSEDED, 1)
    assert old.superseded_at == old.last_confirmed == T + DAY
    assert (new.status, new.sources) == (Status.ACTIVE, 3)
    assert (bracketed.content, bracketed.superseded_by) == ("[db] uses PostgreSQL 16", 3)
    assert (by_hand.content, by_hand.status) == ("[SUPERSEDED manually] had a Redis cache", Status.SUPERSEDED)
    assert by_hand.superseded_by_content is None


def test_successors_are_found_by_their_words_and_kept_as_words_where_no_fact_has_them() -> None:
    archive, _ = memory_files.read(SAMPLES / "memory_v6.json")
    facts = entity(archive, "Billing API").facts
    assert [each.superseded_by for each in facts] == [1, 2, None, None]
    assert facts[3].superseded_by_content == "[removed by hand]"


def test_a_version_7_file_gives_everything_that_it_holds() -> None:
    archive, _ = memory_files.read(SAMPLES / "memory_v7.json")
    billing = entity(archive, "Billing API")
    assert (billing.types, billing.access_count, billing.last_seen) == ((EntityType.SERVICE,), 9, T)
    assert billing.tags == {"project": "atlas", "scope": "universal"}
    assert entity(archive, "Forkscout Agent").types == (EntityType.AGENT_SELF,)
    assert [(each.from_name, each.to_name, each.evidence, each.weight) for each in archive.relations] == [
        ("Ana", "billing api", 1, 0.5),
        ("Billing API", "PostgreSQL", 2, 0.4),
    ]
    first, second = archive.exchanges
    assert (first.id, first.external_id, first.session) == (None, "ex_1700000100000_a1b2", "s-1")
    assert (second.importance, second.tags) == (0.55, ("project:atlas",))
    running, completed = archive.tasks
    assert (running.external_id, running.status) == ("task_1700000300000_q7x1", TaskStatus.RUNNING)
    assert (running.priority, running.budget_remaining) == (0.8, 12.5)
    assert running.success_condition == "health check is green"
    assert (completed.status, completed.stop_reason) == (TaskStatus.COMPLETED, "all rotated")
    assert [(each.session, each.type) for each in archive.events] == [
        ("s-1", EventType.ACTION),
        ("s-1", EventType.OBSERVATION),
        ("s-2", EventType.ERROR),
    ]


def test_lists_and_objects_are_read_alike(written: Write) -> None:
    content = json.loads((SAMPLES / "memory_v7.json").read_text(encoding="utf-8"))
    expected = memory_files.read(SAMPLES / "memory_v7.json")
    lists = {**content, "entities": list(content["entities"].values())}
    lists["workingMemorySessions"] = [event for events in content["workingMemorySessions"].values() for event in events]
    pairs = {**content, "entities": [*map(list, content["entities"].items())]}
    pairs["workingMemorySessions"] = [*map(list, content["workingMemorySessions"].items())]
    objects = {**content, "exchanges": {each["id"]: each for each in content["exchanges"]}}
    objects["activeTasks"] = {each["id"]: each for each in content["activeTasks"]}
    objects["workingMemorySessions"] = [
        {"sessionId": name, "events": events} for name, events in content["workingMemorySessions"].items()
    ]
    for each in (lists, pairs, objects):
        assert memory_files.read(written(each)) == expected


@pytest.mark.parametrize("version", [3, 8, 99, 0, -1, 7.5, "7", True, [7], 10**50])
def test_an_unknown_version_is_refused_with_the_versions_that_are_read(version: object, written: Write) -> None:
    with pytest.raises(InvalidInput, match="versions 4 to 7 are read") as caught:
        memory_files.read(written({"version": version, "entities": {}}))
    assert caught.value.field.endswith("memory.json: version")


def test_names_that_differ_in_case_are_one_entity_with_the_facts_of_both(written: Write) -> None:
    one = {"name": "Atlas", "type": "project", "facts": ["a", {"content": "old", "supersededBy": "new"}]}
    two = {"name": "ATLAS", "type": "service", "facts": ["new", "a"], "tags": {"team": "x"}, "lastSeen": MS}
    archive, problems = memory_files.read(written({"version": 7, "entities": [one, two]}))
    (atlas,) = archive.entities
    assert (atlas.name, atlas.types) == ("Atlas", (EntityType.PROJECT, EntityType.SERVICE))
    assert (atlas.tags, atlas.last_seen) == ({"team": "x"}, T)
    assert [(each.content, each.superseded_by) for each in atlas.facts] == [("a", None), ("old", 2), ("new", None)]
    assert [(each.kind, each.outcome, each.place) for each in problems] == [
        (Kind.ENTITY, Outcome.MERGED, "entities[1]")
    ]


def test_both_entries_of_a_repeated_key_are_read(written: Write) -> None:
    file = written('{"version": 7, "entities": {"a": {"facts": ["one"]}, "a": {"facts": ["two"]}}}')
    archive, _ = memory_files.read(file)
    assert [each.content for each in entity(archive, "a").facts] == ["one", "two"]


def test_of_several_facts_with_the_successors_words_the_newest_is_meant_and_never_a_ring(written: Write) -> None:
    def fact(content: str, day: int, **rest: str) -> dict[str, object]:
        return {"content": content, "firstSeen": MS + day * 86_400_000, **rest}

    there = [fact("port 1", 0, supersededBy="Port 2."), fact("port 2", 1, supersededBy="port 1"), fact("port 1", 2)]
    ring = [fact("x", 0, supersededBy="y"), fact("y", 1, supersededBy="x")]
    content = {"version": 7, "entities": [{"name": "p", "facts": there}, {"name": "r", "facts": ring}]}
    archive, _ = memory_files.read(written(content))
    assert [each.superseded_by for each in entity(archive, "p").facts] == [1, 2, None]
    assert [(each.superseded_by, each.superseded_by_content) for each in entity(archive, "r").facts] == [
        (1, None),
        (None, "x"),
    ]


def test_many_facts_with_the_same_words_are_joined_to_their_successor_one_by_one(written: Write) -> None:
    facts = [{"content": "f" + "." * number, "supersededBy": "F", "firstSeen": number} for number in range(5000)]
    archive, _ = memory_files.read(written({"version": 7, "entities": {"a": {"facts": facts}}}))
    assert {each.superseded_by for each in archive.entities[0].facts} == {4999, None}


def test_our_own_ids_stay_uuids_and_those_of_others_stay_texts(written: Write) -> None:
    own = "01934567-89ab-7000-8000-00000000000b"
    said = {"user": "u", "assistant": "a"}
    content = {"version": 7, "exchanges": [{"id": own, **said}, {"id": own.upper(), **said}, {"id": 5, **said}, said]}
    archive, _ = memory_files.read(written(content))
    found = {(each.id, each.external_id) for each in archive.exchanges}
    assert found == {(UUID(own), None), (None, own.upper()), (None, "5"), (None, None)}


def test_a_missing_time_is_taken_from_the_id_and_otherwise_left_open(written: Write) -> None:
    content = {
        "version": 7,
        "exchanges": [
            {"id": f"ex_{MS}_ab12", "user": "u", "assistant": ""},
            {"id": "x", "user": "u", "assistant": ""},
        ],
        "activeTasks": [{"id": f"task_{MS}_ab12", "title": "t", "status": "running"}],
    }
    archive, problems = memory_files.read(written(content))
    assert [each.timestamp for each in archive.exchanges] == [None, T]
    assert archive.tasks[0].started_at == T
    assert problems == []


def test_a_session_keeps_its_last_events_and_the_report_tells_how_many_went(written: Write) -> None:
    events = [{"event_type": "fact", "content": str(number), "timestamp": MS} for number in range(30)]
    archive, (problem,) = memory_files.read(written({"version": 7, "workingMemorySessions": {"s": events}}))
    assert [each.content for each in archive.events] == [str(number) for number in range(5, 30)]
    assert (problem.outcome, problem.key) == (Outcome.SKIPPED, "s")
    assert problem.reason.startswith("a session keeps its last 25 events; 5 older")


def test_unknown_fields_are_reported_once_each(written: Write) -> None:
    entities = [{"name": str(number), "facts": [{"content": "f", "mood": 1}], "colour": "red"} for number in range(3)]
    _, problems = memory_files.read(written({"version": 7, "entities": entities, "theme": "dark"}))
    assert [(each.key, each.outcome, each.place) for each in problems] == [
        ("theme", Outcome.SKIPPED, "top level"),
        ("entity.colour", Outcome.SKIPPED, "entities[0]"),
        ("fact.mood", Outcome.SKIPPED, "entities[0].facts[0]"),
    ]
    assert problems[1].reason.endswith("3 in all")


GRAPH: list[dict[str, object]] = [
    {"type": "relation", "from": "Ana", "to": "Nowhere", "relationType": "requires update to"},
    {"type": "entity", "name": "Ana", "entityType": "Person", "observations": ["likes tea", "likes tea"]},
    {"type": "entity", "name": "Rule", "entityType": "user  Preference", "observations": []},
]


def test_the_lines_of_an_mcp_memory_server_are_entities_and_relations(written: Write) -> None:
    archive, problems = memory_files.read(written("\n".join(map(json.dumps, GRAPH)), "memory.jsonl"))
    assert entity(archive, "Ana").types == (EntityType.PERSON,)
    assert [each.content for each in entity(archive, "Ana").facts] == ["likes tea"]
    rule = entity(archive, "Rule")
    assert (rule.types, rule.tags) == ((EntityType.OTHER,), {"type": "user preference"})
    (relation,) = archive.relations
    assert (relation.from_name, relation.type, relation.to_name) == ("Ana", "requires-update-to", "Nowhere")
    assert [(each.kind, each.outcome, each.place) for each in problems] == [
        (Kind.FACT, Outcome.MERGED, "line 2.observations[1]")
    ]


def test_a_graph_means_the_same_as_lines_as_a_list_and_as_one_object(written: Write) -> None:
    lines, _ = memory_files.read(written("\n".join(map(json.dumps, GRAPH))))
    listed, _ = memory_files.read(written(GRAPH))
    whole, _ = memory_files.read(written({"version": 7, "entities": GRAPH[1:], "relations": GRAPH[:1]}))
    assert listed == whole == lines


def test_observations_with_times_and_records_with_times_in_seconds_keep_them(written: Write) -> None:
    timed = {"text": "t", "timestamp": "2023-11-14T22:13:20Z", "version": "1.0"}
    record: dict[str, object] = {"name": "A", "entityType": "concept", "observations": [timed, "plain"]}
    record |= {"createdAt": MS // 1000, "updatedAt": MS // 1000 + 86_400}
    archive, problems = memory_files.read(written(json.dumps(record) + "\n", "m.jsonl"))
    (found,) = archive.entities
    assert (found.created_at, found.last_seen) == (T, T + DAY)
    assert [(each.first_seen, each.last_confirmed) for each in found.facts] == [(T, T), (T + DAY, T + DAY)]
    assert [each.key for each in problems] == ["fact.version"]


def test_an_archive_of_exchanges_in_lines_is_read(written: Write) -> None:
    lines = "\n".join(json.dumps({"id": f"ex_{MS}_ab1{n}", "user": f"u{n}", "assistant": "a"}) for n in range(3))
    archive, problems = memory_files.read(written(lines, "memory-exchanges-archive.jsonl"))
    assert [each.user for each in archive.exchanges] == ["u0", "u1", "u2"]
    assert problems == []


def message(id: str, parent: str | None, role: str, *parts: object, **more: object) -> dict[str, object]:
    content = {"content_type": "text", "parts": list(parts)}
    said = {"id": id, "author": {"role": role}, "create_time": MS / 1000, "content": content, "recipient": "all"}
    return {"id": id, "parent": parent, "children": [], "message": {**said, **more}}


def conversation(*nodes: dict[str, object], last: str | None) -> dict[str, object]:
    root: dict[str, object] = {"id": "root", "parent": None, "message": None, "children": []}
    mapping = {str(each["id"]): each for each in (root, *nodes)}
    return {"title": "Tea, or Coffee?", "conversation_id": "c-1", "current_node": last, "mapping": mapping}


def test_a_conversation_gives_the_turns_of_the_branch_it_was_left_on(written: Write) -> None:
    nodes = [
        message("1", "root", "system", "be kind"),
        message("2", "1", "user", "first?"),
        message("3", "2", "assistant", "left behind"),
        message("4", "2", "assistant", "search()", recipient="browser"),
        message("5", "4", "tool", "found"),
        message("6", "5", "assistant", "one", {"asset": "image"}),
        message("7", "6", "assistant", "two"),
        message("8", "7", "user", "and?"),
        message("9", "8", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
    ]
    archive, problems = memory_files.read(written([conversation(*nodes, last="9")]))
    (exchange,) = archive.exchanges
    assert (exchange.user, exchange.assistant) == ("first?", "one\n\ntwo")
    assert (exchange.session, exchange.external_id, exchange.timestamp) == ("c-1", "2", T)
    assert exchange.tags == ("title:tea, or coffee?",)
    assert [(each.outcome, each.place) for each in problems] == [
        (Outcome.SKIPPED, "[0]"),
        (Outcome.SKIPPED, "[0].8"),
    ]


def test_a_conversation_without_its_last_message_or_with_a_ring_of_parents_is_read(written: Write) -> None:
    nodes = [message("1", "2", "user", "q"), message("2", "1", "assistant", "a"), message("3", "2", "user", "more")]
    archive, _ = memory_files.read(written([conversation(*nodes, last=None)]))
    assert [(each.user, each.assistant) for each in archive.exchanges] == [("q", "a")]


@pytest.mark.parametrize(
    ("parts", "counts"),
    [
        (("mcp_jsonl_mindstrike", "memory.jsonl"), (18, 135, 23, 0)),
        (("mcp_jsonl_plus_stray_line", "memory.json"), (3, 22, 0, 0)),
        (("mcp_jsonl_spanish_emoji", "memory.jsonl"), (24, 158, 56, 0)),
        (("rust_memory_graph_mixed", "memory.jsonl"), (68, 619, 91, 0)),
        (("think_tank_timestamped_obs", "memory.jsonl"), (57, 313, 0, 0)),
        (("chatgpt_export", "conversations.json"), (0, 0, 0, 14)),
    ],
)
def test_real_files_are_read_whole_and_written_without_loss(
    parts: tuple[str, ...], counts: tuple[int, ...], tmp_path: Path
) -> None:
    archive, _ = memory_files.read(real(*parts))
    facts = sum(len(each.facts) for each in archive.entities)
    assert (len(archive.entities), facts, len(archive.relations), len(archive.exchanges)) == counts
    memory_files.write(archive, tmp_path / "again.json")
    assert memory_files.read(tmp_path / "again.json") == (archive, [])


def test_the_stray_line_of_a_real_file_is_reported_with_its_number() -> None:
    _, problems = memory_files.read(real("mcp_jsonl_plus_stray_line", "memory.json"))
    assert problems == [
        Item(
            kind=Kind.LINE,
            key="line 4",
            outcome=Outcome.REFUSED,
            reason="neither an entity nor a relation; left out",
            place="line 4",
        )
    ]
