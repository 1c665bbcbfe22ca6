"""Relations: typed edges between entities, and the weight that evidence gives them."""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory_bank.domain import text
from memory_bank.errors import InvalidInput

TYPE_LENGTH = 60

_PUBLISHED = """
    uses owns works-on prefers knows depends-on created related-to part-of manages dislikes learned improved
    pursues plans executes blocks requires prioritizes
    causes results-in leads-to precedes follows
    observed predicted confirmed contradicted generalizes derived-from
    succeeded-at failed-at improved-by degraded-by
    remembers forgets updates replaces
    is-a instance-of subclass-of type-of has-name alias same-as different-from
    has-property has-value has-color has-size has-weight has-height has-age has-length has-width has-shape has-texture
    has-temperature has-speed
    has-part component-of contains inside attached-to located-in lives-in born-in created-in near outside adjacent-to
    located-near connected-to
    owned-by belongs-to controlled-by managed-by produced-by created-by member-of leader-of
    performs acts eats drinks runs writes builds destroys interacts-with communicates-with affects influences prevents
    enables works-at studies-at participates-in travels-to
    before after during started-at ended-at occurs-in
    similar-to opposite-of bigger-than smaller-than equal-to greater-than less-than
    inspired-by represents symbolizes measures calculates converts-to
    discusses mentions references quotes summarizes clarifies asks-about answers
    collaborates-with reports-to reviews approves delegates-to advises teaches learns-from
    implements extends overrides calls imports exports configures deploys monitors tests documents generates parses
    validates transforms
    initializes activates deactivates pauses resumes completes fails retries cancels schedules
    groups categorizes indexes archives
    better-than worse-than equivalent-to alternative-to complement-to
    triggers mitigates amplifies constrains supports contradicts-with
    believes doubts assumes hypothesizes verifies refutes questions trusts
    motivates discourages aligns-with conflicts-with depends-on-goal
"""

PUBLISHED = tuple(_PUBLISHED.split())
"""The types that earlier users know; any other word or two is welcome too."""

_ALIASES = {
    "use": "uses",
    "using": "uses",
    "own": "owns",
    "has": "has-part",
    "have": "has-part",
    "know": "knows",
    "prefer": "prefers",
    "likes": "prefers",
    "like": "prefers",
    "dislike": "dislikes",
    "hates": "dislikes",
    "depend-on": "depends-on",
    "depends": "depends-on",
    "dependent-on": "depends-on",
    "depends-upon": "depends-on",
    "relies-on": "depends-on",
    "require": "requires",
    "needs": "requires",
    "need": "requires",
    "work-on": "works-on",
    "working-on": "works-on",
    "work-at": "works-at",
    "employed-by": "works-at",
    "works-for": "works-at",
    "related": "related-to",
    "relates-to": "related-to",
    "is-related-to": "related-to",
    "associated-with": "related-to",
    "is-part-of": "part-of",
    "belongs": "belongs-to",
    "belong-to": "belongs-to",
    "is-a-member-of": "member-of",
    "member": "member-of",
    "located-at": "located-in",
    "is-in": "located-in",
    "is-located-in": "located-in",
    "live-in": "lives-in",
    "resides-in": "lives-in",
    "caused": "causes",
    "cause": "causes",
    "manage": "manages",
    "create": "created",
    "creates": "created",
    "made": "created",
    "made-by": "created-by",
    "written-by": "created-by",
    "isa": "is-a",
    "is": "is-a",
    "kind-of": "is-a",
    "type": "type-of",
    "contain": "contains",
    "includes": "contains",
    "include": "contains",
    "connects-to": "connected-to",
    "linked-to": "connected-to",
    "call": "calls",
    "implement": "implements",
    "extend": "extends",
    "deploy": "deploys",
    "replace": "replaces",
    "replaced": "replaces",
    "supersedes": "replaces",
    "support": "supports",
    "block": "blocks",
    "alias-of": "alias",
    "aka": "alias",
    "identical-to": "same-as",
    "contradicts": "contradicts-with",
    "prioritises": "prioritizes",
    "summarises": "summarizes",
    "categorises": "categorizes",
    "generalises": "generalizes",
    "symbolises": "symbolizes",
    "initialises": "initializes",
    "hypothesises": "hypothesizes",
    "has-colour": "has-color",
}
_RESTS_ON = re.compile(
    r"\b(?:uses|depends on|relies on|requires|built (?:with|on)|powered by|runs on|written in)\s+"
    r"(?P<rest>[^\n;:]{2,80})",
    re.IGNORECASE,
)
_READ_LENGTH, _PHRASES_LIMIT, _NAME_WORDS = 2_000, 5, 3
_PUNCTUATION = ".,;:!?()[]'\"` "
_SEEN_TOGETHER, _SHORTEST_NAME = 2, 3
_BREAKS = re.compile(r"[\s_/\-]+")


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A typed edge from one entity to another, and how often it was stated."""

    from_id: UUID
    from_name: str
    type: str
    to_id: UUID
    to_name: str
    evidence: int
    created_at: datetime
    last_validated: datetime

    @property
    def weight(self) -> float:
        """How strong the edge is, 0.5 for one statement, towards 1."""
        return weight(self.evidence)


def leads(fact: str) -> list[tuple[str, ...]]:
    """Return for each phrase of a fact that names what its subject rests on the names it may mean, longest first."""
    found = []
    for match in itertools.islice(_RESTS_ON.finditer(fact[:_READ_LENGTH]), _PHRASES_LIMIT):
        words = match.group("rest").split()[:_NAME_WORDS]
        names = (" ".join(words[:count]).strip(_PUNCTUATION) for count in range(len(words), 0, -1))
        found.append(tuple(name for name in names if len(name) > 1))
    return found


def companions(name: str, others: Iterable[str], texts: Sequence[str]) -> list[str]:
    """Return which of the other names stand in at least two of the texts that hold `name`, as words of their own."""
    near = [text for text in texts if _holds(text, name)]
    if len(near) < _SEEN_TOGETHER:
        return []
    return [
        other
        for other in others
        if len(other) >= _SHORTEST_NAME and sum(_holds(text, other) for text in near) >= _SEEN_TOGETHER
    ]


def _holds(text: str, name: str) -> bool:
    """Tell whether a folded text holds a folded name that no letter or digit continues."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        before, after = text[start - 1 : start], text[end : end + 1]
        # scripts without spaces have no border to look for
        if not name.isascii() or not ((before.isalnum() and before.isascii()) or (after.isalnum() and after.isascii())):
            return True
        start = text.find(name, start + 1)
    return False


def weight(evidence: int) -> float:
    """Return 1 - 0.5^evidence, which every further statement raises: product section 5. In [0.5, 1]."""
    return 1 - 0.5 ** max(evidence, 1)


def normalised(type: str, *, field: str = "type") -> str:
    """Return a type as it is stored: lower case, words joined by hyphens, a known alias by its published name.

    Raises `InvalidInput` naming `field` when nothing is left of it or it is too long.
    """
    folded = unicodedata.normalize("NFKC", text.storable(type)).casefold()
    joined = "-".join(part for part in _BREAKS.split(folded) if part)
    if text.is_blank(joined):
        raise InvalidInput(field, "say how the two relate, such as depends-on")
    if len(joined) > TYPE_LENGTH:
        raise InvalidInput(field, f"at most {TYPE_LENGTH} characters, got {len(joined)}; a word or two is best")
    return _ALIASES.get(joined, joined)
