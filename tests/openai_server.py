"""A provider of models on the loopback: a real HTTP server for OpenAI's protocol that answers by script."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

WAIT_SECONDS = 30


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a client sent; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        """The instructions."""
        return self._message("system")

    @property
    def user(self) -> str:
        """The data, as the client rendered it."""
        return self._message("user")

    @property
    def format(self) -> str | None:
        """The kind of structured output asked for."""
        wanted = self.body.get("response_format")
        return None if wanted is None else str(wanted["type"])

    def _message(self, role: str) -> str:
        return "".join(str(each["content"]) for each in self.body["messages"] if each["role"] == role)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server does with one request: by default it answers with `text` as the assistant's message.

    body: sent as it is instead of a chat completion. held: answer only after `release`. reset: break the connection
    without an answer. cut_at: promise the whole body, send this many bytes, then break the connection.
    """

    text: str | None = "{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    finish_reason: str = "stop"
    held: bool = False
    reset: bool = False
    cut_at: int | None = None


Answer = Callable[[Request], Reply]


class OpenAIServer:
    """Serve on a free port of the loopback while the block lasts.

    Each request takes the next step of the script, a `Reply` or a function from the request to one; the last step
    serves all further requests. `requests` holds them all in the order of arrival.
    """

    def __init__(self, *script: Reply | Answer) -> None:
        self._script = list(script) or [agreeable]
        self.requests: list[Request] = []
        self.in_flight = 0
        self.peak = 0
        self._changed = asyncio.Condition()
        self._released = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self.release()
        self._server.close()
        async with asyncio.timeout(WAIT_SECONDS):
            await asyncio.gather(*self._tasks)

    @property
    def base_url(self) -> str:
        """The address to give to a client."""
        assert self._server is not None, "enter the server first"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def release(self) -> None:
        """Let every held answer go, now and from now on."""
        self._released.set()

    async def reached(self, count: int) -> None:
        """Wait until `count` requests have arrived."""
        async with asyncio.timeout(WAIT_SECONDS), self._changed:
            await self._changed.wait_for(lambda: len(self.requests) >= count)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A plain callback: asyncio complains aloud when the task of a coroutine callback is cancelled.
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            request = await _request(reader)
            step = self._script.pop(0) if len(self._script) > 1 else self._script[0]
            await self._arrived(request)
            try:
                reply = step if isinstance(step, Reply) else step(request)
                if reply.held:
                    await self._released.wait()
                await _send(writer, reply)
            finally:
                self.in_flight -= 1
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async def _arrived(self, request: Request) -> None:
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        async with self._changed:
            self.requests.append(request)
            self._changed.notify_all()


def embedded(*rows: Sequence[object], indices: Sequence[object] | None = None) -> Reply:
    """Return an answer of these vectors, whatever they hold; `indices` in place of 0, 1, 2 and so on."""
    numbered = zip(range(len(rows)) if indices is None else indices, rows, strict=True)
    body = {
        "object": "list",
        "model": "scripted",
        "data": [{"object": "embedding", "index": index, "embedding": row} for index, row in numbered],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
    return Reply(body=json.dumps(body).encode())


def embedding_by_length(request: Request, *, dimensions: int = 8) -> Reply:
    """Answer each input with twice the direction that its length points to."""
    texts = [str(each) for each in request.body["input"]]
    return embedded(*([2.0 * (place == len(text) % dimensions) for place in range(dimensions)] for text in texts))


def agreeable(request: Request) -> Reply:
    """Answer as a good model would: a plain analysis, or a link to every candidate."""
    asked = json.loads(request.user)
    if "candidates" not in asked:
        return analysed()
    return linked(*(link(candidate["label"]) for candidate in asked["candidates"]))


def analysed(
    *,
    keywords: tuple[str, ...] = ("backup", "disk quota", "night job"),
    context: str = "The nightly backup stopped because the disk quota was used up.",
    tags: tuple[str, ...] = ("operations", "incident", "storage"),
) -> Reply:
    """Return a well-formed answer to an analysis."""
    return Reply(text=json.dumps({"keywords": keywords, "context": context, "tags": tags}, ensure_ascii=False))


def linked(*entries: object) -> Reply:
    """Return an answer to a judgement that proposes these entries, whatever they are."""
    return Reply(text=json.dumps({"links": entries}))


def link(label: object, **changes: object) -> dict[str, object]:
    """Return a well-formed link to the candidate with this label, with some fields changed."""
    entry = {"candidate": label, "type": "causal", "explanation": "One leads to the other.", "confidence": 0.8}
    return {**entry, **changes}


async def _request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    pairs = (line.split(":", 1) for line in lines)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(path=first.split(" ")[1], headers=headers, body=json.loads(body or b"{}"))


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> None:
    if reply.reset:
        writer.transport.abort()
        return
    body = _completion(reply) if reply.body is None else reply.body
    headers = {"content-type": "application/json", "connection": "close", **reply.headers}
    headers["content-length"] = str(len(body))
    lines = [f"HTTP/1.1 {reply.status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body[: reply.cut_at])
    await writer.drain()


def _completion(reply: Reply) -> bytes:
    if reply.status != 200:
        return json.dumps({"error": {"message": "scripted", "type": "scripted", "code": "scripted"}}).encode()
    choice = {
        "index": 0,
        "finish_reason": reply.finish_reason,
        "message": {"role": "assistant", "content": reply.text},
    }
    completion = {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    return json.dumps(completion).encode()
