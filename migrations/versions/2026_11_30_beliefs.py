"""Beliefs, exchanges, tasks and working memory, and how a note can be found."""

from alembic import op

revision = "2026_11_30_beliefs"
down_revision = "2026_11_29_lexical"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE notes ADD COLUMN reach text NOT NULL DEFAULT 'full'")
    op.execute("ALTER TABLE notes ADD CONSTRAINT ck_notes_reach CHECK (reach IN ('full', 'meaning', 'none'))")
    op.execute("DROP INDEX uq_notes_live_content")
    op.execute(
        """
        CREATE UNIQUE INDEX uq_notes_live_content ON notes (bank_id, kind, session, content_hash)
        NULLS NOT DISTINCT
        WHERE deleted_at IS NULL AND reach <> 'none'
        """
    )
    op.execute(
        """
        CREATE TABLE entities (
            bank_id text NOT NULL CONSTRAINT fk_entities_bank_id_banks REFERENCES banks (id),
            id uuid NOT NULL,
            name text NOT NULL,
            types text[] NOT NULL,
            tags jsonb NOT NULL DEFAULT '{}',
            created_at timestamptz NOT NULL,
            last_seen timestamptz NOT NULL,
            access_count bigint NOT NULL DEFAULT 0,
            deleted_at timestamptz,
            CONSTRAINT pk_entities PRIMARY KEY (bank_id, id)
        )
        """
    )
    op.execute(
        """
        CREATE TABLE entity_names (
            bank_id text NOT NULL,
            key text NOT NULL,
            entity_id uuid NOT NULL,
            name text NOT NULL,
            CONSTRAINT pk_entity_names PRIMARY KEY (bank_id, key),
            CONSTRAINT fk_entity_names_bank_id_entity_id_entities
                FOREIGN KEY (bank_id, entity_id) REFERENCES entities (bank_id, id) ON DELETE CASCADE
        )
        """
    )
    op.execute("CREATE INDEX ix_entity_names_bank_id_entity_id ON entity_names (bank_id, entity_id)")
    op.execute(
        """
        CREATE TABLE facts (
            bank_id text NOT NULL,
            note_id uuid NOT NULL,
            entity_id uuid NOT NULL,
            content text NOT NULL,
            confirmations integer NOT NULL,
            first_seen timestamptz NOT NULL,
            last_confirmed timestamptz NOT NULL,
            status text NOT NULL DEFAULT 'active',
            superseded_by uuid,
            superseded_by_content text,
            superseded_at timestamptz,
            reason text NOT NULL DEFAULT '',
            cause text,
            CONSTRAINT pk_facts PRIMARY KEY (bank_id, note_id),
            CONSTRAINT fk_facts_bank_id_note_id_notes
                FOREIGN KEY (bank_id, note_id) REFERENCES notes (bank_id, id) ON DELETE CASCADE,
            CONSTRAINT fk_facts_bank_id_entity_id_entities
                FOREIGN KEY (bank_id, entity_id) REFERENCES entities (bank_id, id) ON DELETE CASCADE,
            CONSTRAINT fk_facts_bank_id_superseded_by_facts
                FOREIGN KEY (bank_id, superseded_by) REFERENCES facts (bank_id, note_id) DEFERRABLE INITIALLY DEFERRED,
            CONSTRAINT ck_facts_status CHECK (status IN ('active', 'superseded', 'archived')),
            CONSTRAINT ck_facts_cause
                CHECK (cause IN ('contradiction', 'caller', 'undo', 'stale', 'import'))
        )
        """
    )
    op.execute("CREATE INDEX ix_facts_bank_id_entity_id ON facts (bank_id, entity_id)")
    op.execute("CREATE INDEX ix_facts_bank_id_superseded_by ON facts (bank_id, superseded_by)")
    op.execute(
        """
        CREATE TABLE fact_sources (
            bank_id text NOT NULL,
            note_id uuid NOT NULL,
            source text NOT NULL,
            first_seen timestamptz NOT NULL,
            CONSTRAINT pk_fact_sources PRIMARY KEY (bank_id, note_id, source),
            CONSTRAINT fk_fact_sources_bank_id_note_id_facts
                FOREIGN KEY (bank_id, note_id) REFERENCES facts (bank_id, note_id) ON DELETE CASCADE
        )
        """
    )
    op.execute(
        """
        CREATE TABLE relations (
            bank_id text NOT NULL,
            from_id uuid NOT NULL,
            type text NOT NULL,
            to_id uuid NOT NULL,
            evidence bigint NOT NULL,
            created_at timestamptz NOT NULL,
            last_validated timestamptz NOT NULL,
            deleted_at timestamptz,
            CONSTRAINT pk_relations PRIMARY KEY (bank_id, from_id, type, to_id),
            CONSTRAINT fk_relations_bank_id_from_id_entities
                FOREIGN KEY (bank_id, from_id) REFERENCES entities (bank_id, id) ON DELETE CASCADE,
            CONSTRAINT fk_relations_bank_id_to_id_entities
                FOREIGN KEY (bank_id, to_id) REFERENCES entities (bank_id, id) ON DELETE CASCADE,
            CONSTRAINT ck_relations_evidence CHECK (evidence > 0)
        )
        """
    )
    op.execute("CREATE INDEX ix_relations_bank_id_to_id ON relations (bank_id, to_id)")
    op.execute(
        """
        CREATE TABLE exchanges (
            bank_id text NOT NULL,
            note_id uuid NOT NULL,
            external_id text,
            user_said text NOT NULL,
            assistant_said text NOT NULL,
            importance double precision NOT NULL,
            importance_given boolean NOT NULL,
            repeats integer NOT NULL DEFAULT 0,
            merged jsonb NOT NULL DEFAULT '[]',
            archived_at timestamptz,
            CONSTRAINT pk_exchanges PRIMARY KEY (bank_id, note_id),
            CONSTRAINT fk_exchanges_bank_id_note_id_notes
                FOREIGN KEY (bank_id, note_id) REFERENCES notes (bank_id, id) ON DELETE CASCADE,
            CONSTRAINT uq_exchanges_bank_id_external_id UNIQUE (bank_id, external_id),
            CONSTRAINT ck_exchanges_importance CHECK (importance BETWEEN 0 AND 1)
        )
        """
    )
    op.execute(
        """
        CREATE TABLE tasks (
            bank_id text NOT NULL CONSTRAINT fk_tasks_bank_id_banks REFERENCES banks (id),
            id uuid NOT NULL,
            external_id text,
            title text NOT NULL,
            goal text NOT NULL,
            status text NOT NULL,
            priority double precision,
            importance double precision,
            budget_remaining double precision,
            success_condition text NOT NULL DEFAULT '',
            stop_reason text NOT NULL DEFAULT '',
            session text,
            started_at timestamptz NOT NULL,
            last_step_at timestamptz NOT NULL,
            ended_at timestamptz,
            embedding real[],
            embedded_by text,
            CONSTRAINT pk_tasks PRIMARY KEY (bank_id, id),
            CONSTRAINT uq_tasks_bank_id_external_id UNIQUE (bank_id, external_id),
            CONSTRAINT ck_tasks_status CHECK (status IN ('running', 'paused', 'completed', 'aborted'))
        )
        """
    )
    op.execute("CREATE INDEX ix_tasks_open ON tasks (bank_id, last_step_at) WHERE status IN ('running', 'paused')")
    op.execute(
        """
        CREATE TABLE working_memory (
            bank_id text NOT NULL CONSTRAINT fk_working_memory_bank_id_banks REFERENCES banks (id),
            session text NOT NULL,
            id bigint GENERATED ALWAYS AS IDENTITY,
            type text NOT NULL,
            content text NOT NULL,
            created_at timestamptz NOT NULL,
            CONSTRAINT pk_working_memory PRIMARY KEY (bank_id, session, id),
            CONSTRAINT ck_working_memory_type CHECK (type IN ('action', 'observation', 'decision', 'error', 'fact'))
        )
        """
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup to go back")
