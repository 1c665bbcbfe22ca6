"""`memory-bank add`, `search`, `get` and `list`: the operations of the notes toolset."""

import sys
from typing import Any

import click

from memory_bank.domain import text
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import arguments, notes
from memory_bank.interfaces.answers import NoteAnswer
from memory_bank.interfaces.cli import opened
from memory_bank.interfaces.cli.invocation import Invocation, bank_option, json_option, show, waited

LINE_LENGTH = 200


@click.command()
@click.argument("content", required=False)
@click.option("--context", default="", help="What the note is about.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times.")
@click.option("--session", default="", help="The conversation or document it comes from.")
@click.option("--position", type=int, help="Its place in that session.")
@click.option("--timestamp", default="", help="When it happened, ISO 8601.")
@click.option("--queued", is_flag=True, help="Leave analysis and links to the queue.")
@bank_option
@json_option
@click.pass_obj
def add(invocation: Invocation, /, content: str | None, as_json: bool, queued: bool, **given: Any) -> None:
    """Remember CONTENT, or what standard input holds; one line end at its end is not part of it."""
    words = _piped() if content is None else content
    enrichment = "queued" if queued else "inline"
    asked: notes.AddNote = arguments.typed(
        notes.AddNote, {"content": words, "enrichment": enrichment, **_listed(given)}
    )

    async def work() -> notes.AddedAnswer:
        async with opened.app(invocation) as app:
            return await notes.add(app, asked)

    answer = waited(work())
    state = "known already" if answer.duplicate else f"enrichment {answer.enrichment}"
    show(answer, as_json=as_json, readable=lambda: f"{answer.id}  ({state}, {len(answer.links)} links)")


@click.command()
@click.argument("context")
@click.option("--limit", type=int, default=5, show_default=True, help="Most notes to print.")
@click.option("--tag", "tags", multiple=True, help="Only notes with this tag; may be given several times.")
@click.option("--tag-match", default="any", show_default=True, help="any or all of the tags.")
@click.option("--since", default="", help="Only from this time on, ISO 8601.")
@click.option("--until", default="", help="Only up to this time, ISO 8601.")
@click.option("--session", default="", help="Only of this session.")
@click.option("--project", default="", help="Only of this project, or of none.")
@click.option("--include-forgotten", is_flag=True, help="Also what forgetting hides.")
@click.option("--min-similarity", type=float, help="Lowest similarity of a result.")
@click.option("--explain", is_flag=True, help="Say which arm of the search ranked a note where.")
@bank_option
@json_option
@click.pass_obj
def search(invocation: Invocation, /, as_json: bool, **given: Any) -> None:
    """Recall the notes that answer CONTEXT."""
    asked: notes.SearchNotes = arguments.typed(notes.SearchNotes, _listed(given))

    async def work() -> notes.SearchAnswer:
        async with opened.app(invocation) as app:
            return await notes.search(app, asked)

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: _lines(answer.notes) or "Nothing relevant is remembered.")


@click.command()
@click.argument("ids", nargs=-1, required=True)
@bank_option
@json_option
@click.pass_obj
def get(invocation: Invocation, ids: tuple[str, ...], bank: str, as_json: bool) -> None:
    """Print the notes with these IDS in full."""
    asked: notes.GetNotes = arguments.typed(notes.GetNotes, {"ids": list(ids), "bank": bank})

    async def work() -> notes.GotAnswer:
        async with opened.app(invocation) as app:
            return await notes.get(app, asked)

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: "\n\n".join(f"{each.id}\n{each.content}" for each in answer.notes))
    if answer.missing:
        click.echo(f"not found: {', '.join(map(str, answer.missing))}", err=True)
        click.get_current_context().exit(1)


@click.command(name="list")
@click.option("--limit", type=int, default=20, show_default=True, help="Most notes to print.")
@click.option("--cursor", default="", help="next_cursor of the page before.")
@click.option("--tag", "tags", multiple=True, help="Only notes with this tag; may be given several times.")
@click.option("--session", default="", help="Only of this session.")
@click.option("--project", default="", help="Only of this project, or of none.")
@bank_option
@json_option
@click.pass_obj
def browse(invocation: Invocation, /, as_json: bool, **given: Any) -> None:
    """Print the bank's notes, newest first."""
    asked: notes.ListNotes = arguments.typed(notes.ListNotes, _listed(given))

    async def work() -> notes.PageAnswer:
        async with opened.app(invocation) as app:
            return await notes.browse(app, asked)

    answer = waited(work())
    more = f"\nnext page: --cursor {answer.next_cursor}" if answer.next_cursor else ""
    total = f"{answer.total} notes"
    show(answer, as_json=as_json, readable=lambda: f"{_lines(answer.notes)}\n{total}{more}".lstrip())


def _piped() -> str:
    try:
        # as bytes: Python's own reading would change line ends
        words = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("content", f"byte {error.start} is no UTF-8; convert the text to UTF-8 first") from error
    return words.removesuffix("\n").removesuffix("\r")


def _listed(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options as arguments: click collects repeated ones as tuples."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}


def _lines(found: list[NoteAnswer]) -> str:
    return "\n".join(_line(each) for each in found)


def _line(note: NoteAnswer) -> str:
    score = "" if note.score is None else f"{note.score:.3f}  "
    words = text.preview(" ".join(note.content.split()), limit=LINE_LENGTH)
    tags = f"  [{', '.join(note.tags)}]" if note.tags else ""
    why = "" if note.arms is None else f"\n    {_why(note)}"
    return f"{note.id}  {note.timestamp:%Y-%m-%d %H:%M}  {score}{words}{tags}{why}"


def _why(note: NoteAnswer) -> str:
    """Say where each arm ranked the note, with the arm's score, and how far the note is about the query."""
    ranked = ", ".join(f"{each.arm} rank {each.rank} ({each.score:.3f})" for each in note.arms or ())
    evidence = "" if note.evidence is None else f"; evidence {note.evidence:.3f}"
    return f"{ranked or 'no arm: it stands beside what an arm found'}{evidence}"


COMMANDS = {"add": add, "search": search, "get": get, "list": browse}
