"""Conversations: the conversations.json of a ChatGPT export, as exchanges."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memory_bank.domain import text
from memory_bank.domain.notes import TAG_LENGTH
from memory_bank.domain.transfer import Kind
from memory_bank.interfaces.memory_formats import problems
from memory_bank.interfaces.memory_formats.problems import Problems
from memory_bank.interfaces.memory_formats.published import Reader

TITLE = "title"
"""The name of the tag that carries a conversation's title."""


@dataclass(frozen=True, kw_only=True)
class _Message:
    id: object
    role: str
    said: str
    created: object
    place: str


def is_shape(given: object) -> bool:
    """Tell whether a value is a conversation: messages by id, each with its parent."""
    return isinstance(given, Mapping) and isinstance(given.get("mapping"), Mapping)


def read(given: object, *, place: str, reader: Reader, found: Problems) -> None:
    """Take the turns of a conversation that its last message ends; turns without an answer are reported.

    Where the user went back and asked anew, the branch that the conversation was left on counts.
    """
    if not isinstance(given, Mapping) or not isinstance(given.get("mapping"), Mapping):
        reason = "is no conversation: it has no mapping"
        found.refuse(Kind.EXCHANGE, problems.shown(given), place=place, reason=reason)
        return
    nodes: Mapping[str, object] = given["mapping"]
    title = problems.shown(given.get("title"))
    branch = _branch(nodes, given.get("current_node"))
    left = sum(_message(nodes[name], "") is not None for name in nodes.keys() - set(branch))
    if left:
        reason = f"{left} messages stand on branches that the conversation was not left on"
        found.skip(Kind.EXCHANGE, title, place=place, reason=reason)
    session = given.get("conversation_id") or given.get("id")
    for user, assistant in _turns(_messages(nodes, branch, place), title=title, found=found):
        turn = {
            "id": user[0].id,
            "user": _joined(user),
            "assistant": _joined(assistant),
            "timestamp": _milliseconds(user[0].created, given.get("create_time")),
            "sessionId": session,
            "tags": {TITLE: text.preview(title, limit=TAG_LENGTH - len(TITLE) - 1)} if title else None,
        }
        reader.exchange(turn, place=user[0].place)


def _branch(nodes: Mapping[str, object], last: object) -> list[str]:
    """Return the ids from the first message to the last one, along the parents."""
    name: object = last if isinstance(last, str) and last in nodes else _latest_end(nodes)
    branch: dict[str, None] = {}
    while isinstance(name, str) and name in nodes and name not in branch:
        branch[name] = None
        name = _part(nodes[name], "parent")
    return list(branch)[::-1]


def _latest_end(nodes: Mapping[str, object]) -> str | None:
    parents = {parent for each in nodes.values() if isinstance(parent := _part(each, "parent"), str)}
    ends = [name for name in nodes if name not in parents]
    return max(ends, key=lambda name: _seconds(_part(_part(nodes[name], "message"), "create_time")), default=None)


def _messages(nodes: Mapping[str, object], branch: Iterable[str], place: str) -> Iterator[_Message]:
    for name in branch:
        message = _message(nodes[name], f"{place}.{problems.shown(name)}")
        if message is not None:
            yield message


def _message(node: object, place: str) -> _Message | None:
    """Return what a user or the assistant said to the other; tools, system messages and hidden ones say nothing."""
    message = _part(node, "message")
    role = _part(_part(message, "author"), "role")
    if not isinstance(role, str) or role not in ("user", "assistant"):
        return None
    if _part(message, "recipient") not in (None, "all"):
        return None
    if _part(_part(message, "metadata"), "is_visually_hidden_from_conversation") is True:
        return None
    content = _part(message, "content")
    if _part(content, "content_type") not in ("text", "multimodal_text"):
        return None
    parts = _part(content, "parts")
    said = "\n\n".join(each for each in parts if isinstance(each, str)) if isinstance(parts, list) else ""
    if text.is_blank(said):
        return None
    id = _part(message, "id")
    return _Message(id=id, role=role, said=said, created=_part(message, "create_time"), place=place)


def _turns(
    messages: Iterable[_Message], *, title: str, found: Problems
) -> Iterator[tuple[list[_Message], list[_Message]]]:
    user: list[_Message] = []
    assistant: list[_Message] = []
    for message in messages:
        if message.role == "assistant":
            assistant.append(message)
            continue
        if user and assistant:
            yield user, assistant
            user, assistant = [], []
        if assistant:
            _leave(assistant, title, "the assistant spoke without being asked", found)
            assistant = []
        user.append(message)
    if user and assistant:
        yield user, assistant
    elif user or assistant:
        _leave(user or assistant, title, "has no counterpart: an exchange needs both sides", found)


def _leave(messages: list[_Message], title: str, reason: str, found: Problems) -> None:
    found.skip(Kind.EXCHANGE, title, place=messages[0].place, reason=reason)


def _joined(messages: Iterable[_Message]) -> str:
    return "\n\n".join(each.said for each in messages)


def _part(of: object, name: str) -> object:
    return of.get(name) if isinstance(of, Mapping) else None


def _seconds(value: object) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return float(value) if known and isinstance(value, int | float) else 0.0


def _milliseconds(*values: object) -> object:
    """Return the first time there is, which is in seconds, in milliseconds; what is no number stays as it is."""
    value = next((each for each in values if each is not None), None)
    return value * 1000 if isinstance(value, int | float) and not isinstance(value, bool) else value
