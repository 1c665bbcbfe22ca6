"""The properties format, relaxed names, and how hostile files are met."""

import json
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.settings import properties, table

KEYS = sorted(table.catalogue().by_key)


def entries(raw: bytes) -> list[tuple[str, str, int]]:
    document = properties.parsed(raw, label="f")
    assert document.problems == ()
    return [(entry.key, entry.value, entry.line) for entry in document.entries]


@st.composite
def spellings(draw: st.DrawFn, key: str) -> str:
    separated = "".join(draw(st.sampled_from(("", "-", "_", "."))) if char in "-." else char for char in key)
    return "".join(draw(st.sampled_from((char.lower(), char.upper()))) for char in separated)


def test_equals_colon_and_space_separate_a_key_from_its_value() -> None:
    assert entries(b"a=1\nb: 2\nc 3\nd\n") == [("a", "1", 1), ("b", "2", 2), ("c", "3", 3), ("d", "", 4)]


def test_comments_and_empty_lines_are_no_entries_and_still_count_as_lines() -> None:
    assert entries(b"# one\n\n! three\n   \na=1") == [("a", "1", 5)]


def test_an_entry_after_a_continued_one_keeps_its_own_line() -> None:
    assert entries(b"a=1,\\\n  2,\\\n  3\nb=4\n") == [("a", "1,2,3", 1), ("b", "4", 4)]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_every_line_ending_and_a_byte_order_mark_are_read(ending: bytes) -> None:
    raw = b"\xef\xbb\xbf" + ending.join([b"a=1\\", b"2", b"b=\xc3\xa9"])
    assert entries(raw) == [("a", "12", 1), ("b", "é", 3)]


def test_escapes_are_read_as_java_writes_them() -> None:
    assert entries(rb"a\=b=\u00e9\t\\x\ud83d\ude00") == [("a=b", "é\t\\x😀", 1)]


def test_broken_escapes_are_all_reported_and_the_rest_is_still_read() -> None:
    document = properties.parsed(b"a=1\nb=C:\\users\nc=\\\n\\u12\nd=4\n", label="f")
    assert [problem.split(":")[1] for problem in document.problems] == ["2", "3"]
    assert [(entry.key, entry.line) for entry in document.entries] == [("a", 1), ("d", 5)]


@pytest.mark.parametrize(
    ("raw", "where", "what"),
    [
        (b"a=1\nb=caf\xe9\n", "f:2", "UTF-8"),
        (b"a=1\r\n\r\nb=\0\r\n", "f:3", "NUL"),
        ("a=1\n".encode("utf-16"), "f:1", "UTF-8"),
        (b"a=1,\\\n" * 5_000, "f", "continues"),
    ],
)
def test_a_hostile_file_is_a_problem_with_its_place(raw: bytes, where: str, what: str) -> None:
    (problem,) = properties.parsed(raw, label="f").problems
    assert problem.startswith(f"{where}:")
    assert what in problem


def test_a_huge_file_is_refused_unparsed(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a=1\n" * 1_000_000)
    assert "larger than 64 KiB" in properties.read(path, label="f").problems[0]


def test_a_folder_in_the_place_of_a_file_is_explained(tmp_path: Path) -> None:
    assert "is a folder" in properties.read(tmp_path, label="f").problems[0]


@hypothesis.settings(deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_raise(raw: bytes) -> None:
    properties.parsed(raw, label="f")


@hypothesis.settings(deadline=None)
@given(
    st.dictionaries(st.text("abc.-", min_size=1), st.text(st.characters(exclude_categories=("Cs", "Cc"))), max_size=5)
)
def test_what_is_written_with_escapes_is_read_back(values: dict[str, str]) -> None:
    text = "".join(f"{key}={json.dumps(value)[1:-1]}\n" for key, value in values.items() if value.strip() == value)
    wanted = {key: value for key, value in values.items() if value.strip() == value}
    assert {key: value for key, value, _ in entries(text.encode())} == wanted


@hypothesis.settings(deadline=None)
@given(st.sampled_from(KEYS).flatmap(lambda key: st.tuples(st.just(key), spellings(key))))
def test_every_spelling_of_a_key_is_that_key(pair: tuple[str, str]) -> None:
    key, spelling = pair
    found = table.catalogue().named(spelling)
    assert found is not None
    assert found.key == key


def test_no_two_settings_share_a_relaxed_name_or_a_variable() -> None:
    rows = table.catalogue().settings
    names = [properties.relaxed(row.key) for row in rows]
    assert len(set(names)) == len(rows)
    assert len({row.environment for row in rows}) == len(rows)
    short = {properties.relaxed(row.environment): row.key for row in rows}
    assert all(short.get(name, row.key) == row.key for name, row in zip(names, rows, strict=True))


def test_letters_that_only_look_like_ascii_are_another_name() -> None:
    assert table.catalogue().named("open\u212aey") is None
    assert properties.relaxed("\u212aey") != "key"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("openai.api-kee", "openai.api-key"),
        ("openai.apikeys", "openai.api-key"),
        ("relearning-rate", "retrievability-filter.settings.relearning-rate"),
        ("mcp.server.port", "server.port"),
        ("retrievability.settings.enabled", "retrievability-filter.settings.enabled"),
    ],
)
def test_the_nearest_key_is_the_one_that_was_meant(name: str, key: str) -> None:
    assert properties.nearest(name, KEYS) == key


def test_a_name_like_no_key_has_no_nearest() -> None:
    assert properties.nearest("zzzzqqqq", KEYS) is None


@hypothesis.settings(deadline=None)
@given(st.text(max_size=300))
def test_no_name_raises(name: str) -> None:
    properties.nearest(name, KEYS)
    table.catalogue().named(name)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" x \r", "x"),
        ('"x y"', "x y"),
        ("'x'\r\n", "x"),
        ('"x', '"x'),
        ('"', '"'),
        ("''", ""),
        ('"  "', ""),
        ("\"'x'\"", "'x'"),
    ],
)
def test_white_space_and_one_pair_of_quotes_around_a_value_are_dropped(text: str, value: str) -> None:
    assert properties.cleaned(text) == value


def test_placeholders_are_filled_from_the_environment_with_their_default() -> None:
    environ = {"SET": "1\r", "BLANK": ""}
    assert properties.expanded("${SET}-${BLANK:a:b}-${NONE:}", environ=environ).value == "1-a:b-"
    assert properties.expanded("x${NONE}", environ=environ).missing == ("NONE",)
    assert properties.expanded("$x {y}", environ=environ).value == "$x {y}"
