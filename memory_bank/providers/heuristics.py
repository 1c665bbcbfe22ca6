"""The analyst that needs no language model: statistical keywords, the first sentence as context, links by evidence."""

import asyncio
import re
from collections.abc import Iterable, Sequence

from memory_bank.domain import analysis, link_typing, links
from memory_bank.domain.cues import reading
from memory_bank.providers import keywords

_KEYWORDS, _TAGS, _TAG_LENGTH = 10, 5, 30
_CONTEXT_READ = 2_000
_SHORT = 20
_HASHTAG = re.compile(r"(?<![\w&/])#([^\W\d_][\w-]{1,29})")
_OPENING = re.compile(r"\A[\s#>*•–—-]+")
# A sign that ends a sentence, closing quotes included: before a space, but in scripts that write none at once.
_END = re.compile(r"[。！？]+[」』”’）)]*|[.!?…؟۔।]+[\"'”’»)\]]*(?=\s|\Z)|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_ABBREVIATION = re.compile(
    r"(?:\b[^\W\d_]|\b(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|ca|cf|approx|no|nr|fig|e\.g|i\.e|z\.b|d\.h|u\.a|bzw|usw|p\.ej"
    r"|sra|ud|art|inc|ltd|co|corp|dept|est|max|min|tel|vol|pp?|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|т\.д"
    r"|т\.е|г|ул)|\d)\.\Z",
    re.IGNORECASE,
)


class HeuristicAnalyst:
    """Analyse and link notes deterministically, offline and in milliseconds."""

    async def analyse(self, content: str) -> analysis.Analysis:
        """Return keywords, the first sentence as context, and tags for one note; never fails on any text."""
        return await asyncio.to_thread(_analysed, content)

    async def judge(self, content: str, candidates: Sequence[links.Candidate]) -> list[links.Judgement]:
        """Return a judgement for each candidate that the note links to, in the candidates' order."""
        return await asyncio.to_thread(_judged, content, tuple(candidates))


def _analysed(content: str) -> analysis.Analysis:
    found = keywords.extracted(content, limit=_KEYWORDS)
    return analysis.bounded(
        keywords=found,
        context=_first_sentence(content),
        tags=_tags(content, found),
        origin=links.LinkOrigin.HEURISTIC,
    )


def _judged(content: str, candidates: Iterable[links.Candidate]) -> list[links.Judgement]:
    source = reading.read(content)
    judged = (link_typing.judge_reading(source, candidate) for candidate in candidates)
    return [judgement for judgement in judged if judgement is not None]


def _tags(content: str, found: Iterable[str]) -> list[str]:
    """Return the note's own hashtags, then its keywords as short lower-case words joined by hyphens."""
    hashtags = _HASHTAG.findall(content[: keywords.READ_LIMIT])
    derived = ("-".join(keyword.split()) for keyword in found)
    short = (tag.lower() for tag in (*hashtags, *derived) if len(tag) <= _TAG_LENGTH)
    return list(dict.fromkeys(short))[:_TAGS]


def _first_sentence(content: str) -> str:
    """Return the first sentence, with the next one where it is as short as a greeting."""
    head = _OPENING.sub("", content[:_CONTEXT_READ])
    for end in _END.finditer(head):
        sentence = head[: end.end()]
        if len(sentence) >= _least(sentence) and not _ABBREVIATION.search(sentence[-12:]):
            return sentence.strip()
    return head.strip()


def _least(sentence: str) -> int:
    return _SHORT if sentence[:_SHORT].isascii() else _SHORT // 2
