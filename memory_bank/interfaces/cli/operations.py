"""Commands made of operations: an option for each argument, checked as at every other door."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from memory_bank.bootstrap import App
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import arguments
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.arguments import Arguments
from memory_bank.interfaces.cli import opened
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show, waited

AskedT = TypeVar("AskedT", bound=Arguments)
AnswerT = TypeVar("AnswerT", bound=Answer)


def command(
    name: str,
    model: type[AskedT],
    run: Callable[[App, AskedT], Awaitable[AnswerT]],
    readable: Callable[[AnswerT], str],
    *,
    help: str,
    positional: Sequence[str] = (),
    short: Callable[[str], str] = lambda field: field,
) -> click.Command:
    """Return the command of an operation: `positional` fields are its arguments, in order, all others its options.

    `short` renames a field's option, such as facts to fact where it may be given several times.
    """

    @click.pass_obj
    def callback(invocation: Invocation, /, as_json: bool, **given: Any) -> None:
        asked: AskedT = arguments.typed(model, _asked(model, given))

        async def work() -> AnswerT:
            async with opened.app(invocation) as app:
                return await run(app, asked)

        answer = waited(work())
        show(answer, as_json=as_json, readable=lambda: readable(answer))

    made = click.command(name=name, help=help)(json_option(callback))
    for field, about in model.model_fields.items():
        if field in positional:
            continue
        made.params.append(_option(field, about, short(field)))
    made.params[:0] = [
        click.Argument([field], required=model.model_fields[field].is_required()) for field in positional
    ]
    return made


def _option(field: str, about: FieldInfo, name: str) -> click.Option:
    dashed = f"--{name.replace('_', '-')}"
    if about.annotation is bool:
        return click.Option([dashed, field], is_flag=True, help=about.description)
    # what is left out stays out, so that the operation's own default holds
    return click.Option(
        [dashed, field],
        multiple=_is_many(about),
        required=about.is_required() and not _is_many(about),
        metavar="KEY=VALUE" if _is_mapping(about) else None,
        help=about.description,
    )


def _asked(model: type[Arguments], given: dict[str, Any]) -> dict[str, object]:
    asked: dict[str, object] = {}
    for field, value in given.items():
        if value is None or value == ():
            continue
        if _is_mapping(model.model_fields[field]):
            asked[field] = dict(_pair(field, each) for each in value)
        else:
            asked[field] = list(value) if isinstance(value, tuple) else value
    return asked


def _pair(field: str, written: str) -> tuple[str, str]:
    key, equals, value = written.partition("=")
    if not equals:
        raise InvalidInput(field, f"write KEY=VALUE, got {written!r}")
    return key, value


def _is_many(about: FieldInfo) -> bool:
    kinds = (about.annotation, *get_args(about.annotation))
    return _is_mapping(about) or any(get_origin(kind) is list for kind in kinds)


def _is_mapping(about: FieldInfo) -> bool:
    return get_origin(about.annotation) is dict
