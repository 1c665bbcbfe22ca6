"""The states of tasks, what may follow them, what is similar, and what the end of a task leaves."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import beliefs, tasks
from memory_bank.domain.beliefs import EntityType
from memory_bank.domain.tasks import Candidate, Plan, Task, TaskStatus
from memory_bank.errors import Conflict, InvalidInput

NOW = datetime(2026, 3, 10, 3, 15, tzinfo=UTC)
PLAN = Plan(title="Fix the login", goal="Users log in")
OPEN = (TaskStatus.RUNNING, TaskStatus.PAUSED)
FINAL = (TaskStatus.COMPLETED, TaskStatus.ABORTED)
lines = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=60)


def task(status: TaskStatus = TaskStatus.RUNNING, title: str = "Fix the login", goal: str = "Users log in") -> Task:
    return replace(tasks.begun(Plan(title=title, goal=goal), id=uuid4(), now=NOW), status=status)


def similar(one: tuple[str, str], other: tuple[str, str], *, similarity: float | None) -> bool:
    candidate = Candidate(task=task(title=one[0], goal=one[1]), similarity=similarity)
    return tasks.similar(Plan(title=other[0], goal=other[1]), [candidate]) is candidate.task


def test_the_states_that_may_follow_each_state_are_these() -> None:
    allowed = {(before, after) for before in TaskStatus for after in tasks.MOVES[before]}
    assert allowed == {(TaskStatus.RUNNING, after) for after in TaskStatus} | {
        (TaskStatus.PAUSED, after) for after in (TaskStatus.RUNNING, *FINAL)
    }
    assert set(tasks.MOVES) == set(TaskStatus)
    assert set(OPEN) == tasks.OPEN


@pytest.mark.parametrize("before", TaskStatus)
@pytest.mark.parametrize("after", TaskStatus)
def test_every_other_move_is_refused_with_what_to_do(before: TaskStatus, after: TaskStatus) -> None:
    if after in tasks.MOVES[before]:
        assert tasks.moved(task(before), after, now=NOW).status is after
        return
    with pytest.raises(Conflict, match=r"start a new task instead|list the tasks"):
        tasks.moved(task(before), after, now=NOW)


@given(moves=st.lists(st.sampled_from(TaskStatus), max_size=12), seconds=st.integers(-10_000, 10_000))
def test_a_finished_task_stays_as_it_ended_whatever_is_tried(moves: list[TaskStatus], seconds: int) -> None:
    current, moment = task(), NOW
    for status in moves:
        before, moment = current, moment + timedelta(seconds=seconds)
        try:
            current = tasks.moved(current, status, now=moment, reason="r")
        except Conflict:
            assert current == before
        assert current.last_step_at >= before.last_step_at
        assert (current.ended_at is not None) == (current.status in FINAL)
        if before.status in FINAL:
            assert current == before


def test_an_end_has_its_reason_and_moment_and_a_step_only_its_moment() -> None:
    later = NOW + timedelta(minutes=5)
    ended = tasks.moved(task(), TaskStatus.ABORTED, now=later, reason="no access")
    assert (ended.stop_reason, ended.ended_at, ended.last_step_at) == ("no access", later, later)
    stepped = tasks.stepped(before := task(), now=later)
    assert stepped == replace(before, last_step_at=later)
    with pytest.raises(Conflict, match="resume it first"):
        tasks.stepped(task(TaskStatus.PAUSED), now=later)


def test_a_similar_plan_changes_only_what_it_gives() -> None:
    earlier = replace(task(TaskStatus.PAUSED), priority=0.2, importance=0.3, success_condition="green", session="s")
    going = tasks.continued(earlier, PLAN, now=NOW)
    assert going == replace(earlier, status=TaskStatus.RUNNING)
    more = replace(PLAN, priority=0.0, importance=1.0, success_condition="all green", session="t")
    changed = tasks.continued(earlier, more, now=NOW)
    assert (changed.priority, changed.importance) == (0.0, 1.0)
    assert (changed.success_condition, changed.session) == ("all green", "t")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Release version 2.3", "It is out"), ("Release version 2.4", "It is out")),
        (("Deploy the API to staging", "It runs"), ("Deploy the API to production", "It runs")),
        (("Enable gzip", "Responses of nginx are compressed"), ("Disable gzip", "Responses of nginx are compressed")),
        (("Call Anna about it", "The contract is signed"), ("Call Boris about it", "The contract is signed")),
        (("Increase the cache", "Fewer misses"), ("Decrease the cache", "Less memory is taken")),
        (("更新生产环境的数据库配置文件", "完成"), ("更新测试环境的数据库配置文件", "完成")),
    ],
)
def test_a_word_that_counts_tells_tasks_apart_however_close_their_vectors(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    assert not similar(one, other, similarity=0.99)
    assert not similar(other, one, similarity=0.99)
    assert similar(one, one, similarity=0.99)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Fix the login bug", "Users can log in again"), ("Repair the login issue", "Users can log in again")),
        (("Migrate the users table", "It is moved"), ("Migration of the users table", "It is moved")),
        (("Update the config", "It is current"), ("Update the configuration", "It is current")),
        (("Fix auth", "auth works"), ("Fix authentication", "authentication works")),
        (("Write the report", "The board reads it"), ("Prepare the report", "The board reads it")),
    ],
)
def test_other_words_of_the_same_meaning_keep_close_tasks_together(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    assert similar(one, other, similarity=0.9)
    assert not similar(one, other, similarity=tasks.SIMILARITY - 0.01)


def test_without_vectors_most_words_must_be_common() -> None:
    one = ("Write the report", "The board reads about the revenue of the year")
    assert similar(one, ("Write a report", "The board reads about the revenue of the year"), similarity=None)
    assert not similar(one, ("Write the report", "The team reads about holidays"), similarity=None)


def test_of_several_similar_tasks_the_most_similar_goes_on_then_the_last_worked_on() -> None:
    old = Candidate(task=task(), similarity=0.9)
    new = Candidate(task=replace(task(), last_step_at=NOW + timedelta(hours=1)), similarity=0.9)
    best = Candidate(task=task(), similarity=0.91)
    assert tasks.similar(PLAN, [old, new]) is new.task
    assert tasks.similar(PLAN, [old, best, new]) is best.task
    assert tasks.similar(PLAN, []) is None


def test_the_end_of_a_task_leaves_an_entity_with_its_facts() -> None:
    ended = tasks.moved(task(), TaskStatus.ABORTED, now=NOW + timedelta(hours=26, minutes=5), reason="no access")
    left = tasks.outcome(ended)
    assert left.name == "failure: Fix the login"
    assert left.type is EntityType.FAILURE
    assert left.facts == ("Goal: Users log in", "Reason for giving up: no access", "Given up after 1 d 2 h")
    done = tasks.outcome(tasks.moved(replace(task(), success_condition="green"), TaskStatus.COMPLETED, now=NOW))
    assert done.name == "success: Fix the login"
    assert done.facts == ("Goal: Users log in", "Success condition: green", "Completed after less than a minute")


@given(title=lines, goal=lines, reason=st.text(max_size=200))
def test_whatever_a_task_says_its_outcome_can_be_stored_as_beliefs(title: str, goal: str, reason: str) -> None:
    try:
        plan = tasks.checked(Plan(title=title, goal=goal))
        said = tasks.checked_reason(reason, field="result")
    except InvalidInput:
        return
    begun = tasks.begun(plan, id=uuid4(), now=NOW)
    left = tasks.outcome(tasks.moved(begun, TaskStatus.COMPLETED, now=NOW, reason=said))
    assert beliefs.checked_name(left.name)
    assert all(beliefs.checked_fact(fact) == fact for fact in left.facts)


def test_the_longest_task_still_has_a_name_and_facts_within_their_limits() -> None:
    plan = tasks.checked(Plan(title="t" * tasks.TITLE_LENGTH, goal="g" * tasks.GOAL_LENGTH))
    ended = tasks.moved(
        tasks.begun(plan, id=uuid4(), now=NOW), TaskStatus.ABORTED, now=NOW, reason="r" * tasks.REASON_LENGTH
    )
    left = tasks.outcome(ended)
    assert left.name.endswith("t" * tasks.TITLE_LENGTH)
    assert beliefs.checked_name(left.name) == left.name
    assert [beliefs.checked_fact(fact) for fact in left.facts] == list(left.facts)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (timedelta(seconds=-5), "less than a minute"),
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(minutes=1), "1 min"),
        (timedelta(hours=2), "2 h"),
        (timedelta(hours=2, minutes=3, seconds=59), "2 h 3 min"),
        (timedelta(days=3, minutes=3), "3 d"),
        (timedelta(days=400, hours=1), "400 d 1 h"),
    ],
)
def test_a_duration_is_told_in_its_two_largest_units(time: timedelta, words: str) -> None:
    assert tasks.duration(time) == words


def test_a_plan_is_cleaned_and_checked_by_field() -> None:
    checked = tasks.checked(Plan(title="  Fix \n the\x00 login ", goal=" g ", success_condition=" \u200b", session=" "))
    assert checked == Plan(title="Fix the login", goal="g")
    for bad, field in (
        (Plan(title="", goal="g"), "title"),
        (Plan(title="t", goal=" "), "goal"),
        (replace(PLAN, priority=float("nan")), "priority"),
        (replace(PLAN, importance=2.0), "importance"),
    ):
        with pytest.raises(InvalidInput) as caught:
            tasks.checked(bad)
        assert caught.value.field == field
