"""Similarity floors: the lowest cosine that means anything, for each model that was measured."""

# Of the relevant texts among a question's ten nearest, 99 % lie above this cosine on XQuAD English paragraphs
# (and all of them on LoCoMo turns), while unrelated texts mostly lie below it.
_CALIBRATED = {"all-MiniLM-L6-v2": 0.25}
_UNMEASURED = 0.25


def similarity(model: str) -> float:
    """Return the floor of a model, between -1 and 1; one that was never measured gets the default model's."""
    return _CALIBRATED.get(model, _UNMEASURED)
