"""A database as the documentation tells how to make one: for an ordinary role, which may do nothing beyond it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy.engine import make_url

from tests.conftest import database_url

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "deployment.md"
NAME, PASSWORD = "membank", "choose-one"


def documented() -> tuple[list[str], list[str]]:
    """Return the statements that the document wants run in any database, and those it wants run in the new one."""
    found = re.findall(r"```sql\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    anywhere, inside = ([line for line in block.splitlines() if line.strip()] for block in found)
    return anywhere, inside


@contextmanager
def ordinary(server_url: str) -> Iterator[str]:
    """Make the role and its database as documented, for as long as the block lasts; yields the URL of that role."""
    anywhere, inside = documented()
    own = make_url(server_url).set(database=NAME, username=NAME, password=PASSWORD)
    with psycopg.connect(server_url, autocommit=True) as connection:
        _remove(connection)
        for statement in anywhere:
            connection.execute(statement.encode())
        try:
            with psycopg.connect(database_url(server_url, NAME), autocommit=True) as within:
                for statement in inside:
                    within.execute(statement.encode())
            yield own.render_as_string(hide_password=False)
        finally:
            _remove(connection)


def _remove(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(NAME)))
    for role in (f"{NAME}_confined", NAME):
        connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))
