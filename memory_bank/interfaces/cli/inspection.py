"""`memory-bank settings` and `doctor`: what is set, and whether every part works."""

import asyncio
from collections.abc import Awaitable, Callable

import click

from memory_bank import bootstrap, settings
from memory_bank.errors import MemoryBankError, StoreUnavailable
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.cli import opened
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show, waited
from memory_bank.settings import Settings

DOCTOR_PATIENCE_SECONDS = 120.0


class SettingAnswer(Answer):
    """One setting: its value, hidden if secret, and where the value comes from."""

    key: str
    environment: str
    value: str
    default: str
    source: str


class SettingsAnswer(Answer):
    """Every setting in force, and the file that was read."""

    file: str | None
    settings: list[SettingAnswer]


class CheckAnswer(Answer):
    """One check: whether it passed, and what was found or what to do."""

    name: str
    ok: bool
    detail: str


class DoctorAnswer(Answer):
    """Every check; `ok` when all passed."""

    ok: bool
    checks: list[CheckAnswer]


@click.command(name="settings")
@json_option
@click.pass_obj
def show_settings(invocation: Invocation, as_json: bool) -> None:
    """Print every setting in force and where its value comes from."""
    loaded = invocation.settings()
    answer = SettingsAnswer(
        file=None if loaded.source is None else str(loaded.source),
        settings=[
            SettingAnswer(
                key=row.key, environment=row.environment, value=row.value, default=row.default, source=row.source
            )
            for row in settings.describe(loaded)
        ],
    )
    show(
        answer,
        as_json=as_json,
        readable=lambda: "\n".join(f"{row.key}={row.value}  ({row.source})" for row in answer.settings),
    )


@click.command()
@json_option
@click.pass_obj
def doctor(invocation: Invocation, as_json: bool) -> None:
    """Check settings, database, schema, model and queue; say for each failure what to do."""
    answer = waited(_examined(invocation.settings()))
    show(
        answer,
        as_json=as_json,
        readable=lambda: "\n".join(
            f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}" for check in answer.checks
        ),
    )
    click.get_current_context().exit(0 if answer.ok else 1)


async def _examined(loaded: Settings) -> DoctorAnswer:
    source = "defaults and environment only" if loaded.source is None else f"read {loaded.source}"
    checks = [CheckAnswer(name="settings", ok=True, detail=source), _language_model(loaded)]
    try:
        async with opened.by(loaded) as app:
            checks.append(CheckAnswer(name="schema", ok=True, detail="up to date"))
            checks.append(await _checked("database", app.maintenance.server))
            checks.append(await _checked("embedding model", lambda: _model(app)))
            checks.append(await _checked("notes and queue", lambda: _contents(app)))
    except StoreUnavailable as error:
        checks.append(CheckAnswer(name="database", ok=False, detail=str(error)))
    except MemoryBankError as error:
        checks.append(CheckAnswer(name="configuration", ok=False, detail=str(error)))
    return DoctorAnswer(ok=all(check.ok for check in checks), checks=checks)


async def _checked(name: str, examine: Callable[[], Awaitable[str]]) -> CheckAnswer:
    try:
        async with asyncio.timeout(DOCTOR_PATIENCE_SECONDS):
            return CheckAnswer(name=name, ok=True, detail=await examine())
    except MemoryBankError as error:
        return CheckAnswer(name=name, ok=False, detail=str(error))
    except TimeoutError:
        return CheckAnswer(name=name, ok=False, detail="no answer in time; see the log")


async def _model(app: bootstrap.App) -> str:
    vector = await app.embedder.embed_query("Does the model answer?")
    return f"{app.embedder.name} answers with {len(vector)} dimensions"


async def _contents(app: bootstrap.App) -> str:
    state = await app.maintenance.state()
    notes = sum(bank.notes for bank in state.banks)
    pending = sum(bank.pending for bank in state.banks)
    failed = sum(bank.failed for bank in state.banks)
    return (
        f"{notes} notes in {len(state.banks)} banks, {pending} pending, {failed} failed; "
        f"{state.queue.waiting} jobs waiting, the oldest for {state.queue.oldest_seconds:.0f} s"
    )


def _language_model(loaded: Settings) -> CheckAnswer:
    if bootstrap.has_language_model(loaded):
        detail = f"{loaded.openai.model_name} analyses and links notes"
    else:
        detail = "none set: the deterministic analyser works; set openai.api-key (OPENAI_API_KEY) for a better one"
    return CheckAnswer(name="language model", ok=True, detail=detail)


COMMANDS = {"settings": show_settings, "doctor": doctor}
