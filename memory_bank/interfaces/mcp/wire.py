"""The process's standard input and output, taken for one client alone.

Whatever else reads or writes them, a library that greets on import or a child of this process, finds nothing to read
and writes to stderr instead.
"""

import io
import os
from typing import BinaryIO

_IN, _OUT, _ERR = 0, 1, 2


def incoming() -> BinaryIO:
    """Take standard input; an empty one where there is none."""
    try:
        private = os.dup(_IN)
    except OSError:
        return io.BytesIO()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _IN)
    os.close(nothing)
    # left open to the end: a thread may still wait in it
    return os.fdopen(private, "rb", closefd=False)


def outgoing() -> BinaryIO:
    """Take standard output; one that nobody reads where there is none."""
    try:
        private = os.dup(_OUT)
    except OSError:
        return io.BytesIO()
    try:
        os.dup2(_ERR, _OUT)
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, _OUT)
        os.close(nothing)
    return os.fdopen(private, "wb", closefd=False)
