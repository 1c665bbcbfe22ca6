"""The SQL of a `Filter`: one text for every query over `notes n`, so that all of them filter alike."""

from datetime import datetime
from typing import TypedDict

from memory_bank.domain import filters

LIVE_AND_WANTED = """n.deleted_at IS NULL
        AND (CAST(:any_tags AS text[]) IS NULL OR n.tags && CAST(:any_tags AS text[]))
        AND (CAST(:all_tags AS text[]) IS NULL OR n.tags @> CAST(:all_tags AS text[]))
        AND (CAST(:kinds AS text[]) IS NULL OR n.kind = ANY(CAST(:kinds AS text[])))
        AND (CAST(:since AS timestamptz) IS NULL OR n.occurred_at >= CAST(:since AS timestamptz))
        AND (CAST(:until AS timestamptz) IS NULL OR n.occurred_at <= CAST(:until AS timestamptz))
        AND (CAST(:session AS text) IS NULL OR n.session = CAST(:session AS text))
        AND (
            CAST(:project AS text) IS NULL
            OR n.tags && ARRAY[CAST(:project AS text), CAST(:universal AS text)]
            OR NOT EXISTS (SELECT FROM unnest(n.tags) AS tag WHERE tag LIKE 'project:%')
        )"""


class Binds(TypedDict):
    """The named binds of `LIVE_AND_WANTED`; None switches a condition off."""

    any_tags: list[str] | None
    all_tags: list[str] | None
    kinds: list[str] | None
    since: datetime | None
    until: datetime | None
    session: str | None
    project: str | None
    universal: str


def binds(wanted: filters.Filter) -> Binds:
    """Return the binds that express `wanted`."""
    tags = list(wanted.tags) or None
    match_all = wanted.tag_match is filters.TagMatch.ALL
    return Binds(
        any_tags=None if match_all else tags,
        all_tags=tags if match_all else None,
        kinds=[kind.value for kind in wanted.kinds] or None,
        since=wanted.since,
        until=wanted.until,
        session=wanted.session,
        project=wanted.project,
        universal=filters.UNIVERSAL,
    )
