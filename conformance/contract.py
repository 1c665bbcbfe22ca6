"""The REST doors against their own OpenAPI document, by schemathesis: every operation, data that it describes and not.

Usage: python -m conformance.contract [--examples 40] [--seconds 90] [--seed N]

Two rounds: a server that asks for no token, and one that asks every caller for one. Needs `pip install '.[contract]'`.
"""

import argparse
import collections
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import served
from conformance.served import Served

CHECKOUT = Path(__file__).resolve().parents[1]
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"),
    *("response_headers_conformance", "unsupported_method", "allow_header_conformance", "missing_required_header"),
    *("use_after_free", "ensure_resource_availability", "ignored_auth"),
    # negative_data_rejection and positive_data_acceptance, but for what conformance/lenience.py spells out
    *("wrong_data_refused", "right_data_accepted"),
)
LEFT_OUT = {"object_level_authorization": "no object has an owner: a token is good for whole banks"}
"""Checks that do not run, and why."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """One way to run the server, and the phases that it is looked at in."""

    title: str
    settings: dict[str, str]
    phases: str
    examples: int
    token: bool = False


def rounds(examples: int) -> Sequence[Round]:
    """Return both rounds; the second is shorter, as only the guards differ."""
    return (
        Round(title="without tokens", settings={}, phases="examples,coverage,fuzzing,stateful", examples=examples),
        Round(
            title="a token needed",
            settings={"SERVER_AUTH": "required"},
            phases="examples,coverage,fuzzing",
            examples=max(examples // 4, 1),
            token=True,
        ),
    )


def arguments(server: Served, asked: Round, *, token: str | None, seconds: int, seed: int | None) -> list[str]:
    """Return the command line of schemathesis for a round."""
    return [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
        *("--checks", ",".join(CHECKS), "--phases", asked.phases, "--mode", "all"),
        *("--max-examples", str(asked.examples), "--max-time", str(seconds)),
        # a first call may wait for the model
        *("--request-timeout", "90", "--continue-on-failure", "--no-shrink"),
        *(() if seed is None else ("--seed", str(seed))),
        *(() if token is None else ("--header", f"Authorization: Bearer {token}")),
    ]


def main() -> int:
    """Run both rounds; return 0 when nothing was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=40, help="most examples of one operation and phase")
    parser.add_argument("--seconds", type=int, default=120, help="most seconds of one round's fuzzing")
    parser.add_argument("--seed", type=int, help="what schemathesis printed, to see the same again")
    given = parser.parse_args()
    if importlib.util.find_spec("schemathesis") is None:
        print("schemathesis is not installed; run `make contract`, or install it: pip install '.[contract]'")
        return 2
    for name, reason in LEFT_OUT.items():
        print(f"Not checked: {name}: {reason}.")
    failed = [
        each.title for each in rounds(given.examples) if not _passes(each, seconds=given.seconds, seed=given.seed)
    ]
    print(f"Failed: {', '.join(failed)}." if failed else "Both rounds found nothing.")
    return 1 if failed else 0


def _passes(asked: Round, *, seconds: int, seed: int | None) -> bool:
    with served.served(**asked.settings) as server, tempfile.TemporaryDirectory() as folder:
        print(f"\n== {asked.title}: {server.url}", flush=True)
        token = _token(server) if asked.token else None
        let_pass = Path(folder) / "let-pass"
        let_pass.touch()
        environment = {
            **os.environ,
            "PYTHONPATH": str(CHECKOUT),
            "SCHEMATHESIS_HOOKS": "conformance.hooks",
            "CONFORMANCE_LET_PASS": str(let_pass),
        }
        command = arguments(server, asked, token=token, seconds=seconds, seed=seed)
        passed = subprocess.run(command, cwd=folder, env=environment, check=False).returncode == 0
        print("Let pass, as conformance/lenience.py spells out:")
        for line, count in sorted(collections.Counter(let_pass.read_text(encoding="utf-8").splitlines()).items()):
            print(f"  {count:5} {line}")
        return passed


def _token(server: Served) -> str:
    made = json.loads(served.command(server, "token", "create", "contract", "--level", "admin", "--json"))
    return str(made["token"])


if __name__ == "__main__":
    sys.exit(main())
