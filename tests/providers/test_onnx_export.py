"""Export: a graph appears whole or not at all, whatever happens to the process that writes it."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fasteners
import pytest

from memory_bank.errors import ConfigurationError, ProviderUnavailable
from memory_bank.providers import embedding, model_files, onnx_embedding, onnx_export, onnx_graph, onnx_quantisation
from tests.providers.test_token_windows import word_tokenizer

BOUND = 60.0  # seconds after which a test that waits has failed


def until(condition: Callable[[], bool]) -> None:
    """Wait, bounded, for something that another process does."""
    pause, deadline = threading.Event(), time.monotonic() + BOUND
    while not condition():
        assert time.monotonic() < deadline
        pause.wait(0.02)


def sentence_model(
    folder: Path,
    *,
    pooling: str = "mean",
    modules: tuple[str, ...] = ("Transformer", "Pooling"),
    package: str = "sentence_transformers.models",
) -> Path:
    """Write the small files of a model whose weights are nonsense."""
    (folder / "1_Pooling").mkdir(parents=True)
    entries = [
        {
            "idx": number,
            "name": str(number),
            "path": "1_Pooling" if kind == "Pooling" else "",
            "type": f"{package}.{kind}",
        }
        for number, kind in enumerate(modules)
    ]
    (folder / "modules.json").write_text(json.dumps(entries))
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 32, f"pooling_mode_{pooling}_tokens": True})
    )
    (folder / "config.json").write_text(json.dumps({"hidden_size": 32, "max_position_embeddings": 64}))
    (folder / "tokenizer.json").write_text(word_tokenizer().to_str())
    (folder / "model.safetensors").write_bytes(b"no weights")
    return folder


def test_processes_that_export_at_once_share_one_graph(exports: list[Path]) -> None:
    assert exports[0] == exports[1]
    assert sorted(each.name for each in exports[0].parent.iterdir()) == [
        f".{model_files.DEFAULT_MODEL}.lock",
        model_files.DEFAULT_MODEL,
    ]


def test_a_graph_says_what_it_is(graph: Path, weights: model_files.ModelFiles) -> None:
    manifest = onnx_graph.read(graph)
    assert {each.name for each in graph.iterdir()} == onnx_graph.FILES
    assert (manifest.name, manifest.dimensions, manifest.max_tokens) == (model_files.DEFAULT_MODEL, 384, 256)
    assert (manifest.sha256, manifest.precision) == (weights.sha256, onnx_quantisation.PRECISION)


def test_a_cached_graph_is_answered_without_another_process(graph: Path) -> None:
    # No process could end within no time at all.
    assert onnx_export.ensure_exported(model_files.DEFAULT_MODEL, graph.parent, seconds=0) == graph


@pytest.fixture
def copy(graph: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graph, tmp_path / "cache" / graph.name))


def rewrite(file: Path, old: str, new: str) -> None:
    file.write_text(file.read_text().replace(old, new))


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "model.json").unlink(),
        lambda folder: (folder / "model.json").write_text(""),
        lambda folder: (folder / "model.json").write_bytes(b"\xff{"),
        lambda folder: (folder / "model.json").write_text("[" * 100_000),
        lambda folder: (folder / "model.json").write_text('{"format": 3, "name": "all-MiniLM-L6-v2"}'),
        lambda folder: rewrite(folder / "model.json", '"format": 3', '"format": 2'),
        lambda folder: (folder / "model.json").write_text("[1]"),
        lambda folder: truncate(folder / "model.onnx"),
        lambda folder: (folder / "model.onnx").unlink(),
        lambda folder: truncate(folder / "tokenizer.json"),
    ],
)
def test_a_damaged_graph_is_not_whole(copy: Path, damage: Callable[[Path], object]) -> None:
    assert onnx_graph.whole(copy, name=model_files.DEFAULT_MODEL)
    damage(copy)
    assert not onnx_graph.whole(copy, name=model_files.DEFAULT_MODEL)
    with pytest.raises(ConfigurationError, match="delete"):
        onnx_embedding.OnnxEncoder(copy)


def test_a_graph_of_the_right_size_but_other_vectors_is_refused(copy: Path) -> None:
    manifest = json.loads((copy / "model.json").read_text())
    manifest["probe"] = manifest["probe"][::-1]
    (copy / "model.json").write_text(json.dumps(manifest))
    with pytest.raises(ConfigurationError, match="differs from its reference"):
        onnx_embedding.OnnxEncoder(copy)


async def test_a_damaged_cache_heals_itself(copy: Path) -> None:
    # As a lost write leaves it: the right size, and nothing in it.
    file = copy / "model.onnx"
    size = file.stat().st_size
    os.truncate(file, 0)
    os.truncate(file, size)
    embedder = embedding.open_embedder(
        backend="onnx",
        model=model_files.DEFAULT_MODEL,
        dimensions=384,
        cache_dir=copy.parent,
        wait_seconds=300,
        threads=None,
    )
    assert (await embedder.embed_query("hello")).shape == (384,)
    await embedder.close()
    assert {each.name for each in copy.parent.iterdir()} == {copy.name, f".{copy.name}.lock"}


def test_an_export_that_is_stopped_half_way_leaves_nothing_and_the_next_may_begin(
    weights: model_files.ModelFiles, tmp_path: Path
) -> None:
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(onnx_export.ensure_exported, weights.name, tmp_path, stop=stop)
        until(lambda: any(tmp_path.glob(".*partial-*")))
        stop.set()
        with pytest.raises(ProviderUnavailable, match="stopped"):
            running.result(BOUND)
    assert [each.name for each in tmp_path.iterdir()] == [f".{weights.name}.lock"]


def test_an_export_past_its_time_is_ended(weights: model_files.ModelFiles, tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailable, match=r"longer than 0\.01 s"):
        onnx_export.ensure_exported(weights.name, tmp_path, seconds=0.01)


def test_a_killed_server_takes_its_export_with_it(weights: model_files.ModelFiles, tmp_path: Path) -> None:
    script = (
        "import pathlib, sys\n"
        "from memory_bank.providers import onnx_export\n"
        "onnx_export.ensure_exported(sys.argv[1], pathlib.Path(sys.argv[2]))"
    )
    server = subprocess.Popen([sys.executable, "-c", script, weights.name, str(tmp_path)])
    until(lambda: any(tmp_path.glob(".*partial-*")))
    server.kill()
    server.wait(BOUND)
    lock = fasteners.InterProcessLock(tmp_path / f".{weights.name}.lock")
    assert lock.acquire(timeout=BOUND)  # held for as long as the exporting process lives
    lock.release()
    assert not (tmp_path / weights.name).exists()


def test_weights_that_are_not_the_published_ones_are_refused_by_name(tmp_path: Path) -> None:
    folder = sentence_model(tmp_path / model_files.DEFAULT_MODEL)
    with pytest.raises(ConfigurationError, match=r"model\.safetensors.*SHA-256"):
        onnx_export.ensure_exported(str(folder), tmp_path / "cache")
    assert not any(each.is_dir() for each in (tmp_path / "cache").iterdir())


def test_models_that_are_not_supported_are_refused_with_what_they_need(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"pooling.*cls.*only mean"):
        onnx_export.ensure_exported(str(sentence_model(tmp_path / "cls", pooling="cls")), tmp_path / "cache")
    dense = sentence_model(tmp_path / "dense", modules=("Transformer", "Pooling", "Dense"))
    with pytest.raises(ConfigurationError, match="Dense"):
        model_files.resolve(str(dense))
    foreign = sentence_model(tmp_path / "foreign", package="somebody.elses")
    with pytest.raises(ConfigurationError, match=r"somebody\.elses\.Transformer"):
        model_files.resolve(str(foreign))
    prompted = sentence_model(tmp_path / "prompted")
    (prompted / "config_sentence_transformers.json").write_text('{"prompts": {"query": "query: "}}')
    with pytest.raises(ConfigurationError, match="prompts"):
        model_files.resolve(str(prompted))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match=r"it has no model\.safetensors"):
        model_files.resolve(str(tmp_path / "empty"))


def test_a_model_that_cannot_be_reached_is_unavailable_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    with pytest.raises(ProviderUnavailable, match=r"neither on this machine.*embedding\.model"):
        onnx_export.ensure_exported("some-organisation/some-model", tmp_path / "cache")


def test_a_folder_of_other_things_is_never_replaced(weights: model_files.ModelFiles, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    with pytest.raises(ConfigurationError, match="choose an empty or a new folder"):
        onnx_export.export(weights.name, tmp_path / "home")
    assert (tmp_path / "home" / "letter.txt").read_text() == "dear"


def test_a_model_of_other_dimensions_and_window_exports_too(tmp_path: Path) -> None:
    folder = sentence_model(tmp_path / "tiny")
    script = """
import sys, torch, transformers
torch.manual_seed(0)
config = transformers.BertConfig(vocab_size=1004, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=64, max_position_embeddings=64)
transformers.BertModel(config).save_pretrained(sys.argv[1])
transformers.PreTrainedTokenizerFast(tokenizer_file=sys.argv[1] + "/tokenizer.json", pad_token="[PAD]",
    unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", model_max_length=64).save_pretrained(sys.argv[1])
"""
    subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, timeout=300, check=True)
    exported = onnx_export.ensure_exported(str(folder), tmp_path / "cache", seconds=300)
    assert onnx_graph.read(exported).precision == onnx_graph.FULL  # its recall was never measured
    encoder = onnx_embedding.OnnxEncoder(exported)
    assert (encoder.name, encoder.dimensions) == ("tiny", 32)
    short, long = encoder.encode(["w1 w2", " ".join(f"w{number}" for number in range(100))])
    assert (short.shape, long.shape) == ((1, 32), (2, 32))
    with pytest.raises(ConfigurationError, match=r"(?s)384.*32"):
        embedding.open_embedder(
            backend="auto", model=str(folder), dimensions=384, cache_dir=tmp_path, wait_seconds=1, threads=None
        )
