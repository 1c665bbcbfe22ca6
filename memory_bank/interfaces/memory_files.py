"""Memory files: what other memories wrote, read into an archive, and an archive written.

Read are memory.json of versions 4 to 7; the JSON lines of the reference MCP memory server and its kin, as lines, as a
list or as one graph; and the conversations.json of a ChatGPT export. Written is memory.json version 7.
"""

from collections.abc import Mapping
from pathlib import Path

from memory_bank.domain.transfer import Archive, Item, Kind
from memory_bank.errors import InvalidInput
from memory_bank.interfaces.memory_formats import conversations, graphs, json_text, published, writing
from memory_bank.interfaces.memory_formats.gathering import Gathering
from memory_bank.interfaces.memory_formats.json_text import Unparsable
from memory_bank.interfaces.memory_formats.problems import Problems
from memory_bank.interfaces.memory_formats.published import Reader

FILE_LIMIT = 200_000_000
"""Bytes of a file that is read."""

_LINES = (".jsonl", ".ndjson")
_SHAPES = (
    "is none of the files that are read: memory.json versions 4 to 7 (with entities, relations or exchanges), "
    "the JSON lines of an MCP memory server (entity and relation records), a ChatGPT conversations.json"
)


def read(file: Path, *, limit: int = FILE_LIMIT) -> tuple[Archive, list[Item]]:
    """Return what a file holds, and every part of it that was left out, changed or joined, with place and reason.

    One broken part costs that part alone. Raises `InvalidInput` for a file that cannot be read at all: none of the
    known formats, cut, of an unknown version, or longer than `limit` bytes.
    """
    content = json_text.read(file, limit=limit)
    named = json_text.shown(file)
    found = Problems()
    gathering = Gathering(found)
    reader = Reader(version=7, gathering=gathering, found=found)
    try:
        value = json_text.parsed(content)
    except Unparsable as error:
        known = _read_lines(content, reader)
        if not known and file.suffix.lower() not in _LINES:
            place = f"{named}: {error.place}" if error.place else named
            raise InvalidInput(place, f"{error.problem}: no JSON, or cut; take a whole copy or a backup") from error
    else:
        if published.is_shape(value) and isinstance(value, Mapping):
            published.read(value, file=named, gathering=gathering, found=found)
        else:
            _read_values(value, named, reader)
    return gathering.archive(), found.items()


def write(archive: Archive, file: Path, *, overwrite: bool = False) -> int:
    """Write memory.json version 7, readable for its owner alone, whole or not at all; return its size in bytes.

    Reading it again gives `transfer.ordered(archive)`. Raises `InvalidInput` when the file exists and may not be
    overwritten, or cannot be written.
    """
    return writing.write(archive, file, overwrite=overwrite)


def _read_lines(content: str, reader: Reader) -> int:
    """Read a record from each line; return how many were entities or relations."""
    known = 0
    # not splitlines, which breaks at separators that may stand within a text
    for number, line in enumerate(content.split("\n"), 1):
        place = f"line {number}"
        parsed = json_text.parsed_line(line)
        for each in parsed.values:
            known += _read_record(each, place=place, reader=reader) in (Kind.ENTITY, Kind.RELATION)
        if parsed.problem:
            reader.found.refuse(Kind.LINE, place, place=place, reason=parsed.problem)
    return known


def _read_values(value: object, named: str, reader: Reader) -> None:
    """Read a list, or the only one, of records or conversations."""
    values = value if isinstance(value, list) else [value]
    if any(map(conversations.is_shape, values)):
        for number, each in enumerate(values):
            conversations.read(each, place=f"[{number}]", reader=reader, found=reader.found)
        return
    if not any(map(graphs.kind, values)):
        raise InvalidInput(named, _SHAPES)
    for number, each in enumerate(values):
        place = f"[{number}]" if isinstance(value, list) else "line 1"
        _read_record(each, place=place, reader=reader)


def _read_record(given: object, *, place: str, reader: Reader) -> Kind | None:
    """Read a record of whatever kind; return its kind, None for an unknown one, which is reported."""
    kind = graphs.kind(given)
    if kind is None or not isinstance(given, Mapping):
        reason = "neither an entity nor a relation; left out"
        reader.found.refuse(Kind.LINE, place, place=place, reason=reason)
        return None
    match kind:
        case Kind.ENTITY:
            translated = graphs.entity(given, place=place, found=reader.found)
            reader.entity(translated, place=place, spelt=graphs.ENTITY_SPELLING)
        case Kind.RELATION:
            translated = graphs.relation(given, place=place, found=reader.found)
            reader.relation(translated, place=place, spelt=graphs.RELATION_SPELLING)
        case _:
            reader.exchange(given, place=place)
    return kind
