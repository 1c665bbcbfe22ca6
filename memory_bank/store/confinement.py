"""The second wall around each bank: row-level security, for a role that every transaction of a bank takes on.

Whoever owns the tables sees all of them, as migrations, backups and work on the whole store must. A transaction of one
bank is therefore run as another role, `OWNER_confined`, to which PostgreSQL shows the rows of the bank that the
transaction names and no others, whatever a statement forgets to ask for. A superuser is confined like anybody else.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.exc import DBAPIError

from memory_bank.store import tables

logger = logging.getLogger(__name__)

SETTING = "memory_bank.bank"
"""The setting of a transaction that names its bank; the policies read it."""

BANKED = tuple(
    table.name for table in tables.metadata.sorted_tables if "bank_id" in table.c or table.name == tables.banks.name
)
"""The tables whose rows belong to a bank each."""

OWN_VIEWS = ("own_notes", "own_embeddings")
"""Views of a bank's rows through which any operator may use an index; the policies let only those that tell nothing."""

_EVERYTHING = "SELECT, INSERT, UPDATE, DELETE"
_QUEUE = ("jobs", "events", "periodic_defers", "workers")
_GRANTS = {
    **dict.fromkeys(BANKED, _EVERYTHING),
    **dict.fromkeys(OWN_VIEWS, "SELECT"),
    # held by whoever writes vectors: that takes the right to change it
    "embedding_model": "SELECT, UPDATE",
    # a job is deferred by the transaction that makes it necessary
    **{f"procrastinate_{name}": _EVERYTHING for name in _QUEUE},
}
BESIDES_TABLES = tuple(name for name in _GRANTS if name not in tables.metadata.tables)
"""What a bank's transactions read and write that `tables` does not know: views, and the tables of the job queue."""

_SEQUENCES = tuple(f"procrastinate_{name}_id_seq" for name in _QUEUE)

STANDING = sa.text(
    """
    -- may this session take on the role to which the tables show one bank alone, and may that role do its work?
    SELECT
        current_user AS login,
        o.rolname AS owner,
        left(o.rolname, 54) || '_confined' AS role,
        r.oid IS NOT NULL AS made,
        coalesce(
            CASE
                WHEN current_setting('server_version_num')::integer >= 160000 THEN pg_has_role(r.oid, 'SET')
                ELSE pg_has_role(r.oid, 'MEMBER')
            END,
            false
        ) AS taken,
        r.oid IS NOT NULL AND (
            SELECT bool_and(coalesce(t.relrowsecurity AND has_table_privilege(r.oid, t.oid, 'SELECT'), false))
            FROM unnest(CAST(:tables AS text[])) AS banked (name)
            LEFT JOIN pg_class t ON t.oid = to_regclass(banked.name)
        ) AS granted,
        -- asked for the whole store, such a login would take it for empty
        row_security_active(c.oid) AS blind
    FROM pg_class c
    JOIN pg_roles o ON o.oid = c.relowner
    LEFT JOIN pg_roles r ON r.rolname = left(o.rolname, 54) || '_confined'
    WHERE c.oid = to_regclass('notes')
    """
)

_MAY_MAKE_ROLES = sa.text(
    """
    SELECT r.rolsuper AS anything, r.rolsuper OR r.rolcreaterole AS roles
    FROM pg_roles r
    WHERE r.rolname = current_user
    """
)


@dataclass(frozen=True, kw_only=True)
class Wall:
    """Whether transactions of a bank run as `role`; else what an administrator has to run so that they do."""

    login: str
    owner: str
    role: str
    made: bool
    taken: bool
    granted: bool
    blind: bool

    @property
    def stands(self) -> bool:
        """Tell whether PostgreSQL itself keeps the banks apart."""
        return self.taken and self.granted and not self.blind

    @property
    def remedy(self) -> str:
        """Return what makes the wall stand, in words and SQL; empty where it does."""
        if self.stands:
            return ""
        if self.blind:
            granted = _sql("GRANT {} TO {}", self.owner, self.login)
            return f"log in as {self.owner}, which owns the tables, or as a superuser run: {granted}"
        steps = [] if self.made else [_sql("CREATE ROLE {} NOLOGIN", self.role)]
        if not self.taken:
            steps.append(_sql("GRANT {} TO {}", self.role, self.login))
        if not steps:
            return "start once with postgres.ddl-auto=update, as the owner of the tables, to give the role its rights"
        return f"as a superuser run: {' '.join(steps)} Then start again."


def build(connection: sa.Connection) -> None:
    """Make the role and give it its rights as far as this login may; what it may not is told in the log.

    Does nothing where all is in order, and before the tables are there.
    """
    wall = standing(connection)
    if wall is None or wall.stands or wall.blind:
        return
    if not wall.taken:
        _make_role(connection, wall)
        wall = standing(connection) or wall
    if wall.made and not wall.granted:
        _grant(connection, wall)
        wall = standing(connection) or wall
    if not wall.stands:
        logger.warning("PostgreSQL does not keep the banks apart itself; the program alone does: %s", wall.remedy)


def standing(connection: sa.Connection) -> Wall | None:
    """Return how the wall stands for this login; None before the tables are there."""
    row = connection.execute(STANDING, {"tables": list(BANKED)}).mappings().one_or_none()
    return None if row is None else Wall(**row)


def policy(table: str, bank: str, *, instead_of: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the statements that let a bank see its own rows of a table alone; `bank` is the column that names it."""
    shown = sql.SQL("CREATE POLICY own_bank ON {} USING ({} = current_setting({}, true));")
    return (
        _sql("ALTER TABLE {} ENABLE ROW LEVEL SECURITY", table),
        *(_sql("DROP POLICY {} ON {}", each, table) for each in instead_of),
        shown.format(sql.Identifier(table), sql.Identifier(bank), SETTING).as_string(None),
    )


def _make_role(connection: sa.Connection, wall: Wall) -> None:
    may = connection.execute(_MAY_MAKE_ROLES).mappings().one()
    if not wall.made and may["roles"]:
        _attempt(connection, _sql("CREATE ROLE {} NOLOGIN", wall.role))
    if not may["anything"] and may["roles"]:
        _attempt(connection, _sql("GRANT {} TO {}", wall.role, wall.login))


def _grant(connection: sa.Connection, wall: Wall) -> None:
    found = connection.execute(sa.text("SELECT current_schema()")).scalar_one()
    statements = [_sql("GRANT USAGE ON SCHEMA {} TO {}", found, wall.role)]
    for kind, wanted in (("TABLE", _GRANTS), ("SEQUENCE", dict.fromkeys(_SEQUENCES, "USAGE"))):
        for name, rights in wanted.items():
            # an older revision, which a restore passes through, lacks some
            if connection.execute(sa.text("SELECT to_regclass(:name)"), {"name": name}).scalar_one() is not None:
                statements.append(_sql(f"GRANT {rights} ON {kind} {{}} TO {{}}", name, wall.role))
    _attempt(connection, *statements)


def _attempt(connection: sa.Connection, *statements: str) -> None:
    """Run statements, or none of them where this login may not."""
    try:
        with connection.begin_nested():
            for statement in statements:
                connection.exec_driver_sql(statement)
    except DBAPIError as error:
        # made by another database's start at the same moment, or not allowed: `standing` tells which
        expected = (
            psycopg.errors.InsufficientPrivilege,
            psycopg.errors.DuplicateObject,
            psycopg.errors.UniqueViolation,
        )
        if not isinstance(error.orig, expected):
            raise


def _sql(template: str, *names: str) -> str:
    return sql.SQL(template + ";").format(*map(sql.Identifier, names)).as_string(None)
