"""Where settings come from: a properties file, the environment and the command line, each read into one layer."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory_bank.settings import properties

COMMAND_LINE = "command line"
CONFIG_VARIABLE = "MEMORY_BANK_CONFIG"
# Keys of Spring and LangChain4j that earlier users mount and that mean the same here.
ALIASES = {
    "langchain4j.open-ai.chat-model.api-key": "openai.api-key",
    "langchain4j.open-ai.chat-model.model-name": "openai.model-name",
    "langchain4j.open-ai.chat-model.base-url": "openai.base-url",
    "langchain4j.open-ai.chat-model.temperature": "openai.temperature",
    "langchain4j.open-ai.chat-model.max-tokens": "openai.max-tokens",
    "langchain4j.open-ai.chat-model.timeout": "openai.timeout",
    "spring.datasource.url": "postgres.url",
    "spring.datasource.username": "postgres.username",
    "spring.datasource.password": "postgres.password",
    "spring.datasource.hikari.maximum-pool-size": "postgres.pool-size",
    "spring.jpa.hibernate.ddl-auto": "postgres.ddl-auto",
    "server.address": "server.host",
}
# Keys of the same files that configured a framework this product does not have: they may stay, and do nothing.
_RETIRED = ("spring.application.name", "spring.ai.mcp.server.", "spring.jpa.properties.")
_OUR_PREFIXES = ("MEMORY_BANK_", "RETRIEVABILITY_FILTER_", "RETRIEVABILITYFILTER_", "EMBEDDING_", "ENRICHMENT_")
# Kubernetes sets these for each service beside the pod, one called memory-bank included.
_SERVICE_LINK = re.compile(r"_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT(_\d+_(TCP|UDP|SCTP)(_|$)|$)")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One row of the table of settings.

    path: attribute names from `Settings` to the value. default: as text, empty where there is none; `blank` then says
    what that means. is_secret: never shown. is_echoed: whether a rejected value may be repeated in a message.
    """

    key: str
    environment: str
    path: tuple[str, ...]
    default: str
    blank: str
    comment: str
    allowed: str
    is_secret: bool
    is_echoed: bool
    is_path: bool
    is_duration: bool


@dataclass(frozen=True, kw_only=True)
class Given:
    """A value as text, with where it stands: `command line`, `environment NAME` or `FILE:LINE`."""

    value: str = field(repr=False)
    origin: str


@dataclass(frozen=True, kw_only=True)
class Layer:
    """What one source gives, by key; blank values are left out, so that the next source decides."""

    given: Mapping[str, Given]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Catalogue:
    """All settings, found by key, by any relaxed spelling of it, or by an alias."""

    def __init__(self, settings: Iterable[Setting]) -> None:
        self.settings = tuple(settings)
        self.by_key = {setting.key: setting for setting in self.settings}
        self._by_name = {properties.relaxed(setting.key): setting for setting in self.settings}
        self._by_variable = {setting.environment: setting for setting in self.settings}
        self._by_alias = {properties.relaxed(alias): self.by_key[key] for alias, key in ALIASES.items()}
        names = [setting.environment for setting in self.settings if "_" in setting.environment]
        self.prefixes = tuple({f"{name.partition('_')[0]}_" for name in names})

    def named(self, name: str) -> Setting | None:
        """Return the setting that a key in a file or on the command line means."""
        form = properties.relaxed(name.strip())
        return self._by_name.get(form) or self._by_alias.get(form)

    def set_by(self, variable: str) -> Setting | None:
        """Return the setting that an environment variable means: its documented name, or any spelling of the key."""
        return self._by_variable.get(variable) or self._by_name.get(properties.relaxed(variable))

    def hint(self, name: str) -> str:
        """Return what to do about a key that does not exist, starting with a semicolon."""
        near = properties.nearest(name, [*self.by_key, *ALIASES])
        found = ALIASES.get(near, near) if near else None
        return f"; did you mean {found}?" if found else "; `memory-bank settings` lists every key"


def from_file(catalogue: Catalogue, document: properties.Document, *, label: str, environ: Mapping[str, str]) -> Layer:
    """Read the entries of a properties file; `${NAME:default}` in values is filled from the environment."""
    given: dict[str, Given] = {}
    lines: dict[str, int] = {}
    problems, warnings = list(document.problems), []
    for entry in document.entries:
        origin = f"{label}:{entry.line}"
        setting = catalogue.named(entry.key)
        if setting is None and _is_retired(entry.key):
            warnings.append(f"{origin}: {entry.key} has no effect here; remove the line")
        elif setting is None:
            problems.append(f"{origin}: {_unknown(catalogue, entry)}")
        elif setting.key in lines:
            problems.append(
                f"{setting.key} is given twice in {label}: lines {lines[setting.key]} and {entry.line}; keep one"
            )
        else:
            lines[setting.key] = entry.line
            value = _filled(setting, entry.value, origin, environ=environ, problems=problems, warnings=warnings)
            _take(setting, value, origin=origin, given=given, problems=problems)
    return Layer(given=given, problems=tuple(problems), warnings=tuple(warnings))


def from_environment(catalogue: Catalogue, environ: Mapping[str, str]) -> Layer:
    """Read the variables that are settings; a documented name wins over other spellings of the same key."""
    given: dict[str, Given] = {}
    problems: list[str] = []
    warnings: list[str] = []
    used: dict[str, str] = {}
    for name in sorted(environ, key=lambda name: (_rank(catalogue, name), name)):
        setting = catalogue.set_by(name)
        if setting is None:
            warnings.extend(_suspicion(catalogue, name) if properties.cleaned(environ[name]) else ())
        elif setting.key in used:
            if properties.cleaned(environ[name]):
                warnings.append(f"environment variable {name} is ignored, because {used[setting.key]} is set too")
        else:
            _take(setting, environ[name], origin=f"environment {name}", given=given, problems=problems)
            if properties.cleaned(environ[name]):
                used[setting.key] = name
    return Layer(given=given, problems=tuple(problems), warnings=tuple(warnings))


def from_command_line(catalogue: Catalogue, overrides: Mapping[str, str]) -> Layer:
    """Read values that are keyed by property key, in any spelling."""
    given: dict[str, Given] = {}
    problems: list[str] = []
    used: dict[str, str] = {}
    for name, value in overrides.items():
        setting = catalogue.named(name)
        if setting is None:
            problems.append(f"{_shown(name)} ({COMMAND_LINE}) is not a setting{catalogue.hint(name)}")
        elif setting.key in used:
            problems.append(
                f"{setting.key} is given twice on the {COMMAND_LINE}: {used[setting.key]} and {name}; keep one"
            )
        else:
            used[setting.key] = name
            _take(setting, value, origin=COMMAND_LINE, given=given, problems=problems)
    return Layer(given=given, problems=tuple(problems))


def _filled(
    setting: Setting,
    text: str,
    origin: str,
    *,
    environ: Mapping[str, str],
    problems: list[str],
    warnings: list[str],
) -> str:
    expansion = properties.expanded(text, environ=environ)
    if not expansion.missing:
        return expansion.value
    whole = re.fullmatch(r"\s*\$\{[^{}]*\}\s*", text) is not None
    # In the midst of a password, what looks like a variable may be a part of the password.
    names = ", ".join(map(_shown, expansion.missing)) if whole or setting.is_echoed else "a variable"
    problem = f"{setting.key} ({origin}): the environment does not set {names}, which the value asks for"
    if not whole:
        problems.append(f"{problem}; set it")
    elif expansion.missing[0] != setting.environment:
        warnings.append(f"{problem}; the default holds")
    return ""


def _take(setting: Setting, text: str, *, origin: str, given: dict[str, Given], problems: list[str]) -> None:
    value = properties.cleaned(text)
    forbidden = "[\0\ud800-\udfff]" if setting.is_secret else "[\0-\x1f\x7f\ud800-\udfff]"
    if re.search(forbidden, value):
        problems.append(f"{setting.key} ({origin}): the value holds control characters or broken UTF-8; write it anew")
    elif value:
        # A password may begin or end with a space, where quotes say so.
        given[setting.key] = Given(value=value if setting.is_secret else value.strip(), origin=origin)


def _rank(catalogue: Catalogue, name: str) -> int:
    setting = catalogue.set_by(name)
    if setting is None:
        return 3
    spellings = (setting.environment, re.sub("[-.]", "_", setting.key).upper())
    return spellings.index(name) if name in spellings else 2


def _suspicion(catalogue: Catalogue, name: str) -> tuple[str, ...]:
    if name == CONFIG_VARIABLE or name.startswith("MEMORY_BANK_TEST_") or _SERVICE_LINK.search(name):
        return ()
    known = [CONFIG_VARIABLE, *(setting.environment for setting in catalogue.settings)]
    near = properties.nearest(name, known)
    if name.startswith(_OUR_PREFIXES):
        hint = f"; did you mean {near}?" if near else ""
        return (f"environment variable {_shown(name)} is not a setting and has no effect{hint}",)
    # what begins otherwise like a setting may be another program's: only a slip of the pen is told
    if name.startswith(catalogue.prefixes) and properties.is_slip(name, known):
        return (f"environment variable {_shown(name)} is not a setting and has no effect; did you mean {near}?",)
    return ()


def _is_retired(key: str) -> bool:
    form = properties.relaxed(key)
    return any(form.startswith(properties.relaxed(prefix)) for prefix in _RETIRED)


def _unknown(catalogue: Catalogue, entry: properties.Entry) -> str:
    if not entry.separated and not entry.value:
        return "this line is not key=value; begin it with # if it is a comment"
    return f"{_shown(entry.key)} is not a setting{catalogue.hint(entry.key)}"


def _shown(name: str) -> str:
    return name if re.fullmatch(r"[\w.\-]{1,80}", name, re.ASCII) else ascii(name[:80])
