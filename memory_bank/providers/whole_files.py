"""Files that appear whole or not at all."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from memory_bank.domain import text
from memory_bank.errors import InvalidInput

_TEMPORARY = ".tmp"


@contextmanager
def writing(file: Path, *, overwrite: bool) -> Iterator[BinaryIO]:
    """Yield a stream that becomes `file`, readable for its owner alone, when the block ends without an error.

    Until then, and after an error, nothing has changed but for a hidden file beside it, which a killed process leaves.
    Raises `InvalidInput` when the file exists and may not be overwritten, or cannot be written.
    """
    named = text.storable(str(file))
    with _explained(named):
        if not overwrite and os.path.lexists(file):
            raise FileExistsError
        # mkstemp makes it readable for its owner alone
        try:
            descriptor, made = tempfile.mkstemp(prefix=_prefix(file), suffix=_TEMPORARY, dir=file.parent)
        except ValueError as error:
            raise OSError(str(error)) from error
    temporary = Path(made)
    try:
        with _explained(named):
            with os.fdopen(descriptor, "w+b") as stream:
                yield stream
                durable(stream)
            _place(temporary, file, overwrite=overwrite)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def durable(stream: BinaryIO) -> None:
    """Let what was written reach the disk; what is read afterwards comes from there where the system can do so."""
    stream.flush()
    os.fsync(stream.fileno())
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def leftovers(file: Path, *, seconds: float) -> list[Path]:
    """Return what killed writers left of `file`, whose name may be a pattern: untouched for at least `seconds`."""
    now = time.time()
    found = [each for each in file.parent.glob(f"{_prefix(file)}*{_TEMPORARY}") if each.is_file()]
    return [each for each in found if now - each.lstat().st_mtime >= seconds]


def _prefix(file: Path) -> str:
    return f".{file.name[:50]}."


@contextmanager
def _explained(named: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        advice = "exists already; choose another name, or let --overwrite replace it"
        raise InvalidInput(named, advice) from error
    except OSError as error:
        raise InvalidInput(named, f"cannot be written: {error.strerror or error}") from error


def _place(temporary: Path, file: Path, *, overwrite: bool) -> None:
    if overwrite:
        temporary.replace(file)
    else:
        _claim(temporary, file)
    if os.name == "posix":
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _claim(temporary: Path, file: Path) -> None:
    """Give the file its name if nothing has that; raises `FileExistsError`."""
    try:
        # unlike a rename, a second name never takes the place of a file that somebody has just made
        file.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        # some file systems know no second names
        file.touch(mode=0o600, exist_ok=False)
        temporary.replace(file)
