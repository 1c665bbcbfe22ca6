"""`memory-bank import` and `export`: files of memories into a bank, and a bank into a file."""

from collections.abc import Iterator
from pathlib import Path

import click

from memory_bank.interfaces import arguments, transfer
from memory_bank.interfaces.cli import opened, progress
from memory_bank.interfaces.cli.invocation import Invocation, bank_option, json_option, show, waited
from memory_bank.interfaces.transfer import ExportAnswer, ImportAnswer, TotalsAnswer


@click.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only tell what would become of each part; change nothing.")
@bank_option
@json_option
@click.pass_obj
def import_(invocation: Invocation, file: Path, dry_run: bool, bank: str, as_json: bool) -> None:
    """Import the entities, facts, relations, exchanges, tasks and events of FILE, in one transaction.

    Read are memory.json of versions 4 to 7, the JSON lines of an MCP memory server, and a ChatGPT conversations.json.
    What the bank holds already is joined with what is the same; the same file again adds nothing. Broken parts are left
    out and listed, and the exit status is 1 then. Notes made by `add` are no part of these files: a backup keeps them.
    """
    asked: transfer.Import = arguments.typed(transfer.Import, {"file": file, "bank": bank, "dry_run": dry_run})
    read = transfer.opened(asked)

    async def work() -> ImportAnswer:
        async with opened.app(invocation) as app:
            with progress.bar("Importing") as told:
                return await transfer.bring_in(app, asked, read, progress=told)

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: "\n".join(_lines(answer)))
    if not answer.complete:
        click.get_current_context().exit(1)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@bank_option
@json_option
@click.pass_obj
def export(invocation: Invocation, file: Path, overwrite: bool, bank: str, as_json: bool) -> None:
    """Export the entities, facts, relations, exchanges, tasks and events of a bank into FILE, as memory.json version 7.

    Superseded and archived facts, archived exchanges and finished tasks come along. Notes made by `add`, and links, are
    no part of this format: a backup keeps them.
    """
    asked: transfer.Export = arguments.typed(transfer.Export, {"file": file, "bank": bank, "overwrite": overwrite})

    async def work() -> ExportAnswer:
        async with opened.app(invocation) as app:
            with progress.bar("Exporting") as told:
                return await transfer.export(app, asked, progress=told)

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: _exported(answer))


def _lines(answer: ImportAnswer) -> Iterator[str]:
    for each in answer.items:
        place = "" if each.place is None else f"  {each.place}"
        yield f"{each.outcome.value}  {each.kind.value}  {each.key}{place}: {each.reason}"
    if answer.more_items is not None:
        yield f"... and {answer.more_items} more"
    for kind, totals in answer.kinds.items():
        yield f"{kind}: {_counted(totals)}"
    if answer.dry_run:
        yield f"Nothing was changed. Bank {answer.bank} would get: {_counted(answer.totals)}"
    elif answer.totals.added or answer.totals.merged:
        yield f"Bank {answer.bank}: {_counted(answer.totals)}"
    else:
        yield f"Nothing new for bank {answer.bank}: {_counted(answer.totals)}"


def _counted(totals: TotalsAnswer) -> str:
    return ", ".join(f"{count} {name}" for name, count in totals.model_dump().items() if count) or "nothing"


def _exported(answer: ExportAnswer) -> str:
    return (
        f"{answer.file}: {answer.entities} entities with {answer.facts} facts, {answer.relations} relations, "
        f"{answer.exchanges} exchanges, {answer.tasks} tasks, {answer.events} events; {answer.size} bytes"
    )


COMMANDS = {"import": import_, "export": export}
