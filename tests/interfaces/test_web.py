"""The web page: whole, from this server alone, and locked down. What it looks like is a person's to judge."""

import importlib.resources
import re
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from memory_bank.domain.links import LinkOrigin, LinkType
from memory_bank.domain.notes import Enrichment

FOLDER = importlib.resources.files("memory_bank.interfaces.web")
PARTS = sorted(each.name for each in FOLDER.iterdir() if each.name.endswith((".js", ".css", ".svg")))
SCRIPTS = [name for name in PARTS if name.endswith(".js")]
MEDIA_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}


class Outline(HTMLParser):
    """The tags of a page with their attributes, and the texts inside scripts and styles."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style") and data.strip():
            self.inline.append(data)

    def every(self, attribute: str) -> list[str]:
        """Return the values of an attribute, wherever it stands."""
        return [value for _, attributes in self.tags if (value := attributes.get(attribute)) is not None]


@pytest.fixture
async def client(server: str) -> Any:
    async with httpx.AsyncClient(base_url=server) as opened:
        yield opened


def source(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def outline() -> Outline:
    return Outline(source("index.html"))


def entries(script: str, constant: str) -> set[str]:
    """Return the keys of a script's constant object."""
    found = re.search(rf"const {constant} = \{{(.*?)\}};", source(script), re.DOTALL)
    assert found, constant
    return set(re.findall(r"(\w+): \"", found[1]))


async def test_the_page_answers_at_the_root(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text == source("index.html")
    head = await client.head("/")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(answer.content))


async def test_every_part_is_served_as_what_it_is(client: httpx.AsyncClient) -> None:
    for name in PARTS:
        answer = await client.get(f"/web/{name}")
        assert answer.status_code == 200, name
        assert answer.headers["content-type"] == MEDIA_TYPES[name.rpartition(".")[2]]
        assert answer.text == source(name)


async def test_every_answer_forbids_what_a_hostile_note_would_need(client: httpx.AsyncClient) -> None:
    for path in ("/", *(f"/web/{name}" for name in PARTS)):
        headers = (await client.get(path)).headers
        rules = dict(rule.split(" ", 1) for rule in headers["content-security-policy"].split("; "))
        assert rules["default-src"] == "'none'"
        assert {rules[name] for name in ("script-src", "style-src", "img-src", "connect-src")} == {"'self'"}
        assert {rules[name] for name in ("base-uri", "form-action", "frame-ancestors", "trusted-types")} == {"'none'"}
        assert rules["require-trusted-types-for"] == "'script'"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    ["/web/", "/web/page.py", "/web/__init__.py", "/web/index.html.bak", "/web/..%2Fpage.py", "/web/%2e%2e/server.py"],
)
async def test_no_other_file_leaves_the_folder(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"] == "not_found"


async def test_all_that_the_page_asks_for_is_here(client: httpx.AsyncClient) -> None:
    page = outline()
    addresses = {each for each in page.every("src") + page.every("href") if not each.startswith("#")}
    for script in SCRIPTS:
        imported = re.findall(r'from "(.+?)"', source(script))
        assert all(each.startswith("./") for each in imported)
        addresses |= {f"web/{each[2:]}" for each in imported}
    assert {f"web/{name}" for name in PARTS} <= addresses
    for address in addresses:
        assert (await client.get(f"/{address}")).status_code == 200, address


async def test_the_parts_of_the_api_that_the_page_uses_are_here(client: httpx.AsyncClient) -> None:
    paths = (await client.get("/openapi.json")).json()["paths"]
    assert {"get", "post"} <= paths["/api/v1/notes"].keys()
    assert {"get", "delete"} <= paths["/api/v1/notes/{id}"].keys()
    assert "post" in paths["/api/v1/notes/search"]
    assert "get" in paths["/api/v1/notes/{id}/neighbourhood"]
    assert "get" in paths["/ready"]


async def test_a_hostile_note_reaches_the_page_as_data(client: httpx.AsyncClient) -> None:
    hostile = "<img src=x onerror=alert(1)> \u202e </script>"
    note = (await client.post("/api/v1/notes", json={"content": hostile})).json()
    answer = await client.get(f"/api/v1/notes/{note['id']}/neighbourhood", params={"depth": 2, "limit": 24})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["notes"][0]["note"]["content"] == hostile
    assert hostile not in (await client.get("/")).text


def test_nothing_comes_from_elsewhere() -> None:
    known = {"http://www.w3.org/2000/svg"}
    for name in ("index.html", *PARTS):
        assert set(re.findall(r"\w+://[^\s\"'`)]+", source(name))) <= known, name
        assert not re.search(r"@import|url\(|src=\"//|href=\"//", source(name)), name


def test_no_script_or_style_stands_inside_the_page() -> None:
    page = outline()
    assert page.inline == []
    assert not any(name == "style" or name.startswith("on") for _, attributes in page.tags for name in attributes)


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_script_turns_text_into_markup_or_code(script: str) -> None:
    risky = (
        r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|document\.write|\beval\(|Function\("
    )
    assert not re.search(risky, source(script))


def test_every_field_and_button_has_a_name_and_every_id_is_there() -> None:
    page = outline()
    ids = page.every("id")
    assert len(ids) == len(set(ids))
    labels = set(page.every("for"))
    for tag, attributes in page.tags:
        if tag in ("input", "textarea") and attributes.get("type") != "checkbox":
            assert attributes["id"] in labels
    named = page.every("aria-labelledby") + page.every("aria-describedby") + page.every("data-copy") + page.every("for")
    for script in SCRIPTS:
        named += re.findall(r'byId\("([\w-]+)"\)', source(script))
    assert set(named) <= set(ids)


def test_the_page_knows_every_type_origin_and_state() -> None:
    assert entries("graph.js", "TYPES") == {each.value for each in LinkType}
    assert entries("note.js", "ORIGINS") == {each.value for each in LinkOrigin}
    assert entries("note.js", "STATES") == {each.value for each in Enrichment}
    style = source("page.css")
    for each in LinkType:
        assert style.count(f"--{each.value}: #") == 2, "one colour by day, one by night"
        assert f".{each.value} {{ --own: var(--{each.value});" in style


def test_the_page_stays_small() -> None:
    assert sum(len(source(name).encode()) for name in ("index.html", *PARTS)) < 50_000
