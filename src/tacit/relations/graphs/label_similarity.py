"""How close two sets of labels are: the similarities of [Mu2010] sec. 3.1, and one that knows the taxonomy.

    y, z      two sets of labels as 0/1 vectors          |y|    how many labels
    y ∧ z     what both have, y ∨ z what one has         n_l    records that carry label l

The formulas are in `label_measures`; here labels become comparable.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.checks import check_choice, is_sparse
from tacit.errors import InputError
from tacit.relations.graphs.label_measures import KINDS, Similarity, fit_measure
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["compared_labels", "label_similarity"]


def label_similarity(
    y: Any,
    z: Any = None,
    kind: str | Similarity = "sorensen",
    *,
    width: float | str = "auto",
    n_dimensions: int | None = None,
    taxonomy: Taxonomy | None = None,
) -> npt.NDArray[np.float64]:
    """Give the similarity of the labels of every pair of records, as a dense matrix.

        "hamming"       exp(−h²/τ), h = |y| + |z| − 2 |y ∧ z|, the number of labels that only one has      eq. (10)
        "and"           |y ∧ z|                                                                            eq. (11)
        "scaled and"    sum of 1/n_l over the labels l that both have                                      eq. (12)
        "sorensen"      2 |y ∧ z| / (|y| + |z|)                                                            eq. (13)
        "jaccard"       |y ∧ z| / |y ∨ z|                                                                  eq. (14)
        "projected"     exp(−‖Pᵀ(y − z)‖²/τ), P the directions in which labels vary most             eqs. (15), (16)
        "hierarchical"  "sorensen" with the labels above those given, too; needs a taxonomy                    ours

    Parameters
    ----------
    y : any form that `as_labels` reads — rows of the result; class sizes, directions and the automatic width are taken
        from these records
    z : any form that `as_labels` reads, optional — columns of the result; `y` itself if left out
    kind : one of the names above, or callable, default "sorensen" — a callable gets two sparse 0/1 matrices of label
        sets, records x labels, and gives the similarities of all rows of the first with all of the second: at least 0,
        the same in both directions
    width : float or "auto", default "auto" — τ of eqs. (10) and (16); small: only the same labels are close, large: all
        are alike. Automatic: the mean of h² (of ‖Pᵀ(y − z)‖²) over the pairs of records whose label sets differ
    n_dimensions : int, optional — k_c of eq. (15), at most the number of labels. By default as many as hold nine tenths
        of the variance, but at most 100; where the next ones hold as much as the last, these too
    taxonomy : Taxonomy, optional — whatever the kind, a record has all labels above its own, too. A single root is not
        counted, as everybody has it

    Returns
    -------
    array of shape (n_records of y, n_records of z)
        0 in rows and columns of records whose labels are unknown.

    Notes
    -----
    A record that is known to have no labels shares none: counts of shared labels make it similar to nobody, itself
    included (0/0 in eqs. 13 and 14 is read as 0). To distances it is a set like others.

    Without a taxonomy "projected" with all dimensions is exp(−h/τ). With one, h between two single labels of a tree is
    the number of edges between them.

    References
    ----------
    [Mu2010] sec. 3.1. "hierarchical" is the hierarchical F1 of [Kiritchenko2006] between the two label sets.

    Examples
    --------
    >>> label_similarity([{"law"}, {"law", "cats"}, {"cats"}]).round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.67], [0.0, 0.67, 1.0]]
    """
    rows = compared_labels(y, kind, taxonomy, "y")
    columns = rows if z is None else _aligned(compared_labels(z, kind, taxonomy, "z"), rows)
    if columns.n_labels > rows.n_labels:
        rows = _aligned(rows, columns)
    measure = fit_measure(kind, rows, width=width, n_dimensions=n_dimensions)
    found = np.zeros((rows.n_records, columns.n_records))
    known = np.ix_(rows.known, columns.known)
    between: Any = measure.between(rows.indicator[rows.known], columns.indicator[columns.known])
    found[known] = between.toarray() if is_sparse(between) else between
    return found


def compared_labels(y: Any, kind: Any, taxonomy: Taxonomy | None, argument: str = "y") -> LabelMatrix:
    """Read the labels that are to be compared: with those above them if there is a taxonomy; check `kind`."""
    if not callable(kind):
        check_choice("kind", kind, KINDS)
    if taxonomy is None:
        if kind == "hierarchical":
            raise InputError(
                "taxonomy is missing: got None, expected a Taxonomy for the kind 'hierarchical'. "
                "Give taxonomy=Taxonomy.from_parents(...), or use 'sorensen'."
            )
        return as_labels(y)
    if not isinstance(taxonomy, Taxonomy):
        raise InputError(
            f"taxonomy is not a Taxonomy: got {type(taxonomy).__name__}, expected a Taxonomy or None. "
            "Read it with Taxonomy.from_parents or another from_ method."
        )
    labels = taxonomy.expand(as_labels(y))
    if len(taxonomy.roots) == 1:
        labels = labels.select([name for name in labels.names if name != taxonomy.roots[0]])
    if argument == "y" and not labels.n_labels:
        raise InputError(
            f"taxonomy has nothing below its root: got the single node {taxonomy.names[0]!r}, expected labels there."
        )
    return labels


def _aligned(labels: LabelMatrix, with_: LabelMatrix) -> LabelMatrix:
    """Bring labels to the columns of others, those that only they have after them."""
    if labels.names == with_.names:
        return labels
    if "matrix" in (labels.kind, with_.kind):
        raise InputError(
            f"z does not match y: got {labels.n_labels} columns of labels, expected the {with_.n_labels} of y in the "
            "same order. Give both as label sets, or as LabelMatrix with the same names."
        )
    known: set[Hashable] = set(with_.names)
    names = [*with_.names, *(name for name in labels.names if name not in known)]
    return LabelMatrix.from_sets(labels.to_sets(), names)
