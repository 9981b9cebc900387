"""Relation features [Mu2010] sec. 3.2: a record by its distances or similarities to a few chosen records.

| symbol | word                                | shape |
|--------|-------------------------------------|-------|
| X      | records x terms                     | n x d |
| P      | `prototypes_`, p rows of X          | p x d |
| R      | what `transform` gives, r_ij        | n x p |
| β      | `ratio`, p / n                      |       |
| H_i    | `class_heads_`, heads of each class |       |

The measures are in `prototype_measures`, the choice of prototypes in `prototype_choice`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.checks import as_rng, check_choice, check_count, check_finite, check_number
from tacit.errors import InputError
from tacit.models.graphs.prototype_choice import class_centres, random_records
from tacit.models.graphs.relation_measures import MEASURES, automatic_width, relations
from tacit.operators.base import Array
from tacit.relations.labels.matrix import as_labels

__all__ = ["SELECTIONS", "RelationFeatures"]

SELECTIONS = ("auto", "random", "centres")
_DEFAULT_RATIO = 0.25
_RANDOM_FROM = 0.5  # p/n from which the paper chooses at random


class RelationFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Describe records by how they are related to p prototypes, which are records of the training set.

    Made to stand before any model: where there are far more terms than records, the model then works with p columns
    instead of d. With x a record, p a prototype and sums over the d terms (table 1 of [Mu2010]):

        euclidean    ‖x − p‖                       dot          x·p
        minkowski    (Σ |x_t − p_t|^P)^(1/P)       cosine       x·p / (‖x‖ ‖p‖)
        gaussian     exp(−‖x − p‖² / σ²)           polynomial   (x·p + 1)^degree
        pearson      (1/d) Σ ((x_t − μ_x)/σ_x) ((p_t − μ_p)/σ_p)

    Parameters
    ----------
    n_prototypes : int or None, default None — p, at most the number of records; None takes `ratio` of them
    ratio : float in (0, 1] or None, default None — β = p/n, rounded, at least one prototype; None is 0.25 if
        `n_prototypes` is not given. 1 takes every record. Only one of the two may be given
    measure : {"euclidean", "minkowski", "dot", "cosine", "polynomial", "gaussian", "pearson"}, default "euclidean" —
        how a record is related to a prototype
    power : float >= 1, default 2 — P of the Minkowski distance; 1 sums the differences, large values look at the
        largest one
    degree : int >= 1, default 2 — of the polynomial
    width : "auto" or float > 0, default "auto" — σ² of the Gaussian, the squared distance at which it falls to 1/e;
        "auto" is the median squared distance between the records (500 of them at most) and the prototypes
    selection : {"auto", "random", "centres"}, default "auto" — "random" looks at neither records nor labels; "centres"
        takes the heads of a k-centre clustering of each class; "auto" is the paper's rule, random from half of the
        records on and centres below
    random_state : int, generator or None, default 0 — random prototypes, and where each clustering begins

    Attributes
    ----------
    prototype_indices_ : (p,) which training records are prototypes, ascending
    prototypes_ : (p, n_terms) these records, sparse if the records were
    class_heads_ : dict, class -> training records that are its heads, in the order they were taken; None is the class
        of the records without a label, or of all of them if there is no `y`. Empty if the selection was random
    selection_ : "random" or "centres", what was done
    width_ : float or None, σ² of the Gaussian; None for other measures

    Notes
    -----
    Centres: the records of a class are clustered by Gonzalez's farthest-first traversal (1985) of Euclidean distances,
    whatever the measure; scale records to length 1 before if their length should not count. The largest distance of a
    record to the nearest head of its class is at most twice the smallest possible. A class has heads in proportion to
    its number of records, at least one if there are as many prototypes as classes. A record that is a head of several
    classes is one prototype; then all classes go on taking heads in the same proportion until there are p. Order and
    names of the classes do not matter. Records whose labels are unknown and those known to have none are one class.

    Pearson: the paper gives the means and deviations an index t, as if they belonged to the terms. Read here as the
    correlation of the two vectors over the terms, each with its own mean and deviation. A constant vector has none and
    gets 0, as does a vector of zeros with the cosine.

    Everything is computed in double precision, a block of records at a time; only the result is dense, n x p, in the
    precision of X. Distances of records that nearly coincide come from their difference, so that a record is at
    distance 0 of itself. Choosing centres without labels takes p passes over X, with labels about p passes over a
    class. The Minkowski distance other than P = 2 takes one power for each entry of X and each prototype, ten to fifty
    times as long as the others.

    References
    ----------
    [Mu2010] sec. 3.2 and table 1; docs/guide/prototypes.md.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0., 0], [0, 1], [9, 0], [9, 1], [9, 2]])
    >>> features = RelationFeatures(n_prototypes=2).fit(X, ["a", "a", "b", "b", "b"])
    >>> features.class_heads_
    {'a': array([1]), 'b': array([3])}
    >>> features.transform(X[:2]).round(2)
    array([[1.  , 9.06],
           [0.  , 9.  ]])
    """

    prototype_indices_: Array
    class_heads_: dict[Hashable, Array]
    width_: float | None

    def __init__(
        self,
        n_prototypes: int | None = None,
        *,
        ratio: float | None = None,
        measure: str = "euclidean",
        power: float = 2.0,
        degree: int = 2,
        width: float | str = "auto",
        selection: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.ratio = ratio
        self.measure = measure
        self.power = power
        self.degree = degree
        self.width = width
        self.selection = selection
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the prototypes.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse
        y : binary matrix (dense or sparse), list of label sets, one class a record, or `LabelMatrix`; None makes all
            records one class. Not looked at if the selection is random
        """
        self._check_parameters()
        X = self._read(X, reset=True)
        rng = as_rng(self.random_state)
        self.selection_ = self._selection(X.shape[0])
        n_prototypes = self._number(X.shape[0])
        if self.selection_ == "random":
            self.prototype_indices_, self.class_heads_ = random_records(X.shape[0], n_prototypes, rng), {}
        else:
            labels = None if y is None else as_labels(y, n_records=X.shape[0])
            self.prototype_indices_, self.class_heads_ = class_centres(X, labels, n_prototypes, rng)
        self.prototypes_ = X[self.prototype_indices_]
        self.width_ = self._width(X, rng) if self.measure == "gaussian" else None
        return self

    def transform(self, X: Any) -> Array:
        """Relate records to the prototypes.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse

        Returns
        -------
        R, (n_records, p), dense, in the precision of X; the columns are in the order of `prototype_indices_`
        """
        check_is_fitted(self, "prototypes_")
        X = self._read(X, reset=False)
        return relations(
            X, self.prototypes_, self.measure, power=float(self.power), degree=int(self.degree), width=self.width_
        )

    def _check_parameters(self) -> None:
        if self.n_prototypes is not None and self.ratio is not None:
            raise InputError(
                f"n_prototypes and ratio are both given: got {self.n_prototypes!r} and {self.ratio!r}, expected one of "
                "them. Leave the other at None."
            )
        if self.n_prototypes is not None:
            check_count("n_prototypes", self.n_prototypes)
        if self.ratio is not None:
            check_number("ratio", self.ratio, high=1, open_low=True)
        check_choice("measure", self.measure, MEASURES)
        check_choice("selection", self.selection, SELECTIONS)
        check_number("power", self.power, low=1)
        check_count("degree", self.degree)
        if isinstance(self.width, str):
            check_choice("width", self.width, ("auto",))
        else:
            check_number("width", self.width, open_low=True)

    def _number(self, n_records: int) -> int:
        """Give p."""
        if self.n_prototypes is None:
            return max(1, int(self._ratio(n_records) * n_records + 0.5))
        if self.n_prototypes > n_records:
            raise InputError(
                f"n_prototypes is more than there are records: got {self.n_prototypes}, expected at most {n_records}. "
                "Take fewer, or set ratio instead."
            )
        return int(self.n_prototypes)

    def _ratio(self, n_records: int) -> float:
        """Give β."""
        if self.n_prototypes is not None:
            return self.n_prototypes / n_records
        return _DEFAULT_RATIO if self.ratio is None else float(self.ratio)

    def _selection(self, n_records: int) -> str:
        if self.selection != "auto":
            return self.selection
        return "random" if self._ratio(n_records) >= _RANDOM_FROM else "centres"

    def _width(self, X: Any, rng: np.random.Generator) -> float:
        return automatic_width(X, self.prototypes_, rng) if isinstance(self.width, str) else float(self.width)

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Validate X: dense or CSR, float32 or float64, finite."""
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        check_finite("X", X)
        return X

    @property
    def _n_features_out(self) -> int:
        return len(self.prototype_indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.target_tags.multi_output = True
        return tags
