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
SUITES = sorted(path.stem for path in (BENCHMARKS / "suites").glob("*.py") if path.stem not in ("__init__", "profiles"))

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
            "row is unknown: got 'desne', expected one of dense, large, tree, lsi, relations, products.",
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
    assert not platform.node() or platform.node() not in facts


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
