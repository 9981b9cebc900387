"""Small steps run on one BLAS thread, and afterwards everything is as it was, whoever else was inside."""

from __future__ import annotations

import threading

import numpy as np  # noqa: F401 # loads the BLAS library that the limit is for
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tacit.machine import one_thread


def threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads() -> object:
    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("the BLAS library of this machine does not let its threads be counted")
        yield


def test_small_work_has_one_thread_and_large_work_all() -> None:
    with one_thread():
        assert threads() == {1}
    assert threads() == {2}
    with one_thread(1e12):
        assert threads() == {2}


def test_limits_may_overlap_in_one_thread() -> None:
    with one_thread():
        with one_thread():
            pass
        assert threads() == {1}
    assert threads() == {2}


def test_an_error_inside_takes_the_limit_away() -> None:
    with pytest.raises(ZeroDivisionError), one_thread():
        1 / 0  # noqa: B018
    assert threads() == {2}


def test_another_thread_inside_neither_changes_nor_keeps_the_limit() -> None:
    inside, leave, seen = threading.Event(), threading.Event(), []

    def stay() -> None:
        with one_thread():
            seen.append(threads())
            inside.set()
            leave.wait(10)

    other = threading.Thread(target=stay)
    with one_thread():
        other.start()
        assert inside.wait(10)
    assert threads() == {2}
    leave.set()
    other.join()
    assert seen == [{1}]
    assert threads() == {2}
