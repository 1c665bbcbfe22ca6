"""The embedded PostgreSQL is shared, survives being killed, and stays private. Users are real processes."""

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import sqlalchemy

from memory_bank import errors
from memory_bank.store import embedded

_CHECKOUT = Path(__file__).resolve().parents[2]
_PATIENCE = 60.0

_BECOME = """
import json, os, pwd, signal, sys
from pathlib import Path
import psycopg
from memory_bank import errors
from memory_bank.store import embedded
# a shell that starts a run in the background has interrupts ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
data_dir, account = Path(sys.argv[1]), sys.argv[2]
if account:  # only now: the account may not be able to read the interpreter
    os.setgroups([])
    os.setgid(pwd.getpwnam(account).pw_gid)
    os.setuid(pwd.getpwnam(account).pw_uid)
"""

_USER = (
    _BECOME
    + """
with embedded.running(data_dir) as server:
    print(json.dumps(server.url), flush=True)
    for line in sys.stdin:
        with psycopg.connect(server.url, autocommit=True) as connection:
            cursor = connection.execute(json.loads(line))
            print(json.dumps(cursor.fetchall() if cursor.description else []), flush=True)
"""
)

_REFUSED = (
    _BECOME
    + """
try:
    embedded.start(data_dir)
except errors.ConfigurationError as error:
    print(error)
"""
)

_FORKED = (
    _BECOME
    + """
with embedded.running(data_dir) as server:
    child = os.fork()
    if child == 0:
        server.close()
        os._exit(0)
    os.waitpid(child, 0)
    with psycopg.connect(server.url) as connection:
        print(connection.execute("SELECT 'still there'").fetchone()[0])
"""
)

_needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")

SpawnUser = Callable[..., "User"]


class User:
    """A process that uses the embedded server until it leaves, answering SQL meanwhile."""

    def __init__(self, data_dir: Path, *, account: str = "", environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _USER, str(data_dir), account],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd="/",
            env=_child_environment() | (environment or {}),
            start_new_session=True,
        )
        self._url: str | None = None

    @property
    def url(self) -> str:
        if self._url is None:
            self._url = str(self._read())
        return self._url

    def ask(self, sql: str) -> list[list[object]]:
        assert self.url
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(sql).encode() + b"\n")
        rows = self._read()
        assert isinstance(rows, list)
        return rows

    def leave(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.url
        self.process.stdin.close()
        assert self.process.wait(_PATIENCE) == 0
        assert self.process.stdout.read() == b"", "PostgreSQL must not write to the stdout of its users"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(_PATIENCE)

    def discard(self) -> None:
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def _read(self) -> object:
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], _PATIENCE)
        assert readable, "the user did not answer in time"
        line = self.process.stdout.readline()
        assert line, "the user ended early"
        return json.loads(line)


def _child_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(_CHECKOUT), "PYTHONDONTWRITEBYTECODE": "1"}


def _run(program: str, data_dir: Path, *, account: str = "", prefix: tuple[str, ...] = ()) -> str:
    """Return what a program printed, running to its end in a process of its own."""
    done = subprocess.run(
        [*prefix, sys.executable, "-c", program, str(data_dir), account],
        cwd="/",
        env=_child_environment(),
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _cluster(data_dir: Path) -> Path:
    return data_dir / "postgres" / "cluster"


def _postmaster(data_dir: Path) -> int:
    return int((_cluster(data_dir) / "postmaster.pid").read_text().splitlines()[0])


def _alive(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    return False


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        select.select([], [], [], 0.01)


def _query(url: str, sql: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(scope="session")
def template() -> Iterator[Path]:
    """A data directory whose server was started and stopped once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        embedded.start(folder).close()
        yield folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder. Not pytest's own, which every other run of pytest closes to PostgreSQL's account again."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
        for file in Path(name).glob("**/postmaster.pid"):
            _put_down(file)


@pytest.fixture
def empty_dir(folder: Path) -> Path:
    return folder / "data"


@pytest.fixture
def data_dir(template: Path, folder: Path) -> Path:
    """A copy of the template; root makes copies that belong to root, as after restoring a backup."""
    return Path(shutil.copytree(template, folder / "data"))


@pytest.fixture
def spawn() -> Iterator[SpawnUser]:
    users: list[User] = []

    def spawn_user(data_dir: Path, *, account: str = "", environment: dict[str, str] | None = None) -> User:
        users.append(User(data_dir, account=account, environment=environment))
        return users[-1]

    yield spawn_user
    for user in users:
        user.discard()


def _put_down(file: Path) -> None:
    """End a server that a failed test left behind."""
    with contextlib.suppress(FileNotFoundError, ValueError, IndexError, psutil.NoSuchProcess):
        process = psutil.Process(int(file.read_text().splitlines()[0]))
        if process.name() == "postgres":
            process.send_signal(signal.SIGQUIT)
            _until(lambda: not _alive(process.pid))


def test_users_share_one_server_that_only_the_last_one_out_stops(data_dir: Path, spawn: SpawnUser) -> None:
    first = spawn(data_dir)
    first.ask("CREATE TABLE kept AS SELECT 7 AS value")
    postmaster = _postmaster(data_dir)
    second = spawn(data_dir)
    assert second.ask("SELECT value FROM kept") == [[7]]
    assert _postmaster(data_dir) == postmaster
    first.leave()
    assert second.ask("SELECT value FROM kept") == [[7]]
    second.leave()
    assert not _alive(postmaster)
    assert not (_cluster(data_dir) / "postmaster.pid").exists()


def test_two_users_in_one_process_count_as_two(data_dir: Path) -> None:
    first, second = embedded.start(data_dir), embedded.start(data_dir)
    postmaster = _postmaster(data_dir)
    first.close()
    first.close()
    assert _query(second.url, "SELECT 1") == 1
    second.close()
    assert not _alive(postmaster)


def test_a_server_whose_only_user_was_killed_is_adopted_and_stopped_by_the_next(
    data_dir: Path, spawn: SpawnUser
) -> None:
    victim = spawn(data_dir)
    victim.ask("CREATE TABLE kept AS SELECT 7 AS value")
    postmaster = _postmaster(data_dir)
    victim.kill()
    heir = spawn(data_dir)
    assert heir.ask("SELECT value FROM kept") == [[7]]
    assert _postmaster(data_dir) == postmaster
    heir.leave()
    assert not _alive(postmaster)


def test_a_killed_server_is_started_again_under_its_other_users(data_dir: Path, spawn: SpawnUser) -> None:
    witness = spawn(data_dir)
    witness.ask("CREATE TABLE kept AS SELECT 7 AS value")
    postmaster = _postmaster(data_dir)
    os.kill(postmaster, signal.SIGKILL)
    rescuer = spawn(data_dir)
    assert rescuer.ask("SELECT value FROM kept") == [[7]]
    assert _postmaster(data_dir) != postmaster
    assert witness.ask("SELECT value FROM kept") == [[7]]
    revived = _postmaster(data_dir)
    rescuer.leave()
    assert _alive(revived)
    witness.leave()
    assert not _alive(revived)


def test_a_start_waits_for_the_orphans_of_a_killed_server(data_dir: Path) -> None:
    first = embedded.start(data_dir)
    with psycopg.connect(first.url, autocommit=True) as connection:
        orphan = connection.info.backend_pid
        connection.execute("CREATE TABLE kept AS SELECT 7 AS value")
        os.kill(orphan, signal.SIGSTOP)
        try:
            os.kill(_postmaster(data_dir), signal.SIGKILL)
            with pytest.raises(errors.StoreUnavailable, match=r"server\.log"):
                embedded.start(data_dir, timeout=0.5)
        finally:
            os.kill(orphan, signal.SIGCONT)
    second = embedded.start(data_dir)
    assert _query(second.url, "SELECT value FROM kept") == 7
    first.close()
    second.close()


def test_a_forked_child_cannot_close_the_server_of_its_parent(data_dir: Path) -> None:
    assert _run(_FORKED, data_dir) == "still there\n"


def test_six_processes_that_start_at_once_share_one_server(empty_dir: Path, spawn: SpawnUser) -> None:
    users = [spawn(empty_dir) for _ in range(6)]
    starts = {str(user.ask("SELECT pg_postmaster_start_time()::text")) for user in users}
    assert len(starts) == 1
    running = [
        process.pid
        for process in psutil.process_iter()
        if _alive(process.pid) and process.name() == "postgres" and process.cwd() == str(_cluster(empty_dir))
    ]
    heads = [pid for pid in running if psutil.Process(pid).ppid() not in running]
    assert heads == [_postmaster(empty_dir)]
    for user in users:
        user.leave()
    assert not _alive(heads[0])


def test_an_interrupt_from_the_terminal_does_not_reach_the_server(data_dir: Path, spawn: SpawnUser) -> None:
    user = spawn(data_dir)
    user.ask("SELECT 1")
    postmaster = _postmaster(data_dir)
    assert os.getsid(postmaster) != os.getsid(user.process.pid)
    other = spawn(data_dir)
    other.ask("SELECT 1")
    os.killpg(user.process.pid, signal.SIGINT)
    user.process.wait(_PATIENCE)
    assert other.ask("SELECT 1") == [[1]]
    assert _postmaster(data_dir) == postmaster
    other.leave()


@pytest.mark.parametrize("name", ["deep" * 40, 'it\'s $(a) "quoted", 迁移 %41&b', "with space"])
def test_any_path_will_do_however_long_or_odd(data_dir: Path, spawn: SpawnUser, name: str) -> None:
    folder = data_dir.with_name(name)
    data_dir.rename(folder)
    user = spawn(folder)
    assert user.ask("SELECT 1") == [[1]]
    [[socket_folder]] = user.ask("SHOW unix_socket_directories")
    assert _mode(Path(str(socket_folder))) == 0o700
    assert len(os.fsencode(str(socket_folder))) < 90
    engine = sqlalchemy.create_engine(sqlalchemy.make_url(user.url).set(drivername="postgresql+psycopg"))
    with engine.connect() as connection:
        assert connection.scalar(sqlalchemy.text("SELECT current_database()")) == "memory_bank"
    engine.dispose()
    user.leave()
    assert not Path(str(socket_folder)).exists()


def test_a_pid_file_whose_pid_now_belongs_to_another_process_heals(data_dir: Path) -> None:
    embedded.start(data_dir).close()
    owner = _cluster(data_dir).stat().st_uid
    with subprocess.Popen(["sleep", "600"], user=owner if os.geteuid() == 0 else None) as stranger:
        try:
            lines = [stranger.pid, _cluster(data_dir), 1, 5432, data_dir / "postgres/run", "", "0 0", "ready"]
            text = "".join(f"{line}\n" for line in lines)
            (_cluster(data_dir) / "postmaster.pid").write_text(text)
            (data_dir / "postgres/run/.s.PGSQL.5432.lock").write_text(text)
            with embedded.running(data_dir) as server:
                assert _query(server.url, "SELECT 1") == 1
                assert _postmaster(data_dir) != stranger.pid
            assert stranger.poll() is None
        finally:
            stranger.kill()


@pytest.mark.parametrize("content", ["", "garbage", "-5\n", "99999999999999999999999\n"])
def test_a_half_written_pid_file_heals(data_dir: Path, content: str) -> None:
    (_cluster(data_dir) / "postmaster.pid").write_text(content)
    with embedded.running(data_dir) as server:
        assert _query(server.url, "SELECT 1") == 1


def test_an_initialisation_that_was_killed_in_the_middle_starts_over(empty_dir: Path, spawn: SpawnUser) -> None:
    def begun() -> bool:
        return any((empty_dir / "postgres").glob("cluster.new-*/global"))

    victim = spawn(empty_dir)
    _until(begun)
    victim.kill()
    assert not _cluster(empty_dir).exists()
    user = spawn(empty_dir)
    assert user.ask("SELECT 1") == [[1]]
    assert not list((empty_dir / "postgres").glob("cluster.new-*"))
    user.leave()


def test_data_of_another_postgresql_version_is_refused_by_name(data_dir: Path) -> None:
    (_cluster(data_dir) / "PG_VERSION").write_text("12\n")
    with pytest.raises(errors.ConfigurationError, match=r"PostgreSQL 12.*PostgreSQL 18.*pg_dump"):
        embedded.start(data_dir)


def test_a_folder_that_holds_something_else_is_refused_untouched(empty_dir: Path) -> None:
    _cluster(empty_dir).mkdir(parents=True)
    (_cluster(empty_dir) / "thesis.txt").write_text("do not lose me")
    with pytest.raises(errors.ConfigurationError, match="not a PostgreSQL data directory"):
        embedded.start(empty_dir)
    assert (_cluster(empty_dir) / "thesis.txt").read_text() == "do not lose me"


@pytest.mark.parametrize("place", ["data", "data/below"])
def test_a_file_in_place_of_the_directory_is_refused_by_path(folder: Path, place: str) -> None:
    (folder / "data").write_text("a file")
    with pytest.raises(errors.ConfigurationError, match=str(folder / "data")):
        embedded.start(folder / place)


def test_a_server_that_cannot_start_is_explained(data_dir: Path) -> None:
    with (_cluster(data_dir) / "postgresql.conf").open("a") as conf:
        conf.write("shared_buffers = 'plenty'\n")
    with pytest.raises(errors.ConfigurationError, match=r"shared_buffers.*server\.log"):
        embedded.start(data_dir)


def test_a_start_gives_up_in_time_while_another_process_holds_the_gate(data_dir: Path) -> None:
    with (data_dir / "postgres/gate.lock").open("w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        with pytest.raises(errors.StoreUnavailable, match="another process is still starting"):
            embedded.start(data_dir, timeout=0.2)


def test_the_server_is_safe_and_reachable_by_socket_alone(data_dir: Path) -> None:
    with embedded.running(data_dir) as server:
        for setting, value in {
            "listen_addresses": "",
            "unix_socket_permissions": "0700",
            "fsync": "on",
            "synchronous_commit": "on",
            "full_page_writes": "on",
            "data_checksums": "on",
            "server_encoding": "UTF8",
            "shared_buffers": "128MB",
            "max_connections": "100",
            "timezone": "UTC",
        }.items():
            assert (setting, _query(server.url, f"SHOW {setting}")) == (setting, value)
        socket_folder = Path(str(_query(server.url, "SHOW unix_socket_directories")))
        assert [_mode(path) for path in (data_dir / "postgres", _cluster(data_dir), socket_folder)] == [0o700] * 3
        assert _mode(data_dir / "postgres/server.log") == 0o600


def test_the_database_knows_vectors_and_the_letters_of_every_script(data_dir: Path) -> None:
    with embedded.running(data_dir) as server:
        for extension in ("vector", "pg_trgm", "unaccent"):
            _query(server.url, f"CREATE EXTENSION {extension}")
        assert _query(server.url, "SELECT '[1,2]'::vector <=> '[1,2]'::vector") == 0
        assert _query(server.url, "SELECT lower('ÄPFEL ПРИВЕТ')") == "äpfel привет"
        assert _query(server.url, "SELECT similarity('привет', 'ПРИВЕТ')") == 1


def test_settings_of_other_postgresql_programs_in_the_environment_change_nothing(
    data_dir: Path, spawn: SpawnUser
) -> None:
    user = spawn(data_dir, environment={"PGPORT": "9", "PGDATA": "/nowhere", "PGHOST": "nowhere", "PGDATABASE": "x"})
    assert user.ask("SELECT current_database()") == [["memory_bank"]]
    user.leave()


def test_a_server_log_that_has_grown_large_is_put_aside(data_dir: Path) -> None:
    log = data_dir / "postgres/server.log"
    log.write_bytes(b"x" * (6 * 1024 * 1024))
    embedded.start(data_dir).close()
    assert log.stat().st_size < 100_000
    assert (data_dir / "postgres/server.log.1").stat().st_size == 6 * 1024 * 1024


def test_a_socket_folder_that_somebody_else_prepared_is_refused(data_dir: Path) -> None:
    (data_dir / "postgres/run").rmdir()
    (data_dir / "postgres/run").symlink_to("/tmp")
    with pytest.raises(errors.ConfigurationError, match="mode 0700"):
        embedded.start(data_dir)


def test_a_data_directory_deleted_under_a_user_does_not_trouble_its_close(data_dir: Path) -> None:
    server = embedded.start(data_dir)
    postmaster = psutil.Process(_postmaster(data_dir))
    shutil.rmtree(data_dir)
    server.close()
    assert not data_dir.exists()
    postmaster.send_signal(signal.SIGQUIT)
    _until(lambda: not _alive(postmaster.pid))


@_needs_root
def test_root_opens_parent_folders_for_passing_through_only(template: Path, folder: Path) -> None:
    closed = folder / "closed"
    shutil.copytree(template, closed / "data")
    closed.chmod(0o700)
    embedded.start(closed / "data").close()
    assert _mode(closed) == 0o701
    assert _mode(closed / "data") & 0o066 == 0
    assert _cluster(closed / "data").stat().st_uid != 0


@pytest.fixture
def home_of_nobody(template: Path, folder: Path) -> Path:
    """A folder of an ordinary account; the template has seen to it that PostgreSQL's programs can be reached."""
    assert template.exists()
    shutil.chown(folder, "nobody")
    return folder


@_needs_root
def test_an_ordinary_account_runs_the_server_as_itself_and_root_may_join(
    home_of_nobody: Path, spawn: SpawnUser
) -> None:
    data_dir = home_of_nobody / "data"
    user = spawn(data_dir, account="nobody")
    assert user.ask("SELECT 1") == [[1]]
    postmaster = _postmaster(data_dir)
    assert psutil.Process(postmaster).username() == "nobody"
    with embedded.running(data_dir):
        user.leave()
        assert _alive(postmaster)
    assert not _alive(postmaster)
    embedded.start(data_dir).close()
    again = spawn(data_dir, account="nobody")
    assert again.ask("SELECT 1") == [[1]]
    again.leave()


@_needs_root
def test_an_ordinary_account_is_told_that_a_directory_is_not_writable(home_of_nobody: Path) -> None:
    data_dir = home_of_nobody / "data"
    data_dir.mkdir()
    said = _run(_REFUSED, data_dir, account="nobody")
    assert str(data_dir) in said
    assert "Permission denied" in said


@_needs_root
def test_an_ordinary_account_is_told_that_a_directory_is_of_somebody_else(home_of_nobody: Path) -> None:
    data_dir = home_of_nobody / "data"
    (data_dir / "postgres").mkdir(parents=True)
    said = _run(_REFUSED, data_dir, account="nobody")
    assert f"{data_dir}/postgres belongs to uid 0" in said


@_needs_root
@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs a private mount")
def test_a_full_disk_is_named(folder: Path) -> None:
    disk = folder / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size=8m tmpfs "{disk}" && exec "$0" "$@" || echo impossible'
    said = _run(_REFUSED, disk / "data", prefix=("unshare", "--mount", "sh", "-c", script))
    if "impossible" in said:
        pytest.skip("this system lets no test mount a small disk")
    assert f"{disk}/data" in said
    assert "disk is full" in said
