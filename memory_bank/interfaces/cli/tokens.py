"""`memory-bank token`: the tokens that callers over HTTP show."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

import click

from memory_bank.bootstrap import App
from memory_bank.domain.tokens import Level, State, Token
from memory_bank.errors import InvalidInput
from memory_bank.interfaces.answers import Answer, Moment
from memory_bank.interfaces.cli import opened
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show, waited
from memory_bank.services.tokens import KNOWN_FOR
from memory_bank.settings import values

ResultT = TypeVar("ResultT")


class TokenAnswer(Answer):
    """A token without its secret; without `banks` it is good for every bank."""

    id: UUID
    prefix: str
    name: str
    level: Level
    banks: list[str] | None = None
    state: State
    created_at: Moment
    expires_at: Moment | None = None
    last_used_at: Moment | None = None
    revoked_at: Moment | None = None


class CreatedAnswer(TokenAnswer):
    """A new token; `token` is the whole of it, shown this once."""

    token: str


class TokensAnswer(Answer):
    """Every token, the oldest first."""

    tokens: list[TokenAnswer]


@click.group()
def token() -> None:
    """Make, list and revoke the tokens that callers over HTTP show.

    Once a first one was made, every call over HTTP needs one; `stdio` and these commands never do.
    """


@token.command()
@click.argument("name")
@click.option("--bank", "banks", multiple=True, help="A bank it is good for; may be given several times. Default: all.")
@click.option(
    "--level", type=click.Choice([each.value for each in Level]), default=Level.WRITE.value, show_default=True
)
@click.option("--expires", help="How long it is good, such as 90d or 12h. Default: until it is revoked.")
@json_option
@click.pass_obj
def create(
    invocation: Invocation, name: str, banks: tuple[str, ...], level: str, expires: str | None, as_json: bool
) -> None:
    """Make a token for NAME and show it, this once."""
    lifetime = None if expires is None else _lifetime(expires)

    async def work(app: App) -> CreatedAnswer:
        made = await app.tokens.create(name, banks=banks, level=Level(level), lifetime=lifetime)
        return CreatedAnswer.model_validate({**_answer(app, made.token).model_dump(), "token": made.secret})

    answer = waited(_in_app(invocation, work))
    show(answer, as_json=as_json, readable=lambda: _told(answer))


@token.command(name="list")
@json_option
@click.pass_obj
def list_(invocation: Invocation, as_json: bool) -> None:
    """List every token, without its secret."""

    async def work(app: App) -> TokensAnswer:
        return TokensAnswer(tokens=[_answer(app, each) for each in await app.tokens.list()])

    answer = waited(_in_app(invocation, work))
    show(answer, as_json=as_json, readable=lambda: "\n".join(map(_line, answer.tokens)) or "no tokens")


@token.command()
@click.argument("id")
@json_option
@click.pass_obj
def revoke(invocation: Invocation, id: str, as_json: bool) -> None:
    """End the token with this ID, or with this beginning (mb_ and 12 characters), within seconds.

    The whole of a token will do as well; it is not shown again.
    """

    async def work(app: App) -> TokenAnswer:
        return _answer(app, await app.tokens.revoke(id))

    answer = waited(_in_app(invocation, work))
    felt = f"revoked; running servers refuse it within {KNOWN_FOR.seconds} s"
    show(answer, as_json=as_json, readable=lambda: f"{answer.prefix} ({answer.name}) is {felt}")


async def _in_app(invocation: Invocation, work: Callable[[App], Awaitable[ResultT]]) -> ResultT:
    async with opened.app(invocation, check_model=False) as app:
        return await work(app)


def _lifetime(text: str) -> timedelta:
    try:
        return timedelta(seconds=values.seconds(text))
    except (ValueError, OverflowError):
        raise InvalidInput("--expires", "give a duration such as 90d, 12h or PT30M") from None


def _answer(app: App, token: Token) -> TokenAnswer:
    return TokenAnswer(
        id=token.id,
        prefix=token.prefix,
        name=token.name,
        level=token.level,
        banks=None if token.banks is None else list(token.banks),
        state=token.state(app.clock.now()),
        created_at=token.created_at,
        expires_at=token.expires_at,
        last_used_at=token.last_used_at,
        revoked_at=token.revoked_at,
    )


def _told(answer: CreatedAnswer) -> str:
    good_for = "every bank" if answer.banks is None else ", ".join(answer.banks)
    until = "until it is revoked" if answer.expires_at is None else f"until {answer.expires_at:%Y-%m-%d %H:%M} UTC"
    return f"""{answer.token}

It is shown this once. {answer.name} may {answer.level} in {good_for} {until}, by sending the header
Authorization: Bearer TOKEN
Running servers ask every caller for a token within {KNOWN_FOR.seconds} s of the first one that is made."""


def _line(each: TokenAnswer) -> str:
    good_for = "every bank" if each.banks is None else ", ".join(each.banks)
    ends = "no end" if each.expires_at is None else f"ends {each.expires_at:%Y-%m-%d %H:%M}"
    used = "never used" if each.last_used_at is None else f"used {each.last_used_at:%Y-%m-%d %H:%M}"
    return f"{each.prefix}  {each.state:7}  {each.level:5}  {each.name}  ({good_for}; {ends}; {used})"


COMMANDS = {"token": token}
