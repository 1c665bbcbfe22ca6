"""ONNX embedding: the vectors of the real model, whatever the text."""

import asyncio
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_bank.providers import embedding, onnx_embedding

BOUND = 60.0  # seconds after which a test that waits has failed


@pytest.fixture(scope="module")
def encoder(graph: Path) -> onnx_embedding.OnnxEncoder:
    return onnx_embedding.OnnxEncoder(graph)


FILLER = " ".join(f"The committee read paragraph {number} of the plan and moved on." for number in range(80))


def cosine_of_best(rows: NDArray[np.float32], query: NDArray[np.float32]) -> float:
    return float((rows @ query).max())


def test_the_tail_of_a_long_text_is_found(encoder: onnx_embedding.OnnxEncoder) -> None:
    right, wrong, query = encoder.encode(
        [
            f"{FILLER} The spare key is under the blue pot.",
            f"{FILLER} The invoice number is forty two.",
            "where is the spare key",
        ]
    )
    assert len(right) > 1
    assert cosine_of_best(right, query[0]) > cosine_of_best(wrong, query[0]) + 0.1


@pytest.mark.parametrize("position", [150, 200, 300])
def test_a_sentence_past_128_tokens_changes_the_vectors(encoder: onnx_embedding.OnnxEncoder, position: int) -> None:
    filler = "river " * position
    plain, marked = encoder.encode([filler + "river " * 8, filler + "the spare key is under the pot"])
    assert len(marked) == (1 if position < 250 else 2)
    assert float((plain[-1] * marked[-1]).sum()) < 0.98


def test_the_longest_note_has_a_bounded_number_of_windows_and_its_end_is_found(
    encoder: onnx_embedding.OnnxEncoder,
) -> None:
    filler = FILLER * 30
    text = filler[: 100_000 - 40] + " The spare key is under the blue pot."
    rows, query = encoder.encode([text, "where is the spare key"])
    assert 25 < len(rows) < 500
    assert int((rows @ query[0]).argmax()) == len(rows) - 1


def test_odd_texts_all_get_a_direction_and_company_changes_no_vector(encoder: onnx_embedding.OnnxEncoder) -> None:
    texts = ["", " \n", "a", "\0", "\ud800 lone", "迁移计划", "🙂" * 300, "x" * 5000, "[CLS] [SEP] [PAD]", FILLER]
    together = encoder.encode(texts)
    for text, rows in zip(texts, together, strict=True):
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
        (alone,) = encoder.encode([text])
        np.testing.assert_allclose(rows, alone, atol=1e-5)


async def test_threads_that_encode_at_once_get_the_vectors_of_a_serial_run(graph: Path) -> None:
    loads: list[onnx_embedding.OnnxEncoder] = []

    def load() -> onnx_embedding.OnnxEncoder:
        loads.append(onnx_embedding.OnnxEncoder(graph))
        return loads[-1]

    embedder = embedding.Embedder(load, name="x", dimensions=384, wait_seconds=BOUND, document_threads=2)
    barrier = threading.Barrier(8)
    texts = [f"{number} notes about the harbour " * number for number in range(1, 9)]

    def embed(text: str) -> NDArray[np.float32]:
        barrier.wait(BOUND)
        return asyncio.run(embedder.embed_documents([text]))[0]

    with ThreadPoolExecutor(8) as pool:
        answers = await asyncio.gather(
            *(asyncio.get_running_loop().run_in_executor(pool, embed, each) for each in texts)
        )
    await embedder.close()
    assert len(loads) == 1
    for text, answer in zip(texts, answers, strict=True):
        np.testing.assert_allclose(answer, loads[0].encode([text])[0], atol=1e-5)


def test_onnx_gives_the_vectors_of_sentence_transformers_without_torch(
    encoder: onnx_embedding.OnnxEncoder, tmp_path: Path
) -> None:
    short = [
        "note",
        "Where did Caroline go?",
        "迁移计划 Straße naïve café 🙂",
        "word " * 200,
        "A, b; c! (d) e-mail@x.org",
    ]
    (tmp_path / "texts.json").write_text(json.dumps([*short, FILLER]))
    # In a process of its own: torch would stay in this one for good.
    script = """
import json, sys, numpy, sentence_transformers
from memory_bank.providers import model_files, sentence_transformers_embedding
folder = sys.argv[1]
texts = json.load(open(folder + "/texts.json"))
own = sentence_transformers_embedding.SentenceTransformersEncoder(model_files.DEFAULT_MODEL)
plain = sentence_transformers.SentenceTransformer(str(model_files.resolve(model_files.DEFAULT_MODEL).directory))
numpy.savez(folder + "/reference.npz", plain=plain.encode(texts), *own.encode(texts))
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, timeout=300, check=True)
    reference = np.load(tmp_path / "reference.npz")
    vectors = encoder.encode([*short, FILLER])
    assert [len(each) for each in vectors[:-1]] == [1] * len(short)
    for number, rows in enumerate(vectors):
        assert (rows * reference[f"arr_{number}"]).sum(axis=1).min() >= 0.997
        assert rows[0] @ reference["plain"][number] >= 0.997


def test_a_processor_whose_products_overflow_gives_the_same_vectors(
    encoder: onnx_embedding.OnnxEncoder, graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_embedding.OnnxEncoder, "_adds_exactly", lambda self: False)
    (careful,), (usual,) = (each.encode([FILLER[:400]]) for each in (onnx_embedding.OnnxEncoder(graph), encoder))
    np.testing.assert_allclose(careful, usual, atol=1e-5)


def test_the_onnx_encoder_needs_neither_torch_nor_transformers(graph: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from memory_bank.providers import onnx_embedding\n"
        "onnx_embedding.OnnxEncoder(pathlib.Path(sys.argv[1])).encode(['text'])\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'onnx'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script, str(graph)], capture_output=True, text=True, timeout=BOUND, check=True
    )
    assert answer.stdout.strip() == "[]"
    assert answer.stderr == ""


def test_where_no_graph_can_be_written_auto_falls_back_to_the_reference_with_one_warning(
    graph: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    # In a process of its own: torch would stay in this one for good.
    script = """
import asyncio, pathlib, sys
from memory_bank.errors import ProviderUnavailable
from memory_bank.providers import embedding
def opened(backend):
    return embedding.open_embedder(backend=backend, model="all-MiniLM-L6-v2", dimensions=384,
        cache_dir=pathlib.Path(sys.argv[1]) / "cache", wait_seconds=300, threads=None)
async def main():
    vector = await opened("auto").embed_query("hello")
    try:
        await opened("onnx").embed_query("hello")
    except ProviderUnavailable:
        print(*vector[:3])
asyncio.run(main())
"""
    answer = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "file")], capture_output=True, text=True, timeout=300, check=True
    )
    expected = onnx_embedding.OnnxEncoder(graph).encode(["hello"])[0][0][:3]
    np.testing.assert_allclose([float(each) for each in answer.stdout.split()], expected, atol=0.02)
    assert answer.stderr.count("runs on sentence-transformers instead") == 1
