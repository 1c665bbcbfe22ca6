"""Compare the ONNX encoder with the reference: speed, memory, start and vectors, side by side in one run.

    python -m benchmarks.embedding [--texts 1000] [--data FILE] [--threads N]

Each encoder runs in a process of its own, so that its memory is its own. The texts are the documents of a retrieval
file (one JSON object a line, with `documents` of `text`) next to the checkout, or generated ones where there is none.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from memory_bank.providers import embedding, model_files, onnx_embedding, onnx_export, sentence_transformers_embedding

CHECKOUT = Path(__file__).resolve().parents[1]
DATA = CHECKOUT.parent / "shared" / "data" / "retrieval" / "locomo-dev.jsonl"
QUERIES = 50


def main() -> None:
    """Measure both and print a table."""
    parser = argparse.ArgumentParser(description="Compare the embedding encoders.")
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--measure", choices=["onnx", "sentence-transformers"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure, folder=arguments.folder, threads=arguments.threads)
        return
    texts = documents(arguments.data, arguments.texts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "texts.json").write_text(json.dumps(texts))
        begun = time.perf_counter()
        onnx_export.ensure_exported(model_files.DEFAULT_MODEL, folder)
        print(f"export, once for each data directory: {time.perf_counter() - begun:.1f} s; {len(texts)} texts\n")
        figures = {backend: run(backend, folder, arguments.threads) for backend in ("onnx", "sentence-transformers")}
        print(f"{'':24}{'load s':>10}{'texts/s':>10}{'ms/query':>10}{'ms/window':>11}{'RSS MiB':>10}{'peak MiB':>10}")
        for backend, row in figures.items():
            print(
                f"{backend:24}{row['load']:>10.2f}{row['rate']:>10.1f}{row['query']:>10.1f}{row['window']:>11.1f}"
                f"{row['resident']:>10.0f}{row['peak']:>10.0f}"
            )
        both = [np.load(folder / f"{backend}.npy") for backend in figures]
        print(f"\nlargest difference of a component: {np.abs(both[0] - both[1]).max():.1e}")


def documents(file: Path, count: int) -> list[str]:
    """Return up to `count` texts of the file, or as many generated ones."""
    if not file.is_file():
        return [
            f"Note {number}: " + "the harbour office moved its records again. " * (number % 9)
            for number in range(count)
        ]
    with file.open(encoding="utf-8") as lines:
        return [each["text"] for line in lines for each in json.loads(line)["documents"]][:count]


def run(backend: str, folder: Path, threads: int | None) -> dict[str, float]:
    """Measure one encoder in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.embedding", "--measure", backend, "--folder", str(folder)]
    command += ["--threads", str(threads)] if threads else []
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=CHECKOUT)
    figures: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return figures


def measure(backend: str, *, folder: Path, threads: int | None) -> None:
    """Print the figures of one encoder as JSON and leave its vectors beside the texts."""
    texts: list[str] = json.loads((folder / "texts.json").read_text())
    begun = time.perf_counter()
    encoder = load(backend, folder, threads)
    loaded = time.perf_counter() - begun
    encoder.encode(texts[:32])
    started = time.perf_counter()
    vectors = [rows[0] for start in range(0, len(texts), 64) for rows in encoder.encode(texts[start : start + 64])]
    rate = len(texts) / (time.perf_counter() - started)
    query = mean_milliseconds([lambda each=each: encoder.encode([each]) for each in texts[:QUERIES]])  # type: ignore[misc]
    window = mean_milliseconds([lambda: encoder.encode(["river " * 250] * 8)] * 2) / 8
    np.save(folder / f"{backend}.npy", np.stack(vectors))
    figures = {"load": loaded, "rate": rate, "query": query, "window": window, "resident": resident(), "peak": peak()}
    print(json.dumps(figures))


def load(backend: str, folder: Path, threads: int | None) -> embedding.Encoder:
    """Load the encoder of a backend."""
    if backend == "onnx":
        return onnx_embedding.OnnxEncoder(folder / model_files.DEFAULT_MODEL, threads=threads)
    return sentence_transformers_embedding.SentenceTransformersEncoder(model_files.DEFAULT_MODEL, threads=threads)


def mean_milliseconds(calls: list[Callable[[], object]]) -> float:
    """Return the mean duration of the calls."""
    begun = time.perf_counter()
    for call in calls:
        call()
    return (time.perf_counter() - begun) * 1000 / len(calls)


def resident() -> float:
    """Return this process's memory in MiB, or its peak where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return peak()
    line = next(each for each in status.read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def peak() -> float:
    """Return the most memory this process has held, in MiB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()
