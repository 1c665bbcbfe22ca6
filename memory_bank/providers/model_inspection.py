"""Model inspection: which files of an embedding model are on this machine, without fetching or exporting any."""

from dataclasses import dataclass
from pathlib import Path

from memory_bank.errors import ConfigurationError
from memory_bank.providers import model_files, onnx_graph


@dataclass(frozen=True, kw_only=True)
class Files:
    """What lies in `folder`: an exported graph or weights, of the model called `name`, of weights with this SHA-256.

    `expected` is that of the published weights, None where they are not known.
    """

    name: str
    folder: Path
    is_graph: bool
    sha256: str
    expected: str | None

    @property
    def are_published(self) -> bool:
        """Whether nothing speaks against their being the published ones."""
        return self.expected is None or self.sha256 == self.expected


def files(model: str, *, cache_dir: Path, graph_dir: Path | None, graphs: bool) -> Files | None:
    """Return the files that a start would load; None where it would have to fetch them.

    A graph comes before weights, unless `graphs` is false. Raises `ConfigurationError` for a name that is none, and for
    files that are broken or not the published ones.
    """
    name = model_files.name_of(model)
    for folder in _graph_folders(model, cache_dir, graph_dir) if graphs else ():
        if (folder / onnx_graph.MANIFEST).is_file():
            manifest = onnx_graph.read(folder)
            if manifest.name == name:
                return _files(name, folder, is_graph=True, sha256=manifest.sha256)
    if model_files.on_this_machine(model) is None:
        return None
    found = model_files.resolve(model)
    return _files(name, found.directory, is_graph=False, sha256=found.sha256)


def _files(name: str, folder: Path, *, is_graph: bool, sha256: str) -> Files:
    found = Files(
        name=name, folder=folder, is_graph=is_graph, sha256=sha256, expected=model_files.published_sha256(name)
    )
    if not found.are_published:
        raise ConfigurationError(
            f"{folder} is not of the published weights of {name} (SHA-256 {sha256}, expected {found.expected}); "
            "delete the folder so that it is made again"
        )
    return found


def _graph_folders(model: str, cache_dir: Path, graph_dir: Path | None) -> list[Path]:
    """Return where a graph may lie, in the order in which a start looks for it."""
    given = (model_files.local(model), graph_dir, cache_dir / model_files.folder_name(model))
    return [each for each in given if each is not None]
