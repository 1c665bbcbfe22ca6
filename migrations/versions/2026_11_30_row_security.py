"""Row-level security: PostgreSQL shows a role that owns nothing the rows of the bank that its transaction names."""

from alembic import op

revision = "2026_11_30_row_security"
down_revision = "2026_11_30_backups"
branch_labels = None
depends_on = None

_BANKED = (
    *("notes", "links", "embeddings", "postings", "lexical_totals"),
    *("entities", "entity_names", "facts", "fact_sources", "relations"),
    *("exchanges", "tasks", "working_memory"),
)


def upgrade() -> None:
    for table, column in (("banks", "id"), *((name, "bank_id") for name in _BANKED)):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        # a bare equality: the planner sees that it is the statement's own condition, and no row pays for it
        op.execute(f"CREATE POLICY own_bank ON {table} USING ({column} = current_setting('memory_bank.bank', true))")
    # A policy keeps operators that might tell of other rows, such as those of arrays, away from their indexes. These
    # views are read with the rights of their owner, to whom no policy applies, and show the same rows.
    # (a restore may have made the second one before)
    for table, columns in (("notes", "*"), ("embeddings", "bank_id, note_id, window_index, embedding::vector")):
        op.execute(
            f"""
            CREATE OR REPLACE VIEW own_{table} AS
            SELECT {columns}
            FROM {table}
            WHERE bank_id = current_setting('memory_bank.bank', true)
            """
        )


def downgrade() -> None:
    raise NotImplementedError("restore a backup to go back")
