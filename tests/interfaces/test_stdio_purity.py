"""Standard output of `stdio` belongs to the protocol: whatever libraries print, and however much is logged."""

from pathlib import Path

import pytest

from tests.processes import CHECKOUT, Commands, as_message

# A library that greets on its import, in every way there is.
GREETING = """
import importlib.abc, os, subprocess, sys, warnings


class Greeter(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in ("alembic", "psycopg", "onnxruntime", "memory_bank.bootstrap", "memory_bank.interfaces.mcp.stdio"):
            print("welcome to", name)
            sys.stdout.write("half a line without its end")
            sys.stdout.flush()
            os.write(1, b"straight to the descriptor\\n")
            subprocess.run(["echo", "from a child"], check=True)
            warnings.warn("something is old", stacklevel=1)
        return None


sys.meta_path.insert(0, Greeter())
"""


@pytest.fixture
def commands(empty_url: str, graph_dir: Path, tmp_path: Path) -> Commands:
    """Commands whose database still has to be migrated, with everything logged."""
    return Commands.on(empty_url, graph_dir=graph_dir, folder=tmp_path, LOGGING_LEVEL="trace", PYTHONWARNINGS="always")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_what_libraries_print_goes_elsewhere(commands: Commands, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "loud").mkdir()
    (tmp_path / "loud" / "sitecustomize.py").write_text(GREETING)
    loud = {"PYTHONPATH": f"{tmp_path / 'loud'}:{CHECKOUT}", "PYTHONIOENCODING": encoding}
    with commands.wired(**loud) as wire:
        wire.opened()
        text = "one\nnote\r\nof\u2028several\u2029lines\x85 夜 🍵"
        note = wire.call("add_memory_note", content=text)["structuredContent"]
        assert note["content"] == text
        assert wire.call("add_memory_note", content="")["isError"] is True
        assert wire.call("search_memory_notes", context="lines")["structuredContent"]["notes"]
        wire.closed()
        assert "welcome to alembic" in wire.process.stderr
        assert "straight to the descriptor" in wire.process.stderr
        assert "from a child" in wire.process.stderr


def test_a_command_that_fails_before_it_serves_says_so_on_stderr_alone(commands: Commands) -> None:
    done = commands.run("stdio", SERVER_PORT="many")
    assert done.code == 2
    assert [as_message(line) for line in done.stdout.splitlines()] == []
    assert "server.port" in done.stderr
