"""Merging relations: of two counts of one edge, the larger holds."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from memory_bank.domain import beliefs, merging, relations, transfer
from memory_bank.domain.merging import Findings, things
from memory_bank.domain.merging.things import Surroundings, Things
from memory_bank.domain.relations import Relation
from memory_bank.domain.transfer import Kind
from memory_bank.errors import InvalidInput


def merge(
    given: Sequence[transfer.Relation], held: Sequence[Relation], known: Things, around: Surroundings, found: Findings
) -> list[Relation]:
    """Return the edges that are new or changed; ends that nothing is called like are added to the things."""
    edges = {(each.from_id, each.type, each.to_id): each for each in held}
    touched: dict[tuple[UUID, str, UUID], None] = {}
    for each in given:
        named = f"{each.from_name} {each.type} {each.to_name}"
        try:
            edge = _edge(each, known, around, found)
        except InvalidInput as error:
            found.refuse(Kind.RELATION, named, error)
            continue
        key = (edge.from_id, edge.type, edge.to_id)
        before = edges.get(key)
        edges[key] = edge if before is None else _joined(before, each)
        changed = edges[key] != before
        if changed:
            touched[key] = None
        found.settle(Kind.RELATION, named, added=before is None, changed=changed, reasons=[])
    return [edges[key] for key in touched]


def _edge(given: transfer.Relation, known: Things, around: Surroundings, found: Findings) -> Relation:
    merging.check_moments(given.created_at, given.last_validated)
    merging.check_count(given.evidence, field="evidenceCount", least=1)
    type = relations.normalised(given.type)
    names = (beliefs.checked_name(given.from_name, field="from"), beliefs.checked_name(given.to_name, field="to"))
    if beliefs.key(names[0]) == beliefs.key(names[1]):
        raise InvalidInput("to", f"{names[1]!r} cannot be related to itself")
    at = given.created_at or given.last_validated or around.now
    source, target = (known.entities[things.end(name, known, at, around, found)] for name in names)
    if source.id == target.id:
        raise InvalidInput("to", f"{names[0]!r} and {names[1]!r} are names of one thing here")
    return Relation(
        from_id=source.id,
        from_name=source.name,
        type=type,
        to_id=target.id,
        to_name=target.name,
        evidence=given.evidence,
        created_at=at,
        last_validated=given.last_validated or given.created_at or around.now,
    )


def _joined(known: Relation, given: transfer.Relation) -> Relation:
    return replace(
        known,
        evidence=max(known.evidence, given.evidence),
        created_at=min(known.created_at, given.created_at or known.created_at),
        last_validated=max(known.last_validated, given.last_validated or known.last_validated),
    )
