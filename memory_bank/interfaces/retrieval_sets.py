"""Retrieval sets: files of JSON lines, plain or gzipped; a line is a bank with documents and queries about them.

{"bank": "b", "documents": [{"id": "1", "session": "s", "date": "2023/07/21 (Fri) 21:48", "text": "..."}],
 "queries": [{"id": "q", "text": "...", "relevant": ["1"], "category": "temporal"}]}

`session`, `date` and `category` may be left out; ids and sessions may be numbers. A date is written as here, as
"1:56 pm on 8 May, 2023", or in ISO 8601. Other fields are ignored.
"""

import contextlib
import gzip
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import pydantic
from pydantic import BeforeValidator, Field

from memory_bank.domain import moments, notes, recall, text
from memory_bank.domain.evaluation import Corpus, Document, Question
from memory_bank.errors import InvalidInput

LINE_LIMIT = 64 * 1024 * 1024
"""Bytes of one line, unpacked: a bank of some ten thousand turns, and a bound for what an archive may unfold to."""

UNCATEGORISED = "uncategorised"
_GZIP = b"\x1f\x8b"
_DATE_FORMATS = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M")


def _word(given: object) -> object:
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


Name = Annotated[str, BeforeValidator(_word), Field(min_length=1)]


class _Part(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(hide_input_in_errors=True)


class _Document(_Part):
    id: Name
    text: str
    session: Annotated[str | None, BeforeValidator(_word)] = None
    date: str | None = None


class _Query(_Part):
    id: Name
    text: str
    relevant: list[Name]
    category: Annotated[str, BeforeValidator(_word)] = UNCATEGORISED


class _Bank(_Part):
    bank: Name
    documents: list[_Document] = Field(min_length=1)
    queries: list[_Query]


def read(file: Path, *, banks: int | None = None) -> list[Corpus]:
    """Return the banks of a file in order, the first `banks` of them if given.

    Raises `InvalidInput` naming file and line for whatever is no such set.
    """
    corpora: list[Corpus] = []
    try:
        with file.open("rb") as raw, _unpacked(raw) as lines:
            for number, line in _lines(lines, file):
                if banks is not None and len(corpora) == banks:
                    break
                corpora.append(_corpus(line, file=file, number=number))
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(str(file), f"cannot be read: {error}") from error
    if not corpora:
        raise InvalidInput(str(file), "holds no bank; write one JSON object a line with bank, documents and queries")
    return corpora


def moment(date: str) -> datetime | None:
    """Read a date as the known sets write it, or ISO 8601, as UTC; None when it is anything else."""
    written = " ".join(date.split())
    for form in _DATE_FORMATS:
        with contextlib.suppress(ValueError):
            return datetime.strptime(written, form).replace(tzinfo=UTC)
    try:
        return moments.parsed(written, field="date")
    except InvalidInput:
        return None


@contextlib.contextmanager
def _unpacked(raw: BinaryIO) -> Iterator[BinaryIO]:
    packed = raw.read(len(_GZIP)) == _GZIP
    raw.seek(0)
    if not packed:
        yield raw
        return
    with gzip.GzipFile(fileobj=raw) as unpacked:
        yield cast(BinaryIO, unpacked)


def _lines(stream: BinaryIO, file: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(LINE_LIMIT + 1):
        number += 1
        if len(line) > LINE_LIMIT:
            raise InvalidInput(f"{file}:{number}", f"the line is longer than {LINE_LIMIT} bytes; split the bank")
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.strip():
            yield number, line


def _corpus(line: bytes, *, file: Path, number: int) -> Corpus:
    place = f"{file}:{number}"
    try:
        bank = _Bank.model_validate_json(line)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(place, f"{where}: {first['msg']}" if where else first["msg"]) from error
    known = {each.id for each in bank.documents}
    if len(known) < len(bank.documents):
        raise InvalidInput(place, f"bank {bank.bank!r} has two documents of one id; give each its own")
    return Corpus(
        file=str(file),
        name=bank.bank,
        documents=tuple(_document(each, place) for each in bank.documents),
        questions=tuple(_question(each, place, known) for each in bank.queries),
    )


def _document(given: _Document, place: str) -> Document:
    try:
        session = notes.checked_session(given.session)
        notes.checked_content(given.text)
    except InvalidInput as error:
        raise InvalidInput(place, f"document {given.id!r}: {error}") from error
    return Document(id=given.id, text=given.text, session=session, timestamp=_timestamp(given, place))


def _timestamp(given: _Document, place: str) -> datetime | None:
    if given.date is None or text.is_blank(given.date):
        return None
    read = moment(given.date)
    if read is None:
        shown = text.preview(ascii(given.date), limit=40)
        raise InvalidInput(
            place,
            f"document {given.id!r}: date: {shown} is no date such as 2023-07-21T21:48, 2023/07/21 (Fri) 21:48 or "
            "1:56 pm on 8 May, 2023; correct it, or leave it out",
        )
    return read


def _question(given: _Query, place: str, known: set[str]) -> Question:
    try:
        text = recall.checked(recall.Query(text=given.text)).text
    except InvalidInput as error:
        raise InvalidInput(place, f"query {given.id!r}: {error.problem}") from error
    for each in given.relevant:
        if each not in known:
            raise InvalidInput(place, f"query {given.id!r}: relevant {each!r} is no document of the bank")
    return Question(id=given.id, text=text, relevant=tuple(dict.fromkeys(given.relevant)), category=given.category)
