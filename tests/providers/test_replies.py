"""What language models answer: used where it can be, refused where it cannot, never trusted."""

import json
import logging
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import analysis as analyses
from memory_bank.domain import links
from memory_bank.errors import ProviderUnavailable
from memory_bank.providers import replies

GOOD = '{"keywords": ["backup", "disk quota"], "context": "A backup failed.", "tags": ["ops", "incident"]}'
EXAMPLE = '{"keywords": ["example"], "context": "An example.", "tags": ["example"]}'
OFFERED = {"C1": UUID(int=1), "C2": UUID(int=2), "C3": UUID(int=3)}

USABLE = {
    "bare": GOOD,
    "byte order mark": "\ufeff" + GOOD,
    "fenced": f"```json\n{GOOD}\n```",
    "fence without language": f"```\n{GOOD}\n```",
    "fence in upper case": f"```JSON\n{GOOD}```",
    "prose, fence, prose": f"Sure! Here is the result:\n\n```json\n{GOOD}\n```\nI hope that {{helps}}!",
    "prose with braces": f"The set {{a, b}} and {{ and {{x: 1}} matter.\n{GOOD}",
    "example first": f"The format is:\n```json\n{EXAMPLE}\n```\nThe answer:\n```json\n{GOOD}\n```",
    "sloppy after example": f"```json\n{EXAMPLE}\n```\n```json\n{GOOD[:-1]},}}\n```",
    "fence never closed": f"```json\n{GOOD}",
    "think-block": f"<think>\nMaybe {EXAMPLE}?\n</think>\n{GOOD}",
    "think-block without opening": f"Perhaps {EXAMPLE}, no.\n</think>\n\n```json\n{GOOD}\n```",
    "trailing commas": GOOD.replace("]", ",]").replace("]}", "],}"),
    "single quotes": GOOD.replace('"', "'"),
    "python literals": GOOD.replace('"', "'").replace("{", "{'note': None, 'sure': True, ", 1),
    "bare keys and comments": GOOD.replace('"keywords"', "keywords").replace("{", "{ // answer\n", 1),
    "wrapped": f'{{"analysis": {GOOD}}}',
    "in a list": f"[{GOOD}]",
    "raw newline in a string": GOOD.replace("A backup failed.", "A backup\nfailed."),
    "cut in the last tag": f"```json\n{GOOD[: GOOD.index('cident')]}",
    "at the end of 200 KB": "word " * 40_000 + GOOD,
    "before 200 KB of white space": GOOD + " " * 200_000,
}

UNUSABLE = {
    "empty": "",
    "white space": " \n\t",
    "null": "null",
    "number": "42",
    "number as text": '"42"',
    "list": '["backup", "ops"]',
    "empty object": "{}",
    "prose": "I cannot answer that.",
    "200 KB of text": "word " * 40_000,
    "cut in mid-string": '```json\n{"keywords": ["backup"], "context": "A backup fai',
    "cut at once": '```json\n{"keywords": ["ba',
    "cut after an example": f'```json\n{EXAMPLE}\n```\nAnswer:\n```json\n{{"keywords": ["backup", "di',
    "broken after an example": f'```json\n{EXAMPLE}\n```\n{{"keywords": [nonsense here, "tags": ]}}',
    "draft in an open think-block": f"<think>Maybe {GOOD}",
    "draft in a closed think-block": f"<think>Maybe {GOOD}</think>Done.",
    "no tags": '{"keywords": ["a"], "context": "b", "tags": []}',
    "null keywords": '{"keywords": null, "context": "b", "tags": ["c"]}',
    "blank context": '{"keywords": ["a"], "context": " \\u200b ", "tags": ["c"]}',
    "numbers for lists": '{"keywords": 1, "context": 2, "tags": 3}',
    "objects for words": '{"keywords": [{"a": 1}], "context": "b", "tags": [[1]]}',
    "deep": "[" * 100_000,
    "deep objects": '{"keywords":' * 20_000,
    "unclosed quotes": '{"' * 30_000,
    "escaped quotes": '{"keywords":"' + '\\"' * 30_000,
    "many braces": "{ " * 30_000,
    "many objects": '{"keywords": None,' * 3_500,
    "many Python strings": "{'a': None, " + "'" * 60_000,
    "endless number": '{"keywords": ' + "9" * 60_000,
}


@pytest.mark.parametrize("reply", USABLE.values(), ids=USABLE.keys())
def test_the_answer_is_found_whatever_stands_around_it(reply: str) -> None:
    analysis = replies.analysis(reply)
    assert analysis.keywords == ("backup", "disk quota")
    assert analysis.context == "A backup failed."
    assert analysis.tags[0] == "ops"
    assert analysis.origin is links.LinkOrigin.LLM


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_reply_that_cannot_be_used_is_refused_without_repeating_it(reply: str) -> None:
    with pytest.raises(ProviderUnavailable, match="the language model's reply cannot be used") as refusal:
        replies.analysis(reply)
    assert refusal.value.retryable
    assert len(str(refusal.value)) < 200


def test_three_backticks_inside_a_string_end_nothing() -> None:
    fenced = {"keywords": ["fence"], "context": "Write ```json to open and ``` to close.", "tags": ["markdown"]}
    assert replies.analysis(f"Here:\n```json\n{json.dumps(fenced)}\n```").context == fenced["context"]


def test_a_think_tag_inside_a_string_hides_nothing() -> None:
    reply = 'Answer: {"keywords": ["tags"], "context": "It writes <think> and </think>.", "tags": ["format"]} Done.'
    assert replies.analysis(reply).context == "It writes <think> and </think>."


def test_words_given_as_one_text_or_as_numbers_are_words() -> None:
    analysis = replies.analysis('{"keywords": "backup, disk quota", "context": "b", "tags": ["#Ops", 2026, true]}')
    assert analysis.keywords == ("backup", "disk quota")
    assert analysis.tags == ("ops", "2026")


def test_a_model_cannot_give_tags_that_steer_who_sees_a_note() -> None:
    analysis = replies.analysis('{"keywords": ["a"], "context": "b", "tags": ["scope:universal", "project:x", "ok"]}')
    assert analysis.tags == ("ok",)


def test_the_words_of_a_model_are_held_to_the_limits() -> None:
    flood = {
        "keywords": [f"word {n}" for n in range(5_000)],
        "context": "long " * 5_000,
        "tags": list("abcdefghijklmnop"),
    }
    analysis = replies.analysis(json.dumps(flood))
    assert len(analysis.keywords) == analyses.KEYWORD_COUNT
    assert len(analysis.tags) == analyses.TAG_COUNT
    assert len(analysis.context) <= analyses.CONTEXT_LENGTH


def entry(candidate: object, **changes: object) -> dict[str, object]:
    return {"candidate": candidate, "type": "causal", "explanation": "Why.", "confidence": 0.8, **changes}


def judged(*entries: object) -> list[links.Judgement]:
    return replies.judgements(json.dumps({"links": entries}), OFFERED)


def test_made_up_candidates_and_values_are_skipped_and_the_valid_entry_is_used(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stranger = str(uuid4())
    bad_labels = [12, -1, 0, 1.5, "1", None, stranger, str(UUID(int=1)), "C4", "C0", ["C1"], {"id": "C1"}, True]
    bad_values = [
        entry("C1", confidence=7),
        entry("C1", confidence=-1),
        entry("C1", confidence=float("nan")),
        entry("C1", confidence=float("inf")),
        entry("C1", confidence="sure"),
        entry("C1", confidence=True),
        entry("C1", type="MERGE"),
        entry("C1", type=None),
        entry("C1", type=3),
        entry("C1", explanation=""),
        entry("C1", explanation=None),
        "C1",
        None,
    ]
    with caplog.at_level(logging.WARNING):
        found = judged(*(entry(label) for label in bad_labels), *bad_values, entry("C2"), entry("C2", type="example"))
    assert [(each.target_id, each.type) for each in found] == [(UUID(int=2), links.LinkType.CAUSAL)]
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    for value in (12, -1, 0, 1.5, "1", None, stranger):
        assert f"candidate {value!r}" in record.getMessage()


def test_the_warning_names_values_and_a_candidate_named_twice(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        judged(entry("C1", confidence=7), entry("C1", type="MERGE"), entry("C1"), entry("C1"))
    assert "confidence 7, type 'MERGE', a candidate named twice" in caplog.text


def test_long_bad_values_are_measured_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        judged(entry("my private diary " * 9), entry("C1", type="my private diary " * 9), entry(10**60))
    assert "diary" not in caplog.text
    assert "a text of 153 characters" in caplog.text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Derived Concept", links.LinkType.DERIVED_CONCEPT),
        ("DERIVED-CONCEPT", links.LinkType.DERIVED_CONCEPT),
        ("derivedConcept", links.LinkType.DERIVED_CONCEPT),
        (" shared_context ", links.LinkType.SHARED_CONTEXT),
        ("OPPOSITION", links.LinkType.OPPOSITION),
    ],
)
def test_the_six_types_are_known_in_any_spelling(written: str, meant: links.LinkType) -> None:
    assert [each.type for each in judged(entry("C1", type=written))] == [meant]


def test_labels_are_known_in_any_case_and_a_candidate_without_link_is_no_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = judged(entry(" c3 "), {"candidate": "C1", "exists": False, "type": None})
    assert [each.target_id for each in found] == [UUID(int=3)]
    assert not caplog.records


def test_confidence_may_be_left_out_or_written_as_text() -> None:
    found = judged({"candidate": "C1", "type": "example", "explanation": "Why."}, entry("C2", confidence="0.25"))
    assert [each.confidence for each in found] == [replies.UNSTATED_CONFIDENCE, 0.25]


def test_explanations_are_capped() -> None:
    (found,) = judged(entry("C1", explanation="because " * 1_000))
    assert len(found.explanation) <= links.EXPLANATION_LIMIT
    assert links.checked_explanation(found.explanation) == found.explanation


def test_no_links_is_an_answer() -> None:
    assert judged() == []


def test_a_bare_list_of_links_is_taken_for_what_it_is() -> None:
    assert len(replies.judgements(f"```json\n{json.dumps([entry('C1'), entry('C2')])}\n```", OFFERED)) == 2


@pytest.mark.parametrize(
    "reply", ['["C1"]', "[]", '{"links": null}', '{"links": {"C1": 1}}', '{"links": "C1"}', "7", "{"]
)
def test_judgements_that_are_no_list_of_links_are_refused(reply: str) -> None:
    with pytest.raises(ProviderUnavailable):
        replies.judgements(reply, OFFERED)


def test_of_a_cut_list_the_complete_links_are_used() -> None:
    whole = json.dumps({"links": [entry("C1"), entry("C2")]})
    found = replies.judgements("```json\n" + whole[: whole.rindex("Why")], OFFERED)
    assert [each.target_id for each in found] == [UUID(int=1)]


def test_a_list_cut_before_its_first_link_is_not_taken_for_no_links() -> None:
    with pytest.raises(ProviderUnavailable):
        replies.judgements('{"links": [', OFFERED)


@given(st.one_of(st.text(), st.text(alphabet="{}[]\",:\\'`<>/ntkeywordslinks\n -1e")))
def test_no_reply_raises_anything_but_the_refusal(reply: str) -> None:
    for text in (reply, '{"links": ' + reply, '{"keywords": ' + reply):
        for read in (replies.analysis, lambda text: replies.judgements(text, OFFERED)):
            try:
                read(text)
            except ProviderUnavailable:
                continue


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.sampled_from(list(OFFERED)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
entries = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("candidate", "type", "explanation", "confidence", "exists"), json_values)
)


@given(st.lists(entries | json_values, max_size=6))
def test_whatever_is_proposed_only_offered_notes_are_linked_within_the_bounds(proposed: list[object]) -> None:
    found = judged(*proposed)
    assert {each.target_id for each in found} <= set(OFFERED.values())
    assert len({each.target_id for each in found}) == len(found)
    assert all(0 <= each.confidence <= 1 and links.checked_explanation(each.explanation) for each in found)
