"""The MCP server: lists the tools of the table and calls them, whatever the transport."""

import logging
from typing import Any

from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server

import memory_bank
from memory_bank.errors import MemoryBankError
from memory_bank.interfaces import arguments
from memory_bank.interfaces.mcp import beliefs, notes
from memory_bank.interfaces.mcp.tools import Tool
from memory_bank.interfaces.opening import Opening
from memory_bank.settings import Toolset

logger = logging.getLogger(__name__)

INSTRUCTIONS = (
    "Memory Bank keeps what should outlast this conversation. Search it before answering from memory; store decisions, "
    "facts, preferences and lessons as short self-contained notes. Notes link themselves and fade when never recalled."
)
TOOLSETS: dict[Toolset, tuple[Tool[Any, Any], ...]] = {
    Toolset.NOTES: notes.TOOLS,
    Toolset.BELIEFS: beliefs.TOOLS,
}


def build(opening: Opening) -> Server[Any]:
    """Build the server over an app that may still be opening; it lists tools at once, calls wait for the app."""
    tools = {tool.name: tool for toolset in opening.settings.mcp.toolsets for tool in TOOLSETS.get(toolset, ())}
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
        return await _called(tool, opening, params.arguments or {})

    return Server(
        "memory-bank",
        title="Memory Bank",
        version=memory_bank.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _called(tool: Tool[Any, Any], opening: Opening, given: dict[str, Any]) -> types.CallToolResult:
    try:
        asked = arguments.read(tool.arguments, given)
        answer = await tool.run(await opening.app(), asked)
    except MemoryBankError as error:
        return _failed(str(error))
    except Exception:
        logger.exception("A tool failed unexpectedly.", extra={"tool": tool.name})
        return _failed("internal error; nothing was changed by this call, see the server's log")
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.model_dump_json(exclude_none=True))],
        structured_content=answer.model_dump(mode="json", exclude_none=True),
    )


def _failed(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)
