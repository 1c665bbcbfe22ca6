"""Merging exchanges: which turns of an archive the bank holds already, by an id or by what was said in a session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memory_bank.domain import exchanges, merging, text, transfer
from memory_bank.domain.exchanges import Exchange, Merged, Turn
from memory_bank.domain.merging import Findings, Ids
from memory_bank.domain.transfer import Kind, Outcome
from memory_bank.errors import InvalidInput

_POSITION_LIMIT = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Held:
    """What the bank holds: exchanges of the archive's ids or texts, and the live notes with those texts.

    positions: the place after the last one of each session.
    """

    exchanges: Sequence[Exchange] = ()
    texts: Mapping[tuple[str | None, str], UUID] = field(default_factory=dict)
    positions: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class New:
    """An exchange to store. adopted: its note is there, as a note that was no exchange."""

    id: UUID
    turn: Turn
    external_id: str | None
    timestamp: datetime
    position: int | None
    repeats: int
    merged: tuple[Merged, ...]
    archived: bool
    adopted: bool


@dataclass(kw_only=True)
class Exchanges:
    """What becomes of the exchanges. identified: those of the bank that get the id that they have elsewhere."""

    new: list[New] = field(default_factory=list)
    identified: dict[UUID, str] = field(default_factory=dict)


def checked(given: transfer.Exchange) -> Turn:
    """Return what was said as it will be stored; raises `InvalidInput`."""
    merging.check_moments(given.timestamp, *(each.at for each in given.merged))
    merging.check_count(given.repeats, field="repeats")
    turn = exchanges.checked(
        user=given.user,
        assistant=given.assistant,
        session=given.session,
        importance=given.importance,
        tags=given.tags,
    )
    return replace(turn, importance_given=given.importance is not None and given.importance_given)


def texts(given: Sequence[transfer.Exchange]) -> list[tuple[str | None, str]]:
    """Return the sessions and texts of the exchanges that can be stored."""
    sound = []
    for each in given:
        try:
            turn = checked(each)
        except InvalidInput:
            continue
        sound.append((turn.session, turn.content))
    return sound


def merge(given: Sequence[transfer.Exchange], held: Held, ids: Ids, found: Findings, *, now: datetime) -> Exchanges:
    """Return what becomes of the exchanges; the new ones of a session follow those that it has, in order of time."""
    merge = _Merge(held, ids, found)
    for each in sorted(given, key=lambda each: each.timestamp or now):
        merge.take(each, now=now)
    return merge.result


class _Merge:
    def __init__(self, held: Held, ids: Ids, found: Findings) -> None:
        self.result = Exchanges()
        self._held = held
        self._ids = ids
        self._found = found
        self._own = {each.id: each for each in held.exchanges}
        self._elsewhere = {each.external_id: each.id for each in held.exchanges if each.external_id is not None}
        self._texts: dict[tuple[str | None, str], UUID] = {}
        self._positions = dict(held.positions)

    def take(self, given: transfer.Exchange, *, now: datetime) -> None:
        key = given.external_id or text.preview(given.user or given.assistant, limit=200)
        try:
            turn = checked(given)
        except InvalidInput as error:
            self._found.refuse(Kind.EXCHANGE, key, error)
            return
        said = (turn.session, turn.content)
        known = self._known(given, said)
        if known is not None:
            self._join(self._own[known], given, turn, key)
        elif said in self._texts:
            reason = "another one of its session says the same"
            self._found.note(Kind.EXCHANGE, key, Outcome.MERGED, reason)
        else:
            self._add(given, turn, now=now)
            self._found.note(Kind.EXCHANGE, key, Outcome.ADDED)

    def _known(self, given: transfer.Exchange, said: tuple[str | None, str]) -> UUID | None:
        if given.id in self._own:
            return given.id
        if given.external_id is not None and given.external_id in self._elsewhere:
            known = self._elsewhere[given.external_id]
            return known if known in self._own else None
        holder = self._held.texts.get(said)
        return holder if holder in self._own else None

    def _join(self, known: Exchange, given: transfer.Exchange, turn: Turn, key: str) -> None:
        reasons = []
        if (known.user, known.assistant) != (turn.user, turn.assistant):
            reasons.append("it reads otherwise here and stays so")
        elif set(known.tags) != set(turn.tags) or known.archived != given.archived:
            reasons.append("its tags and its place here stay")
        gains = given.external_id is not None and known.external_id is None and given.external_id not in self._elsewhere
        if gains and given.external_id is not None and known.id not in self.result.identified:
            self._elsewhere[given.external_id] = known.id
            self.result.identified[known.id] = given.external_id
        else:
            gains = False
        self._found.settle(Kind.EXCHANGE, key, added=False, changed=gains, reasons=reasons)

    def _add(self, given: transfer.Exchange, turn: Turn, *, now: datetime) -> None:
        said = (turn.session, turn.content)
        adopted = self._held.texts.get(said)
        external_id = given.external_id
        if external_id is not None and external_id in self._elsewhere:
            external_id = None
        new = New(
            id=adopted or self._ids.give(given.id),
            turn=turn,
            external_id=external_id,
            timestamp=given.timestamp or now,
            position=self._position(turn.session),
            repeats=given.repeats,
            merged=tuple(
                Merged(user=text.storable(each.user), assistant=text.storable(each.assistant), at=each.at)
                for each in given.merged
            ),
            archived=given.archived,
            adopted=adopted is not None,
        )
        self._texts[said] = new.id
        if external_id is not None:
            self._elsewhere[external_id] = new.id
        self.result.new.append(new)

    def _position(self, session: str | None) -> int | None:
        if session is None:
            return None
        position = self._positions.get(session, 0)
        self._positions[session] = min(position + 1, _POSITION_LIMIT)
        return position
