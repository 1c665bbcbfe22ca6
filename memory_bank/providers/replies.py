"""What a language model answered: found in whatever it wrote around it, checked, and turned into domain values.

A reply is hostile until checked. Reading is tolerant about the wrapping (fences, prose, think-blocks, sloppy or cut
JSON) and strict about the content: only offered candidates, only the six link types, lengths capped. Every reader
used here runs in time proportional to the reply, which libraries that guess at repairs do not.
"""

import json
import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

import pydantic_core
import pyjson5

from memory_bank.domain import analysis as analyses
from memory_bank.domain import links, text
from memory_bank.errors import ProviderUnavailable

logger = logging.getLogger(__name__)

# Of a longer reply that is not JSON as a whole, only the end is searched: answers come last.
REPLY_LIMIT = 64_000
UNSTATED_CONFIDENCE = 0.5
# How many braces are tried as the start of an object, and how many of them by the slower, tolerant readers.
_STARTS, _TOLERANT_STARTS = 200, 12
_NESTING = 20
_ITEMS = 200
_SHOWN_VALUES, _SHOWN_LENGTH = 20, 40
_LARGE = 10**_SHOWN_LENGTH

_STRING_OR_LITERAL = re.compile(
    r"""
    "(?:[^"\\]|\\.)*+"?         # a string, possibly unfinished: possessive, so that no input is read twice
    | '(?:[^'\\]|\\.)*+'?
    | \b(?:True|False|None)\b   # as Python writes them
    """,
    re.VERBOSE | re.DOTALL,
)
_JSON_LITERALS = {"True": "true", "False": "false", "None": "null"}
_FIRST_KEY = re.compile(r"""\{(?:\s++|//[^\n]*+\n)*+["']?(\w++)["']?\s*+:""")
_THINKING = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)
_CAMEL_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STRICT = json.JSONDecoder(strict=False)


@dataclass(frozen=True, kw_only=True)
class _Found:
    """A JSON object within a reply; `end` is where the search goes on, `cut` whether the reply broke off in it."""

    value: Mapping[str, object]
    end: int
    cut: bool = False


def analysis(reply: str) -> analyses.Analysis:
    """Read keywords, context and tags from a reply.

    Tags that hold a colon are dropped: `key:value` tags steer who sees a note and are the caller's to give.
    Raises `ProviderUnavailable` unless all three are there, each with something in it.
    """
    found = _answer(reply, keys=("keywords", "context", "tags"))
    context = found.get("context")
    tags = (tag.strip().lstrip("#") for tag in _words(found.get("tags")))
    result = analyses.bounded(
        keywords=_words(found.get("keywords")),
        context=context if isinstance(context, str) else "",
        tags=(tag for tag in tags if ":" not in tag),
        origin=links.LinkOrigin.LLM,
    )
    for name, value in (("keywords", result.keywords), ("context", result.context), ("tags", result.tags)):
        if not value or (isinstance(value, str) and text.is_blank(value)):
            raise _unusable(f"it has no {name}")
    return result


def judgements(reply: str, offered: Mapping[str, UUID]) -> list[links.Judgement]:
    """Read the links that a reply proposes; `offered` maps each label shown to the model to its note.

    At most one judgement for each note, the first valid one. Every entry with an unknown label or type, a confidence
    outside 0 to 1 or no explanation is left out, and one warning shows the bad values. Raises `ProviderUnavailable`
    when the reply as a whole cannot be used.
    """
    found = _answer(reply, keys=("links",))
    entries = found.get("links")
    if not isinstance(entries, list):
        raise _unusable("its links are not a list")
    accepted: dict[UUID, links.Judgement] = {}
    refused: list[str] = []
    for entry in entries[:_ITEMS]:
        judgement = _judgement(entry, offered)
        if isinstance(judgement, str):
            refused.append(judgement)
        elif judgement is not None and accepted.setdefault(judgement.target_id, judgement) is not judgement:
            refused.append("a candidate named twice")
    if refused:
        shown = ", ".join(refused[:_SHOWN_VALUES])
        logger.warning(
            "Skipped %d of %d links that the language model proposed: %s",
            len(refused),
            len(entries),
            shown,
            extra={"refused": len(refused), "accepted": len(accepted)},
        )
    return list(accepted.values())


def contradictions(reply: str, offered: Collection[str]) -> dict[str, str]:
    """Read which pairs of facts a reply calls contradictory, and why; `offered` are the labels shown to the model.

    Entries with an unknown label or without a reason are left out. Raises `ProviderUnavailable` when the reply as a
    whole cannot be used.
    """
    entries = _answer(reply, keys=("contradictions",)).get("contradictions")
    if not isinstance(entries, list):
        raise _unusable("its contradictions are not a list")
    found: dict[str, str] = {}
    for entry in entries[:_ITEMS]:
        label = entry.get("pair") if isinstance(entry, dict) else None
        reason = _explanation(entry.get("reason")) if isinstance(entry, dict) else ""
        if isinstance(label, str) and label.strip().upper() in offered and reason:
            found.setdefault(label.strip().upper(), reason)
        else:
            logger.warning("Skipped a contradiction that the language model proposed: pair %s", _shown(label))
    return found


def _judgement(entry: object, offered: Mapping[str, UUID]) -> links.Judgement | str | None:
    """Return the judgement, what is wrong with the entry, or None where the model says that there is no link."""
    if not isinstance(entry, dict):
        return f"entry {_shown(entry)}"
    if any(entry.get(key) is False for key in ("exists", "link_exists", "linkExists")):
        return None
    label = entry.get("candidate")
    target = offered.get(label.strip().upper()) if isinstance(label, str) else None
    if target is None:
        return f"candidate {_shown(label)}"
    kind = _type(entry.get("type"))
    if kind is None:
        return f"type {_shown(entry.get('type'))}"
    confidence = _confidence(entry.get("confidence"))
    if confidence is None:
        return f"confidence {_shown(entry.get('confidence'))}"
    explanation = _explanation(entry.get("explanation"))
    if not explanation:
        return f"no explanation for {_shown(label)}"
    return links.Judgement(
        target_id=target, type=kind, explanation=explanation, origin=links.LinkOrigin.LLM, confidence=confidence
    )


def _type(value: object) -> links.LinkType | None:
    if not isinstance(value, str) or len(value) > _SHOWN_LENGTH:
        return None
    name = "_".join(re.split(r"[\s_-]+", _CAMEL_HUMP.sub("_", value.strip()))).lower()
    return links.LinkType(name) if name in list(links.LinkType) else None


def _confidence(value: object) -> float | None:
    if value is None:
        return UNSTATED_CONFIDENCE
    if isinstance(value, str) and len(value) <= _SHOWN_LENGTH:
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None


def _explanation(value: object) -> str:
    if not isinstance(value, str):
        return ""
    cleaned = " ".join(text.storable(value).split())
    return "" if text.is_blank(cleaned) else text.preview(cleaned, limit=links.EXPLANATION_LIMIT)


def _words(value: object) -> Iterator[str]:
    items: Iterable[object] = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
    for position, item in enumerate(items):
        if position == _ITEMS:
            return
        if isinstance(item, str):
            yield item
        elif isinstance(item, int) and not isinstance(item, bool) and abs(item) < _LARGE:
            yield repr(item)


def _shown(value: object) -> str:
    """Return a bad value for the log; a long text is only measured, for it may repeat a note."""
    match value:
        case str() if len(value) > _SHOWN_LENGTH:
            return f"(a text of {len(value)} characters)"
        case str() | float() | bool() | None:
            return repr(value)
        case int() if abs(value) < _LARGE:
            return repr(value)
        case _:
            return f"(a {type(value).__name__})"


def _answer(reply: str, *, keys: Collection[str]) -> Mapping[str, object]:
    """Return the object that answers: the last one in the reply that has one of `keys`.

    The last, because examples and drafts come first; and if the last such object cannot be read, none is taken.
    """
    if not reply.strip():
        raise _unusable("it is empty")
    whole = _decoded(reply.strip())
    if whole is not None and (picked := _picked(whole, keys)):
        return picked
    for region in _regions(reply[-REPLY_LIMIT:]):
        if answer := _last(region, keys):
            if answer.cut:
                logger.warning("A reply of the language model broke off; what was complete in it is used")
            return answer.value
    raise _unusable("it holds no JSON object with " + ", ".join(keys))


def _regions(reply: str) -> Iterator[str]:
    """Yield the parts of a reply to search: what follows its thinking, else all of it where nothing was thought."""
    marks = list(_THINKING.finditer(reply))
    if marks and marks[-1].group().startswith("</"):
        yield reply[marks[-1].end() :]
    opening = reply.find("{")
    # A mark after the first brace may be part of a text; one before it opens thoughts, and drafts are no answer.
    if not marks or marks[0].start() > opening >= 0:
        yield reply


def _last(region: str, keys: Collection[str]) -> _Found | None:
    best: _Found | None = None
    position, tolerant = region.find("{"), _TOLERANT_STARTS
    for _ in range(_STARTS):
        if position < 0:
            break
        found = _strict_object(region, position)
        first_key = _FIRST_KEY.match(region, position)
        if found is None and first_key and tolerant:
            tolerant -= 1
            found = _tolerant_object(region, position)
        if found and (picked := _picked(found.value, keys)):
            best = _Found(value=picked, end=found.end, cut=found.cut)
        elif first_key and first_key.group(1) in keys and (found is None or found.cut):
            best = None
        position = region.find("{", found.end if found else position + 1)
    if best is not None and best.cut and not all(best.value.values()):
        return None
    return best or _bare_list(region, keys)


def _strict_object(region: str, start: int) -> _Found | None:
    try:
        value, end = _STRICT.raw_decode(region, start)
    except (ValueError, RecursionError):
        return None
    return _Found(value=value, end=end)


def _tolerant_object(region: str, start: int) -> _Found | None:
    """Read an object in the sloppy JSON that models write, else what is complete of one that was cut."""
    rest = region[start:]
    sloppy = _sloppy(rest)
    if isinstance(sloppy, dict):
        return _Found(value=sloppy, end=start + 1)
    try:
        return _Found(value=pydantic_core.from_json(rest, allow_partial=True), end=len(region), cut=True)
    except ValueError:
        return None


def _sloppy(rest: str) -> object:
    """Read JSON5 (single quotes, trailing commas, bare keys, comments) and Python's literals; None if it is neither."""
    readable = _STRING_OR_LITERAL.sub(lambda match: _JSON_LITERALS.get(match.group(), match.group()), rest)
    try:
        return pyjson5.decode(readable, maxdepth=_NESTING)
    except pyjson5.Json5ExtraData as extra:
        return extra.result
    except (pyjson5.Json5Exception, ValueError, OverflowError):
        return None


def _bare_list(region: str, keys: Collection[str]) -> _Found | None:
    """Accept a non-empty list of objects as the one list that was asked for."""
    start = region.find("[")
    if len(keys) != 1 or start < 0:
        return None
    try:
        value, end = _STRICT.raw_decode(region, start)
    except (ValueError, RecursionError):
        return None
    if value and all(isinstance(item, dict) and "candidate" in item for item in value):
        return _Found(value={next(iter(keys)): value}, end=end)
    return None


def _decoded(reply: str) -> Mapping[str, object] | None:
    try:
        value = json.loads(reply, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _picked(value: Mapping[str, object], keys: Collection[str]) -> Mapping[str, object] | None:
    """Return the object if it has one of `keys`, or the object that it merely wraps."""
    if any(key in value for key in keys):
        return value
    inner = next(iter(value.values())) if len(value) == 1 else None
    return inner if isinstance(inner, dict) and any(key in inner for key in keys) else None


def _unusable(reason: str) -> ProviderUnavailable:
    return ProviderUnavailable(f"the language model's reply cannot be used: {reason}; try again later or another model")
