"""ONNX export: turns a model's weights into a graph that runs without torch.

`ensure_exported` is for the server: it runs this module in a process of its own, so that torch never enters the caller.
`python -m memory_bank.providers.onnx_export --model NAME --output DIR` does the same by hand, for an image.
"""

import argparse
import contextlib
import glob
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import fasteners
import numpy as np

from memory_bank.errors import ConfigurationError, MemoryBankError, ProviderUnavailable
from memory_bank.providers import model_files, onnx_embedding, onnx_graph

SECONDS = 900.0  # a download of 90 MB over a slow line, then the export itself: about 15 s
_POLL_SECONDS = 0.1
_REFUSED, _UNAVAILABLE, _ABANDONED = 3, 4, 5  # exit codes of the exporting process

# Checked before publishing; the first is the probe. The longest passes 128 tokens, where the tokenizer file would cut.
_SAMPLES = (
    onnx_graph.PROBE_TEXT,
    "note",
    "Die Straße nach Zürich ist wegen Überflutung gesperrt; 迁移计划 был отложен до 2027-03-01 🙂",
    "SELECT id, content FROM notes WHERE bank = 'default' ORDER BY last_accessed DESC LIMIT 10; -- twice\n\n\t",
    " ".join(f"Step {number}: move table {number * 7} and check its {number + 3} rows." for number in range(14)),
)

logger = logging.getLogger(__name__)


def ensure_exported(
    model: str, cache_dir: Path, *, seconds: float = SECONDS, stop: threading.Event | None = None
) -> Path:
    """Return the folder of the exported graph of `model`, exporting it first where no whole one is cached.

    Blocks up to `seconds`, or until `stop` is set. Safe to call from any number of threads and processes at once.
    Raises `ConfigurationError` for weights that are refused and `ProviderUnavailable` where the export fails.
    """
    name = model_files.name_of(model)
    output = cache_dir.resolve() / model_files.folder_name(model)
    if onnx_graph.whole(output, name=name):
        return output
    logger.info("Exporting the embedding model for the first time; this takes some seconds", extra={"model": name})
    source = str(model_files.local(model) or model)
    code, words = _run_export(source, output, seconds=seconds, stop=stop or threading.Event())
    if code == 0 and onnx_graph.whole(output, name=name):
        return output
    _sweep_if_idle(output)
    if code == _REFUSED:
        raise ConfigurationError(words)
    raise ProviderUnavailable(f"exporting the embedding model did not succeed: {words or f'exit code {code}'}")


def discard(directory: Path) -> None:
    """Remove an exported graph that turned out to be unusable, so that the next call exports it again."""
    with _exclusive(directory):
        _remove(directory)


def export(model: str, output: Path) -> None:
    """Export `model` into the folder `output`, which appears whole or not at all; keep a whole graph that is there.

    Needs torch, about 15 s and 1 GB of memory. Raises `ConfigurationError` and `ProviderUnavailable`.
    """
    name = model_files.name_of(model)
    output = output.resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    with _exclusive(output):
        if onnx_graph.whole(output, name=name):
            return
        _check_replaceable(output)
        _sweep(output)
        files = model_files.resolve(model)
        partial = Path(tempfile.mkdtemp(prefix=_partial_prefix(output), dir=output.parent))
        try:
            _write_graph(files, partial)
            partial.chmod(0o755)  # a service may run as another user than the one who built its image
            _remove(output)
            partial.rename(output)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def _run_export(source: str, output: Path, *, seconds: float, stop: threading.Event) -> tuple[int, str]:
    """Return exit code and last words of the exporting process, which is killed at the limit or at `stop`."""
    command = [sys.executable, "-P", "-m", __name__, "--model", source, "--output", str(output), "--end-with-stdin"]
    package_root = str(Path(__file__).resolve().parents[2])
    search_path = os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))
    # Whoever dies first, even by kill -9: when this end of the pipe closes, the exporting process ends too.
    lifeline, held = os.pipe()
    try:
        process = subprocess.Popen(  # standard output is captured: under stdio it belongs to the protocol
            command,
            stdin=lifeline,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": search_path, "HF_HUB_DISABLE_PROGRESS_BARS": "1"},
        )
    finally:
        os.close(lifeline)
    try:
        return _watched(process, seconds=seconds, stop=stop)
    finally:
        os.close(held)


def _watched(process: subprocess.Popen[bytes], *, seconds: float, stop: threading.Event) -> tuple[int, str]:
    deadline = time.monotonic() + seconds
    while True:
        try:
            _, errors = process.communicate(timeout=_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if not stop.is_set() and time.monotonic() < deadline:
                continue
            process.kill()
            process.communicate()
            return _ABANDONED, "it was stopped" if stop.is_set() else f"it took longer than {seconds:g} s"
        lines = errors.decode(errors="replace").split("\n")
        return process.returncode, next((line.strip() for line in reversed(lines) if line.strip()), "")[:500]


@contextlib.contextmanager
def _exclusive(output: Path) -> Iterator[None]:
    lock = _lock(output)
    if not lock.acquire(timeout=SECONDS):
        raise ProviderUnavailable(f"another process has been exporting {output} for {SECONDS:g} s; try again")
    try:
        yield
    finally:
        lock.release()


def _lock(output: Path) -> fasteners.InterProcessLock:
    return fasteners.InterProcessLock(output.parent / f".{output.name}.lock")


def _partial_prefix(output: Path) -> str:
    return f".{output.name}.partial-"


def _sweep(output: Path) -> None:
    """Remove what killed exports left behind; only for the holder of the lock: nobody else is writing then."""
    for leftover in output.parent.glob(glob.escape(_partial_prefix(output)) + "*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _sweep_if_idle(output: Path) -> None:
    lock = _lock(output)
    with contextlib.suppress(OSError):  # a folder that cannot be written to holds nothing of ours
        if output.parent.is_dir() and lock.acquire(blocking=False):
            try:
                _sweep(output)
            finally:
                lock.release()


def _check_replaceable(output: Path) -> None:
    foreign = output.is_dir() and {each.name for each in output.iterdir()} - onnx_graph.FILES
    if foreign or (output.exists() and not output.is_dir()):
        raise ConfigurationError(
            f"{output} holds something else than an exported graph; choose an empty or a new folder"
        )


def _remove(directory: Path) -> None:
    if directory.is_dir():
        # Out of the way first: a reader sees the folder whole or not at all.
        gone = Path(tempfile.mkdtemp(prefix=_partial_prefix(directory), dir=directory.parent)) / "gone"
        directory.rename(gone)
        shutil.rmtree(gone.parent, ignore_errors=True)


def _write_graph(files: model_files.ModelFiles, directory: Path) -> None:
    """Write the three files, then check them against the reference library before anyone can see them."""
    from memory_bank.providers import onnx_quantisation  # noqa: PLC0415  see _reference

    _trace(files.directory, directory / onnx_graph.MODEL)
    shutil.copyfile(files.directory / "tokenizer.json", directory / onnx_graph.TOKENIZER)
    reference = _reference(files.directory)
    _describe(files, directory, precision=onnx_graph.FULL, probe=reference[0])
    difference = float(np.abs(_sampled(directory) - reference).max())
    if not difference <= onnx_graph.tolerance(onnx_graph.FULL):
        raise ConfigurationError(
            f"{files.directory}: its exported graph differs from the reference by {difference:.2g}; "
            "choose another embedding.model"
        )
    if onnx_quantisation.suits(files.name):
        onnx_quantisation.quantise(directory)
        _describe(files, directory, precision=onnx_quantisation.PRECISION, probe=reference[0])
        cosine = float((_sampled(directory) * reference).sum(axis=1).min())
        if not cosine >= onnx_quantisation.LEAST_COSINE:
            raise ConfigurationError(
                f"{files.directory}: its quantised graph has a cosine of {cosine:.4f} to the reference; "
                "set embedding.backend to sentence-transformers"
            )


def _describe(files: model_files.ModelFiles, directory: Path, *, precision: str, probe: np.ndarray) -> None:
    manifest = onnx_graph.Manifest(
        name=files.name,
        dimensions=files.dimensions,
        max_tokens=files.max_tokens,
        pad_token_id=files.pad_token_id,
        sha256=files.sha256,
        precision=precision,
        model_bytes=(directory / onnx_graph.MODEL).stat().st_size,
        tokenizer_bytes=(directory / onnx_graph.TOKENIZER).stat().st_size,
        probe=tuple(float(each) for each in probe),
    )
    onnx_graph.write(directory, manifest)


def _sampled(directory: Path) -> np.ndarray:
    """Return the graph's vectors of the samples: shape (samples, dimensions).

    Of a sample longer than the model's window that of the first one, as the reference cuts it.
    """
    return np.stack([rows[0] for rows in onnx_embedding.OnnxEncoder(directory).encode(_SAMPLES)])


def _reference(source: Path) -> np.ndarray:
    """Return the reference's vectors of the samples, by its own tokeniser and pooling: shape (samples, dimensions)."""
    import sentence_transformers  # noqa: PLC0415  seconds and 1 GB that the importing server must not pay

    model = sentence_transformers.SentenceTransformer(
        str(source), device="cpu", local_files_only=True, trust_remote_code=False
    )
    return np.asarray(model.encode(list(_SAMPLES), normalize_embeddings=True, show_progress_bar=False))


def _trace(source: Path, file: Path) -> None:
    import torch  # noqa: PLC0415  see _reference
    import transformers  # noqa: PLC0415

    class MeanPooled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = transformers.AutoModel.from_pretrained(
                str(source),
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                # a third fewer nodes than the default's guards for rows that are all masked, which no text makes
                attn_implementation="eager",
            )

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            states = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            weights = attention_mask.unsqueeze(-1).to(states.dtype)
            pooled: torch.Tensor = (states * weights).sum(1) / weights.sum(1)
            return pooled

    # Two axes of different sizes above 1: the exporter takes 0 and 1 for constants.
    ids = torch.arange(14).reshape(2, 7) + 10
    mask = torch.ones_like(ids)
    mask[1, 4:] = 0
    axes = {0: torch.export.Dim("batch", min=1), 1: torch.export.Dim("tokens", min=1)}
    torch.onnx.export(
        MeanPooled().float().eval(),
        (ids, mask),
        str(file),
        dynamo=True,
        external_data=False,
        verbose=False,
        input_names=list(onnx_graph.INPUTS),
        output_names=[onnx_graph.OUTPUT],
        dynamic_shapes=(axes, axes),
    )


def _main() -> None:
    parser = argparse.ArgumentParser(description="Export an embedding model to an ONNX graph.")
    parser.add_argument("--model", default=model_files.DEFAULT_MODEL, help="a hub name or a folder")
    parser.add_argument(
        "--output", type=Path, required=True, help="the folder to write; replaced only when it is broken"
    )
    parser.add_argument("--end-with-stdin", action="store_true", help="end as soon as standard input closes")
    arguments = parser.parse_args()
    if arguments.end_with_stdin:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        export(arguments.model, arguments.output)
    except ConfigurationError as error:
        _fail(_REFUSED, error)
    except (MemoryBankError, OSError) as error:
        _fail(_UNAVAILABLE, error)
    sys.stdout.write(f"{arguments.output}\n")


def _end_with_stdin() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(_ABANDONED)


def _fail(code: int, error: Exception) -> NoReturn:
    sys.stderr.write("\n" + " ".join(str(error).split()) + "\n")
    sys.exit(code)


if __name__ == "__main__":
    _main()
