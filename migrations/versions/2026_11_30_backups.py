"""Which backups were written, where and when."""

from alembic import op

revision = "2026_11_30_backups"
down_revision = "2026_11_30_tokens"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE backups (
            id uuid NOT NULL,
            number bigint GENERATED ALWAYS AS IDENTITY,
            file text NOT NULL,
            created_at timestamptz NOT NULL,
            automatic boolean NOT NULL,
            size bigint NOT NULL,
            banks bigint NOT NULL,
            notes bigint NOT NULL,
            schema_revision text NOT NULL,
            CONSTRAINT pk_backups PRIMARY KEY (id)
        )
        """
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup to go back")
