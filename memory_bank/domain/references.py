"""References: how a caller names a stored thing, by its id or by the one it had in the file it came from."""

from dataclasses import dataclass
from uuid import UUID

from memory_bank.domain import text
from memory_bank.errors import InvalidInput

LENGTH = 200


@dataclass(frozen=True, kw_only=True)
class Reference:
    """An id as a caller wrote it; `id` is None where it is no UUID."""

    id: UUID | None
    external_id: str

    def __str__(self) -> str:
        return self.external_id


def checked(given: UUID | str, *, field: str = "id") -> Reference:
    """Return what the caller refers to; raises `InvalidInput` naming `field` when it is blank or too long."""
    written = text.storable(str(given)).strip()
    if text.is_blank(written):
        raise InvalidInput(field, "give the id; it may not be blank")
    if len(written) > LENGTH:
        raise InvalidInput(field, f"an id has at most {LENGTH} characters, got {len(written)}")
    return Reference(id=_uuid(written), external_id=written)


def _uuid(written: str) -> UUID | None:
    try:
        return UUID(written)
    except ValueError:
        return None
