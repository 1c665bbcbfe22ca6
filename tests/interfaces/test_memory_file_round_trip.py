"""The guarantee that a written file is the archive, and that no file is too strange to be answered."""

import contextlib
import json
import tempfile
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.domain import beliefs, notes, text, transfer
from memory_bank.domain.beliefs import Cause, EntityType, Status
from memory_bank.domain.exchanges import Merged
from memory_bank.domain.tasks import TaskStatus
from memory_bank.domain.transfer import Archive
from memory_bank.domain.working_memory import WINDOW, EventType
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import memory_files
from memory_bank.interfaces.memory_formats.published import SECTIONS

SAMPLES = Path(__file__).resolve().parents[1] / "samples"

words = st.text(max_size=12).map(text.storable)
said = words.filter(lambda each: not text.is_blank(each))
moments = st.none() | st.datetimes(timezones=st.just(UTC))
shares = st.none() | st.floats(0, 1)
names = said.map(lambda each: " ".join(each.split())).filter(lambda each: each and beliefs.key(each) != "")
tag_lists = st.lists(said | st.sampled_from(["a:b", "project:atlas", "a:c"]), max_size=4).map(notes.checked_tags)
sessions = st.none() | said.map(notes.checked_session)
others_ids = said.map(str.strip) | st.sampled_from(["ex_1700000000000_ab12"]) | st.uuids().map(str)


@st.composite
def facts(draw: st.DrawFn) -> tuple[transfer.Fact, ...]:
    contents = draw(st.lists(said, max_size=5, unique=True))
    ids = draw(st.lists(st.none() | st.uuids(), min_size=len(contents), max_size=len(contents)))
    made = []
    for index, content in enumerate(contents):
        status = draw(st.sampled_from(Status))
        successor = draw(st.none() | st.integers(index + 1, len(contents) - 1)) if index + 1 < len(contents) else None
        words_of_it = None if successor is not None else draw(st.none() | said | st.sampled_from(contents))
        named = draw(st.lists(st.sampled_from(["ana", "the wiki"]), unique=True))
        made.append(
            transfer.Fact(
                id=ids[index],
                content=content,
                sources=draw(st.integers(1, 2**31 - 1)),
                named_sources=tuple(transfer.Source(name=each, first_seen=draw(moments)) for each in named),
                confidence=draw(shares),
                first_seen=draw(moments),
                last_confirmed=draw(moments),
                status=status,
                superseded_by=successor,
                superseded_by_content=words_of_it,
                superseded_at=draw(moments),
                reason=draw(words),
                cause=draw(st.none() | st.sampled_from(Cause)),
            )
        )
    return tuple(made)


@st.composite
def entities(draw: st.DrawFn) -> transfer.Entity:
    aliases = draw(st.lists(names, max_size=2, unique_by=beliefs.key))
    tags: Mapping[str, str] = draw(st.sampled_from([{}, {"project": "atlas"}, {"type": "x", "scope": "universal"}]))
    return transfer.Entity(
        id=draw(st.none() | st.uuids()),
        name=draw(names),
        types=tuple(draw(st.lists(st.sampled_from(EntityType), unique=True, max_size=3))),
        tags=tags,
        aliases=tuple(aliases),
        facts=draw(facts()),
        created_at=draw(moments),
        last_seen=draw(moments),
        access_count=draw(st.integers(0, 2**63 - 1)),
    )


relations = st.builds(
    transfer.Relation,
    from_name=names,
    type=st.sampled_from(["uses", "works-on", "requiere"]),
    to_name=names,
    evidence=st.integers(1, 2**63 - 1),
    weight=shares,
    created_at=moments,
    last_validated=moments,
)
merged = st.builds(Merged, user=words, assistant=words, at=st.datetimes(timezones=st.just(UTC)))
exchanges = st.builds(
    transfer.Exchange,
    id=st.none() | st.uuids(),
    external_id=st.none() | others_ids,
    user=words,
    assistant=said,
    session=sessions,
    timestamp=st.datetimes(timezones=st.just(UTC)),
    importance=shares,
    importance_given=st.booleans(),
    tags=tag_lists,
    repeats=st.integers(0, 9),
    merged=st.lists(merged, max_size=2).map(tuple),
    archived=st.booleans(),
)
tasks = st.builds(
    transfer.Task,
    id=st.none() | st.uuids(),
    external_id=st.none() | others_ids,
    title=said,
    goal=words,
    status=st.sampled_from(TaskStatus),
    priority=shares,
    importance=shares,
    budget_remaining=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    success_condition=words,
    stop_reason=words,
    session=sessions,
    started_at=st.datetimes(timezones=st.just(UTC)),
    last_step_at=moments,
    ended_at=moments,
)
events = st.builds(
    transfer.Event,
    session=said.map(lambda each: each.strip()).filter(bool),
    type=st.sampled_from(EventType),
    content=said,
    created_at=moments,
)


def _own(record: transfer.Exchange | transfer.Task) -> object:
    return record.id or object()


def _others(record: transfer.Exchange | transfer.Task) -> object:
    return record.external_id or object()


archives = st.builds(
    Archive,
    entities=st.lists(entities(), max_size=4, unique_by=lambda each: beliefs.key(each.name)).map(tuple),
    relations=st.lists(relations, max_size=4, unique_by=transfer.relation_key).map(tuple),
    exchanges=st.lists(exchanges, max_size=4, unique_by=(_own, _others)).map(tuple),
    tasks=st.lists(tasks, max_size=4, unique_by=(_own, _others)).map(tuple),
    events=st.lists(events, max_size=WINDOW).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(archives)
def test_an_archive_survives_being_written_and_read(archive: Archive) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.json"
        memory_files.write(archive, file)
        assert memory_files.read(file) == (transfer.ordered(archive), [])


fields = (
    *("name", "facts", "content", "type", "from", "to", "user", "assistant", "id", "tags", "title", "status"),
    *("events", "sessionId", "timestamp", "mapping", "supersededBy", "namedSources", "observations"),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(fields), inner, max_size=5),
    max_leaves=20,
)
documents = st.fixed_dictionaries({"version": st.sampled_from([4, 5, 6, 7])}, optional=dict.fromkeys(SECTIONS, values))


@settings(max_examples=150, deadline=None)
@given(documents | values | st.lists(st.fixed_dictionaries({"mapping": values})))
def test_whatever_is_in_a_file_it_is_read_reported_or_refused_and_what_was_read_can_be_written(content: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.json"
        file.write_text(json.dumps(content), encoding="utf-8")
        try:
            archive, _ = memory_files.read(file)
        except InvalidInput:
            return
        memory_files.write(archive, file, overwrite=True)
        assert memory_files.read(file) == (archive, [])


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_file_cut_or_damaged_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    sound = (SAMPLES / data.draw(st.sampled_from(["memory_v5.json", "memory_v7_own.json"]))).read_bytes()
    start = data.draw(st.integers(0, len(sound)))
    end = data.draw(st.integers(start, len(sound)))
    damaged = sound[:start] + data.draw(st.binary(max_size=4)) + sound[end:]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.json"
        file.write_bytes(damaged)
        with contextlib.suppress(InvalidInput):
            memory_files.read(file)
