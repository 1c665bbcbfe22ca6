"""ONNX quantisation: what a small graph gives before and after, and what a processor must add without loss."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from memory_bank.providers import onnx_graph, onnx_quantisation
from tests.providers.test_token_windows import word_tokenizer

CHANNELS, WORDS = 64, 6_000
UNEVEN = 3
"""A channel that reaches a hundred times as far as the others."""


def constants(random: np.random.Generator) -> dict[str, NDArray[Any]]:
    size = np.ones(CHANNELS, np.float32)
    size[UNEVEN] = 100
    return {
        "words": random.normal(size=(WORDS, CHANNELS)).astype(np.float32),
        "size": size,
        "shift": np.zeros(CHANNELS, np.float32),
        "one": random.normal(size=(CHANNELS, 32)).astype(np.float32) / 8,
        "other": random.normal(size=(CHANNELS, 32)).astype(np.float32) / 8,
        "last": random.normal(size=(32, 16)).astype(np.float32) / 6,
        "token_axis": np.array([1]),
    }


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A graph with two products of one uneven input, one of a one-sided input, and one of neither kind."""
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["found"]),
        helper.make_node("LayerNormalization", ["found", "size", "shift"], ["even"]),
        helper.make_node("MatMul", ["even", "one"], ["first"]),
        helper.make_node("MatMul", ["even", "other"], ["second"]),
        helper.make_node("Add", ["first", "second"], ["both"]),
        helper.make_node("Gelu", ["both"], ["bent"]),
        helper.make_node("MatMul", ["bent", "last"], ["narrow"]),
        helper.make_node("ReduceMean", ["narrow", "token_axis"], [onnx_graph.OUTPUT], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in onnx_graph.INPUTS],
        [helper.make_tensor_value_info(onnx_graph.OUTPUT, TensorProto.FLOAT, ["texts", 16])],
        [numpy_helper.from_array(value, name) for name, value in constants(np.random.default_rng(7)).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, str(tmp_path / onnx_graph.MODEL))
    (tmp_path / onnx_graph.TOKENIZER).write_text(word_tokenizer().to_str())
    return tmp_path


def run(directory: Path, ids: NDArray[np.int64], output: str = onnx_graph.OUTPUT) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(str(directory / onnx_graph.MODEL), providers=["CPUExecutionProvider"])
    (value,) = session.run([output], dict.fromkeys(onnx_graph.INPUTS, ids))
    return np.asarray(value)


def texts(count: int, tokens: int) -> NDArray[np.int64]:
    return np.random.default_rng(11).integers(WORDS, size=(count, tokens))


def test_a_quantised_graph_gives_what_it_gave_in_a_quarter_of_the_weights_bytes(directory: Path) -> None:
    ids = texts(50, 12)
    before = run(directory, ids)
    onnx_quantisation.quantise(directory)
    after = run(directory, ids)
    cosines = (before * after).sum(axis=1) / np.linalg.norm(before, axis=1) / np.linalg.norm(after, axis=1)
    assert cosines.min() > 0.999
    model = onnx.load(str(directory / onnx_graph.MODEL))
    assert not [
        node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in ("one", "other", "last")
    ]
    kinds = [each.data_type for each in model.graph.initializer if "weights" in each.name]
    assert kinds.count(TensorProto.INT8) == 3  # two products of one input are one, and the check of the processor


def test_a_channel_that_reaches_far_costs_the_others_no_steps(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = texts(50, 12)
    before = run(directory, ids)
    whole = (directory / onnx_graph.MODEL).read_bytes()

    def error(exact: int) -> float:
        (directory / onnx_graph.MODEL).write_bytes(whole)
        monkeypatch.setattr(onnx_quantisation, "_EXACT_CHANNELS", exact)
        onnx_quantisation.quantise(directory)
        return float(np.abs(run(directory, ids) - before).mean())

    assert error(1) < error(0) / 2


def test_company_changes_no_number(directory: Path) -> None:
    onnx_quantisation.quantise(directory)
    ids = texts(20, 12)
    together = run(directory, ids)
    for row, expected in zip(ids, together, strict=True):
        np.testing.assert_allclose(run(directory, row[None]), expected[None], rtol=1e-5, atol=1e-6)


def test_a_quantised_graph_tells_whether_the_processor_adds_its_largest_products_without_loss(directory: Path) -> None:
    onnx_quantisation.quantise(directory)
    told = run(directory, texts(1, 1), onnx_graph.LARGEST_SUM)
    # where it does not, two of them stop at the largest number of 16 bits
    assert told.item() in (onnx_graph.EXACT_SUM, np.iinfo(np.int16).max)
