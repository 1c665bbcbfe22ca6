"""What the database says of itself, for whoever asks whether all is well; everything here only reads."""

from dataclasses import dataclass, field, replace

import sqlalchemy as sa

from memory_bank.store import completeness, confinement, schema
from memory_bank.store.completeness import Missing, Unguarded
from memory_bank.store.confinement import Wall
from memory_bank.store.database import StoreTx

_SERVER = sa.text(
    """
    -- which server is it, and who are we there?
    SELECT
        current_setting('server_version') AS version,
        CAST(current_setting('server_version_num') AS integer) AS number,
        current_user AS login
    """
)

_VECTOR = sa.text(
    """
    -- which pgvector is there in this database, and which could be?
    SELECT
        (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'vector') AS installed,
        (SELECT a.default_version FROM pg_available_extensions a WHERE a.name = 'vector') AS available
    """
)

_NOTES = sa.text(
    """
    -- of how many notes is something missing?
    SELECT
        count(*) AS total,
        count(*) FILTER (WHERE n.enrichment = 'pending') AS pending,
        count(*) FILTER (WHERE n.enrichment = 'failed') AS failed,
        count(*) FILTER (WHERE n.embedded_by IS NULL) AS unembedded,
        count(*) FILTER (WHERE n.reach = 'full' AND n.tokenised_by IS NULL) AS untokenised
    FROM notes n
    WHERE n.deleted_at IS NULL
        AND n.reach <> 'none'
    """
)

_LIMIT = sa.text("SELECT set_config('statement_timeout', :milliseconds, true)")


@dataclass(frozen=True, kw_only=True)
class Server:
    """A PostgreSQL server: its version in words and as a number (180001 is 18.1), and the login's name."""

    version: str
    number: int
    login: str


@dataclass(frozen=True, kw_only=True)
class Vector:
    """Versions of pgvector: of the extension in this database, and of what the server could install."""

    installed: str | None
    available: str | None


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The schema's revision, None where there is none, and how the wall between the banks stands.

    What the database lacks of its revision is looked for where that is the newest.
    """

    revision: str | None
    wall: Wall | None
    missing: Missing = field(default_factory=Missing)
    unguarded: tuple[Unguarded, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NoteCounts:
    """Live notes that can be found, and those of them that still lack something."""

    total: int
    pending: int
    failed: int
    unembedded: int
    untokenised: int


async def server(tx: StoreTx) -> Server:
    """Return which server answers."""
    row = await tx.one_or_none(_SERVER)
    assert row is not None
    return Server(**row)


async def vector(tx: StoreTx) -> Vector:
    """Return which pgvector there is."""
    row = await tx.one_or_none(_VECTOR)
    assert row is not None
    return Vector(**row)


async def notes(tx: StoreTx) -> NoteCounts:
    """Return of how many notes something is missing; reads every note."""
    row = await tx.one_or_none(_NOTES)
    assert row is not None
    return NoteCounts(**row)


async def limit(tx: StoreTx, *, seconds: float) -> None:
    """Let no statement of this transaction take longer."""
    await tx.all(_LIMIT, milliseconds=str(int(seconds * 1000)))


def standing(url: str) -> Standing:
    """Return how schema and wall stand, changing neither; blocks.

    Raises `ConfigurationError` where a newer version of this program has migrated the database.
    """
    with schema.connected(url) as connection:
        found = Standing(revision=schema.current(connection), wall=confinement.standing(connection))
        if found.revision != schema.head():
            return found
        lacks, unguarded = completeness.missing(connection), completeness.unguarded(connection)
        return replace(found, missing=lacks, unguarded=tuple(unguarded))
