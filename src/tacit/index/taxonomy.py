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
    """Return nodes, parents by number, and all names; nodes must be strings, since JSON would change others."""
    strange = [name for name in taxonomy.names if not isinstance(name, str)]
    if strange:
        raise InputError(f"taxonomy has a name that is not text: got {strange[0]!r}, expected strings only.")
    matrix = taxonomy.parent_matrix
    rows = [matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]].tolist() for i in range(len(taxonomy.names))]
    return {
        "names": list(taxonomy.names),
        "parents": rows,
        "titles": {name: dict(titles) for name, titles in taxonomy.titles.items()},
        "alternative_titles": _listed(taxonomy.alternative_titles),
        "language": taxonomy.language,
        "hidden_titles": _listed(taxonomy.hidden_titles),
        "notations": {name: list(texts) for name, texts in taxonomy.notations.items()},
        "related": {name: list(others) for name, others in taxonomy.related.items()},
    }


def _listed(texts: Any) -> dict[Any, dict[str, list[str]]]:
    return {name: {language: list(one) for language, one in by.items()} for name, by in texts.items()}


def taxonomy_from_facts(facts: Any) -> Taxonomy:
    """Return the taxonomy from the result of `taxonomy_to_facts`; earlier versions did not write all of it."""
    from tacit.relations.taxonomy.taxonomy import Taxonomy

    names, parents = tuple(facts["names"]), facts["parents"]
    ends = np.cumsum([0, *map(len, parents)])
    indices = np.array([parent for row in parents for parent in row], np.int64)
    matrix = sp.csr_array((np.ones(len(indices)), indices, ends), shape=(len(names), len(names)))
    return Taxonomy(
        names,
        matrix,
        facts["titles"],
        _in_tuples(facts["alternative_titles"]),
        facts["language"],
        _in_tuples(facts.get("hidden_titles", {})),
        {name: tuple(texts) for name, texts in facts.get("notations", {}).items()},
        {name: tuple(others) for name, others in facts.get("related", {}).items()},
    )


def _in_tuples(texts: Any) -> dict[Any, dict[str, tuple[str, ...]]]:
    return {name: {language: tuple(one) for language, one in by.items()} for name, by in texts.items()}
