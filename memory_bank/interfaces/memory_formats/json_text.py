"""JSON as strangers write it: byte order marks, broken bytes, cut or joined values, numbers without end."""

import codecs
import contextlib
import json
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory_bank.domain import text
from memory_bank.errors import InvalidInput
from memory_bank.providers import backup_files

BROKEN = "\udbff"
"""Stands for bytes that are no UTF-8: half of a pair that no real text uses, so that the text can be refused later."""

_PACKED = {
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "an empty zip archive",
    b"\x1f\x8b": "compressed by gzip",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
    b"7z\xbc\xaf": "a 7z archive",
}
"""How files begin that hold others."""

_DIGITS = 40
_ESCAPED_BYTES = re.compile("[\udc80-\udcff]+")
_TOO_DEEP = "nested too deeply"


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """A line's values, and what is wrong with the rest of it."""

    values: list[object] = field(default_factory=list)
    problem: str = ""


class Pairs(dict[str, object]):
    """An object with a name that stands in it more than once; `all` has every pair, the mapping the last of each."""

    all: tuple[tuple[str, object], ...] = ()


class Unparsable(Exception):
    """The text is no JSON. `place` says where it breaks; `joined` tells that a whole value stands before that."""

    def __init__(self, problem: str, *, place: str = "", joined: bool = False) -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = place
        self.joined = joined


def read(file: Path, *, limit: int) -> str:
    """Return a file's text without a byte order mark, broken bytes as `BROKEN`.

    Raises `InvalidInput` for a file that is missing, empty, no plain file, packed, or longer than `limit` bytes.
    """
    named = shown(file)
    try:
        found = file.stat()
        # opening a pipe would wait for somebody to write into it
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(named, "is not a plain file; give the path of a memory file")
        with file.open("rb") as stream:
            # a packed one may be longer than the limit, and no shorter for being split
            _refuse_packed(stream.peek(8), file)
            content = stream.read(limit + 1) if found.st_size <= limit else b""
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(named, f"cannot be read: {problem}; give the path of a memory file") from error
    if found.st_size > limit or len(content) > limit:
        raise InvalidInput(named, f"is longer than {limit:,} bytes; split it into several files")
    decoded = _decoded(content, named)
    if text.is_blank(decoded[:1000]) and text.is_blank(decoded):
        raise InvalidInput(named, "is empty; nothing was read")
    return decoded


def shown(file: Path) -> str:
    """Return a path as an error may name it."""
    return text.storable(str(file))


def parsed(content: str) -> object:
    """Return the one value of a text; raises `Unparsable`."""
    try:
        return _DECODER.decode(content)
    except RecursionError as error:
        raise Unparsable(_TOO_DEEP) from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise Unparsable(error.msg, place=place, joined=error.msg == "Extra data") from error


def parsed_line(line: str) -> Parsed:
    """Return the values of a line, which may have been joined without a break, up to the first that is none."""
    values: list[object] = []
    rest = line.strip("\ufeff \t\r\n")
    while rest:
        try:
            value, end = _DECODER.raw_decode(rest)
        except RecursionError:
            return Parsed(values=values, problem=_TOO_DEEP)
        except json.JSONDecodeError as error:
            return Parsed(values=values, problem=f"no whole JSON value: {error.msg} at character {error.pos + 1}")
        values.append(value)
        rest = rest[end:].lstrip()
    return Parsed(values=values)


def pairs(value: dict[str, object]) -> Sequence[tuple[str, object]]:
    """Return the pairs of an object in order, those of a repeated name included."""
    return value.all if isinstance(value, Pairs) else tuple(value.items())


def _refuse_packed(beginning: bytes, file: Path) -> None:
    how = next((how for sign, how in _PACKED.items() if beginning.startswith(sign)), None)
    if how is None:
        return
    remedy = "unpack it, then import the memory file that it holds"
    with contextlib.suppress(InvalidInput), backup_files.reading(file):
        how, remedy = "a backup of Memory Bank", "`memory-bank restore FILE` brings it back"
    raise InvalidInput(shown(file), f"is {how}; {remedy}")


def _decoded(content: bytes, named: str) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        with contextlib.suppress(UnicodeDecodeError):
            return content.decode("utf-16")
        raise InvalidInput(named, "is broken UTF-16; save it as UTF-8")
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return _ESCAPED_BYTES.sub(BROKEN, content.decode(errors="surrogateescape"))


def _whole(digits: str) -> int | float:
    # Python refuses to read whole numbers of thousands of digits, and one of them should not cost the file
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def _object(found: list[tuple[str, object]]) -> dict[str, object]:
    named = [(name if name.isascii() else text.storable(name), value) for name, value in found]
    plain = dict(named)
    if len(plain) == len(named):
        return plain
    repeated = Pairs(plain)
    repeated.all = tuple(named)
    return repeated


# not strict: a raw control character within a text is read, and cleaned like every other
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole, strict=False)
