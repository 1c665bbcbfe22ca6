"""Questions to an MCP server over streamable HTTP, without any SDK."""

import json
import urllib.request
from typing import Any

from conformance.scenarios import SESSIONS, Kind, Offer

_SECONDS = 60
_CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "conformance", "version": "1"},
}
_LISTS = (("tools", Kind.TOOL, "name"), ("prompts", Kind.PROMPT, "name"), ("resources", Kind.RESOURCE, "uri"))


def offer(url: str) -> Offer:
    """Ask the server at `url` what it declares, and for the names of what it has."""
    declared, session = _answer(url, "initialize", _CLIENT)
    capabilities = declared["capabilities"]
    found = {(Kind.CAPABILITY, str(name)) for name in capabilities}
    if session is not None:
        found.add((Kind.TRAIT, SESSIONS))
    for what, kind, name in _LISTS:
        if what in capabilities:
            listed, _ = _answer(url, f"{what}/list", {}, session=session)
            found |= {(kind, str(each[name])) for each in listed[what]}
    return Offer(found=frozenset(found))


def _answer(url: str, method: str, params: object, *, session: str | None = None) -> tuple[Any, str | None]:
    """Return the result, and the id of the session that was opened."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **({} if session is None else {"Mcp-Session-Id": session}),
    }
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
        text, opened = answer.read().decode(), answer.headers.get("Mcp-Session-Id")
    return message(text)["result"], opened


def message(text: str) -> Any:
    """Return the answer in a body of JSON, or in the last event of a stream."""
    events = [line.removeprefix("data:").strip() for line in text.splitlines() if line.startswith("data:")]
    return json.loads(next((each for each in reversed(events) if each), text))
