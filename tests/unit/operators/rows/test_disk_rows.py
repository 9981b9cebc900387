"""Rows on disk: the products of the matrix, within the limit, and one clear sentence for each kind of damage."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import weakref
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import InputError
from tacit.checks import is_outside_memory
from tacit.operators import Centred, Gram, Scaled, Stacked, as_operator
from tacit.operators.rows.blocks import RowView, adjoint_blocks, as_view, in_double, take_rows
from tacit.operators.rows.disk import MANIFEST, PARTS, DiskRows, file_name, open_rows
from tacit.operators.rows.disk_writer import write_rows


def matrix(n_rows=400, n_columns=70, *, density=0.1, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return sp.random_array((n_rows, n_columns), density=density, rng=rng, format="csr").astype(dtype)


def cut(A, *edges):
    edges = [0, *edges, A.shape[0]]
    return [A[start:stop] for start, stop in pairwise(edges)]


def joined(rows):
    return np.concatenate([block.toarray() for block in rows.blocks()])


@pytest.fixture
def rows(tmp_path) -> DiskRows:
    return write_rows(tmp_path / "rows", matrix(), bytes_per_shard=4_000)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_shards_held", [1, 2, 5, 100])
def test_products_are_those_of_the_matrix(tmp_path, rng, dtype, n_shards_held):
    A = matrix(dtype=dtype)
    rows = write_rows(tmp_path / "rows", cut(A, 3, 3, 250), bytes_per_shard=4_000, memory_limit=4_000 * n_shards_held)
    assert len(rows.facts.edges) > 6
    V, U = rng.standard_normal((70, 20)).astype(dtype), rng.standard_normal((400, 20)).astype(dtype)
    for _ in range(2):  # what is kept gives the same again
        for got, expected in (
            (rows @ V, A @ V),
            (rows.T @ U, A.T @ U),
            (rows @ V[:, 0], A @ V[:, 0]),
            (rows.gram(V), A.T @ (A @ V)),
            (Gram(rows.T) @ U, A @ (A.T @ U)),
        ):
            assert got.dtype == dtype
            np.testing.assert_allclose(got, expected, atol=(1e-12 if dtype == np.float64 else 1e-4))
    np.testing.assert_array_equal(joined(rows), A.toarray())
    np.testing.assert_allclose(rows.row_squares(), (A.toarray().astype(np.float64) ** 2).sum(axis=1))
    np.testing.assert_allclose(rows.column_squares(), (A.toarray().astype(np.float64) ** 2).sum(axis=0))


def test_it_knows_its_facts_without_reading(tmp_path):
    A = matrix().tolil()
    A[5:9] = 0
    A = sp.csr_array(A)
    A.data[3] = 0  # a zero that is stored is no entry
    rows = open_rows(write_rows(tmp_path / "rows", A, rows_per_shard=90).folder)
    assert rows.facts.edges == (0, 90, 180, 270, 360, 400)
    assert (rows.shape, rows.dtype, rows.nnz) == (A.shape, A.dtype, A.nnz - 1)
    assert rows.facts.n_filled == np.count_nonzero(A.toarray().any(axis=1))
    assert rows.squared_norm() == pytest.approx(np.square(A.data).sum())
    assert rows.n_reads == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_solvers_see_the_same_size_wherever_the_rows_are(tmp_path, dtype):
    """They choose by it how many columns search together, and another choice is another answer, within its `tol`."""
    A = matrix(dtype=dtype)
    rows = write_rows(tmp_path / "rows", A, bytes_per_shard=2000)
    assert rows.n_bytes == as_operator(A).n_bytes == Gram(rows).n_bytes == as_view(rows).n_bytes
    assert take_rows(rows, np.arange(100)).n_bytes == pytest.approx(as_operator(A[:100]).n_bytes, rel=0.1)


@settings(deadline=None, max_examples=15)
@given(st.lists(st.integers(0, 120), max_size=6), st.integers(1_500, 9_000), st.integers(25, 200))
def test_shards_do_not_depend_on_the_blocks_they_came_in(tmp_path_factory, cuts, n_bytes, n_rows):
    A = matrix(120)
    place = tmp_path_factory.mktemp("rows")
    sizes = {"bytes_per_shard": n_bytes, "rows_per_shard": n_rows}
    one = write_rows(place / "one", A, **sizes)
    other = write_rows(place / "other", cut(A, *sorted(cuts)), **sizes)
    assert one.facts == other.facts
    V = np.random.default_rng(0).standard_normal((70, 3))
    np.testing.assert_array_equal(one.gram(V), other.gram(V))
    assert np.diff(one.facts.edges).max() <= n_rows
    largest = max(size for size, length in zip(_shard_bytes(one), np.diff(one.facts.edges), strict=True) if length > 1)
    assert largest <= n_bytes


def _shard_bytes(rows):
    return [sum((rows.folder / file_name(n, part)).stat().st_size for part in PARTS) for n in range(_n_shards(rows))]


def _n_shards(rows):
    return len(rows.facts.edges) - 1


def test_any_form_of_matrix_is_written_alike(tmp_path):
    A = matrix(50)
    coo = sp.coo_array(A)
    twice = sp.coo_array((np.tile(coo.data / 2, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2))), shape=A.shape)
    forms = [A, sp.csr_matrix(A), A.tocsc(), twice, [A.toarray()], [A[:20].toarray(), A[20:].tocoo()]]
    for number, form in enumerate(forms):
        np.testing.assert_allclose(joined(write_rows(tmp_path / str(number), form)), A.toarray())
    assert write_rows(tmp_path / "whole numbers", [np.eye(3, dtype=int)]).dtype == np.float64


def test_columns_may_be_told_before_they_are_seen(tmp_path):
    A = matrix(30)
    wider = write_rows(tmp_path / "wider", [A[:10, :40], A[10:]], n_columns=90)
    assert wider.shape == (30, 90)
    expected = np.zeros((30, 90))
    expected[:, :70] = A.toarray()
    expected[:10, 40:] = 0
    np.testing.assert_array_equal(joined(wider), expected)


def test_what_fits_is_read_once_and_the_rest_again(tmp_path):
    rows = write_rows(tmp_path / "rows", matrix(), bytes_per_shard=4_000)
    n, V = _n_shards(rows), np.ones((70, 2))
    for shards_held, kept in ((n, n), (6, 4), (2, 0), (1, 0)):
        again = open_rows(rows.folder, memory_limit=4_000 * shards_held)
        for _ in range(3):
            again @ V
        assert again.n_kept >= kept
        assert again.n_reads == again.n_kept + 3 * (n - again.n_kept)


def test_never_more_shards_than_the_limit_are_alive(tmp_path):
    rows = write_rows(tmp_path / "rows", matrix(2_000), bytes_per_shard=4_000)
    alive, most = [], []
    read = DiskRows._shard

    class Watched(DiskRows):
        def _shard(self, shard, slot=None):
            block = read(self, shard, slot)
            alive.append(weakref.ref(block))
            most.append(len({id(each()) for each in alive if each() is not None}))
            return block

    for n_held, expected in ((1, 1), (2, 2), (7, 7)):
        alive.clear(), most.clear()
        watched = Watched(rows.folder, memory_limit=4_000 * n_held)
        watched.gram(np.ones((70, 2)))
        watched @ np.ones((70, 2))
        watched.T @ np.ones((2_000, 2))
        assert max(most) <= expected


def test_blocks_stay_what_they_are(rows):
    small = open_rows(rows.folder, memory_limit=9_000)
    blocks = list(small.blocks())
    small @ np.ones(70)
    np.testing.assert_array_equal(np.concatenate([block.toarray() for block in blocks]), matrix().toarray())


def test_rows_can_be_sent_to_another_process(rows):
    small = open_rows(rows.folder, memory_limit=9_000)
    expected = small @ np.ones(70)
    again = pickle.loads(pickle.dumps(small))
    assert (again.memory_limit, again.folder, again.n_reads) == (9_000, small.folder, 0)
    np.testing.assert_array_equal(again @ np.ones(70), expected)


def test_sums_are_the_same_bits_every_time_and_in_every_thread(rows, rng):
    V = rng.standard_normal((70, 9))
    expected, found = rows.gram(V), []
    small = open_rows(rows.folder, memory_limit=9_000)
    threads = [threading.Thread(target=lambda: found.append(small.gram(V))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for each in found:
        np.testing.assert_array_equal(each, expected)


def test_an_unfinished_pass_stops_its_reader(rows):
    small = open_rows(rows.folder, memory_limit=9_000)
    n_before = threading.active_count()
    blocks = small._shards()
    next(blocks)
    blocks.close()
    assert threading.active_count() == n_before
    assert small.n_reads <= 2


def test_what_is_made_of_rows_goes_through_them_as_a_whole(rows, rng):
    A, extra = matrix(), rng.standard_normal((400, 5))
    V, W, U = rng.standard_normal((70, 40)), rng.standard_normal((75, 40)), rng.standard_normal((400, 40))
    centred = A.toarray() - A.toarray().mean(axis=0)
    scales = rng.random(400)
    both = np.hstack([A.toarray(), extra])
    for operator, dense, block, n_passes in (
        (Centred(rows), centred, V, 2),  # of which one sums the rows, once for all
        (Centred(rows, A.toarray()[0]), A.toarray() - A.toarray()[0], V, 2),
        (Scaled(rows, rows=scales), scales[:, None] * A.toarray(), V, 2),
        (Stacked([rows, extra]), both, W, 2),  # of which one multiplies with what is beside the rows, once for all
        (Stacked([rows, extra]).T, both.T, U, 2),
    ):
        small = open_rows(rows.folder, memory_limit=9_000)
        _replace(operator, small)
        np.testing.assert_allclose(Gram(operator) @ block, dense.T @ (dense @ block), atol=1e-9)
        assert small.n_reads == n_passes * _n_shards(rows)
        np.testing.assert_array_equal(Gram(operator) @ block, Gram(operator) @ block)
        n_later = 1 if isinstance(operator, (Centred, Stacked)) else 2
        assert small.n_reads == (n_passes + 2 * n_later) * _n_shards(rows)


def _replace(operator, rows):
    """Put rows that were not read yet in the place of others."""
    inner = getattr(operator, "operator", operator)
    if isinstance(inner, Stacked):
        inner.blocks[0] = rows
    else:
        operator.operator = rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_views_are_what_a_matrix_in_memory_would_be(tmp_path, rng, dtype):
    A = matrix(dtype=dtype).toarray()
    A[7] = 0
    rows = write_rows(tmp_path / "rows", sp.csr_array(A), bytes_per_shard=4_000)
    chosen = rng.permutation(400)[:150]
    lengths = np.linalg.norm(A.astype(np.float64), axis=1, keepdims=True)
    unit = A / np.where(lengths > 0, lengths, 1)
    others = np.setdiff1d(np.arange(400), chosen)
    for view, dense in (
        (as_view(rows), A),
        (take_rows(rows, chosen), A[chosen]),
        (take_rows(take_rows(rows, chosen), np.arange(9)), A[chosen[:9]]),
        (as_view(rows).of_unit_length(), unit),
        (as_view(rows).of_unit_length().take(chosen), unit[chosen]),
        (in_double(take_rows(rows, chosen)), A[chosen]),
        (take_rows(rows, chosen).with_more(take_rows(rows, others)), A[np.append(chosen, others)]),
    ):
        wide = in_double(view)
        assert is_outside_memory(view)
        assert isinstance(as_view(view), RowView)
        V, U = rng.standard_normal((70, 6)), rng.standard_normal((len(dense), 6))
        np.testing.assert_allclose(wide @ V, dense @ V, atol=1e-5)
        np.testing.assert_allclose(wide.T @ U, dense.T @ U, atol=1e-5)
        np.testing.assert_allclose(wide.gram(V), dense.T @ (dense @ V), atol=1e-4)
        assert (wide @ V).dtype == (wide.T @ U).dtype == wide.gram(V).dtype == np.float64
        assert (view @ V.astype(dtype)).dtype == view.dtype
        np.testing.assert_allclose(view.row_squares(), np.square(dense, dtype=np.float64).sum(axis=1), rtol=1e-5)
        np.testing.assert_allclose(view.column_squares(), np.square(dense, dtype=np.float64).sum(axis=0), rtol=1e-5)
        assert view.squared_norm() == pytest.approx(np.square(dense, dtype=np.float64).sum(), rel=1e-5)


def test_what_is_in_memory_is_no_view():
    A = matrix(20)
    assert not is_outside_memory(A)
    assert (take_rows(A, np.array([3, 1])) != A[[3, 1]]).nnz == 0
    assert in_double(A) is A or (in_double(A) != A).nnz == 0


def test_sparse_columns_go_through_some_at_a_time(rows, monkeypatch):
    Y = matrix(400, 53, seed=3)
    for n_bytes in (1, 2**27):
        monkeypatch.setattr("tacit.operators.rows.blocks._BYTES", n_bytes)
        parts = list(adjoint_blocks(rows, Y))
        assert len(parts) == (2 if n_bytes == 1 else 1)
        np.testing.assert_allclose(np.hstack([part for _, part in parts]), (matrix().T @ Y).toarray())
    assert parts[-1][0].stop == 53


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("damage", ["missing", "short", "long", "changed", "header"])
def test_each_kind_of_damage_is_told(rows, part, damage):
    path = rows.folder / file_name(1, part)
    content = bytearray(path.read_bytes())
    message = {
        "missing": "is missing: got 'No such file or directory', expected a file of",
        "short": rf"is incomplete: got {len(content) - 5} bytes, expected {len(content)}",
        "long": rf"is incomplete: got {len(content) + 5} bytes, expected {len(content)}",
        "changed": "is damaged: got content that does not match its checksum",
        "header": "is damaged: got ValueError on reading it, expected the complete array",
    }[damage]
    if damage == "missing":
        path.unlink()
    elif damage == "changed":
        content[-3] ^= 64
    elif damage == "header":
        content[:4] = b"none"
    if damage != "missing":
        path.write_bytes({"short": content[:-5], "long": content + b"hello"}.get(damage, content))
    with pytest.raises(InputError, match=rf"{path.name} {message}.*Write the rows again, or restore"):
        open_rows(rows.folder) @ np.ones(70)


def test_a_file_that_goes_while_it_is_in_use_is_told(rows):
    small = open_rows(rows.folder, memory_limit=9_000)
    small @ np.ones(70)
    (rows.folder / file_name(2, "data")).unlink()
    with pytest.raises(InputError, match=r"00002\.data\.npy is damaged: got FileNotFoundError on reading it"):
        small @ np.ones(70)


def test_a_file_that_grows_while_it_is_in_use_is_told(rows):
    small = open_rows(rows.folder, memory_limit=9_000)
    small @ np.ones(70)
    path = rows.folder / file_name(2, "data")
    np.save(path, np.ones(10_000))
    with pytest.raises(InputError, match=r"00002\.data\.npy is damaged: got ValueError on reading it"):
        small @ np.ones(70)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "folder holds no rows: got .* without manifest.json"),
        (b"", "manifest.json is damaged: got JSONDecodeError on reading it, expected a manifest"),
        (b"[1, 2]", "manifest.json is damaged: got TypeError"),
        (b"{}", "manifest.json is damaged: got KeyError"),
        (b"\xff\xfe\xfa", "manifest.json is damaged: got UnicodeDecodeError"),
    ],
)
def test_a_manifest_that_is_none_is_told(rows, content, message):
    path = rows.folder / MANIFEST
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        open_rows(rows.folder)


@pytest.mark.parametrize("name", ["edges", "n_columns", "dtype", "n_entries", "squared_norm", "n_filled", "files"])
def test_a_manifest_that_was_changed_is_told(rows, name):
    path = rows.folder / MANIFEST
    content = json.loads(path.read_text())
    content[name] = {"dtype": "float32", "files": {}, "edges": [0, 400]}.get(name, 1)
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"manifest\.json is damaged: got content that does not match its checksum"):
        open_rows(rows.folder)


def test_a_manifest_of_the_future_is_told(rows):
    path = rows.folder / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    with pytest.raises(InputError, match=r"has another format: got 2, expected 1. Use the version"):
        open_rows(rows.folder)


def test_a_path_to_nothing_is_told(tmp_path):
    with pytest.raises(InputError, match=r"folder is not a folder of rows: got .*nowhere.*one that write_rows"):
        open_rows(tmp_path / "nowhere")


def test_a_limit_below_one_shard_is_told(rows):
    with pytest.raises(
        InputError, match=r"memory_limit is too small for one shard: got 500 bytes, expected at least 3\.\d KiB"
    ):
        open_rows(rows.folder, memory_limit=500)
    with pytest.raises(InputError, match="memory_limit is out of range: got 0"):
        open_rows(rows.folder, memory_limit=0)


@pytest.mark.parametrize(
    ("blocks", "options", "message"),
    [
        ([], {}, "blocks holds no rows: got 0 blocks"),
        ([np.zeros((0, 4))], {}, "blocks holds no rows: got 1 blocks"),
        ([np.eye(4), np.eye(5)], {}, r"blocks\[1\] has a different number of columns: got 5, expected 4"),
        ([np.eye(4), np.eye(3)], {}, r"blocks\[1\] has a different number of columns: got 3, expected 4"),
        ([np.eye(4)], {"n_columns": 3}, r"blocks\[0\] has a different number of columns: got 4, expected at most 3"),
        ([np.eye(4), np.full((2, 4), np.nan)], {}, r"blocks\[1\] contains NaN: the first one is in row 0"),
        ([np.eye(4, dtype=np.float32), np.full((2, 4), 1e300)], {}, r"blocks\[1\] contains infinity"),
        ([np.ones(4)], {}, r"blocks\[0\] is not a matrix of real numbers: got 1 dimensions of float64"),
        ([np.eye(4) * 1j], {}, r"blocks\[0\] is not a matrix of real numbers: got 2 dimensions of complex128"),
        ([sp.csr_array((2, 2**31))], {}, "there are too many columns: got 2147483648, expected at most 2147483647"),
        ([np.eye(4)], {"bytes_per_shard": 0}, "bytes_per_shard is out of range: got 0"),
        ([np.eye(4)], {"bytes_per_shard": 2**34}, "bytes_per_shard is out of range: got 17179869184"),
        ([np.eye(4)], {"rows_per_shard": 0}, "rows_per_shard is out of range"),
        ([np.eye(4)], {"n_columns": 0}, "n_columns is out of range"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_bad_rows_are_refused_and_leave_nothing(tmp_path, blocks, options, message):
    with pytest.raises(InputError, match=message):
        write_rows(tmp_path / "rows", blocks, **options)
    assert not list(tmp_path.iterdir())


def test_rows_are_not_overwritten(rows, tmp_path):
    with pytest.raises(InputError, match=r"folder is in use: got .*expected a folder that does not exist or is empty"):
        write_rows(rows.folder, matrix())
    (tmp_path / "empty").mkdir()
    assert write_rows(tmp_path / "empty", matrix()).shape == (400, 70)


def test_an_error_in_the_blocks_leaves_nothing(tmp_path):
    def failing():
        yield matrix()
        raise OSError("the source is gone")

    with pytest.raises(OSError, match="the source is gone"):
        write_rows(tmp_path / "rows", failing(), bytes_per_shard=4_000)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process at once")
def test_a_writer_that_is_killed_leaves_nothing_that_opens(tmp_path):
    script = textwrap.dedent("""
        import os, signal, sys
        import scipy.sparse as sp
        from tacit.operators.rows.disk_writer import write_rows

        def blocks():
            yield sp.eye_array(500, format="csr")
            os.kill(os.getpid(), signal.SIGKILL)

        write_rows(sys.argv[1], blocks(), bytes_per_shard=1000)
    """)
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "rows")], env=dict(os.environ), check=False)
    assert done.returncode == -signal.SIGKILL
    with pytest.raises(InputError, match="folder is not a folder of rows"):
        open_rows(tmp_path / "rows")
    with pytest.raises(InputError, match="folder holds no rows"):
        open_rows(tmp_path / "rows.partial")
    with pytest.raises(InputError, match=r"folder is being written: got .*rows.partial.*Remove it if no other process"):
        write_rows(tmp_path / "rows", matrix())
