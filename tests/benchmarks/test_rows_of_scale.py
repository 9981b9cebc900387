"""The benchmarks of speed and size measure what they say they do."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit import LSI
from tacit.operators.base import MatrixOperator


def module(name: str) -> Any:
    return importlib.import_module(name)


def planted(n_records: int = 1_500, n_terms: int = 700) -> tuple[Any, Any]:
    return module("synthetic").planted_topics(n_records, n_terms=n_terms, n_topics=10)


def test_the_slope_is_the_power_of_growth() -> None:
    sizes = [100, 200, 400, 800]
    assert module("rows_scale_large").slope(sizes, [3 * n**1.3 for n in sizes]) == pytest.approx(1.3)


def test_a_collection_is_made_once_and_half_made_ones_are_made_again(tmp_path: Path) -> None:
    data = module("scale_data").Collections(tmp_path, small=True)
    folder = data.rows(1_500)
    made = json.loads((folder / "made.json").read_text())
    X, Y = module("matrices").load(folder)
    assert made["shape"] == [1_500, 2_500] == list(X.shape)
    assert made["bytes"] == data.bytes_of(1_500) == X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    assert Y.shape[1] == made["labels"]
    assert f"{X.nnz:,} non-zeros" in data.sentence(1_500)
    (folder / "X_data.npy").write_bytes(b"changed")
    data.folder(1_500)
    assert (folder / "X_data.npy").read_bytes() == b"changed"
    (folder / "made.json").unlink()
    assert np.array_equal(module("matrices").load(data.folder(1_500))[0].data, X.data)


@pytest.mark.parametrize(("n_records", "n_terms", "kind"), [(1_500, 1_100, "gram"), (1_100, 1_500, "turned gram")])
def test_the_products_of_a_fit_are_counted_and_can_be_made_alone(n_records: int, n_terms: int, kind: str) -> None:
    jobs = module("jobs_scale")
    X, Y = planted(n_records, n_terms)
    before = dict(vars(MatrixOperator))
    calls = jobs.lsi_counted(X, Y, n_components=12)
    assert dict(vars(MatrixOperator)) == before
    names = [jobs.PRODUCTS[which] for which, _ in calls]
    model = LSI(12).fit(X)
    assert names.count(kind) == model.n_iter_
    assert sum(n for name, (_, n) in zip(names, calls, strict=True) if name == kind) >= 12
    for kernel in ("tacit", "scipy"):
        seconds = jobs.products(X, Y, calls=calls.tolist(), kernel=kernel)
        assert len(seconds) == len(calls)
        assert (seconds > 0).all()


def test_kernels_of_bare_products_agree() -> None:
    jobs = module("jobs_scale")
    X, _ = planted()
    rng = np.random.default_rng(0)
    ours, theirs = jobs._by_operator(X), jobs._by_scipy(X)
    assert set(ours) == set(theirs) == set(jobs.PRODUCTS)
    for name in jobs.PRODUCTS:
        block = rng.standard_normal((X.shape[0 if name in ("turned gram", "backward") else 1], 20)).astype(np.float32)
        assert np.allclose(ours[name](block), theirs[name](block), atol=1e-4)


def test_gensim_finds_the_singular_values() -> None:
    pytest.importorskip("gensim", reason="gensim is an extra of the studies")
    X, Y = planted()
    found = module("jobs_scale").gensim_lsi(X, Y, n_components=5)
    exact = np.linalg.svd(X.toarray().astype(np.float64), compute_uv=False)[:5]
    assert np.allclose(found, exact, rtol=0.05)
    assert (found <= exact * (1 + 1e-6)).all()


def test_a_fit_from_rows_on_disk_is_that_in_memory(tmp_path: Path) -> None:
    jobs = module("jobs_scale")
    X, Y = planted()
    jobs.rows_folder(tmp_path, X)
    (rows,) = jobs.SOURCES["lsi_disk"][0](tmp_path)
    limit = X.data.nbytes  # half of X
    found = jobs.JOBS["lsi_disk"](rows, limit=limit, n_components=8)
    assert np.allclose(found, jobs.lsi(X, Y, n_components=8, positions=False), rtol=1e-5)


def test_a_reference_that_is_kept_is_not_computed_again(tmp_path: Path) -> None:
    runs = module("runs")
    np.save(tmp_path / "kept.npy", np.array([3.0, 2.0]))
    nowhere = runs.Job("exact_values", {"n_components": 2})  # there is no X in this folder: it could not run
    errors = module("accuracy").Errors(tmp_path, nowhere, kept=tmp_path / "kept.npy")
    assert errors._exact.tolist() == [3.0, 2.0]


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        (
            "scale",
            ["sklaern"],
            "row is unknown: got 'sklaern', expected one of sklearn, svds, gensim, labels",
        ),
        ("scale", ["--small", "--write"], "--write needs the real sizes"),
        ("scale", ["--share", "0.1", "--write"], "--write needs the real sizes"),
        ("scale", ["--share", "2"], "--share is out of range: got 2, expected a number above 0 and at most 1."),
        ("scale_plots", ["--small", "--write"], "--write needs the real sizes"),
    ],
)
def test_scripts_of_scale_refuse_what_makes_no_sense(
    script: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        module(script).main(arguments)
    assert message in capsys.readouterr().err


def test_a_row_runs_and_is_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module("scale").main(["memory", "--small", "--keep", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "## Memory of a fit" in printed
    last = printed.strip().splitlines()[-1]
    assert last.startswith("| memory | peak memory of a fit, X included / memory of X")
    assert "at most 2" in last
    assert "the same with positions" not in last  # nothing is asked of it


def test_rows_of_other_runs_stay_on_the_page(tmp_path: Path) -> None:
    scale = module("scale")

    def measured(value: float) -> dict[str, Any]:
        found = module("comparison").Comparison("Title", "Data.")
        found.add("ratio", value, at_least=3)
        return {"date": "2026-01-02", "ratios": found.ratios, "text": found.text()}

    page = tmp_path / "benchmarks.md"
    page.write_text("# Old\n\n<!-- section: lsi -->\nold\n<!-- end -->\n", encoding="utf-8")
    scale._write(tmp_path, {"svds": measured(5.0), "sklearn": measured(2.0)})
    scale._write(tmp_path, {"svds": measured(4.0)})
    text = page.read_text(encoding="utf-8")
    assert "<!-- section: lsi -->\nold" in text
    lines = [line for line in text.splitlines() if line.startswith(("| sklearn", "| svds"))]
    assert [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines] == [
        ["sklearn", "ratio", "2", "at least 3", "no", "2026-01-02"],
        ["svds", "ratio", "4", "at least 3", "yes", "2026-01-02"],
    ]
    assert set(json.loads((tmp_path / "benchmarks_scale.json").read_text())["rows"]) == {"sklearn", "svds"}


def test_points_are_kept_beside_the_rows_and_drawn_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is an extra")
    plots = module("scale_plots")
    with pytest.raises(SystemExit):
        plots.main(["--redraw"], docs=tmp_path)
    assert "--redraw finds no numbers" in capsys.readouterr().err
    points = [
        {"model": model, "side": side, "n_records": n, "n_components": k, "seconds": n * k / 1e5, "bytes": 1e3 * n}
        for model in ("LSI", "MLSI", "TruncatedSVD")
        for side, n, k in (("records", 100, 5), ("records", 200, 5), ("dimensions", 100, 5), ("dimensions", 100, 10))
    ]
    kept = tmp_path / "benchmarks_scale.json"
    kept.write_text(json.dumps({"rows": {}, "points": points}), encoding="utf-8")
    plots.main(["--redraw"], docs=tmp_path)
    assert (tmp_path / "benchmarks_scale.png").read_bytes().startswith(b"\x89PNG")
    assert set(json.loads(kept.read_text())) == {"rows", "points"}
    assert "| TruncatedSVD | 200     | 5          |" in capsys.readouterr().out


def test_suites_run_without_asv_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    run = module("suites.run")
    run.main(["BlockProduct"])
    lines = [[cell.strip() for cell in line.split("|")] for line in capsys.readouterr().out.splitlines()]
    of_gram = [line for line in lines if line[1:3] == ["BlockProduct", "gram"]]
    assert [line[3] for line in of_gram] == ["product", "transposed", "disagreement with transpose"]
    assert float(of_gram[0][4]) >= 0
    assert float(of_gram[0][5]) >= 0
    assert float(of_gram[2][6]) < 1e-5
    with pytest.raises(SystemExit, match="name is unknown: got 'nothing', expected one of BlockProduct, "):
        run.main(["nothing"])
