"""`memory-bank worker`, `enrich` and `reindex`: long work, with progress."""

import asyncio
import logging
import signal

import click

from memory_bank import bootstrap
from memory_bank.domain.links import LinkOrigin
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.cli import opened, progress
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show, tell, waited
from memory_bank.services.enrichment import JOB_SIZE


class EnrichedAnswer(Answer):
    """How many notes a run of `enrich` took up, and how many of them still wait or failed."""

    taken: int
    pending: int
    failed: int


class ReindexedAnswer(Answer):
    """How many notes a run of `reindex` embedded, by which model, and how many got new terms."""

    embedded: int
    model: str
    tokenised: int


@click.command()
@click.pass_obj
def worker(invocation: Invocation) -> None:
    """Work off queued enrichment until stopped; any number of workers may run."""

    async def work() -> None:
        stopped = asyncio.Event()
        async with opened.app(invocation) as app, bootstrap.running_worker(app):
            for each in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(each, stopped.set)
            tell("Working off the queue. Stop with Ctrl-C.", level=logging.INFO)
            ends = {asyncio.create_task(stopped.wait()), asyncio.create_task(bootstrap.watch_model(app))}
            done, others = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for task in others:
                task.cancel()
            for task in done:
                task.result()

    waited(work())


@click.command()
@click.option("--bank", help="Only this bank; every bank if left out.")
@click.option("--origin", type=click.Choice(["heuristic", "llm"]), help="Also redo what this analyst did.")
@click.option("--failed", is_flag=True, help="Also redo notes whose enrichment failed.")
@json_option
@click.pass_obj
def enrich(invocation: Invocation, bank: str | None, origin: str | None, failed: bool, as_json: bool) -> None:
    """Enrich the notes that wait for it, and on request those done before."""
    answer = waited(_enrich(invocation, bank, LinkOrigin(origin) if origin else None, failed=failed))
    show(
        answer,
        as_json=as_json,
        readable=lambda: f"{answer.taken} notes taken up, {answer.pending} still pending, {answer.failed} failed",
    )


@click.command()
@json_option
@click.pass_obj
def reindex(invocation: Invocation, as_json: bool) -> None:
    """Index every note anew where it needs it: vectors of the configured model, and terms, lost ones too.

    An interrupted run goes on where it stopped.
    """

    async def work() -> ReindexedAnswer:
        async with opened.app(invocation, check_model=False) as app:
            tokenised = await app.maintenance.retokenise()
            with progress.bar("Embedding") as told:
                done = await app.maintenance.reindex(told)
            return ReindexedAnswer(embedded=done, model=app.embedder.name, tokenised=tokenised)

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: _reindexed(answer))


def _reindexed(answer: ReindexedAnswer) -> str:
    tokenised = f", terms of {answer.tokenised} stored" if answer.tokenised else ""
    return f"{answer.embedded} notes embedded by {answer.model}{tokenised}"


async def _enrich(
    invocation: Invocation, bank: str | None, origin: LinkOrigin | None, *, failed: bool
) -> EnrichedAnswer:
    async with opened.app(invocation) as app:
        state = await app.maintenance.state()
        names = [each.bank for each in state.banks] if bank is None else [bank]
        waiting = [
            (name, id) for name in names for id in await app.enrichment.reopen(name, origin=origin, failed=failed)
        ]
        taken = 0
        with progress.bar("Enriching") as told:
            told(taken, len(waiting))
            for name in names:
                ids = [id for of, id in waiting if of == name]
                for start in range(0, len(ids), JOB_SIZE):
                    batch = ids[start : start + JOB_SIZE]
                    await app.enrichment.enrich_now(name, batch)
                    taken += len(batch)
                    told(taken, len(waiting))
        after = [each for each in (await app.maintenance.state()).banks if each.bank in names]
        return EnrichedAnswer(
            taken=len(waiting),
            pending=sum(each.pending for each in after),
            failed=sum(each.failed for each in after),
        )


COMMANDS = {"worker": worker, "enrich": enrich, "reindex": reindex}
