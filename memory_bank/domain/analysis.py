"""What an analyst says about one note, and the bounds its words are held to whoever the analyst is."""

from collections.abc import Iterable
from dataclasses import dataclass

from memory_bank.domain import links, text

KEYWORD_COUNT, KEYWORD_LENGTH = 20, 80
TAG_COUNT, TAG_LENGTH = 10, 60
CONTEXT_LENGTH = 500


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """Keywords by importance, a one-sentence core theme, and short lower-case tags."""

    keywords: tuple[str, ...]
    context: str
    tags: tuple[str, ...]
    origin: links.LinkOrigin


def bounded(*, keywords: Iterable[str], context: str, tags: Iterable[str], origin: links.LinkOrigin) -> Analysis:
    """Build an `Analysis` within the limits of this module: cleaned, without repeats, order kept."""
    return Analysis(
        keywords=_distinct(keywords, count=KEYWORD_COUNT, length=KEYWORD_LENGTH),
        context=text.preview(" ".join(text.storable(context).split()), limit=CONTEXT_LENGTH),
        tags=_distinct((tag.lower() for tag in tags), count=TAG_COUNT, length=TAG_LENGTH),
        origin=origin,
    )


def _distinct(words: Iterable[str], *, count: int, length: int) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for word in words:
        cleaned = " ".join(text.storable(word).split())
        if cleaned and not text.is_blank(cleaned) and len(cleaned) <= length:
            kept.setdefault(cleaned.casefold(), cleaned)
    return tuple(kept.values())[:count]
