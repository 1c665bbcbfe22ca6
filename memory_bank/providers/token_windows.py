"""Token windows: a text of any length as overlapping pieces that each fit the embedding model."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import tokenizers
from numpy.typing import NDArray

from memory_bank.domain import text
from memory_bank.errors import ConfigurationError
from memory_bank.providers import vectors

OVERLAP = 32  # tokens that neighbouring windows share, so that a sentence on a cut is whole in one of them
# What is multiplied at once should stay in a core's cache, and little of it be padding: on two cores 127 conversation
# turns a second at 256 tokens, 122 at 64 and at 512, 106 at 1,024, 85 at 2,048.
BATCH_TOKENS = 256
BATCH_ROWS = 32

Run = Callable[[np.ndarray, np.ndarray], np.ndarray]
Batch = tuple[np.ndarray, np.ndarray]
Runs = Callable[[Callable[[Batch], np.ndarray], Iterable[Batch]], Iterable[np.ndarray]]


class TokenWindows:
    """Cuts texts by the tokens of one model. Thread-safe: the tokenizer is never changed after loading."""

    def __init__(self, tokenizer_file: Path, *, max_tokens: int, pad_token_id: int) -> None:
        """Read a `tokenizer.json`. `max_tokens` counts the special tokens.

        Raises `ConfigurationError` naming the file when it is no tokenizer or leaves no room for text.
        """
        self._tokenizer = _tokenizer(tokenizer_file)
        self._pad_token_id = pad_token_id
        probe = self._tokenizer.encode("a")
        special = probe.special_tokens_mask
        leading = special.index(0) if 0 in special else len(special)
        trailing = special[::-1].index(0) if 0 in special else 0
        self._prefix: list[int] = probe.ids[:leading]
        self._suffix: list[int] = probe.ids[len(special) - trailing :]
        self._room = max_tokens - leading - trailing
        if self._room < 4:
            raise ConfigurationError(
                f"{tokenizer_file}: a window of {max_tokens} tokens leaves no room for text; choose another model"
            )
        self._stride = self._room - min(OVERLAP, self._room // 4)

    def cut(self, texts: Sequence[str]) -> list[list[list[int]]]:
        """Return per text its windows: one where the text fits, else overlapping ones, special tokens included.

        The first window holds exactly the tokens that the reference keeps when it truncates.
        """
        encodings = self._tokenizer.encode_batch([text.storable(each) for each in texts], add_special_tokens=False)
        return [self._windows(encoding.ids) for encoding in encodings]

    def pieces(self, given: str) -> int:
        """Return how many tokens a text makes, special ones aside."""
        return len(self._tokenizer.encode(text.storable(given), add_special_tokens=False).ids)

    def embed(
        self, texts: Sequence[str], run: Run, *, dimensions: int, mapping: Runs = map
    ) -> list[NDArray[np.float32]]:
        """Return per text a float32 array of shape (windows, dimensions) with rows of length 1.

        `run(input_ids, attention_mask)` maps two int64 arrays of shape (batch, tokens) to (batch, dimensions).
        `mapping` runs several batches, as `map` does; a lone batch runs in the calling thread.
        Raises `ProviderUnavailable` where it answers with anything but finite directions.
        """
        per_text = self.cut(texts)
        windows = [window for each in per_text for window in each]
        rows = np.empty((len(windows), dimensions), dtype=np.float32)
        batches = list(_batches(windows))
        padded = (self._padded([windows[index] for index in batch]) for batch in batches)
        runs = mapping if len(batches) > 1 else map
        for batch, found in zip(batches, runs(lambda each: run(*each), padded), strict=True):
            rows[batch] = vectors.unit_rows(found, dimensions=dimensions)
        ends = np.cumsum([len(each) for each in per_text])
        return [piece.copy() for piece in np.split(rows, ends[:-1])] if per_text else []

    def _windows(self, ids: list[int]) -> list[list[int]]:
        last_start = max(len(ids) - self._room, 0)
        starts = range(0, last_start + self._stride, self._stride)
        return [self._prefix + ids[start : start + self._room] + self._suffix for start in starts]

    def _padded(self, windows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
        shape = (len(windows), max(map(len, windows)))
        ids = np.full(shape, self._pad_token_id, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        return ids, mask


def _tokenizer(file: Path) -> tokenizers.Tokenizer:
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare Exception for every bad file
        raise ConfigurationError(
            f"{file} is not a usable tokenizer ({error}); restore it or choose another model"
        ) from error
    # The file of the default model caps at 128 tokens and pads to 128, half of what the model reads.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _batches(windows: Sequence[list[int]]) -> Iterator[list[int]]:
    """Yield indices in batches of similar length, so that little of a batch is padding."""
    batch: list[int] = []
    for index in sorted(range(len(windows)), key=lambda each: len(windows[each])):
        if batch and ((len(batch) + 1) * len(windows[index]) > BATCH_TOKENS or len(batch) == BATCH_ROWS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
