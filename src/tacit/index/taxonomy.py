"""Converts a taxonomy to plain data, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["taxonomy_from_facts", "taxonomy_to_facts"]


def taxonomy_to_facts(taxonomy: Taxonomy) -> dict[str, Any]:
    """Return names, parents by number, and titles; names must be strings, since JSON would change others."""
    strange = [name for name in taxonomy.names if not isinstance(name, str)]
    if strange:
        raise InputError(f"taxonomy has a name that is not text: got {strange[0]!r}, expected strings only.")
    matrix = taxonomy.parent_matrix
    rows = [matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]].tolist() for i in range(len(taxonomy.names))]
    return {
        "names": list(taxonomy.names),
        "parents": rows,
        "titles": {name: dict(titles) for name, titles in taxonomy.titles.items()},
        "alternative_titles": {
            name: {language: list(texts) for language, texts in titles.items()}
            for name, titles in taxonomy.alternative_titles.items()
        },
        "language": taxonomy.language,
    }


def taxonomy_from_facts(facts: Any) -> Taxonomy:
    """Return the taxonomy from the result of `taxonomy_to_facts`."""
    from tacit.relations.taxonomy.taxonomy import Taxonomy

    names, parents = tuple(facts["names"]), facts["parents"]
    ends = np.cumsum([0, *map(len, parents)])
    indices = np.array([parent for row in parents for parent in row], np.int64)
    matrix = sp.csr_array((np.ones(len(indices)), indices, ends), shape=(len(names), len(names)))
    alternatives = {
        name: {language: tuple(texts) for language, texts in titles.items()}
        for name, titles in facts["alternative_titles"].items()
    }
    return Taxonomy(names, matrix, facts["titles"], alternatives, facts["language"])
