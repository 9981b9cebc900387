"""Benchmarks of relations: what is planted, and what is solved."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import subspace_angles


def _few_relations(n_links: int = 4_000) -> tuple[Any, Any]:
    sizes = {"user": 200, "item": 120, "word": 90, "tag": 30}
    made, topics = importlib.import_module("synthetic").planted_relations(sizes, n_links, n_topics=8, dtype=np.float64)
    return made, topics


def test_planted_relations_have_the_links_asked_for_and_most_of_them_within_a_topic() -> None:
    blocks, topics = _few_relations()
    assert sum(block.nnz for block in blocks.values()) == 4_000
    for (row, column), block in blocks.items():
        assert block.shape == (topics[row].size, topics[column].size)
        n_of = np.diff(block.indptr)
        assert n_of.min() >= 1
        assert np.allclose(np.sqrt((block**2).sum(axis=1)), 1)
        linked = block.tocoo()
        alike = topics[row][linked.row] == topics[column][linked.col]
        by_chance = (topics[row][:, None] == topics[column]).mean()
        assert alike.mean() > by_chance + 0.2
    assert np.diff(blocks["user", "item"].indptr).max() > 5 * np.median(np.diff(blocks["user", "item"].indptr))


@pytest.mark.parametrize("product_weight", [0.0, 0.3])
def test_relations_are_assembled_and_judged_as_their_dense_matrix_is(product_weight: float) -> None:
    jobs, rows = importlib.import_module("jobs"), importlib.import_module("rows_relations")
    blocks, _ = _few_relations()
    items, words, tags, liked = (block.toarray() for block in blocks.values())
    upper = np.zeros((440, 440))
    upper[:200, 200:320], upper[:200, 320:410], upper[:200, 410:] = items, product_weight * items @ words, liked
    upper[200:320, 320:410], upper[200:320, 410:] = words, tags
    R = upper + upper.T
    assert np.allclose(jobs.assembled(blocks, product_weight).toarray(), R)
    values, vectors = (each[..., -6:] for each in np.linalg.eigh(R))
    exact, judge = np.vstack([values, vectors]), rows.Judge(blocks, product_weight)
    assert judge.residual(exact) < 1e-12
    off = np.vstack([values, vectors + 0.01 * np.roll(vectors, 1, axis=0)])
    expected = np.linalg.norm(R @ off[1:] - off[1:] * values, axis=0) / (values * np.linalg.norm(off[1:], axis=0))
    assert np.isclose(judge.residual(off), expected.max())
    for found in (
        jobs.mlsa(jobs.related(blocks), n_components=6, product_weight=product_weight, tol=1e-9),
        jobs.scipy_eigsh(jobs.assembled(blocks, product_weight), n_components=6, tol=0.0),
    ):
        result = np.concatenate(found)
        assert np.allclose(judge.values(result), values[::-1], rtol=1e-12)
        assert subspace_angles(result[1:], vectors).max() < 1e-6
        assert judge.verdict(result, exact).startswith("residual ")
    with pytest.raises(RuntimeError, match=r"the reference is not exact: another has a value .* above it"):
        judge.verdict(exact, exact[:, [*range(5), 0]])


@pytest.mark.usefixtures("jobs_here")
def test_jobs_on_relations_find_eigenpairs(tmp_path: Path) -> None:
    jobs, runs, rows = (importlib.import_module(name) for name in ("jobs", "runs", "rows_relations"))
    blocks, _ = _few_relations()
    jobs.save_relations(tmp_path, blocks)
    jobs.save_matrix(tmp_path, "R", jobs.assembled(blocks, 0.3))
    judge = rows.Judge(blocks, 0.3)
    ours = runs.run(tmp_path, runs.Job("mlsa", {"n_components": 4, "product_weight": 0.3, "tol": 1e-8}))
    assert ours.result.shape == (441, 4)
    assert judge.residual(ours.result) < 1e-7
    # the tightest of SciPy is the loosest that will do here
    peer = runs.Job("scipy_eigsh", {"n_components": 4})
    assert rows._loosest(tmp_path, judge, peer, 1e-10, (0.5, 0.0)) == (0.0, True)
