"""Token windows: nothing of a text is lost, and no batch grows without bound."""

from collections.abc import Callable

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.providers import token_windows


def word_tokenizer() -> tokenizers.Tokenizer:
    """A tokenizer of numbered words that cuts at 8 tokens and pads to 8, as the files of real models do."""
    words = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3} | {f"w{number}": number + 4 for number in range(1000)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


@pytest.fixture(scope="module")
def word_windows(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], token_windows.TokenWindows]:
    file = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    word_tokenizer().save(str(file))
    return lambda max_tokens: token_windows.TokenWindows(file, max_tokens=max_tokens, pad_token_id=0)


@given(words=st.integers(0, 900), max_tokens=st.integers(6, 300))
def test_windows_cover_every_token_in_order_and_overlap(
    word_windows: Callable[[int], token_windows.TokenWindows], words: int, max_tokens: int
) -> None:
    (windows,) = word_windows(max_tokens).cut([" ".join(f"w{number}" for number in range(words))])
    expected = [number + 4 for number in range(words)]
    assert all(each[0] == 2 and each[-1] == 3 and len(each) <= max_tokens for each in windows)
    bare = [each[1:-1] for each in windows]
    overlap = min(token_windows.OVERLAP, (max_tokens - 2) // 4)
    rebuilt = bare[0] + [token for each in bare[1:] for token in each[overlap:]]
    assert rebuilt == expected
    assert all(len(each) > overlap for each in bare[1:])
    assert (len(windows) == 1) == (words <= max_tokens - 2)


@given(lengths=st.lists(st.integers(0, 120), max_size=80))
def test_texts_of_any_lengths_get_their_own_vectors_back_in_order(
    word_windows: Callable[[int], token_windows.TokenWindows], lengths: list[int]
) -> None:
    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        assert ids.shape == mask.shape
        assert len(ids) <= token_windows.BATCH_ROWS
        assert ids.size <= max(token_windows.BATCH_TOKENS, ids.shape[1])
        assert not ids[mask == 0].any()
        return np.stack([mask.sum(axis=1), np.ones(len(ids))], axis=1)

    rows = word_windows(50).embed(["w1 " * each for each in lengths], run, dimensions=2)
    for length, own in zip(lengths, rows, strict=True):
        first = min(length, 48) + 2
        np.testing.assert_allclose(own[0], np.array([first, 1]) / np.hypot(first, 1), atol=1e-6)
        assert (len(own) == 1) == (length <= 48)
