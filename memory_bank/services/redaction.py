"""Redaction around the services: no secret comes in to be stored, none goes out again.

The services themselves stand inside this guard, which the composition root puts around them; a door gets them only
with it. So no door, no operation and no import can forget it, and every text is redacted before it is embedded,
hashed, shown to a language model or stored, and before an answer is cut to its length, which could hide half a secret.
"""

import asyncio
import contextlib
import dataclasses
import functools
import inspect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar, cast

from memory_bank.domain import redaction, secrets
from memory_bank.domain.redaction import Redacted, Secret
from memory_bank.domain.secrets import tokens

AT_ONCE = 20_000
"""Characters that are redacted at once; more is left to a thread, so that other calls go on."""

_LONG_NAME = re.compile(r"[A-Za-z0-9_-]{20,}+")
_ID = re.compile(r"[0-9a-fA-F-]+")

ServiceT = TypeVar("ServiceT")
_noticed: ContextVar[dict[str, None] | None] = ContextVar("noticed", default=None)


class Redactor(Protocol):
    """Takes secrets out of texts."""

    async def ready(self) -> None:
        """Wait until `redacted` does not have to."""
        ...

    def redacted(self, text: str) -> Redacted:
        """Return a text without its secrets."""
        ...


@contextlib.contextmanager
def noticing() -> Iterator[Mapping[str, None]]:
    """Collect the kinds of secrets that calls within the block bring in, in the order in which they are met."""
    kinds: dict[str, None] = {}
    token = _noticed.set(kinds)
    try:
        yield kinds
    finally:
        _noticed.reset(token)


def notice(kinds: Mapping[str, None]) -> str:
    """Return the sentence that tells a caller what was taken out of what it gave; empty when nothing was."""
    return f"Redacted as a secret, and not stored: {', '.join(kinds)}." if kinds else ""


def refusal(words: str) -> str:
    """Return the words of a refusal without secrets: they may repeat what a caller took for a name.

    Refusals are told before the store is open and the detectors are loaded: the domain's patterns alone look for
    secrets, and what is long and looks drawn, as no name of an argument or a tool does, goes as well.
    """
    drawn = (
        Secret(start=match.start(), end=match.end(), kind="secret")
        for match in _LONG_NAME.finditer(words)
        if _ID.fullmatch(match[0]) is None and tokens.is_random(match[0])
    )
    return redaction.redacted(words, [*secrets.found(words), *drawn]).text


def guarded(service: ServiceT, redactor: Redactor, *, asked: bool = True) -> ServiceT:
    """Return `service` with every coroutine's arguments and result redacted; with the results alone unless `asked`.

    Texts are found in dataclasses, lists, tuples, sets and mappings; a text that is a kind, a status or another
    enumeration's value stays, and so does whatever is no text: ids, moments, numbers.
    """
    return cast("ServiceT", _Guarded(service, redactor, asked=asked))


class _Guarded:
    def __init__(self, service: object, redactor: Redactor, *, asked: bool) -> None:
        self._service = service
        self._redactor = redactor
        self._asked = asked

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._service, name)
        if not inspect.iscoroutinefunction(member):
            return member

        @functools.wraps(member)
        async def call(*args: Any, **named: Any) -> Any:
            if self._asked:
                args, named = await self._redacted((args, named), notice=True)
            return await self._redacted(await member(*args, **named))

        return call

    async def _redacted(self, value: Any, *, notice: bool = False) -> Any:
        texts: dict[str, None] = {}
        _collect(value, texts)
        if not texts:
            return value
        await self._redactor.ready()
        work = functools.partial(_changes, list(texts), self._redactor.redacted)
        changes = work() if sum(map(len, texts)) <= AT_ONCE else await asyncio.to_thread(work)
        kinds = _noticed.get()
        if notice and kinds is not None:
            kinds.update((kind, None) for each in changes.values() for kind in each.found)
        return _with(value, {old: new.text for old, new in changes.items()}) if changes else value


def _changes(texts: Sequence[str], redacted: Callable[[str], Redacted]) -> dict[str, Redacted]:
    """Return the texts that change, and what becomes of them."""
    done = ((text, redacted(text)) for text in texts)
    return {text: each for text, each in done if each.found}


def _collect(value: Any, texts: dict[str, None]) -> None:
    """Add every text within `value`, in the order in which they are met."""
    kind: type[object] = type(value)
    if kind is str:
        texts[value] = None
        return
    parts = _parts[kind]
    if parts is not None:
        for part in parts(value):
            _collect(part, texts)


class _Parts(dict[type[object], Callable[[Any], Iterable[Any]] | None]):
    """What takes values of each type apart, None for a type without parts: found out once, as answers have hundreds."""

    def __missing__(self, kind: type[object]) -> Callable[[Any], Iterable[Any]] | None:
        parts: Callable[[Any], Iterable[Any]] | None = None
        if issubclass(kind, Mapping):
            parts = _keys_and_values
        elif issubclass(kind, list | tuple | set | frozenset):
            parts = iter
        elif dataclasses.is_dataclass(kind):
            names = [field.name for field in dataclasses.fields(kind)]
            parts = functools.partial(_attributes, names)
        self[kind] = parts
        return parts


_parts = _Parts()


def _keys_and_values(value: Mapping[Any, Any]) -> Iterator[Any]:
    return itertools.chain.from_iterable(value.items())


def _attributes(names: Sequence[str], value: object) -> list[Any]:
    return [getattr(value, name) for name in names]


def _with(value: Any, changes: Mapping[str, str]) -> Any:
    """Return `value` with its texts changed; what holds none of them is the same object as before."""
    if type(value) is str:
        return changes.get(value, value)
    if isinstance(value, Mapping):
        pairs = {_with(key, changes): _with(each, changes) for key, each in value.items()}
        return value if _same(pairs, value) and _same(pairs.values(), value.values()) else pairs
    if type(value) in (list, tuple, set, frozenset):
        items = [_with(each, changes) for each in value]
        return value if _same(items, value) else type(value)(items)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        new = {name: _with(getattr(value, name), changes) for name in names}
        changed = {name: each for name, each in new.items() if each is not getattr(value, name)}
        return dataclasses.replace(value, **changed) if changed else value
    return value


def _same(new: Iterable[object], old: Iterable[object]) -> bool:
    return all(one is other for one, other in zip(new, old, strict=False))
