"""Settings: every key from every source, precedence, and messages that name the place and never a secret."""

import contextlib
import functools
import operator
import os
import re
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from memory_bank import settings
from memory_bank.domain import retrievability, tokens
from memory_bank.errors import ConfigurationError
from memory_bank.settings import loading, postgres_url, properties, sources, table

CATALOGUE = table.catalogue()
SHIPPED = Path(__file__).resolve().parents[1] / "config" / "application.properties"
PASSWORD = "p@ss%w/rd:#1?&'é"
NOWHERE = Path("/nowhere")

# A text that is not the default, and the value it stands for.
SAMPLES: dict[str, tuple[str, object]] = {
    "openai.api-key": ("sk-sample", SecretStr("sk-sample")),
    "openai.model-name": ("ollama/llama3.2", "ollama/llama3.2"),
    "openai.base-url": ("http://localhost:11434/v1", "http://localhost:11434/v1"),
    "openai.temperature": ("0", 0.0),
    "openai.max-tokens": ("1024", 1024),
    "openai.timeout": ("500ms", 0.5),
    "postgres.url": ("jdbc:postgresql://db:5432/memories", "postgresql://db:5432/memories"),
    "postgres.username": ("ada", "ada"),
    "postgres.password": (PASSWORD, SecretStr(PASSWORD)),
    "postgres.ddl-auto": ("VALIDATE", settings.DdlAuto.VALIDATE),
    "postgres.pool-size": ("20", 20),
    "postgres.prepared-statements": ("false", False),
    "logging.level.root": ("WARN", settings.LogLevel.WARNING),
    "logging.format": ("JSON", settings.LogFormat.JSON),
    "memory.similarity-threshold": ("-0.5", -0.5),
    "memory.batch-factor": ("7", 7),
    "memory.self-name": ("Otto", "Otto"),
    "retrievability-filter.type": ("probabilistic", retrievability.FilterType.PROBABILISTIC),
    "retrievability-filter.settings.enabled": ("no", False),
    "retrievability-filter.settings.target-recall-probability": ("0.9", 0.9),
    "retrievability-filter.settings.length-of-first-interval": ("1d", 86_400.0),
    "retrievability-filter.settings.relearning-rate": ("2", 2.0),
    "retrievability-filter.settings.threshold": ("0.25", 0.25),
    "search.fusion": ("RRF", "rrf"),
    "server.host": ("[::1]", "::1"),
    "server.port": ("0", 0),
    "server.allowed-hosts": ("memory.example.com, [::1]:8080", ("memory.example.com", "[::1]:8080")),
    "server.allowed-origins": ("https://a.example.com/,http://b:*", ("https://a.example.com", "http://b:*")),
    "server.auth": ("REQUIRED", tokens.Authentication.REQUIRED),
    "server.insecure": ("yes", True),
    "server.rate-limit": ("600", 600),
    "embedding.backend": ("onnx", settings.Backend.ONNX),
    "embedding.model": ("other", "other"),
    "embedding.dimensions": ("768", 768),
    "embedding.graph-dir": ("graphs", NOWHERE / "graphs"),
    "embedding.wait": ("2m", 120.0),
    "embedding.threads": ("4", 4),
    "enrichment.inline-timeout": ("PT1M30S", 90.0),
    "enrichment.attempts": ("3", 3),
    "worker.enabled": ("false", False),
    "worker.concurrency": ("8", 8),
    "backup.dir": ("snapshots", NOWHERE / "snapshots"),
    "backup.interval": ("12h", 43_200.0),
    "backup.keep": ("3", 3),
    "redaction.enabled": ("off", False),
    "mcp.toolsets": ("Project, notes,notes", (settings.Toolset.PROJECT, settings.Toolset.NOTES)),
    "memory-bank.data-dir": ("~/memories", Path("/home/ada/memories")),
}


def load(
    *,
    file: str | bytes | None = None,
    environ: dict[str, str] | None = None,
    overrides: dict[str, str] | None = None,
    cwd: Path = NOWHERE,
) -> settings.Settings:
    if file is not None:
        (cwd / "application.properties").write_bytes(file if isinstance(file, bytes) else file.encode())
    return settings.load(environ={"HOME": "/home/ada", **(environ or {})}, cwd=cwd, overrides=overrides or {})


def refusal(
    *,
    file: str | bytes | None = None,
    environ: dict[str, str] | None = None,
    overrides: dict[str, str] | None = None,
    cwd: Path = NOWHERE,
) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(file=file, environ=environ, overrides=overrides, cwd=cwd)
    return str(caught.value)


def value_of(loaded: settings.Settings, key: str) -> object:
    return functools.reduce(getattr, CATALOGUE.by_key[key].path, loaded)


def row_of(loaded: settings.Settings, key: str) -> settings.Row:
    return next(row for row in settings.describe(loaded) if row.key == key)


def relaxed_variables(key: str) -> list[str]:
    underscored = re.sub("[-.]", "_", key).upper()
    dashes_dropped = key.replace("-", "").replace(".", "_").upper()
    return sorted({underscored, dashes_dropped})


# --- every setting, from every source


def test_every_setting_has_a_sample() -> None:
    assert list(SAMPLES) == [row.key for row in CATALOGUE.settings]


@pytest.mark.parametrize("key", SAMPLES)
def test_a_file_changes_the_setting_and_is_named_as_its_source(key: str, tmp_path: Path) -> None:
    text, value = SAMPLES[key]
    loaded = load(file=f"# a comment\n\n{key}={text}\n", cwd=tmp_path)
    wanted = (
        tmp_path / value.relative_to(NOWHERE) if isinstance(value, Path) and value.is_relative_to(NOWHERE) else value
    )
    assert value_of(loaded, key) == wanted != value_of(load(), key)
    assert row_of(loaded, key).source == "application.properties:3"


@pytest.mark.parametrize("key", SAMPLES)
def test_the_documented_variable_changes_the_setting(key: str) -> None:
    text, value = SAMPLES[key]
    variable = CATALOGUE.by_key[key].environment
    loaded = load(environ={variable: text})
    assert value_of(loaded, key) == value
    assert row_of(loaded, key).source == f"environment {variable}"


@pytest.mark.parametrize(("key", "variable"), [(key, name) for key in SAMPLES for name in relaxed_variables(key)])
def test_relaxed_variables_change_the_setting(key: str, variable: str) -> None:
    assert value_of(load(environ={variable: SAMPLES[key][0]}), key) == SAMPLES[key][1]


@pytest.mark.parametrize("key", SAMPLES)
def test_the_command_line_changes_the_setting(key: str) -> None:
    loaded = load(overrides={key: SAMPLES[key][0]})
    assert value_of(loaded, key) == SAMPLES[key][1]
    assert row_of(loaded, key).source == "command line"


@pytest.mark.parametrize("key", SAMPLES)
def test_a_blank_value_anywhere_means_the_default(key: str, tmp_path: Path) -> None:
    environ = {CATALOGUE.by_key[key].environment: " \r"}
    loaded = load(file=f"{key}=   \n", environ=environ, overrides={key: "''"}, cwd=tmp_path)
    assert value_of(loaded, key) == value_of(load(), key)
    assert row_of(loaded, key).source == "default"


@pytest.mark.parametrize("key", SAMPLES)
def test_quotes_spaces_and_carriage_returns_around_a_variable_are_dropped(key: str) -> None:
    variable, (text, value) = CATALOGUE.by_key[key].environment, SAMPLES[key]
    assert value_of(load(environ={variable: f' "{text}" \r'}), key) == value


def test_the_variables_of_the_documented_table_are_known() -> None:
    documented = {
        *("OPENAI_API_KEY", "OPENAI_MODEL_NAME", "OPENAI_BASE_URL", "OPENAI_TEMPERATURE", "OPENAI_MAX_TOKENS"),
        *("OPENAI_TIMEOUT", "POSTGRES_URL", "POSTGRES_USERNAME", "POSTGRES_PASSWORD", "POSTGRES_DDL_AUTO"),
        *("LOGGING_LEVEL", "HOST", "PORT", "MEMORY_BANK_DATA_DIR"),
    }
    assert documented <= {row.environment for row in CATALOGUE.settings}


# --- precedence and the search for the file


def test_command_line_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    file, environ, overrides = "server.port=1\n", {"PORT": "2"}, {"serverPort": "3"}
    assert load().server.port == 8080
    assert load(file=file, cwd=tmp_path).server.port == 1
    assert load(file=file, environ=environ, cwd=tmp_path).server.port == 2
    assert load(file=file, environ=environ, overrides=overrides, cwd=tmp_path).server.port == 3


def test_a_blank_variable_leaves_the_file_in_force(tmp_path: Path) -> None:
    assert load(file="server.port=1\n", environ={"PORT": ""}, cwd=tmp_path).server.port == 1


def test_the_table_name_wins_over_relaxed_names_and_a_warning_says_so() -> None:
    loaded = load(environ={"PORT": "1", "SERVER_PORT": "2", "SERVERPORT": "3"})
    assert loaded.server.port == 1
    assert [re.findall("[A-Z_]{4,}", warning) for warning in loaded.warnings] == [
        ["SERVER_PORT", "PORT"],
        ["SERVERPORT", "PORT"],
    ]


def test_a_blank_table_name_leaves_a_relaxed_name_in_force() -> None:
    loaded = load(environ={"PORT": "", "SERVER_PORT": "2"})
    assert loaded.server.port == 2
    assert loaded.warnings == ()


def test_the_first_file_found_wins_in_the_documented_order(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    named, pointed, local, configured = (
        tmp_path / name for name in ("a", "b", loading.FILE_NAME, "config/" + loading.FILE_NAME)
    )
    for port, path in enumerate((named, pointed, local, configured), start=1):
        path.write_text(f"server.port={port}\n")
    environ = {"MEMORY_BANK_CONFIG": "b"}
    found = settings.load(config=Path("a"), environ=environ, cwd=tmp_path)
    assert (found.server.port, found.source) == (1, named)
    assert load(environ=environ, cwd=tmp_path).server.port == 2
    assert load(environ={"MEMORY_BANK_CONFIG": " "}, cwd=tmp_path).server.port == 3
    local.unlink()
    assert load(cwd=tmp_path).source == configured
    configured.unlink()
    assert loading.candidates(tmp_path)[-1] == Path("/app/config/application.properties")


def test_a_named_file_that_is_missing_stops_the_start(tmp_path: Path) -> None:
    assert "MEMORY_BANK_CONFIG" in refusal(environ={"MEMORY_BANK_CONFIG": "none.properties"}, cwd=tmp_path)
    with pytest.raises(ConfigurationError, match="--config"):
        settings.load(config=tmp_path / "none", environ={}, cwd=tmp_path)


def test_a_folder_where_the_file_should_be_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "application.properties").mkdir()
    assert "is a folder" in refusal(cwd=tmp_path)


def test_a_path_no_file_system_can_hold_stops_the_start(tmp_path: Path) -> None:
    assert "MEMORY_BANK_CONFIG" in refusal(environ={"MEMORY_BANK_CONFIG": "\0"}, cwd=tmp_path)
    assert "file" in refusal(environ={"MEMORY_BANK_CONFIG": "x" * 5_000}, cwd=tmp_path)


# --- the shipped file


def test_the_shipped_file_holds_each_setting_with_its_default_and_one_comment_line() -> None:
    lines = [line for line in SHIPPED.read_text(encoding="utf-8").splitlines()[2:] if line]
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    assert [entry for _, entry in pairs] == [f"{row.key}={row.default}" for row in CATALOGUE.settings]
    for (comment, _), row in zip(pairs, CATALOGUE.settings, strict=True):
        assert comment.startswith(f"# {row.comment}")
        assert comment.endswith(f"[{row.environment}]")
        assert (row.blank in comment) == (row.default == "" or row.blank == "")


def test_the_shipped_file_says_exactly_the_defaults() -> None:
    shipped = settings.load(config=SHIPPED, environ={}, cwd=NOWHERE)
    for row in CATALOGUE.settings:
        assert value_of(shipped, row.key) == value_of(load(), row.key)
    assert shipped.warnings == ()


# --- what earlier users mount


EARLIER = """
spring.application.name=memory-bank
langchain4j.open-ai.chat-model.api-key=${OPENAI_API_KEY}
langchain4j.open-ai.chat-model.model-name=${OPENAI_MODEL_NAME:gpt-4.1}
langchain4j.open-ai.chat-model.temperature=0.2
langchain4j.open-ai.chat-model.max-tokens=100
langchain4j.open-ai.chat-model.timeout=10s
langchain4j.open-ai.chat-model.base-url=http://localhost:1234/v1
spring.datasource.url=${POSTGRES_URL:jdbc:postgresql://localhost:5432/postgres}
spring.datasource.username=${POSTGRES_USERNAME:postgres}
spring.datasource.password=${POSTGRES_PASSWORD:geheim}
spring.jpa.properties.hibernate.dialect=some.Dialect
spring.jpa.hibernate.ddl-auto=validate
spring.ai.mcp.server.type=SYNC
retrievability-filter.settings.relearningRate=1.8
"""


def test_a_file_of_the_predecessor_starts_as_it_is(tmp_path: Path) -> None:
    loaded = load(file=EARLIER, environ={"POSTGRES_USERNAME": "ada"}, cwd=tmp_path)
    assert loaded.openai.api_key is None
    assert (loaded.openai.model_name, loaded.openai.temperature, loaded.openai.max_tokens) == ("gpt-4.1", 0.2, 100)
    assert (loaded.openai.timeout, loaded.openai.base_url) == (10.0, "http://localhost:1234/v1")
    assert loaded.postgres.conninfo() == "postgresql://ada:geheim@localhost:5432/postgres"
    assert loaded.postgres.ddl_auto is settings.DdlAuto.VALIDATE
    assert loaded.retrievability_filter.settings.relearning_rate == 1.8
    assert [re.findall(":([0-9]+): ", warning) for warning in loaded.warnings] == [["2"], ["12"], ["14"]]


@pytest.mark.parametrize("mode", ["create", "create-drop", "CREATE-ONLY", "drop"])
def test_schema_modes_that_drop_memories_are_refused_with_the_reason(mode: str) -> None:
    message = refusal(overrides={"spring.jpa.hibernate.ddl-auto": mode})
    assert "would drop stored memories" in message
    assert "update, validate or none" in message


def test_a_key_and_its_alias_in_one_file_are_one_key_given_twice(tmp_path: Path) -> None:
    message = refusal(file="postgres.url=\n#\nspring.datasource.url=postgres://h/d\n", cwd=tmp_path)
    assert "postgres.url is given twice in application.properties: lines 1 and 3" in message


def test_a_variable_that_nothing_fills_is_named(tmp_path: Path) -> None:
    loaded = load(file="postgres.url=${DATABASE}\n", cwd=tmp_path)
    assert loaded.postgres.url is None
    assert "DATABASE" in loaded.warnings[0]
    assert "HOST_NAME" in refusal(file="server.host=${HOST_NAME}.example.com\n", cwd=tmp_path)
    message = refusal(file="postgres.password=pa${hush}\n", cwd=tmp_path)
    assert "postgres.password (application.properties:1)" in message
    assert "hush" not in message


# --- mistakes


def test_an_unknown_key_is_named_with_file_line_and_nearest_key(tmp_path: Path) -> None:
    message = refusal(file="# one\nserver.port=1,\\\n 2\nopenai.api-kee=sk-geheim\n", cwd=tmp_path)
    assert "application.properties:4: openai.api-kee is not a setting; did you mean openai.api-key?" in message
    assert "server.port (application.properties:2): '1,2' is not allowed" in message
    assert "geheim" not in message


def test_an_unknown_key_on_the_command_line_is_named_with_the_nearest_key() -> None:
    assert "did you mean server.port?" in refusal(overrides={"server.prot": "1"})
    assert "`memory-bank settings`" in refusal(overrides={"zzqq": "1"})


def test_the_hint_for_a_misspelt_key_of_the_predecessor_is_the_key_of_today() -> None:
    assert "did you mean postgres.url?" in refusal(overrides={"spring.datasource.uri": "x"})


def test_a_key_twice_under_two_spellings_names_both_lines(tmp_path: Path) -> None:
    file = "a.b=1\nretrievability-filter.settings.relearningRate=2\nretrievability-filter.settings.relearning_rate=2\n"
    message = refusal(file=file, cwd=tmp_path)
    assert "retrievability-filter.settings.relearning-rate is given twice" in message
    assert "lines 2 and 3" in message
    assert "twice on the command line" in refusal(overrides={"server.port": "1", "SERVER_PORT": "1"})


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    message = refusal(
        file="server.port=x\nopenai.temperature=9\nbad=\\u1\nwhat=1\n",
        environ={"OPENAI_TIMEOUT": "soon", "PORT": "70000"},
        overrides={"mcp.toolsets": "note"},
        cwd=tmp_path,
    )
    assert message.startswith("7 problems in the settings:")
    for part in (
        "server.port (application.properties:1): 'x'",
        "openai.temperature (application.properties:2): '9' is not allowed; give a number of at least 0 and at most 2",
        "application.properties:3: a \\u escape",
        "application.properties:4: what is not a setting",
        "openai.timeout (environment OPENAI_TIMEOUT): not a duration such as 30s",
        "server.port (environment PORT): '70000' is not allowed; give a whole number of at least 0 and at most 65535",
        "mcp.toolsets (command line): 'note' is not a toolset; known are notes, beliefs, banks, project; did you mean",
    ):
        assert part in message


WRONG = {
    "openai.base-url": ["api.example.com", "ftp://x", "http://", "http://h:x", "http://a b"],
    "openai.temperature": ["-0.1", "2.1", "nan", "inf", "0,7", "hot"],
    "openai.max-tokens": ["0", "1.5", "9" * 5_000],
    "openai.timeout": ["0", "-1s", "1 parsec", "P", "1e999", "2d"],
    "postgres.url": ["mysql://h/d", "h/d", "postgres:d", "postgresql://h:0/d", "host=h dbname=d"],
    "postgres.ddl-auto": ["auto"],
    "postgres.pool-size": ["0", "201"],
    "postgres.prepared-statements": ["maybe"],
    "logging.level.root": ["loud"],
    "memory.similarity-threshold": ["1.1", "-1.1", "nan"],
    "memory.batch-factor": ["0", "101"],
    "retrievability-filter.type": ["none"],
    "retrievability-filter.settings.enabled": ["2"],
    "retrievability-filter.settings.target-recall-probability": ["0", "1"],
    "retrievability-filter.settings.length-of-first-interval": ["0", "inf"],
    "retrievability-filter.settings.relearning-rate": ["0.99", "inf"],
    "retrievability-filter.settings.threshold": ["-0.1", "1.1"],
    "server.host": ["http://h", "h:80", "a b", "::g"],
    "server.port": ["-1", "65536", "http"],
    "server.allowed-hosts": ["http://h", "*", "h:0", "h:70000", "[::g]", "h/x", "a b"],
    "server.allowed-origins": ["h", "*", "null", "https://h/x", "ftp://h"],
    "server.auth": ["no", "bearer"],
    "server.insecure": ["maybe"],
    "server.rate-limit": ["-1", "1000001"],
    "embedding.backend": ["cuda"],
    "embedding.dimensions": ["0", "2001"],
    "embedding.wait": ["-1"],
    "embedding.threads": ["-1"],
    "enrichment.inline-timeout": ["soon"],
    "enrichment.attempts": ["0", "21"],
    "worker.enabled": ["maybe"],
    "worker.concurrency": ["0", "33"],
    "redaction.enabled": ["maybe"],
    "mcp.toolsets": ["notes,all"],
}


@pytest.mark.parametrize(("key", "text"), [(key, text) for key, texts in WRONG.items() for text in texts])
def test_a_value_out_of_bounds_is_refused_with_key_and_variable(key: str, text: str) -> None:
    variable = CATALOGUE.by_key[key].environment
    assert refusal(environ={variable: text}).startswith(f"{key} (environment {variable}): ")


@pytest.mark.parametrize("key", SAMPLES)
@pytest.mark.parametrize("text", ["x\0y", "x\udce9y"])
def test_nul_and_broken_utf8_are_refused_in_every_setting(key: str, text: str) -> None:
    assert key in refusal(environ={CATALOGUE.by_key[key].environment: text})


@pytest.mark.parametrize(
    "raw",
    [
        b"server.port=1\0",
        b"a=\xff\xfe",
        "openai.model-name=é".encode("latin-1"),
        b"a=1\n" * 100_000,
        b"\\u",
        b"=",
        b"\xef",
    ],
)
def test_a_hostile_file_is_a_configuration_error(raw: bytes, tmp_path: Path) -> None:
    assert "application.properties" in refusal(file=raw, cwd=tmp_path)


@hypothesis.settings(deadline=None)
@given(raw=st.binary(max_size=300))
def test_no_file_ends_in_anything_but_settings_or_a_configuration_error(
    raw: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.properties"
    path.write_bytes(raw)
    with contextlib.suppress(ConfigurationError):
        assert settings.load(config=path, environ={}, cwd=NOWHERE).source == path


@hypothesis.settings(deadline=None)
@given(key=st.sampled_from(list(SAMPLES)), text=st.text(max_size=60))
def test_no_value_ends_in_anything_but_settings_or_a_configuration_error(key: str, text: str) -> None:
    with contextlib.suppress(ConfigurationError):
        assert len(settings.describe(load(overrides={key: text}))) == len(SAMPLES)


# --- variables that are not settings


@pytest.mark.parametrize(
    ("variable", "near"),
    [
        ("MEMORY_BANK_DATADRI", "MEMORY_BANK_DATA_DIR"),
        ("MEMORY_BANK_CONFG", "MEMORY_BANK_CONFIG"),
        ("RETRIEVABILITY_FILTER_TYP", "RETRIEVABILITY_FILTER_TYPE"),
        ("EMBEDDING_MODLE", "EMBEDDING_MODEL"),
        ("ENRICHMENT_ATTEMPT", "ENRICHMENT_ATTEMPTS"),
        ("POSTGRES_PASWORD", "POSTGRES_PASSWORD"),
        ("OPENAI_API_KYE", "OPENAI_API_KEY"),
        ("SERVER_ALOWED_HOSTS", "SERVER_ALLOWED_HOSTS"),
        ("MCP_TOOLSET", "MCP_TOOLSETS"),
        ("WORKER_ENABLE", "WORKER_ENABLED"),
        ("REDACTION_ENABLE", "REDACTION_ENABLED"),
        ("SEARCH_FUSON", "SEARCH_FUSION"),
        ("LOGGING_LEVL", "LOGGING_LEVEL"),
        ("MEMORY_BATCHFACTR", "MEMORY_BATCH_FACTOR"),
    ],
)
def test_a_misspelt_variable_of_ours_gives_a_warning(variable: str, near: str) -> None:
    (warning,) = load(environ={variable: "geheim"}).warnings
    assert variable in warning
    assert f"did you mean {near}?" in warning
    assert "geheim" not in warning


def test_variables_of_others_pass_in_silence() -> None:
    others = (
        *("PATH", "LANG", "POSTGRES_USER", "POSTGRES_DB", "OPENAI_ORG_ID", "MEMORY_BANK_TEST_DATABASE_URL"),
        *(
            "MEMORY_BANK_PORT",
            "MEMORY_BANK_SERVICE_HOST",
            "MEMORY_BANK_PORT_8080_TCP_ADDR",
            "MEMORY_BANK_SERVICE_PORT_HTTP",
        ),
    )
    assert load(environ=dict.fromkeys(others, "x")).warnings == ()


def test_a_password_without_a_url_gives_a_warning() -> None:
    assert "without postgres.url" in load(environ={"POSTGRES_PASSWORD": "x"}).warnings[0]


# --- secrets


def test_secrets_are_in_no_representation_row_or_message() -> None:
    environ = {
        "OPENAI_API_KEY": "geheim1",
        "POSTGRES_URL": "postgresql://ada:geheim2@h/d?sslpassword=geheim3",
        "OPENAI_BASE_URL": "https://u:geheim4@h/v1?api-key=geheim5",
    }
    loaded = load(environ=environ)
    shown = repr(loaded) + str(loaded) + repr(settings.describe(loaded)) + repr(loaded.postgres)
    assert "geheim" not in shown
    assert row_of(loaded, "openai.api-key").value == loading.MASK
    assert row_of(loaded, "postgres.password").source == "environment POSTGRES_URL"
    assert "geheim2" in loaded.postgres.conninfo()
    for url in (
        "postgresql://ada:gehe@im@h/d",
        "postgresql://ada:geheim#@h/d",
        "postgresql://a:%E9geheim@h/d",
        "geheim",
    ):
        assert "geheim" not in refusal(environ={"POSTGRES_URL": url, "OPENAI_BASE_URL": "geheim"})
    assert "geheim" not in refusal(environ={"OPENAI_API_KEY": "geheim\0"})


def test_a_line_that_is_no_setting_is_not_repeated(tmp_path: Path) -> None:
    message = refusal(file="openai.api-key=\nsk-geheim\n", cwd=tmp_path)
    assert "application.properties:2" in message
    assert "geheim" not in message


# --- the database URL


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("postgres://h/d", "postgresql://h/d"),
        ("postgresql+psycopg://h:5433/d", "postgresql://h:5433/d"),
        (
            "jdbc:postgresql://h/d?ssl=true&currentSchema=a b".replace(" ", "%20"),
            "postgresql://h/d?ssl=true&options=-csearch_path%3Da%20b",
        ),
        ("jdbc:postgresql:d", "postgresql://localhost/d"),
        ("jdbc:postgresql://h1:1,h2:2/d?ApplicationName=x", "postgresql://h1:1,h2:2/d?application_name=x"),
        ("postgresql:///d?host=/var/run/postgresql", "postgresql:///d?host=/var/run/postgresql"),
        ("postgresql://[::1]:5432/d", "postgresql://[::1]:5432/d"),
    ],
)
def test_every_spelling_of_a_database_url_becomes_a_libpq_url(text: str, url: str) -> None:
    assert load(environ={"POSTGRES_URL": text}).postgres.conninfo() == url


def test_a_parameter_that_only_jdbc_knows_is_refused() -> None:
    assert "JDBC" in refusal(environ={"POSTGRES_URL": "jdbc:postgresql://h/d?reWriteBatchedInserts=true"})


def test_any_password_from_its_own_setting_reaches_the_url_encoded() -> None:
    environ = {"POSTGRES_URL": "jdbc:postgresql://db:5432/m", "POSTGRES_USERNAME": "a@b", "POSTGRES_PASSWORD": PASSWORD}
    wanted = "postgresql://a%40b:p%40ss%25w%2Frd%3A%231%3F%26%27%C3%A9@db:5432/m"
    assert load(environ=environ).postgres.conninfo() == wanted


@pytest.mark.parametrize("url", ["postgresql://ada:p%40@h/d", "jdbc:postgresql://h/d?user=ada&password=p%40"])
def test_credentials_inside_the_url_are_taken_out_of_it(url: str) -> None:
    postgres = load(environ={"POSTGRES_URL": url}).postgres
    assert (postgres.url, postgres.username, postgres.password) == ("postgresql://h/d", "ada", SecretStr("p@"))
    assert postgres.conninfo() == "postgresql://ada:p%40@h/d"


def test_credentials_in_a_url_outrank_those_of_a_lower_source_and_yield_to_their_own_setting(tmp_path: Path) -> None:
    file = "postgres.username=low\npostgres.password=low\n"
    environ = {"POSTGRES_URL": "postgresql://ada:p@h/d"}
    assert load(file=file, environ=environ, cwd=tmp_path).postgres.conninfo() == "postgresql://ada:p@h/d"
    environ["POSTGRES_PASSWORD"] = "own"
    assert load(file=file, environ=environ, cwd=tmp_path).postgres.conninfo() == "postgresql://ada:own@h/d"


def test_without_a_url_there_is_no_address_to_give() -> None:
    with pytest.raises(ConfigurationError, match="embedded server"):
        load().postgres.conninfo()


@hypothesis.settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_password_survives_the_url(password: str) -> None:
    joined = postgres_url.joined("postgresql://h/d", username="ada", password=password)
    assert postgres_url.parsed(joined) == postgres_url.Address(
        url="postgresql://h/d", username="ada", password=password
    )


# --- values, and the settings as a whole


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("30s", 30.0),
        ("500ms", 0.5),
        ("1m", 60.0),
        ("30", 30.0),
        ("PT30S", 30.0),
        ("pt1m", 60.0),
        ("1.5 h", 5400.0),
        (".5", 0.5),
    ],
)
def test_durations_are_read_in_every_documented_form(text: str, number: float) -> None:
    assert load(overrides={"openai.timeout": text}).openai.timeout == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("trace", 5),
        ("DEBUG", 10),
        ("Info", 20),
        ("warn", 30),
        ("warning", 30),
        ("error", 40),
        ("fatal", 50),
        ("off", 60),
    ],
)
def test_log_levels_have_the_names_of_python_and_of_spring(text: str, number: int) -> None:
    assert load(environ={"LOGGING_LEVEL": text}).logging_level.number == number


def test_the_default_policy_is_the_domains_own() -> None:
    policy = load().retrievability_filter.policy()
    assert policy == retrievability.DecayPolicy()


def test_a_changed_policy_reaches_the_domain() -> None:
    overrides = {key: SAMPLES[key][0] for key in SAMPLES if key.startswith("retrievability")}
    assert load(overrides=overrides).retrievability_filter.policy() == retrievability.DecayPolicy(
        enabled=False,
        type=retrievability.FilterType.PROBABILISTIC,
        target_recall_probability=0.9,
        length_of_first_interval=86_400.0,
        relearning_rate=2.0,
        threshold=0.25,
    )


def test_folders_are_absolute_and_the_default_is_this_users_data_folder(tmp_path: Path) -> None:
    assert load(cwd=tmp_path).data_dir.is_absolute()
    assert load(cwd=tmp_path).data_dir.name == "memory-bank"
    assert load(environ={"MEMORY_BANK_DATA_DIR": "here"}, cwd=tmp_path).data_dir == tmp_path / "here"


def test_a_tilde_without_a_home_is_explained() -> None:
    with pytest.raises(ConfigurationError, match="HOME"):
        settings.load(environ={"MEMORY_BANK_DATA_DIR": "~/x"}, cwd=NOWHERE)


def test_settings_do_not_read_the_process_environment() -> None:
    program = (
        "from memory_bank import settings; from pathlib import Path;"
        "assert settings.load(environ={}, cwd=Path('/nowhere')).openai.model_name == 'gpt-4o-mini'"
    )
    environ = {**os.environ, "OPENAI": '{"model_name": "other"}', "OPENAI_MODEL_NAME": "other", "SOURCE": "other"}
    subprocess.run([sys.executable, "-c", program], env=environ, cwd=SHIPPED.parents[1], check=True, timeout=60)


def test_settings_cannot_be_changed() -> None:
    loaded = load()
    for owner, name in (
        (loaded, "source"),
        (loaded.server, "port"),
        (loaded.retrievability_filter.settings, "enabled"),
    ):
        with pytest.raises(ValueError, match="frozen"):
            setattr(owner, name, None)


def test_the_description_has_a_row_for_each_setting_with_its_default() -> None:
    rows = {row.key: row for row in settings.describe(load(environ={"EMBEDDING_WAIT": "1500ms"}))}
    assert list(rows) == list(SAMPLES)
    assert operator.attrgetter("environment", "value", "default", "source")(rows["server.port"]) == (
        "PORT",
        "8080",
        "8080",
        "default",
    )
    assert rows["embedding.wait"].value == "1.5s"
    assert rows["mcp.toolsets"].value == "notes,beliefs"
    assert rows["postgres.url"].value == rows["postgres.url"].default == "embedded server"
    assert all(row.comment and row.default for row in rows.values())


def test_aliases_name_settings_that_exist() -> None:
    assert set(sources.ALIASES.values()) <= set(CATALOGUE.by_key)
    assert not {properties.relaxed(alias) for alias in sources.ALIASES} & {properties.relaxed(key) for key in SAMPLES}
