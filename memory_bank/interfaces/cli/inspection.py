"""`memory-bank settings`: what is set, and where each value comes from."""

import click

from memory_bank import settings
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show


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


COMMANDS = {"settings": show_settings}
