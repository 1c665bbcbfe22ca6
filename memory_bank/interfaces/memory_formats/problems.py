"""Problems: what could not be read from a file as it stands, each with its place and reason."""

from memory_bank.domain import text
from memory_bank.domain.transfer import Item, Kind, Outcome

LIMIT = 10_000
"""Items that one report lists; the rest is counted."""

_KEY_LENGTH = 80


class Problems:
    """Gathers the items of a report while a file is read."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._unlisted = 0
        self._unknown: dict[str, tuple[int, str]] = {}

    def refuse(self, kind: Kind, key: object, *, place: str, reason: str) -> None:
        """Note a broken part, which is left out."""
        self._add(Item(kind=kind, key=shown(key), outcome=Outcome.REFUSED, reason=reason, place=place))

    def skip(self, kind: Kind, key: object, *, place: str, reason: str) -> None:
        """Note something sound that is left out or read in part."""
        self._add(Item(kind=kind, key=shown(key), outcome=Outcome.SKIPPED, reason=reason, place=place))

    def merge(self, kind: Kind, key: object, *, place: str, reason: str) -> None:
        """Note something that was joined with what the file said before."""
        self._add(Item(kind=kind, key=shown(key), outcome=Outcome.MERGED, reason=reason, place=place))

    def unknown(self, name: str, *, place: str) -> None:
        """Note a field that nothing here reads; each name is reported once, with its first place."""
        key = shown(name)
        times, first = self._unknown.get(key, (0, place))
        if times == 0 and len(self._unknown) >= LIMIT:
            self._unlisted += 1
        else:
            self._unknown[key] = (times + 1, first)

    def items(self) -> list[Item]:
        """Return what was noted, in order, then the unknown fields, then how many are not listed."""
        unknown = [
            Item(
                kind=Kind.FIELD,
                key=name,
                outcome=Outcome.SKIPPED,
                reason=f"not a field that Memory Bank knows; left out, {times} in all",
                place=place,
            )
            for name, (times, place) in self._unknown.items()
        ]
        return self._items + unknown + self._unlisted_ones()

    def _unlisted_ones(self) -> list[Item]:
        if not self._unlisted:
            return []
        reason = f"{self._unlisted} further problems are not listed; mend those above and read the file again"
        return [Item(kind=Kind.FILE, key="report", outcome=Outcome.REFUSED, reason=reason)]

    def _add(self, item: Item) -> None:
        if len(self._items) < LIMIT:
            self._items.append(item)
        else:
            self._unlisted += 1


def shown(value: object) -> str:
    """Return a value as a report names it: one short line, empty for what is no text."""
    return (
        text.preview(" ".join(text.storable(value[:1000]).split()), limit=_KEY_LENGTH) if isinstance(value, str) else ""
    )
