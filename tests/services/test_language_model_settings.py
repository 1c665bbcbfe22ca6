"""A language model that is missing, refused or away: everything that needs none works, and no key is told."""

import logging
from pathlib import Path

import pytest

from memory_bank import settings
from memory_bank.bootstrap import Parts, open_app
from memory_bank.domain.notes import Change, Draft, Enrichment
from memory_bank.domain.recall import Query
from tests.fakes import FakeEmbedder
from tests.openai_server import OpenAIServer, Reply

KEY = "sk-proj-" + "A1b2" * 10
AWAY = "http://127.0.0.1:9/v1"
REFUSING = object()

CASES: dict[str, tuple[dict[str, object], str]] = {
    "nothing": ({}, ""),
    "blank key": ({"openai.api-key": " "}, ""),
    "wrong key": ({"openai.api-key": KEY, "openai.base-url": REFUSING}, "OPENAI_API_KEY"),
    "no key for a cloud model": ({"openai.model-name": "gpt-4o"}, ""),
    "unknown model": ({"openai.api-key": KEY, "openai.model-name": "no-such-maker/nothing"}, "OPENAI_MODEL_NAME"),
    "unreachable": ({"openai.api-key": KEY, "openai.base-url": AWAY, "openai.timeout": "1s"}, "OPENAI_BASE_URL"),
    "local without a key": ({"openai.base-url": AWAY, "openai.timeout": "1s"}, "OPENAI_BASE_URL"),
}


@pytest.mark.parametrize("case", CASES)
async def test_notes_are_stored_found_edited_and_deleted_and_the_setting_is_named(
    url: str, tmp_path: Path, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture, case: str
) -> None:
    given, named = CASES[case]
    caplog.set_level(logging.DEBUG)
    async with OpenAIServer(Reply(status=401, body=b'{"error": {"message": "bad key"}}')) as provider:
        overrides = {key: provider.base_url if value is REFUSING else str(value) for key, value in given.items()}
        loaded = settings.load(
            environ={},
            cwd=tmp_path,
            overrides={
                "postgres.url": url,
                "memory-bank.data-dir": str(tmp_path / "data"),
                "memory.similarity-threshold": "0.2",
                "enrichment.attempts": "1",
                "enrichment.inline-timeout": "30s",
                **overrides,
            },
        )
        async with open_app(loaded, parts=Parts(embedder=embedder)) as app:
            note = (await app.notes.add("default", Draft(content="the harbour closes at six"))).note
            if note.enrichment is Enrichment.PENDING:
                await app.enrichment.enrich_now("default", [note.id])
            assert [each.note.id for each in await app.recall.search("default", Query(text="harbour"))] == [note.id]
            stored = (await app.notes.get("default", [note.id]))[0].note
            assert stored.keywords
            assert stored.enrichment is (Enrichment.FAILED if named else Enrichment.DONE)
            assert named in stored.enrichment_error
            changed = await app.notes.update("default", note.id, Change(content="the harbour closes at seven"))
            assert changed.content.endswith("seven")
            await app.notes.delete("default", note.id)
            assert (await app.maintenance.state()).banks[0].notes == 0
    said = "".join(repr(vars(record)) for record in caplog.records if record.name.startswith("memory_bank"))
    assert KEY not in said
    assert KEY[8:] not in said
