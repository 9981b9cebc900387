"""What the tests share: a planted collection with known topics, a seeded generator, the folder of the data sets."""

from __future__ import annotations

import os
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:  # there is a worker a core: more threads would only wait for each other
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from planted import Planted, plant


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Seed what random_state=None draws from, before any fixture, so that a test that passed once passes again."""
    np.random.seed(20050815)  # noqa: NPY002 - the global state is meant


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20050815)


@pytest.fixture(scope="session")
def planted() -> Planted:
    """120 training and 80 new records over 300 terms and 6 topics."""
    return plant(120, 80)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the named data sets; a test that asks for it is skipped where there is none."""
    folder = os.environ.get("TACIT_DATA")
    if not folder:
        pytest.skip("TACIT_DATA is not set: it names the folder that holds the data sets")
    return Path(folder)
