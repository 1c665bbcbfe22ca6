"""The MCP server: lists the tools of the table and calls them, whatever the transport."""

import logging
import time
from collections.abc import Callable
from typing import Any

from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server

import memory_bank
from memory_bank.errors import MemoryBankError, NotFound
from memory_bank.interfaces import arguments, requests
from memory_bank.interfaces.access import Caller
from memory_bank.interfaces.mcp import beliefs, notes
from memory_bank.interfaces.mcp.tools import Tool
from memory_bank.interfaces.requests import UNKNOWN
from memory_bank.services import redaction, tracing
from memory_bank.services.metrics import Metrics, Outcome, Unmeasured
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


def build(
    settings: Settings, *, caller: Callable[[ServerRequestContext[Any]], Caller], metrics: Metrics | None = None
) -> Server[Any]:
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
        call = _Call(metrics or Unmeasured())
        tool = tools.get(params.name)
        with tracing.following(requests.of_message(context)) as trace:
            trace.tool = UNKNOWN if tool is None else tool.name
            if tool is None:
                # cut, a secret might no longer be known as one
                name = redaction.refusal(params.name)[:80]
                answer = call.refused(NotFound(f"unknown tool {name!r}; the tools here are {', '.join(tools)}"))
            else:
                answer = await _called(tool, caller(context), params.arguments or {}, call)
            call.ended(trace.tool)
            return answer

    return Server(
        "memory-bank",
        title="Memory Bank",
        version=memory_bank.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class _Call:
    """What is told of one tool call."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._begun = time.perf_counter()
        self._outcome = Outcome.OK
        self._error = ""

    def refused(self, error: MemoryBankError) -> types.CallToolResult:
        """Return the answer to a call that breaks a rule, or that something is missing for."""
        self._outcome, self._error = Outcome.REFUSED, type(error).__name__
        return _failed(redaction.refusal(str(error)))

    def failed(self) -> types.CallToolResult:
        """Return the answer to a call that failed through no fault of the caller."""
        self._outcome = Outcome.FAILED
        return _failed("internal error; nothing was changed by this call, see the server's log")

    def ended(self, tool: str) -> None:
        """Count and log the call."""
        seconds = time.perf_counter() - self._begun
        self._metrics.tool_called(tool, self._outcome, error=self._error, seconds=seconds)
        refusal = {"error": self._error} if self._error else {}
        told = {"outcome": self._outcome.value, **refusal, "milliseconds": round(seconds * 1000, 1)}
        logger.info("Answered a tool call.", extra=told)


async def _called(tool: Tool[Any, Any], caller: Caller, given: dict[str, Any], call: _Call) -> types.CallToolResult:
    try:
        asked = arguments.read(tool.arguments, given)
        with redaction.noticing() as kinds:
            answer = await caller.run(tool.run, asked)
    except MemoryBankError as error:
        return call.refused(error)
    except Exception:
        logger.exception("A tool failed unexpectedly.", extra={"tool": tool.name})
        return call.failed()
    told = [answer.model_dump_json(exclude_none=True), redaction.notice(kinds)]
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=each) for each in told if each],
        structured_content=answer.model_dump(mode="json", exclude_none=True),
    )


def _failed(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)
