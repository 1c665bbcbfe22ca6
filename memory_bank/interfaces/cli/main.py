"""The `memory-bank` command: finds its subcommands, and turns errors into one line and an exit status."""

import gc
import importlib
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

import memory_bank
from memory_bank.errors import ConfigurationError, InvalidInput, MemoryBankError, ProviderUnavailable, StoreUnavailable
from memory_bank.interfaces.cli.invocation import Invocation, tell

# Each command's module is imported only when it runs: `stdio` must not wait for what only `serve` needs.
COMMANDS = {
    "serve": "serving",
    "stdio": "stdio",
    "worker": "working",
    "add": "notes",
    "search": "notes",
    "get": "notes",
    "list": "notes",
    "remember": "beliefs",
    "recall": "beliefs",
    "relate": "beliefs",
    "observe": "beliefs",
    "context": "beliefs",
    "task": "beliefs",
    "introspect": "beliefs",
    "consolidate": "beliefs",
    "forget": "beliefs",
    "import": "transfer",
    "export": "transfer",
    "backup": "backups",
    "restore": "backups",
    "token": "tokens",
    "enrich": "working",
    "reindex": "working",
    "eval": "evaluation",
    "bench": "measurement",
    "settings": "inspection",
    "doctor": "doctor",
}


_YOUNG_OBJECTS = 10_000


class LazyGroup(click.Group):
    """A group whose commands are imported by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every command's name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None when there is no such one."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"memory_bank.interfaces.cli.{COMMANDS[cmd_name]}")
        command = module.COMMANDS[cmd_name]
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", type=click.Path(path_type=Path), help="The application.properties to read.")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Set one setting, before environment and file."
)
@click.version_option(memory_bank.__version__, prog_name="memory-bank")
@click.pass_context
def cli(context: click.Context, config: Path | None, overrides: tuple[str, ...]) -> None:
    """Memory for AI agents: notes that link themselves and fade when never recalled."""
    context.obj = Invocation(config=config, overrides=_pairs(overrides), environ=os.environ, cwd=Path.cwd())


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 refused, 2 wrong use or settings, 3 try again later."""
    # Python's 700 look three times through all that was imported before a command is at work
    gc.set_threshold(_YOUNG_OBJECTS)
    try:
        status = cli.main(args=arguments, standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except MemoryBankError as error:
        tell(f"memory-bank: {error}", level=logging.ERROR)
        sys.exit(_status(error))
    sys.exit(status if isinstance(status, int) else 0)


def _status(error: MemoryBankError) -> int:
    match error:
        case InvalidInput() | ConfigurationError():
            return 2
        case ProviderUnavailable() | StoreUnavailable():
            return 3
        case _:
            return 1


def _pairs(overrides: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise InvalidInput("--set", f"write KEY=VALUE, got {override!r}")
        pairs[key.strip()] = value
    return pairs
