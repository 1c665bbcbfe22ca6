"""ONNX graph: an exported embedding model as a folder of three files, and how to tell a whole one from a broken one."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from memory_bank.errors import ConfigurationError

MODEL, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "model.json"
FILES = frozenset({MODEL, TOKENIZER, MANIFEST})
INPUTS, OUTPUT = ("input_ids", "attention_mask"), "pooled"
LARGEST_SUM, EXACT_SUM = "largest_sum", 2 * 255 * 127
"""An output of quantised graphs, and what it is on a processor whose 8-bit products do not overflow."""
# A text and its reference vector travel with the graph: one inference of some milliseconds at loading proves weights,
# tokenizer and runtime, where hashing 90 MB would cost a start many times that.
PROBE_TEXT = "What is remembered here was written by the reference model: 3 notes, 2 links, 1 belief."
FULL = "fp32"
"""The precision of a graph whose weights are as they were trained."""

_FORMAT = 3


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What `model.json` says. `max_tokens` counts special tokens, `sha256` is that of the weights, sizes are bytes."""

    name: str
    dimensions: int
    max_tokens: int
    pad_token_id: int
    sha256: str
    precision: str
    model_bytes: int
    tokenizer_bytes: int
    probe: tuple[float, ...]


def tolerance(precision: str) -> float:
    """Return how far a component of the probe's vector may lie from the reference's; they are about 0.05 large."""
    return 1e-3 if precision == FULL else 0.02


def read(directory: Path) -> Manifest:
    """Return the manifest of a whole graph folder after comparing file sizes; reads no weights.

    Raises `ConfigurationError` naming what is missing or broken.
    """
    manifest = _parsed(directory / MANIFEST)
    for name, expected in ((MODEL, manifest.model_bytes), (TOKENIZER, manifest.tokenizer_bytes)):
        file = directory / name
        actual = file.stat().st_size if file.is_file() else 0
        if actual != expected:
            raise ConfigurationError(f"{file} holds {actual} bytes, expected {expected}; {_remedy(directory)}")
    return manifest


def whole(directory: Path, *, name: str) -> bool:
    """Tell whether `directory` holds a whole graph of the model called `name`."""
    try:
        return read(directory).name == name
    except ConfigurationError:
        return False


def write(directory: Path, manifest: Manifest) -> None:
    """Write the manifest beside the graph and force all to the disk: a rename must never publish empty files."""
    text = json.dumps({"format": _FORMAT, **asdict(manifest)}, indent=1)
    (directory / MANIFEST).write_text(text, encoding="utf-8")
    for name in FILES:
        with (directory / name).open("rb+") as stream:
            os.fsync(stream.fileno())


def _parsed(file: Path) -> Manifest:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(value, dict) or value.get("format") != _FORMAT:
            raise ValueError(f"it is not of format {_FORMAT}")
        return _manifest(value)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{file} does not describe a graph ({error}); {_remedy(file.parent)}") from error


def _manifest(value: dict[str, object]) -> Manifest:
    dimensions, probe = _whole_number(value, "dimensions"), value.get("probe")
    if not isinstance(probe, list) or len(probe) != dimensions or not all(type(each) is float for each in probe):
        raise ValueError("probe is not a vector")
    return Manifest(
        name=_text(value, "name"),
        dimensions=dimensions,
        max_tokens=_whole_number(value, "max_tokens"),
        pad_token_id=_whole_number(value, "pad_token_id"),
        sha256=_text(value, "sha256"),
        precision=_text(value, "precision"),
        model_bytes=_whole_number(value, "model_bytes"),
        tokenizer_bytes=_whole_number(value, "tokenizer_bytes"),
        probe=tuple(probe),
    )


def _whole_number(value: dict[str, object], key: str) -> int:
    number = value.get(key)
    if type(number) is not int or number < 0:
        raise ValueError(f"{key} is not a whole number")
    return number


def _text(value: dict[str, object], key: str) -> str:
    text = value.get(key)
    if not isinstance(text, str) or not text:
        raise ValueError(f"{key} is not a text")
    return text


def _remedy(directory: Path) -> str:
    return f"delete {directory} so that the model is exported again"
