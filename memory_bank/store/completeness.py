"""Completeness: what the migrations have made and a database no longer has.

The schema's revision says what was done once, not what somebody with rights of their own has undone since.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import alembic.autogenerate
import sqlalchemy as sa
from alembic.runtime.migration import MigrationContext
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.schema import AddConstraint, CreateIndex, DDLElement

from memory_bank.store import confinement, tables

_DIALECT = PGDialect_psycopg()  # type: ignore[no-untyped-call]
_COMPARED = {
    # vectors are as long as the model's, and whoever compares defaults compares spellings
    "compare_type": False,
    "compare_server_default": False,
    # tables of other programs in the same database are nobody's business
    "include_name": lambda name, kind, parents: kind != "table" or name in tables.metadata.tables,
}

_ABSENT = sa.text(
    """
    SELECT n.name
    FROM unnest(CAST(:names AS text[])) AS n (name)
    WHERE to_regclass(n.name) IS NULL
    ORDER BY n.name
    """
)

_UNGUARDED = sa.text(
    """
    -- on which tables is the rule not the one that shows a bank its own rows, and no others?
    SELECT t.name, t.bank, coalesce(array_agg(p.policyname) FILTER (WHERE p.policyname IS NOT NULL), '{}') AS found
    FROM unnest(CAST(:names AS text[]), CAST(:banks AS text[])) AS t (name, bank)
    JOIN pg_class c ON c.oid = to_regclass(t.name)
    JOIN pg_namespace s ON s.oid = c.relnamespace
    LEFT JOIN pg_policies p ON p.schemaname = s.nspname AND p.tablename = c.relname
    GROUP BY t.name, t.bank, c.relrowsecurity
    HAVING NOT c.relrowsecurity
        OR count(*) <> 1
        OR NOT coalesce(bool_and(
            p.cmd = 'ALL'
            AND p.permissive = 'PERMISSIVE'
            AND p.roles = '{public}'
            AND p.qual = format('(%I = current_setting(%L::text, true))', t.bank, CAST(:setting AS text))
            AND p.with_check IS NULL
        ), false)
    ORDER BY t.name
    """
)


@dataclass(frozen=True, kw_only=True)
class Missing:
    """What is not there: tables, views and columns by name, and indexes and references as statements that make them."""

    parts: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Unguarded:
    """A table of the banks whose policies are others than the one that keeps them apart."""

    table: str
    statements: tuple[str, ...]
    """What gives it that one, run as the owner of the tables."""


def missing(connection: sa.Connection) -> Missing:
    """Return what a database whose revision is the newest lacks of it."""
    context = MigrationContext.configure(connection, opts=_COMPARED)
    # what was changed rather than taken away comes as lists
    found = [each for each in alembic.autogenerate.compare_metadata(context, tables.metadata) if type(each) is tuple]
    gone = {each[1].name for each in found if each[0] == "add_table"}
    columns = [f"{each[2]}.{each[3].name}" for each in found if each[0] == "add_column"]
    others = connection.execute(_ABSENT, {"names": list(confinement.BESIDES_TABLES)}).scalars()
    return Missing(
        parts=(*sorted(gone), *sorted(columns), *others),
        statements=tuple(sorted(_written(_rules(found, gone)))),
    )


def unguarded(connection: sa.Connection) -> list[Unguarded]:
    """Return the tables of the banks that lack their policy, or have others."""
    names = list(confinement.BANKED)
    banks = ["id" if name == tables.banks.name else "bank_id" for name in names]
    rows = connection.execute(_UNGUARDED, {"names": names, "banks": banks, "setting": confinement.SETTING}).mappings()
    return [
        Unguarded(table=row["name"], statements=confinement.policy(row["name"], row["bank"], instead_of=row["found"]))
        for row in rows
    ]


def _rules(found: Iterable[tuple[object, ...]], gone: set[str]) -> Iterator[DDLElement]:
    for kind, thing, *_ in found:
        if isinstance(thing, sa.Index) and kind == "add_index" and thing.table is not None:
            if thing.table.name not in gone:
                yield CreateIndex(thing)
        elif isinstance(thing, sa.Constraint) and kind in ("add_fk", "add_constraint"):
            yield AddConstraint(thing)


def _written(rules: Iterable[DDLElement]) -> Iterator[str]:
    return (f"{' '.join(str(each.compile(dialect=_DIALECT)).split())};" for each in rules)
