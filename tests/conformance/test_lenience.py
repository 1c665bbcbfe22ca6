"""What the check of the REST contract lets pass, and what not."""

from typing import Any

import pytest

from conformance import contract, lenience
from conformance.served import Served

DOCUMENT = {"components": {"schemas": {"Kind": {"type": "string", "enum": ["note", "fact"]}}}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text"],
    "properties": {
        "text": {"type": "string", "maxLength": 5, "minLength": 1},
        "kinds": {"type": "array", "items": {"$ref": "#/components/schemas/Kind"}},
        "limit": {"type": "integer", "minimum": 1, "maximum": 200},
        "share": {"anyOf": [{"type": "number", "maximum": 1}, {"type": "null"}]},
        "expand": {"type": "boolean"},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


@pytest.mark.parametrize(
    "sent",
    [
        {"text": "a", "limit": None},
        {"text": "a", "limit": "null"},
        {"text": "null"},
        {"text": "a", "kinds": "note"},
        {"text": "a", "kinds": "note, fact"},
        {"text": "a", "kinds": '["note"]'},
        {"text": "a", "limit": "5"},
        {"text": "a", "limit": 5.0},
        {"text": "a", "share": "0.5", "expand": "yes"},
        {"text": "a", "share": None, "tags": '{"a": "b"}'},
        {"text": " abcde "},
    ],
)
def test_what_is_lenient_in_form_alone_is_let_pass(sent: object) -> None:
    assert lenience.meets(sent, SCHEMA, DOCUMENT)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"text": None},
        {"text": ""},
        {"text": "abcdef"},
        {"text": 5},
        {"text": "a", "other": 1},
        {"text": "a", "other": None},
        {"text": "a", "kinds": "passage"},
        {"text": "a", "kinds": {"note": 1}},
        {"text": "a", "limit": 0},
        {"text": "a", "limit": "201"},
        {"text": "a", "limit": 1.5},
        {"text": "a", "limit": "many"},
        {"text": "a", "limit": float("inf")},
        {"text": "a", "share": 2},
        {"text": "a", "expand": "perhaps"},
        {"text": "a", "expand": 2},
        [{"text": "a"}],
        None,
    ],
)
def test_what_breaks_a_rule_however_it_is_read_is_held_against_the_server(sent: object) -> None:
    assert not lenience.meets(sent, SCHEMA, DOCUMENT)


def test_only_named_fields_and_texts_of_nothing_visible_may_be_refused() -> None:
    assert lenience.refusable("POST /api/v1/task", "taskId", {"action": "done"})
    assert not lenience.refusable("POST /api/v1/task", "limit", {"limit": 5})
    assert lenience.refusable("POST /api/v1/notes", "content", {"content": "\u200b\u3164"})
    assert not lenience.refusable("POST /api/v1/notes", "content", {"content": "a"})
    assert lenience.refusable("POST /api/v1/notes", "tags", {"tags": ["a", "\u200b"]})
    assert not lenience.refusable("POST /api/v1/notes", "tags", {"tags": ["a"]})
    assert lenience.refusable("POST /api/v1/notes/batch", "notes.1.content", {"notes": [{}, {"content": "\u200b"}]})


def test_a_text_that_no_mode_looks_at_may_be_anything_and_what_may_be_left_out_is_added() -> None:
    assert lenience.completed("POST /api/v1/recall", {"name": "x" * 900, "limit": 0}) == {"limit": 0}
    assert lenience.completed("POST /api/v1/recall", {"name": 5}) == {"name": 5}
    assert lenience.completed("POST /api/v1/notes/search", {"tags": ["a"]}) == {"context": "", "tags": ["a"]}
    assert lenience.completed("POST /api/v1/notes/search", {"context": None}) == {"context": ""}
    assert lenience.completed("POST /api/v1/notes/search", {"context": 5}) == {"context": 5}
    assert lenience.completed("POST /api/v1/notes", [1]) == [1]


def test_every_exception_names_an_operation_and_a_field_of_the_document(described: dict[str, Any]) -> None:
    for operation, fields in (*lenience.UNTOLD.items(), *lenience.LEFT_OUT.items(), *lenience.UNREAD.items()):
        method, path = operation.split()
        known = described["paths"][path][method.lower()]
        names = {each["name"] for each in known.get("parameters", ())}
        if "requestBody" in known:
            reference = known["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            names |= described["components"]["schemas"][reference.rpartition("/")[2]]["properties"].keys()
        assert set(fields) <= names, operation


def test_both_rounds_run_every_check_and_the_second_shows_a_token() -> None:
    server = Served(url="http://127.0.0.1:1", environment={})
    first, second = contract.rounds(8)
    open_to_all = contract.arguments(server, first, token=None, seconds=5, seed=7)
    assert open_to_all[open_to_all.index("--checks") + 1].split(",") == list(contract.CHECKS)
    assert not set(contract.CHECKS) & set(contract.LEFT_OUT)
    assert "--header" not in open_to_all
    assert open_to_all[open_to_all.index("--seed") + 1] == "7"
    assert second.token
    assert "Authorization: Bearer t" in contract.arguments(server, second, token="t", seconds=5, seed=None)
