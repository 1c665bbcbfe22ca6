"""Values given to a password, token or key by its name, in code, settings and prose of several languages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_bank.domain.redaction import Secret
from memory_bank.domain.secrets import placeholders

# Patterns are matched against the text in lower case: a search that ignores case is five times slower.
# A name may end with these words, as DB_PASSWORD or dbPassword does.
_PASSWORD = (
    r"pass[-_ ]?word|passwort|passwd|pass[-_ ]?phrase|pass[-_ ]?code|pass|pwd|pw|mdp|kennwort|contrase[nñ]a"
    r"|clave(?: de acceso| secreta)?|mot[-_ ]de[-_ ]passe|motdepasse|code d'accès|密码|密碼|口令|パスワード|暗証番号"
    r"|пароль|senha|hasło|비밀번호|패스워드|סיסמה|كلمة المرور"
)
_SECRET = (
    r"secret[-_ ]?access[-_ ]?key|secret[-_ ]?key(?:[-_ ]?base)?|secret|api[-_ ]?key|access[-_ ]?key|account[-_ ]?key"
    r"|auth[-_ ]?key|encryption[-_ ]?key|signing[-_ ]?key|private[-_ ]?key|master[-_ ]?key|license[-_ ]?key"
    r"|service[-_ ]?key|deploy[-_ ]?key|preshared[-_ ]?key|token|credentials?|api[-_ ]?schlüssel|geheimnis"
    r"|geheimer schlüssel|zugriffsschlüssel|secreto|clé (?:d')?api|clé secrète|clé privée|jeton"
    r"|密钥|密鑰|金鑰|令牌|秘钥|シークレット|秘密鍵|トークン|api ?キー|アクセスキー|токен|секретный ключ"
)
_IS_PASSWORD = re.compile(_PASSWORD)
# Short for a password, and the end of many other words: they stand alone, or behind a separator or a small letter.
_SHORT = ("pass", "pwd", "pw", "mdp")
_PASSPHRASE = re.compile(r"pass[-_ ]?phrase")
# They have a second meaning, with which words in quotes go as well: tests pass, a key to something.
_OTHER_SENSES = ("pass", "clave", "clave de acceso")
_ABOUT = (
    r"(?:[ \t]{1,3}(?:for|of|on|to|at|in|für|von|vom|beim|zum|zur|des|der|del|de|para|la|du|pour|le|d')"
    r"(?:[ \t]{1,3}[^\s:=.,;!?()]{1,40}){1,6}?)?"
)
_TYPE = (
    r"(?::[ \t]{0,4}&?(?:'static )?(?:str|string|bytes|text|secretstr|char\*?)(?:[ \t]?\|[ \t]?none)?[ \t]{0,4}(?==))?"
)
_BECOMES = (
    r"(?P<equals>[ \t]{0,8}(?:={1,3}|:=|=>|＝)[ \t]{0,8}(?P<below>\\?\r?\n[ \t]{1,12})?)"
    r"|(?P<encoded>(?:%22)?%(?:25)?3[ad](?:%22)?)"
    r"|(?P<colon>[ \t]{0,4}[:：][ \t]{0,8}(?:\r?\n[ \t]{1,12})?|[ \t]{1,3}(?:->|-|–)[ \t]{1,3})"
    r"|(?P<verb>[ \t]{1,3}(?:is now|is|was|will be|set to|changed to|ist jetzt|ist|lautet|war"
    r"|es ahora|es|era|será|est maintenant|est|était)[ \t]{0,3}:?[ \t]{1,3}"
    r"|[ \t]{0,3}(?:是|为|為|改为|设为|は|が|を)[ \t:：]{0,3})"
    r"|(?P<tag>>)|(?P<option>[ \t]{1,3}(?=[\"'`「“‘«]))"
)
_QUOTED = (
    r"(?P<quote>\\?[\"'`])(?P<quoted>[^\r\n\"'`]{1,400}?(?:(?!(?P=quote))[\"'`][^\r\n\"'`]{1,100}?){0,3})(?P=quote)"
    r"|[「『“‘«](?P<framed>[^\r\n」』”’»]{1,200})[」』”’»]"
)
_BARE = r"(?P<bare>[^\s\"'`<>「」『』“”，。、；！？\u3040-\u30ff\u3400-\u9fff]{1,400}+)"
_GIVEN = re.compile(
    rf"(?P<name>clave (?:api|privada|de api)|{_PASSWORD}|{_SECRET})"
    rf"(?:[_-]?\d{{1,2}})?(?![a-zа-яё])\\?[\"'`\]*_]{{0,3}}(?:[ \t]?\([^()\r\n]{{1,40}}\))?{_ABOUT}{_TYPE}"
    rf"(?:{_BECOMES})(?:[*_]{{2}}[ \t]?)?(?:[bru@$](?=[\"'`]))?(?:{_QUOTED}|{_BARE})"
)
_OPTION = re.compile(
    r"(?<!\S)--?[a-z-]{0,30}(?:password|passwd|passphrase|token|secret|api-key|access-key|secret-key)[ \t]{1,4}"
    r"[\"']?(?P<value>[^\s\"'`<>|;-][^\s\"'`<>|;]{3,400}+)",
    re.IGNORECASE,
)
_OPTION_SECRET = re.compile(r"-(?:token|secret|[a-z]+-key)\b", re.IGNORECASE)
_ENDS = re.compile(r"(?:[,;)\]}|]|&(?=[\w.%-]{1,60}=|&|(?:amp|quot|lt|gt|#\d{1,5});)).*", re.DOTALL)
_ENDS_IN_QUERY = re.compile(r"[,;&)\]}|].*", re.DOTALL)
_ENDS_ENCODED = re.compile(
    r"(?:[,;&)\]}|]|%(?:25)?(?:0[ad]|20|22|26(?=[\w.-]{1,60}(?:=|%(?:25)?3d)))).*", re.DOTALL | re.IGNORECASE
)
_IN_QUERY = re.compile(r"[?&][^\s\"'<>]*\Z")
_LONGEST_QUERY = 400
_PAIR = re.compile(
    r"\b(?:credentials?|log[- ]?in|zugangsdaten|identifiants|credenciales)[ \t]{0,3}[:=]?[ \t]{1,3}"
    r"[^\s/]{1,60} / (?P<value>\S{4,100}+)",
    re.IGNORECASE,
)
_NEXT_PAIR = re.compile(r"(?:&amp;|[&;])[\w.-]{1,60}=.*", re.DOTALL)
_ENDS_PAIR = re.compile(r"[ \t]*(?:\Z|\r?\n|[&;])|[ \t]+[\w.-]{1,60}=")
_SMALL = {ord(each): each.lower() for each in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
# below a sign, a setting of its own or an expression: the value was left empty, or is code
_OTHER_LINE = re.compile(r"[\w.\[\]-]{1,80}[ \t]{0,8}(?:[:=]|\+=|=>)|[A-Za-z_]\w*\.[A-Za-z_]|[^\s]{1,400}+[ \t]+\S")
_TRAILING = ".,;:?)]}*_"
_NAME_IN_LINE = re.compile(r"(?:^|\n)[ \t]*(?:export[ \t]+|set[ \t]+|-e[ \t]+|[-*][ \t]+)?[A-Za-z0-9_.-]*\Z")
_LONGEST_NAME = 80


@dataclass(frozen=True, kw_only=True)
class _Value:
    """A value that was given to a name.

    sure: by `=` or as a quoted text, as prose hardly does. alone: by `=` without spaces, and as the last or as one of
    several such pairs, as code hardly does. certain: by a sign, not by a verb.
    """

    text: str
    start: int
    is_password: bool
    sure: bool
    quoted: bool = False
    alone: bool = False
    certain: bool = False


def found(text: str) -> Iterator[Secret]:
    """Return the values that passwords, tokens and keys are given in `text`; the names stay."""
    lowered = _lowered(text)
    at = 0
    while (match := _GIVEN.search(lowered, at)) is not None:
        value = _value(text, match) if _is_name(text, match) else None
        if value is None or not _is_secret(value, name=match["name"]):
            # the value may itself be a name that is given one: token: secret=...
            at = match.end("name")
            continue
        at = value.start + len(value.text)
        yield Secret(start=value.start, end=at, kind="password" if value.is_password else "secret")
    for pattern in (_OPTION, _PAIR):
        for other in pattern.finditer(text):
            given = other["value"].rstrip(_TRAILING)
            if placeholders.is_drawn(given) and not placeholders.stands_for_another(given):
                start = other.start("value")
                kind = "secret" if _OPTION_SECRET.search(other[0]) else "password"
                yield Secret(start=start, end=start + len(given), kind=kind)


def _lowered(text: str) -> str:
    """Return `text` in lower case, character for character."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text.translate(_SMALL)


def _is_name(text: str, match: re.Match[str]) -> bool:
    if match["name"] not in _SHORT:
        return True
    start = match.start()
    before, first = text[start - 1 : start], text[start]
    return not before.isalpha() or (before.islower() and first.isupper())


def _value(text: str, match: re.Match[str]) -> _Value | None:
    is_password = _IS_PASSWORD.fullmatch(match["name"]) is not None
    sure = match["equals"] is not None and match["below"] is None
    for group in ("quoted", "framed"):
        if match[group] is not None:
            start, end = match.span(group)
            sure = sure or match["colon"] is not None
            return _Value(text=text[start:end], start=start, is_password=is_password, sure=sure, quoted=True)
    if match["option"] is not None:
        return None
    start, end = match.span("bare")
    if match["below"] is not None and _OTHER_LINE.match(text, start) is not None:
        return None
    bare = _ending(text, match, sure=sure).sub("", text[start:end])
    if not sure:
        bare = bare.rstrip(_TRAILING)
    elif len(bare) == end - start and text[end : end + 1] in ("", "\n", " "):
        bare = bare.rstrip(".,;")
    if not bare:
        return None
    alone = match["equals"] == "=" and _ENDS_PAIR.match(text, start + len(bare)) is not None
    return _Value(
        text=bare, start=start, is_password=is_password, sure=sure, alone=alone, certain=match["verb"] is None
    )


def _ending(text: str, match: re.Match[str], *, sure: bool) -> re.Pattern[str]:
    """Return what ends the value besides white space and quotes: `&` does so only within a query."""
    if match["encoded"] is not None:
        return _ENDS_ENCODED
    if sure and _fills_its_line(text, match):
        return _NEXT_PAIR
    start = match.start()
    return _ENDS if _IN_QUERY.search(text, max(0, start - _LONGEST_QUERY), start) is None else _ENDS_IN_QUERY


def _fills_its_line(text: str, match: re.Match[str]) -> bool:
    """Tell whether the assignment is a line of its own, as in a .env file: then nothing ends the value but the line."""
    end = match.end("bare")
    if text[end : end + 1] not in ("", "\n", "\r"):
        return False
    start = match.start()
    return _NAME_IN_LINE.search(text, max(0, start - _LONGEST_NAME), start) is not None


def _is_secret(value: _Value, *, name: str) -> bool:
    given = value.text.strip()
    is_passphrase = _PASSPHRASE.fullmatch(name) is not None
    if len(given) < 4 or placeholders.stands_for_another(given) or given.lower() == name:
        return False
    if " " in given or "\t" in given:
        return value.quoted and value.is_password and value.sure and _is_phrase(given, name=name)
    if is_passphrase and _is_joined_phrase(given, value):
        return True
    if name == "pass" and not value.sure and "_" in given:
        # tests pass: test_import2
        return False
    if given.isdigit():
        return value.is_password and (value.sure or len(given) >= 6)
    shortest = 6 if value.is_password or value.quoted else 8
    # bare, it may join two names: flags&MASK
    drawn = given if value.quoted else given.replace("&", "-")
    if placeholders.is_drawn(drawn) and len(given) >= (4 if value.sure and value.is_password else shortest):
        return True
    return value.sure and value.is_password and _is_plain_password(value, given)


def _is_plain_password(value: _Value, given: str) -> bool:
    """Tell whether a mere word is a password: written in lower case and given as only settings or code give one."""
    if not given.isascii() or given != given.lower() or len(given) < 5 or "/" in given:
        return False
    return value.quoted or value.alone


def _is_phrase(given: str, *, name: str) -> bool:
    """Tell whether quoted words are a passphrase rather than a label or a sentence about one."""
    words = given.split()
    if _PASSPHRASE.fullmatch(name) is not None and len(words) >= 3 and all(word.isalnum() for word in words):
        return not placeholders.begins_a_label(words)
    if any(placeholders.is_drawn(word) for word in words):
        return not given.endswith((".", "!", "?", ":"))
    return len(words) >= 4 and name not in _OTHER_SENSES and placeholders.are_drawn_words(words)


def _is_joined_phrase(given: str, value: _Value) -> bool:
    """Tell whether a passphrase's value is words between hyphens, as in tiger-lamp-ocean-42."""
    words = given.split("-")
    return len(words) >= (3 if value.certain else 4) and placeholders.are_drawn_words(words)
