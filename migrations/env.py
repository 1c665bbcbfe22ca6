"""Run migrations on the connection the server hands over, or, from the alembic command, on `postgres.url`."""

import os
from pathlib import Path

import sqlalchemy as sa
from alembic import context
from sqlalchemy.schema import SchemaItem

from memory_bank import settings
from memory_bank.store import database, tables


def ours(thing: SchemaItem, name: str | None, kind: str, reflected: bool, counterpart: SchemaItem | None) -> bool:
    """Leave the job queue's own tables out of comparisons."""
    return not (kind == "table" and (name or "").startswith("procrastinate_"))


def run(connection: sa.Connection) -> None:
    """Migrate on `connection`, inside its transaction."""
    context.configure(
        connection=connection,
        target_metadata=tables.metadata,
        include_object=ours,
        compare_type=True,
        version_table_schema=context.config.attributes.get("schema"),
    )
    with context.begin_transaction():
        context.run_migrations()


def connect_and_run() -> None:
    """Migrate the database that the settings name."""
    loaded = settings.load(environ=os.environ, cwd=Path.cwd())
    engine = sa.create_engine(database.driver_url(loaded.postgres.conninfo()), poolclass=sa.NullPool)
    with engine.begin() as connection:
        run(connection)


given = context.config.attributes.get("connection")
if given is None:
    connect_and_run()
else:
    run(given)
