"""The public MCP conformance suite against the real server, one scenario after the other.

Usage: python -m conformance.protocol [--suite 0.1.16]

Needs npm. What it installs, Node 22 too where that is missing, goes into build/conformance.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance import messages, scenarios, served
from conformance.scenarios import Check, Offer, Outcome, Verdict

SUITE, VERSION = "@modelcontextprotocol/conformance", "0.1.16"
NODE = 22
SECONDS = 120
"""The longest that one scenario may take."""


def main() -> int:
    """Run every scenario; return 0 when each one that applies passes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default=VERSION, help="version of the suite")
    version = parser.parse_args().suite
    npm = shutil.which("npm")
    if npm is None:
        print("npm is missing; install Node.js with npm (any version: the suite's own Node is installed beside it)")
        return 2
    suite = _installed(npm, version)
    with served.served() as server:
        offer = messages.offer(f"{server.url}/mcp")
        outcomes = [_run(suite, f"{server.url}/mcp", name, offer) for name in _names(suite)]
    print(f"\n{SUITE} {version}, {len(outcomes)} scenarios")
    print(scenarios.table(outcomes))
    return 0 if all(each.verdict is not Verdict.FAILED for each in outcomes) and outcomes else 1


def _installed(npm: str, version: str) -> Sequence[str]:
    """Install the suite unless it is there; return the command that runs it."""
    folder = served.ROOM / f"suite-{version}"
    entry = folder / "node_modules" / SUITE / "dist" / "index.js"
    wanted = [] if entry.exists() else [f"{SUITE}@{version}"]
    node = _node(folder)
    if node is None:
        wanted.append(f"node@{NODE}")
    if wanted:
        print(f"Installing {', '.join(wanted)} into {folder}.", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "package.json").exists():
            (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--loglevel", "error", *wanted], cwd=folder, check=True
        )
        node = _node(folder)
    if node is None:
        raise SystemExit(
            f"npm brought no Node {NODE}; install Node {NODE} or newer, or let npm run node's install script"
        )
    return (node, str(entry))


def _node(folder: Path) -> str | None:
    """Return a Node that is new enough: the machine's, or the one that npm brought."""
    for each in (shutil.which("node"), str(folder / "node_modules" / "node" / "bin" / "node")):
        if each is None or not Path(each).exists():
            continue
        done = subprocess.run([each, "--version"], capture_output=True, text=True, check=False, timeout=30)
        if scenarios.is_new_enough(done.stdout, least=NODE):
            return each
    return None


def _names(suite: Sequence[str]) -> Iterable[str]:
    done = subprocess.run([*suite, "list", "--server"], stdout=subprocess.PIPE, text=True, check=True, timeout=SECONDS)
    return scenarios.names(done.stdout)


def _run(suite: Sequence[str], url: str, name: str, offer: Offer) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        command = [*suite, "server", "--url", url, "--scenario", name, "--output-dir", folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return scenarios.judged(name, [Check(id=name, status="FAILURE", message=f"not done in {SECONDS} s")], offer)
        files = sorted(Path(folder).rglob("checks.json"))
        checks = scenarios.checks(json.loads(files[0].read_text(encoding="utf-8"))) if files else []
        if not checks:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            checks = [Check(id=name, status="FAILURE", message=" ".join(last) or "the suite checked nothing")]
        outcome = scenarios.judged(name, checks, offer)
    print(".", end="", flush=True)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
