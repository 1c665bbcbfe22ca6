"""The lexical index: postings, their totals, and which rule made the terms of a note."""

from alembic import op

revision = "2026_11_29_lexical"
down_revision = "2026_11_29_zettelkasten"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE notes ADD COLUMN tokenised_by text")
    op.execute(
        """
        CREATE TABLE postings (
            bank_id text NOT NULL,
            term text COLLATE "C" NOT NULL,
            note_id uuid NOT NULL,
            frequency integer NOT NULL,
            length integer NOT NULL,
            CONSTRAINT pk_postings PRIMARY KEY (bank_id, term, note_id) INCLUDE (frequency, length),
            CONSTRAINT fk_postings_bank_id_note_id_notes
                FOREIGN KEY (bank_id, note_id) REFERENCES notes (bank_id, id) ON DELETE CASCADE
        ) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05)
        """
    )
    op.execute("CREATE INDEX ix_postings_bank_id_note_id ON postings (bank_id, note_id)")
    op.execute(
        """
        CREATE TABLE lexical_totals (
            bank_id text NOT NULL CONSTRAINT fk_lexical_totals_bank_id_banks REFERENCES banks (id),
            slot bigint GENERATED ALWAYS AS IDENTITY,
            notes bigint NOT NULL,
            length bigint NOT NULL,
            CONSTRAINT pk_lexical_totals PRIMARY KEY (bank_id, slot)
        ) WITH (fillfactor = 50)
        """
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup to go back")
