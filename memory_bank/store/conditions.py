"""The SQL of a `Filter`: the same words over `notes n` for every query, so that all of them filter alike."""

from memory_bank.domain import filters
from memory_bank.domain.filters import TagMatch


def narrowing(wanted: filters.Filter) -> str:
    """Return what a statement over live notes `n` adds to its WHERE, each clause behind an AND; "" for everything.

    Only what is asked for stands in it: the planner then sees what an index may answer, and no row pays for the rest.
    It holds no caller's word, so that statements made with it are few.
    """
    return "".join(f"\n        AND {clause}" for clause in _clauses(wanted))


def binds(wanted: filters.Filter) -> dict[str, object]:
    """Return the named binds of `narrowing`."""
    given: dict[str, object] = {
        "tags": list(wanted.tags) or None,
        "kinds": [kind.value for kind in wanted.kinds] or None,
        "since": wanted.since,
        "until": wanted.until,
        "session": wanted.session,
        "project": wanted.project,
        "wanted_ids": None if wanted.ids is None else list(wanted.ids),
        "universal": None if wanted.project is None else filters.UNIVERSAL,
    }
    return {name: value for name, value in given.items() if value is not None}


def _clauses(wanted: filters.Filter) -> list[str]:
    clauses = []
    if wanted.tags:
        operator = "@>" if wanted.tag_match is TagMatch.ALL else "&&"
        clauses.append(f"n.tags {operator} CAST(:tags AS text[])")
    if wanted.kinds:
        clauses.append("n.kind = ANY(CAST(:kinds AS text[]))")
    if wanted.since is not None:
        clauses.append("n.occurred_at >= CAST(:since AS timestamptz)")
    if wanted.until is not None:
        clauses.append("n.occurred_at <= CAST(:until AS timestamptz)")
    if wanted.session is not None:
        clauses.append("n.session = CAST(:session AS text)")
    if wanted.ids is not None:
        clauses.append("n.id = ANY(CAST(:wanted_ids AS uuid[]))")
    if wanted.project is not None:
        clauses.append(
            """(
            n.tags && ARRAY[CAST(:project AS text), CAST(:universal AS text)]
            OR NOT EXISTS (SELECT FROM unnest(n.tags) AS tag WHERE tag LIKE 'project:%')
        )"""
        )
    return clauses
