"""ONNX quantisation: a graph's products with weights in 8-bit numbers, for models whose recall was measured with it.

Each column of the weights has a scale of its own, and so has each token's row of what they are multiplied with, which
is rounded as it comes: x W = r (q_x q_W) s with q_x = round(127 x / r), r = max |x|, q_W = round(W / s) and
s = max |W| / 127. The few channels that reach much further than the others are left out of this, and multiplied as they
are. No row depends on another one, so that a text has the same vector in every batch.

Belongs to the export: its libraries have no place in a server.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import tokenizers
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from memory_bank.providers import model_files, onnx_graph

PRECISION = "int8 by token and channel"
LEAST_COSINE = 0.99
"""Cosine to the reference that each sample must keep: a bound for what is broken. Of 9,009 texts none is below 0.998,
but a text of one word may be.
"""

_MEASURED = frozenset({model_files.DEFAULT_MODEL})
_EXTENSIONS = "com.microsoft"
_LARGEST = 127
# Some channels are a hundred times as large as the others, which they would leave no steps: Dettmers et al.,
# "LLM.int8()" (2022). Ours are the same for every text: the largest over a part of the vocabulary in random order.
_EXACT_CHANNELS = 4
_ROWS, _ROW_TOKENS, _SEED = 40, 128, 1


@dataclass(frozen=True, kw_only=True)
class _Rounding:
    """How a row becomes numbers from 0 to 255: `zero` stands for its 0, `zero + steps` for its scale.

    The scale is the row's largest size; or, for rows that go far on one side only, its largest number, not below
    `least_scale`.
    """

    zero: int
    steps: int
    least_scale: float | None = None


_BOTH_SIDES = _Rounding(zero=128, steps=_LARGEST)
# GELU gives no less than -0.17, which is 20 of these steps below zero.
_GELU = _Rounding(zero=20, steps=235, least_scale=2.0)


@dataclass(frozen=True, kw_only=True)
class _Layer:
    """The products of one input with weights; their weights side by side: shape (channels, columns)."""

    products: Sequence[onnx.NodeProto]
    weights: NDArray[np.float32]
    input_from: str

    @property
    def input(self) -> str:
        name: str = self.products[0].input[0]
        return name

    @property
    def uneven(self) -> bool:
        """Whether some channels of the input reach much further than the others."""
        return self.input_from in ("LayerNormalization", "Gelu")

    @property
    def rounding(self) -> _Rounding:
        return _GELU if self.input_from == "Gelu" else _BOTH_SIDES


def suits(name: str) -> bool:
    """Tell whether the model called `name` was measured on every development set: docs/recall.md has its figures."""
    return name in _MEASURED


def quantise(directory: Path) -> None:
    """Replace the graph in `directory` by its quantised form. Needs about three times its size in memory, some 5 s."""
    file = str(directory / onnx_graph.MODEL)
    model = onnx.load(file)
    layers = _layers(model.graph)
    largest = _largest(model, [layer.input for layer in layers if layer.uneven], directory)
    replaced = {product.output[0]: layer for layer in layers for product in layer.products}
    nodes = list(model.graph.node)
    del model.graph.node[:]
    for node in nodes:
        layer = replaced.get(node.output[0])
        if layer is None:
            model.graph.node.append(node)
        elif node.output[0] == layer.products[0].output[0]:
            _write(layer, model.graph, exact=largest.get(layer.input))
    used = {name for node in model.graph.node for name in node.input}
    kept = [each for each in model.graph.initializer if each.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    _tell_largest(model.graph)
    model.opset_import.append(helper.make_opsetid(_EXTENSIONS, 1))
    onnx.save(model, file)


def _tell_largest(graph: onnx.GraphProto) -> None:
    """Add an output that is the sum of the two largest products: some processors cannot hold it where they add them.

    The runtime reckons it once, when it loads the graph, as nothing in it depends on a text.
    """
    graph.initializer.append(numpy_helper.from_array(np.full((1, 2), 255, np.uint8), "largest_inputs"))
    graph.initializer.append(numpy_helper.from_array(np.full((2, 1), _LARGEST, np.int8), "largest_weights"))
    graph.node.append(
        helper.make_node("MatMulInteger", ["largest_inputs", "largest_weights"], [onnx_graph.LARGEST_SUM])
    )
    graph.output.append(helper.make_tensor_value_info(onnx_graph.LARGEST_SUM, onnx.TensorProto.INT32, [1, 1]))


def _layers(graph: onnx.GraphProto) -> list[_Layer]:
    weights = {each.name: each for each in graph.initializer}
    made_by = {name: node.op_type for node in graph.node for name in node.output}
    products: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            products.setdefault(node.input[0], []).append(node)
    return [
        _Layer(
            products=nodes,
            weights=np.concatenate([numpy_helper.to_array(weights[node.input[1]]) for node in nodes], axis=1),
            input_from=made_by.get(name, ""),
        )
        for name, nodes in products.items()
    ]


def _largest(model: onnx.ModelProto, names: Sequence[str], directory: Path) -> dict[str, NDArray[np.int64]]:
    """Return the places of the largest channels of the tensors called `names`, over rows of random tokens."""
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names)
    session = onnxruntime.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(directory / onnx_graph.TOKENIZER))
    tokenizer.no_padding()
    first, last = tokenizer.encode("").ids
    drawn = np.random.default_rng(_SEED).integers(tokenizer.get_vocab_size(), size=(_ROWS, _ROW_TOKENS))
    sizes = []
    for row in drawn:
        ids = np.array([[first, *row, last]], dtype=np.int64)
        outputs = session.run(list(names), dict(zip(onnx_graph.INPUTS, (ids, np.ones_like(ids)), strict=True)))
        sizes.append([np.abs(np.asarray(output)).max(axis=(0, 1)) for output in outputs])
    return {
        name: np.sort(np.argsort(-np.max(channels, axis=0))[:_EXACT_CHANNELS])
        for name, channels in zip(names, zip(*sizes, strict=True), strict=True)
    }


class _Writer:
    """Adds nodes and constants to a graph, under names that begin with `prefix`."""

    def __init__(self, graph: onnx.GraphProto, prefix: str) -> None:
        self._graph = graph
        self._prefix = prefix

    def constant(self, part: str, value: Any) -> str:
        name = f"{self._prefix}_{part}"
        self._graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operator: str, inputs: Sequence[str], part: str, **attributes: Any) -> str:
        name = f"{self._prefix}_{part}"
        self.handing_out(operator, inputs, [name], **attributes)
        return name

    def handing_out(self, operator: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:
        self._graph.node.append(helper.make_node(operator, inputs, outputs, **attributes))


def _write(layer: _Layer, graph: onnx.GraphProto, *, exact: NDArray[np.int64] | None) -> None:
    """Add the nodes that give the layer's products, each under its old name; `exact` are channels left as they are."""
    writer = _Writer(graph, layer.input)
    if exact is None:
        products = _rounded_products(writer, layer.input, layer.weights, layer.rounding)
    else:
        rest = np.ones(len(layer.weights), np.float32)
        rest[exact] = 0
        others = writer.node("Mul", [layer.input, writer.constant("rest", rest)], "others")
        rounded = _rounded_products(writer, others, layer.weights * rest[:, None], layer.rounding)
        channels = writer.node("Gather", [layer.input, writer.constant("places", exact)], "exact_channels", axis=-1)
        weights = writer.constant("exact_weights", layer.weights[exact])
        exactly = writer.node("MatMul", [channels, weights], "exact_products")
        products = writer.node("Add", [rounded, exactly], "products")
    outputs = [each.output[0] for each in layer.products]
    if len(outputs) == 1:
        writer.handing_out("Identity", [products], outputs)
    else:
        writer.handing_out("Split", [products], outputs, axis=-1, num_outputs=len(outputs))


def _rounded_products(writer: _Writer, rows: str, weights: NDArray[np.float32], rounding: _Rounding) -> str:
    last_axis = writer.constant("last_axis", np.array([-1]))
    if rounding.least_scale is None:
        scale = writer.node("ReduceMax", [writer.node("Abs", [rows], "sizes"), last_axis], "scale")
    else:
        most = writer.node("ReduceMax", [rows, last_axis], "most")
        scale = writer.node("Max", [most, writer.constant("least_scale", np.float32(rounding.least_scale))], "scale")
    step = writer.constant("step", np.float32(1 / rounding.steps))
    zero = writer.constant("zero", np.uint8(rounding.zero))
    # no row is all zeros: each is normalised, a mean of such, or has a least scale
    rounded = writer.node("QuantizeLinear", [writer.node("Div", [rows, scale], "scaled"), step, zero], "rounded")
    scales = np.abs(weights).max(axis=0) / _LARGEST
    numbers = writer.constant("weights", np.rint(weights / scales).astype(np.int8))
    factors = [rounded, numbers, step, writer.constant("scales", scales), zero]
    sums = writer.node("MatMulIntegerToFloat", factors, "sums", domain=_EXTENSIONS)
    return writer.node("Mul", [sums, scale], "rounded_products")
