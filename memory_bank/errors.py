"""Every error that Memory Bank raises on purpose; each message tells the caller what to do next.

MemoryBankError
├── NotFound             no such note, link or bank in this bank
├── Conflict             another live note or a concurrent change stands in the way
├── InvalidInput         the caller's value breaks a rule; carries the field's name
├── Unauthenticated      the caller shows no token that is good
├── Forbidden            the caller may not do this
├── ProviderUnavailable  an embedder or language model did not answer usefully; trying later may help
├── StoreUnavailable     the database does not answer; trying later may help
└── ConfigurationError   a setting, file or stored model stops the start
"""


class MemoryBankError(Exception):
    """Something went wrong in Memory Bank."""


class NotFound(MemoryBankError):
    """Nothing with this id exists in this bank."""


class Conflict(MemoryBankError):
    """The change collides with something that is already stored."""


class InvalidInput(MemoryBankError):
    """A value breaks a documented rule.

    `field` is the name of the argument as the caller knows it.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class Unauthenticated(MemoryBankError):
    """The caller must show a token, and shows none that is good."""


class Forbidden(MemoryBankError):
    """The caller is not allowed to do this."""


class ProviderUnavailable(MemoryBankError):
    """An embedder or language model gave no usable answer.

    `retryable` is false where trying again cannot help: a refused key, an unknown model.
    """

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable


class StoreUnavailable(MemoryBankError):
    """The database does not answer."""


class ConfigurationError(MemoryBankError):
    """A setting, a file or the stored state stops the start."""
