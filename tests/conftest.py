"""What the tests share: a planted collection with known topics, a seeded generator, the folder of the data sets."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

if "PYTEST_XDIST_WORKER" in os.environ:  # there is a worker a core: more threads would only wait for each other
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from demo_run import DemoRun, run_demo
from hypothesis import settings
from planted import Planted, plant

settings.register_profile("brief", max_examples=40)  # what further examples find, other tests do
settings.load_profile("brief")

gc.set_threshold(50_000, 20, 100)  # tests and modules stay until the end: looking for garbage among them finds none


def pytest_collection_finish() -> None:
    """Leave what was collected out of the searches for garbage: every parse of a file would go through all of it."""
    gc.collect()
    gc.freeze()


# Files of which one worker runs all, one after the other, since they share something that takes long to make.
_TOGETHER = {
    "tests/backends/test_dask_models.py": "a cluster",
    "tests/backends/test_equations_everywhere.py": "a cluster",
    "tests/backends/test_every_model.py": "a cluster",
    "tests/backends/test_shrinkage_everywhere.py": "a cluster",
    "tests/backends/test_views_everywhere.py": "a cluster",
    "tests/cli/test_app.py": "the demonstration",
    "tests/docs/test_shell_pages.py": "the demonstration",
    "tests/unit/tasks/test_demo.py": "the demonstration",
}
_LONG = ("tests/backends/", "tests/benchmarks/", "tests/unit/models/common/test_memory.py", "tests/realdata/")


def _place(item: pytest.Item) -> tuple[int, str]:
    """What takes long comes first, or one worker would have it left when the others are done."""
    file = item.nodeid.split("::")[0]
    return (0, _TOGETHER[file]) if file in _TOGETHER else (1 if file.startswith(_LONG) else 2, "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=_place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a worker a file at a time, or several files that belong together, in their order."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return _TOGETHER.get(file, file)

    config.option.loadscopereorder = False
    return Together(config, log)


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
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> DemoRun:
    """What `tacit demo` printed and left in a folder, for reading only."""
    return run_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the named data sets; a test that asks for it is skipped where there is none."""
    folder = os.environ.get("TACIT_DATA")
    if not folder:
        pytest.skip("TACIT_DATA is not set: it names the folder that holds the data sets")
    return Path(folder)
