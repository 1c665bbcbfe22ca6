"""Secrets by their surroundings: keys in blocks, credentials in addresses and headers, values given to passwords.

What carries its own unmistakable shape is mostly found by a library beside this one; here is what such libraries lack
or cannot tell from an innocent text. Every pattern takes time that grows with the text's length and no faster.
"""

from memory_bank.domain.redaction import Secret
from memory_bank.domain.secrets import addresses, assignments, blocks, hidden, tokens


def found(text: str) -> list[Secret]:
    """Return every secret that its surroundings or its shape give away, in no order; some may overlap."""
    return [*_shown(text), *hidden.found(text, _shown)]


def _shown(text: str) -> list[Secret]:
    return [*blocks.found(text), *tokens.found(text), *addresses.found(text), *assignments.found(text)]
