"""Forgetting much at once: all of it and nothing else, with true counts; what names nothing forgets nothing."""

from typing import Any

import pytest

from memory_bank.bootstrap import App
from memory_bank.domain import filters, recall
from memory_bank.domain.beliefs import OnConflict, Statement
from memory_bank.errors import MemoryBankError
from memory_bank.interfaces import arguments, introspection

FACTS = 210


async def told(app: App, name: str, bank: str, count: int) -> None:
    for start in range(0, count, 50):
        facts = tuple(f"number{n} stands for topic{n} alone{n}" for n in range(start, min(start + 50, count)))
        await app.beliefs.remember(bank, Statement(name=name, facts=facts, on_conflict=OnConflict.KEEP_BOTH))


async def notes_in(app: App, bank: str) -> int:
    return (await app.notes.browse(bank, wanted=filters.Filter())).total


async def asked(app: App, **given: Any) -> introspection.ForgetAnswer:
    return await introspection.forget(app, arguments.read(introspection.Forget, given))


async def test_a_thing_goes_with_all_its_facts_in_one_call_and_no_other_bank_is_touched(app: App) -> None:
    await told(app, "Ada", "a", FACTS)
    await told(app, "Bob", "a", 5)
    await told(app, "Ada", "b", 5)
    # found, and so in every cache that there is
    assert await app.recall.search("a", recall.Query(text="number17 topic17"))
    shown = await asked(app, action="entity", name="Ada", bank="a", preview=True)
    assert (shown.total, shown.forgotten, await notes_in(app, "a")) == (FACTS, False, FACTS + 5)
    gone = await asked(app, action="entity", name="Ada", bank="a")
    assert (gone.total, gone.forgotten) == (FACTS, True)
    assert len(gone.facts) < FACTS
    assert (await notes_in(app, "a"), await notes_in(app, "b")) == (5, 5)
    for text in ("number17 topic17", "Ada"):
        found = await app.recall.search("a", recall.Query(text=text, limit=50))
        assert all(each.note.content.startswith("Bob: ") for each in found)
    again = await app.recall.search("b", recall.Query(text="number1 topic1"))
    assert again[0].note.content.startswith("Ada: ")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"name": ""},
        {"name": None},
        {"name": "*"},
        {"name": "%"},
        {"name": "_"},
        {"name": ".*"},
        {"nam": "Ada"},
        {"user": "Ada"},
        {"name": ["Ada"]},
        {"filter": {}},
    ],
)
async def test_an_empty_a_wild_or_a_misspelt_name_forgets_nothing(app: App, given: dict[str, Any]) -> None:
    await told(app, "Ada", "default", 5)
    await app.exchanges.observe("default", user="what Ada said of it", assistant="noted", session="s")
    for action in ("entity", "fact", "relation", "exchange"):
        with pytest.raises(MemoryBankError):
            await asked(app, action=action, **given)
    for words in ("*", "%", "%%%%%%%%", "______", ".*.*.*.*", "      "):
        for action in ("fact", "exchange"):
            with pytest.raises(MemoryBankError):
                await asked(app, action=action, name="Ada", query=words)
    assert await notes_in(app, "default") == 6


async def test_exchanges_go_all_pages_of_them_and_are_counted(app: App) -> None:
    kept = 3
    for n in range(recall.RESULT_LIMIT + 20):
        await app.exchanges.observe(
            "a", user=f"about zebra{n} crossing{n} number{n}", assistant=f"x{n}", session=f"s{n}"
        )
    for n in range(kept):
        await app.exchanges.observe("a", user=f"of something else{n}", assistant=f"y{n}", session=f"t{n}")
    held = (await app.exchanges.browse("a")).total
    gone = await asked(app, action="exchange", query="about zebra", bank="a")
    assert gone.total == held - kept
    assert (await app.exchanges.browse("a")).total == kept
