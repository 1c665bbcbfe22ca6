"""Vectors: the one shape in which embeddings leave an encoder."""

import numpy as np
from numpy.typing import NDArray

from memory_bank.errors import ConfigurationError, ProviderUnavailable

# Below this length a direction is rounding noise; real embeddings are many orders of magnitude longer.
_SMALLEST_NORM = 1e-9


def unit_rows(rows: np.ndarray, *, dimensions: int) -> NDArray[np.float32]:
    """Return `rows` as a float32 array of shape (rows, dimensions) whose rows have length 1.

    Raises `ProviderUnavailable` where there is no row, the width differs, or a row is not finite or has no direction:
    such a vector would outrank every real match, or none.
    """
    matrix: np.ndarray = np.asarray(rows, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) == 0 or matrix.shape[1] != dimensions:
        raise ProviderUnavailable(
            f"the embedding model answered with shape {matrix.shape}, expected (1 or more, {dimensions}); "
            "check embedding.model",
            retryable=False,
        )
    if not np.isfinite(matrix).all():
        raise ProviderUnavailable(
            "the embedding model answered with a vector that is not finite; try again", retryable=False
        )
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (norms > _SMALLEST_NORM).all():
        raise ProviderUnavailable("the embedding model answered with a zero vector; try again", retryable=False)
    directions: NDArray[np.float32] = (matrix / norms).astype(np.float32)
    return directions


def mean_direction(rows: NDArray[np.float32], *, dimensions: int) -> NDArray[np.float32]:
    """Return the normalised mean of unit rows, shape (dimensions,); one row is returned as it is.

    Raises `ProviderUnavailable` where the rows cancel out.
    """
    one = rows if len(rows) == 1 else unit_rows(rows.mean(axis=0, keepdims=True), dimensions=dimensions)
    return one.reshape(dimensions)


def dimension_mismatch(name: str, *, actual: int, wanted: int) -> ConfigurationError:
    """Return the error of a model whose vectors have `actual` components where the settings say `wanted`."""
    return ConfigurationError(
        f"embedding.dimensions is {wanted}, but the model {name} has {actual}; "
        f"set embedding.dimensions={actual} or choose another embedding.model"
    )
