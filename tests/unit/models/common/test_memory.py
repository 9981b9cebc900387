"""The memory of a fit: the estimate against measured peaks, what is free, and the refusal."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import HLSI, LSI, MLSA, MLSI, Relations
from tacit.errors import InputError
from tacit.machine import available_memory
from tacit.models.common.memory import (
    LARGE,
    check_memory,
    fit_memory,
    memory_of_fit,
    relations_memory,
)

_STATUS = Path("/proc/self/status")

# Fits a model to random rows of a Zipf law in a process of its own, and prints the entries of X and the peak of X plus
# work, less what a small fit left behind.
_MEASURE = """
import ctypes, gc, json, sys
from pathlib import Path
import numpy as np, scipy.sparse as sp
import tacit
def made(n, m, p, words=60):
    rng = np.random.default_rng(0)
    terms = np.minimum((10 * ((1 + m / 10) ** rng.random((n, words)) - 1)).astype(np.int32), m - 1)
    topics = rng.integers(0, p, n)
    terms[:, :20] = (topics[:, None] * 37 + rng.integers(0, m // p, (n, 20))) % m
    starts = np.arange(0, terms.size + 1, words)
    X = sp.csr_array((np.ones(terms.size, np.float32), terms.ravel(), starts), shape=(n, m))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    X.sum_duplicates()
    X.data /= np.sqrt(words)
    return X, sp.csr_array((np.ones(n, np.float32), (np.arange(n), topics)), shape=(n, p))
def memory(field):
    return next(int(line.split()[1]) * 1024 for line in Path("/proc/self/status").open() if line.startswith(field))
model, method, n, m, k, p = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
fit = lambda k, X, Y: getattr(getattr(tacit, model)(k), method)(X, Y)
fit(5, *made(1500, 1600, 10))
gc.collect()
ctypes.CDLL("libc.so.6").malloc_trim(0)
before = memory("VmRSS")
X, Y = made(n, m, p)
gc.collect()
ctypes.CDLL("libc.so.6").malloc_trim(0)
Path("/proc/self/clear_refs").write_text("5")
fit(k, X, Y)
print(json.dumps([int(X.nnz), memory("VmHWM") - before]))
"""


@pytest.mark.skipif(not _STATUS.exists(), reason="only Linux tells the peak memory of a process and lets it be reset")
@pytest.mark.parametrize(
    ("model", "method", "n_records"),
    [
        ("LSI", "fit", 6_000),
        ("LSI", "fit", 30_000),
        ("LSI", "fit_transform", 12_000),
        ("MLSI", "fit_transform", 6_000),
        ("MLSI", "fit_transform", 12_000),
        ("HLSI", "fit", 12_000),
        ("MLSA", "fit", 12_000),
    ],
)
def test_the_estimate_is_near_what_a_fit_takes(model: str, method: str, n_records: int) -> None:
    """With SciPy's products: what else loads with kernels for the processor is not the fit's."""
    n_terms, k, p = 8_000, 30, 30
    command = [sys.executable, "-c", _MEASURE, model, method, *map(str, (n_records, n_terms, k, p))]
    alone = os.environ | {"OMP_NUM_THREADS": "1", "TACIT_KERNELS": "scipy"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    assert not done.returncode, done.stderr
    n_entries, taken = json.loads(done.stdout)
    parameters = {"model": model.lower(), "n_labels": p, "positions": method == "fit_transform"}
    if model == "MLSA":
        estimate = relations_memory(n_records + n_terms + p, 8 * n_entries, k)
    else:
        estimate = fit_memory(n_records, n_terms, n_entries, k, **parameters)
    slack = 2**21  # what a library keeps for itself differs from run to run, and is much beside a few MiB
    said = f"{taken / 2**20:.0f} MiB taken, {estimate.sentence()}"
    assert 0.7 * taken - slack < estimate.total < 1.5 * taken + slack, said


def test_x_is_counted_as_it_is_stored() -> None:
    X = sp.random_array((300, 200), density=0.1, format="csr", dtype=np.float64, rng=np.random.default_rng(0))
    stored = X.data.nbytes + 4 * X.nnz + 4 * 301
    assert memory_of_fit(X, 5, model="lsi").parts["X"] == stored
    assert memory_of_fit(X.toarray(), 5, model="lsi").parts["X"] == 300 * 200 * 8
    assert fit_memory(2**20, 100, 2**32, 5).parts["X"] == 2**32 * (4 + 8) + (2**20 + 1) * 8  # indices of 64 bits
    assert "X" not in fit_memory(10**6, 100, 10**8, 5, in_memory=False).parts


def test_double_precision_takes_twice_the_work_of_single() -> None:
    single, double = (fit_memory(10**5, 10**4, 10**7, 100, model="lsi", dtype=dtype) for dtype in ("f4", "f8"))
    assert double.work == pytest.approx(2 * single.work, rel=0.05)


@pytest.mark.parametrize("model", ["lsi", "mlsi", "hlsi"])
def test_more_of_anything_takes_more(model: str) -> None:
    def total(n: int = 10**5, m: int = 10**4, entries: int = 10**7, k: int = 100, p: int = 50) -> int:
        return fit_memory(n, m, entries, k, model=model, n_labels=p).total

    assert all(more > total() for more in (total(n=10**6), total(m=10**5), total(entries=10**8), total(k=200)))
    assert total(p=500) > total() or model == "lsi"


def test_parts_are_what_the_total_is_made_of_and_are_told_largest_first() -> None:
    estimate = fit_memory(800_000, 47_236, 60_000_000, 100, model="mlsi", n_labels=100)
    sizes = list(estimate.parts.values())
    assert sizes == sorted(sizes, reverse=True)
    assert estimate.total == sum(sizes) == estimate.work + estimate.parts["X"]
    first = next(iter(estimate.parts))
    assert estimate.sentence().startswith("MLSI with n_components=100 of 800,000 records and 47,236 terms needs about ")
    assert f"({first} " in estimate.sentence()


def test_a_fit_that_cannot_have_its_memory_is_refused_with_the_reason() -> None:
    estimate = fit_memory(10**8, 10**6, 10**10, 100, model="lsi", positions=True)
    with pytest.raises(
        InputError,
        match=r"the fit is too large for the memory: got one that needs \d+\.\d GiB beside the data, expected at "
        r"most the 8\.0 GiB that are free\. LSI with n_components=100 of 100,000,000 records .* needs about "
        r".*\(X .*\)\. Use fewer n_components, float32 .*write_rows.*cluster_rows.*TACIT_MEMORY",
    ):
        check_memory(estimate, 2**33)
    check_memory(estimate, 2**43)


def test_x_itself_is_there_already_and_needs_no_further_memory() -> None:
    estimate = fit_memory(10**6, 2_000, 10**9, 5, model="lsi")
    assert estimate.work < 2**28 < estimate.total
    check_memory(estimate, 2**28)


def test_a_large_fit_is_told_once_and_then_in_passing(caplog: pytest.LogCaptureFixture) -> None:
    small, large = (fit_memory(n, 47_236, 76 * n, 100, model="lsi", positions=True) for n in (1_000, 2_000_001))
    assert small.total < LARGE < large.total
    with caplog.at_level(logging.INFO, logger="tacit"):
        check_memory(small, 2**40)
        assert not caplog.records
        check_memory(large, 2**40)
        check_memory(large, 2**40)
    assert [(record.name, record.levelname) for record in caplog.records] == [("tacit", "WARNING"), ("tacit", "INFO")]
    assert set(caplog.messages) == {f"{large.sentence()}; 1.0 TiB are free."}


def test_a_large_fit_is_printed_before_it_begins() -> None:
    """As people see it who have set up nothing."""
    script = (
        "from tacit.models.common.memory import check_memory, fit_memory\n"
        "check_memory(fit_memory(2_000_000, 47_236, 152_000_000, 100), 2**40)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.startswith("LSI with n_components=100 of 2,000,000 records and 47,236 terms needs about 1.")
    assert done.stderr.endswith(" are free.\n")


def test_relations_are_estimated_and_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    table = sp.random_array((20_000, 9_000), density=1e-3, format="csr", dtype=np.float32, rng=rng)
    graph = Relations().add("user", "item", table)
    estimate = relations_memory(29_000, 2**21, 300)
    assert estimate.total == estimate.work + 2**21
    assert estimate.sentence().startswith("MLSA with n_components=300 of 29,000 objects needs about ")
    monkeypatch.setenv("TACIT_MEMORY", str(2**22))
    with pytest.raises(InputError, match=r"too large for the memory: .* MLSA with n_components=300 of 29,000 objects"):
        MLSA(300).fit(graph)
    monkeypatch.setenv("TACIT_MEMORY", str(2**30))
    MLSA(2, tol=0.5).fit(graph)


def test_the_check_of_a_fit_looks_at_the_memory_only_if_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_MEMORY", "1000")
    check_memory(memory_of_fit(np.ones((20, 10)), 3, model="lsi"))
    wide = sp.csr_array((np.ones(1, np.float32), ([0], [0])), shape=(3_000_000, 100_000))
    with pytest.raises(InputError, match=r"beside the data, expected at most the 1000 bytes that are free"):
        check_memory(memory_of_fit(wide, 100, model="mlsi", n_labels=10))


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(InputError, match=r"model is unknown: got 'lsa', expected one of 'lsi', 'mlsi', 'hlsi'"):
        fit_memory(10, 10, 10, 2, model="lsa")


def _tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="ascii")
    return root


_MACHINE = {"proc/meminfo": "MemTotal: 9000000 kB\nMemFree: 1 kB\nMemAvailable: 4000000 kB\n"}


@pytest.fixture(autouse=True)
def _nobody_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TACIT_MEMORY", raising=False)


def test_without_control_groups_it_is_what_linux_calls_available(tmp_path: Path) -> None:
    assert available_memory(root=_tree(tmp_path, _MACHINE)) == 4_000_000 * 1024


def test_a_container_leaves_its_limit_less_what_is_used_but_for_caches(tmp_path: Path) -> None:
    second = {
        "proc/self/cgroup": "0::/system/job\n",
        "sys/fs/cgroup/system/job/memory.max": "max\n",
        "sys/fs/cgroup/system/job/memory.current": "7\n",
        "sys/fs/cgroup/system/memory.max": "3000000\n",
        "sys/fs/cgroup/system/memory.current": "2500000\n",
        "sys/fs/cgroup/system/memory.stat": "anon 1\ninactive_file 400000\n",
    }
    assert available_memory(root=_tree(tmp_path, _MACHINE | second)) == 3_000_000 - 2_500_000 + 400_000


def test_control_groups_of_the_first_version_are_read_where_only_their_top_is_seen(tmp_path: Path) -> None:
    first = {
        "proc/self/cgroup": "5:cpu,memory:/docker/0123\n0::/\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000000\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "600000\n",
        "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 50000\n",
    }
    assert available_memory(root=_tree(tmp_path, _MACHINE | first)) == 450_000
    unlimited = {"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}
    assert available_memory(root=_tree(tmp_path, unlimited)) == 4_000_000 * 1024


def test_a_container_beyond_its_limit_leaves_nothing(tmp_path: Path) -> None:
    full = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/memory.max": "100\n",
        "sys/fs/cgroup/memory.current": "200\n",
    }
    assert available_memory(root=_tree(tmp_path, full)) == 0


def test_where_no_file_tells_it_is_the_memory_of_the_machine(tmp_path: Path) -> None:
    assert available_memory(root=tmp_path) >= available_memory() > 2**20


def test_the_variable_says_how_much_may_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_MEMORY", "123456")
    assert available_memory() == 123456
    monkeypatch.setenv("TACIT_MEMORY", "8 GB")
    with pytest.raises(InputError, match=r"TACIT_MEMORY is not a size: got '8 GB', expected a whole number of bytes\."):
        available_memory()


@pytest.mark.parametrize(
    ("model", "named"), [(LSI(100), "LSI"), (MLSI(100), "MLSI"), (HLSI(100), "HLSI")], ids=["lsi", "mlsi", "hlsi"]
)
def test_a_fit_that_cannot_have_its_memory_is_refused_before_it_begins(model, named, monkeypatch):
    X = sp.random_array((200_000, 3000), density=1e-4, rng=np.random.default_rng(0), format="csr")
    monkeypatch.setenv("TACIT_MEMORY", "1000000")
    with pytest.raises(InputError, match=rf"{named} with n_components=100 of 200,000 records.*needs about"):
        model.fit_transform(X, np.arange(200_000) % 7)
