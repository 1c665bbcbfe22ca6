"""Time and memory of `memory-bank restore` and `backup` at N made-up notes, each a process of its own.

Usage: python -m benchmarks.backups [--notes 100000] [--graph-dir FOLDER]

The notes, of 27 words with a random vector and 20 terms each, are written as an archive, restored into a new store,
backed up again and verified.
"""

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np

from memory_bank.domain.backups import FORMAT_VERSION, Manifest, Model
from memory_bank.providers import backup_files, model_files
from memory_bank.store import contents, schema

DIMENSIONS = 384
TERMS = 20
_MOMENT = "2026-01-01 00:00:00+00"
_WORDS = [f"w{n}" for n in range(30_000)]
_NOTE = {
    "bank_id": "default",
    "id": "{id}",
    "kind": "note",
    "content": "{text}",
    "content_hash": r"\\x{hash}",
    "occurred_at": _MOMENT,
    "updated_at": _MOMENT,
    "last_accessed": "0",
    "retrieval_count": "0",
    "keywords": "{{}}",
    "context": "",
    "context_given": "f",
    "tags": "{{}}",
    "given_tags": "{{}}",
    "enrichment": "done",
    "enrichment_error": "",
    "enrichment_attempts": "0",
    "analysed_by": "heuristic",
    "embedded_by": model_files.DEFAULT_MODEL,
    "tokenised_by": "unicode-1",
    "reach": "full",
}


def main() -> None:
    """Measure and print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=100_000)
    parser.add_argument("--graph-dir", type=Path, help="the exported graph of the embedding model, else it is exported")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mb-bench-", ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "MEMORY_BANK_DATA_DIR": folder, "LOGGING_LEVEL": "error"}
        if given.graph_dir is not None:
            environment["EMBEDDING_GRAPH_DIR"] = str(given.graph_dir)
        made, again = Path(folder) / "made.zip", Path(folder) / "again.zip"
        write(made, given.notes)
        print(f"{given.notes} notes, archive of {made.stat().st_size / 1e6:.0f} MB")
        for arguments in (("list",), ("restore", made), ("backup", again), ("restore", again, "--dry-run")):
            print(measured([str(each) for each in arguments], environment), flush=True)


def measured(arguments: list[str], environment: dict[str, str]) -> str:
    """Run a command; return its seconds and the most memory it held."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "memory_bank", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    peak = usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)
    return f"{' '.join(arguments[:1] + arguments[2:]):18} {time.perf_counter() - started:6.1f} s  peak {peak:.0f} MiB"


def write(file: Path, count: int) -> None:
    """Write an archive of `count` notes."""
    ids = [str(UUID(int=(1 << 100) + n)) for n in range(count)]
    model = Model(name=model_files.DEFAULT_MODEL, dimensions=DIMENSIONS, complete=True)
    rows: dict[str, Iterable[bytes]] = {
        "banks": [_row("default", _MOMENT)],
        "embedding_model": [_row("t", model.name, str(model.dimensions), "t")],
        "lexical_totals": [_row("default", "1", str(count), str(TERMS * count))],
        "notes": _notes(ids),
        "embeddings": _vectors(ids),
        "postings": _postings(ids),
    }
    with file.open("w+b") as stream, backup_files.Writer(stream) as writer:
        parts = [writer.add(table, names, iter(rows.get(table, ()))) for table, names in contents.archived().items()]
        writer.finish(
            Manifest(
                id=uuid4(),
                format_version=FORMAT_VERSION,
                product_version="0",
                schema_revision=schema.head(),
                postgresql="",
                created_at=datetime.now(UTC),
                model=model,
                parts=tuple(parts),
            )
        )


def _notes(ids: list[str]) -> Iterator[bytes]:
    draw = random.Random(1)
    template = "\t".join(_NOTE.get(name, r"\N") for name in contents.archived()["notes"]) + "\n"
    for n, id in enumerate(ids):
        text = f"note {n} {' '.join(draw.choices(_WORDS, k=25))}"
        yield template.format(id=id, text=text, hash=hashlib.sha256(text.encode()).hexdigest()).encode()


def _vectors(ids: list[str]) -> Iterator[bytes]:
    draw = np.random.default_rng(1)
    for id in ids:
        vector = draw.standard_normal(DIMENSIONS)
        vector /= np.linalg.norm(vector)
        yield _row("default", id, "0", f"[{','.join(f'{each:.8g}' for each in vector)}]")


def _postings(ids: list[str]) -> Iterator[bytes]:
    draw = random.Random(2)
    for id in ids:
        yield from (_row("default", term, id, "1", str(TERMS)) for term in draw.sample(_WORDS, TERMS))


def _row(*values: str) -> bytes:
    return ("\t".join(values) + "\n").encode()


if __name__ == "__main__":
    main()
