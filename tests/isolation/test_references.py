"""No key and no reference of the database reaches across banks, whatever table comes next."""

import psycopg

from memory_bank.store import confinement

OF_THE_WHOLE_STORE = {
    "alembic_version": "which revision the schema is at",
    "backups": "archives of the whole store",
    "embedding_model": "one model makes the vectors of all banks",
    "tokens": "a token says which banks it is good for",
}
"""Tables that belong to no bank, and why; those of the job queue are its own."""

_TABLES = """
    -- which tables are ours, and do they have a column for their bank?
    SELECT c.relname, EXISTS (
        SELECT
        FROM pg_attribute a
        WHERE a.attrelid = c.oid
            AND a.attname = 'bank_id'
    )
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace
        AND c.relkind IN ('r', 'p')
        AND c.relname NOT LIKE 'procrastinate%'
"""

_REFERENCES = """
    -- which column of each reference points at which?
    SELECT
        c.conname,
        c.conrelid::regclass::text,
        c.confrelid::regclass::text,
        array_agg(mine.attname || ' ' || theirs.attname)
    FROM pg_constraint c
    CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS pair (mine, theirs)
    JOIN pg_attribute mine ON mine.attrelid = c.conrelid AND mine.attnum = pair.mine
    JOIN pg_attribute theirs ON theirs.attrelid = c.confrelid AND theirs.attnum = pair.theirs
    WHERE c.contype = 'f'
        AND c.connamespace = 'public'::regnamespace
        AND c.conrelid::regclass::text NOT LIKE 'procrastinate%'
    GROUP BY c.conname, c.conrelid, c.confrelid
"""

_UNIQUE = """
    -- which columns does each unique index hold?
    SELECT i.indexrelid::regclass::text, i.indrelid::regclass::text, array_agg(a.attname::text)
    FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
    WHERE i.indisunique
        AND i.indrelid::regclass::text = ANY(%s)
    GROUP BY i.indexrelid, i.indrelid
"""

_GUARDED = """
    -- what do the policies say of each table, and is one in force?
    SELECT c.relname, c.relrowsecurity, array_agg(pg_get_expr(p.polqual, c.oid))
    FROM pg_class c
    LEFT JOIN pg_policy p ON p.polrelid = c.oid AND p.polcmd = '*' AND p.polpermissive
    WHERE c.relname = ANY(%s)
        AND c.relnamespace = 'public'::regnamespace
    GROUP BY c.relname, c.relrowsecurity
"""


def asked(url: str, question: str, *binds: object) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(question.encode(), binds or None).fetchall()


def column_of_bank(table: str) -> str:
    return "id" if table == "banks" else "bank_id"


def test_every_table_belongs_to_banks_or_is_known_to_belong_to_none(url: str) -> None:
    banked = {name for name, has_bank in asked(url, _TABLES) if has_bank} | {"banks"}
    assert banked == set(confinement.BANKED)
    others = {name for name, _ in asked(url, _TABLES)} - banked
    assert others == set(OF_THE_WHOLE_STORE), (
        "give the new table a bank_id that its keys and references hold, or name it here with the reason"
    )


def test_every_reference_between_tables_of_memories_holds_the_bank(url: str) -> None:
    found = asked(url, _REFERENCES)
    assert found
    for name, mine, theirs, pairs in found:
        if theirs in confinement.BANKED:
            assert f"bank_id {column_of_bank(str(theirs))}" in str(pairs), (
                f"{name} lets a row of {mine} point into another bank: reference (bank_id, ...) of {theirs}"
            )


def test_every_key_of_memories_holds_the_bank(url: str) -> None:
    found = asked(url, _UNIQUE, list(confinement.BANKED))
    assert {table for _, table, _ in found} == set(confinement.BANKED)
    for index, table, columns in found:
        assert column_of_bank(str(table)) in str(columns), f"{index} would tell one bank what another holds"


def test_a_policy_is_in_force_for_every_table_of_memories(url: str) -> None:
    found = {name: (enabled, policies) for name, enabled, policies in asked(url, _GUARDED, list(confinement.BANKED))}
    assert found.keys() == set(confinement.BANKED)
    for table, state in found.items():
        expected = f"({column_of_bank(str(table))} = current_setting('{confinement.SETTING}'::text, true))"
        assert state == (True, [expected]), (
            f"in the migration that makes {table}: ENABLE ROW LEVEL SECURITY, and the policy own_bank as of the others"
        )


def test_views_of_a_bank_show_every_column_of_its_tables(url: str) -> None:
    columns = "SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY 1"
    for view in confinement.OWN_VIEWS:
        assert asked(url, columns, view) == asked(url, columns, view.removeprefix("own_")), (
            f"CREATE OR REPLACE VIEW {view} in the migration that changes the table"
        )
