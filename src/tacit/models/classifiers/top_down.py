"""Top-down classification: one classifier per node of a taxonomy, which chooses the children that a record belongs to.

The hierarchical scheme that [Huang2005] section 4.3 compares against. Below a class that is not predicted nothing is
predicted, so that predictions always agree with the taxonomy.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from tacit.errors import InputError
from tacit.models.classifiers.base import LabelClassifier
from tacit.models.classifiers.label_head import LabelHead
from tacit.models.common.class_hierarchy import ROOT, expanded_labels
from tacit.models.common.labels import BEYOND, is_number, known_records
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["TopDownClassifier"]

_TOP = -1  # the virtual root, which has no column


class Step(NamedTuple):
    """The classifier of a node.

    Attributes
    ----------
    node : column of the node, −1 for the virtual root
    asked : columns of the children that the head predicts
    always : columns of the children that held all training records of the node
    head : fitted classifier with one column for each of `asked`, or None if there are none
    """

    node: int
    asked: np.ndarray
    always: np.ndarray
    head: Any


class TopDownClassifier(LabelClassifier):
    """Predict the classes of records in a taxonomy from the top down, following the predicted classes.

    Parameters
    ----------
    head : classifier, optional
        Trained at each node, on the records of the node, to predict their children; default `LabelHead()`.
        Takes a binary matrix as `y` and has `decision_function`; `thresholds_` are used if it has them.
    taxonomy : Taxonomy, optional
        None makes the labels the children of one root: one level, and one head.
    cut : float, default 0
        Minimum of score less threshold for a record to go down. With values below 0 more records reach the leaves.
    random_state : None, int or generator
        For the default head.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The nodes that hold training records, themselves or below, in the order of the taxonomy; without a taxonomy the
        labels.
    candidates_ : ndarray of int
        Columns of the classes in `y` itself, from which the one class of a record is chosen.
    multilabel_ : bool
        False if `y` has one class per record.
    heads_ : dict
        The fitted head of each node that has one; `ROOT` is the one at the top.
    steps_ : tuple of Step
        The nodes from the top down; empty for one class per record without a taxonomy, which has one head only.
    label_counts_ : ndarray of shape (n_classes,)
        Training records of each class.

    Notes
    -----
    A record may stop at an inner node. A class with several parents can be reached through any of them, and the other
    parents are then added, so that predictions contain all classes above each of their classes.

    A child that holds all training records of its node, such as an only child, has no classifier: records that reach
    the node reach the child. Records with unknown labels are left out.

    References
    ----------
    Huang2005

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat(np.eye(3), 4, axis=0)
    >>> y = 4 * [{"cats"}] + 4 * [{"dogs"}] + 4 * [{"rocks"}]
    >>> taxonomy = Taxonomy.from_parents({"cats": "animals", "dogs": "animals", "rocks": None})
    >>> TopDownClassifier(taxonomy=taxonomy, random_state=0).fit(X, y).predict_labels([[1, 0.1, 0], [0, 0.1, 1]])
    [('animals', 'cats'), ('rocks',)]
    """

    def __init__(
        self, head: Any = None, *, taxonomy: Taxonomy | None = None, cut: float = 0.0, random_state: Any = None
    ) -> None:
        self.head = head
        self.taxonomy = taxonomy
        self.cut = cut
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train the heads.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_records, n_features)
        y : binary matrix, list of label sets, one class per record, or LabelMatrix
            Leaves or inner nodes of the taxonomy. None or NaN is a record with unknown labels.
        """
        self._check_parameters()
        X = self._read(X, reset=True)
        given = as_labels(y, n_records=X.shape[0])
        labels = expanded_labels(given, self.taxonomy, X.shape[0])
        if self.taxonomy is not None:
            labels = labels.without_empty()
        X, labels = known_records(X, labels)
        occurred = {given.names[column] for column in np.flatnonzero(given.counts)}
        self._keep_classes(labels, multilabel=given.kind != "classes")
        self.candidates_ = np.array([place for place, name in enumerate(labels.names) if name in occurred], dtype=int)
        self.steps_: tuple[Step, ...] = ()
        self.heads_: dict[Hashable, Any] = {}
        if not self.multilabel_ and self.taxonomy is None:
            self.heads_[ROOT] = self._new_head().fit(X, labels)
            return self
        self.steps_ = tuple(self._train(X, labels, *family) for family in _families(labels, self.taxonomy))
        names = (*labels.names, ROOT)  # −1 is the last
        self.heads_ = {names[step.node]: step.head for step in self.steps_ if step.head is not None}
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the smallest score less threshold on the path to each class, less `cut`; above 0 is predicted.

        Of several paths to a class the best counts, and a class has at least the score of the classes below it. Without
        a taxonomy, one class per record has the scores of the only head.
        """
        X = self._read_fitted(X)
        if not self.steps_:
            return np.asarray(self.heads_[ROOT].decision_function(X))
        return self._descend(X, lambda step, X: _margins(step, X) - self.cut, np.minimum, BEYOND, -BEYOND)

    @available_if(lambda self: hasattr(self._new_head(), "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the product of the probabilities on the best path to each class, records x classes."""
        X = self._read_fitted(X)
        if not self.steps_:
            return np.asarray(self.heads_[ROOT].predict_proba(X))
        return self._descend(X, _chances, np.multiply, 1.0, 0.0)

    def predict(self, X: Any) -> np.ndarray:
        """Return classes as a dense 0/1 matrix, records x classes; the class itself for one class per record.

        One class is found by going from the top to the child with the highest score, and so on until there are no
        children or, at a class of `y`, no child is predicted.
        """
        X = self._read_fitted(X)
        if not self.steps_:
            return np.asarray(self.heads_[ROOT].predict(X))
        return self._reached(X) if self.multilabel_ else self.classes_[self._followed(X)]

    def _check_parameters(self) -> None:
        if not is_number(self.cut):
            raise InputError(f"cut is not a number: got {self.cut!r}, expected a finite number.")
        if not all(hasattr(self._new_head(), name) for name in ("fit", "decision_function")):
            raise InputError(
                f"head cannot score records: got {type(self.head).__name__}, expected a classifier with "
                "decision_function. Use LabelHead, or leave it out."
            )

    def _new_head(self) -> Any:
        return LabelHead(random_state=self.random_state) if self.head is None else clone(self.head, safe=False)

    def _train(self, X: Any, labels: LabelMatrix, node: int, children: np.ndarray) -> Step:
        rows = np.arange(len(labels)) if node == _TOP else labels.indicator[:, [node]].nonzero()[0]
        below = sp.csr_array(labels.indicator[rows][:, children])
        counts = np.bincount(below.indices, minlength=len(children))
        mixed = np.flatnonzero((counts > 0) & (counts < len(rows)))
        asked, always = children[mixed], children[counts == len(rows)]
        if not len(mixed):
            return Step(node, asked, always, None)
        names = tuple(labels.names[column] for column in asked)
        children_labels = LabelMatrix(sp.csr_array(below[:, mixed]), names, np.ones(len(rows), bool), kind="matrix")
        return Step(node, asked, always, self._new_head().fit(X[rows], children_labels))

    def _descend(
        self,
        X: Any,
        answer: Callable[[Step, Any], np.ndarray],
        combine: Callable[..., np.ndarray],
        top: float,
        bottom: float,
    ) -> np.ndarray:
        """Combine the answers of all nodes along the paths; `top` is certain, `bottom` is impossible."""
        found = np.full((X.shape[0], len(self.classes_)), bottom)
        for step in self.steps_:
            above = np.full((X.shape[0], 1), top) if step.node == _TOP else found[:, [step.node]]
            found[:, step.always] = np.maximum(found[:, step.always], above)
            if step.head is not None:
                found[:, step.asked] = np.maximum(found[:, step.asked], combine(above, answer(step, X)))
        return self._lifted(found)

    def _reached(self, X: Any) -> np.ndarray:
        """Return every class that a record reaches; a head predicts only for records that reach its node."""
        found = np.zeros((X.shape[0], len(self.classes_)), np.int64)
        for step in self.steps_:
            rows = np.arange(X.shape[0]) if step.node == _TOP else np.flatnonzero(found[:, step.node])
            found[np.ix_(rows, step.always)] = 1
            if step.head is not None and len(rows):
                found[np.ix_(rows, step.asked)] |= _margins(step, X[rows]) > self.cut
        return self._lifted(found)

    def _lifted(self, found: np.ndarray) -> np.ndarray:
        """Raise each class to the values of its children, which may have been reached through another parent."""
        for step in reversed(self.steps_):
            if step.node != _TOP:
                children = found[:, np.append(step.asked, step.always)]
                found[:, step.node] = np.maximum(found[:, step.node], children.max(axis=1))
        return found

    def _followed(self, X: Any) -> np.ndarray:
        """Return the one class where each record ends."""
        place = np.full(X.shape[0], _TOP)
        for step in self.steps_:
            rows = np.flatnonzero(place == step.node)
            if not len(rows):
                continue
            if len(step.always):
                place[rows] = step.always[0]
                continue
            scores, margins = _scores(step, X[rows]), _margins(step, X[rows])
            best = scores.argmax(axis=1)
            goes_on = margins[np.arange(len(rows)), best] > self.cut
            if step.node not in self.candidates_:
                goes_on[:] = True
            place[rows[goes_on]] = step.asked[best[goes_on]]
        return place


def _families(labels: LabelMatrix, taxonomy: Taxonomy | None) -> Iterator[tuple[int, np.ndarray]]:
    """Yield nodes with their children, a node before all nodes below it."""
    if taxonomy is None:
        yield _TOP, np.arange(labels.n_labels)
        return
    links = taxonomy.restrict(labels.names).parent_matrix
    yield _TOP, np.flatnonzero(np.diff(links.indptr) == 0)
    children_of = links.tocsc()
    children_of.sort_indices()
    for node in np.flatnonzero(np.diff(children_of.indptr)).tolist():
        yield node, children_of.indices[children_of.indptr[node] : children_of.indptr[node + 1]]


def _scores(step: Step, X: Any) -> np.ndarray:
    """Return one column per child; scikit-learn's classifiers return a vector for one child."""
    scores = np.asarray(step.head.decision_function(X), dtype=np.float64)
    return scores.reshape(-1, 1) if scores.ndim == 1 else scores


def _margins(step: Step, X: Any) -> np.ndarray:
    thresholds = getattr(step.head, "thresholds_", None)
    return _scores(step, X) - (0.0 if thresholds is None else thresholds)


def _chances(step: Step, X: Any) -> np.ndarray:
    """Return one column per child; scikit-learn's classifiers return two columns for one child."""
    chances = np.asarray(step.head.predict_proba(X), dtype=np.float64)
    return chances[:, -1:] if len(step.asked) == 1 else chances
