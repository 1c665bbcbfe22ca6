"""The table of settings: one frozen `Settings`, each field with its default, its bounds and one line that explains it.

Keys, names of environment variables, what messages say is allowed, and the shipped `config/application.properties`
follow from the models below and are written nowhere else.
"""

import functools
import ipaddress
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_args

import platformdirs
import pydantic
import pydantic_settings
from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, SecretStr
from pydantic.fields import FieldInfo

from memory_bank.domain import backups, beliefs, retrievability
from memory_bank.errors import ConfigurationError, InvalidInput
from memory_bank.settings import postgres_url, sources, values

_CONFIG = pydantic.ConfigDict(
    frozen=True, extra="forbid", validate_default=True, allow_inf_nan=False, hide_input_in_errors=True
)


def setting(
    default: str,
    comment: str,
    *,
    blank: str = "",
    key: str = "",
    environment: str = "",
    echoed: bool = True,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
) -> Any:
    """Declare one setting by its default as text, empty where there is none, and the comment that explains it.

    `blank` says what no value means. `key` and `environment` replace the names that follow from the field's place.
    `echoed=False` keeps the value out of messages and representations.
    """
    about: dict[str, pydantic.JsonValue] = {
        "default": default,
        "blank": blank,
        "key": key,
        "environment": environment,
        "echoed": echoed,
    }
    return Field(default or None, description=comment, json_schema_extra=about, repr=echoed, ge=ge, gt=gt, le=le, lt=lt)


class Group(pydantic.BaseModel):
    """Settings whose keys share a beginning."""

    model_config = _CONFIG


class OpenAI(Group):
    """The language model that analyses and links notes."""

    api_key: SecretStr | None = setting(
        "", "Key for the language model's provider", blank="no language model, unless base-url is set"
    )
    model_name: str = setting("gpt-4o-mini", "Language model, by its litellm name: gpt-4o-mini, ollama/llama3.2")
    base_url: values.WebAddress | None = setting(
        "", "Address of an OpenAI-compatible server", blank="the provider's own", echoed=False
    )
    temperature: float = setting("0.7", "How freely the language model writes", ge=0, le=2)
    max_tokens: int = setting("512", "Longest answer of the language model, in tokens", ge=1, le=1_000_000)
    timeout: values.Duration = setting("30s", "Longest wait for one answer", gt=0, le=86_400)


class Postgres(Group):
    """The database; without a URL, the embedded server in the data directory."""

    url: values.PostgresUrl | None = setting(
        "", "Database, as postgresql://host:5432/name; jdbc: may stand before it", blank="embedded server", echoed=False
    )
    username: str | None = setting("", "Database user", blank="the URL's, else the system's")
    password: SecretStr | None = setting(
        "", "Database password, as it is: nothing to encode", blank="the URL's, if any"
    )
    ddl_auto: values.DdlAutoName = setting("update", "Schema at start: update migrates, validate compares, none")
    pool_size: int = setting("10", "Most database connections of one process", ge=1, le=200)
    prepared_statements: bool = setting("true", "Switch off behind PgBouncer in transaction mode")

    @pydantic.model_validator(mode="before")
    @classmethod
    def _take_credentials_out_of_url(cls, given: object) -> object:
        if not isinstance(given, Mapping) or not isinstance(given.get("url"), str):
            return given
        try:
            address = postgres_url.parsed(given["url"])
        except ValueError:
            return given  # the field's own validator says what is wrong
        found = {"username": address.username, "password": address.password}
        return {**{name: value for name, value in found.items() if value is not None}, **given}

    def conninfo(self) -> str:
        """Return the URL with user name and password percent-encoded in it.

        Raises `ConfigurationError` where no URL is set, which is when the embedded server is used.
        """
        if self.url is None:
            raise ConfigurationError("postgres.url is not set: start the embedded server and use its address")
        password = None if self.password is None else self.password.get_secret_value()
        return postgres_url.joined(self.url, username=self.username, password=password)


def _name(given: str) -> str:
    """Check a name as the bank would: a setting that every statement refuses must stop the start."""
    try:
        return beliefs.checked_name(given)
    except InvalidInput as error:
        raise ValueError(error.problem) from error


class Memory(Group):
    """How search picks its pool."""

    similarity_threshold: float | None = setting(
        "", "Fixed lowest cosine of what no word finds", blank="evidence calibrated for the model", ge=-1, le=1
    )
    batch_factor: int = setting("3", "Candidates fetched for each result asked for", ge=1, le=100)
    self_name: Annotated[str, AfterValidator(_name)] = setting(
        "Agent", "Name of the entity that stands for the agent itself"
    )


class Decay(Group):
    """The constants of forgetting."""

    enabled: bool = setting("true", "Whether forgetting hides notes from searches")
    target_recall_probability: float = setting(
        "0.95", "Recall probability at the end of the first interval", gt=0, lt=1
    )
    length_of_first_interval: values.Duration = setting("604800", "First interval, in seconds", gt=0)
    relearning_rate: float = setting("1.5", "Growth of the interval with each retrieval", ge=1)
    threshold: float = setting("0.0", "Lowest recall probability that the threshold filter keeps", ge=0, le=1)


class RetrievabilityFilter(Group):
    """Which notes are still remembered well enough to be found."""

    type: values.FilterName = setting("threshold", "How forgotten notes are hidden: threshold or probabilistic")
    settings: Decay = Decay()

    def policy(self) -> retrievability.DecayPolicy:
        """Return the policy that the domain applies."""
        return retrievability.DecayPolicy(type=self.type, **self.settings.model_dump())


class Search(Group):
    """How results are ranked."""

    fusion: values.FusionName = setting("normalised", "How search arms are joined: normalised, rrf or weighted")


class Server(Group):
    """The HTTP doors."""

    host: values.BindAddress = setting("127.0.0.1", "Address to listen on", environment="HOST")
    port: int = setting("8080", "Port to listen on; 0 takes any that is free", environment="PORT", ge=0, le=65_535)
    allowed_hosts: values.Hosts = setting(
        "", "Host names that clients may use, comma-separated, with or without a port", blank="localhost only"
    )
    allowed_origins: values.Origins = setting(
        "", "Web origins that may call, comma-separated", blank="none but the server's own"
    )
    auth: values.AuthName = setting("auto", "Tokens: auto needs one once one was made, required always, off never")
    insecure: bool = setting("false", "Whether to listen beyond loopback without any token")
    rate_limit: int = setting(
        "0", "Most calls a minute of one token, or of one address without; 0 takes any number", ge=0, le=1_000_000
    )

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches the address."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class Embedding(Group):
    """What turns text into vectors."""

    backend: values.BackendName = setting(
        "auto", "Runtime: auto, onnx or sentence-transformers; litellm asks a provider"
    )
    model: str = setting("all-MiniLM-L6-v2", "Embedding model: a hub name or a folder; with litellm its name there")
    dimensions: int = setting("384", "Length of the model's vectors", ge=1, le=2_000)
    graph_dir: Path | None = setting("", "Folder that holds the exported model graph", blank="in the data directory")
    wait: values.Duration = setting("60s", "How long a call waits for the model to load", ge=0, le=86_400)
    threads: int = setting("0", "Threads that embed side by side; 0 takes all cores", ge=0, le=1_024)


class Enrichment(Group):
    """Analysis and linking of added notes."""

    inline_timeout: values.Duration = setting(
        "20s", "How long an add waits for analysis and links before the queue takes over", ge=0, le=86_400
    )
    attempts: int = setting("5", "Tries before the enrichment of a note counts as failed", ge=1, le=20)


class Worker(Group):
    """The queue's worker inside the server."""

    enabled: bool = setting("true", "Whether the server works off the queue itself")
    concurrency: int = setting("2", "Jobs at one time", ge=1, le=32)


class Backup(Group):
    """Snapshots of the whole store, made by the worker."""

    dir: Path | None = setting(
        "", "Folder for snapshots", blank="backups in the data directory; with postgres.url, no snapshots"
    )
    interval: values.Duration = setting(
        "1d", "Time between two snapshots of the whole store; 0 makes none", ge=0, le=31_622_400
    )
    keep: int = setting("7", "Snapshots kept; older ones are deleted", ge=1, le=10_000)


class Redaction(Group):
    """What becomes of secrets."""

    enabled: bool = setting("true", "Whether secrets are taken out of what is stored and answered")


class Mcp(Group):
    """What agents see."""

    toolsets: values.Toolsets = setting(
        "notes,beliefs", "Toolsets offered, comma-separated: notes, beliefs, banks, project"
    )


def _data_dir(given: object) -> object:
    return platformdirs.user_data_path("memory-bank", appauthor=False) if given is None else given


class Settings(pydantic_settings.BaseSettings):
    """Every setting. `source` is the file that was read; `warnings` are to be logged once logging is set up."""

    model_config = pydantic_settings.SettingsConfigDict(
        frozen=True, extra="forbid", validate_default=True, hide_input_in_errors=True
    )

    openai: OpenAI = OpenAI()
    postgres: Postgres = Postgres()
    logging_level: values.LogLevelName = setting(
        "info",
        "Lowest level that is logged: trace, debug, info, warn, error, off",
        key="logging.level.root",
        environment="LOGGING_LEVEL",
    )
    logging_format: values.LogFormatName = setting(
        "text",
        "How logs are written: text for people, json for one object a line",
        key="logging.format",
        environment="LOGGING_FORMAT",
    )
    memory: Memory = Memory()
    retrievability_filter: RetrievabilityFilter = RetrievabilityFilter()
    search: Search = Search()
    server: Server = Server()
    embedding: Embedding = Embedding()
    enrichment: Enrichment = Enrichment()
    worker: Worker = Worker()
    backup: Backup = Backup()
    redaction: Redaction = Redaction()
    mcp: Mcp = Mcp()
    data_dir: Annotated[Path, BeforeValidator(_data_dir)] = setting(
        "", "Folder for the embedded server and models", blank="this user's data folder", key="memory-bank.data-dir"
    )
    source: Path | None = None
    warnings: tuple[str, ...] = ()
    _origins: Mapping[str, str] = PrivateAttr(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[pydantic_settings.BaseSettings],
        init_settings: pydantic_settings.PydanticBaseSettingsSource,
        env_settings: pydantic_settings.PydanticBaseSettingsSource,
        dotenv_settings: pydantic_settings.PydanticBaseSettingsSource,
        file_secret_settings: pydantic_settings.PydanticBaseSettingsSource,
    ) -> tuple[pydantic_settings.PydanticBaseSettingsSource, ...]:
        """Read nothing but the arguments: `load` has merged the sources and knows where each value stands."""
        return (init_settings,)

    def snapshots(self) -> backups.Schedule | None:
        """Return when and where snapshots are made; None for never.

        A database of one's own comes with backups of its own, or is too large for ours: there they are asked for.
        """
        folder = self.backup.dir
        if folder is None and self.postgres.url is None:
            folder = self.data_dir / "backups"
        if folder is None or not self.backup.interval:
            return None
        interval = timedelta(seconds=self.backup.interval)
        return backups.Schedule(folder=folder, interval=interval, keep=self.backup.keep)

    def origin(self, key: str) -> str:
        """Return where the value of a key stands: `command line`, `environment NAME`, `FILE:LINE` or `default`."""
        return self._origins.get(key, "default")

    def with_origins(self, origins: Mapping[str, str]) -> "Settings":
        """Return the same settings, able to say for each key in `origins` where its value stands."""
        told = self.model_copy()
        told._origins = dict(origins)
        return told


@functools.cache
def catalogue() -> sources.Catalogue:
    """Return every setting of the models above, in their order."""
    return sources.Catalogue(_rows(Settings, ()))


def _rows(model: type[pydantic.BaseModel], parents: tuple[str, ...]) -> Iterator[sources.Setting]:
    for name, field in model.model_fields.items():
        path = (*parents, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Group):
            yield from _rows(field.annotation, path)
        elif isinstance(field.json_schema_extra, dict):
            yield _row(field, path, {key: str(value) for key, value in field.json_schema_extra.items()})


def _row(field: FieldInfo, path: tuple[str, ...], about: Mapping[str, str]) -> sources.Setting:
    key = about["key"] or ".".join(path).replace("_", "-")
    kinds = (field.annotation, *get_args(field.annotation))
    return sources.Setting(
        key=key,
        environment=about["environment"] or re.sub("[-.]", "_", key).upper(),
        path=path,
        default=about["default"],
        blank=about["blank"],
        comment=field.description or "",
        allowed=_allowed(field, kinds),
        is_secret=SecretStr in kinds,
        is_echoed=field.repr and SecretStr not in kinds,
        is_path=Path in kinds,
        is_duration=values.READS_SECONDS in field.metadata,
    )


def _allowed(field: FieldInfo, kinds: tuple[object, ...]) -> str:
    if bool in kinds:
        return "true or false"
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return "one of " + ", ".join(kind)
    if values.READS_SECONDS in field.metadata:
        noun, unit = "a duration", "s"
    elif int in kinds:
        noun, unit = "a whole number", ""
    elif float in kinds:
        noun, unit = "a number", ""
    else:
        return "text"
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    bounds = [
        f"{word} {getattr(limit, name)}{unit}"
        for limit in field.metadata
        for name, word in words.items()
        if hasattr(limit, name)
    ]
    return " and ".join([f"{noun} of {bounds[0]}", *bounds[1:]]) if bounds else noun
