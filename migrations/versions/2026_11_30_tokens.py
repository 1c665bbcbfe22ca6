"""Access tokens, of which only digests are kept."""

from alembic import op

revision = "2026_11_30_tokens"
down_revision = "2026_11_30_beliefs"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE tokens (
            id uuid NOT NULL,
            name text NOT NULL,
            prefix text NOT NULL,
            hash bytea NOT NULL,
            banks text[],
            level text NOT NULL,
            created_at timestamptz NOT NULL,
            expires_at timestamptz,
            last_used_at timestamptz,
            revoked_at timestamptz,
            CONSTRAINT pk_tokens PRIMARY KEY (id),
            CONSTRAINT uq_tokens_prefix UNIQUE (prefix),
            CONSTRAINT ck_tokens_level CHECK (level IN ('read', 'write', 'admin'))
        )
        """
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup to go back")
