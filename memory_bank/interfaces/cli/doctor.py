"""`memory-bank doctor`: is every part there and sound, and what is to be done where it is not?"""

from collections import Counter

import click

from memory_bank.bootstrap import examination
from memory_bank.errors import ConfigurationError
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show, stoppable, waited
from memory_bank.services.diagnosis import Check, Result


class CheckAnswer(Answer):
    """One check: how it ended, what was found, and what to do where all is not well."""

    name: str
    state: Result
    detail: str
    remedy: str | None = None


class DoctorAnswer(Answer):
    """Every check; `ok` unless one failed."""

    ok: bool
    checks: list[CheckAnswer]


@click.command()
@click.option("--online", is_flag=True, help="Also ask the language model for a word, and fetch what must be fetched.")
@json_option
@click.pass_obj
def doctor(invocation: Invocation, online: bool, as_json: bool) -> None:
    """Check settings, database, schema, models, queue, backups and disk; say for each fault what to do.

    Makes and migrates nothing. The exit status is 1 when a check failed; warnings leave it 0.
    """
    found = waited(_examined(invocation, online=online))
    answer = DoctorAnswer(ok=all(each.result is not Result.FAILED for each in found), checks=list(map(_answer, found)))
    show(answer, as_json=as_json, readable=lambda: _told(answer))
    click.get_current_context().exit(0 if answer.ok else 1)


async def _examined(invocation: Invocation, *, online: bool) -> list[Check]:
    with stoppable():
        try:
            loaded = invocation.settings()
        except ConfigurationError as error:
            return examination.unreadable(str(error))
        return await examination.examined(loaded, online=online)


def _answer(check: Check) -> CheckAnswer:
    return CheckAnswer(name=check.name, state=check.result, detail=check.detail, remedy=check.remedy or None)


def _told(answer: DoctorAnswer) -> str:
    lines = []
    for check in answer.checks:
        lines.append(f"{check.state.value:7}  {check.name}: {check.detail}")
        if check.remedy is not None:
            lines.append(f"         → {check.remedy}")
    counts = Counter(check.state.value for check in answer.checks)
    return "\n".join([*lines, ", ".join(f"{count} {state}" for state, count in counts.items())])


COMMANDS = {"doctor": doctor}
