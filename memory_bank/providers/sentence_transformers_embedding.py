"""Sentence-transformers embedding: the reference encoder, with torch in the process."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import ConfigurationError, ProviderUnavailable
from memory_bank.providers import model_files, token_windows


class SentenceTransformersEncoder:
    """Encodes texts with the reference library. Thread-safe; takes seconds to load and about 1 GB."""

    def __init__(self, model: str, *, threads: int | None = None) -> None:
        """Load `model`, a hub name or a folder. `threads` sets torch's for the whole process.

        Raises `ConfigurationError` for weights that are refused and `ProviderUnavailable` when they cannot be reached
        or the library cannot load them.
        """
        files = model_files.resolve(model)
        self.name = files.name
        self.dimensions = files.dimensions
        self._windows = token_windows.TokenWindows(
            files.directory / "tokenizer.json", max_tokens=files.max_tokens, pad_token_id=files.pad_token_id
        )
        try:
            # Here because they take seconds and several hundred MB, and a server on ONNX never needs them.
            import sentence_transformers  # noqa: PLC0415
            import torch  # noqa: PLC0415
            from transformers.utils import logging as transformers_logging  # noqa: PLC0415

            transformers_logging.disable_progress_bar()
            self._model = sentence_transformers.SentenceTransformer(
                str(files.directory), local_files_only=True, trust_remote_code=False
            ).eval()
        except ImportError as error:
            raise ConfigurationError(
                f"{self.name} needs torch and sentence-transformers here: install memory-bank with them "
                "(an image is built with WITH_TORCH=1), or set embedding.model back"
            ) from error
        except (OSError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ProviderUnavailable(
                f"sentence-transformers cannot load {self.name} ({reason}); set embedding.backend=onnx"
            ) from error
        if threads:
            torch.set_num_threads(threads)
        self._torch = torch

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return per text its windows' vectors: float32, shape (windows, dimensions), rows of length 1.

        Raises `ProviderUnavailable` when a vector is not finite or zero.
        """
        return self._windows.embed(texts, self._run, dimensions=self.dimensions)

    def _run(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        torch, device = self._torch, self._model.device
        features = {"input_ids": torch.from_numpy(ids).to(device), "attention_mask": torch.from_numpy(mask).to(device)}
        with torch.inference_mode():
            pooled = self._model(features)["sentence_embedding"]
        return np.asarray(pooled.float().cpu().numpy())
