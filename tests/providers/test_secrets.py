"""The redactor with all its detectors, on realistic secrets, innocent texts and hostile ones."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import redaction as measured
from benchmarks import redaction_texts
from memory_bank.providers.secrets import SecretRedactor

ROOT = Path(__file__).resolve().parents[2]
HOSTILE_SECONDS = 120
HOSTILE = (
    *("a", " ", "\\", ":", "=", '"', "@", "-", "\n", "a\n", "0123456789abcdef", "QUJD/+9x"),
    *("password=", "password is ", "password for ", 'password="', "password='\"", "password: str ", "password>"),
    *("密码是", "パスワードは", "clave de ", "token ", "a_token", "https://u:p@", "a://b:", "a://:@@@@"),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
        "Private-Lines: 999\n",
    ),
    *("eyJ", "eyJ-", "eyJaaaaaaaaaaa.", "M" * 24 + ".", "curl -u ", "mysql -p", "cookie sess=", "authorization:"),
    *("Bearer aaaaaaaaaaaaaaaa ", "?key=", "machine a login ", "a:5432:", "gh" + "p_", "sk-", "AKIA", "[REDACTED:"),
    *("abcdefghijkl\n ", "hooks.slack.com/services/", "credentials: a / "),
)


def redact_hostile() -> None:
    """Redact every hostile text, 100 000 characters each."""
    redactor = SecretRedactor(ROOT / ".pytest_cache" / "secrets")
    for piece in HOSTILE:
        redactor.redacted((piece * 100_000)[:100_000])


@pytest.fixture(scope="session")
def redactor(tmp_path_factory: pytest.TempPathFactory) -> SecretRedactor:
    """The real redactor; its detectors are loaded once in a process."""
    return SecretRedactor(tmp_path_factory.mktemp("detectors"))


def test_of_many_realistic_secrets_nothing_is_left(redactor: SecretRedactor) -> None:
    cases = redaction_texts.cases()
    assert len(cases) >= 120
    assert len({case.kind for case in cases}) >= 40
    missed = [case for case in cases if not measured.is_gone(case, redactor.redacted(case.text).text)]
    assert len(missed) <= 0.02 * len(cases), [case.text for case in missed]


def test_no_innocent_text_is_changed(redactor: SecretRedactor) -> None:
    texts = redaction_texts.innocents()
    assert len(texts) >= 2_000
    assert [text[:200] for text in texts if redactor.redacted(text).text != text] == []


def test_no_text_of_the_development_sets_is_changed(redactor: SecretRedactor) -> None:
    texts = list(measured.development_texts())
    if not texts:
        pytest.skip("the development sets do not lie beside the checkout")
    assert [text for text in texts if redactor.redacted(text).text != text] == []


def test_redacting_twice_changes_nothing_more(redactor: SecretRedactor) -> None:
    for case in redaction_texts.cases():
        once = redactor.redacted(case.text).text
        assert redactor.redacted(once).text == once


def test_a_token_is_found_beside_foreign_letters_and_its_place_is_kept(redactor: SecretRedactor) -> None:
    token = "gh" + "p_" + "a8Kx03JdPqLmZ4nRtYvB7cWf2Hs9GuE1iOQz"
    done = redactor.redacted(f"👩‍👩‍👧使用{token}。👍🏽")
    assert done.text == f"👩‍👩‍👧使用[REDACTED:{done.found[0]}]。👍🏽"


def test_a_lone_surrogate_is_no_obstacle(redactor: SecretRedactor) -> None:
    assert redactor.redacted("\ud800 password=hunter2").text == "\ud800 password=[REDACTED:password]"


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=400))
def test_any_text_is_taken(text: str) -> None:
    SecretRedactor(ROOT / ".pytest_cache" / "secrets").redacted(text)


def test_hostile_texts_take_no_longer_than_their_length_explains() -> None:
    # in a process of its own: a pattern that explodes cannot be stopped from within
    code = "from tests.providers.test_secrets import redact_hostile; redact_hostile()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=HOSTILE_SECONDS, check=True)
