"""`memory-bank eval` and `bench`: sets, whatever they hold, and figures on one small enough to check by hand."""

import asyncio
import gzip
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain.notes import Draft
from memory_bank.domain.recall import Query
from memory_bank.errors import InvalidInput, ProviderUnavailable
from memory_bank.interfaces import retrieval_sets
from memory_bank.interfaces.cli import comparison, evaluation, throwaway
from memory_bank.interfaces.cli import measurement as benching
from memory_bank.interfaces.cli.invocation import Invocation
from memory_bank.services import measurement
from memory_bank.settings import Settings
from tests.conftest import SHARED
from tests.fakes import FakeEmbedder
from tests.processes import Commands, postmaster, waited

TEA = {
    "bank": "tea",
    "documents": [
        {"id": 1, "session": 1, "date": "1:56 pm on 8 May, 2023", "text": "Ada drinks green tea in the morning"},
        {"id": 2, "session": 1, "date": "1:56 pm on 8 May, 2023", "text": "Bob keeps bees behind the old barn"},
        {"id": 3, "session": 2, "date": " ", "text": "Ada drinks black coffee in the evening"},
        {"id": 4, "session": 2, "text": "Ada drinks black coffee in the evening"},
    ],
    "queries": [
        {"id": "q1", "text": "Ada drinks green tea", "relevant": [1], "category": "drinks"},
        {"id": "q2", "text": "Ada drinks", "relevant": [3, 4], "category": "drinks"},
        {"id": "q3", "text": "Bob keeps bees", "relevant": [2], "category": "animals"},
        {"id": "q4", "text": "submarine periscope", "relevant": [], "category": "nothing"},
    ],
}
SHIPS = {
    "bank": "ships",
    "documents": [{"id": "a", "text": "submarine periscope repairs"}],
    "queries": [{"id": "q", "text": "submarine periscope", "relevant": ["a"]}],
}


def write(folder: Path, *banks: Mapping[str, Any], name: str = "set.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(each) + "\n" for each in banks), encoding="utf-8")
    return file


@pytest.fixture
def invocation(url: str, tmp_path: Path) -> Invocation:
    """A command on a shared database, with a low floor for the fake embedder."""
    return Invocation(
        config=None,
        overrides={
            "postgres.url": url,
            "memory-bank.data-dir": str(tmp_path / "data"),
            "memory.similarity-threshold": "0.2",
        },
        environ={},
        cwd=tmp_path,
    )


@pytest.fixture
def commands(graph_dir: Path, tmp_path: Path) -> Commands:
    """Commands with the real embedding model and no database of their own."""
    return Commands(
        folder=tmp_path,
        environment={"EMBEDDING_GRAPH_DIR": str(graph_dir), "MEMORY_BANK_DATA_DIR": str(tmp_path / "data")},
    )


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()


async def test_figures_equal_those_worked_out_by_hand(invocation: Invocation, tmp_path: Path) -> None:
    corpora = retrieval_sets.read(write(tmp_path, TEA, SHIPS))
    async with throwaway.place(invocation, parts=Parts(embedder=FakeEmbedder())) as place:
        run = evaluation.Run(place, variants=["vector", "hybrid"], limit=20)
        answer = await run.answer(corpora, following={0: 1, 1: 0}, explain=True)
    assert (answer.banks, answer.documents, answer.limit) == (2, 5, 20)
    vector, hybrid = answer.variants
    assert (vector.queries, vector.unanswerable, vector.nothing) == (5, 1, 0.2)
    overall, animals, drinks, rest = vector.turn
    assert [each.category for each in vector.turn] == ["overall", "animals", "drinks", "uncategorised"]
    assert [each.queries for each in vector.turn] == [4, 1, 2, 1]
    # documents 3 and 4 are one note
    assert animals.any == animals.all == rest.recall == [1.0] * 4
    assert drinks.all[1:] == overall.all[1:] == [1.0] * 3
    assert [each.queries for each in vector.session] == [3, 1, 2]
    assert vector.explained is not None
    first, second, *_ = vector.explained
    assert first.relevant == {"1": 1}
    assert first.top[0].document == "1"
    assert first.top[0].arms[0].arm == "vector"
    assert second.relevant["3"] == second.relevant["4"]
    assert vector.off_topic is not None
    # "submarine periscope" is in the second bank; whoever asks it there is answered
    assert (vector.off_topic.queries, vector.off_topic.nothing, vector.off_topic.weak) == (5, 0.8, 0.0)
    assert [each.queries for each in hybrid.turn] == [each.queries for each in vector.turn]


async def test_a_run_is_compared_with_an_earlier_one_question_by_question(
    invocation: Invocation, tmp_path: Path
) -> None:
    corpora = retrieval_sets.read(write(tmp_path, TEA, SHIPS))
    async with throwaway.place(invocation, parts=Parts(embedder=FakeEmbedder())) as place:
        run = evaluation.Run(place, variants=["vector", "hybrid"], limit=20)
        then = (await run.answer(corpora, following={}, explain=True)).model_dump(mode="json", exclude_none=True)
    # the earlier run is said to have missed what answers q3
    missed = next(each for each in then["variants"][0]["explained"] if each["query"] == "q3")
    for name in ("any", "recall", "all"):
        missed["figures"][name] = [0.0] * 4
    file = tmp_path / "then.json"
    file.write_text(json.dumps(then))
    earlier = comparison.Earlier(file)
    earlier.require(["vector", "hybrid"], corpora, limit_queries=None)
    async with throwaway.place(invocation, parts=Parts(embedder=FakeEmbedder())) as place:
        run = evaluation.Run(place, variants=["vector", "hybrid"], limit=20)
        now = await run.answer(corpora, following={}, explain=False, earlier=earlier)
    vector, hybrid = now.variants
    assert vector.against is not None
    assert hybrid.against is not None
    # of the five questions one has no answer
    assert (vector.against.file, vector.against.queries) == ("then.json", 4)
    told = {each.measure: (each.better, each.worse) for each in vector.against.differences}
    assert {measure for measure, counts in told.items() if counts == (1, 0)} == {
        f"{name}@{cutoff}" for name in ("any", "recall", "all") for cutoff in now.cutoffs
    }
    recall = next(each for each in vector.against.differences if each.measure == "recall@10")
    assert (recall.before, recall.now, recall.chance) == (0.75, 1.0, 1.0)
    assert all((each.better, each.worse) == (0, 0) for each in hybrid.against.differences)
    assert any(line.startswith("recall@10   0.7500  1.0000       1      0") for line in evaluation.readable(now))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("not json", "no answer of `memory-bank eval --explain --json`"),
        ('{"cutoffs": [1], "variants": []}', "no query's own figures"),
        ('{"cutoffs": [1, 5, 10, 20], "variants": [{"arms": "hybrid"}]}', "no query's own figures"),
        (
            json.dumps(
                {
                    "cutoffs": [1, 5, 10, 20],
                    "variants": [
                        {
                            "arms": "hybrid",
                            "explained": [
                                {
                                    "bank": "tea",
                                    "query": "q1",
                                    "text": "something else",
                                    "figures": dict.fromkeys(("any", "recall", "all"), [0.0] * 4)
                                    | {"mrr": 0.0, "ndcg_at_10": 0.0},
                                }
                            ],
                        }
                    ],
                }
            ),
            "no answered question of these files with --arms hybrid",
        ),
    ],
)
def test_a_run_that_cannot_be_compared_is_refused_before_anything_is_loaded(
    tmp_path: Path, text: str, told: str
) -> None:
    corpora = retrieval_sets.read(write(tmp_path, TEA))
    file = tmp_path / "then.json"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=re.escape(told)) as refused:
        comparison.Earlier(file).require(["hybrid"], corpora, limit_queries=None)
    assert refused.value.field == "--against"


async def test_nothing_stays_in_a_shared_database_and_nobody_else_s_notes_change(
    invocation: Invocation, loaded: Settings, url: str, tmp_path: Path
) -> None:
    async with open_app(loaded, parts=Parts(embedder=FakeEmbedder())) as app:
        await app.notes.add_all("default", [Draft(content="Ada drinks green tea in the morning")])
    before = rows(url, "SELECT n.*::text FROM notes n"), rows(url, "SELECT count(*) FROM procrastinate_jobs")
    async with throwaway.place(invocation, parts=Parts(embedder=FakeEmbedder())) as place:
        run = evaluation.Run(place, variants=["hybrid"], limit=20)
        await run.answer(retrieval_sets.read(write(tmp_path, TEA)), following={}, explain=False)
        others = rows(url, "SELECT enrichment FROM notes WHERE bank_id <> 'default'")
        # no worker of the same database may take them up
        assert others == [("done",)] * 3
    assert rows(url, "SELECT id FROM banks") == [("default",)]
    assert rows(url, "SELECT count(*) FROM embeddings") == [(1,)]
    assert before == (rows(url, "SELECT n.*::text FROM notes n"), rows(url, "SELECT count(*) FROM procrastinate_jobs"))


async def test_documents_keep_their_session_their_place_in_it_and_their_date(
    invocation: Invocation, tmp_path: Path
) -> None:
    (corpus,) = retrieval_sets.read(write(tmp_path, TEA))
    async with throwaway.place(invocation, parts=Parts(embedder=FakeEmbedder())) as place:
        bank = place.bank()
        await place.app.evaluation.load(bank, corpus, progress=lambda _: None)
        found = await place.app.recall.search(bank, Query(text="Bob keeps bees"))
    note = found[0].note
    assert (note.session, note.position) == ("1", 1)
    assert note.timestamp == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


async def test_a_model_that_is_slow_is_waited_for(invocation: Invocation, tmp_path: Path) -> None:
    class Slow(FakeEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
            await asyncio.sleep(0.2)
            return await super().embed_documents(texts)

    hurried = replace(invocation, overrides={**invocation.overrides, "enrichment.inline-timeout": "0"})
    async with throwaway.place(hurried, parts=Parts(embedder=Slow())) as place:
        run = evaluation.Run(place, variants=["vector"], limit=20)
        answer = await run.answer(retrieval_sets.read(write(tmp_path, TEA)), following={}, explain=False)
    assert answer.documents == 4


async def test_a_model_that_is_down_gives_no_figures(invocation: Invocation, tmp_path: Path) -> None:
    corpora = retrieval_sets.read(write(tmp_path, TEA))
    embedder = FakeEmbedder()
    async with throwaway.place(invocation, parts=Parts(embedder=embedder)) as place:
        embedder.down = True
        with pytest.raises(ProviderUnavailable, match="the embedder is down"):
            await evaluation.Run(place, variants=["vector"], limit=20).answer(corpora, following={}, explain=False)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "JSON"),
        ("[]", "object"),
        ('{"bank": "b"}', "documents"),
        ('{"bank": "b", "documents": [], "queries": []}', "documents"),
        ('{"bank": "b", "documents": [{"id": "1"}], "queries": []}', "documents.0.text"),
        ('{"bank": "b", "documents": [{"id": "1", "text": " "}], "queries": []}', "document '1'"),
        ('{"bank": "b", "documents": [{"id": 1, "text": "x"}, {"id": "1", "text": "y"}], "queries": []}', "one id"),
        (
            '{"bank": "b", "documents": [{"id": "1", "text": "x", "date": "foo"}], "queries": []}',
            "document '1': date: 'foo'",
        ),
        ('{"bank": "b", "documents": [{"id": "1", "text": "x", "date": "2023-02-30"}], "queries": []}', "leave it out"),
        (
            '{"bank": "b", "documents": [{"id": "1", "text": "x"}], '
            '"queries": [{"id": "q", "text": "t", "relevant": ["2"]}]}',
            "'2' is no document",
        ),
        (
            '{"bank": "b", "documents": [{"id": "1", "text": "x"}], '
            '"queries": [{"id": "q", "text": "", "relevant": []}]}',
            "query 'q'",
        ),
        ("[" * 100_000, "set.jsonl:2"),
    ],
)
def test_a_bad_line_is_refused_with_its_file_and_number(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps(SHIPS) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        retrieval_sets.read(file)
    assert "set.jsonl:2" in str(refused.value)
    assert told in str(refused.value)


@pytest.mark.parametrize("name", ["locomo-dev.jsonl", "longmemeval-dev.jsonl.gz", "xquad-zh-dev.jsonl"])
def test_the_published_sets_are_read_with_every_date(name: str) -> None:
    file = SHARED / "data" / "retrieval" / name
    if not file.exists():
        pytest.skip(f"{file} is not here")
    documents = [each for corpus in retrieval_sets.read(file) for each in corpus.documents]
    assert {each.timestamp is None for each in documents} == {name.startswith("xquad")}


def test_a_line_that_no_note_can_hold_is_refused_with_its_file_and_number(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("red\u2028kettle\r\n\u200b\n" + "x" * 100_001 + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"notes\.txt:3: at most 100000 characters, got 100001; split it up"):
        benching._texts(file)
    file.write_text("\u200b\n\ufeff \n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="holds no text; write a note in each line"):
        benching._texts(file)


def test_texts_of_a_file_come_again_with_a_number_and_no_longer_than_a_note(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("red\u2028kettle\r\n\u200b\n\n" + "x" * 100_000, encoding="utf-8")
    short, full, again, full_again = itertools.islice(benching._texts(file), 4)
    assert (short, again) == ("red\u2028kettle", "red\u2028kettle (1)")
    assert len(full) == len(full_again) == 100_000
    assert full_again.endswith("x (1)")


def test_archives_are_read_and_broken_ones_refused(tmp_path: Path) -> None:
    text = "\ufeff" + json.dumps({**SHIPS, "bank": "café\u2028x"}, ensure_ascii=False) + "\n\n" + json.dumps(TEA)
    packed = gzip.compress(text.encode())
    whole, cut, empty = tmp_path / "set.jsonl.gz", tmp_path / "cut.gz", tmp_path / "empty.jsonl"
    whole.write_bytes(packed)
    cut.write_bytes(packed[:-20])
    empty.write_bytes(b"\n")
    assert [each.name for each in retrieval_sets.read(whole)] == ["café\u2028x", "tea"]
    assert [each.name for each in retrieval_sets.read(whole, banks=1)] == ["café\u2028x"]
    for bad, told in ((cut, "cannot be read"), (empty, "no bank"), (tmp_path / "none", "cannot be read")):
        with pytest.raises(InvalidInput, match=told):
            retrieval_sets.read(bad)


@given(content=st.binary(max_size=200))
def test_a_file_of_any_bytes_is_refused_or_read(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("sets") / "set"
    file.write_bytes(content)
    with pytest.raises(InvalidInput):
        retrieval_sets.read(file)


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:05 am on 31 December, 2022", datetime(2022, 12, 31, 0, 5, tzinfo=UTC)),
        ("2023/07/21 (Fri) 21:48", datetime(2023, 7, 21, 21, 48, tzinfo=UTC)),
        ("2023-07-21T21:48:00+02:00", datetime(2023, 7, 21, 19, 48, tzinfo=UTC)),
        ("last Tuesday", None),
        ("31:00 pm on 8 May, 2023", None),
        ("", None),
    ],
)
def test_dates_are_read_as_the_known_sets_write_them(date: str, moment: datetime | None) -> None:
    assert retrieval_sets.moment(date) == moment


def test_made_up_texts_are_the_same_every_time_and_have_a_long_tail() -> None:
    def first(count: int) -> list[str]:
        texts: Iterator[str] = measurement.made_up_texts()
        return [next(texts) for _ in range(count)]

    texts = first(500)
    assert texts == first(500)
    assert len(set(texts)) == 500
    assert all(20 <= len(each.split()) <= 30 for each in texts)
    words = [word for each in texts for word in each.split()]
    assert words.count("the") > words.count("coffee") > 0
    assert len(set(words)) > 1_500
    queries = measurement.made_up_queries(texts, 50)
    assert len(set(queries)) == 50
    assert len(set(measurement.made_up_queries(["two words"], 20))) == 20


async def test_searches_are_measured_beside_the_model_and_a_hand_written_query(app: App) -> None:
    ingested = await app.measurement.ingest("some", ["alpha beta", "gamma delta"])
    assert ingested.notes == 2
    assert min(ingested.adding, ingested.embedding) > 0
    await app.measurement.warm_up("some")
    searched = await app.measurement.search("some", "alpha", baseline_first=True)
    assert searched.found == 1
    assert min(searched.embedding, searched.search, searched.baseline) > 0
    await app.measurement.remove("some")
    assert (await app.maintenance.state()).banks == ()


async def test_single_notes_are_added_as_callers_do_and_no_worker_is_needed(invocation: Invocation, url: str) -> None:
    embedder = FakeEmbedder()
    async with throwaway.place(invocation, parts=Parts(embedder=embedder)) as place:
        banks = [place.bank(), place.bank()]
        figures = await benching.ingest_singles(place, banks, measurement.made_up_texts(), notes=3)
        # one of each kind beforehand, which is not counted
        assert rows(url, "SELECT analysed_by, enrichment, count(*) FROM notes GROUP BY 1, 2 ORDER BY 1") == [
            ("heuristic", "done", 4),
            (None, "done", 4),
        ]
        assert rows(url, "SELECT count(*) FROM procrastinate_jobs") == [(0,)]
    assert (figures.queued.notes, figures.inline.notes) == (3, 3)
    assert min(figures.queued.ratio_to_embedder, figures.inline.ratio_to_embedder) > 0
    # each text twice, once bare and once as a note
    assert len(embedder.embedded) == 2 * len(set(embedder.embedded)) == 16
    assert rows(url, "SELECT count(*) FROM notes") == [(0,)]


async def test_only_notes_past_the_sample_get_synthetic_vectors(invocation: Invocation, url: str) -> None:
    embedder = FakeEmbedder()
    progress: list[int] = []
    async with throwaway.place(invocation, parts=Parts(embedder=embedder)) as place:
        banks = [place.bank(), place.bank()]
        figures, sample = await benching.ingest_notes(
            place, banks, measurement.made_up_texts(), notes=1_200, synthetic=True, progress=progress.append
        )
        assert rows(url, "SELECT count(*) FROM embeddings GROUP BY bank_id ORDER BY 1") == [(500,), (700,)]
        found = await benching.time_searches(place, banks, sample, queries=4)
    assert (figures.notes, figures.synthetic_notes, sum(progress)) == (1_000, 200, 1_200)
    assert figures.ratio_to_embedder > 0
    # each real text twice, once bare and once as a note; the synthetic ones not at all
    assert sum(len(each.split()) >= 20 for each in embedder.embedded) == 2_000
    assert found.queries == 4
    assert found.mean_results == 10


def test_both_commands_run_without_any_database(commands: Commands) -> None:
    write(commands.folder, TEA, SHIPS)
    (commands.folder / "notes.txt").write_text("The kettle is red.\n\nThe ship left on Monday.\r\nThe kettle is red.\n")
    (commands.folder / "blank.txt").write_text(" \n\n")
    (commands.folder / "broken.txt").write_bytes(b"kettle \xff")
    evaluated, refused, twice, benched, of_lines, blank, broken = commands.run_all(
        [
            ["eval", "set.jsonl", "--off-topic", "--limit-queries", "3", "--arms", "vector,hybrid", "--json"],
            ["eval", "set.jsonl", "--arms", "psychic"],
            ["eval", "set.jsonl", "--explain"],
            ["bench", "--notes", "30", "--banks", "2", "--queries", "4", "--json"],
            ["bench", "--notes", "3", "--queries", "2", "--texts", "notes.txt", "--json"],
            ["bench", "--texts", "blank.txt"],
            ["bench", "--texts", "broken.txt"],
        ]
    )
    answer = evaluated.json()
    assert [each["arms"] for each in answer["variants"]] == ["vector", "hybrid"]
    assert answer["variants"][0]["turn"][0]["any"][1] == 1.0
    assert refused.code == 2
    assert "psychic" in refused.stderr
    assert "nDCG@10: binary" in twice.text
    assert "relevant: 1 at 1" in twice.text
    figures = benched.json()
    assert (figures["notes"], figures["banks"], figures["synthetic_vectors"]) == (30, 2, False)
    assert figures["ingest"]["notes"] == 30
    assert figures["ingest"]["synthetic_notes"] == 0
    assert figures["one_by_one"]["queued"]["notes"] == figures["one_by_one"]["inline"]["notes"] == 30
    assert figures["search"]["mean_results"] > 0
    assert figures["search"]["search"]["p50_ms"] > 0
    assert of_lines.json()["texts"] == "notes.txt"
    assert of_lines.json()["search"]["mean_results"] > 0
    assert (blank.code, broken.code) == (2, 2)
    assert "write a note in each line" in blank.stderr
    assert "save it as UTF-8 text" in broken.stderr
    # the user's own data folder holds no database afterwards
    assert not (commands.folder / "data" / "postgres").exists()


def test_a_stopped_command_leaves_no_database_running(commands: Commands, tmp_path: Path) -> None:
    write(commands.folder, TEA)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    temporary.chmod(0o755)
    with commands.start("bench", "--notes", "1000000", "--synthetic-vectors", TMPDIR=str(temporary)) as process:
        waited(lambda: any(map(postmaster, temporary.glob("memory-bank-*"))), told=lambda: process.stderr)
        process.terminate()
        assert process.ended().code == 130
    assert list(temporary.glob("memory-bank-*")) == []
