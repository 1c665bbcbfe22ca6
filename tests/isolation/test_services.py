"""No service answers with, changes, or tells the existence of anything that is another bank's.

The same calls are made in two stores: in one the other bank lies beside, in the other it never was. Whatever differs is
told of it.
"""

from pathlib import Path
from typing import Any

import psycopg

from memory_bank.errors import MemoryBankError
from memory_bank.store import confinement, schema
from tests.conftest import temporary_database
from tests.isolation import arguments, bait, roles, worlds
from tests.isolation.arguments import TX, Call, Later
from tests.isolation.bait import ASKING, BESIDE, SECRET
from tests.isolation.telling import told
from tests.isolation.worlds import World


async def answered(world: World, call: Call) -> Any:
    """Make a call, and return what it told."""
    service, method = call.name.split(".")
    given = {
        name: await value.made(world.app) if isinstance(value, Later) else value
        for name, value in call.arguments.items()
    }
    answer: object
    try:
        if TX in given.values():
            async with world.database.transaction(ASKING) as tx:
                named = {name: tx if value is TX else value for name, value in given.items()}
                answer = await getattr(getattr(world.app, service), method)(**named)
        else:
            answer = await getattr(getattr(world.app, service), method)(**given)
    except MemoryBankError as error:
        answer = error
    return told(answer, set(world.other.ids), measured=service in arguments.MEASURED)


async def prove(beside: World, alone: World) -> None:
    """Make every call in both stores, and compare."""
    before = bait.rows(beside.url, BESIDE)
    assert all(before[table] for table in before if table != "procrastinate_jobs"), "bait misses a kind of row"
    ours = arguments.calls(beside.app, beside.own, beside.other)
    theirs = arguments.calls(alone.app, alone.own, alone.other)
    compared = False
    for seen, unseen in zip(ours, theirs, strict=True):
        if seen.name in arguments.REMOVING and not compared:
            assert bait.kept(beside.url, ASKING) == bait.kept(alone.url, ASKING), "another bank changed what was stored"
            compared = True
        answer = await answered(beside, seen)
        assert answer == await answered(alone, unseen), f"{seen.name} tells of another bank: {seen.arguments}"
        assert SECRET not in repr(answer), f"{seen.name} answers with another bank's: {seen.arguments}"
    assert compared
    assert bait.rows(beside.url, BESIDE) == before


async def test_the_first_wall_alone_hides_and_protects_the_bank_beside(
    server_url: str, template: str, tmp_path: Path
) -> None:
    with (
        temporary_database(server_url, template=template) as first,
        temporary_database(server_url, template=template) as second,
    ):
        for url in (first, second):
            _tear_down_second_wall(url)
        async with (
            worlds.opened(first, tmp_path, ddl_auto="none") as beside,
            worlds.opened(second, tmp_path, beside=beside.other, ddl_auto="none") as alone,
        ):
            await prove(beside, alone)


async def test_both_walls_hide_and_protect_it_where_the_service_has_an_ordinary_role(
    server_url: str, template: str, tmp_path: Path
) -> None:
    with (
        roles.ordinary(server_url) as first,
        temporary_database(server_url, template=template) as second,
    ):
        schema.update(first)
        async with (
            worlds.opened(first, tmp_path) as beside,
            worlds.opened(second, tmp_path, beside=beside.other) as alone,
        ):
            await prove(beside, alone)


def _tear_down_second_wall(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for table in confinement.BANKED:
            connection.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY".encode())
