"""Benchmarks run, at their smallest size, and measure what they say they do."""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from tacit import LSI, MLSI
from tacit.errors import SolverError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NO_SUITES = ("__init__", "profiles", "run")
SUITES = sorted(path.stem for path in (BENCHMARKS / "suites").glob("*.py") if path.stem not in NO_SUITES)

# what a tracked quality may be at the smallest size: a suite that measures nonsense is worse than none
QUALITIES = {
    "track_difference_from_scikit_learn": (0, 1e-9),
    "track_disagreement_with_transpose": (0, 1e-5),
    "track_largest_residual": (0, 0.05),
    "track_micro_f1": (0.3, 1),
    "track_neighbours_that_share_topics": (0.4, 1),
    "track_wrong_entries": (0, 0),
}


@pytest.fixture(autouse=True)
def _benchmarks_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.syspath_prepend(str(BENCHMARKS / "studies"))
    monkeypatch.setenv("TACIT_BENCH_PROFILE", "small")


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
@pytest.mark.parametrize("name", SUITES)
def test_a_suite_runs_and_its_qualities_are_sane(name: str) -> None:
    for suite in _suites(importlib.import_module(f"suites.{name}")):
        methods = [method for method, _ in inspect.getmembers(suite, inspect.isfunction) if not method.startswith("_")]
        kinds = {method.split("_")[0] for method in methods} - {"setup"}
        assert kinds == {"time", "peakmem", "track"}, f"{suite.__name__} must have all three side by side"
        assert len(suite.params) == len(suite.param_names)
        for values in itertools.product(*suite.params):
            one = suite()
            one.setup(*values)
            for method in methods:
                result = getattr(one, method)(*values) if method != "setup" else None
                if method.startswith("track_"):
                    low, high = QUALITIES[method]
                    assert low <= result <= high, f"{suite.__name__}.{method}{values} = {result}"


def test_an_unknown_profile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = importlib.import_module("suites.profiles")
    monkeypatch.setenv("TACIT_BENCH_PROFILE", "huge")
    with pytest.raises(
        ValueError, match="TACIT_BENCH_PROFILE is unknown: got 'huge', expected one of small, regular, large"
    ):
        profiles.profile()


@pytest.mark.parametrize("ridge", [0.1, 1.0])
def test_the_equation_as_printed_is_what_mlsi_solves(ridge: float) -> None:
    jobs, synthetic = importlib.import_module("jobs"), importlib.import_module("synthetic")
    X, Y = synthetic.planted_topics(120, n_terms=300, n_topics=6, dtype=np.float64)
    space = {"n_components": 5, "label_weight": 0.6, "shrinkage": 0.4, "ridge": ridge}
    ours = MLSI(**space, solver="augmented", tol=1e-10).fit(X, Y).embedding_
    assert subspace_angles(jobs.literal_dual(X, Y, **space), ours).max() < 1e-7
    assert subspace_angles(jobs.literal_dual(X, Y, **space | {"label_weight": 0.5}), ours).max() > 1e-3


def test_a_job_runs_in_a_process_of_its_own_and_counts_x_and_its_work(tmp_path: Path) -> None:
    jobs, runs, synthetic = (importlib.import_module(name) for name in ("jobs", "runs", "synthetic"))
    X, Y = synthetic.planted_topics(8_000, n_terms=3_000, n_topics=10)
    jobs.save(tmp_path, X, Y)
    took = runs.run(tmp_path, runs.Job("lsi", {"n_components": 5}).changed(tol=1e-3))
    assert np.allclose(took.result, LSI(5, tol=1e-3).fit(X).singular_values_, rtol=1e-4)
    assert took.seconds > 0
    assert jobs.x_bytes(X) * 0.9 < took.bytes < jobs.x_bytes(X) * 10


def test_a_job_that_fails_says_why(tmp_path: Path) -> None:
    runs = importlib.import_module("runs")
    with pytest.raises(RuntimeError, match=r"the job lsi failed with \{'n_components': 3\}(?s:.)*FileNotFoundError"):
        runs.run(tmp_path, runs.Job("lsi", {"n_components": 3}))


def test_a_job_is_repeated_until_patience_ends(tmp_path: Path) -> None:
    jobs, runs, synthetic = (importlib.import_module(name) for name in ("jobs", "runs", "synthetic"))
    jobs.save(tmp_path, *synthetic.planted_topics(300, n_terms=400, n_topics=5))
    asked = {"one": runs.Job("lsi", {"n_components": 3}), "two": runs.Job("lsi", {"n_components": 4})}
    patient = runs.run_interleaved(tmp_path, asked, repeats=2)
    hasty = runs.run_interleaved(tmp_path, asked, repeats=2, patience=0)
    assert [took.repeats for took in (*patient.values(), *hasty.values())] == [2, 2, 1, 1]
    assert [len(took.result) for took in hasty.values()] == [3, 4]


def test_the_reference_of_singular_values_is_that_of_lapack() -> None:
    jobs, synthetic = importlib.import_module("jobs"), importlib.import_module("synthetic")
    X, Y = synthetic.planted_topics(2_000, n_terms=1_500, n_topics=10)
    expected = np.linalg.svd(X.toarray().astype(np.float64), compute_uv=False)[:12]
    assert np.allclose(jobs.exact_values(X, Y, n_components=12), expected, rtol=1e-9)


def test_a_reference_below_what_others_find_is_refused(tmp_path: Path) -> None:
    jobs, runs, compare, synthetic = (
        importlib.import_module(name) for name in ("jobs", "runs", "compare", "synthetic")
    )
    X, Y = synthetic.planted_topics(500, n_terms=600, n_topics=10)
    jobs.save(tmp_path, X, Y)
    errors = compare.Errors(tmp_path, runs.Job("exact_values", {"n_components": 5}))
    job = runs.Job("lsi", {"n_components": 5})
    assert errors.of(job) < 1e-2
    errors._known.clear()
    errors._exact = np.append(errors._exact[1:], errors._exact[-1] * 0.9)
    with pytest.raises(RuntimeError, match=r"the reference is not exact: lsi .* has a value .* above it"):
        errors.of(job)


def test_ratios_are_held_against_what_they_should_reach() -> None:
    compare = importlib.import_module("compare")
    found = compare.Comparison("Title", "Data.")
    found.add("fast", 21.0, at_least=20)
    found.add("slow", 19.0, at_least=20)
    found.add("heavy", 3.2, at_most=3)
    found.add("free", 1.0)
    assert [row[3] for row in found.ratios] == ["yes", "no", "no", ""]
    assert "| slow  | 19    | at least 20 | no      |" in found.text()


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        (
            "compare",
            ["desne"],
            "row is unknown: got 'desne', expected one of dense, large, tree, lsi, relations, products, graphs, index.",
        ),
        ("compare", ["--small", "--write"], "--write needs the real sizes"),
        ("arxiv_tall", ["--quick", "--write"], "--write needs the whole study"),
        ("hlsi_rcv1", ["--quick", "--write"], "--write needs the whole study"),
        ("reuters_defaults", ["--quick", "--write"], "--write needs the whole study"),
        ("solver_crossover", ["--quick", "--write"], "--write needs all sizes"),
        ("taxonomies", ["--quick", "--write"], "--write needs the whole study"),
        ("taxonomies", ["rvc1"], "collection is unknown: got 'rvc1', expected one of arxiv, rcv1"),
    ],
)
def test_scripts_refuse_what_makes_no_sense(
    script: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        importlib.import_module(script).main(arguments)
    assert message in capsys.readouterr().err


def test_writing_a_section_keeps_the_others_in_order(tmp_path: Path) -> None:
    pages = importlib.import_module("pages")
    page = tmp_path / "new" / "page.md"
    for name, text in (("b", "old b"), ("a", "## A"), ("b", "## B\n\nnew")):
        pages.put_section(page, name, text, head="# Title", order=["a", "b"])
    assert page.read_text(encoding="utf-8") == (
        "# Title\n\n<!-- section: a -->\n## A\n<!-- end -->\n\n<!-- section: b -->\n## B\n\nnew\n<!-- end -->\n"
    )


def test_a_mean_comes_with_its_standard_deviation_over_repeats() -> None:
    assert importlib.import_module("pages").mean_and_spread([0.5, 0.7]) == f"0.600 ± {np.std([0.5, 0.7], ddof=1):.3f}"


def test_a_page_names_no_machine_but_says_when_and_with_what() -> None:
    import platform

    facts = importlib.import_module("pages").facts()
    assert np.__version__ in facts
    assert "cores" in facts
    assert platform.node() not in facts.replace(",", " ").replace(";", " ").split()  # "vm" is a part of "llvmlite"


@pytest.mark.parametrize(
    ("iterative", "expected"),
    [({1: 2.0, 2: 5.0, 4: 9.0}, (2, 4)), ({1: 0.5, 2: 1.0, 4: 2.0}, (0, 1)), ({1: 9.0, 2: 9.0, 4: 99.0}, (4, None))],
)
def test_the_crossover_is_where_the_dense_solver_stops_to_win(
    iterative: dict[int, float], expected: tuple[int, int | None]
) -> None:
    crossover = importlib.import_module("solver_crossover").crossover
    assert crossover({"dense": {1: 1.0, 2: 3.0, 4: 20.0}, "krylov": iterative}) == expected


def test_a_solver_that_gives_up_stays_in_the_race_and_never_wins() -> None:
    study = importlib.import_module("solver_crossover")

    def racers(X: float, Y: float, k: int) -> dict[str, Any]:
        def give_up() -> None:
            raise SolverError("no")

        return {"dense": lambda: time.sleep(X), "lanczos": give_up if Y else lambda: None}

    times = study.race(racers, {1: (0.01, 1), 2: (0.01, 0), 3: (0.01, 0)}, 5)
    assert times["lanczos"][1] == np.inf
    assert study._cell(times["lanczos"][1]) == "gave up"
    # at size 2 the dense one is far behind, and is not tried again
    assert sorted(times["dense"]) == [1, 2]
    assert study.crossover(times) == (1, 2)


def test_solvers_are_raced_at_every_size() -> None:
    study = importlib.import_module("solver_crossover").study
    text = study((40, 60), (5,))
    for solver in ("dense", "krylov", "lanczos", "dual", "augmented", "block-cg"):
        assert any(line.startswith(f"| {solver} ") for line in text.splitlines()), solver
    assert text.count("limit in the code") == 1


def test_the_configuration_of_asv_points_at_the_suites() -> None:
    config = json.loads((BENCHMARKS / "asv.conf.json").read_text(encoding="utf-8"))
    assert (BENCHMARKS / config["benchmark_dir"] / "__init__.py").is_file()


def test_a_study_chooses_the_best_mean_and_compares_split_by_split() -> None:
    trial, study = importlib.import_module("reuters_trial"), importlib.import_module("reuters_defaults")
    steady, lucky = trial.Setting(ridge=0.1), trial.Setting(ridge=0.3)
    honest = trial.Setting(coordinates="honest")
    found = {
        setting: [trial.Scores(macro, 0.5, 0.5, 0, False) for macro in macros]
        for setting, macros in ((steady, (0.6, 0.62)), (lucky, (0.7, 0.5)), (honest, (0.9, 0.9)))
    }
    assert study.best(found, "macro", "in-sample") == steady
    assert study.best(found, "macro", "honest") == honest
    spread = np.std([-10, 12], ddof=1)
    expected = f"+1.0 ± {spread:.1f} points, above 0 in 1 of 2 splits"
    assert study._gain(found, steady, lucky, "macro") == expected


def _row(*scores: float) -> Any:
    return importlib.import_module("arxiv_tall").Row(scores, 1.0)


def test_settings_around_a_base_differ_from_it_in_one_field() -> None:
    study = importlib.import_module("arxiv_tall")
    settings = study.around(study.Setting(), "ridge", "shrinkage")
    changes = [sum(a != b for a, b in zip(settings[0], each, strict=True)) for each in settings]
    assert settings[0] == study.Setting()
    assert changes == [0] + [1] * (len(settings) - 1)
    assert {each.ridge for each in settings} == {0.3, 1.0, 3.0}


def test_best_values_are_combined_and_the_default_wins_ties() -> None:
    study = importlib.import_module("arxiv_tall")
    base = study.Setting()
    found = {
        base: _row(0.5, 0.5),
        base._replace(ridge=3.0): _row(0.6, 0.5),
        base._replace(ridge=0.3): _row(0.9, 0.1),
        base._replace(shrinkage=0.0): _row(0.5, 0.5),
        base._replace(method="ridge", penalty=0.03): _row(0.6, 0.6),
        base._replace(ridge=0.3, shrinkage=0.1): _row(0.9, 0.9),  # differs in two: says nothing about either
        base._replace(method="", ranking=""): _row(1.0),
    }
    assert study.combined(found, base) == base._replace(ridge=3.0, method="ridge", penalty=0.03)
    assert study.best(found, base) == base._replace(ridge=0.3, shrinkage=0.1)


def test_the_rival_is_chosen_on_held_out_papers_and_not_by_the_test() -> None:
    study = importlib.import_module("arxiv_tall")
    ours, flat, steep = study.Setting(), *study._SVMS[1:4:2]
    chosen_on = {flat: _row(0.6, 0.5, 0.5, 0.5, 0.5), steep: _row(0.5, 0.6, 0.5, 0.5, 0.5)}
    tested_on = {
        ours: _row(0.75, 0.75, 0.75, 0.75, 0.75),
        flat: _row(0.70, 0.70, 0.70, 0.70, 0.70),
        steep: _row(0.80, 0.80, 0.60, 0.60, 0.60),
    }
    rows = study.margins(chosen_on, tested_on, ours)
    assert [row[4:] for row in rows[:3]] == [["+0.0500", "-0.0500"], ["-0.0500", "-0.0500"], ["+0.0500", "+0.0500"]]
    assert ("C=0.1" in rows[0][2], "C=0.3" in rows[1][2]) == (True, True)


def test_held_out_papers_add_no_word_and_no_category() -> None:
    from tacit.corpus import Record

    study = importlib.import_module("arxiv_tall")
    old = [Record(f"old {i}", "graph common tree", ("a", "b")[: 1 + i % 2]) for i in range(20)]
    new = [Record(f"new {i}", "unseen graph", ("a", "c")) for i in range(20)]
    splits = study._splits(old, new)
    assert splits["words"].Y.names == splits["pairs"].Y_new.names == ("a", "b")
    assert splits["words"].X.shape == splits["words"].X_new.shape == (20, 3)
    assert splits["words"].X_new.nnz == 20


def test_a_page_can_be_made_again_from_its_numbers() -> None:
    study = importlib.import_module("arxiv_tall")
    labelling = {setting: _row(0.5, 0.6, 0.7, 0.8, 0.9) for setting in (study._SVM, study._LABELLING)}
    search = {
        base._replace(terms=terms): _row(value)
        for base, value in ((study._TFIDF, 0.2), (study._SEARCH, 0.3))
        for terms in ("words", "pairs")
    }
    rows = list((labelling | search).items())
    numbers = {"facts": "Then.", "data": ["Few.", "Many."], "chosen on": rows, "tested on": rows}
    text = study.page(json.loads(json.dumps(numbers)))
    assert text == study.page(numbers)
    assert "| pairs | MLSI, defaults       | 0.3000  | 1.500           | 1.500           |" in text
    assert text.endswith("Then.")


def _animals(n_records: int = 120) -> tuple[Any, Any, Any]:
    """Give words, labels and a taxonomy in which some classes are rare."""
    from tacit import LabelMatrix, Taxonomy

    rng = np.random.default_rng(0)
    taxonomy = Taxonomy.from_nested({"animals": ["cats", "dogs", "owls"], "rocks": ["flint"]})
    kinds = rng.choice(["cats", "dogs", "owls", "flint", "animals"], size=n_records, p=[0.4, 0.3, 0.05, 0.15, 0.1])
    sets = [{kind, "dogs"} if rng.random() < 0.2 else {kind} for kind in kinds]
    Y = LabelMatrix.from_sets(sets, names=taxonomy.names)
    X = Y.to_matrix().toarray() @ rng.random((Y.n_labels, 12)) + rng.random((n_records, 12))
    return X, Y, taxonomy


def test_every_leaf_has_training_records_in_a_leaf_split() -> None:
    trial = importlib.import_module("taxonomy_trial")
    _, Y, taxonomy = _animals()
    n_least = min(5, *(Y.counts[taxonomy.columns(taxonomy.leaves)]))
    splits = [trial.leaf_split(Y, taxonomy, n_train=30, seed=seed) for seed in range(20)]
    for train, new in splits:
        assert np.array_equal(np.sort(np.concatenate([train, new])), np.arange(Y.n_records))
        assert len(train) == 30
        assert Y[train].counts[taxonomy.columns(taxonomy.leaves)].min() >= n_least
    assert len({tuple(train) for train, _ in splits}) == 20
    assert np.array_equal(trial.leaf_split(Y, taxonomy, n_train=30, seed=3)[0], splits[3][0])


def test_records_of_rare_classes_keep_the_nearest_class_above() -> None:
    from tacit import LabelMatrix, Taxonomy

    trial = importlib.import_module("taxonomy_trial")
    taxonomy = Taxonomy.from_nested({"animals": {"cats": {"lions": {}}, "dogs": {}}, "rocks": {}})
    labels = LabelMatrix.from_sets([{"lions"}, {"cats"}, {"dogs"}, {"rocks"}, {"cats", "rocks"}])
    kept = trial._pruned(tuple("abcde"), labels, taxonomy, "toy", 3, np.array([2, 3, 4]))
    assert kept.taxonomy.names == ("animals", "cats")
    assert kept.Y.to_sets() == [("cats",), ("cats",), ("animals",), ("cats",)]
    assert kept.X == ("a", "b", "c", "e")
    assert kept.published.tolist() == [2, 3]


def test_words_of_a_split_come_from_its_training_texts() -> None:
    trial = importlib.import_module("taxonomy_trial")
    _, Y, taxonomy = _animals(8)
    texts = ("common rare", *["common frequent"] * 3, *["common unseen"] * 4)
    X, X_new = trial.vectors(trial.Collection(texts, Y, taxonomy, "toy"), np.arange(4), np.arange(4, 8))
    assert (X.shape, X_new.shape, X_new.nnz) == ((4, 2), (4, 2), 4)


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_closing_predictions_is_what_the_classifier_does() -> None:
    from tacit import HierarchyClassifier
    from tacit.evaluate import f1

    trial, methods = importlib.import_module("taxonomy_trial"), importlib.import_module("taxonomy_methods")
    X, Y, taxonomy = _animals()
    part = methods.part_of(trial.Collection(X, Y, taxonomy, "toy"), np.arange(60), np.arange(60, 120))
    values = (("hierarchy_weight", 0.0), ("ridge", 0.1))
    ours = methods.judge(part, methods.Setting("HierarchyClassifier, ξ = 0", values))
    expected = []
    for closed in (None, "add", "drop"):
        model = HierarchyClassifier(taxonomy=taxonomy, closed=closed, random_state=0, **dict(values))
        said = f1(part.nodes_new, model.fit(X[:60], Y[:60]).predict(X[60:]))
        expected += [said.micro, said.macro]
    assert model.classes_.tolist() == list(taxonomy.names)
    assert np.allclose([*ours[:2], *ours[5:9]], expected)
    assert len(set(expected)) == 6, "closing must do something here, or this test says nothing"


def test_lowest_labels_leave_out_those_above_others() -> None:
    from tacit import LabelMatrix

    _, _, taxonomy = _animals()
    labels = LabelMatrix.from_sets([{"animals", "cats"}, {"animals"}, {"cats", "rocks"}], names=taxonomy.names)
    lowest = importlib.import_module("taxonomy_methods")._lowest(labels, taxonomy)
    assert lowest.to_sets() == [("cats",), ("animals",), ("rocks", "cats")]


def test_each_method_gets_its_own_best_setting_and_is_compared_split_by_split() -> None:
    methods, study = importlib.import_module("taxonomy_methods"), importlib.import_module("taxonomies")
    low, high, even, alone = (
        methods.Setting(method, (("gamma", gamma),)) for method, gamma in (("a", 1), ("a", 2), ("a", 3), ("b", 1))
    )
    assert study.best([(low, 0.1), (high, 0.5), (even, 0.5), (alone, 0.2)], float) == [high, alone]
    gain = importlib.import_module("taxonomy_tables").gain
    assert gain([0.5, 0.5], [0.4, 0.52]) == f"+4.0 ± {np.std([10, -2], ddof=1):.1f} (1 of 2)"


@pytest.mark.realdata
def test_the_study_of_taxonomies_runs_and_its_page_can_be_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    main = importlib.import_module("taxonomies").main
    main(["--quick", "--save", str(tmp_path)])
    text = capsys.readouterr().out
    for method in importlib.import_module("taxonomy_methods").METHODS:
        assert (f"\n| {method} " in text) != method.endswith("lowest labels"), method
    main(["--quick", "--from", str(tmp_path)])
    assert capsys.readouterr().out == text


@pytest.mark.realdata
def test_the_study_of_hlsi_runs_and_its_space_beats_lsi_and_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    main = importlib.import_module("hlsi_rcv1").main
    main(["--quick", "--save", str(tmp_path / "numbers.json")])
    text = capsys.readouterr().out
    found = {name: outcome for name, _, outcome in json.loads((tmp_path / "numbers.json").read_text())["found"]}
    informed, *plain = (found[name] for name in ("HLSI shared, gamma=0.3", "LSI", "all words, C=1", "all words, C=10"))
    assert all(informed[measure] > each[measure] for each in plain for measure in range(3))
    main(["--from", str(tmp_path / "numbers.json")])
    assert capsys.readouterr().out == text


def _films(n_users: int = 40, n_films: int = 30) -> Any:
    """Give a small world of ratings with folds, words and ages."""
    import scipy.sparse as sp

    trial = importlib.import_module("mlsa_movielens_trial")
    rng = np.random.default_rng(0)
    taste, kind = rng.integers(2, size=n_users), rng.integers(2, size=n_films)
    there = rng.random((n_users, n_films)) < 0.6
    stars = np.clip(2 + 2 * (taste[:, None] == kind) + rng.integers(-1, 2, size=there.shape), 1, 5)
    folds = rng.integers(1, 6, size=there.shape)
    words = sp.csr_array((rng.random((n_films, 60)) < 0.01 + 0.05 * (np.arange(60) % 2 == kind[:, None])).astype(float))
    ages = sp.csr_array(np.eye(3)[rng.integers(3, size=n_users)])
    tables = (sp.csr_array(np.where(there, each, 0).astype(float)) for each in (stars, folds))
    return trial.Films(*tables, {"word": words, "genre": words[:, :4]}, {"age": ages})


def test_films_are_split_by_fold_and_hidden_ratings_are_nowhere() -> None:
    films = _films()
    split = films.split(2, hidden=4)
    folds = films.folds.toarray()
    assert np.array_equal(split.asked.toarray(), np.where(folds == 2, films.ratings.toarray(), 0))
    assert np.array_equal(split.known.toarray(), np.where(np.isin(folds, (1, 3, 5)), films.ratings.toarray(), 0))


def test_what_stands_for_a_rating_is_what_its_name_says() -> None:
    from sklearn.feature_extraction.text import TfidfTransformer

    from tacit.tasks.recommend import pearson_similarities

    trial = importlib.import_module("mlsa_movielens_trial")
    known = _films().split(1).known
    rows = trial.VALUES["Pearson rows"](known)
    assert np.allclose((rows @ rows.T).toarray(), pearson_similarities(known))
    assert np.array_equal(trial.VALUES["liked"](known).toarray(), np.where(known.toarray() >= 4, known.toarray(), 0))
    assert np.allclose(trial.tfidf(known, idf="smooth").toarray(), TfidfTransformer().fit_transform(known).toarray())
    dense = known.toarray()
    plain = dense * np.log(len(dense) / (dense > 0).sum(axis=0))
    expected = plain / np.linalg.norm(plain, axis=1, keepdims=True)
    assert np.allclose(trial.tfidf(known).toarray(), expected)
    few = known[:5]
    assert np.allclose(trial.tfidf(few, like=known).toarray(), expected[:5])


def test_settings_for_a_fold_do_not_depend_on_its_ratings() -> None:
    from dataclasses import replace

    choice = importlib.import_module("mlsa_movielens_choice")
    films = _films()
    changed = films.ratings.copy()
    changed.data = np.where(films.folds.data == 3, 6 - changed.data, changed.data)
    values = {}
    for name, each in (("as they are", films), ("changed", replace(films, ratings=changed))):
        validation = choice.space_validation(each)
        way = choice.Way(choice.PAPER_SPACE._replace(n_components=3), choice.Rule("sum", 5))
        values[name] = [validation(way, fold) for fold in (3, 1)]
    assert values["as they are"][0] == values["changed"][0]
    # fold 1 is validated on folds 5 and 2, and fold 3 is in training for both
    assert values["as they are"][1] != values["changed"][1]
    assert [choice.neighbours_of(fold) for fold in (1, 3, 5)] == [(5, 2), (2, 4), (4, 1)]


def test_a_search_improves_one_thing_after_the_other_and_keeps_what_it_has_in_a_tie() -> None:
    choice = importlib.import_module("mlsa_movielens_choice")
    start = choice.Way()
    worth = {("sum", 50): 1.0, ("liked", 50): 1.0, ("sum", 100): 2.0, ("liked", 100): 9.0}

    def stage(*values: tuple[str, Any]) -> Any:
        return lambda way: [way._replace(rule=way.rule._replace(**{field: value})) for field, value in values]

    best = choice.search(
        start,
        [stage(("kind", "sum"), ("kind", "liked")), stage(("n_neighbours", 100), ("n_neighbours", 200))],
        lambda way: worth.get(way.rule[:2], 0.0),
    )
    assert best.rule[:2] == ("sum", 100)


def test_ease_is_a_ridge_regression_of_each_film_on_the_others() -> None:
    from sklearn.linear_model import Ridge

    peers = importlib.import_module("mlsa_movielens_peers")
    known = _films().split(1).known
    scored, _ = peers.scores_of(known, peers.Peer("ease", "ratings", (("ridge", 7.0),)))
    table = known.toarray()
    for film in (0, 11):
        others = np.delete(table, film, axis=1)
        expected = Ridge(7.0, fit_intercept=False, solver="cholesky").fit(others, table[:, film]).predict(others)
        assert np.allclose(scored[:, film], expected)


def test_lists_for_new_users_are_those_of_the_recommender() -> None:
    from tacit.tasks.recommend import Recommender, cosine_similarities

    cold, trial = importlib.import_module("mlsa_movielens_cold"), importlib.import_module("mlsa_movielens_trial")
    films = _films()
    old, (few, rest) = films.ratings[:30], cold.few_known(films.ratings[30:], 5)
    assert np.array_equal((few + rest).toarray(), films.ratings[30:].toarray())
    assert set(np.diff(few.indptr)) == {5}
    fewer, _ = cold.few_known(few, 3)
    assert np.array_equal(fewer.toarray(), cold.few_known(films.ratings[30:], 3)[0].toarray())
    space = trial.Space("liked", (("user-item", 0.5), ("user-word", 0.5)), "frobenius", 3)
    model = trial.fit(films, old, space)
    places = model.fold_in("user", cold.told_by(films, old, few, space))
    scored = cold.from_neighbours(old, cosine_similarities(places, model.positions_["user"]))
    reader = Recommender(n_neighbours=cold.N_NEIGHBOURS).fit(old, model.positions_["user"])
    for row, place in enumerate(places):
        found = reader.recommend_new(place, 30, rated=few[[row]])
        unseen = np.setdiff1d(np.arange(30), few[[row]].indices)
        assert [int(each.id) for each in found] == sorted(unseen, key=lambda film: -scored[row, film])
    # everybody who was there is placed where they stood
    assert np.allclose(model.fold_in("user", cold.told_by(films, old, old, space)), model.positions_["user"])


def test_the_area_for_liked_films_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import roc_auc_score

    cold = importlib.import_module("mlsa_movielens_cold")
    asked = _films().ratings
    scored = np.random.default_rng(1).integers(6, size=asked.shape).astype(float)
    expected = [roc_auc_score(row >= 4, mine) for row, mine in zip(asked.toarray(), scored, strict=True)]
    assert cold.liked_auc(scored, asked) == pytest.approx(np.mean(expected))


@pytest.mark.realdata
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_study_of_mlsa_runs_and_mlsa_is_the_best_of_five(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    main = importlib.import_module("mlsa_movielens").main
    with pytest.raises(SystemExit):
        main(["--quick", "--write"])
    assert "--write needs the whole study" in capsys.readouterr().err
    main(["--quick", "--save", str(tmp_path / "numbers.json")])
    text = capsys.readouterr().out
    numbers = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    found = importlib.import_module("mlsa_movielens_numbers").Numbers(numbers)
    methods = importlib.import_module("mlsa_movielens_paper").METHODS
    assert max(methods, key=lambda name: np.mean(found.gains(name, "eq. 7"))) == "M-LSA"
    assert np.mean(found.users("M-LSA, folded in", 10)) > np.mean(found.users("popularity", 10))
    assert np.mean(found.films("M-LSA, folded in"), axis=0)[0] > 0.55
    main(["--from", str(tmp_path / "numbers.json")])
    assert capsys.readouterr().out == text
    for picture in importlib.import_module("mlsa_movielens_figures").draw(numbers, tmp_path):
        assert 5_000 < picture.stat().st_size < 80_000


@pytest.mark.realdata
def test_the_study_on_reuters_runs_and_mlsi_beats_lsi_and_words() -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    trial = importlib.import_module("reuters_trial")
    settings = {
        "words": trial.Setting("words", rows="as they are"),
        "LSI": trial.Setting("LSI", scaling="unit"),
        "MLSI": trial.Setting(ridge=0.1, scaling="unit"),
    }
    found = trial.measure(settings.values(), range(200, 203), None)
    macro = {name: np.mean([score.macro for score in found[setting]]) for name, setting in settings.items()}
    micro = {name: np.mean([score.micro for score in found[setting]]) for name, setting in settings.items()}
    assert macro["MLSI"] > macro["LSI"] + 0.05
    assert macro["MLSI"] > macro["words"] + 0.02
    assert micro["MLSI"] > micro["words"]


def _suites(module: ModuleType) -> Iterator[type[Any]]:
    assert module.__all__
    for name in module.__all__:
        yield getattr(module, name)


@pytest.fixture(autouse=True, scope="module")
def _leave_no_modules_behind() -> Iterator[None]:
    """Forget the benchmarks' modules afterwards: their names are plain and others may want them."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(BENCHMARKS):
            del sys.modules[name]


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


def test_jobs_on_relations_run_in_processes_of_their_own_and_find_eigenpairs(tmp_path: Path) -> None:
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


def _few_neighbours(n_records: int = 800) -> tuple[Any, Any]:
    """Give records and the weights of their graph, in one piece."""
    from tacit.relations.neighbours import neighbour_graph

    X, _ = importlib.import_module("synthetic").planted_topics(n_records, n_terms=400, n_topics=6, dtype=np.float64)
    return X, importlib.import_module("jobs").narrow(neighbour_graph(X, 8).parts[0].weights)


def test_embeddings_of_graphs_are_found_and_judged_as_the_dense_problem_is() -> None:
    from scipy.linalg import eigh
    from scipy.sparse import csr_array

    from tacit.relations.graph import as_graph

    jobs, rows = importlib.import_module("jobs"), importlib.import_module("rows_graphs")
    _, W = _few_neighbours()
    D = np.diag(W.toarray().sum(axis=1))
    L = D - W.toarray()
    values, vectors = eigh(L, D)
    assert values[1] > 1e-3, "the graph must be in one piece"
    exact, judge = vectors[:, 1:6], rows.GraphJudge(as_graph(W))
    assert judge.residual(exact * [1, 2, 3, 4, 5]) < 1e-12
    off = exact + 0.01 * vectors[:, [20]]
    quotients = np.sum(off * (L @ off), axis=0) / np.sum(off * (D @ off), axis=0)
    wrong = np.diag(D.diagonal() ** -0.5) @ (L @ off - D @ off * quotients)
    expected = np.linalg.norm(wrong, axis=0) / np.linalg.norm(np.sqrt(D) @ off, axis=0)
    assert np.isclose(judge.residual(off), expected.max())
    # what is left of the trivial vector makes no cost smaller
    assert np.allclose(judge.costs(exact + 0.5 * vectors[:, [0]]), values[1:6])
    root = np.diag(judge.root)
    for found in (
        jobs.spectrum(as_graph(W), n_components=5, tol=1e-9),
        jobs.spectral_embedding(W, n_components=5, eigen_solver="arpack", tol=1e-9),
        jobs.spectral_embedding(W, n_components=5, eigen_solver="lobpcg", tol=1e-9),
        np.concatenate(jobs.scipy_eigsh(csr_array(root @ W.toarray() @ root), n_components=6, tol=1e-9)),
    ):
        assert judge.residual(found) < 1e-8
        assert np.allclose(judge.costs(found), values[1:6], rtol=1e-9)
        assert judge.verdict(found, values[1:6]).startswith("residual ")
    with pytest.raises(RuntimeError, match=r"the reference is not exact: another has a cost .* below it"):
        judge.verdict(exact, values[2:7])


def test_the_part_of_neighbours_that_a_graph_joins_is_counted() -> None:
    from scipy.sparse import csr_array

    rows = importlib.import_module("rows_graphs")
    X, W = _few_neighbours(300)  # fewer than are sampled, so that all are
    cosines = X.toarray() @ X.toarray().T
    np.fill_diagonal(cosines, -1)
    nearest = np.argsort(-cosines, axis=1)[:, :8]
    joins = W.toarray() * (np.arange(300) % 2)  # to every other record only
    expected = np.mean(np.take_along_axis(joins, nearest, axis=1))
    assert rows.found_neighbours(X, W, 8) == 1
    assert 0.3 < expected < 0.7
    assert np.isclose(rows.found_neighbours(X, csr_array(joins), 8), expected)


def test_ours_gets_the_first_tolerance_that_is_as_good_as_a_peer(tmp_path: Path) -> None:
    from tacit.relations.graph import as_graph

    jobs, runs, rows = (importlib.import_module(name) for name in ("jobs", "runs", "rows_graphs"))
    _, W = _few_neighbours()
    graph, judge = as_graph(W), rows.GraphJudge(as_graph(W))
    rows._save_graph(tmp_path, graph, judge.root)
    peers = {
        name: runs.Run(1.0, 1.0, jobs.spectrum(graph, n_components=4, tol=tol))
        for name, tol in (("loose", 1e-2), ("tight", 1e-12))
    }
    peers["stopped"] = runs.Run(1.0, 1.0, np.empty(0))
    ours = [runs.Job("spectrum", {"n_components": 4, "tol": tol}) for tol in (1e-2, 1e-10)]
    assert rows._equal_tols(tmp_path, judge, ours, peers) == {"loose": 1e-2, "tight": 1e-10}
    assert rows._equal_tols(tmp_path, judge, ours[:1], peers) == {"loose": 1e-2}


@pytest.mark.parametrize("limits", [{"seconds": 0.05}, {"seconds": 60.0, "bytes": 4 * 2**30}])
def test_a_job_beyond_its_limits_is_stopped_and_reaches_nothing(tmp_path: Path, limits: dict[str, float]) -> None:
    from scipy.sparse import csr_array, eye_array

    jobs, runs, rows = (importlib.import_module(name) for name in ("jobs", "runs", "rows_graphs"))
    many = csr_array(eye_array(40_000))  # its dense kernel takes 12 GiB
    jobs.save(tmp_path, many, many[:, :5])
    options = {"n_components": 3, "label_weight": 0.5, "shrinkage": 0.5, "ridge": 1.0, "limits": limits}
    took = runs.run(tmp_path, runs.Job("literal_dual", options))
    assert took.result.size == 0
    assert 0.05 <= took.seconds < 60
    found = importlib.import_module("comparison").Comparison("Title", "Data.")
    quick = runs.Run(0.01, 1.0, np.ones(1))
    rows._add_ratio(found, "slow", "quick", {"slow": took, "quick": quick}, at_least=1)
    assert [row[::3] for row in found.ratios] == [("time of slow, stopped, / time of quick", "")]


def test_a_job_within_its_limits_gives_what_it_gives_without(tmp_path: Path) -> None:
    jobs, runs, synthetic = (importlib.import_module(name) for name in ("jobs", "runs", "synthetic"))
    with pytest.raises(RuntimeError, match=r"the job lsi failed (?s:.)*FileNotFoundError"):
        runs.run(tmp_path, runs.Job("lsi", {"n_components": 3, "limits": {"seconds": 60.0}}))
    X, Y = synthetic.planted_topics(300, n_terms=400, n_topics=5)
    jobs.save(tmp_path, X, Y)
    took = runs.run(tmp_path, runs.Job("lsi", {"n_components": 3, "limits": {"seconds": 60.0}}))
    assert np.allclose(took.result, LSI(3).fit(X).singular_values_, rtol=1e-5)


def test_values_are_chosen_one_parameter_after_the_other() -> None:
    from tacit import MLSI, LabelHead

    trial = importlib.import_module("graph_embeddings_trial")
    X, Y, _ = _animals(180)
    parts = [(X[rows], Y[rows]) for rows in (slice(60), slice(60, 120), slice(120, None))]
    axes = ({"label_weight": [0.2, 0.8]}, {"ridge": [0.01, 1.0, 100.0]})
    method = trial.Method("MLSI", MLSI(), axes, (1, 2), (3,))
    found = trial.tuned(method, parts, LabelHead("ridge", calibrate=False), {"ridge": [0.1, 10.0]})
    scores = {axis: max(each["validation"]["macro F1"] for each in found if each["axis"] == axis)
              for axis in ("label_weight", "ridge", "")}  # fmt: skip
    assert found[0]["axis"] == ""
    assert found[0]["validation"]["macro F1"] == max(scores.values()) == scores[""]
    assert {each["parameters"]["ridge"] for each in found if each["axis"] == "label_weight"} == {1.0}
    assert {each["parameters"]["ridge"] for each in found if each["axis"] == "ridge"} == {0.01, 100.0}
    assert {each["dimensions"] for each in found if each["axis"] == ""} == {1, 2, 3}
    assert {each["head"].get("ridge") for each in found if each["axis"] == ""} == {0.1, 10.0}


def test_curves_take_what_validation_chose_and_not_what_the_test_likes() -> None:
    tables = importlib.import_module("graph_embeddings_tables")

    def one(weight: float, k: int, validation: float, test: float, axis: str = "label_weight") -> dict[str, Any]:
        scores = {"validation": {"macro F1": validation}, "test": {"macro F1": test}}
        return {"axis": axis, "asked": [k], "parameters": {"label_weight": weight}, **scores}

    trials = [one(0.1, 10, 0.5, 0.9), one(0.1, 20, 0.6, 0.4), one(0.9, 20, 0.8, 0.7), one(0.9, 10, 1.0, 0.1, "ridge")]
    assert [(w, each["test"]["macro F1"]) for w, each in tables.at_weights(trials)] == [(0.1, 0.4), (0.9, 0.7)]
    assert [(k, each["test"]["macro F1"]) for k, each in tables.at_dimensions(trials)] == [(10, 0.1), (20, 0.7)]
    assert tables.gains([0.5, 0.5], [0.6, 0.48]) == f"+4.0 ± {np.std([10, -2], ddof=1):.1f} (1 of 2)"


def test_terms_turned_by_the_training_records_are_the_same_to_a_linear_classifier() -> None:
    import scipy.sparse as sp

    X, Y, _ = _animals(90)
    wide = sp.csr_array(np.hstack([X, X**2, np.sqrt(X), np.eye(90, 40)]))
    parts = [(wide[rows], Y[rows]) for rows in (slice(40), slice(40, 60), slice(60, None))]
    turned = importlib.import_module("graph_embeddings")._rotated(parts)
    for (plain, _), (other, _) in zip(parts, turned, strict=True):
        assert np.allclose(other @ turned[0][0].T, (plain @ wide[:40].T).toarray(), atol=1e-4)
        assert np.allclose((other**2).sum(axis=1), plain.multiply(plain).sum(axis=1), atol=1e-4)
    assert turned[0][0].shape[1] <= 41 < wide.shape[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--small", "--write"], "--write needs the whole study"),
        (["retuers"], "part is unknown: got 'retuers', expected one of reuters, arxiv"),
    ],
)
def test_the_study_of_graph_embeddings_refuses_what_makes_no_sense(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        importlib.import_module("graph_embeddings").main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.realdata
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_study_of_graph_embeddings_runs_and_its_page_can_be_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    main, numbers = importlib.import_module("graph_embeddings").main, tmp_path / "numbers.json"
    main(["--small", "--save", str(numbers)])
    text = capsys.readouterr().out
    for method in importlib.import_module("graph_embeddings_trial").methods():
        assert text.count(f"\n| {method.name} ") >= 2, method.name
    main(["--from", str(numbers)])
    assert capsys.readouterr().out == text


def test_emails_are_seen_with_the_eyes_of_those_that_train() -> None:
    study = importlib.import_module("mlsa_newsgroups_emails")

    def post(author: str, subject: str, body: str) -> Any:
        names = {"subject": subject, "author": author, "organization": None if author == "Cy" else "home"}
        return study.Post("g", body.split(), subject.split(), names)

    posts = [post("Ann", "cats", "mew mew"), post("Ann", "dogs", "bark mew"), post("Bob", "cats", "purr")]
    mails = study.emails([*posts, post("Cy", "owls", "hoot mew")], stemmed=False)
    seen = study.view(mails, np.arange(3), scale=0.5)
    words = dict(zip(mails.vocabulary, seen.words.toarray().T, strict=True))
    assert not words["hoot"].any(), "a word of a new email alone tells a model nothing"
    expected = np.array([(1 + np.log(2)) * np.log(3 / 2), np.log(3 / 2)])  # mew, cats
    assert np.allclose([words["mew"][0], words["cats"][0]], expected / np.linalg.norm(expected))
    for table in seen.tables.values():
        lengths = np.linalg.norm(table[:3].toarray(), axis=0)
        assert np.allclose(lengths[lengths > 0], 1)
    assert not seen.tables["author"][[3]].toarray().any()
    assert [column.nnz for column in study.view(mails).tables.values()] == [4, 4, 3]
    assert not seen.subject_words.toarray()[2].any(), "the line of a new subject is unknown too"
    graph = study.relations(seen, study.Setting(subject=2.0, subject_word=0.4, author=2.0), np.arange(3))
    assert {block.name: block.weight for block in graph.blocks} == {
        "email-word": 1.0, "email-subject": 2.0, "email-author": 2.0, "subject-word": 0.4,
    }  # fmt: skip


def test_concepts_are_compared_with_the_papers_wherever_they_stand() -> None:
    paper = importlib.import_module("mlsa_newsgroups_paper")
    assert paper.likeness(paper.TABLE_2[::-1]) == ([10] * 5, 0.0)
    without_the_first = paper.TABLE_2[1:]
    shared, off = paper.likeness(without_the_first)
    assert shared == [max(len({*paper.TABLE_2[0]} & {*each}) for each in without_the_first), 10, 10, 10, 10]
    assert 0.1 < off < 0.4
    # ten words with all the weight, among which none is of the concept
    assert paper.likeness([{str(number): 1.0 for number in range(10)}]) == ([0] * 5, 1.0)


def test_splits_that_overlap_count_for_less() -> None:
    from scipy import stats

    numbers = importlib.import_module("mlsa_newsgroups_numbers")
    ours, others = [0.80, 0.84, 0.83, 0.85], [0.79, 0.80, 0.82, 0.79]
    t = stats.ttest_rel(ours, others).statistic * np.sqrt((1 / 4) / (1 / 4 + 1 / 4))
    assert numbers.corrected(ours, others) == f"+3.0 (4 of 4, p = {2 * stats.t.sf(t, 3):.2g})"
    assert numbers.compared(ours, others) == f"+3.0 (4 of 4, p = {stats.ttest_rel(ours, others).pvalue:.2g})"
    assert numbers.ahead(numbers.compared(ours, others)).startswith("3.0 points (4 of 4")


@pytest.mark.realdata
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_study_of_newsgroups_runs_and_labels_help_to_tell_categories_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    pytest.importorskip("snowballstemmer", reason="snowballstemmer is not installed: the study needs Porter's stems")
    main, file = importlib.import_module("mlsa_newsgroups").main, tmp_path / "numbers.json"
    main(["--quick", "--save", str(file)])
    text = capsys.readouterr().out
    numbers = json.loads(file.read_text(encoding="utf-8"))
    micro = {name: np.mean([row[4] for row in numbers["classes"] if row[1] == name]) for name in ("LSA", "M-LSA")}
    assert micro["M-LSA"] > micro["LSA"] + 0.05
    main(["--from", str(file)])
    assert capsys.readouterr().out == text
    pictures = importlib.import_module("mlsa_newsgroups_figures").draw(numbers, tmp_path)
    assert all(0 < picture.stat().st_size < 80_000 for picture in pictures)
    with pytest.raises(SystemExit):
        main(["--quick", "--write"])
    assert "--write needs the whole study" in capsys.readouterr().err
