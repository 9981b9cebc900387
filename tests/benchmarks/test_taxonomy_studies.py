"""The studies of taxonomies: splits, rare classes, closed predictions, and whole runs."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from animals import animals


def test_every_leaf_has_training_records_in_a_leaf_split() -> None:
    trial = importlib.import_module("tacit.reproduce.trees")
    _, Y, taxonomy = animals()
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

    trial = importlib.import_module("tacit.reproduce.trees")
    taxonomy = Taxonomy.from_nested({"animals": {"cats": {"lions": {}}, "dogs": {}}, "rocks": {}})
    labels = LabelMatrix.from_sets([{"lions"}, {"cats"}, {"dogs"}, {"rocks"}, {"cats", "rocks"}])
    kept = trial._pruned(tuple("abcde"), labels, taxonomy, "toy", 3, np.array([2, 3, 4]))
    assert kept.taxonomy.names == ("animals", "cats")
    assert kept.Y.to_sets() == [("cats",), ("cats",), ("animals",), ("cats",)]
    assert kept.X == ("a", "b", "c", "e")
    assert kept.published.tolist() == [2, 3]


def test_words_of_a_split_come_from_its_training_texts() -> None:
    trial = importlib.import_module("tacit.reproduce.trees")
    _, Y, taxonomy = animals(8)
    texts = ("common rare", *["common frequent"] * 3, *["common unseen"] * 4)
    X, X_new = trial.vectors(trial.Collection(texts, Y, taxonomy, "toy"), np.arange(4), np.arange(4, 8))
    assert (X.shape, X_new.shape, X_new.nnz) == ((4, 2), (4, 2), 4)


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_closing_predictions_is_what_the_classifier_does() -> None:
    from tacit import HierarchyClassifier
    from tacit.evaluate import f1

    trial, methods = importlib.import_module("tacit.reproduce.trees"), importlib.import_module("taxonomy_methods")
    X, Y, taxonomy = animals()
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

    _, _, taxonomy = animals()
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
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_study_of_unknown_labels_in_hlsi_runs_and_its_page_can_be_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    from tacit.models.hlsi import hlsi

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    main, numbers, default = importlib.import_module("hlsi_unknown_labels").main, tmp_path / "it", hlsi.EXPECTED_WEIGHT
    main(["--quick", "--save", str(numbers)])
    assert default == hlsi.EXPECTED_WEIGHT
    text = capsys.readouterr().out
    found = {way: figures for _, _, way, figures in json.loads(numbers.read_text())["found"]}
    assert found["weight .1, halfway"][0] > found["folded in"][0] > found["as records without labels"][0]
    main(["--from", str(numbers)])
    assert capsys.readouterr().out == text
