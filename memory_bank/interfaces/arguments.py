"""How callers' arguments are read: leniently in form, strictly in meaning, the same at every door."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

import pydantic
from pydantic import BeforeValidator, Field, JsonValue
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


class Arguments(pydantic.BaseModel):
    """Arguments of one operation; unknown ones are refused, known ones that are null count as left out.

    So does the text "null", which some clients send for nothing, wherever leaving out is allowed: taken at its word, it
    would become a tag, a name, or the new text of a note.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, allow_inf_nan=False)

    @pydantic.model_validator(mode="before")
    @classmethod
    def _left_out(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        needed = {each: field.is_required() for name, field in cls.model_fields.items() for each in (name, field.alias)}
        return {
            name: value
            for name, value in given.items()
            # an unknown name stays, whatever it holds: it may be a misspelt one
            if name not in needed or not (value is None or (value == "null" and not needed[name]))
        }


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
    """Return `given` as an instance of `model`.

    Raises `InvalidInput` whose field is the first wrong argument and whose message names all of them.
    """
    try:
        return model.model_validate(dict(given))
    except pydantic.ValidationError as error:
        raise refusal(error.errors(include_url=False), known=model.model_fields) from None


def refusal(problems: list[ErrorDetails], *, known: Mapping[str, object]) -> InvalidInput:
    """Return the error that names every wrong argument, without repeating its value."""
    described = [_described(problem, known) for problem in problems]
    field, problem = described[0]
    rest = "".join(f"; {name}: {text}" for name, text in described[1:10])
    return InvalidInput(field, problem + rest)


def _described(problem: ErrorDetails, known: Mapping[str, object]) -> tuple[str, str]:
    field = ".".join(str(part) for part in problem["loc"] if part not in ("body", "query", "path")) or "arguments"
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
