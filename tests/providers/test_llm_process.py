"""The language-model analyst in a process of its own: what it prints, logs and connects to."""

import asyncio
import subprocess
import sys
import textwrap
from collections.abc import Sequence

import pytest

from tests.openai_server import OpenAIServer, Reply, analysed

KEY = "sk-test-9f8e7d6c5b4a"

SCRIPT = """
    import asyncio, json, logging, sys
    hosts = []
    def watch(event, args):
        if event in ("socket.connect", "socket.getaddrinfo"):
            hosts.append(str(args))
    sys.addaudithook(watch)
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    from memory_bank.providers import llm
    assert "litellm" not in sys.modules
    asking = llm.LanguageModelAnalyst(model="local", api_key="{key}", base_url="{address}", attempts=1)
    async def main():
        found = await asyncio.gather(*(asking.analyse("a private quota") for _ in range(3)), return_exceptions=True)
        await asking.aclose()
        return found
    found = asyncio.run(main())
    print("RESULT", [type(each).__name__ for each in found], file=sys.stderr)
    print("HOSTS", json.dumps([host for host in hosts if "127.0.0.1" not in host]), file=sys.stderr)
    print("ASKED", any("127.0.0.1" in host for host in hosts), file=sys.stderr)
"""


@pytest.mark.parametrize(("answer", "outcome"), [(analysed(), "Analysis"), (Reply(status=401), "ProviderUnavailable")])
async def test_a_whole_process_stays_silent_on_stdout_and_calls_nobody_else(answer: Reply, outcome: str) -> None:
    async with OpenAIServer(answer) as server:
        script = textwrap.dedent(SCRIPT).replace("{key}", KEY).replace("{address}", server.base_url)
        done = await asyncio.to_thread(_run, [sys.executable, "-X", "dev", "-c", script])
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert f"RESULT {[outcome] * 3}" in done.stderr
    assert "HOSTS []" in done.stderr
    assert "ASKED True" in done.stderr
    assert KEY not in done.stderr
    assert "Traceback" not in done.stderr
    assert "Unclosed" not in done.stderr


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
