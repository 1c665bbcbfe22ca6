"""`memory-bank serve`."""

import json
import sys

import click

from memory_bank.interfaces import server
from memory_bank.interfaces.cli.invocation import Invocation, waited
from memory_bank.settings import Settings


@click.command()
@click.option("--host", help="Address to listen on, before the setting server.host.")
@click.option("--port", help="Port to listen on, before the setting server.port.")
@click.option("--insecure", is_flag=True, help="Listen beyond loopback without tokens: whoever reaches it may do all.")
@click.pass_obj
def serve(invocation: Invocation, host: str | None, port: str | None, insecure: bool) -> None:
    """Serve REST, MCP over SSE and streamable HTTP, and the web page."""
    loaded = invocation.settings(server__host=host, server__port=port, server__insecure="true" if insecure else None)
    waited(server.serve(loaded, on_listening=lambda url: click.echo(announcement(url, loaded))))


def announcement(url: str, loaded: Settings) -> str:
    """Return where to connect, and client configurations to paste."""
    reachable = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    header = {"headers": {"Authorization": "Bearer TOKEN"}} if server.surely_needs_tokens(loaded) else {}
    sse = {"mcpServers": {"memory-bank": {"type": "sse", "url": f"{reachable}{server.SSE_PATH}", **header}}}
    command = {
        "command": sys.executable,
        "args": ["-m", "memory_bank", "stdio"],
        "env": {"MEMORY_BANK_DATA_DIR": str(loaded.data_dir)},
    }
    stdio = {"mcpServers": {"memory-bank": command}}
    return f"""Memory Bank listens on {url}

  web page         {reachable}/
  MCP over SSE     {reachable}{server.SSE_PATH}
  streamable HTTP  {reachable}{server.STREAMABLE_PATH}
  REST             {reachable}/api/v1  (described at {reachable}/docs)

Paste into your client's MCP configuration:
{json.dumps(sse)}
or, for a client that starts the server itself:
{json.dumps(stdio)}

The embedding model loads in the background; {reachable}/ready tells when it is there. Stop with Ctrl-C."""


COMMANDS = {"serve": serve}
