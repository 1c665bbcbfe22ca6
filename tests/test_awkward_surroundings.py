"""Surroundings that a container or a team brings: odd passwords, folders that are not ours, slow migrations."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql

from tests.processes import Commands

ODD_PASSWORD = "p@ss%w/rd:#1?&'é \" \\"


@pytest.fixture
def commands(empty_url: str, graph_dir: Path, tmp_path: Path) -> Commands:
    return Commands.on(empty_url, graph_dir=graph_dir, folder=tmp_path)


@pytest.fixture
def owner(empty_url: str) -> Iterator[str]:
    """An ordinary role whose password needs encoding in every notation, and which owns the database's schema."""
    role = f"odd_{sa.make_url(empty_url).database}"
    with psycopg.connect(empty_url, autocommit=True) as connection:
        name = sql.Identifier(role)
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(name, sql.Literal(ODD_PASSWORD)))
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(sql.SQL("ALTER SCHEMA public OWNER TO {}").format(name))
        yield role
        connection.execute("ALTER SCHEMA public OWNER TO pg_database_owner")
        connection.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(name))
        connection.execute(sql.SQL("DROP ROLE {}").format(name))


def test_a_password_of_any_characters_migrates_serves_and_is_never_told(commands: Commands, owner: str) -> None:
    address = sa.make_url(commands.environment["POSTGRES_URL"])
    bare = address.set(username=None, password=None).render_as_string(hide_password=False)
    given = {"POSTGRES_URL": bare, "POSTGRES_USERNAME": owner, "POSTGRES_PASSWORD": f'"{ODD_PASSWORD}"\r'}
    own = Commands(folder=commands.folder, environment={**commands.environment, **given})
    added = own.run("add", "stored by an ordinary role", LOGGING_LEVEL="debug")
    assert added.code == 0, added.stderr
    shown = own.run("settings", "--json")
    told = added.stderr + added.text + shown.text + shown.stderr
    assert ODD_PASSWORD not in told
    assert "w/rd:#1" not in told
    with own.wired() as wire:
        found = wire.opened().call("search_memory_notes", context="ordinary role")["structuredContent"]
        assert [each["content"] for each in found["notes"]] == ["stored by an ordinary role"]


def test_a_data_folder_that_cannot_be_written_is_no_obstacle_where_it_holds_nothing(
    commands: Commands, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    # with a database of its own and a model that came along nothing is written there
    done = commands.run("add", "needs no folder", "--json", MEMORY_BANK_DATA_DIR=str(tmp_path / "file"))
    assert done.json()["content"] == "needs no folder"


def test_a_home_that_is_missing_is_no_obstacle(commands: Commands) -> None:
    done = commands.run("add", "without a home", "--json", HOME="/nonexistent")
    assert done.code == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_a_client_is_greeted_and_told_the_tools_while_the_schema_is_being_migrated(
    commands: Commands, empty_url: str
) -> None:
    with psycopg.connect(empty_url) as connection, commands.wired(EMBEDDING_WAIT="500ms") as wire:
        # another process migrates, for as long as this lock is held
        connection.execute("SELECT pg_advisory_xact_lock(7264019113)")
        wire.opened()
        assert wire.ask("tools/list")["tools"]
        waiting = wire.call("list_memory_notes")
        assert waiting["isError"] is True
        assert "try again in a moment" in waiting["content"][0]["text"]
        connection.rollback()
        while (answer := wire.call("list_memory_notes"))["isError"]:
            assert "try again" in answer["content"][0]["text"]
        assert answer["structuredContent"]["total"] == 0
        wire.closed()
