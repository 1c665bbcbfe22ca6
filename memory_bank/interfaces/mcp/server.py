"""The MCP server: lists the tools of the table and calls them, whatever the transport."""

import logging
from collections.abc import Callable
from typing import Any

from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server

import memory_bank
from memory_bank.errors import MemoryBankError
from memory_bank.interfaces import arguments
from memory_bank.interfaces.access import Caller
from memory_bank.interfaces.mcp import beliefs, notes
from memory_bank.interfaces.mcp.tools import Tool
from memory_bank.services import redaction
from memory_bank.settings import Settings, Toolset

logger = logging.getLogger(__name__)

INSTRUCTIONS = (
    "Memory Bank keeps what should outlast this conversation. Search it before answering from memory. Store lessons "
    "and events as short self-contained notes; state what is so about a person, project or thing with remember, which "
    "corrects what it contradicts. Start and finish longer work as tasks. What is never recalled fades."
)
TOOLSETS: dict[Toolset, tuple[Tool[Any, Any], ...]] = {
    Toolset.NOTES: notes.TOOLS,
    Toolset.BELIEFS: beliefs.TOOLS,
}


def build(settings: Settings, *, caller: Callable[[ServerRequestContext[Any]], Caller]) -> Server[Any]:
    """Build the server; it lists tools at once, calls wait for the app. `caller` tells who sent a message."""
    tools = {tool.name: tool for toolset in settings.mcp.toolsets for tool in TOOLSETS.get(toolset, ())}
    definitions = [tool.definition() for tool in tools.values()]

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=definitions)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            return _failed(f"unknown tool {params.name[:80]!r}; the tools here are {', '.join(tools)}")
        return await _called(tool, caller(context), params.arguments or {})

    return Server(
        "memory-bank",
        title="Memory Bank",
        version=memory_bank.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _called(tool: Tool[Any, Any], caller: Caller, given: dict[str, Any]) -> types.CallToolResult:
    try:
        asked = arguments.read(tool.arguments, given)
        with redaction.noticing() as kinds:
            answer = await caller.run(tool.run, asked)
    except MemoryBankError as error:
        return _failed(str(error))
    except Exception:
        logger.exception("A tool failed unexpectedly.", extra={"tool": tool.name})
        return _failed("internal error; nothing was changed by this call, see the server's log")
    told = [answer.model_dump_json(exclude_none=True), redaction.notice(kinds)]
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=each) for each in told if each],
        structured_content=answer.model_dump(mode="json", exclude_none=True),
    )


def _failed(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)
