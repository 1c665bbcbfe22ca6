"""The bar that shows on stderr how far a command has come."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while the block lasts; it is told what is done and what there is in all."""
    with click.progressbar(length=0, label=label, file=sys.stderr) as shown:

        def progress(done: int, total: int) -> None:
            shown.length = total
            shown.update(done - shown.pos)

        yield progress
