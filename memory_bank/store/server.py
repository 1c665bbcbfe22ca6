"""What the PostgreSQL server says of itself."""

import sqlalchemy as sa

from memory_bank.store.database import StoreTx

_VERSIONS = sa.text(
    """
    SELECT
        current_setting('server_version') AS postgresql,
        (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector
    """
)


async def versions(tx: StoreTx) -> str:
    """Return the versions of PostgreSQL and pgvector, in words."""
    row = await tx.one_or_none(_VERSIONS)
    assert row is not None
    return f"PostgreSQL {row['postgresql']} with pgvector {row['pgvector']}"
