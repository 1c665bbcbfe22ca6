"""How important an exchange is, and which ones say the same again."""

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import exchanges, notes, text
from memory_bank.domain.exchanges import Earlier, Turn
from memory_bank.errors import InvalidInput

SIGNALS = (
    "fix",
    "fixed",
    "root cause",
    "bug",
    "error",
    "critical",
    "decided",
    "decision",
    "discovered",
    "learned",
    "issue",
    "problem",
    "solved",
    "solution",
    "broken",
    "crash",
    "never",
    "always",
    "must",
    "important",
    "architecture",
    "design",
)
words = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=80)
said = st.one_of(words, st.lists(st.sampled_from([*SIGNALS, "tea", "重要", "Fehler"]), max_size=8).map(" ".join))


def turn(user: str, assistant: str = "", *, project: str | None = None) -> Turn:
    return exchanges.checked(user=user, assistant=assistant, project=project)


def earlier(user: str, assistant: str = "", *, similarity: float | None = None, tags: tuple[str, ...] = ()) -> Earlier:
    return Earlier(id=uuid4(), user=user, assistant=assistant, tags=tags, similarity=similarity)


@given(user=said, assistant=said)
def test_importance_lies_between_its_lowest_and_its_highest_level(user: str, assistant: str) -> None:
    assert 0.40 <= exchanges.scored(user, assistant) <= 0.90


@given(user=said, assistant=said, more=said)
def test_importance_never_falls_when_a_side_grows_by_whole_words(user: str, assistant: str, more: str) -> None:
    assert exchanges.scored(user, f"{assistant}\n{more}") >= exchanges.scored(user, assistant)


@given(length=st.integers(0, 10_000), more=st.integers(0, 10_000))
def test_length_adds_a_small_share_that_never_falls(length: int, more: int) -> None:
    shorter, longer = exchanges.scored("x" * length, ""), exchanges.scored("x" * length, "y" * more)
    assert 0.40 <= shorter <= longer <= 0.45
    assert exchanges.scored("x" * exchanges.SHORT, "") == 0.40
    assert exchanges.scored("x" * 3_000, "y" * 3_000) == 0.45


def test_every_published_signal_word_counts_once() -> None:
    assert len(SIGNALS) == 22
    for word in SIGNALS:
        assert exchanges.signals(f"So {word.title()}, {word.upper()}.") == {word}
    assert exchanges.signals("\n".join(SIGNALS)) == set(SIGNALS)


@pytest.mark.parametrize(
    ("content", "importance"),
    [
        ("What a day", 0.40),
        ("fixture, nevertheless, mustard, buggy, designated", 0.40),
        ("This is important", 0.55),
        ("We decided to keep this design", 0.70),
        ("Fixed the crash, the root  cause was a bug", 0.85),
        ("Der Fehler ist behoben", 0.70),
        ("Wichtig: wir haben immer eine Lösung und das Problem ist gelöst", 0.85),
        ("El problema está resuelto", 0.70),
        ("La décision est prise, le problème est résolu, c'est toujours important", 0.85),
        ("这个问题已解决", 0.70),
        ("重要：发现了根本原因，错误已修复", 0.85),
        ("バグを直した", 0.70),
        ("重要な問題が見つかった。必ず設計を変える", 0.85),
        ("Lo\u0308sung", 0.55),
        ("ＢＵＧ", 0.55),
    ],
)
def test_importance_goes_by_the_number_of_different_signals_in_any_language(content: str, importance: float) -> None:
    assert exchanges.scored(content, "") == importance
    assert exchanges.scored("", content) == importance
    assert exchanges.scored(content, content) == importance


@given(user=words, assistant=words)
def test_a_checked_turn_can_be_stored_whole(user: str, assistant: str) -> None:
    if text.is_blank(text.storable(user)) and text.is_blank(text.storable(assistant)):
        with pytest.raises(InvalidInput, match="user"):
            exchanges.checked(user=user, assistant=assistant)
        return
    checked = exchanges.checked(user=user, assistant=assistant)
    assert checked.content == notes.checked_content(checked.content)
    assert 0.0 <= checked.importance <= 1.0
    for kept, given_text in ((checked.user, user), (checked.assistant, assistant)):
        assert kept in ("", given_text)


def test_both_sides_together_fit_into_a_note() -> None:
    room = notes.CONTENT_LIMIT - len(exchanges.written("", ""))
    assert len(exchanges.checked(user="u", assistant="a" * (room - 1)).content) == notes.CONTENT_LIMIT
    with pytest.raises(InvalidInput, match=r"^assistant: .*shorten"):
        exchanges.checked(user="u", assistant="a" * room)


def test_a_given_importance_is_kept_and_a_bad_one_is_refused() -> None:
    given_one = exchanges.checked(user="a critical bug", assistant="", importance=0.0)
    assert (given_one.importance, given_one.importance_given) == (0.0, True)
    for bad in (-0.01, 1.01, float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match="importance"):
            exchanges.checked(user="x", assistant="", importance=bad)


def test_a_project_is_a_tag_before_the_others_and_a_blank_one_none() -> None:
    assert exchanges.checked(user="x", assistant="", project=" Atlas ", tags=["Ops"]).tags == ("project:atlas", "ops")
    assert exchanges.checked(user="x", assistant="", project=" ").tags == ()


def test_the_most_similar_exchange_takes_a_repeat_in_first() -> None:
    near, nearer = earlier("how do I list the files", similarity=0.9), earlier("how do I list files", similarity=0.95)
    far = earlier("how to list the files", similarity=exchanges.SIMILARITY)
    assert exchanges.near_duplicates(turn("how can I list the files"), [near, far, nearer]) == [nearer.id, near.id]


def test_without_vectors_common_words_decide() -> None:
    asked = "please remind me of the appointment with the dentist on the first day after the big holiday"
    alike, other = earlier(f"{asked} kindly"), earlier("please remind me of the dentist")
    assert exchanges.near_duplicates(turn(asked), [alike, other]) == [alike.id]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It listens on port 8080", "It listens on port 8081"),
        ("The release is v1.2", "The release is v1.3"),
        ("I can log in now", "I cannot log in now"),
        ("You should enable caching", "You should disable caching"),
        ("He said that Ada lives there", "He said that Ben lives there"),
        ("它现在可以登录", "它现在不可以登录"),
        ("部署了第3版", "部署了第4版"),
    ],
)
def test_what_differs_in_a_word_that_counts_is_news(one: str, other: str) -> None:
    assert exchanges.near_duplicates(turn(other), [earlier(one, similarity=0.99)]) == []
    assert exchanges.near_duplicates(turn(one), [earlier(other, similarity=0.99)]) == []
    same = earlier(one, similarity=0.99)
    assert exchanges.near_duplicates(turn(one), [same]) == [same.id]


def test_exchanges_of_different_projects_never_merge() -> None:
    atlas = earlier("the same words", similarity=1.0, tags=("project:atlas", "ops"))
    assert exchanges.near_duplicates(turn("the same words", project="borealis"), [atlas]) == []
    assert exchanges.near_duplicates(turn("the same words"), [atlas]) == []
    assert exchanges.near_duplicates(turn("the same words", project="atlas"), [atlas]) == [atlas.id]


def test_tags_join_without_narrowing_who_sees_the_exchange() -> None:
    assert exchanges.joint_tags(["project:a", "x"], ["project:b", "x", "y"]) == ("project:a", "x", "project:b", "y")
    assert exchanges.joint_tags(["x"], ["project:b", "y"]) == ("x", "y")
    assert exchanges.joint_tags(["project:a", "x"], ["y"]) == ("x", "y")
    assert len(exchanges.joint_tags([f"a{n}" for n in range(40)], [f"b{n}" for n in range(40)])) == notes.TAG_LIMIT


@given(one=words, other=words)
def test_comparing_never_fails_and_a_text_repeats_itself(one: str, other: str) -> None:
    if not (one.strip() and other.strip()):
        return
    try:
        mine, same = turn(one), earlier(turn(one).user, similarity=1.0)
        exchanges.near_duplicates(mine, [earlier(other), earlier(other, similarity=0.9)])
    except InvalidInput:
        return
    assert exchanges.near_duplicates(mine, [same]) == [same.id]


def test_words_that_may_name_an_exchange_have_more_than_five_characters() -> None:
    assert exchanges.checked_words(" six   ch ") == "six   ch"
    for short in ("", "hello", "  hey  "):
        with pytest.raises(InvalidInput, match="query"):
            exchanges.checked_words(short)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            ("how do I restart it?", "run systemctl restart gateway"),
            ("how do I restart it?", "run systemctl stop gateway"),
        ),
        (("I like Paris", "noted"), ("I hate Paris", "noted")),
        (("", "first"), ("first", "")),
        (("x", "y"), ("z", "w")),
        (("你好吗", "很好"), ("你好", "好的")),
    ],
)
def test_a_turn_with_other_words_in_the_place_of_some_is_news(old: tuple[str, str], new: tuple[str, str]) -> None:
    turn = exchanges.checked(user=new[0], assistant=new[1])
    earlier = Earlier(id=uuid4(), user=old[0], assistant=old[1], tags=(), similarity=0.99)
    assert exchanges.near_duplicates(turn, [earlier]) == []
