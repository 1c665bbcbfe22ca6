"""Redaction: what stands in the place of a secret, and the secrets that their surroundings give away."""

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.domain import redaction, secrets
from memory_bank.domain.redaction import Secret


def cleaned(text: str) -> str:
    return redaction.redacted(text, secrets.found(text)).text


def test_a_secret_is_replaced_by_its_kind_and_all_around_it_stays() -> None:
    done = redaction.redacted("a 密 b\r\n", [Secret(start=2, end=3, kind="password")])
    assert done.text == "a [REDACTED:password] b\r\n"
    assert done.found == ("password",)


def test_overlapping_secrets_are_replaced_as_one_under_the_more_telling_kind() -> None:
    found = [Secret(start=4, end=9, kind="github-pat"), Secret(start=0, end=6, kind="password")]
    assert redaction.redacted("0123456789", found).text == "[REDACTED:github-pat]9"


def test_what_was_redacted_before_stays_in_any_case() -> None:
    for text in ("password=[REDACTED:password]", "token:[redacted:secret]"):
        assert redaction.redacted(text, [Secret(start=0, end=len(text), kind="secret")]).text == text
        assert cleaned(text) == text


@given(st.text("ab密👍🏽", max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5))
def test_nothing_but_what_is_named_is_taken_out(text: str, places: list[tuple[int, int]]) -> None:
    found = [Secret(start=a, end=b, kind="k") for a, b in places if a < b <= len(text)]
    left = "".join(each for at, each in enumerate(text) if not any(s.start <= at < s.end for s in found))
    assert redaction.redacted(text, found).text.replace("[REDACTED:k]", "") == left


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("password = ", "hunter2", ""),
        ("PASSWORD=", "letmein", "\nHOST=db"),
        ('{"password": "', "Tr0ub4dor&3", '", "user": "x"}'),
        ("the password for the staging server is ", "hunter2", "."),
        ("Das Passwort lautet ", "Sommer2024!", " und gilt bis Montag"),
        ("La contraseña es ", "Pa55word9", ""),
        ("le mot de passe est ", "azerty123", "."),
        ("密码是", "hunter2", "，请保密"),
        ("パスワードは「", "hunter2", "」です"),
        ("const dbPassword = '", "qwe123ASD", "';"),
        ("postgres://app:", "s3cr3t", "@db.local:5432/x"),
        ("postgres://u:", "p@ss", "@db"),
        ("https://x.io/api?api_key=", "9f8a7b6c5d4e3f2a", "&x=1"),
        ("machine h login ada password ", "hunter2", ""),
        ("Server=db;User Id=sa;Password=", "qwe123", ";Encrypt=true"),
        ("credentials: ada / ", "Blue42Falcon", ""),
        ("password: ", "Tr0ub4dor&3xyz", ""),
        ("the password is ", "Tr0ub4dor&3xyz", "."),
        ("https://x.io/in?user=a&password=", "hunter22", "&debug"),
        ("pwd=", "hunter22", "&amp;user=ada"),
        ('password = "', "correct horse battery staple", '"'),
        ('wifi password: "', "mein langes wlan kennwort", '"'),
        ("passphrase: ", "tiger-lamp-ocean-42", ""),
        ("the pass phrase is ", "tiger-lamp-ocean-42", "."),
        ("DB_PASSWORD=\n  ", "s3cr3tpw99zz", "\nDB_HOST=db"),
        ("password\u200b=", "s3cr3tpw99zz", ""),
        ("passw\u00adord=", "s3cr3tpw99zz", " now"),
        ("password: ", "s3cr3t\u200bpw99zz", "."),
        ("пароль: ", "Кот12345секрет", "."),
        ("비밀번호: ", "s3cr3tpw99zz", ""),
        ("next=/in%3Fpassword%3D", "s3cr3tpw99zz", "%26page%3D2"),
    ],
)
def test_of_an_assignment_only_the_value_goes(before: str, secret: str, after: str) -> None:
    done = redaction.redacted(before + secret + after, secrets.found(before + secret + after))
    assert (done.text.startswith(before), done.text.endswith(after)) == (True, True)
    assert secret not in done.text[len(before) :]
    assert len(done.found) == 1


@pytest.mark.parametrize(
    "text",
    [
        "the password is reset every 30 days",
        "password: required",
        "password=$DB_PASSWORD",
        "<your-password>, password=<your-password>",
        "password=****",
        "token limit is 4096 tokens",
        "connect(password=password, token=token)",
        "The secret key is Ctrl+Shift+K.",
        "The password is base64-encoded; the secret is AES-256 encrypted.",
        "A PEM file starts with -----BEGIN PRIVATE KEY----- and has lines.",
        "http://localhost:8080/@scope/package",
        "token = flags&MASK",
        "password: salt&pepper",
        'password: "at least eight characters please"',
        'password = "reset link sent yesterday"',
        '"password": "Enter your new password"',
        'passphrase: "your disk encryption passphrase"',
        "passphrase: at-least-4-words",
        "The passphrase is machine-generated.",
        "PASSWORD=\n  DB_HOST2=db1",
        "env:\n  PASSWORD=\n  replicas2: 3",
        "password =\n    settings2.password",
        "password =\n  see ticket4711 for it",
        "redirect=%2Flogin%3Ftoken%3Drequired",
        "пароль: обязательно",
        "zero\u200bwidth pass\u00adwords stay",
        "-----BEGIN PRIVATE KEY-----\nYOUR_KEY_HERE\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY----- stands before several lines without meaning",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    ],
)
def test_words_about_secrets_stay(text: str) -> None:
    assert cleaned(text) == text


@pytest.mark.parametrize("size", [12, 48, 600, 1_001, 40_001, 90_002])
def test_a_private_key_goes_whatever_its_length_and_wherever_it_is_cut(size: int) -> None:
    body = base64.b64encode(random.Random(size).randbytes(size)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    kind = "RSA PRIV" + "ATE KEY-----"
    last = f"-----END {kind}"
    whole = "\n".join([f"-----BEGIN {kind}", *lines, last])
    assert cleaned(f"the key\n{whole}\nends") == "the key\n[REDACTED:private-key]\nends"
    for cut in range(0, len(last) + (70 if size > 100 else 1), 1 if size < 2_000 else 23):
        before, _, rest = cleaned(f"the key\n{whole[: len(whole) - cut]}").partition("[REDACTED:private-key]")
        # of the last line's words a piece may stay
        assert (before, rest.strip("+\n") in last) == ("the key\n", True)


@given(st.text())
def test_any_text_can_be_looked_through_and_redacting_twice_changes_nothing_more(text: str) -> None:
    once = cleaned(f"password={text}")
    assert cleaned(once) == once
