import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import analysis, links
from memory_bank.domain.links import LinkOrigin, LinkType
from memory_bank.providers import keywords
from memory_bank.providers.heuristics import HeuristicAnalyst

ANALYST = HeuristicAnalyst()


async def test_a_note_gets_keywords_a_context_and_tags_by_heuristics() -> None:
    told = await ANALYST.analyse("The tile museum in Lisbon opens at ten. Bring the discount card.")

    assert "tile museum" in told.keywords[:3]
    assert len(told.keywords) >= 3
    assert told.context == "The tile museum in Lisbon opens at ten."
    assert {"tile-museum", "discount-card"} <= set(told.tags)
    assert len(told.tags) >= 3
    assert all(tag == tag.lower() for tag in told.tags)
    assert told.origin is LinkOrigin.HEURISTIC


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            "Dr. Weber moved the visit to 3 p.m. on Friday. Bring the scan.",
            "Dr. Weber moved the visit to 3 p.m. on Friday.",
        ),
        ("Der Wert liegt bei 3.5 Grad, d.h. zu tief. Mehr folgt.", "Der Wert liegt bei 3.5 Grad, d.h. zu tief."),
        ("Hi! The plumber comes on Monday. Pay cash.", "Hi! The plumber comes on Monday."),
        ("迁移计划推迟到下个月，等新服务器到货。其他照旧。", "迁移计划推迟到下个月，等新服务器到货。"),
        ("新しい冷蔵庫は木曜に届く。古いのは引き取り。", "新しい冷蔵庫は木曜に届く。"),
        ("تأجل الاجتماع إلى يوم الخميس. أحضر التقرير.", "تأجل الاجتماع إلى يوم الخميس."),
        ("बैठक गुरुवार तक टल गई। रिपोर्ट लाना।", "बैठक गुरुवार तक टल गई।"),
        ("¿Dónde guardamos la llave del garaje? En la cocina.", "¿Dónde guardamos la llave del garaje?"),
        ("# Release checklist for spring\n\n- tag\n- push", "Release checklist for spring"),
        ("no sentence end at all", "no sentence end at all"),
    ],
)
async def test_the_context_is_the_first_sentence_in_any_script(content: str, sentence: str) -> None:
    assert (await ANALYST.analyse(content)).context == sentence


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("支付服务昨晚重启，数据库连接不足。", {"支付", "服务", "重启"}),
        ("新幹線が京都駅で止まった。", {"新幹線", "京都駅"}),
        ("Команда перенесла базу данных на новый сервер.", {"базу данных", "новый сервер"}),
        ("نقل الفريق قاعدة البيانات إلى خادم جديد.", {"قاعدة البيانات"}),
        ("팀은 데이터베이스를 서버로 옮겼다.", {"데이터베이스"}),
    ],
)
async def test_keywords_are_whole_words_of_the_note_s_script(content: str, expected: set[str]) -> None:
    assert expected <= set((await ANALYST.analyse(content)).keywords)


async def test_identifiers_are_kept_whole() -> None:
    told = await ANALYST.analyse("Ticket OPS-1234 asks for user_id lookups in src/app/main.py since v2.1.3.")

    assert {"OPS-1234", "user_id", "src/app/main.py", "v2.1.3"} <= set(told.keywords)


async def test_dates_pronouns_and_addresses_are_no_keywords() -> None:
    told = await ANALYST.analyse("We met on Monday in May at https://example.org/a?b=c and talked about kayak rental.")

    assert not {"monday", "may", "we", "https", "example.org"} & {word.lower() for word in told.keywords}
    assert "kayak rental" in told.keywords


async def test_hashtags_come_first_among_the_tags() -> None:
    assert (await ANALYST.analyse("Booked the ferry to Naxos. #Holiday")).tags[0] == "holiday"


@pytest.mark.parametrize("content", ["🎉🎉🎉", "!!!", "42", "https://example.org/x", "\u200dx"])
async def test_a_note_without_words_still_has_a_context(content: str) -> None:
    assert (await ANALYST.analyse(content)).context


@given(st.text(max_size=600))
def test_any_text_has_bounded_keywords(content: str) -> None:
    found = keywords.extracted(content, limit=10)

    assert len(found) <= 10
    assert all(0 < len(word) <= analysis.KEYWORD_LENGTH + 1 for word in found)
    assert len({word.casefold() for word in found}) == len(found)


@pytest.mark.parametrize(
    "unit", ["a", "a'", "a. ", "(", "。", "1:", "あ", "中", "ก", "🎉", "\n", "-", ".x", "a@b.", "word ", "٣", "#a"]
)
async def test_a_huge_note_of_one_repeated_unit_is_analysed(unit: str) -> None:
    told = await ANALYST.analyse(unit * (100_000 // len(unit)))

    assert len(told.context) <= analysis.CONTEXT_LENGTH


async def test_only_candidates_that_are_linked_get_a_judgement_in_their_order() -> None:
    related, unrelated, also = (uuid.UUID(int=number) for number in (1, 2, 3))
    told = await ANALYST.judge(
        "Contrary to the wiki, the staging database is not wiped on Sundays.",
        [
            links.Candidate(
                id=related, content="The wiki says the staging database is wiped on Sundays.", similarity=0.94
            ),
            links.Candidate(id=unrelated, content="Penguins huddle to keep warm.", similarity=0.02),
            links.Candidate(id=also, content="Staging database: backups are kept for a week.", similarity=0.55),
        ],
    )

    assert [judgement.target_id for judgement in told] == [related, also]
    assert told[0].type is LinkType.OPPOSITION


async def test_no_candidates_give_no_judgements() -> None:
    assert await ANALYST.judge("Alone.", []) == []
