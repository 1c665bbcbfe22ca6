"""Model inspection: which files of an embedding model are on this machine, without fetching or exporting any."""

from dataclasses import dataclass
from pathlib import Path

from memory_bank.errors import ConfigurationError
from memory_bank.providers import model_files, onnx_graph


@dataclass(frozen=True, kw_only=True)
class Files:
    """What lies in `folder`: an exported graph or weights, of the model called `name`.

    `sha256` is that of the weights: computed where they lie here, and what a graph says of those that it was made of.
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

    @property
    def told(self) -> str:
        """What lies where, and who says what of which hash."""
        published = "as published" if self.expected else "of which no other is known"
        if not self.is_graph:
            return f"{self.name}: weights in {self.folder}, their SHA-256 {self.sha256}, {published}"
        return (
            f"{self.name}: an exported graph in {self.folder}, which was made of weights of SHA-256 {self.sha256}, "
            f"{published}, as its {onnx_graph.MANIFEST} says; the graph itself is not hashed, but tried as it loads"
        )


def files(model: str, *, cache_dir: Path, graph_dir: Path | None, graphs: bool) -> Files | None:
    """Return the files that a start would load; None where it would have to fetch them.

    A graph comes before weights, unless `graphs` is false. Raises `ConfigurationError` for a name that is none, and for
    files that are broken or not the published ones.
    """
    own = model_files.local(model)
    if graphs and own is not None and _holds_graph(own):
        return _of_graph(own)
    name = model_files.name_of(model)
    if graphs and graph_dir is not None and passed_over(graph_dir, model=model) is None:
        return _of_graph(graph_dir)
    exported = cache_dir / model_files.folder_name(model)
    if graphs and _holds_graph(exported) and onnx_graph.read(exported).name == name:
        return _of_graph(exported)
    if model_files.on_this_machine(model) is None:
        return None
    found = model_files.resolve(model)
    return _files(name, found.directory, is_graph=False, sha256=found.sha256)


def passed_over(graph_dir: Path, *, model: str) -> str | None:
    """Return why a start does not use the graph that should lie in a folder; None where it does, or has another one."""
    own = model_files.local(model)
    if own is not None and _holds_graph(own):
        return None
    if not graph_dir.is_dir():
        return f"{graph_dir} is no folder"
    if not _holds_graph(graph_dir):
        return f"{graph_dir} holds no exported graph: it has no {onnx_graph.MANIFEST}"
    try:
        found = onnx_graph.read(graph_dir).name
    except ConfigurationError as error:
        return str(error)
    wanted = model_files.name_of(model)
    return None if found == wanted else f"the graph in {graph_dir} is of {found}, and embedding.model is {wanted}"


def _of_graph(folder: Path) -> Files:
    manifest = onnx_graph.read(folder)
    return _files(manifest.name, folder, is_graph=True, sha256=manifest.sha256)


def _holds_graph(folder: Path) -> bool:
    return (folder / onnx_graph.MANIFEST).is_file()


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
