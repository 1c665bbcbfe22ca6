"""ONNX quantisation: a graph's weights as 8-bit numbers, for the models whose recall was measured to keep."""

import logging
from pathlib import Path

from memory_bank.providers import model_files

# Each block of a row has a scale of its own, of weights and of what they are multiplied with, so that one large number
# bends only its own block. The largest block that lost nothing on any development set: docs/recall.md has all of them.
BLOCK = 64
PRECISION = f"int8 in blocks of {BLOCK}"
LEAST_COSINE = 0.99
"""Cosine to the reference that each sample must keep: a bound for what is broken. Of 12,897 texts none is below 0.998,
but a text of one word may be.
"""

_MEASURED = frozenset({model_files.DEFAULT_MODEL})
_INT8_ACTIVATIONS = 4  # the runtime's accuracy level: what is multiplied becomes 8-bit too, block by block


def suits(name: str) -> bool:
    """Tell whether the model called `name` was measured to lose no recall on any development set."""
    return name in _MEASURED


def quantise(file: Path) -> None:
    """Replace the graph in `file` by its quantised form. Needs about three times its size in memory, some 2 s."""
    import onnx  # noqa: PLC0415  with the export's other libraries, none of which may enter the server
    from onnxruntime.quantization import matmul_nbits_quantizer  # noqa: PLC0415

    logging.getLogger(matmul_nbits_quantizer.__name__).setLevel(logging.WARNING)  # a line for each matrix
    quantiser = matmul_nbits_quantizer.MatMulNBitsQuantizer(
        onnx.load(str(file)), bits=8, block_size=BLOCK, is_symmetric=True, accuracy_level=_INT8_ACTIVATIONS
    )
    quantiser.process()
    quantiser.model.save_model_to_file(str(file), use_external_data_format=False)
