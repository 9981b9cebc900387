"""Work shared among threads: the same numbers to the last bit, every item once, errors told, forks and nesting.

How many there are is what the user, threadpoolctl and joblib allow, and what others are not at work with already.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections.abc import Iterator

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from pairwise import pairwise
from threadpoolctl import threadpool_info, threadpool_limits

from tacit import machine as threads
from tacit.machine import n_threads, one_thread, share
from tacit.operators import Gram, Stacked, as_operator


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As many threads as some machines have, on any machine, whatever the tests were started with."""
    monkeypatch.setattr(threads, "_cores", lambda: 4)
    monkeypatch.setattr(threads._BLAS, "threads", lambda: None)  # it has as many as this machine
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    threads._asked.cache_clear()
    read = threads._asked
    yield
    read.cache_clear()


@pytest.mark.parametrize(
    ("asked", "expected"), [("1", 1), ("3", 3), ("64", 4), ("2,4", 2), ("", 4), ("0", 4), ("many", 4)]
)
def test_fewer_threads_may_be_asked_for(monkeypatch: pytest.MonkeyPatch, asked: str, expected: int) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert n_threads() == expected
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # as Dask does in a process that starts workers, and leaves it there
    assert n_threads() == expected


@pytest.fixture
def blas_of_two(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.undo()
    monkeypatch.setattr(threads, "_cores", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # too late
    with threadpool_limits(2, user_api="blas"):
        if {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"} != {2}:
            pytest.skip("the BLAS library of this machine does not let its threads be counted")
        yield


@pytest.mark.usefixtures("blas_of_two")
def test_whoever_limits_the_matrix_library_limits_us_and_our_own_limit_does_not() -> None:
    assert n_threads() == 2
    with threadpool_limits(1):
        assert n_threads() == 1
        with one_thread():
            assert n_threads() == 1
    with one_thread(), one_thread():  # small steps on one BLAS thread, in as many of our own
        assert n_threads() == 2
    assert n_threads() == 2


@pytest.mark.usefixtures("blas_of_two")
def test_another_thread_sees_through_our_own_limit_too() -> None:
    seen: list[int] = []
    with one_thread():
        other = threading.Thread(target=lambda: seen.append(n_threads()))
        other.start()
        other.join()
    assert seen == [2]


def test_workers_of_joblib_get_the_threads_that_it_gives_them() -> None:
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        assert joblib.Parallel(n_jobs=2)(joblib.delayed(n_threads)() for _ in range(2)) == [1, 1]


def test_callers_side_by_side_have_no_more_helpers_than_cores_are_left() -> None:
    n_callers, at_work, most = 3, [0], [0]
    lock, ready = threading.Lock(), threading.Barrier(n_callers, timeout=20)

    def task(item: int) -> None:
        with lock:
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
        time.sleep(0.002)
        with lock:
            at_work[0] -= 1

    def caller() -> None:
        share(lambda item: ready.wait(), [0])  # all three are at work now, and none of them has a helper
        most[0] = 0
        for _ in range(5):
            share(task, range(12))

    callers = [threading.Thread(target=caller) for _ in range(n_callers)]
    for each in callers:
        each.start()
    for each in callers:
        each.join(30)
    assert 2 <= most[0] <= 4 + n_callers - 1  # four cores; a caller works whether or not there is one left


def test_every_item_is_done_once_and_by_several_threads() -> None:
    done: list[tuple[int, int]] = []
    together = threading.Barrier(3, timeout=20)  # nobody gets past it alone

    def task(item: int) -> None:
        if item < 3:
            together.wait()
        done.append((item, threading.get_ident()))

    share(task, range(40))
    assert sorted(item for item, _ in done) == list(range(40))
    assert len({thread for _, thread in done}) >= 3


def test_one_thread_is_the_one_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_asked", lambda: 1)
    seen: set[int] = set()
    share(lambda item: seen.add(threading.get_ident()), range(20))
    assert seen == {threading.get_ident()}


def test_an_error_in_any_thread_comes_back_and_stops_the_rest() -> None:
    done: list[int] = []
    together = threading.Barrier(2, timeout=20)
    caller = threading.get_ident()

    def task(item: int) -> None:
        if item < 2:
            together.wait()
            if threading.get_ident() != caller:
                raise MemoryError("in a helper")
        done.append(item)

    with pytest.raises(MemoryError, match="in a helper"):
        share(task, range(2))

    def fail(item: int) -> None:
        raise ZeroDivisionError("at once")

    with pytest.raises(ZeroDivisionError, match="at once"):
        share(fail, range(100))
    share(done.append, range(10, 15))
    assert set(range(10, 15)) <= set(done)


def test_calls_may_be_nested_and_come_from_many_threads() -> None:
    sums = np.zeros((8, 6, 5))

    def outer(i: int) -> None:
        share(lambda j: share(lambda k: sums.__setitem__((i, j, k), 1), range(5)), range(6))

    callers = [threading.Thread(target=share, args=(outer, [i, i + 4])) for i in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(30)
    assert sums.all()


def test_what_numpy_is_to_do_about_overflow_holds_in_every_thread() -> None:
    together = threading.Barrier(4, timeout=20)
    found: list[str] = []

    def task(item: int) -> None:
        together.wait()
        found.append(np.geterr()["over"])

    with np.errstate(over="raise"):
        share(task, range(4))
    assert found == ["raise"] * 4


@pairwise(order=["C", "F"], form=["csr", "csc"], dtype=[np.float32, np.float64])
def test_products_are_those_of_one_thread_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, dtype: type, form: str, order: str
) -> None:
    rng = np.random.default_rng(0)
    A = sp.random_array((4000, 3000), density=0.01, format=form, rng=rng, dtype=np.float64).astype(dtype)
    V = np.asarray(rng.standard_normal((3000, 53)), dtype, order=order)  # type: ignore[call-overload]
    U = np.asarray(rng.standard_normal((4000, 53)), dtype, order=order)  # type: ignore[call-overload]
    stacked = Stacked([A, rng.standard_normal((4000, 5)).astype(dtype)])
    W = np.vstack([V, V[:5]])
    shared = [as_operator(A) @ V, as_operator(A).T @ U, Gram(A, shift=0.5) @ V, Gram(A.T) @ U, Gram(stacked) @ W]
    np.testing.assert_array_equal(shared[0], A @ V)  # SciPy's own, all columns at once
    np.testing.assert_array_equal(shared[1], A.T @ U)
    np.testing.assert_array_equal(shared[3], A @ (A.T @ U))
    monkeypatch.setattr(threads, "_asked", lambda: 1)
    alone = [as_operator(A) @ V, as_operator(A).T @ U, Gram(A, shift=0.5) @ V, Gram(A.T) @ U, Gram(stacked) @ W]
    for several, one in zip(shared, alone, strict=True):
        assert several.dtype == dtype
        np.testing.assert_array_equal(several, one)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork safely, and do not by default")
def test_a_forked_process_has_helpers_of_its_own() -> None:
    share(lambda item: None, range(8))  # so that there is a pool whose threads the child will not have

    def child(answers: multiprocessing.queues.Queue) -> None:
        together = threading.Barrier(2, timeout=20)
        share(lambda item: together.wait(), range(2))
        answers.put("done")

    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=child, args=(answers,))
    process.start()
    assert answers.get(timeout=30) == "done"
    process.join(30)
    assert process.exitcode == 0
