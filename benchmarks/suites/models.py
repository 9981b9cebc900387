"""Spaces and labels: fitting, placing new records, and how well the planted topics come out."""

# ruff: noqa: D102 - asv shows the names of the methods, which say what they do

from __future__ import annotations

from typing import Any

import numpy as np
from jobs import related
from rows_graphs import GraphJudge
from rows_relations import Judge

from tacit import HLSI, LSI, MLSA, MLSI, GraphEmbedding, LabelHead
from tacit.evaluate import f1, overlap_ndcg

from .profiles import collection, profile, relations

__all__ = ["GraphSpace", "Head", "RelationSpace", "Space"]


class Space:
    """A space fitted to four fifths of the records."""

    params = (("LSI", "MLSI", "HLSI"), ("float32", "float64"))
    param_names = ("model", "dtype")
    timeout = 900

    def setup(self, model: str, dtype: str) -> None:
        X, self.Y = collection(profile(), np.dtype(dtype).type)
        self.n_train = X.shape[0] * 4 // 5
        self.X, self.new = X[: self.n_train], X[self.n_train :]
        self.fitted = self._fit(model)

    def time_fit(self, model: str, dtype: str) -> None:
        self._fit(model)

    def time_transform(self, model: str, dtype: str) -> None:
        self.fitted.transform(self.new)

    def peakmem_fit(self, model: str, dtype: str) -> None:
        self._fit(model)

    def track_neighbours_that_share_topics(self, model: str, dtype: str) -> float:
        """Give the nDCG@10 of searching the training records with 500 new ones."""
        asked = self.fitted.transform(self.new[:500])
        return overlap_ndcg(asked, self.fitted.transform(self.X), self.Y[self.n_train :][:500], self.Y[: self.n_train])

    def _fit(self, model: str) -> Any:
        space = {"LSI": LSI, "MLSI": MLSI, "HLSI": HLSI}[model]
        return space(profile().n_components).fit(self.X, self.Y[: self.n_train])


class Head:
    """Labels for new records, by classifiers on honest positions."""

    params = (("svm", "ridge"),)
    param_names = ("method",)
    timeout = 900

    def setup(self, method: str) -> None:
        X, self.Y = collection(profile())
        self.n_train = X.shape[0] * 4 // 5
        space = MLSI(profile().n_components)
        self.positions = space.fit_transform(X[: self.n_train], self.Y[: self.n_train])
        self.new = space.transform(X[self.n_train :])
        self.fitted = self._fit(method)

    def time_fit(self, method: str) -> None:
        self._fit(method)

    def time_predict(self, method: str) -> None:
        self.fitted.predict(self.new)

    def peakmem_fit(self, method: str) -> None:
        self._fit(method)

    def track_micro_f1(self, method: str) -> float:
        return f1(self.Y[self.n_train :], self.fitted.predict(self.new)).micro

    def _fit(self, method: str) -> LabelHead:
        return LabelHead(method, random_state=0).fit(self.positions, self.Y[: self.n_train])


class RelationSpace:
    """A space of users, items, words and tags; with and without a relation that is a product."""

    params = ((0.0, 0.1),)
    param_names = ("product_weight",)
    timeout = 900

    def setup(self, product_weight: float) -> None:
        self.blocks, self.topics = relations(profile())
        self.graph = related(self.blocks)
        if product_weight:
            self.graph = self.graph.add_product(("user", "item"), ("item", "word"), weight=product_weight)
        self.fitted = self._fit()

    def time_fit(self, product_weight: float) -> None:
        self._fit()

    def time_fold_in(self, product_weight: float) -> None:
        self._folded()

    def peakmem_fit(self, product_weight: float) -> None:
        self._fit()

    def track_largest_residual(self, product_weight: float) -> float:
        """Measure ‖R v − λ v‖ / λ anew, in double precision, whatever the solver says of itself."""
        pairs = np.concatenate([self.fitted.eigenvalues_[None], *self.fitted.concepts_.values()])
        return Judge(self.blocks, product_weight).residual(pairs)

    def track_neighbours_that_share_topics(self, product_weight: float) -> float:
        """Give the nDCG@10 of searching the items with 500 users, who are placed by their items alone."""
        users, items = ([{topic} for topic in self.topics[kind].tolist()] for kind in ("user", "item"))
        return overlap_ndcg(self._folded(), self.fitted.positions_["item"], users[:500], items)

    def _fit(self) -> MLSA:
        return MLSA(profile().n_components).fit(self.graph)

    def _folded(self) -> np.ndarray:
        return self.fitted.fold_in("user", {"item": self.blocks["user", "item"][:500]})


class GraphSpace:
    """Laplacian eigenmaps of four fifths of the records, by their words alone and with labels in the graph."""

    params = ((0.0, 0.5),)
    param_names = ("label_weight",)
    timeout = 900

    def setup(self, label_weight: float) -> None:
        X, self.Y = collection(profile())
        self.n_train = X.shape[0] * 4 // 5
        self.X, self.new = X[: self.n_train], X[self.n_train :]
        self.fitted = self._fit(label_weight)

    def time_fit(self, label_weight: float) -> None:
        self._fit(label_weight)

    def time_transform(self, label_weight: float) -> None:
        self.fitted.transform(self.new)

    def peakmem_fit(self, label_weight: float) -> None:
        self._fit(label_weight)

    def track_largest_residual(self, label_weight: float) -> float:
        """Measure ‖D^−½ (L z − λ D z)‖ / ‖D^½ z‖ anew, in double precision, whatever the solver says of itself."""
        return GraphJudge(self.fitted.graph_).residual(self.fitted.embedding_)

    def track_neighbours_that_share_topics(self, label_weight: float) -> float:
        """Give the nDCG@10 of searching the training records with 500 new ones."""
        asked = self.fitted.transform(self.new[:500])
        return overlap_ndcg(asked, self.fitted.transform(self.X), self.Y[self.n_train :][:500], self.Y[: self.n_train])

    def _fit(self, label_weight: float) -> GraphEmbedding:
        return GraphEmbedding(profile().n_components, label_weight=label_weight).fit(self.X, self.Y[: self.n_train])
