"""Memory files that are broken, hostile or in the way."""

import bz2
import gzip
import io
import json
import lzma
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_bank.domain import transfer
from memory_bank.domain.transfer import Archive, Kind, Outcome
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import memory_files
from memory_bank.interfaces.memory_formats import problems as reported

GOOD = {"type": "entity", "name": "good", "entityType": "concept", "observations": ["sound"]}


def at(folder: Path, content: object, name: str = "memory.json") -> Path:
    file = folder / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8", newline="")
    return file


def zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("memory.json", content)
    return packed.getvalue()


def refused(items: list[transfer.Item]) -> list[str]:
    return [each.place for each in items if each.outcome is Outcome.REFUSED]


def test_every_known_fault_of_a_file_of_lines_costs_its_own_line_alone(tmp_path: Path) -> None:
    def named(name: str, **rest: object) -> bytes:
        return json.dumps({**GOOD, "name": name, **rest}).encode()

    lines = [
        b"\xef\xbb\xbf" + named("one"),  # byte order mark
        b"",
        named("cut")[:-20],
        named("joined a") + named("joined b"),
        json.dumps({"type": "entity", "name": "untyped", "observations": ["x"]}).encode(),
        named("null", observations=None),
        named("wrong", observations=7),
        named("numbers", observations=["good", 5, None, ["x"]]),
        json.dumps({"type": "entity", "name": 5, "entityType": "concept", "observations": []}).encode(),
        named("crlf") + b"\r",
        b'{"type":"entity","name":"br\xffken","entityType":"concept","observations":["x"]}',
        b'{"type":"entity","name":"broken fact","entityType":"concept","observations":["b\xffd","fine"]}',
        b'{"type":"diary","text":"x"}',
        b'{"type":"relation","from":"one","to":"later","relationType":"uses"}',
        b'{"type":"relation","from":"one","to":null,"relationType":"uses"}',
        named("long", observations=["x" * 5_000_000, "short"]),
        named("one"),
        '{"type":"entity","name":"separated","entityType":"concept","observations":["a\u2028b"]}'.encode(),
        b"[" * 100_000,
        b'{"type":"entity","name":"last","entityType":"concept","observations":[]}',
    ]
    archive, items = memory_files.read(at(tmp_path, b"\n".join(lines), "memory.jsonl"))
    assert refused(items) == [
        "line 3",
        "line 7.observations",
        "line 8.observations[1]",
        "line 8.observations[2]",
        "line 8.observations[3]",
        "line 9.name",
        "line 11.name",
        "line 12.observations[0]",
        "line 13",
        "line 15.to",
        "line 16.observations[0]",
        "line 19",
    ]
    names = "broken fact, crlf, joined a, joined b, last, long, null, numbers, one, separated, untyped, wrong"
    assert ", ".join(each.name for each in archive.entities) == names
    assert [each.to_name for each in archive.relations] == ["later"]
    assert [each.place for each in items if each.outcome is Outcome.MERGED] == ["line 17"]
    assert all(each.reason for each in items)


@pytest.mark.parametrize(
    ("content", "where", "why"),
    [
        (b"", "memory.json", "is empty"),
        (b" \n\xef\xbb\xbf\n", "memory.json", "is empty"),
        (b'{"version": 7,\n "entities": {"a": {"name": "a", "fac', "line 2", "cut"),
        (b'{"version": 7, "entities": {}}}', "line 1 column 31", "Extra data"),
        (b"not json", "line 1 column 1", "no JSON"),
        (b"\x89PNG\r\n\x1a\n\x00", "line 1 column 1", "no JSON"),
        (b"[" * 200_000, "memory.json", "nested too deeply"),
        (b"{}", "memory.json", "none of the files"),
        (b"[]", "memory.json", "none of the files"),
        (b"17", "memory.json", "none of the files"),
        (b'{"version": 7}', "memory.json", "none of the files"),
        (b'{"name": "x", "version": "1.0.0"}', "memory.json", "none of the files"),
        (b"\xff\xfe{", "memory.json", "UTF-16"),
    ],
)
def test_a_file_that_is_none_is_refused_with_the_place(content: bytes, where: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory_files.read(at(tmp_path, content))
    assert where in caught.value.field
    assert why in caught.value.problem


@pytest.mark.parametrize(
    ("pack", "how"),
    [
        (gzip.compress, "compressed by gzip"),
        (bz2.compress, "compressed by bzip2"),
        (lzma.compress, "compressed by xz"),
        (zipped, "a zip archive"),
    ],
)
def test_a_packed_file_is_told_to_be_unpacked_however_long(
    pack: Callable[[bytes], bytes], how: str, tmp_path: Path
) -> None:
    file = at(tmp_path, pack(json.dumps([GOOD]).encode()))
    for limit in (memory_files.FILE_LIMIT, 10):
        with pytest.raises(InvalidInput) as caught:
            memory_files.read(file, limit=limit)
        assert caught.value.problem == f"is {how}; unpack it, then import the memory file that it holds"


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf%s", b"%s\n\n"])
def test_marks_and_blank_lines_around_a_file_do_not_matter(content: bytes, tmp_path: Path) -> None:
    sample = json.dumps({"version": 7, "entities": {"a": {"facts": ["x"]}}}).encode()
    archive, items = memory_files.read(at(tmp_path, content % sample))
    assert (len(archive.entities), items) == (1, [])


def test_a_file_in_utf_16_is_read(tmp_path: Path) -> None:
    archive, _ = memory_files.read(
        at(tmp_path, json.dumps([{**GOOD, "name": "日本"}], ensure_ascii=False).encode("utf-16"))
    )
    assert [each.name for each in archive.entities] == ["日本"]


def test_missing_files_pipes_folders_and_bad_paths_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in (tmp_path / "none.json", pipe, tmp_path / "a\x00b", tmp_path / ("x" * 5000), Path("/dev/null")):
        with pytest.raises(InvalidInput):
            memory_files.read(file)
        with pytest.raises(InvalidInput):
            memory_files.write(Archive(), file / "below" / "x.json")
    with pytest.raises(InvalidInput):
        memory_files.read(tmp_path)


def test_a_file_over_the_limit_is_refused_unread_with_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    with file.open("wb") as stream:
        stream.truncate(memory_files.FILE_LIMIT + 1)  # no block of it is really written
    with pytest.raises(InvalidInput, match="longer than 200,000,000 bytes"):
        memory_files.read(file)
    with pytest.raises(InvalidInput, match="longer than 10 bytes"):
        memory_files.read(at(tmp_path, {"version": 7, "entities": {}}), limit=10)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("accessCount", -1),
        ("accessCount", 2**63),
        ("accessCount", 1.5),
        ("accessCount", "9"),
        ("accessCount", True),
        ("accessCount", float("nan")),
        ("lastSeen", float("inf")),
        ("lastSeen", float("-inf")),
        ("lastSeen", 1e300),
        ("lastSeen", 10**4000),
        ("lastSeen", 10**18),
        ("lastSeen", -(10**18)),
        ("lastSeen", "yesterday"),
        ("lastSeen", {}),
        ("tags", ["a"]),
        ("tags", {"a": 1}),
        ("tags", {"a:b": "c"}),
        ("facts", "none"),
        ("aliases", [""]),
        ("id", "17"),
    ],
)
def test_a_wrong_field_of_an_entity_is_left_out_and_reported_and_the_rest_kept(
    field: str, value: object, tmp_path: Path
) -> None:
    content = {"version": 7, "entities": {"a": {"name": "A", "aliases": ["b"], "facts": ["f"], field: value}}}
    archive, items = memory_files.read(at(tmp_path, content))
    assert [each.name for each in archive.entities] == ["A"]
    assert refused(items) == [f"entities.a.{field}"]
    assert items[0].kind is Kind.FIELD


@pytest.mark.parametrize(
    ("fact", "place"),
    [
        ("", ""),
        (" \u200b", ""),
        ("x" * 10_001, ""),
        (None, ""),
        (3, ""),
        ({}, ".content"),
        ({"content": None}, ".content"),
        ({"content": ["x"]}, ".content"),
    ],
)
def test_a_broken_fact_is_refused_and_those_beside_it_kept(fact: object, place: str, tmp_path: Path) -> None:
    content = {"version": 7, "entities": {"a": {"facts": ["one", fact, "two"]}}}
    archive, items = memory_files.read(at(tmp_path, content))
    assert [each.content for each in archive.entities[0].facts] == ["one", "two"]
    assert refused(items) == [f"entities.a.facts[1]{place}"]


@pytest.mark.parametrize(
    ("section", "record", "place"),
    [
        ("entities", 5, ""),
        ("entities", {"name": "x" * 201}, ".name"),
        ("entities", {"name": "\u200b"}, ".name"),
        ("relations", {"from": "a", "to": "b"}, ".type"),
        ("relations", {"from": "a", "to": "", "type": "uses"}, ".to"),
        ("relations", {"from": "a", "to": "b", "type": "t" * 61}, ".type"),
        ("exchanges", {"user": "u"}, ".assistant"),
        ("exchanges", {"user": "", "assistant": " "}, ""),
        ("exchanges", {"user": "u" * 100_001, "assistant": "a"}, ".user"),
        ("activeTasks", {"title": "t", "status": "asleep"}, ".status"),
        ("activeTasks", {"title": " ", "status": "running"}, ".title"),
        ("workingMemorySessions", {"sessionId": "s", "type": "dream", "content": "x"}, ".type"),
        ("workingMemorySessions", {"type": "fact", "content": "x"}, ""),
    ],
)
def test_a_broken_record_is_refused_and_those_beside_it_kept(
    section: str, record: object, place: str, tmp_path: Path
) -> None:
    good = {"entities": {"g": {"facts": ["f"]}}, "exchanges": [{"user": "u", "assistant": "a"}]}
    records = [*good.get(section, []), record] if section != "entities" else [{"name": "g"}, record]
    archive, items = memory_files.read(at(tmp_path, {"version": 7, **good, section: records}))
    assert refused(items) == [f"{section}[{len(records) - 1}]{place}"]
    assert (len(archive.entities), len(archive.exchanges)) == (1, 1)


def test_a_section_of_the_wrong_kind_is_refused_and_the_others_read(tmp_path: Path) -> None:
    archive, items = memory_files.read(at(tmp_path, {"version": 7, "entities": {"a": {}}, "relations": "none"}))
    assert (len(archive.entities), refused(items)) == (1, ["relations"])


def test_nul_and_lone_surrogates_are_taken_out_everywhere(tmp_path: Path) -> None:
    raw = (
        r'{"version":7,"entities":{"a\u0000":{"facts":["be\u0000fore\ud83d",{"content":"x","\ud800y":1}],'
        r'"tags":{"pro\u0000ject":"at\ud800las"}}},"exchanges":[{"user":"u\u0000","assistant":"a","sessionId":"s\ud83d"}]}'
    )
    archive, _ = memory_files.read(at(tmp_path, raw))
    (found,) = archive.entities
    assert (found.name, found.tags) == ("a", {"project": "atlas"})
    assert [each.content for each in found.facts] == ["before", "x"]
    assert (archive.exchanges[0].user, archive.exchanges[0].session) == ("u", "s")


def test_bytes_that_are_no_utf_8_cost_the_text_they_stand_in(tmp_path: Path) -> None:
    raw = b'{"version":7,"entities":{"a":{"facts":["b\xc3d","fine"]}}}'
    archive, items = memory_files.read(at(tmp_path, raw))
    assert [each.content for each in archive.entities[0].facts] == ["fine"]
    assert [(each.place, each.reason) for each in items] == [("entities.a.facts[0]", "holds bytes that are not UTF-8")]


def test_the_same_id_on_two_records_is_kept_once(tmp_path: Path) -> None:
    first = {"id": "ex_1_aaaa", "user": "u", "assistant": "a"}
    content = {"version": 7, "exchanges": [first, first, {**first, "user": "other"}]}
    archive, items = memory_files.read(at(tmp_path, content))
    assert sorted((each.user, each.external_id) for each in archive.exchanges) == [("other", None), ("u", "ex_1_aaaa")]
    assert [each.outcome for each in items] == [Outcome.MERGED, Outcome.SKIPPED]


def test_a_report_lists_so_many_problems_and_counts_the_others(tmp_path: Path) -> None:
    lines = json.dumps(GOOD) + "\n" + "{\n" * (reported.LIMIT + 5)
    archive, items = memory_files.read(at(tmp_path, lines, "m.jsonl"))
    assert (len(archive.entities), len(items)) == (1, reported.LIMIT + 1)
    assert items[-1].reason.startswith("5 further problems")


def test_a_written_file_is_private_and_whole_and_takes_no_others_place_unasked(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    size = memory_files.write(Archive(), file)
    assert (size, stat.S_IMODE(file.stat().st_mode)) == (file.stat().st_size, 0o600)
    before = file.read_bytes()
    archive, _ = memory_files.read(Path(__file__).resolve().parents[1] / "samples" / "memory_v7_own.json")
    with pytest.raises(InvalidInput, match="exists already"):
        memory_files.write(archive, file)
    assert file.read_bytes() == before
    memory_files.write(archive, file, overwrite=True)
    assert memory_files.read(file) == (archive, [])
    assert [each.name for each in tmp_path.iterdir()] == ["out.json"]


def test_a_link_in_the_place_of_the_file_is_replaced_and_what_it_points_to_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("precious")
    link.symlink_to(target)
    memory_files.write(Archive(), link, overwrite=True)
    assert (target.read_text(), link.is_symlink()) == ("precious", False)


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    memory_files.write(Archive(), file)
    before = file.read_bytes()
    hopeless = Archive(relations=(transfer.Relation(from_name="a", type="b", to_name="c", weight=float("nan")),))
    with pytest.raises(ValueError, match="not JSON compliant"):
        memory_files.write(hopeless, file, overwrite=True)
    with pytest.raises(InvalidInput):
        memory_files.write(Archive(), tmp_path, overwrite=True)
    assert [each.name for each in tmp_path.iterdir()] == ["out.json"]
    assert file.read_bytes() == before


def test_one_archive_gives_one_text_whatever_order_it_came_in(tmp_path: Path) -> None:
    archive, _ = memory_files.read(Path(__file__).resolve().parents[1] / "samples" / "memory_v7.json")
    turned = Archive(
        entities=archive.entities[::-1],
        relations=archive.relations[::-1],
        exchanges=archive.exchanges[::-1],
        tasks=archive.tasks[::-1],
        events=archive.events,
    )
    memory_files.write(archive, tmp_path / "a.json")
    memory_files.write(turned, tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
