"""The ranker: boosted trees that turn the numbers of all witnesses into one probability, stored as plain arrays.

It computes what scikit-learn's `HistGradientBoostingClassifier` computes, so that an index can do without it:

    probability = 1 / (1 + exp(−(slope · mean over models of (base + Σ leaf values) + offset)))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.stored_arrays import check_numbers
from tacit.types import Array, Float64Array

__all__ = ["TreeRanker"]

_ARRAYS = ("features", "limits", "left", "right", "values", "roots", "constants")
_DEEPEST = 1_000
_CELLS = 400_000  # pairs x trees at a time, which fit into a cache


class TreeRanker:
    """Trees of several models, whose sums are averaged.

    Parameters
    ----------
    features, limits, left, right, values : one entry per node: which number is compared with which limit, the nodes for
        smaller or equal and for larger numbers, and what a leaf adds; a leaf leads to itself
    roots : the first node of each tree
    constants : slope, offset, number of models, mean base, depth of the deepest tree
    """

    def __init__(self, **arrays: Array) -> None:
        self.features, self.limits, self.left, self.right = (arrays[name] for name in _ARRAYS[:4])
        self.values, self.roots, self.constants = (arrays[name] for name in _ARRAYS[4:])
        # the two nodes after each in one list, and places as NumPy looks them up, which it would convert every time
        self._next = np.column_stack([self.right, self.left]).ravel().astype(np.intp)
        self._feature_places = np.asarray(self.features, np.intp)

    @classmethod
    def of_models(cls, models: Sequence[Any]) -> Self:
        """Copy fitted `HistGradientBoostingClassifier`s of two classes."""
        parts: dict[str, list[Array]] = {name: [] for name in ("features", "limits", "left", "right", "values")}
        roots, n_nodes, depth, base = [], 0, 1, 0.0
        for model in models:
            base += float(np.ravel(model._baseline_prediction)[0])
            for (tree,) in model._predictors:
                nodes = tree.nodes
                here = np.arange(len(nodes))
                is_leaf = nodes["is_leaf"].astype(bool)
                parts["features"].append(np.where(is_leaf, 0, nodes["feature_idx"]).astype(np.int16))
                parts["limits"].append(np.where(is_leaf, np.inf, nodes["num_threshold"]).astype(np.float64))
                parts["left"].append((np.where(is_leaf, here, nodes["left"]) + n_nodes).astype(np.int32))
                parts["right"].append((np.where(is_leaf, here, nodes["right"]) + n_nodes).astype(np.int32))
                parts["values"].append(np.where(is_leaf, nodes["value"], 0).astype(np.float64))
                roots.append(n_nodes)
                n_nodes += len(nodes)
                depth = max(depth, int(nodes["depth"].max(initial=0)))
        constants = np.array([1.0, 0.0, len(models), base / len(models), depth])
        joined = {name: np.concatenate(arrays) for name, arrays in parts.items()}
        return cls(**joined, roots=np.array(roots, np.int32), constants=constants)

    def raw(self, numbers: Array) -> Float64Array:
        """Return the mean sum of the models for rows of numbers."""
        _, _, n_models, base, depth = (float(value) for value in self.constants)
        n_rows, n_trees = len(numbers), len(self.roots)
        sums = np.empty(n_rows)
        step = max(1, _CELLS // max(1, n_trees))
        for start in range(0, n_rows, step):
            block = np.asarray(numbers[start : start + step], np.float64)
            flat, width = block.ravel(), block.shape[1]
            offset = (np.arange(len(block)) * width)[:, None]
            node = np.broadcast_to(self.roots.astype(np.intp), (len(block), n_trees))
            for _ in range(int(depth)):
                numbers_of = self._feature_places.take(node)
                numbers_of += offset
                smaller = flat.take(numbers_of) <= self.limits.take(node)
                node = self._next.take(2 * node + smaller)
            sums[start : start + step] = self.values.take(node).sum(axis=1)
        return base + sums / n_models

    def probabilities(self, raw: Float64Array) -> Float64Array:
        """Return the calibrated probabilities of raw sums."""
        slope, offset = (float(value) for value in self.constants[:2])
        return np.asarray(1 / (1 + np.exp(-np.clip(slope * raw + offset, -700, 700))))

    def calibrated(self, slope: float, offset: float) -> TreeRanker:
        """Return the ranker with another calibration."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return TreeRanker(**{**arrays, "constants": np.concatenate([[slope, offset], self.constants[2:]])})

    def save(self, writer: GenerationWriter, prefix: str = "ranker") -> None:
        """Write the trees into a new generation."""
        for name in _ARRAYS:
            writer.save_array(f"{prefix}_{name}", getattr(self, name))

    @classmethod
    def of_generation(cls, generation: Generation, n_numbers: int, prefix: str = "ranker") -> Self:
        """Open the trees of an index, which ask for so many numbers of a pair."""
        arrays = {name: np.asarray(generation.array(f"{prefix}_{name}")) for name in _ARRAYS}
        n_nodes = len(arrays["values"])
        for name in ("left", "right", "roots"):
            check_numbers(generation, f"{prefix}_{name}", n_nodes)
        check_numbers(generation, f"{prefix}_features", n_numbers)
        if any(len(arrays[name]) != n_nodes for name in ("features", "limits", "left", "right")):
            raise ValueError("trees with nodes of other lengths")
        constants = arrays["constants"]
        if constants.shape != (5,) or not np.isfinite(constants).all() or not 0 <= constants[4] <= _DEEPEST:
            raise ValueError(f"trees with the constants {constants.tolist()}")
        return cls(**arrays)
