"""Arrays in PostgreSQL's binary form: the driver's own way through hundreds of elements costs a search time.

One dimension, no nulls, the elements' type, how many there are and from which index; then each after its length.
"""

import struct
from collections.abc import Sequence
from uuid import UUID

import numpy as np
import psycopg
from numpy import float32
from numpy.typing import NDArray

_REAL, _UUID = (psycopg.adapters.types[name].oid for name in ("float4", "uuid"))
_UUID_LENGTH = struct.pack("!i", 16)


class Binary(bytes):
    """A value in PostgreSQL's binary form, of a type that the statement names."""


class _AsIs(psycopg.adapt.Dumper):
    format = psycopg.pq.Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        return obj


psycopg.adapters.register_dumper(Binary, _AsIs)


def reals(numbers: NDArray[float32]) -> Binary:
    """Return a `real[]`."""
    elements = np.empty(len(numbers), dtype=[("length", ">i4"), ("number", ">f4")])
    elements["length"] = 4
    elements["number"] = numbers
    return Binary(_head(_REAL, len(numbers)) + elements.tobytes())


def uuids(ids: Sequence[UUID]) -> Binary:
    """Return a `uuid[]`."""
    return Binary(_head(_UUID, len(ids)) + b"".join([_UUID_LENGTH + id.bytes for id in ids]))


def _head(kind: int, count: int) -> bytes:
    return struct.pack("!iiIii", 1, 0, kind, count, 1)
