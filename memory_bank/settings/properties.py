"""The `application.properties` format: entries with their lines, relaxed key names, and the nearest known key."""

import difflib
import io
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import javaproperties

SIZE_LIMIT = 64 * 1024
# javaproperties scans a continued entry anew for each of its lines: without a limit, 64 KiB can take many seconds.
CONTINUATION_LIMIT = 100
_NAME_LIMIT = 100
_PLACEHOLDER = re.compile(r"\$\{([^{}:]*)(?::([^{}]*))?\}")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One `key=value` of a file; `line` counts from 1 and is where the entry begins.

    `separated` tells whether a `=` or `:` was written: a line without one may be anything, a stray secret included.
    """

    key: str
    value: str
    line: int
    separated: bool


@dataclass(frozen=True, kw_only=True)
class Document:
    """What a file says, in its order, and what is wrong with the file itself, each problem with its line."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Expansion:
    """A value with its `${NAME}` and `${NAME:default}` filled in; `missing` names those that nothing fills."""

    value: str
    missing: tuple[str, ...] = ()


def read(path: Path, *, label: str) -> Document:
    """Read a properties file of at most `SIZE_LIMIT` bytes in UTF-8; `label` is its name in problems. Never raises."""
    try:
        if path.is_dir():
            problem = "is a folder, not a file (Docker makes one where a mounted file is missing); remove it"
            return Document(problems=(f"{label}: {problem}",))
        if not path.is_file():
            return Document(problems=(f"{label}: there is no such file; correct the path or leave it out",))
        with path.open("rb") as stream:
            raw = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        return Document(problems=(f"{label}: the file cannot be read: {error.strerror or error}",))
    if len(raw) > SIZE_LIMIT:
        return Document(problems=(f"{label}: the file is larger than {SIZE_LIMIT // 1024} KiB; is it the right one?",))
    return parsed(raw, label=label)


def parsed(raw: bytes, *, label: str) -> Document:
    """Parse the bytes of a properties file: UTF-8 with or without a byte order mark, any line ending. Never raises."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Document(problems=(f"{label}:{_line_of(raw, error.start)}: not UTF-8; save the file as UTF-8",))
    if "\0" in text:
        return Document(problems=(f"{label}:{_line_of(raw, raw.index(0))}: a NUL byte; is it the right file?",))
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    continued = [line.endswith("\\") for line in lines.split("\n")]
    if max(len(list(run)) if ends else 0 for ends, run in itertools.groupby(continued)) > CONTINUATION_LIMIT:
        return Document(
            problems=(f"{label}: one entry continues over more than {CONTINUATION_LIMIT} lines; shorten it",)
        )
    return _entries(lines, label=label)


def cleaned(value: str) -> str:
    """Return the value without surrounding white space and without one pair of quotes around it."""
    bare = value.strip()
    if len(bare) >= 2 and bare[0] == bare[-1] and bare[0] in "'\"":
        bare = bare[1:-1]
    return bare if bare.strip() else ""


def expanded(value: str, *, environ: Mapping[str, str]) -> Expansion:
    """Fill `${NAME}` and `${NAME:default}` from the environment; a blank variable counts as not set."""
    missing: list[str] = []

    def filled(match: re.Match[str]) -> str:
        name, default = match.group(1).strip(), match.group(2)
        found = cleaned(environ.get(name, ""))
        if not found and default is None:
            missing.append(name[:_NAME_LIMIT])
        return found or default or ""

    return Expansion(value=_PLACEHOLDER.sub(filled, value), missing=tuple(missing))


def relaxed(name: str) -> str:
    """Return the form that all spellings of a key share: case, dots, dashes and underscores make no difference."""
    return re.sub(r"[-._]", "", name).lower() if name.isascii() else name


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or one that ends in the same word; `None` when nothing comes close."""
    names = {relaxed(candidate): candidate for candidate in known}
    wanted = relaxed(name[:_NAME_LIMIT])
    if close := difflib.get_close_matches(wanted, names, n=1, cutoff=0.75):
        return names[close[0]]
    word = relaxed(re.split(r"[.\s]", name[:_NAME_LIMIT])[-1])
    ending = [candidate for form, candidate in names.items() if len(word) > 2 and form.endswith(word)]
    if ending:
        return min(ending, key=len)
    close = difflib.get_close_matches(wanted, names, n=1, cutoff=0.5)
    return names[close[0]] if close else None


def is_slip(name: str, known: Iterable[str]) -> bool:
    """Tell whether `name` is so close to a known name that it can only be a slip of the pen."""
    forms = [relaxed(candidate) for candidate in known]
    return bool(difflib.get_close_matches(relaxed(name[:_NAME_LIMIT]), forms, n=1, cutoff=0.9))


def _entries(text: str, *, label: str) -> Document:
    entries: list[Entry] = []
    problems: list[str] = []
    stream = io.StringIO(text)
    line = 1
    while True:
        try:
            for element in javaproperties.parse(stream):
                if isinstance(element, javaproperties.KeyValue):
                    entries.append(_entry(element, line=line))
                line += element.source.count("\n")
            return Document(entries=tuple(entries), problems=tuple(problems))
        except javaproperties.InvalidUEscapeError:
            problems.append(f"{label}:{line}: a \\u escape takes four hexadecimal digits; write a backslash as \\\\")
            # The parser ends with the entry it could not read; the stream stands behind that entry.
            line = 1 + text.count("\n", 0, stream.tell())


def _entry(element: javaproperties.KeyValue, *, line: int) -> Entry:
    separated = "=" in element.source or ":" in element.source
    return Entry(key=element.key, value=element.value, line=line, separated=separated)


def _line_of(raw: bytes, position: int) -> int:
    before = raw[:position].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return 1 + before.count(b"\n")
