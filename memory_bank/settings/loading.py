"""Loading: find the file, read the three layers, check each, and merge them into one `Settings`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

import pydantic
from pydantic import SecretStr

from memory_bank.errors import ConfigurationError
from memory_bank.settings import postgres_url, properties, sources, table

FILE_NAME = "application.properties"
MOUNT_POINT = Path("/app/config")
MASK = "********"
_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Row:
    """One setting as people see it; `source` is `command line`, `environment NAME`, `FILE:LINE` or `default`."""

    key: str
    environment: str
    value: str
    default: str
    source: str
    comment: str


def load(
    *, config: Path | None = None, environ: Mapping[str, str], cwd: Path, overrides: Mapping[str, str] = _NONE
) -> table.Settings:
    """Return the settings that hold: overrides, then environment, then the first file found, then defaults.

    config: a file that must exist. environ: variables by name. cwd: absolute; files and folders are looked for from
    here. overrides: by property key, from the command line.
    Raises `ConfigurationError` that names every unknown key and bad value with its place, never a secret.
    """
    catalogue, cwd = table.catalogue(), cwd.absolute()
    source = _source(config, environ=environ, cwd=cwd)
    layers = [
        _checked(layer, catalogue=catalogue, environ=environ, cwd=cwd)
        for layer in (
            _file_layer(catalogue, source, environ=environ, cwd=cwd),
            sources.from_environment(catalogue, environ),
            sources.from_command_line(catalogue, overrides),
        )
    ]
    if problems := [problem for layer in layers for problem in layer.problems]:
        raise ConfigurationError(_report(problems))
    given = {key: value for layer in layers for key, value in layer.given.items()}
    warnings = (*(warning for layer in layers for warning in layer.warnings), *_contradictions(given))
    settings = table.Settings.model_validate({**_tree(catalogue, given), "source": source, "warnings": warnings})
    if not settings.data_dir.is_absolute():
        raise ConfigurationError("memory-bank.data-dir: this user has no home folder; name a folder for the data")
    return settings.with_origins({key: value.origin for key, value in given.items()})


def describe(settings: table.Settings) -> tuple[Row, ...]:
    """Return one row for each setting, in the order of the table; secrets are masked."""
    return tuple(
        Row(
            key=setting.key,
            environment=setting.environment,
            value=_shown(setting, settings),
            default=setting.default or setting.blank,
            source=settings.origin(setting.key),
            comment=setting.comment,
        )
        for setting in table.catalogue().settings
    )


def candidates(cwd: Path) -> tuple[Path, ...]:
    """Return where the file is looked for, in this order, when nobody names one."""
    return (cwd / FILE_NAME, cwd / "config" / FILE_NAME, MOUNT_POINT / FILE_NAME)


def _source(config: Path | None, *, environ: Mapping[str, str], cwd: Path) -> Path | None:
    variable = properties.cleaned(environ.get(sources.CONFIG_VARIABLE, ""))
    named, by = (str(config), "--config") if config is not None else (variable, sources.CONFIG_VARIABLE)
    try:
        if not named:
            return next((path for path in candidates(cwd) if path.exists()), None)
        path = _absolute(named, environ=environ, cwd=cwd)
        if path.exists():
            return path
    except OSError as error:
        raise ConfigurationError(
            f"the settings file cannot be looked for: {error}; permit reading the folder"
        ) from error
    raise ConfigurationError(f"{path}: there is no such file, but {by} names it; correct the path or leave it out")


def _file_layer(
    catalogue: sources.Catalogue, source: Path | None, *, environ: Mapping[str, str], cwd: Path
) -> sources.Layer:
    if source is None:
        return sources.Layer(given={})
    label = str(source.relative_to(cwd)) if source.is_relative_to(cwd) else str(source)
    return sources.from_file(catalogue, properties.read(source, label=label), label=label, environ=environ)


def _checked(
    layer: sources.Layer, *, catalogue: sources.Catalogue, environ: Mapping[str, str], cwd: Path
) -> sources.Layer:
    given = {
        key: replace(value, value=str(_absolute(value.value, environ=environ, cwd=cwd)))
        if catalogue.by_key[key].is_path
        else value
        for key, value in layer.given.items()
    }
    try:
        settings = table.Settings.model_validate(_tree(catalogue, given))
    except pydantic.ValidationError as error:
        found = _problems(error, catalogue=catalogue, given=given)
        return replace(layer, given=given, problems=(*layer.problems, *found))
    return replace(layer, given={**_from_url(settings.postgres, given), **given})


def _from_url(postgres: table.Postgres, given: Mapping[str, sources.Given]) -> dict[str, sources.Given]:
    # User name and password inside a URL are given where the URL is given, and outrank those of lower layers.
    if "postgres.url" not in given:
        return {}
    password = None if postgres.password is None else postgres.password.get_secret_value()
    held = {"postgres.username": postgres.username, "postgres.password": password}
    origin = given["postgres.url"].origin
    return {key: sources.Given(value=value, origin=origin) for key, value in held.items() if value is not None}


def _problems(
    error: pydantic.ValidationError, *, catalogue: sources.Catalogue, given: Mapping[str, sources.Given]
) -> list[str]:
    found: dict[str, str] = {}
    for detail in error.errors(include_url=False, include_input=False):
        setting = next(row for row in catalogue.settings if row.path == detail["loc"][: len(row.path)])
        value = given[setting.key]
        if detail["type"] == "value_error":
            problem = str(detail["ctx"]["error"])
        else:
            text = ascii(value.value[:60]) if setting.is_echoed else "the value"
            problem = f"{text} is not allowed; give {setting.allowed}"
        found.setdefault(setting.key, f"{setting.key} ({value.origin}): {problem}")
    return list(found.values())


def _report(problems: list[str]) -> str:
    if len(problems) == 1:
        return problems[0]
    return "\n  - ".join([f"{len(problems)} problems in the settings:", *problems])


def _contradictions(given: Mapping[str, sources.Given]) -> list[str]:
    if "postgres.url" in given:
        return []
    return [
        f"{key} ({given[key].origin}) has no effect: without postgres.url the embedded server is used"
        for key in ("postgres.username", "postgres.password")
        if key in given
    ]


def _tree(catalogue: sources.Catalogue, given: Mapping[str, sources.Given]) -> dict[str, object]:
    tree: dict[str, object] = {}
    for key, value in given.items():
        *parents, leaf = catalogue.by_key[key].path
        node = tree
        for parent in parents:
            below = node.setdefault(parent, {})
            assert isinstance(below, dict)
            node = below
        node[leaf] = value.value
    return tree


def _absolute(text: str, *, environ: Mapping[str, str], cwd: Path) -> Path:
    if text == "~" or text.startswith("~/"):
        home = environ.get("HOME") or environ.get("USERPROFILE")
        if not home:
            raise ConfigurationError("'~' stands for no folder, because HOME is not set: write the whole path")
        return Path(home) / text[2:]
    return cwd / text


def _shown(setting: sources.Setting, settings: table.Settings) -> str:
    value: object = settings
    for name in setting.path:
        value = getattr(value, name)
    match value:
        case None | ():
            return setting.blank
        case SecretStr():
            return MASK
        case bool():
            return str(value).lower()
        case tuple():
            return ",".join(map(str, value))
        case float() if setting.is_duration:
            return f"{int(value) if value.is_integer() else value}s"
        case StrEnum() | str() if not setting.is_echoed:
            return postgres_url.masked(value)
        case _:
            return str(value)
