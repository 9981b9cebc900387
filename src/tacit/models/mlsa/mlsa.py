"""M-LSA [Wang2006]: one space for objects of several types and all the relations between them.

    R c = λ c,  the k algebraically largest λ;  R_ij = α_ij M_ij                                  eqs. (5), (6)

| symbol | word                                                  | shape          |
|--------|-------------------------------------------------------|----------------|
| M_ij   | co-occurrences of objects of type i with those of j   | n_i x n_j      |
| α_ij   | weight of a relation                                  |                |
| c, C_j | `concepts_`, one row per object, by type               | n_j x k        |
| λ c    | `positions_`                                          | n_j x k        |

Important objects co-occur with important objects of other types; each eigenvector is such a concept. R also has
negative eigenvalues, which are not concepts; with two types they are as large as the positive ones.

**Fold-in.** From R c = λ c, the position of an object of type i is Σ_j α_ij m_ij C_j, computed in `fold_in`. Positions
of training objects are computed in the same way, so that folding one of them in returns its own row at any tolerance.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_count, check_number, is_outside_memory
from tacit.errors import InputError
from tacit.models.base import SpaceModel, check_terms, read_records, warn_if_fewer
from tacit.models.common.labels import read_labels
from tacit.models.common.memory import check_memory, relations_memory
from tacit.models.mlsa.fold_in import FoldIn
from tacit.models.mlsa.record_relations import record_relations
from tacit.operators import Operator, Product, Scaled, SymmetricBlocks, as_operator
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.tables.block import Block
from tacit.relations.tables.relations import Relations
from tacit.solve import leading_eigenpairs, without_vectors
from tacit.solve.choice.choose import SOLVERS
from tacit.types import Array

__all__ = ["MLSA"]


class MLSA(SpaceModel):
    """Latent semantic analysis of several related types of objects: users, items, words, tags, all in one space.

    Parameters
    ----------
    n_components : int, default 50 — concepts k; fewer are kept, with a warning, if R has fewer positive eigenvalues
    weights : mapping or None, default None — α of a relation, by its name or by its pair of types, in place of the
        weight in the relations
    label_weight : float >= 0, default 0.3 — for records and labels (`fit(X, y)`): α of the record-label relation
    centroid_weight : float >= 0, default 1.0 — for records and labels: α of the label-term relation, whose rows are the
        mean records of the labels
    solver : {"auto", "dense", "lanczos", "krylov"}, default "auto"
    tol : float, default 1e-2 — relative residual at which the iterative solvers stop
    max_iter : int or None, default None — maximum number of iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    concepts_ : dict of (n_objects, n_components_) arrays: the eigenvectors, one row per object, by type
    positions_ : dict of (n_objects, n_components_) arrays: the positions of the objects, by type
    eigenvalues_ : (n_components_,) λ, largest first
    relations_ : the `Relations` of the fit
    components_ : (n_components_, n_terms) for records and labels: the map from terms to positions
    labels_ : LabelMatrix or None, the labels of the records
    solution_ : solver report
    n_iter_ : int, iterations of the solver; 1 for "dense"

    Notes
    -----
    Two types give plain LSA. Relations that are products of two others (`Relations.add_product`) are never multiplied
    out. Cost per iteration: a product of every relation with a block of vectors, in both directions.

    References
    ----------
    [Wang2006]; docs/guide/relations.md lists the differences from the paper.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Relations
    >>> ratings = np.array([[5, 4, 0], [4, 5, 1], [0, 1, 5]])
    >>> relations = Relations().add("user", "film", ratings, rows=["Ann", "Bob", "Cy"], columns=["A", "B", "C"])
    >>> space = MLSA(n_components=2).fit(relations)
    >>> space.similar("user", "Ann", to="film", limit=2)[0][0]
    'A'
    """

    _takes_row_blocks = True
    _fold_in: FoldIn | None = None  # kept between calls, with the relations that its products start with

    def __init__(
        self,
        n_components: int = 50,
        *,
        weights: Mapping[Any, float] | None = None,
        label_weight: float = 0.3,
        centroid_weight: float = 1.0,
        solver: str = "auto",
        tol: float = 1e-2,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.weights = weights
        self.label_weight = label_weight
        self.centroid_weight = centroid_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the space.

        Parameters
        ----------
        X : Relations; or (n_records, n_terms) dense, sparse or `RowBlocks`, for which the types are record, term and
            label
        y : labels of the records, in any form that `as_labels` reads, if X is a matrix; None is plain LSA
        """
        self._check_parameters()
        self.__dict__.pop("components_", None)  # of an earlier fit to records
        self.labels_: LabelMatrix | None = None
        if isinstance(X, Relations):
            self._fit(X)
        else:
            X = read_records(self, X, reset=True)
            check_terms(X)
            self.labels_ = None if y is None else read_labels(y, X.shape[0], needed=True)
            graph = record_relations(
                X, self.labels_, label_weight=self.label_weight, centroid_weight=self.centroid_weight
            )
            self._fit(graph)
            words = self.relations_.block("record-term")
            self.components_ = self.concepts_["term"].T * (words.weight * words.scaling.factor)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Find the space of records and place them by their terms alone, as `transform` does."""
        self.fit(X, y)
        return self.transform(X)

    def transform(self, X: Any) -> Array:
        """Place records by their terms alone, (n_records, n_components_); for other types there is `fold_in`."""
        check_is_fitted(self, "eigenvalues_")
        if not hasattr(self, "components_"):
            raise InputError(
                "transform places records by their terms: got a space of relations, with several types. Use fold_in."
            )
        return super().transform(X)

    def fold_in(self, type: str, rows: Mapping[Any, Any]) -> Array:
        """Place new objects of a type by what they co-occur with: Σ_j α_ij m_ij C_j.

        Parameters
        ----------
        type : the type of the new objects
        rows : their relations: for each relation, by its name or by the other type if only one leads there, a matrix
            (n_new x n_j), dense or sparse, in the units of the table as it was added: counts stay counts, also with
            normalise="tfidf". A relation that is left out counts as unknown, except a product: its row is computed if
            the relation that it starts with is passed

        Returns
        -------
        (n_new, n_components_) positions, comparable to `positions_`

        Notes
        -----
        With normalise="tfidf", a new row is weighted by the learned rarity of the columns and scaled to unit length. A
        new column (a new word, by its counts in all texts) gets a rarity from its own counts, and the lengths of the
        rows. A training object gets its own position if all its relations are passed, except products that follow from
        them. With fewer relations the position is usually closer to the origin: compare by cosine.
        """
        check_is_fitted(self, "eigenvalues_")
        if self._fold_in is None or self._fold_in.relations is not self.relations_:
            self._fold_in = FoldIn(self.relations_, self.concepts_)
        return self._fold_in.positions(type, rows)

    def similar(
        self, type: str, name: Hashable, *, to: str | None = None, limit: int = 10, measure: str = "cosine"
    ) -> list[tuple[Hashable, float]]:
        """Return the objects most similar to one, of its own type or another: words of a category, items for a user.

        Parameters
        ----------
        type, name : the object
        to : type of the results, default its own; the object itself is left out
        limit : maximum number of results
        measure : "cosine", or "dot" as in the paper's table 4, which prefers frequent objects

        Returns
        -------
        list of (name, similarity), best first
        """
        check_is_fitted(self, "eigenvalues_")
        graph = self.relations_
        own = graph.index(type, name)
        to = type if to is None else check_choice("to", to, graph.types)
        position, positions = self.positions_[type][own], self.positions_[to]
        scores = np.asarray(positions @ position, dtype=np.float64)
        if check_choice("measure", measure, ("cosine", "dot")) == "cosine":
            lengths = np.linalg.norm(positions, axis=1) * np.linalg.norm(position)
            scores = np.divide(scores, lengths, out=np.zeros_like(scores), where=lengths > 0)
        if to == type:
            scores[own] = -np.inf
        best = np.argsort(-scores, kind="stable")[: check_count("limit", limit)]
        return [(graph.types[to][place], float(scores[place])) for place in best if np.isfinite(scores[place])]

    def concept_table(self, type: str, *, n_concepts: int = 5, limit: int = 10) -> list[list[tuple[Hashable, float]]]:
        """Return the strongest objects of a type, with weights, for each of the first concepts (table 2)."""
        check_is_fitted(self, "eigenvalues_")
        weights = self.concepts_[check_choice("type", type, self.relations_.types)]
        table = []
        for column in weights.T[: check_count("n_concepts", n_concepts)]:
            best = np.argsort(-column, kind="stable")[: check_count("limit", limit)]
            table.append([(self.relations_.types[type][place], float(column[place])) for place in best])
        return table

    def _check_parameters(self) -> None:
        check_count("n_components", self.n_components)
        check_number("label_weight", self.label_weight)
        check_number("centroid_weight", self.centroid_weight)
        check_number("tol", self.tol, open_low=True)
        check_choice("solver", self.solver, SOLVERS)
        if self.max_iter is not None:
            check_count("max_iter", self.max_iter)

    def _fit(self, graph: Relations) -> None:
        graph = graph.with_weights(self.weights) if self.weights else graph
        graph.check()
        kinds = list(graph.types)
        R = _unified_matrix(graph)
        factors = {id(factor): factor for block in graph.blocks for factor in block.factors}
        n_bytes = sum(as_operator(factor).n_bytes for factor in factors.values() if not is_outside_memory(factor))
        check_memory(relations_memory(R.shape[0], n_bytes, self.n_components, dtype=R.dtype))
        rng = as_rng(self.random_state)
        found = leading_eigenpairs(
            R, self.n_components, solver=self.solver, tol=self.tol, max_iter=self.max_iter, rng=rng
        )
        self.solution_, self.n_iter_ = without_vectors(found), found.iterations
        floor = R.shape[0] * float(np.finfo(R.dtype).eps) * float(np.abs(found.values).max(initial=0))
        n_kept = int(np.count_nonzero(found.values > floor))
        if not n_kept:
            raise InputError("the relations have no positive eigenvalue: got none, expected at least one concept.")
        warn_if_fewer(self.n_components, n_kept, "the positive eigenvalues of the relations")
        C = found.vectors[:, :n_kept]
        positions = R @ C
        self.relations_, self.eigenvalues_ = graph, found.values[:n_kept]
        self.concepts_ = {kind: np.ascontiguousarray(C[graph.type_slice(kind)]) for kind in kinds}
        self.positions_ = {kind: np.ascontiguousarray(positions[graph.type_slice(kind)]) for kind in kinds}


def _unified_matrix(graph: Relations) -> SymmetricBlocks:
    """Return R from all relations with a weight; rows outside memory that several relations use are read once."""
    kinds = list(graph.types)
    used = [block for block in graph.blocks if block.weight > 0]
    shared = [group for group in _groups(used) if len(group) > 1]
    alone = [block for block in used if not any(block in group for group in shared)]
    blocks: list[tuple[int | None, int, Any]] = [
        (kinds.index(block.row_type), kinds.index(block.column_type), _operator(block)) for block in alone
    ]
    blocks += [(None, kinds.index(group[0].column_type), _together(graph, group)) for group in shared]
    dtype = np.result_type(*(factor.dtype for block in used for factor in block.factors))
    return SymmetricBlocks(list(graph.sizes.values()), blocks, dtype)


def _groups(blocks: Sequence[Block]) -> list[list[Block]]:
    """Group relations that end in the same rows outside memory, without column weights and not multiplied out."""
    groups: dict[int, list[Block]] = {}
    for block in blocks:
        is_short = len(block.factors) <= 2 and block.row_type != block.column_type
        if is_short and is_outside_memory(block.factors[-1]) and block.scaling.rarity is None:
            groups.setdefault(id(block.factors[-1]), []).append(block)
    return list(groups.values())


def _together(graph: Relations, group: Sequence[Block]) -> Operator:
    """Return Σ α L X of several relations that end in X: L has one row per object of the graph."""
    X = group[0].factors[-1]
    left = sp.csr_array((graph.n_objects, X.shape[0]), dtype=X.dtype)
    for block in group:
        own = block.factors[0] if block.is_product else sp.eye_array(X.shape[0], dtype=X.dtype, format="csr")
        place = graph.type_slice(block.row_type)
        rows = sp.csr_array((place.start, X.shape[0]), dtype=X.dtype)
        below = sp.csr_array((graph.n_objects - place.stop, X.shape[0]), dtype=X.dtype)
        left = left + (block.weight * block.scaling.factor) * sp.vstack([rows, own, below], format="csr")
    return Product(sp.csr_array(left, dtype=X.dtype), X)


def _operator(block: Block) -> Operator:
    """Return a relation as a weighted operator; a product of several matrices is never multiplied out."""
    scaling, scale = block.scaling, block.weight * block.scaling.factor
    if block.is_outside_memory and scaling.rarity is not None and scaling.inverse_lengths is not None:
        # entries outside memory cannot be weighted, but the vectors on both sides can
        return Scaled(_product(block.factors), rows=scale * scaling.inverse_lengths, columns=scaling.rarity)
    product = _product(block.normalised[1])
    return product if scale == 1 else Scaled(product, columns=scale)


def _product(factors: Sequence[Any]) -> Operator:
    product = as_operator(factors[-1])
    for factor in reversed(factors[:-1]):
        product = Product(factor, product)
    return product
