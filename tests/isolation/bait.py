"""Two banks with everything that a bank can hold: one that asks, and the one beside it that must stay unseen."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from memory_bank.bootstrap import App
from memory_bank.domain import transfer
from memory_bank.domain.beliefs import EntityType, Statement
from memory_bank.domain.links import LinkType
from memory_bank.domain.notes import Draft
from memory_bank.domain.tasks import TaskStatus
from memory_bank.store import confinement
from tests.isolation import telling

ASKING, BESIDE = "asking", "beside"
SECRET = "quagga"
"""Stands in everything that the bank beside holds, and in nothing that anybody asks with."""

SHARED = "The staging gateway listens on port 8443 behind the blue load balancer"
"""Held by both banks, word by word: what is the same may not be taken for one."""


@dataclass(frozen=True, kw_only=True)
class Held:
    """What a bank holds, by the handles with which a caller could ask for it."""

    bank: str
    notes: tuple[UUID, ...]
    deleted: UUID
    tag: str
    session: str
    project: str
    words: str
    entity: str
    alias: str
    target: str
    fact: UUID
    former: UUID
    source: str
    relation: str
    exchange: UUID
    exchange_elsewhere: str
    task: UUID
    ended: UUID
    task_elsewhere: str

    @property
    def ids(self) -> tuple[UUID, ...]:
        """Every id, of whatever it is."""
        return (*self.notes, self.deleted, self.fact, self.former, self.exchange, self.task, self.ended)


async def fill(app: App, bank: str, word: str) -> Held:
    """Put something of every kind into a bank; `word` tells its words from those of others."""
    secret = SECRET if bank == BESIDE else "lemming"
    tag, session, project = f"tag:{word}", f"session {word}", f"{word}-project"
    contents = [f"{word} {secret} alpha migrates the ledger", f"{word} {secret} beta prunes the ledger", SHARED]
    tags = (tag, f"project:{project}")
    drafts = [
        Draft(content=content, context=secret, tags=tags, session=session, position=place)
        for place, content in enumerate(contents)
    ]
    notes = [(await app.notes.add(bank, draft)).note.id for draft in drafts]
    deleted = (await app.notes.add(bank, Draft(content=f"{word} {secret} deleted", tags=(tag,)))).note.id
    await app.notes.delete(bank, deleted)
    await app.links.link(bank, notes[0], notes[1], type=LinkType.CAUSAL, explanation=f"{secret} leads to it")
    entity, alias, target = f"{word} registry", f"{word} alias", f"{word} host"
    stated = Statement(
        name=entity,
        types=(EntityType.SERVICE,),
        facts=(f"listens on port 9000 for {secret}",),
        tags={"owner": secret},
        aliases=(alias,),
        source=f"{word} source",
    )
    former = (await app.beliefs.remember(bank, stated)).added[0].id
    renewed = Statement(name=entity, facts=(f"listens on port 9100 for {secret}",), supersede=str(former))
    fact = (await app.beliefs.remember(bank, renewed)).added[0].id
    await app.relations.relate(bank, entity, f"runs_{word}", target)
    observed = await app.exchanges.observe(
        bank, user=f"{word} asks how {secret} works", assistant=f"{secret} works so", session=session, tags=(tag,)
    )
    await app.working_memory.push(bank, session, f"looked at {secret}")
    title = f"Move {word} to the new cluster"
    task = (await app.tasks.start(bank, title=title, goal=f"{secret} runs there", session=session)).task.id
    ended = (await app.tasks.start(bank, title=f"Retire the {word} printer", goal=f"{secret} is off")).task.id
    await app.tasks.done(bank, ended, f"{secret} is off now")
    await app.transfer.bring_in(bank, _elsewhere(word, secret))
    return Held(
        bank=bank,
        notes=tuple(notes),
        deleted=deleted,
        tag=tag,
        session=session,
        project=project,
        words=f"{word} ledger",
        entity=entity,
        alias=alias,
        target=target,
        fact=fact,
        former=former,
        source=f"{word} source",
        relation=f"runs_{word}",
        exchange=observed.exchange.id,
        exchange_elsewhere=f"{word}-exchange",
        task=task,
        ended=ended,
        task_elsewhere=f"{word}-task",
    )


def _elsewhere(word: str, secret: str) -> transfer.Archive:
    """Return what came from another program, which gave it ids of its own."""
    said = transfer.Exchange(external_id=f"{word}-exchange", user=f"{word} tells {secret}", assistant="noted")
    task = transfer.Task(
        external_id=f"{word}-task", title=f"Sort the {word} shelves", goal=secret, status=TaskStatus.PAUSED
    )
    return transfer.Archive(exchanges=(said,), tasks=(task,))


def rows(url: str, bank: str) -> Mapping[str, list[str]]:
    """Return every row of a bank, table by table, and its jobs."""
    with psycopg.connect(url) as connection:
        found = {
            table: connection.execute(
                sql.SQL("SELECT t::text FROM {} t WHERE {} = %s ORDER BY 1").format(
                    sql.Identifier(table), sql.Identifier("id" if table == "banks" else "bank_id")
                ),
                [bank],
            ).fetchall()
            for table in confinement.BANKED
        }
        found["procrastinate_jobs"] = connection.execute(
            "SELECT j::text FROM procrastinate_jobs j WHERE j.args ->> 'bank' = %s ORDER BY 1", [bank]
        ).fetchall()
    return {table: [str(row[0]) for row in told] for table, told in found.items()}


def kept(url: str, bank: str) -> Mapping[str, list[Any]]:
    """Return what a bank holds, table by table, as it can be compared with another store's: without running numbers."""
    with psycopg.connect(url) as connection:
        found = {
            table: connection.execute(
                sql.SQL("SELECT to_jsonb(t) - %s::text[] FROM {} t WHERE bank_id = %s").format(sql.Identifier(table)),
                [["slot", "id"] if table in ("lexical_totals", "working_memory") else [], bank],
            ).fetchall()
            for table in confinement.BANKED
            if table != "banks"
        }
    return {table: telling.told(told, ()) for table, told in found.items()}


LATER = timedelta(days=400)
"""After so long everything that grows old has grown old."""
