"""Files of backups: a zip archive with one entry for each table, and manifest.json, which tells what they hold.

A table's entry, `tables/NAME.copy`, is what PostgreSQL's COPY writes as text, so that it can be read by people and by
every later PostgreSQL. Nothing is ever unpacked to a disk. Whoever can write an archive can also make its hashes: they
tell damage from what was written, not a friend's archive from a stranger's.
"""

import contextlib
import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NoReturn, Self

import pydantic

from memory_bank.domain import backups, text
from memory_bank.domain.backups import Manifest, Part
from memory_bank.errors import InvalidInput

BLOCK = 1 << 18
MANIFEST = "manifest.json"
MANIFEST_LIMIT = 1 << 20
# of three levels tried it is the quickest by far: vectors shrink to about the same at all of them
_LEVEL = 1
_KIND = "memory-bank-backup"
_DAMAGED = "is damaged or was cut short"
_ANOTHER = "restore another backup"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError)
"""What zipfile raises for bytes that are no archive, among them what it was never told to support."""


class _Written(pydantic.BaseModel):
    """The manifest as it stands in the file."""

    model_config = pydantic.ConfigDict(extra="ignore", strict=True)

    kind: str
    format_version: int


class _Whole(_Written):
    manifest: Manifest


class Writer:
    """Writes an archive into a stream, table by table; `finish` writes the manifest and ends it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # not finished: a disk that was full would fail once more
        with contextlib.suppress(OSError, ValueError):
            self._zip.close()

    def add(self, table: str, columns: tuple[str, ...], blocks: Iterator[bytes]) -> Part:
        """Write a table's rows, of which each ends with a line feed and holds no other; return what was written."""
        digest, rows, size = hashlib.sha256(), 0, 0
        # the length is not known before, and may be beyond what a plain zip can hold
        with self._zip.open(_entry(table), "w", force_zip64=True) as entry:
            for block in blocks:
                digest.update(block)
                rows += block.count(b"\n")
                size += len(block)
                entry.write(block)
        return Part(table=table, columns=columns, rows=rows, size=size, sha256=digest.hexdigest())

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, and what closes the archive."""
        whole = _Whole(kind=_KIND, format_version=manifest.format_version, manifest=manifest)
        self._zip.writestr(MANIFEST, whole.model_dump_json(indent=2))
        self._zip.close()


class Reader:
    """Reads an archive that is hostile until its hashes have been compared; made by `reading`."""

    def __init__(self, archive: zipfile.ZipFile, named: str) -> None:
        self._zip = archive
        self._named = named
        self.manifest = self._read_manifest()
        self._check_entries()

    def blocks(self, part: Part) -> Iterator[bytes]:
        """Return a table's rows in blocks; raises `InvalidInput` at the latest behind the last, if they are not whole.

        Whoever stores them must take all of it back then.
        """
        digest, rows, size = hashlib.sha256(), 0, 0
        with _explained(self._named), self._zip.open(_entry(part.table)) as entry:
            while block := entry.read(min(BLOCK, part.size - size + 1)):
                digest.update(block)
                rows += block.count(b"\n")
                size += len(block)
                if size > part.size:
                    break
                yield block
        if (digest.hexdigest(), rows, size) != (part.sha256, part.rows, part.size):
            self._refuse(f"{_DAMAGED}: {part.table} is not what its manifest says; {_ANOTHER}")

    def verify(self, progress: Callable[[int], None]) -> None:
        """Read everything and compare it with the manifest; raises `InvalidInput`. `progress` gets rows read."""
        for part in self.manifest.parts:
            for block in self.blocks(part):
                progress(block.count(b"\n"))

    def _read_manifest(self) -> Manifest:
        with _explained(self._named):
            try:
                with self._zip.open(MANIFEST) as entry:
                    content = entry.read(MANIFEST_LIMIT + 1)
            except KeyError:
                self._refuse("is no backup of Memory Bank: it has no manifest.json")
        if len(content) > MANIFEST_LIMIT:
            self._refuse(f"is no backup of Memory Bank: its manifest has more than {MANIFEST_LIMIT} bytes")
        try:
            written = _Written.model_validate_json(content)
            if written.kind != _KIND:
                self._refuse(f"is no backup of Memory Bank but of {text.preview(ascii(written.kind), limit=40)}")
            # nothing else in a newer one has to be as it is today
            backups.refuse_newer(written.format_version, named=self._named)
            manifest = _Whole.model_validate_json(content).manifest
        except pydantic.ValidationError:
            self._refuse(f"{_DAMAGED}: its manifest cannot be read; {_ANOTHER}")
        backups.check(manifest, named=self._named)
        return manifest

    def _check_entries(self) -> None:
        entries = self._zip.infolist()
        expected = sorted([MANIFEST, *(_entry(part.table) for part in self.manifest.parts)])
        if sorted(entry.filename for entry in entries) != expected:
            self._refuse(f"{_DAMAGED}: it does not hold the tables that its manifest names, each once; {_ANOTHER}")
        if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
            self._refuse(f"is packed in a way that no backup is; {_ANOTHER}")

    def _refuse(self, problem: str) -> NoReturn:
        raise InvalidInput(self._named, problem)


@contextmanager
def reading(file: Path) -> Iterator[Reader]:
    """Open an archive; raises `InvalidInput` for what is none, is damaged or of a newer format."""
    named = text.storable(str(file))
    try:
        # opening a pipe would wait for somebody to write into it
        if not file.is_file():
            raise InvalidInput(named, "is no file; give the path of a backup")
        stream = file.open("rb")
    except (OSError, ValueError) as error:
        raise InvalidInput(named, f"cannot be read: {error}") from error
    with stream, _opened(stream, named) as reader:
        yield reader


def read_back(stream: BinaryIO, *, named: str, progress: Callable[[int], None]) -> Manifest:
    """Verify the archive that was just written into a stream, and return its manifest; raises `InvalidInput`."""
    stream.seek(0)
    with _opened(stream, named) as reader:
        reader.verify(progress)
        return reader.manifest


@contextmanager
def _opened(stream: BinaryIO, named: str) -> Iterator[Reader]:
    try:
        archive = zipfile.ZipFile(stream)
    except OSError as error:
        raise InvalidInput(named, f"cannot be read: {error.strerror or error}") from error
    except _BROKEN as error:
        raise InvalidInput(named, "is no backup of Memory Bank, or was cut short; give the path of a backup") from error
    with archive:
        yield Reader(archive, named)


@contextmanager
def _explained(named: str) -> Iterator[None]:
    """Say of bytes that cannot be unpacked that the archive is damaged."""
    try:
        yield
    except InvalidInput:
        raise
    except OSError as error:
        raise InvalidInput(named, f"cannot be read: {error.strerror or error}") from error
    except _BROKEN as error:
        raise InvalidInput(named, f"{_DAMAGED}; {_ANOTHER}") from error


def _entry(table: str) -> str:
    return f"tables/{table}.copy"
