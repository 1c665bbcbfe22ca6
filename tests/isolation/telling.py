"""What a call told: an answer or an error, without what differs from one store to the next by chance."""

import dataclasses
import enum
import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from memory_bank.domain import filters
from memory_bank.errors import InvalidInput

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CURSOR = re.compile(r"[A-Za-z0-9_=-]{60,}")


def told(value: Any, given: Collection[UUID], *, measured: bool = False) -> Any:
    """Return `value` as what can be compared: ids that were not `given` are all alike, and no order counts.

    measured: numbers say how long something took, and are left out.
    """

    def plain(value: Any) -> Any:
        match value:
            case None | bool() | int():
                return value
            case enum.Enum():
                return value.value
            case float() | np.floating():
                return "" if measured else round(float(value), 6)
            case UUID():
                return _text(str(value), given)
            case str():
                return _text(value, given)
            case datetime():
                return value.isoformat()
            case np.ndarray():
                return np.round(value, 5).tolist()
            case bytes():
                return value.hex()
            case BaseException():
                return (type(value).__name__, _text(str(value), given))
            case Mapping():
                return sorted(((plain(key), plain(each)) for key, each in value.items()), key=repr)
            case list() | tuple() | set() | frozenset():
                return sorted((plain(each) for each in value), key=repr)
        if dataclasses.is_dataclass(value):
            fields = {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
            return (type(value).__name__, sorted(fields.items()))
        raise TypeError(f"{type(value).__name__}: say in tests/isolation/telling.py how such a value is compared")

    return plain(value)


def _text(text: str, given: Collection[UUID]) -> str:
    def id_of(match: re.Match[str]) -> str:
        return match[0] if UUID(match[0]) in given else "<id>"

    def cursor_of(match: re.Match[str]) -> str:
        try:
            place = filters.parsed_cursor(match[0])
        except InvalidInput:
            return match[0]
        return f"<after {place.timestamp.isoformat()} {id_of(_UUID.match(str(place.id)))}>"  # type: ignore[arg-type]

    return _CURSOR.sub(cursor_of, _UUID.sub(id_of, text))
