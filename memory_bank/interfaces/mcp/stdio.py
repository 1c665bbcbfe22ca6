"""MCP over standard input and output."""

import asyncio
import signal
from enum import Enum, auto

from mcp.server.stdio import stdio_server

from memory_bank.bootstrap import Opening
from memory_bank.interfaces.mcp import server
from memory_bank.settings import Settings


class End(Enum):
    """Why serving ended."""

    CLIENT = auto()
    SIGNAL = auto()


async def serve(settings: Settings) -> End:
    """Answer one client until it closes its end or a signal comes; everything opened is then closed.

    A configuration that the store refuses is told to the client with every call.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stopped.set)
    async with Opening(settings, on_refused=lambda: None) as opening:
        serving = asyncio.create_task(_answer(opening))
        stopping = asyncio.create_task(stopped.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
    if serving.done():
        serving.result()
        return End.CLIENT
    return End.SIGNAL


async def _answer(opening: Opening) -> None:
    mcp = server.build(opening)
    async with stdio_server() as (incoming, outgoing):
        await mcp.run(incoming, outgoing, mcp.create_initialization_options())
