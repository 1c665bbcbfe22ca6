"""The operations on links between notes: arguments, answers, and the one service call between them."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

from pydantic import Field

from memory_bank.domain import links, recall
from memory_bank.domain.links import LinkType
from memory_bank.interfaces import answers, arguments
from memory_bank.interfaces.answers import Answer, LinkAnswer, NoteAnswer
from memory_bank.interfaces.arguments import InBank, LenientList, Reading

if TYPE_CHECKING:
    from memory_bank.bootstrap import App

LinkTypes = Annotated[list[LinkType], LenientList]


class LinkNotes(InBank):
    """Arguments of link_memory_notes."""

    source_id: UUID = Field(description="The note that the link starts from.")
    target_id: UUID = Field(description="The note that it points to.")
    type: LinkType = Field(description="How the source relates to the target.")
    explanation: str = Field(
        description="Why, in a sentence or two.", json_schema_extra=arguments.told(links.EXPLANATION_LIMIT, needed=True)
    )


class NeighbourhoodFields(Reading):
    """How far to look around a note."""

    depth: int = Field(default=1, ge=1, le=recall.DEPTH_LIMIT, description="How many links away a note may be.")
    limit: int = Field(default=20, ge=1, le=recall.RESULT_LIMIT, description="Most notes to return beside the middle.")
    types: LinkTypes = Field(default=[], description="Follow only links of these types.")


class Neighbourhood(NeighbourhoodFields):
    """Arguments of get_note_neighbourhood."""

    id: UUID = Field(description="The note in the middle.")


class NeighbourAnswer(Answer):
    """A note and how many links away it is; the middle is 0 away."""

    distance: int
    note: NoteAnswer


class NeighbourhoodAnswer(Answer):
    """The middle and the notes around it, nearest first, and the links among them."""

    notes: list[NeighbourAnswer]
    links: list[LinkAnswer]
    more_links: int | None = Field(default=None, description="Links left out here; ask with a smaller depth or limit.")


async def link(app: "App", asked: LinkNotes) -> LinkAnswer:
    """Link two notes."""
    linked = await app.links.link(
        asked.bank, asked.source_id, asked.target_id, type=asked.type, explanation=asked.explanation
    )
    return answers.link(linked)


# the links among all of the notes stand beside them
_LINKS_BESIDE: dict[str, list[LinkAnswer] | None] = {"links": [], "more_links": None}
_LINKS_OF_EACH, _LINKS_IN_NEIGHBOURHOOD = 5, 200


async def neighbourhood(app: "App", asked: Neighbourhood) -> NeighbourhoodAnswer:
    """Walk along links from a note."""
    around = await app.links.neighbourhood(
        asked.bank, asked.id, depth=asked.depth, limit=asked.limit, types=asked.types
    )
    count = len(around.neighbours)
    # notes and links share the answer
    within = answers.room(count, size=answers.ANSWER_SIZE // 2)
    links = around.links[: min(_LINKS_OF_EACH * count, _LINKS_IN_NEIGHBOURHOOD)]
    size = answers.room(len(links), size=answers.ANSWER_SIZE // 2).size
    return NeighbourhoodAnswer(
        notes=[
            NeighbourAnswer(
                distance=each.distance,
                note=answers.recalled(each.recalled, within=within).model_copy(update=_LINKS_BESIDE),
            )
            for each in around.neighbours
        ],
        links=[answers.link(each, size=size) for each in links],
        more_links=len(around.links) - len(links) or None,
    )
