"""`memory-bank stdio`."""

import os

import click

from memory_bank.interfaces.cli.invocation import Invocation, waited
from memory_bank.interfaces.mcp import stdio as transport


@click.command()
@click.pass_obj
def stdio(invocation: Invocation) -> None:
    """Serve one MCP client over standard input and output, as editors start it."""
    loaded = invocation.settings()
    if waited(transport.serve(loaded)) is transport.End.SIGNAL:
        # a thread still waits for the client's next line, and nothing but the process's end can wake it
        os._exit(0)


COMMANDS = {"stdio": stdio}
