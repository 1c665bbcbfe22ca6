"""Banks, notes, links, embeddings, and the job queue."""

from alembic import op
from procrastinate.schema import SchemaManager

revision = "2026_11_29_zettelkasten"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute(
        """
        CREATE TABLE banks (
            id text CONSTRAINT pk_banks PRIMARY KEY,
            created_at timestamptz NOT NULL
        )
        """
    )
    op.execute(
        """
        CREATE TABLE notes (
            bank_id text NOT NULL CONSTRAINT fk_notes_bank_id_banks REFERENCES banks (id),
            id uuid NOT NULL,
            kind text NOT NULL CONSTRAINT ck_notes_kind
                CHECK (kind IN ('note', 'fact', 'exchange', 'passage', 'node', 'observation', 'model')),
            content text NOT NULL,
            content_hash bytea NOT NULL,
            keywords text[] NOT NULL DEFAULT '{}',
            context text NOT NULL DEFAULT '',
            context_given boolean NOT NULL DEFAULT false,
            tags text[] NOT NULL DEFAULT '{}',
            given_tags text[] NOT NULL DEFAULT '{}',
            session text,
            position integer,
            occurred_at timestamptz NOT NULL,
            updated_at timestamptz NOT NULL,
            deleted_at timestamptz,
            last_accessed bigint NOT NULL,
            retrieval_count bigint NOT NULL DEFAULT 0,
            enrichment text NOT NULL CONSTRAINT ck_notes_enrichment
                CHECK (enrichment IN ('pending', 'done', 'failed')),
            enrichment_error text NOT NULL DEFAULT '',
            enrichment_attempts integer NOT NULL DEFAULT 0,
            analysed_by text CONSTRAINT ck_notes_analysed_by CHECK (analysed_by IN ('llm', 'heuristic')),
            embedded_by text,
            CONSTRAINT pk_notes PRIMARY KEY (bank_id, id)
        ) WITH (fillfactor = 85)
        """
    )
    op.execute(
        """
        CREATE UNIQUE INDEX uq_notes_live_content
        ON notes (bank_id, kind, session, content_hash) NULLS NOT DISTINCT
        WHERE deleted_at IS NULL
        """
    )
    op.execute(
        """
        CREATE INDEX ix_notes_live_by_time
        ON notes (bank_id, occurred_at DESC, id DESC)
        WHERE deleted_at IS NULL
        """
    )
    op.execute(
        """
        CREATE INDEX ix_notes_live_by_session
        ON notes (bank_id, session, position)
        WHERE deleted_at IS NULL AND session IS NOT NULL
        """
    )
    op.execute("CREATE INDEX ix_notes_tags ON notes USING gin (tags)")
    op.execute(
        """
        CREATE INDEX ix_notes_unenriched
        ON notes (bank_id, id)
        WHERE deleted_at IS NULL AND enrichment <> 'done'
        """
    )
    op.execute(
        """
        CREATE TABLE links (
            bank_id text NOT NULL,
            source_id uuid NOT NULL,
            target_id uuid NOT NULL,
            type text NOT NULL CONSTRAINT ck_links_type
                CHECK (type IN ('causal', 'contrast', 'example', 'derived_concept', 'shared_context', 'opposition')),
            explanation text NOT NULL,
            origin text NOT NULL CONSTRAINT ck_links_origin CHECK (origin IN ('llm', 'heuristic', 'user')),
            confidence double precision NOT NULL CONSTRAINT ck_links_confidence CHECK (confidence BETWEEN 0 AND 1),
            created_at timestamptz NOT NULL,
            CONSTRAINT pk_links PRIMARY KEY (bank_id, source_id, target_id),
            CONSTRAINT ck_links_two_ends CHECK (source_id <> target_id),
            CONSTRAINT fk_links_bank_id_source_id_notes
                FOREIGN KEY (bank_id, source_id) REFERENCES notes (bank_id, id) ON DELETE CASCADE,
            CONSTRAINT fk_links_bank_id_target_id_notes
                FOREIGN KEY (bank_id, target_id) REFERENCES notes (bank_id, id) ON DELETE CASCADE
        )
        """
    )
    op.execute("CREATE INDEX ix_links_bank_id_target_id ON links (bank_id, target_id)")
    op.execute(
        """
        CREATE TABLE embeddings (
            bank_id text NOT NULL,
            note_id uuid NOT NULL,
            window_index smallint NOT NULL,
            embedding vector(384) NOT NULL,
            CONSTRAINT pk_embeddings PRIMARY KEY (bank_id, note_id, window_index),
            CONSTRAINT fk_embeddings_bank_id_note_id_notes
                FOREIGN KEY (bank_id, note_id) REFERENCES notes (bank_id, id) ON DELETE CASCADE
        )
        """
    )
    op.execute("CREATE INDEX ix_embeddings_embedding ON embeddings USING hnsw (embedding vector_cosine_ops)")
    op.execute(
        """
        CREATE TABLE embedding_model (
            singleton boolean NOT NULL DEFAULT true
                CONSTRAINT pk_embedding_model PRIMARY KEY CONSTRAINT ck_embedding_model_one_row CHECK (singleton),
            name text NOT NULL,
            dimensions integer NOT NULL,
            complete boolean NOT NULL DEFAULT true
        )
        """
    )
    # the driver reads % as the start of a bind
    op.get_bind().exec_driver_sql(SchemaManager.get_schema().replace("%", "%%"))


def downgrade() -> None:
    raise NotImplementedError("restore a backup to go back")
