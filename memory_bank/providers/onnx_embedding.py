"""ONNX embedding: encodes with ONNX Runtime from an exported graph, in a fraction of torch's memory and start."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import ConfigurationError, ProviderUnavailable
from memory_bank.providers import onnx_graph, token_windows

_MOST_THREADS = 4  # beyond this, small batches gain nothing and other requests lose


class OnnxEncoder:
    """Encodes texts with the graph in a folder. Thread-safe; holds about 250 MB for the default model."""

    def __init__(self, directory: Path, *, threads: int | None = None) -> None:
        """Load the graph, about 0.3 s. `threads` side by side; by default one for each core, at most four.

        Raises `ConfigurationError` when the folder is not whole, or its graph does not give the reference's vectors.
        """
        manifest = onnx_graph.read(directory)
        self.name = manifest.name
        self.dimensions = manifest.dimensions
        self._windows = token_windows.TokenWindows(
            directory / onnx_graph.TOKENIZER, max_tokens=manifest.max_tokens, pad_token_id=manifest.pad_token_id
        )
        # The runtime's own reporting to its maker is on by default and decided when the library loads.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        # Here because its native library is 20 MB to read from a cold disk, which must not delay a start.
        import onnxruntime  # noqa: PLC0415

        def opened(*, exactly: bool) -> onnxruntime.InferenceSession:
            options = onnxruntime.SessionOptions()
            # x86 processors without newer instructions add products of 8-bit numbers in pairs that do not fit
            options.add_session_config_entry("session.x64quantprecision", str(int(exactly)))
            # One thread each: two are no faster on a query, which mostly reads the weights, take half as much processor
            # time again, and wait for each other where others want the cores. Batches go side by side.
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            options.log_severity_level = 3
            return onnxruntime.InferenceSession(
                str(directory / onnx_graph.MODEL),
                options,
                providers=["CPUExecutionProvider"],
                # in one step it takes three times as long as in the two that it stands for
                disabled_optimizers=["SkipLayerNormFusion"],
            )

        self._batches = ThreadPoolExecutor(threads or min(_MOST_THREADS, _cores()), thread_name_prefix="embed-batches")
        try:
            self._session = opened(exactly=False)
            if manifest.precision != onnx_graph.FULL and not self._adds_exactly():
                self._session = opened(exactly=True)
            difference = self._difference(manifest)
        except Exception as error:  # the runtime's errors share no base but Exception
            raise ConfigurationError(
                f"{directory} holds a graph that does not run ({_line(error)}); delete the folder"
            ) from error
        if not difference <= onnx_graph.tolerance(manifest.precision):
            raise ConfigurationError(
                f"the graph in {directory} differs from its reference by {difference:.2g}; delete the folder"
            )

    def pieces(self, text: str) -> int | None:
        """Return how many pieces of the vocabulary a text makes."""
        return self._windows.pieces(text)

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return per text its windows' vectors: float32, shape (windows, dimensions), rows of length 1.

        Raises `ProviderUnavailable` when the runtime fails or a vector is not finite or zero.
        """
        return self._windows.embed(texts, self._run, dimensions=self.dimensions, mapping=self._batches.map)

    def _run(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        try:
            outputs = self._session.run([onnx_graph.OUTPUT], dict(zip(onnx_graph.INPUTS, (ids, mask), strict=True)))
        except Exception as error:  # see above
            raise ProviderUnavailable(f"the embedding model failed ({_line(error)}); try again") from error
        return np.asarray(outputs[0])

    def _adds_exactly(self) -> bool:
        tokens = np.ones((1, 1), dtype=np.int64)
        (told,) = self._session.run([onnx_graph.LARGEST_SUM], dict.fromkeys(onnx_graph.INPUTS, tokens))
        return bool(np.asarray(told).item() == onnx_graph.EXACT_SUM)

    def _difference(self, manifest: onnx_graph.Manifest) -> float:
        vector = self.encode([onnx_graph.PROBE_TEXT])[0][0]
        return float(np.abs(vector - np.asarray(manifest.probe)).max())


def _cores() -> int:
    # A container's share, where the system tells it; the number of processors elsewhere.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
