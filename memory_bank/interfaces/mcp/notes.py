"""The `notes` toolset."""

from typing import Any

from memory_bank.interfaces import links, notes
from memory_bank.interfaces.answers import LinkAnswer, NoteAnswer
from memory_bank.interfaces.mcp.tools import Tool

TOOLS: tuple[Tool[Any, Any], ...] = (
    Tool(
        name="add_memory_note",
        title="Remember a note",
        description=(
            "Store one thing worth remembering beyond this conversation: a fact, decision, preference, lesson "
            "or event. Write one idea per note, understandable without the conversation, with names and dates "
            "spelled out. The note is analysed, tagged and linked to related notes by itself. Storing the "
            "same text again is safe and answers with the note that already holds it."
        ),
        arguments=notes.AddNote,
        answer=notes.AddedAnswer,
        run=notes.add,
        idempotent=True,
    ),
    Tool(
        name="search_memory_notes",
        title="Search memory",
        description=(
            "Recall what is known about a question, topic or situation. Use it before answering anything that "
            "may depend on earlier conversations, on the user's preferences or on past decisions, and before "
            "storing something that may be known already. Describe in plain words what you look for. Answers "
            "the best matching notes with their links; nothing relevant gives an empty list."
        ),
        arguments=notes.SearchNotes,
        answer=notes.SearchAnswer,
        run=notes.search,
    ),
    Tool(
        name="get_memory_notes_by_ids",
        title="Read notes by id",
        description=(
            "Read notes in full when you have their ids, for example from a search result's links or where a "
            "search cut a long text. Also returns notes that searches hide because they have faded."
        ),
        arguments=notes.GetNotes,
        answer=notes.GotAnswer,
        run=notes.get,
    ),
    Tool(
        name="add_memory_notes",
        title="Remember many notes",
        description=(
            "Store up to 500 notes in one call, for example the turns of a conversation or the points of a "
            "document; give each its session and position to keep their order. Answers for each note; a bad "
            "one does not stop the others. Keywords and links follow in the background."
        ),
        arguments=notes.AddNotes,
        answer=notes.AddedAllAnswer,
        run=notes.add_all,
        idempotent=True,
    ),
    Tool(
        name="update_memory_note",
        title="Correct a note",
        description=(
            "Change a note's text, context or tags when it is wrong or out of date. A new text is analysed "
            "and linked again. Use add_tags and remove_tags to change single tags."
        ),
        arguments=notes.UpdateNote,
        answer=NoteAnswer,
        run=notes.update,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        name="delete_memory_note",
        title="Delete a note",
        description=(
            "Delete one note, with its links, when the user asks to forget it or it should never have been "
            "stored. Use preview to show first what would go. To correct a note use update_memory_note."
        ),
        arguments=notes.DeleteNote,
        answer=notes.DeletedAnswer,
        run=notes.delete,
        destructive=True,
    ),
    Tool(
        name="list_memory_notes",
        title="List notes",
        description=(
            "Look through the bank's notes, newest first and page by page, optionally by tag, time, session "
            "or project. Long texts are shortened. To find something by its meaning use search_memory_notes."
        ),
        arguments=notes.ListNotes,
        answer=notes.PageAnswer,
        run=notes.browse,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        name="link_memory_notes",
        title="Link two notes",
        description=(
            "State how one note relates to another: causal (source causes target), contrast, example (source "
            "is an instance of target), derived_concept (source generalises target), shared_context, or "
            "opposition (source contradicts target). Replaces the link that this pair has in this direction."
        ),
        arguments=links.LinkNotes,
        answer=LinkAnswer,
        run=links.link,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        name="get_note_neighbourhood",
        title="Explore around a note",
        description=(
            "Follow links from a note in both directions, up to 4 steps, to see causes, examples, "
            "contradictions and context around it. Answers the notes by distance and the links among them."
        ),
        arguments=links.Neighbourhood,
        answer=links.NeighbourhoodAnswer,
        run=links.neighbourhood,
    ),
)
