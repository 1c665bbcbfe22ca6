"""How callers' arguments are read: leniently in form, strictly in meaning, the same at every door."""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

import pydantic
from pydantic import BeforeValidator, Field, JsonValue, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from memory_bank.domain import banks, notes
from memory_bank.domain.tokens import Level
from memory_bank.errors import InvalidInput

Rule = dict[str, JsonValue]
"""What the services demand of a value, in words of JSON Schema.

It is told to callers and checked behind: the refusals of the services say what to do, a schema's only what failed.
"""

# as far as engines of every language agree on: neither white space nor a control character
_VISIBLE = r"[^\s\u0000-\u001f\u007f-\u009f]"

BANK_RULE: Rule = {"pattern": "^[a-z0-9._-]{1,64}$", "maxLength": 64}
MOMENT_RULE: Rule = {"format": "date-time"}
PROJECT_RULE: Rule = {"maxLength": notes.TAG_LENGTH - len("project:")}


def told(most: int, *, needed: bool = False) -> Rule:
    """Return the rule of a text of at most `most` characters; one that is `needed` may not be blank."""
    return {"maxLength": most, "minLength": 1, "pattern": _VISIBLE} if needed else {"maxLength": most}


class _Aside:
    """Marks a text that stands beside what is meant."""


ASIDE = _Aside()
"""Marks an optional text that only describes, such as a label, or that holds a moment: "null" is none."""

Aside = Annotated[str, ASIDE]
"""An optional text of that kind."""

_TYPED = "typed"


class Arguments(pydantic.BaseModel):
    """Arguments of one operation; unknown ones are refused, known ones that are null count as left out.

    Some programs send the text "null" for nothing. That counts as left out too, where it can hardly be meant: for
    numbers, choices and lists, and for what stands `ASIDE`, where it would become a label or the new name of a thing.
    A text that says what is meant (a bank, a name, a query) is taken at its word, and so is all that a person typed.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, allow_inf_nan=False)

    @pydantic.model_validator(mode="before")
    @classmethod
    def _left_out(cls, given: object, info: ValidationInfo) -> object:
        if not isinstance(given, Mapping):
            return given
        known = {each: field for name, field in cls.model_fields.items() for each in (name, field.alias)}
        typed = info.context == _TYPED
        return {
            name: value
            for name, value in given.items()
            # an unknown name stays, whatever it holds: it may be a misspelt one
            if name not in known
            or not (value is None or (value == "null" and not typed and _may_say_null(known[name])))
        }


def _may_say_null(field: FieldInfo) -> bool:
    """Tell whether the text "null" can stand for nothing in a field."""
    is_text = field.annotation in (str, str | None)
    return not field.is_required() and (not is_text or ASIDE in field.metadata)


class InBank(Arguments):
    """Arguments of an operation on one bank."""

    bank: str = Field(
        default=banks.DEFAULT,
        description="Memory bank to work in; nothing crosses banks.",
        json_schema_extra=BANK_RULE,
    )

    def needs(self) -> Level:
        """Return the level of access that this takes: writing, unless an operation says that it only reads."""
        return Level.WRITE


class Reading(InBank):
    """Arguments of an operation that changes nothing; that a search counts as a recall is no change."""

    def needs(self) -> Level:
        """Return that reading is enough."""
        return Level.READ


def read(model: type[Arguments], given: Mapping[str, object]) -> Any:
    """Return `given`, as a program sends it, as an instance of `model`.

    Raises `InvalidInput` whose field is the first wrong argument and whose message names all of them.
    """
    return _read(model, given, context=None)


def typed(model: type[Arguments], given: Mapping[str, object]) -> Any:
    """Return `given`, as a person typed it, as an instance of `model`: the text "null" is a text as any other.

    Raises `InvalidInput` as `read` does.
    """
    return _read(model, given, context=_TYPED)


def _read(model: type[Arguments], given: Mapping[str, object], *, context: str | None) -> Any:
    try:
        return model.model_validate(dict(given), context=context)
    except pydantic.ValidationError as error:
        raise refusal(error.errors(include_url=False), known=names(model)) from None


def names(model: type[Arguments]) -> list[str]:
    """Return the arguments of an operation as they are published."""
    return [field.alias or name for name, field in model.model_fields.items()]


@contextlib.contextmanager
def naming(asked: Arguments, **others: str) -> Iterator[None]:
    """Let the arguments that are refused within the block have their published names.

    `others` are the published names of what the rooms below know by a name of their own.
    """
    published = {name: field.alias or name for name, field in type(asked).model_fields.items()} | others
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(published.get(error.field, error.field), error.problem) from error


def refusal(problems: list[ErrorDetails], *, known: Iterable[str] = ()) -> InvalidInput:
    """Return the error that names every wrong argument, without repeating its value."""
    described = [_described(problem, known) for problem in problems]
    field, problem = described[0]
    rest = "".join(f"; {name}: {text}" for name, text in described[1:10])
    return InvalidInput(field, problem + rest)


def _described(problem: ErrorDetails, known: Iterable[str]) -> tuple[str, str]:
    field = ".".join(map(str, problem["loc"])) or "arguments"
    match problem["type"]:
        case "missing":
            return field, "required, but left out"
        case "extra_forbidden":
            return field[:80], f"unknown; the arguments here are {', '.join(known)}" if known else "unknown here"
        case "model_type" | "model_attributes_type" | "dict_type":
            return field, "must be an object with named fields"
        case "uuid_parsing" | "uuid_type":
            return field, "must be a note's id, such as 019a2b3c-0000-7000-8000-000000000000"
        case _:
            return field, problem["msg"].removeprefix("Value error, ").lower()


def _from_json_text(given: object) -> object:
    """Read a list or an object that some clients send as JSON text."""
    if isinstance(given, str) and given.lstrip().startswith(("[", "{")):
        try:
            return json.loads(given)
        except ValueError:
            return given
    return given


def _from_words(given: object) -> object:
    """Read a list that some clients send as JSON text, or as words between commas."""
    read_as_json = _from_json_text(given)
    if not isinstance(read_as_json, str):
        return read_as_json
    return [part.strip() for part in read_as_json.split(",") if part.strip()]


def _one_or_several(given: object) -> object:
    """Read a list that some clients send as JSON text, or as the only text in it."""
    read_as_json = _from_json_text(given)
    return [read_as_json] if isinstance(read_as_json, str) else read_as_json


OneOrSeveral = BeforeValidator(_one_or_several)
"""Marks a list of texts that may hold commas."""

Pairs = Annotated[dict[str, str], BeforeValidator(_from_json_text)]
"""Names and values."""

JsonList = BeforeValidator(_from_json_text)
LenientList = BeforeValidator(_from_words)
Words = Annotated[list[str], LenientList]
"""A list of texts."""

Tags = Annotated[
    list[Annotated[str, Field(json_schema_extra=told(notes.TAG_LENGTH, needed=True))]],
    LenientList,
    Field(json_schema_extra={"maxItems": notes.TAG_LIMIT}),
]
"""Short labels."""
