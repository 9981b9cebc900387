"""A made collection of animals, for tests of studies."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["animals"]


def animals(n_records: int = 120) -> tuple[Any, Any, Any]:
    """Give words, labels and a taxonomy in which some classes are rare."""
    from tacit import LabelMatrix, Taxonomy

    rng = np.random.default_rng(0)
    taxonomy = Taxonomy.from_nested({"animals": ["cats", "dogs", "owls"], "rocks": ["flint"]})
    kinds = rng.choice(["cats", "dogs", "owls", "flint", "animals"], size=n_records, p=[0.4, 0.3, 0.05, 0.15, 0.1])
    sets = [{kind, "dogs"} if rng.random() < 0.2 else {kind} for kind in kinds]
    Y = LabelMatrix.from_sets(sets, names=taxonomy.names)
    X = Y.to_matrix().toarray() @ rng.random((Y.n_labels, 12)) + rng.random((n_records, 12))
    return X, Y, taxonomy
