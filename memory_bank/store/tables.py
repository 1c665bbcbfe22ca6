"""The tables as SQLAlchemy knows them: what `alembic check` compares with the migrated database.

Every table of memories carries its bank, and every key and reference is composite, so that nothing can point across
banks.
"""

import sqlalchemy as sa
from pgvector.sqlalchemy import Vector
from sqlalchemy.dialects import postgresql as pg

DEFAULT_DIMENSIONS = 384

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

banks = sa.Table(
    "banks",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
)

notes = sa.Table(
    "notes",
    metadata,
    sa.Column("bank_id", sa.Text, sa.ForeignKey("banks.id"), primary_key=True),
    sa.Column("id", pg.UUID, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    # a btree on the text itself would refuse rows past 2,704 bytes
    sa.Column("content_hash", pg.BYTEA, nullable=False),
    sa.Column("keywords", pg.ARRAY(sa.Text), nullable=False, server_default="{}"),
    sa.Column("context", sa.Text, nullable=False, server_default=""),
    sa.Column("context_given", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("tags", pg.ARRAY(sa.Text), nullable=False, server_default="{}"),
    # the caller's share of `tags`: a new analysis replaces only the rest
    sa.Column("given_tags", pg.ARRAY(sa.Text), nullable=False, server_default="{}"),
    sa.Column("session", sa.Text),
    sa.Column("position", sa.Integer),
    sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("deleted_at", sa.DateTime(timezone=True)),
    # what there is of a note in the indexes: terms and vectors, vectors alone, or nothing
    sa.Column("reach", sa.Text, nullable=False, server_default="full"),
    # changed by every recall, so never indexed: such updates stay in their page and touch no index
    sa.Column("last_accessed", sa.BigInteger, nullable=False),
    sa.Column("retrieval_count", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("enrichment", sa.Text, nullable=False),
    sa.Column("enrichment_error", sa.Text, nullable=False, server_default=""),
    sa.Column("enrichment_attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("analysed_by", sa.Text),
    sa.Column("embedded_by", sa.Text),
    sa.Column("tokenised_by", sa.Text),
    sa.CheckConstraint("kind IN ('note', 'fact', 'exchange', 'passage', 'node', 'observation', 'model')", name="kind"),
    sa.CheckConstraint("enrichment IN ('pending', 'done', 'failed')", name="enrichment"),
    sa.CheckConstraint("analysed_by IN ('llm', 'heuristic')", name="analysed_by"),
    sa.CheckConstraint("reach IN ('full', 'meaning', 'none')", name="reach"),
    postgresql_with={"fillfactor": "85"},
)
sa.Index(
    "uq_notes_live_content",
    notes.c.bank_id,
    notes.c.kind,
    notes.c.session,
    notes.c.content_hash,
    unique=True,
    postgresql_nulls_not_distinct=True,
    postgresql_where=sa.text("deleted_at IS NULL AND reach <> 'none'"),
)
sa.Index(
    "ix_notes_live_by_time",
    notes.c.bank_id,
    notes.c.occurred_at.desc(),
    notes.c.id.desc(),
    postgresql_where=notes.c.deleted_at.is_(None),
)
sa.Index(
    "ix_notes_live_by_session",
    notes.c.bank_id,
    notes.c.session,
    notes.c.position,
    postgresql_where=sa.text("deleted_at IS NULL AND session IS NOT NULL"),
)
sa.Index("ix_notes_tags", notes.c.tags, postgresql_using="gin")
sa.Index(
    "ix_notes_unenriched",
    notes.c.bank_id,
    notes.c.id,
    postgresql_where=sa.text("deleted_at IS NULL AND enrichment <> 'done'"),
)

links = sa.Table(
    "links",
    metadata,
    sa.Column("bank_id", sa.Text, primary_key=True),
    sa.Column("source_id", pg.UUID, primary_key=True),
    sa.Column("target_id", pg.UUID, primary_key=True),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("explanation", sa.Text, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("confidence", sa.Double, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(["bank_id", "source_id"], ["notes.bank_id", "notes.id"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(["bank_id", "target_id"], ["notes.bank_id", "notes.id"], ondelete="CASCADE"),
    sa.CheckConstraint("source_id <> target_id", name="two_ends"),
    sa.CheckConstraint(
        "type IN ('causal', 'contrast', 'example', 'derived_concept', 'shared_context', 'opposition')", name="type"
    ),
    sa.CheckConstraint("origin IN ('llm', 'heuristic', 'user')", name="origin"),
    sa.CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence"),
    sa.Index(None, "bank_id", "target_id"),
)

# Vectors lie beside the notes, a row for each window of a long text: a recall then updates `notes`
# without touching the vector index.
embeddings = sa.Table(
    "embeddings",
    metadata,
    sa.Column("bank_id", sa.Text, primary_key=True),
    sa.Column("note_id", pg.UUID, primary_key=True),
    sa.Column("window_index", sa.SmallInteger, primary_key=True),
    sa.Column("embedding", Vector(DEFAULT_DIMENSIONS), nullable=False),
    sa.ForeignKeyConstraint(["bank_id", "note_id"], ["notes.bank_id", "notes.id"], ondelete="CASCADE"),
)
sa.Index(
    "ix_embeddings_embedding",
    embeddings.c.embedding,
    postgresql_using="hnsw",
    postgresql_ops={"embedding": "vector_cosine_ops"},
)

embedding_model = sa.Table(
    "embedding_model",
    metadata,
    sa.Column("singleton", sa.Boolean, primary_key=True, server_default=sa.true()),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("dimensions", sa.Integer, nullable=False),
    # false from the start of a re-embedding to its end
    sa.Column("complete", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.CheckConstraint("singleton", name="one_row"),
)

# A row for each term of each live note. How many notes hold a term is counted in the primary key's index, which alone
# answers a search: no counter could be right without one writer waiting for the other.
postings = sa.Table(
    "postings",
    metadata,
    sa.Column("bank_id", sa.Text, nullable=False),
    # compared byte by byte: by the rules of a language it takes a multiple of the time
    sa.Column("term", sa.Text(collation="C"), nullable=False),
    sa.Column("note_id", pg.UUID, nullable=False),
    sa.Column("frequency", sa.Integer, nullable=False),
    # of the note, in terms
    sa.Column("length", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("bank_id", "term", "note_id", postgresql_include=["frequency", "length"]),
    sa.ForeignKeyConstraint(["bank_id", "note_id"], ["notes.bank_id", "notes.id"], ondelete="CASCADE"),
    sa.Index(None, "bank_id", "note_id"),
    # index-only scans need pages that a vacuum has marked, bulk adds make many new ones
    postgresql_with={"autovacuum_vacuum_insert_scale_factor": "0.05", "autovacuum_vacuum_scale_factor": "0.05"},
)

# The sums over a bank's rows are its totals. A writer takes any row that no other writer holds, or adds one: there are
# about as many rows as there were writers at once, and none of them waits.
lexical_totals = sa.Table(
    "lexical_totals",
    metadata,
    sa.Column("bank_id", sa.Text, sa.ForeignKey("banks.id"), primary_key=True),
    sa.Column("slot", sa.BigInteger, sa.Identity(always=True), primary_key=True),
    sa.Column("notes", sa.BigInteger, nullable=False),
    sa.Column("length", sa.BigInteger, nullable=False),
    postgresql_with={"fillfactor": "50"},
)

entities = sa.Table(
    "entities",
    metadata,
    sa.Column("bank_id", sa.Text, sa.ForeignKey("banks.id"), primary_key=True),
    sa.Column("id", pg.UUID, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("types", pg.ARRAY(sa.Text), nullable=False),
    sa.Column("tags", pg.JSONB, nullable=False, server_default="{}"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("last_seen", sa.DateTime(timezone=True), nullable=False),
    sa.Column("access_count", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("deleted_at", sa.DateTime(timezone=True)),
)

# The names and aliases of living entities: whoever claims a key first has it, and two callers make one entity.
entity_names = sa.Table(
    "entity_names",
    metadata,
    sa.Column("bank_id", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("entity_id", pg.UUID, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["bank_id", "entity_id"], ["entities.bank_id", "entities.id"], ondelete="CASCADE"),
    sa.Index(None, "bank_id", "entity_id"),
)

facts = sa.Table(
    "facts",
    metadata,
    sa.Column("bank_id", sa.Text, primary_key=True),
    sa.Column("note_id", pg.UUID, primary_key=True),
    sa.Column("entity_id", pg.UUID, nullable=False),
    # as it was stated; the note's content names the entity too
    sa.Column("content", sa.Text, nullable=False),
    # statements that named no source; those that did are counted in `fact_sources`
    sa.Column("confirmations", sa.Integer, nullable=False),
    sa.Column("first_seen", sa.DateTime(timezone=True), nullable=False),
    sa.Column("last_confirmed", sa.DateTime(timezone=True), nullable=False),
    sa.Column("status", sa.Text, nullable=False, server_default="active"),
    sa.Column("superseded_by", pg.UUID),
    # what an imported file calls the successor, where it is no fact of the file
    sa.Column("superseded_by_content", sa.Text),
    sa.Column("superseded_at", sa.DateTime(timezone=True)),
    sa.Column("reason", sa.Text, nullable=False, server_default=""),
    sa.Column("cause", sa.Text),
    sa.ForeignKeyConstraint(["bank_id", "note_id"], ["notes.bank_id", "notes.id"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(["bank_id", "entity_id"], ["entities.bank_id", "entities.id"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(
        ["bank_id", "superseded_by"], ["facts.bank_id", "facts.note_id"], deferrable=True, initially="DEFERRED"
    ),
    sa.CheckConstraint("status IN ('active', 'superseded', 'archived')", name="status"),
    sa.CheckConstraint("cause IN ('contradiction', 'caller', 'undo', 'stale', 'import')", name="cause"),
    sa.Index(None, "bank_id", "entity_id"),
    sa.Index(None, "bank_id", "superseded_by"),
)

fact_sources = sa.Table(
    "fact_sources",
    metadata,
    sa.Column("bank_id", sa.Text, primary_key=True),
    sa.Column("note_id", pg.UUID, primary_key=True),
    sa.Column("source", sa.Text, primary_key=True),
    sa.Column("first_seen", sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(["bank_id", "note_id"], ["facts.bank_id", "facts.note_id"], ondelete="CASCADE"),
)

relations = sa.Table(
    "relations",
    metadata,
    sa.Column("bank_id", sa.Text, primary_key=True),
    sa.Column("from_id", pg.UUID, primary_key=True),
    sa.Column("type", sa.Text, primary_key=True),
    sa.Column("to_id", pg.UUID, primary_key=True),
    sa.Column("evidence", sa.BigInteger, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("last_validated", sa.DateTime(timezone=True), nullable=False),
    sa.Column("deleted_at", sa.DateTime(timezone=True)),
    sa.ForeignKeyConstraint(["bank_id", "from_id"], ["entities.bank_id", "entities.id"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(["bank_id", "to_id"], ["entities.bank_id", "entities.id"], ondelete="CASCADE"),
    sa.CheckConstraint("evidence > 0", name="evidence"),
    sa.Index(None, "bank_id", "to_id"),
)

exchanges = sa.Table(
    "exchanges",
    metadata,
    sa.Column("bank_id", sa.Text, primary_key=True),
    sa.Column("note_id", pg.UUID, primary_key=True),
    # its id in the file that it was imported from
    sa.Column("external_id", sa.Text),
    sa.Column("user_said", sa.Text, nullable=False),
    sa.Column("assistant_said", sa.Text, nullable=False),
    sa.Column("importance", sa.Double, nullable=False),
    sa.Column("importance_given", sa.Boolean, nullable=False),
    sa.Column("repeats", sa.Integer, nullable=False, server_default="0"),
    # the near-duplicates that were merged into it
    sa.Column("merged", pg.JSONB, nullable=False, server_default="[]"),
    sa.Column("archived_at", sa.DateTime(timezone=True)),
    sa.ForeignKeyConstraint(["bank_id", "note_id"], ["notes.bank_id", "notes.id"], ondelete="CASCADE"),
    sa.UniqueConstraint("bank_id", "external_id"),
    sa.CheckConstraint("importance BETWEEN 0 AND 1", name="importance"),
)

tasks = sa.Table(
    "tasks",
    metadata,
    sa.Column("bank_id", sa.Text, sa.ForeignKey("banks.id"), primary_key=True),
    sa.Column("id", pg.UUID, primary_key=True),
    sa.Column("external_id", sa.Text),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("goal", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("priority", sa.Double),
    sa.Column("importance", sa.Double),
    sa.Column("budget_remaining", sa.Double),
    sa.Column("success_condition", sa.Text, nullable=False, server_default=""),
    sa.Column("stop_reason", sa.Text, nullable=False, server_default=""),
    sa.Column("session", sa.Text),
    sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("last_step_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("ended_at", sa.DateTime(timezone=True)),
    # the open ones are few: they are compared one by one, without an index
    sa.Column("embedding", pg.ARRAY(sa.REAL)),
    sa.Column("embedded_by", sa.Text),
    sa.UniqueConstraint("bank_id", "external_id"),
    sa.CheckConstraint("status IN ('running', 'paused', 'completed', 'aborted')", name="status"),
)
sa.Index(
    "ix_tasks_open",
    tasks.c.bank_id,
    tasks.c.last_step_at,
    postgresql_where=sa.text("status IN ('running', 'paused')"),
)

working_memory = sa.Table(
    "working_memory",
    metadata,
    sa.Column("bank_id", sa.Text, sa.ForeignKey("banks.id"), primary_key=True),
    sa.Column("session", sa.Text, primary_key=True),
    sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("type IN ('action', 'observation', 'decision', 'error', 'fact')", name="type"),
)

# of the whole store, not of a bank: a token says which banks it is good for
tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("id", pg.UUID, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    # the part of it that is no secret
    sa.Column("prefix", sa.Text, nullable=False),
    sa.Column("hash", pg.BYTEA, nullable=False),
    # null: every bank
    sa.Column("banks", pg.ARRAY(sa.Text)),
    sa.Column("level", sa.Text, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("expires_at", sa.DateTime(timezone=True)),
    sa.Column("last_used_at", sa.DateTime(timezone=True)),
    # never deleted: a store that once had a token never opens to callers without one
    sa.Column("revoked_at", sa.DateTime(timezone=True)),
    sa.UniqueConstraint("prefix"),
    sa.CheckConstraint("level IN ('read', 'write', 'admin')", name="level"),
)

# of the whole store, and of what lies outside it: a backup does not hold this table
backups = sa.Table(
    "backups",
    metadata,
    sa.Column("id", pg.UUID, primary_key=True),
    # in the order in which they were made, whatever the clock said
    sa.Column("number", sa.BigInteger, sa.Identity(always=True), nullable=False),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("automatic", sa.Boolean, nullable=False),
    # in bytes
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("banks", sa.BigInteger, nullable=False),
    sa.Column("notes", sa.BigInteger, nullable=False),
    sa.Column("schema_revision", sa.Text, nullable=False),
)
