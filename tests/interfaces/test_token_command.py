"""Tokens at the command line, and what `serve` asks of them before it listens; whole processes."""

import httpx
import pytest

from tests.processes import PATIENCE, Commands, waited


def listing(url: str, token: str | None = None) -> int:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.get(f"{url}/api/v1/notes", headers=headers, timeout=PATIENCE).status_code


def test_a_token_is_shown_once_listed_without_its_secret_and_revoked(commands: Commands) -> None:
    asked = ("Ada's editor", "--bank", "work", "--bank", "home", "--level", "read", "--expires", "90d")
    made = commands.run("token", "create", *asked, "--json").json()
    assert (made["name"], made["level"], made["banks"]) == ("Ada's editor", "read", ["work", "home"])
    assert made["token"].startswith(made["prefix"])
    readable = commands.run("token", "create", "other").text
    assert "shown this once" in readable
    listed = commands.run("token", "list", "--json")
    assert [each["name"] for each in listed.json()["tokens"]] == ["Ada's editor", "other"]
    for shown in (listed.text, commands.run("token", "list").text):
        assert made["token"] not in shown
        assert made["prefix"] in shown
    assert commands.run("token", "revoke", made["id"], "--json").json()["state"] == "revoked"
    assert "revoked" in commands.run("token", "revoke", made["prefix"]).text
    leaked = commands.run("token", "create", "leaked", "--json").json()
    ended = commands.run("token", "revoke", leaked["token"])
    assert f"{leaked['prefix']} (leaked) is revoked" in ended.text
    unknown = commands.run("token", "revoke", "mb_aaaaaaaaaaaa_" + leaked["token"][-43:], LOGGING_LEVEL="trace")
    assert unknown.code == 1
    assert leaked["token"][-43:] not in ended.text + ended.stderr + unknown.text + unknown.stderr
    gone = commands.run("token", "revoke", "mb_aaaaaaaaaaaa")
    assert gone.code == 1
    assert "memory-bank token list" in gone.stderr


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (("--expires", "soon"), "expires"),
        (("--expires", "0"), "expires"),
        (("--expires", "99999999999999999d"), "expires"),
        (("--bank", "NOT A BANK"), "bank"),
        (("--level", "root"), "level"),
    ],
)
def test_bad_wishes_exit_2_and_make_no_token(commands: Commands, wrong: tuple[str, str], named: str) -> None:
    refused = commands.run("token", "create", "ada", *wrong)
    assert refused.code == 2
    assert named in refused.stderr
    assert "Traceback" not in refused.stderr


def test_beyond_loopback_nothing_listens_without_a_token_and_with_one_everybody_shows_it(commands: Commands) -> None:
    refused = commands.run("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 2
    assert refused.stdout == b""
    for words in ("memory-bank token create", "--insecure", "0.0.0.0"):
        assert words in refused.stderr
    assert "Traceback" not in refused.stderr
    made = commands.run("token", "create", "ada", "--json").json()
    with commands.serving(HOST="0.0.0.0", LOGGING_LEVEL="trace") as served:
        url = served.url.replace("0.0.0.0", "127.0.0.1")
        assert listing(url) == 401
        assert listing(url, made["token"]) == 200
        assert httpx.get(f"{url}/mcp", params={"token": made["token"]}, timeout=PATIENCE).status_code == 401
        assert commands.run("token", "revoke", made["prefix"]).code == 0
        waited(lambda: listing(url, made["token"]) == 401)
        assert made["token"] not in served.process.stderr


def test_insecure_listens_beyond_loopback_without_tokens(commands: Commands) -> None:
    with commands.serving(HOST="0.0.0.0", SERVER_INSECURE="true") as served:
        assert listing(served.url.replace("0.0.0.0", "127.0.0.1")) == 200
    assert "--insecure" in commands.run("serve", "--help").text


def test_required_tokens_let_it_listen_beyond_loopback_before_one_is_made(commands: Commands) -> None:
    with commands.serving(HOST="0.0.0.0", SERVER_AUTH="required") as served:
        url = served.url.replace("0.0.0.0", "127.0.0.1")
        assert listing(url) == 401
        made = commands.run("token", "create", "ada", "--json").json()
        assert listing(url, made["token"]) == 200
