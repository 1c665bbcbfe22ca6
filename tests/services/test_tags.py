"""Tags are matched as they are: no wildcard, no part of a word, whatever shape they come in."""

import pytest

from memory_bank.bootstrap import App
from memory_bank.domain import filters, recall
from memory_bank.domain.filters import TagMatch
from memory_bank.domain.notes import Change, Draft
from memory_bank.interfaces import arguments, notes

BANK = "default"
PLAIN = ["test", "testing", "my-test-tag", "100", "myXtag", "UPPER", "ünï"]
TAGS = [*PLAIN, "100%", "my_tag", "a,b", "[x]", "back\\slash"]


@pytest.fixture
async def tagged(app: App) -> App:
    drafts = [Draft(content=f"note tagged {number}", tags=(tag,)) for number, tag in enumerate(TAGS)]
    await app.notes.add_all(BANK, drafts)
    return app


async def test_each_tag_finds_the_one_note_that_carries_it(tagged: App) -> None:
    for number, tag in enumerate(TAGS):
        wanted = filters.checked(tags=[tag])
        page = await tagged.notes.browse(BANK, wanted=wanted)
        assert [each.note.content for each in page.notes] == [f"note tagged {number}"]
        found = await tagged.recall.search(BANK, recall.Query(text="note tagged", wanted=wanted, limit=50))
        assert [each.note.content for each in found] == [f"note tagged {number}"]
    for none in ("tes", "%", "_", "my?tag", "*", ".*", "est", "upper "):
        page = await tagged.notes.browse(BANK, wanted=filters.checked(tags=[none]))
        # letter case and the blanks around a tag make no difference
        assert page.total == (1 if none == "upper " else 0)


async def test_taking_away_a_tag_takes_no_other(tagged: App) -> None:
    (both,) = (await tagged.notes.add_all(BANK, [Draft(content="both", tags=("test", "testing", "100%"))]))[:1]
    assert both.id is not None
    changed = await tagged.notes.update(BANK, both.id, Change(remove_tags=("test", "%", "100")))
    assert set(changed.tags) >= {"testing", "100%"}
    assert "test" not in changed.tags


@pytest.mark.parametrize("shape", [["alpha", "beta"], "alpha, beta", '["alpha", "beta"]'])
async def test_a_list_words_and_json_text_are_the_same_tags(app: App, shape: object) -> None:
    for tags in (("alpha",), ("beta",), ("alpha", "beta"), ("gamma",)):
        await app.notes.add(BANK, Draft(content=f"with {' and '.join(tags)}", tags=tags))
    for match, count in ((TagMatch.ANY, 3), (TagMatch.ALL, 1)):
        asked = arguments.read(notes.SearchNotes, {"context": "with", "tags": shape, "tag_match": match.value})
        assert len((await notes.search(app, asked)).notes) == count


async def test_the_few_that_carry_a_tag_are_found_behind_many_better_ones(app: App) -> None:
    better = [Draft(content=f"alpha beta gamma {number}") for number in range(400)]
    rare = [Draft(content=f"alpha among quite other words {number}", tags=("rare",)) for number in range(3)]
    await app.notes.add_all(BANK, [*better, *rare])
    wanted = filters.checked(tags=["rare"])
    found = await app.recall.search(BANK, recall.Query(text="alpha beta gamma", wanted=wanted, limit=5))
    assert len(found) == 3
