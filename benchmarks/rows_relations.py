"""Rows of `compare`: M-LSA by the products of its relations against SciPy's eigsh on the one matrix R of them all.

Both look for the same eigenpairs, the algebraically largest of R. How good they are is measured here, in double
precision and from the matrices of the relations alone, whatever either says of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.linalg as la
from comparison import Comparison, repeats
from jobs import assembled, places_of, save_matrix, save_relations, x_bytes
from runs import Job, run, run_interleaved
from synthetic import Blocks, planted_relations

__all__ = ["Judge", "compare_products", "compare_relations"]

_TOLS = (2e-2, 1e-2, 5e-3, 2e-3, 1e-3)
_TIGHT = 1e-5  # about what single precision allows
_PATIENCE = 60.0  # seconds after which a job is not repeated: R multiplied out takes minutes
_PRODUCT_WEIGHT = 0.1  # brings user-word to about the size of user-item
_ROUNDING = 1e-4  # of eigenvalues in float32, with room to spare


def compare_relations(folder: Path, *, small: bool) -> Comparison:
    """Compare MLSA with eigsh on four relations, at equal residuals and at eigsh's own tolerance."""
    return _compare("MLSA against SciPy's eigsh", folder, _made(folder, small), own_tol=True, small=small)


def compare_products(folder: Path, *, small: bool) -> Comparison:
    """Compare them with user-word as well, user-item times item-word, which eigsh gets multiplied out."""
    data = _made(folder, small, _PRODUCT_WEIGHT)
    return _compare("A relation that is a product", folder, data, own_tol=False, small=small)


class Data(NamedTuple):
    """The relations of a row, a sentence about them, and the memory they take."""

    blocks: Blocks
    product_weight: float
    k: int
    sentence: str
    bytes: int


def _made(folder: Path, small: bool, product_weight: float = 0.0) -> Data:
    """Make the relations and the whole matrix R, and leave both in the folder."""
    sizes = {"user": 200_000, "item": 60_000, "word": 40_000, "tag": 5_000}
    n_links, n_topics, k = 10_000_000, 100, 50
    if small:
        sizes, n_links, n_topics, k = {kind: size // 100 for kind, size in sizes.items()}, 50_000, 20, 10
    blocks, _ = planted_relations(sizes, n_links, n_topics=n_topics)
    save_relations(folder, blocks)
    R = assembled(blocks, product_weight)
    save_matrix(folder, "R", R)
    objects = ", ".join(f"{size:,} {kind}s" for kind, size in sizes.items())
    size, whole = sum(x_bytes(block) for block in blocks.values()), x_bytes(R)
    product = "user-word is user-item times item-word, two matrices for MLSA and multiplied out in R; "
    sentence = (
        f"{objects}; {sum(block.nnz for block in blocks.values()):,} non-zeros in four relations, which take "
        f"{size / 2**20:.0f} MiB; {product if product_weight else ''}"
        f"R has {R.nnz:,} and takes {whole / 2**20:.0f} MiB. k = {k}, float32."
    )
    return Data(blocks, product_weight, k, sentence, size)


def _compare(title: str, folder: Path, data: Data, *, own_tol: bool, small: bool) -> Comparison:
    """Compare both at equal residuals, in time and memory, and with `own_tol` eigsh at its default as well."""
    ours = Job("mlsa", {"n_components": data.k, "product_weight": data.product_weight})
    theirs = Job("scipy_eigsh", {"n_components": data.k, "tol": 0.0})
    judge = Judge(data.blocks, data.product_weight)
    tol, reached = _loosest(folder, judge, theirs, judge.residual(run(folder, ours).result), _TOLS)
    first, tight, peer, exact = "MLSA, default tol", f"MLSA, tol={_TIGHT:g}", f"eigsh, tol={tol:g}", "eigsh, tol=0"
    solvers = {first: ours, tight: ours.changed(tol=_TIGHT), peer: theirs.changed(tol=tol)}
    if own_tol:
        solvers[exact] = theirs
    assemble = Job("assemble", {"product_weight": data.product_weight})
    makers = {"making the relations": Job("relate", {}), "making R": assemble}
    runs = run_interleaved(folder, solvers | makers, repeats=repeats(small), patience=_PATIENCE)

    reference = exact if own_tol else tight
    found = Comparison(title, f"{data.sentence} {_explained(reference)}", held="input")
    pairs = [(peer, first), (exact, tight), (exact, first)] if own_tol else [(peer, first)]
    for place, (slow, quick) in enumerate(pairs):
        wanted = 1 if reached and not place else None
        found.add(f"time of {slow} / time of {quick}", runs[slow].seconds / runs[quick].seconds, at_least=wanted)
    for what in (first, peer):
        found.add(f"memory of {what} / memory of the relations", runs[what].bytes / data.bytes)
    for what in solvers:
        found.add_run(what, runs[what], judge.verdict(runs[what].result, runs[reference].result))
    for what in makers:
        found.add_run(what, runs[what])
    return found


def _loosest(folder: Path, judge: Judge, job: Job, wanted: float, tols: Sequence[float]) -> tuple[float, bool]:
    """Give the loosest tolerance with a residual no larger than wanted, else the tightest; and if it is reached."""
    for tol in tols:
        if judge.residual(run(folder, job.changed(tol=tol)).result) <= wanted:
            return tol, True
    return tols[-1], False


def _explained(reference: str) -> str:
    return (
        "MLSA gets the relations and eigsh gets R; the time to make either has its own line. Quality: largest "
        "residual ‖R v − λ v‖ / λ, by which the tolerance of the first eigsh is chosen; largest relative error of an "
        "eigenvalue "
        f"and largest principal angle, both against {reference}."
    )


class Judge:
    """Says how good eigenpairs of R are; a result is a row of eigenvalues and then the vectors, a row an object."""

    def __init__(self, blocks: Blocks, product_weight: float = 0.0) -> None:
        self.blocks = {pair: block.astype(np.float64) for pair, block in blocks.items()}
        self.product_weight, self.places = product_weight, places_of(blocks)

    def residual(self, result: np.ndarray) -> float:
        """Give the largest ‖R v − λ v‖ / λ."""
        values, V = _pairs(result)
        return float((la.norm(self.times(V) - V * values, axis=0) / (np.abs(values) * la.norm(V, axis=0))).max())

    def values(self, result: np.ndarray) -> np.ndarray:
        """Give vᵀ R v, whose error is about the square of the residual, where single precision leaves its rounding."""
        _, V = _pairs(result)
        return np.asarray((V * self.times(V)).sum(axis=0) / (V * V).sum(axis=0))

    def verdict(self, result: np.ndarray, reference: np.ndarray) -> str:
        """Say in words how good a result is, by itself and beside another that is to be exact."""
        ratios = _pairs(result)[0] / self.values(reference)
        if ratios.max() > 1 + _ROUNDING:
            raise RuntimeError(f"the reference is not exact: another has a value {ratios.max() - 1:.1e} above it")
        text = f"residual {self.residual(result):.1e}, error {np.abs(ratios - 1).max():.1e}"
        if result is reference:
            return text
        return f"{text}, angle {la.subspace_angles(_pairs(result)[1], _pairs(reference)[1]).max():.1e}"

    def times(self, V: np.ndarray) -> np.ndarray:
        """Give R V."""
        product = np.zeros_like(V)
        for (row, column), block in self.blocks.items():
            product[self.places[row]] += block @ V[self.places[column]]
            product[self.places[column]] += block.T @ V[self.places[row]]
        if self.product_weight:
            users, words = self.places["user"], self.places["word"]
            first, second = self.blocks["user", "item"], self.blocks["item", "word"]
            product[users] += self.product_weight * (first @ (second @ V[words]))
            product[words] += self.product_weight * (second.T @ (first.T @ V[users]))
        return product


def _pairs(result: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give eigenvalues, largest first, and vectors in double precision."""
    result = result[:, np.argsort(-result[0])].astype(np.float64)
    return result[0], result[1:]
