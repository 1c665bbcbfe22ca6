"""`memory-bank stdio`."""

import importlib
import os

import click

from memory_bank.interfaces.cli.invocation import Invocation, waited
from memory_bank.interfaces.mcp import wire


@click.command()
@click.pass_obj
def stdio(invocation: Invocation) -> None:
    """Serve one MCP client over standard input and output, as editors start it."""
    outgoing = wire.outgoing()
    # imported only now that nothing which it brings in can write to the client
    transport = importlib.import_module("memory_bank.interfaces.mcp.stdio")
    loaded = invocation.settings()
    if waited(transport.serve(loaded, outgoing)) is transport.End.SIGNAL:
        # a thread still waits for the client's next line, and nothing but the process's end can wake it
        os._exit(0)


COMMANDS = {"stdio": stdio}
