"""Models on a cluster of processes: the matrix stays where it is, and a worker that is killed does not end a fit."""

from __future__ import annotations

import json
import os
import signal
import time

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import LSI, MLSA, MLSI, Relations
from tacit.corpus import Record
from tacit.errors import InputError, TacitError
from tacit.machine import n_threads
from tacit.operators.rows.dask import ClusterRows, cluster_rows, cluster_texts
from tacit.operators.rows.disk_writer import write_rows
from tacit.text.settings import TextSettings
from tacit.text.words import Words

dask = pytest.importorskip("dask", reason="dask[distributed] is not installed")
bag = pytest.importorskip("dask.bag", reason="dask[distributed] is not installed")


def matrix(n_rows=900, n_columns=400, density=0.05):
    """A matrix whose singular values fall fast, so that a few products find the first ones."""
    X = sp.random_array((n_rows, n_columns), density=density, rng=np.random.default_rng(1), format="csr")
    return sp.csr_array(X @ sp.diags_array(0.9 ** np.arange(n_columns) + 1e-3))


class Deadly(ClusterRows):
    """Kills a worker, hard and in the middle, when the second product is on its way, and the other one later."""

    n_products, victims = 0, ()

    def _started(self, *arguments):
        client = self.cluster.client
        self.n_products += 1
        self.victims = self.victims or tuple(client.run(os.getpid).values())
        if self.n_products == 4:
            client.wait_for_workers(2, timeout=300)  # or nobody would be left
        started = super()._started(*arguments)
        if self.n_products in (2, 4):
            os.kill(self.victims[self.n_products == 4], signal.SIGKILL)
        return started


def test_killed_workers_do_not_lose_the_fit(client, tmp_path):
    """Nor what other rows had on them, of whatever source."""
    client.wait_for_workers(2, timeout=300)
    X = matrix()
    folder = write_rows(tmp_path / "rows", X, rows_per_shard=100).folder
    delayed = [dask.delayed(X[start : start + 100]) for start in range(0, 900, 100)]
    held = [cluster_rows(source, client) for source in (X, delayed, folder)]
    model = LSI(4, solver="krylov", tol=1e-4)
    expected = [model.fit(rows).components_ for rows in held]
    before = client.run(os.getpid)
    deadly = Deadly(held[0].facts, held[0].futures, held[0].cluster)
    found = model.fit(deadly).components_
    assert deadly.n_products > 4
    client.wait_for_workers(2, timeout=300)
    assert set(client.run(os.getpid).values()).isdisjoint(before.values())
    np.testing.assert_allclose(model.singular_values_, np.linalg.svd(X.toarray())[1][:4], rtol=1e-8)
    np.testing.assert_array_equal(found, expected[0])  # to the last bit, with or without a death
    for rows, components in zip(held[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(model.fit(rows).components_, components)


def test_scattered_data_that_is_lost_is_one_sentence(client):
    client.wait_for_workers(2, timeout=300)
    pids = client.run(os.getpid)
    home = sorted(pids)[0]
    rows = cluster_rows([client.scatter(matrix(50), workers=[home])], client)
    os.kill(pids[home], signal.SIGKILL)
    while home in client.nthreads():  # until the scheduler notices
        time.sleep(0.05)
    with pytest.raises(TacitError, match=r"the cluster lost data that it cannot make again .* Pass delayed objects"):
        rows.gram(np.ones((400, 1)))
    client.wait_for_workers(2, timeout=300)


def moved_keys(dask_worker):
    return {str(key): size for transfer in dask_worker.transfer_incoming_log for key, size in transfer["keys"].items()}


def test_the_matrix_stays_where_it_is(client):
    """Between workers, vectors and sums go; no block does, and what goes is far less than the matrix."""
    client.wait_for_workers(2, timeout=300)
    X = matrix(20_000, 1_000, density=0.02)
    rows = cluster_rows(X, client)
    seen = {address: set(keys) for address, keys in client.run(moved_keys).items()}
    V = np.random.default_rng(0).standard_normal((1_000, 4))
    for _ in range(3):
        rows.gram(V)
    moved = {
        key: size
        for address, keys in client.run(moved_keys).items()
        for key, size in keys.items()
        if key not in seen[address]
    }
    blocks = {future.key for future in rows.futures}
    assert moved  # V at least went to one of them from the other
    assert not blocks & set(moved)
    assert sum(moved.values()) < X.data.nbytes / 4


def test_workers_do_not_fight_for_cores(client):
    assert set(client.run(n_threads).values()) == {1}


def test_relations_on_a_cluster(client):
    X, authors = matrix(200, 60), matrix(200, 15, density=0.2)
    spaces = []
    for words in (X, cluster_rows(X, client)):
        graph = Relations().add("record", "word", words, normalise="tfidf").add("record", "author", authors)
        graph = graph.add_product(("author", "record"), "record-word", name="author-word")
        spaces.append(MLSA(3, solver="krylov", tol=1e-2).fit(graph))
    np.testing.assert_allclose(spaces[0].eigenvalues_, spaces[1].eigenvalues_, rtol=1e-8)
    for kind in ("record", "word", "author"):
        np.testing.assert_allclose(spaces[0].positions_[kind], spaces[1].positions_[kind], atol=1e-6)


ANIMALS = ["cats", "dogs", "horses", "sheep", "lions"]
PLACES = ["in the garden", "by the sea", "on the hill", "in the house", "over the bridge", "in the garden by the sea"]
RECORDS = [
    {
        "id": f"r{i}",
        "text": f"The {ANIMALS[i % 5]} run {PLACES[i % 6]} and {ANIMALS[i % 3]} sleep",
        "labels": [ANIMALS[i % 5]],
    }
    for i in range(40)
]
SETTINGS = [TextSettings(), TextSettings(min_records=1, max_terms=6, ngrams=2), TextSettings(max_share=0.5)]


def written(folder):
    for part in range(3):
        lines = [json.dumps(record) for record in RECORDS[part * 15 : part * 15 + 15]]
        (folder / f"part {part}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


PARTS = {
    "texts": lambda folder: bag.from_sequence([record["text"] for record in RECORDS], npartitions=3),
    "mappings": lambda folder: bag.from_sequence(RECORDS, npartitions=4),
    "records": lambda folder: bag.from_sequence([Record(**record) for record in RECORDS], npartitions=2),
    "folder": written,
    "files": lambda folder: sorted(written(folder).iterdir()),
}


@pytest.mark.parametrize(
    ("parts", "settings"),
    [("texts", 0), ("mappings", 1), ("records", 2), ("folder", 1), ("files", 2)],
)
def test_words_of_many_parts_are_those_of_all_texts(client, tmp_path, parts, settings):
    settings = SETTINGS[settings]
    found = cluster_texts(PARTS[parts](tmp_path), client, settings=settings)
    words, X = Words.fit([record["text"] for record in RECORDS], settings)
    assert found.words.terms == words.terms
    np.testing.assert_array_equal(found.words.weights, words.weights)
    np.testing.assert_allclose(found.rows.to_dense(), X.toarray(), atol=1e-6)
    assert found.rows.dtype == np.float32
    if parts != "texts":
        assert found.ids == [record["id"] for record in RECORDS]
        assert found.labels == [tuple(record["labels"]) for record in RECORDS]


def test_a_space_of_files_on_a_cluster(client, tmp_path):
    found = cluster_texts(written(tmp_path), client)
    X = Words.fit([record["text"] for record in RECORDS])[1]
    spaces = [MLSI(3, solver="augmented", tol=1e-5).fit(rows, found.labels) for rows in (X, found.rows)]
    np.testing.assert_allclose(spaces[0].eigenvalues_, spaces[1].eigenvalues_, rtol=1e-4)


def test_what_is_no_text(client, tmp_path):
    with pytest.raises(InputError, match="source holds something other than texts: got int, expected texts"):
        cluster_texts(bag.from_sequence([1, 2]), client)
    with pytest.raises(InputError, match="source holds something other than texts: got dict"):
        cluster_texts(bag.from_sequence([{"text": "a cat", "labels": "cats"}]), client)
    with pytest.raises(InputError, match="source holds no texts: got int"):
        cluster_texts(7, client)
    with pytest.raises(InputError, match="columns does not apply: got a Dask bag"):
        cluster_texts(bag.from_sequence(["a"]), client, columns=object())
    with pytest.raises(InputError, match=r"no words to index: no word is in enough records \(at least 2\)"):
        cluster_texts(bag.from_sequence(["some cats", "some dogs"], npartitions=2), client)
