"""Arrays that go to PostgreSQL in its own form arrive as what they were."""

from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest

from memory_bank.store import arrays


@pytest.mark.parametrize("ids", [[], [uuid4()], [uuid4() for _ in range(300)]])
def test_uuids_arrive_in_their_order(url: str, ids: list[UUID]) -> None:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT CAST(%s AS uuid[])", [arrays.uuids(ids)]).fetchone()
    assert row == (ids,)


@pytest.mark.parametrize("numbers", [[], [0.5], [-1.5, 3e-7, 0.0] * 128])
def test_numbers_arrive_exactly(url: str, numbers: list[float]) -> None:
    given = np.array(numbers, dtype=np.float32)
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT CAST(%s AS real[])", [arrays.reals(given)]).fetchone()
    assert row is not None
    np.testing.assert_array_equal(np.array(row[0], dtype=np.float32), given)
