"""What stands where a secret would stand, and is none: a variable, a gap to fill in, a word about the secret."""

import itertools
import re
from collections.abc import Sequence

_MASKED = re.compile(r"[*•●·xX.#_?…-]+")
_VARIABLE = re.compile(
    r"\$\{?[A-Za-z_(].*|\$\(.*|%[A-Za-z_]\w*%|%\(.*|%[sdr]|\{.*|<.*|\[.*|@[A-Z_]+@|!(?:vault|Ref|Sub|env)\b.*|ENC\(.*|\\?[\"'`]+"
)
# os.environ["X"], process.env.X, getpass.getpass(), user->password, Self::TOKEN
_EXPRESSION = re.compile(
    r"&?\*?[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*(?:\(.*|\[.*)"
    r"|[A-Za-z_][A-Za-z_]*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+"
    r"|(?:op|vault|aws|gcp|azure|ssm|secretsmanager|keyring|env|file)://?.*|(?:vault|sops|env|file|ssm|op):.*|(?:arn:aws|projects/).*"
)
_TO_FILL_IN = re.compile(
    r"(?:.*[-_. ])?(?:your|example|placeholder|redacted|dummy|insert|enter|replace|change[-_]?me|todo|tbd|sample|fake"
    r"|xxx+)"
    r"(?:[-_. ].*)?|.*(?:x{4,}|X{4,}|\*{3,}|\.\.\.|…).*"
    r"|(?:your|my|some|the)[-_ ]?[a-z_ -]*(?:password|passwort|token|key|secret)[a-z_ -]*",
    re.IGNORECASE,
)
# fmt: off
_WORDS = frozenset((
    "password", "passwd", "passphrase", "passwort", "kennwort", "contraseña", "contrasena", "clave", "secret",
    "secrets", "token", "tokens", "key", "apikey", "api_key", "user", "username", "login", "pass", "pwd", "pw",
    "none", "null", "nil", "true", "false", "undefined", "default", "empty", "blank", "required", "optional",
    "mandatory", "string", "str", "text", "bytes", "int", "integer", "number", "bool", "boolean", "object",
    "array", "varchar", "char", "any", "unknown", "void", "value", "values", "hidden", "invalid", "incorrect",
    "wrong", "missing", "expired", "reset", "changed", "disabled", "enabled", "valid", "field", "input",
    "prompt", "protected", "encrypted", "hashed", "hash", "bcrypt", "argon", "plain", "plaintext", "plain_text",
    "basic", "bearer", "auth", "oauth", "ldap", "kerberos", "md", "trust", "peer", "ident", "scram", "cert",
    "cookie", "header", "query", "body", "form", "file", "env", "environment", "vault", "yes", "no", "on",
    "off", "not", "the", "this", "that", "must", "should", "will", "can", "may", "is", "are", "was", "has",
    "self", "sent", "read", "write", "only", "stored", "saved", "here", "there", "below", "above", "given",
    "shown", "see", "ask", "asked", "contact", "admin", "needed", "generated", "automatic", "rotated", "same",
    "nothing", "public", "private", "obligatoire", "requis", "requise", "erforderlich", "benötigt",
    "obligatorio", "requerido", "obligatoria", "requerida", "falsch", "ungültig", "incorrecto", "incorrecta",
    "invalide", "vide", "leer", "vacía", "vacío", "abgelaufen", "expiré", "caducado",
))
# fmt: on
# Words of labels and sentences: several words without one of them are hardly either.
# fmt: off
_SAYING = frozenset((
    "a", "an", "and", "or", "as", "at", "by", "for", "from", "if", "in", "into", "it", "its", "of", "to", "up",
    "with", "without", "you", "your", "yours", "i", "we", "our", "they", "their", "be", "been", "do", "does", "did",
    "have", "had", "when", "where", "which", "who", "how", "what", "why", "too", "very", "more", "most", "less",
    "least", "than", "then", "so", "but", "all", "each", "every", "between", "before", "after", "during", "per",
    "please", "enter", "type", "choose", "pick", "create", "set", "use", "used", "using", "confirm", "repeat",
    "retype", "forgot", "forgotten", "remember", "new", "old", "current", "temporary", "strong", "weak", "show",
    "hide", "update", "change", "minimum", "maximum", "min", "max", "chars", "characters", "letters", "digits",
    "digit", "symbols", "length", "long", "short", "policy", "rules", "strength", "failed", "success", "error",
    "cannot", "never", "always", "via", "test", "tests", "der", "die", "das", "den", "dem", "des", "ein", "eine",
    "einen", "und", "oder", "ist", "sind", "im", "am", "mit", "ohne", "für", "von", "vom", "zu", "zum", "zur",
    "auf", "aus", "bei", "nach", "dein", "deine", "ihr", "ihre", "sie", "du", "bitte", "eingeben", "wählen",
    "ändern", "neues", "neue", "altes", "vergessen", "bestätigen", "wiederholen", "muss", "darf", "nicht", "kein",
    "keine", "mindestens", "zeichen", "zurücksetzen", "steht", "liegt", "el", "la", "los", "las", "un", "una", "y",
    "o", "de", "del", "al", "en", "con", "sin", "por", "para", "su", "tu", "es", "debe", "nueva", "actual",
    "olvidada", "confirmar", "introduce", "introduzca", "ingrese", "mínimo", "caracteres", "le", "les", "une", "et",
    "ou", "à", "au", "aux", "dans", "avec", "sans", "pour", "votre", "ton", "est", "doit", "nouveau", "ancien",
    "actuel", "oublié", "confirmez", "saisir", "saisissez", "entrez",
))
# fmt: on
_NAMES = frozenset(("password", "passphrase", "passwort", "kennwort", "contraseña", "contrasena", "secret", "token"))
_LOWER_WORD = re.compile(r"[^\W_]{1,30}")
_TERM = re.compile(
    r"(?:sha|md|aes|rsa|ec|ed|base|utf|oauth|argon|pbkdf|bcrypt|hs|rs|es|ps|tls|ssl|ipv|http|win|x|p|v|h|k|s|oidc|fido|web|"
    r"python|py|java|node|php|log|neo|n|i|b|u|t|q|m|w|c|d|e|f|g|r|l|a|j|o|y|z)\d{1,4}[a-z]{0,3}|\d{1,4}(?:[a-z]{1,3}|st|nd|rd|th"
    r"|days?|hours?|hrs?|mins?|minutes?|secs?|seconds?|weeks?|months?|years?|chars?|characters?|bits?|bytes?|times?|k|m|g|kb|mb|gb)",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^\W\d_]+|\d+", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//.*|(?:\.{0,2}|~|[A-Za-z]:)[/\\].*|[\w.+-]+@[\w-]+\.[\w.-]+|[\w./-]+\.(?:[a-z]{2,4}|html|json|yaml|toml|conf)"
    r"|\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})*\S{0,12}",
    re.IGNORECASE,
)
_SYMBOLS = re.compile(r"[!@#$%^&*~+=?]")


def stands_for_another(value: str) -> bool:
    """Tell whether `value` is a variable, an expression, a mask, a gap to fill in, or a word about secrets."""
    return (
        value.lower() in _WORDS
        or _MASKED.fullmatch(value) is not None
        or _VARIABLE.fullmatch(value) is not None
        or _EXPRESSION.fullmatch(value) is not None
        or (_TO_FILL_IN.fullmatch(value) is not None and len(value) <= 80)
    )


def is_drawn(value: str) -> bool:
    """Tell whether `value` is unlike words, numbers, dates, paths and terms of the trade, as in hunter2 or S3cr3t!."""
    if len(value) < 4 or _ADDRESS.fullmatch(value) is not None:
        return False
    parts = [part for part in re.split(r"[-_./:,+]+", value) if part]
    if all(_PLAIN.fullmatch(part) or _TERM.fullmatch(part) for part in parts):
        return _strange_case(value)
    inner = value.rstrip("!?.")
    return any(each.isdigit() for each in inner) or _SYMBOLS.search(inner) is not None


def begins_a_label(words: Sequence[str]) -> bool:
    """Tell whether `words` begin as a label or a sentence does."""
    return words[0].lower() in _SAYING


def are_drawn_words(words: Sequence[str]) -> bool:
    """Tell whether `words` look like a passphrase: in lower case, of which none makes them a label or a sentence."""
    return (
        all(_LOWER_WORD.fullmatch(word) and word == word.lower() for word in words)
        and not any(word in _SAYING or (word in _WORDS and word not in _NAMES) for word in words)
        and sum(len(word) >= 3 and word.isalpha() for word in words) >= 3
        and len(set(words)) >= 3
    )


def _strange_case(value: str) -> bool:
    """Tell whether letters alone look drawn: upper and lower case change more often than in words or camelCase."""
    if len(value) < 12 or not value.isalpha():
        return False
    changes = sum(one.isupper() != other.isupper() for one, other in itertools.pairwise(value))
    upper = sum(each.isupper() for each in value)
    return changes >= 0.4 * len(value) and 0.36 * len(value) <= upper <= 0.75 * len(value)
