"""Terms of text in any script: note and query agree, identifiers stay whole, hostile input does no harm."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.providers import tokens
from memory_bank.providers.tokens import UnicodeTokeniser

tokeniser = UnicodeTokeniser()


def shared(text: str, query: str) -> set[str]:
    """Return the terms by which the query finds the text."""
    return set(tokeniser.terms(text)) & set(tokeniser.asked(query).terms)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("夜间备份任务因为磁盘配额不足而中断", "磁盘配额不足"),
        ("夜间备份任务因为磁盘配额不足而中断", "备份"),
        ("夜间备份任务因为磁盘配额不足而中断", "盘"),
        ("用 redis 做缓存层", "redis 缓存"),
        ("用redis做缓存层", "redis"),
        ("用redis做缓存层", "缓存"),
        ("サーバー移行計画", "移行計画"),
        ("サーバー移行計画", "ｻｰﾊﾞｰ"),
        ("데이터베이스마이그레이션", "마이그레이션"),
        ("집에 갔다", "집"),
        ("ระบบสำรองข้อมูลล้มเหลว", "ข้อมูล"),
        ("ຂໍ້ມູນສຳຮອງ", "ມູນ"),
        ("ទិន្នន័យបម្រុង", "បម្រុង"),
        ("မြန်မာဘာသာစကား", "ဘာသာ"),
    ],
)
def test_a_part_of_unspaced_text_finds_it(text: str, query: str) -> None:
    assert shared(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("she was running databases", "run database"),
        ("los perros corrieron por la casa", "corriendo"),
        ("die Häuser wurden in der Stadt gebaut", "Häusern"),
        ("les chevaux sont dans la rue", "cheval"),
        ("он купил новые книги", "книга"),
        ("Ireland's coast", "ireland"),
        ("l’eau de la mer", "eau"),
        ("STRASSE", "straße"),
        ("İSTANBUL", "istanbul"),
        ("ΟΔΟΣ", "οδος"),
        ("ﬁle ｗｉｄｅ x²", "file wide x2"),
        ("cafe\u0301", "caf\u00e9"),
        ("zero\u200bwidth soft\u00adhyphen", "zerowidth"),
        ("می\u200cخواهم", "میخواهم"),
        ("room ٣٤", "34"),
        ("party 🎉!", "🎉"),
        ("thumbs 👍🏽", "👍"),
        ("flag 🇩🇪🇫🇷", "🇫🇷"),
    ],
)
def test_different_spellings_of_a_word_meet(text: str, query: str) -> None:
    assert shared(text, query)


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("libsimdjson", []),
        ("v2.3.1", ["2.3.1"]),
        ("foo.bar/baz", ["foo", "bar", "baz", "foo.bar"]),
        ("snake_case", ["snake", "case"]),
        ("getUserName", ["user", "name"]),
        ("parseHTTPResponse", ["http", "response"]),
        ("https://docs.example.com/a/setup?tab=linux#top", ["docs.example.com", "setup", "linux"]),
        ("ada.lovelace@example.org", ["ada", "lovelace", "example.org"]),
        ("C++", []),
        ("F#", []),
        ("C:\\Users\\ada\\notes.txt", ["notes.txt", "notes", "ada"]),
        ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", []),
        ("2026-11-29", ["2026", "11"]),
        ("10:30", ["10"]),
        ("well-known", ["known"]),
    ],
)
def test_an_identifier_is_found_as_a_whole_and_by_its_parts(identifier: str, parts: list[str]) -> None:
    whole = f"See {identifier} there."
    own = set(tokeniser.terms(identifier))
    assert own <= set(tokeniser.terms(whole))
    assert own <= set(tokeniser.asked(identifier).terms)
    for part in parts:
        assert shared(whole, part), part


def test_a_whole_identifier_tells_more_than_its_parts() -> None:
    right, wrong = tokeniser.terms("use foo.bar/baz"), tokeniser.terms("a foo, a bar, a baz")
    asked = tokeniser.asked("foo.bar/baz").terms
    assert sum(term in right for term in asked) > sum(term in wrong for term in asked)


def test_terms_count_their_occurrences() -> None:
    assert tokeniser.terms("red boat, Red BOATS; blue") == {"red": 2, "boat": 2, "blue": 1}
    assert tokeniser.terms("猫猫") == {"猫": 2, "猫猫": 1}


def test_a_query_drops_stop_words_unless_it_has_nothing_else() -> None:
    assert tokeniser.asked("When did Ada go to the harbour?").terms == ("ada", "go", "harbour")
    spanish = tokeniser.asked("¿Dónde está el puerto de la ciudad?")
    assert spanish.words == (("está", "esta"), ("puerto", "puert"), ("ciudad", "ciud"))
    assert set(tokeniser.asked("to be or not to be").terms) >= {"not"}
    assert tokeniser.asked("what was the").terms == ("what", "was", "the")


@pytest.mark.parametrize(
    "text", ["", "   ", "...!?", "& | ! :* <-> ( ) ' \" \\ %", "\u200b\u200d\ufeff", "—–•…", "\u0301"]
)
def test_punctuation_and_invisible_characters_are_no_terms(text: str) -> None:
    assert tokeniser.terms(text) == {}
    assert tokeniser.asked(text).terms == ()


@pytest.mark.parametrize(
    "text",
    [
        "a" + "\u0316\u0301" * 50_000,
        "a." * 50_000,
        "a'" * 50_000,
        "aB" * 50_000,
        "_" * 100_000,
        "x+" * 50_000,
        "备份任务" * 25_000,
        "👩‍👩‍👧" * 20_000,
        "é" * 100_000,
        " ".join(f"w{n}" for n in range(17_000)),
        "".join(map(chr, range(0x4E00, 0x9FFF))) * 4,
    ],
    ids=range(11),
)
def test_long_hostile_text_gives_a_bounded_number_of_short_terms(text: str) -> None:
    found = tokeniser.terms(text)
    assert len(found) <= tokens.NOTE_TERMS
    assert max(map(len, found), default=0) <= tokens.TERM_LENGTH
    assert len(tokeniser.asked(text[:10_000]).terms) <= tokens.QUERY_TERMS


def test_long_terms_that_differ_at_the_end_stay_different() -> None:
    assert not shared("x" * 500 + "a", "x" * 500 + "b")
    assert shared("x" * 500 + "a", "x" * 500 + "a")


HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("aAzZ09_.-/'’:@+#\u0301\u200d\u200bßİı备ばア가각กำ🇩🇪👍🏽\ufe0f\u1160\u0e33\ufdfa"),
    ),
    max_size=80,
)


@settings(max_examples=400, deadline=None)
@given(HOSTILE)
def test_any_text_finds_itself_in_any_normal_form(text: str) -> None:
    found = tokeniser.terms(text)
    asked = tokeniser.asked(text).terms
    assert bool(found) == bool(asked)
    assert not found or set(asked) & set(found)
    assert all(term and count > 0 and len(term) <= tokens.TERM_LENGTH for term, count in found.items())
    # NUL and lone surrogates never get here: PostgreSQL and UTF-8 cannot hold them
    assert tokeniser.terms(unicodedata.normalize("NFC", text)) == tokeniser.terms(unicodedata.normalize("NFD", text))
