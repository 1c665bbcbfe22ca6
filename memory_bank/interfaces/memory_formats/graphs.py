"""Graphs: the entity and relation records of the reference MCP memory server and its kin, as memory.json has them."""

from collections.abc import Mapping

from memory_bank.domain.transfer import Kind
from memory_bank.interfaces.memory_formats.problems import Problems

FACTS = "observations"
ENTITY_SPELLING = {"facts": FACTS, "type": "entityType"}
RELATION_SPELLING = {"type": "relationType"}
_SECONDS_BELOW = 100_000_000_000
"""Times under this are seconds since 1970 (until the year 5138), others milliseconds (from 1973)."""

_ENTITY = {"name", "type", "_type", "entityType", FACTS, "tags", "aliases"}
_RELATION = {"from", "to", "type", "_type", "relationType"}
_OBSERVATION = {"text", "content", "timestamp", "createdAt", "created_at"}
_CREATED = ("createdAt", "created_at")
_SEEN = ("updatedAt", "updated_at", "_savedAt", "timestamp", *_CREATED)
_TIMES = {*_CREATED, *_SEEN}


def kind(given: object) -> Kind | None:
    """Tell what a record is: an entity, a relation, an exchange or nothing that is known."""
    if not isinstance(given, Mapping):
        return None
    said = given.get("_type", given.get("type"))
    if said == "relation" or {"from", "to", "relationType"} <= given.keys():
        return Kind.RELATION
    if said == "entity" or ("name" in given and not given.keys().isdisjoint({"entityType", FACTS})):
        return Kind.ENTITY
    return Kind.EXCHANGE if {"user", "assistant"} <= given.keys() else None


def entity(given: Mapping[str, object], *, place: str, found: Problems) -> dict[str, object]:
    """Return an entity as memory.json has it; what it lacks is reported."""
    _report_unknown(given, _ENTITY | _TIMES, kind=Kind.ENTITY, place=place, found=found)
    facts = given.get(FACTS)
    if facts is None:
        reason = f"has no {FACTS}; kept without facts"
        found.skip(Kind.ENTITY, given.get("name"), place=f"{place}.{FACTS}", reason=reason)
    elif isinstance(facts, list):
        facts = [
            _observation(each, place=f"{place}.{FACTS}[{number}]", found=found) for number, each in enumerate(facts)
        ]
    elif isinstance(facts, str):
        facts = [facts]
    said = given.get("entityType", None if given.get("type") == "entity" else given.get("type"))
    if said is None:
        reason = "has no entityType; taken as other"
        found.skip(Kind.ENTITY, given.get("name"), place=f"{place}.entityType", reason=reason)
    return {
        "name": given.get("name"),
        "type": said,
        "facts": facts,
        "tags": given.get("tags"),
        "aliases": given.get("aliases"),
        "createdAt": _time(given, _CREATED),
        "lastSeen": _time(given, _SEEN),
    }


def relation(given: Mapping[str, object], *, place: str, found: Problems) -> dict[str, object]:
    """Return a relation as memory.json has it."""
    _report_unknown(given, _RELATION | _TIMES, kind=Kind.RELATION, place=place, found=found)
    return {
        "from": given.get("from"),
        "to": given.get("to"),
        "type": given.get("relationType"),
        "createdAt": _time(given, _CREATED),
        "lastValidated": _time(given, _SEEN),
    }


def _observation(given: object, *, place: str, found: Problems) -> object:
    if not isinstance(given, Mapping):
        return given
    _report_unknown(given, _OBSERVATION, kind=Kind.FACT, place=place, found=found)
    stated = _time(given, ("timestamp", *_CREATED))
    return {"content": given.get("text", given.get("content")), "firstSeen": stated, "lastConfirmed": stated}


def _time(given: Mapping[str, object], names: tuple[str, ...]) -> object:
    value = next((given[name] for name in names if given.get(name) is not None), None)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _SECONDS_BELOW:
        return value * 1000
    return value


def _report_unknown(given: Mapping[str, object], known: set[str], *, kind: Kind, place: str, found: Problems) -> None:
    for name in given:
        if name not in known:
            found.unknown(f"{kind}.{name}", place=place)
