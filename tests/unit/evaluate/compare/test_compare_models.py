"""A comparison gives every model the same chance, chooses by validation only, and says what it could not do."""

from __future__ import annotations

import functools
import io
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from planted import TOPIC_TREE, plant
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from tacit import HLSI, LSI, MLSI, LabelHead, Taxonomy, TopDownClassifier
from tacit.errors import InputError, MissingExtraError, TacitWarning
from tacit.evaluate.compare.models import compare_models

HEAD = LabelHead("ridge", calibrate=False)


@functools.cache
def splits():
    made = plant(120, 200)
    (X, Y), (X_new, Y_new) = made.training, made.new
    return (X, Y), (X_new[:100], Y_new[:100]), (X_new[100:], Y_new[100:])


def as_sets(Y):
    return [{f"topic {j}" for j in np.flatnonzero(row)} for row in Y.toarray()]


@pytest.fixture(scope="module")
def compared():
    """Features, LSI and MLSI with a grid, in which one setting cannot be fitted."""
    return compare_models(
        {"words": "raw", "LSI": LSI(), "MLSI": MLSI()},
        *splits(),
        dimensions=(5, 2, 10),
        grids={"MLSI": {"label_weight": [0.75, 0.25, 2.0], "scaling": ["unit", "damped"]}},
        head=HEAD,
        head_grid={"ridge": [0.1, 1.0]},
    )


def test_a_space_that_knows_the_labels_beats_lsi_with_as_many_dimensions(compared):
    # two dimensions are too few for six topics, and ten are enough for LSI to find them among the genres
    informed, plain = (dict(compared.by_dimension()[name])[5] for name in ("MLSI", "LSI"))
    assert informed.dimensions == plain.dimensions == 5
    for measure in ("macro F1", "micro F1", "AUC"):
        assert informed.test[measure] > plain.test[measure] + 0.1
    assert compared.best.name == "MLSI"


def test_the_scores_are_those_of_a_fit_by_hand(compared):
    train, validation, test = splits()
    row = compared["MLSI"]
    space = MLSI(row.dimensions, **row.parameters)
    head = LabelHead("ridge", calibrate=False, **row.head_parameters).fit(space.fit_transform(*train), train[1])
    for (X, Y), scores in ((validation, row.validation), (test, row.test)):
        Z, truth = space.transform(X), Y.toarray()
        assert scores["macro F1"] == pytest.approx(f1_score(truth, head.predict(Z), average="macro"))
        assert scores["micro F1"] == pytest.approx(f1_score(truth, head.predict(Z), average="micro"))
        assert scores["AUC"] == pytest.approx(roc_auc_score(truth, head.decision_function(Z), average="macro"))
    by_label = f1_score(test[1].toarray(), head.predict(space.transform(test[0])), average=None)
    assert list(compared.by_label()["MLSI"].values()) == pytest.approx(by_label.tolist())


def test_the_raw_features_are_those_that_the_head_gets_by_hand(compared):
    train, _, (X, Y) = splits()
    row = compared["words"]
    head = LabelHead("ridge", calibrate=False, random_state=0, **row.head_parameters).fit(*train)
    assert (row.dimensions, row.asked, row.parameters) == (300, (), {})
    assert row.test["macro F1"] == pytest.approx(f1_score(Y.toarray(), head.predict(X), average="macro"))


def test_everything_is_tried_and_the_best_validation_score_wins(compared):
    tried = {name: [t for t in compared.trials if t.name == name] for name in ("words", "LSI", "MLSI")}
    assert {name: len(mine) for name, mine in tried.items()} == {"words": 2, "LSI": 3 * 2, "MLSI": 2 * 2 * 3 * 2}
    for row in compared.rows:
        scores = [trial.validation["macro F1"] for trial in tried[row.name]]
        assert row is tried[row.name][int(np.argmax(scores))]
    assert compared.best.validation["macro F1"] == max(row.validation["macro F1"] for row in compared.rows)


@pytest.mark.parametrize("measure", ["micro F1", "mean F1", "AUC"])
def test_another_measure_chooses_by_itself(measure):
    found = compare_models({"LSI": LSI()}, *splits(), dimensions=(2, 5, 10), head=HEAD, choose_by=measure)
    assert found["LSI"].validation[measure] == max(trial.validation[measure] for trial in found.trials)


def test_only_what_is_asked_for_is_measured():
    given = {"dimensions": 5, "head": HEAD, "measures": ["mean F1", "micro F1"]}
    found = compare_models({"LSI": LSI()}, *splits(), **given)
    scores = found["LSI"].test
    assert scores["mean F1"] == pytest.approx((scores["macro F1"] + scores["micro F1"]) / 2)
    assert set(scores) == {"mean F1", "micro F1", "macro F1"}  # the last one chooses
    assert "AUC" not in found.table()


def test_of_equal_settings_the_first_with_the_fewest_dimensions_is_chosen():
    train, validation, test = splits()
    found = compare_models(
        {"twice": LSI()},
        train,
        validation,
        test,
        dimensions=(3, 3),
        grids={"twice": {"random_state": [1, 2]}},
        head=HEAD,
    )
    assert [trial.validation for trial in found.trials] == [found.trials[0].validation] * 2
    assert found["twice"] is found.trials[0]


@pytest.mark.parametrize("model", [LSI(), MLSI(), HLSI()], ids=lambda model: type(model).__name__)
def test_the_leading_dimensions_are_those_of_a_fit_with_fewer(model):
    given = {"dimensions": (2, 4, 8), "head": HEAD}
    once, anew = (compare_models({"it": model}, *splits(), nested=nested, **given) for nested in (True, False))
    assert [trial.dimensions for trial in anew.trials] == [2, 4, 8]
    assert len({trial.seconds for trial in once.trials}) == 1
    assert len({trial.seconds for trial in anew.trials}) == 3
    for one, other in zip(once.trials, anew.trials, strict=True):
        assert one.validation == pytest.approx(other.validation, abs=1e-9)
        assert one.test == pytest.approx(other.test, abs=1e-9)


def test_a_model_with_fewer_dimensions_answers_for_all_that_it_has_not():
    # with the labels alone there is one dimension a label
    grids = {"MLSI": {"label_weight": [0.5, 1.0]}}
    with warnings.catch_warnings():
        warnings.simplefilter("error", TacitWarning)
        found = compare_models({"MLSI": MLSI()}, *splits(), dimensions=(3, 10, 20), grids=grids, head=HEAD)
    alone = [trial for trial in found.trials if trial.parameters["label_weight"] == 1.0]
    assert [(trial.dimensions, trial.asked) for trial in alone] == [(3, (3,)), (6, (10, 20))]
    assert [k for k, _ in found.by_dimension()["MLSI"]] == [3, 10, 20]
    assert found.remarks == {"MLSI": ("n_components=20 is more than the labels can span: kept 6 dimensions.",)}


def test_curves_have_the_best_validation_score_at_each_value(compared):
    mine = [trial for trial in compared.trials if trial.name == "MLSI"]
    assert list(compared.by_parameter("label_weight")) == ["MLSI"]
    weights = compared.by_parameter("label_weight")["MLSI"]
    assert [value for value, _ in weights] == [0.25, 0.75]
    for value, trial in weights:
        rivals = [t.validation["macro F1"] for t in mine if t.parameters["label_weight"] == value]
        assert trial.validation["macro F1"] == max(rivals)
    for k, trial in compared.by_dimension()["MLSI"]:
        assert trial.validation["macro F1"] == max(t.validation["macro F1"] for t in mine if t.dimensions == k)
    assert [value for value, _ in compared.by_parameter("scaling")["MLSI"]] == ["unit", "damped"]
    assert list(compared.by_parameter("head__ridge")) == ["words", "LSI", "MLSI"]
    assert compared.by_dimension()["words"] == [(300, compared["words"])]


def test_a_setting_that_fails_is_recorded_with_its_sentence(compared):
    assert [failure.parameters["label_weight"] for failure in compared.failures] == [2.0, 2.0]
    assert all("label_weight is out of range: got 2.0" in failure.sentence for failure in compared.failures)
    assert {failure.dimensions for failure in compared.failures} == {10}
    assert "MLSI: 2 failed, the first with: label_weight is out of range" in compared.table()


def test_a_head_that_fails_leaves_the_others():
    found = compare_models({"LSI": LSI()}, *splits(), dimensions=4, head=HEAD, head_grid={"ridge": [-1.0, 1.0]})
    assert [trial.head_parameters for trial in found.trials] == [{"ridge": 1.0}]
    assert [failure.head_parameters for failure in found.failures] == [{"ridge": -1.0}]


def test_a_model_that_always_fails_is_left_out_with_a_warning_and_if_all_do_it_is_an_error():
    grids = {"bad": {"label_weight": [2.0, 3.0]}}
    with pytest.warns(
        TacitWarning, match=r"'bad' is left out of the comparison: all its 2 settings failed, .* got 2\.0"
    ):
        found = compare_models({"bad": MLSI(), "LSI": LSI()}, *splits(), dimensions=4, grids=grids, head=HEAD)
    assert [row.name for row in found.rows] == ["LSI"]
    assert "bad: 2 failed" in found.table("markdown")
    with pytest.raises(
        InputError, match="no model could be fitted: got errors from 'bad', the first with: label_weight"
    ):
        compare_models({"bad": MLSI()}, *splits(), dimensions=4, grids=grids, head=HEAD)


def test_labels_are_matched_by_name_and_those_never_trained_are_left_out_and_counted():
    train, validation, test = splits()
    plain = compare_models({"LSI": LSI()}, train, validation, test, dimensions=5, head=HEAD)
    named = [(X, as_sets(Y)) for X, Y in (train, validation, test)]
    for sets in (named[1][1], named[2][1]):
        sets[0].add("a label of no training record")  # comes first, so that the columns differ
    found = compare_models({"LSI": LSI()}, *named, dimensions=5, head=HEAD)
    assert found.rows[0].test == pytest.approx(plain.rows[0].test)
    assert plain.rows[0].n_left_out == {"macro F1": 0, "micro F1": 0, "AUC": 0}
    assert found.rows[0].n_left_out == {"macro F1": 1, "micro F1": 1, "AUC": 1}
    assert found.labels == tuple(f"topic {j}" for j in range(6))
    assert "Labels left out of macro F1, micro F1, AUC: 1." in found.table()


def test_training_records_with_unknown_labels_shape_the_space_and_not_the_head():
    (X, Y), validation, test = splits()
    parts = [(X, [*as_sets(Y[:60]), *[None] * 60]), *((X, as_sets(Y)) for X, Y in (validation, test))]
    found = compare_models({"LSI": LSI(5)}, *parts, dimensions=5, head=HEAD)
    space = LSI(5)
    head = LabelHead("ridge", calibrate=False).fit(space.fit_transform(X)[:60], Y[:60])
    predicted = head.predict(space.transform(test[0]))
    assert found.rows[0].test["macro F1"] == pytest.approx(f1_score(test[1].toarray(), predicted, average="macro"))


@pytest.mark.parametrize("names", [("no", "yes"), (3, 7, 9)])
def test_one_class_a_record(names):
    rng = np.random.default_rng(0)
    kind = rng.integers(len(names), size=240)
    X = np.eye(len(names))[kind] @ rng.random((len(names), 30)) + 0.3 * rng.random((240, 30))
    y = np.asarray(names)[kind]
    parts = [(X[rows], y[rows]) for rows in (slice(120), slice(120, 180), slice(180, None))]
    found = compare_models({"raw": None, "LSI": LSI()}, *parts, dimensions=3)
    head = LabelHead(calibrate=False, random_state=0).fit(*parts[0])
    assert found["raw"].test["macro F1"] == pytest.approx(
        f1_score(parts[2][1], head.predict(parts[2][0]), average="macro")
    )
    assert found["LSI"].test["AUC"] > 0.95


def test_pipelines_and_transformers_of_others_take_part():
    models = {
        "pipeline": make_pipeline(Normalizer(), MLSI()),
        "refitted": make_pipeline(LSI(), Normalizer()),
        "SVD": TruncatedSVD(random_state=0),
        "scaled": Normalizer(),
    }
    grids = {"pipeline": {"mlsi__label_weight": [0.3, 0.6]}}
    found = compare_models(models, *splits(), dimensions=(3, 6), grids=grids, head=HEAD)
    assert [value for value, _ in found.by_parameter("label_weight")["pipeline"]] == [0.3, 0.6]
    # positions of length 1 depend on how many dimensions there are, so that a second fit is needed
    assert len({trial.seconds for trial in found.trials if trial.name == "refitted"}) == 2
    assert found["scaled"].dimensions == 300
    assert [trial.dimensions for trial in found.trials if trial.name == "SVD"] == [3, 6]


def test_a_head_that_speaks_of_more_classes_is_judged_by_the_labels():
    parts = [(X, as_sets(Y)) for X, Y in splits()]
    head = TopDownClassifier(HEAD, taxonomy=Taxonomy.from_nested(TOPIC_TREE))
    found = compare_models({"MLSI": MLSI()}, *parts, dimensions=6, head=head)
    assert found["MLSI"].label_f1.shape == (6,)
    assert found["MLSI"].test["macro F1"] > 0.6
    assert found["MLSI"].test["AUC"] > 0.8


def test_the_same_call_gives_the_same_scores_whatever_the_seed_of_the_head():
    head = LabelHead("svm", calibrate=False)
    first, again = (compare_models({"MLSI": MLSI()}, *splits(), dimensions=(3, 6), head=head) for _ in range(2))
    assert [trial.test for trial in first.trials] == [trial.test for trial in again.trials]
    assert head.random_state is None


def test_sparse_features_stay_sparse():
    parts = [(sp.csr_array((X.data, X.indices * 200, X.indptr), shape=(X.shape[0], 60_000)), Y) for X, Y in splits()]
    tracemalloc.start()
    found = compare_models({"raw": "raw", "LSI": LSI()}, *parts, dimensions=2, head=LabelHead("svm", calibrate=False))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found["raw"].dimensions == 60_000
    assert peak < 0.5 * 100 * 60_000 * 8  # half of what the smallest split would take as an array


def test_progress_is_reported_or_shown(capsys, monkeypatch):
    told = []
    given = {"dimensions": 4, "head": HEAD, "grids": {"MLSI": {"label_weight": [0.5, 2.0]}}}
    models = {"LSI": LSI(), "MLSI": MLSI()}
    compare_models(models, *splits(), progress=lambda *news: told.append(news), **given)
    assert [(number, total, outcome.name) for number, total, outcome in told] == [
        (1, 3, "LSI"),
        (2, 3, "MLSI"),
        (3, 3, "MLSI"),
    ]
    assert "got 2.0" in told[2][2].sentence
    found = compare_models(models, *splits(), progress=True, **given)
    lines = capsys.readouterr().err.splitlines()
    assert [line[:3] for line in lines] == ["1/3", "2/3", "MLS", "3/3"]
    assert lines[2].startswith("MLSI failed: label_weight is out of range")
    best = f"best macro F1 {found.best.validation['macro F1']:.4f} ({found.best.name})"
    assert lines[-1].endswith(best)

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "60")
    compare_models(models, *splits(), progress=True, **given)
    said = sys.stderr.getvalue()
    assert said.count("\r") == 4
    assert said.endswith("\n")
    assert all(len(part.removeprefix("\x1b[K").rstrip("\n")) < 60 for part in said.split("\r") if "failed" not in part)


def test_the_tables_hold_the_rows(compared):
    lines = compared.table().splitlines()
    assert lines[0].split()[:2] == ["model", "dimensions"]
    assert [line.split()[0] for line in lines[1:4]] == ["words", "LSI", "MLSI"]
    for row, line in zip(compared.rows, lines[1:4], strict=True):
        assert f"{row.test['macro F1']:.3f}" in line
        assert f"{row.validation['macro F1']:.3f}" in line
        assert f"head__ridge={row.head_parameters['ridge']:g}" in line
    top = max(compared.rows, key=lambda row: row.test["macro F1"])
    assert f"{top.test['macro F1']:.3f}*" in compared.table()
    page = compared.table("markdown").splitlines()
    assert f"**{top.test['macro F1']:.3f}**" in page[2 + compared.rows.index(top)]
    assert len({len(line) for line in page[:5]}) == 1
    assert {line.count("|") for line in page[:5]} == {9}
    assert str(compared) == compared.table()


def test_the_picture_over_dimensions_shows_every_model(compared, tmp_path):
    figure = compared.plot_dimensions(tmp_path / "dimensions.png")
    assert (tmp_path / "dimensions.png").read_bytes().startswith(b"\x89PNG")
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("dimensions", "macro F1 (test)")
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["2", "5", "10"]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert sorted(names) == ["LSI", "MLSI", "chosen on validation", "words"]
    drawn = {tuple(np.round(line.get_ydata(), 12)) for line in axes.lines}
    for name in ("LSI", "MLSI"):
        assert tuple(round(t.test["macro F1"], 12) for _, t in compared.by_dimension()[name]) in drawn
    level = compared["words"].test["macro F1"]
    assert any(np.allclose(line.get_ydata(), level) and list(line.get_xdata()) == [0, 1] for line in axes.lines)
    lines = [line for line in axes.lines if len(line.get_xdata()) == 3]
    assert len({(line.get_color(), line.get_linestyle(), line.get_marker()) for line in lines}) == 2


def test_the_picture_over_a_parameter_shows_the_models_that_have_it(compared, tmp_path):
    figure = compared.plot_parameter("label_weight", tmp_path / "weight.svg", measure="AUC", split="validation")
    assert (tmp_path / "weight.svg").stat().st_size > 0
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("label weight", "AUC (validation)")
    line = axes.lines[0]
    assert list(line.get_xdata()) == [0.25, 0.75]
    assert list(line.get_ydata()) == [t.validation["AUC"] for _, t in compared.by_parameter("label_weight")["MLSI"]]
    # the same model has the same colour in both pictures
    other = compared.plot_dimensions().axes[0].get_legend()
    colours = {
        text.get_text(): handle.get_color() for text, handle in zip(other.texts, other.legend_handles, strict=True)
    }
    assert line.get_color() == colours["MLSI"]


def test_values_that_are_no_numbers_stand_side_by_side(compared):
    (axes,) = compared.plot_parameter("scaling").axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["'unit'", "'damped'"]
    assert list(axes.lines[0].get_xdata(orig=False)) == [0, 1]


def test_it_says_in_short_what_it_is(compared):
    assert repr(compared) == "ModelComparison(3 models, 32 trials, 2 failed; best macro F1: 'MLSI')"


def test_bad_questions_are_refused(compared, tmp_path):
    with pytest.raises(InputError, match=r"name is unknown: got 'label_wait', .* Did you mean 'label_weight'\?"):
        compared.by_parameter("label_wait")
    with pytest.raises(InputError, match="name is unknown: got 'PLSA', expected one of 'words', 'LSI', 'MLSI'"):
        _ = compared["PLSA"]
    with pytest.raises(InputError, match="style is unknown: got 'html'"):
        compared.table("html")
    with pytest.raises(InputError, match="measure is unknown: got 'accuracy'"):
        compared.plot_dimensions(measure="accuracy")
    with pytest.raises(InputError, match="split is unknown: got 'train'"):
        compared.plot_dimensions(split="train")
    with pytest.raises(InputError, match=r"path is not a picture file: got .*, expected a name that ends in \.png"):
        compared.plot_dimensions(tmp_path / "picture.txt")
    with pytest.raises(InputError, match=r"path cannot be written: got .* and No such file or directory"):
        compared.plot_dimensions(tmp_path / "nowhere" / "picture.png")
    lone = compare_models({"LSI": LSI()}, *splits(), dimensions=3, head=HEAD)
    with pytest.raises(InputError, match="expected a parameter of a grid, but there was no grid"):
        lone.by_parameter("label_weight")


def test_a_name_that_two_steps_have_is_ambiguous():
    models = {"both": make_pipeline(LSI(20), MLSI())}
    grids = {"both": {"lsi__scaling": ["unit"], "mlsi__scaling": ["unit", "damped"]}}
    found = compare_models(models, *splits(), dimensions=3, grids=grids, head=HEAD)
    with pytest.raises(
        InputError, match="name is ambiguous: got 'scaling', expected one of 'lsi__scaling', 'mlsi__scaling'"
    ):
        found.by_parameter("scaling")
    assert [value for value, _ in found.by_parameter("mlsi__scaling")["both"]] == ["unit", "damped"]


def test_a_missing_matplotlib_is_named():
    # a process of its own, in which the library cannot be found
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from tacit.evaluate.compare.result import draw_lines\n"
        "try: draw_lines([], over='dimensions', score='macro F1')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.startswith(MissingExtraError.__name__)
    assert "Drawing a comparison needs matplotlib" in printed
    assert "pip install 'tacit[plot]'" in printed


def bad(**changed):
    train, validation, test = splits()
    models = changed.pop("models", {"LSI": LSI(), "raw": "raw"})
    given = {"train": train, "validation": validation, "test": test, "dimensions": 3, "head": HEAD} | changed
    return compare_models(models, **given)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"models": {}}, "models is empty: got no model, expected a dict from names to estimators"),
        ({"models": [LSI()]}, "models is not a mapping: got list, expected a dict"),
        ({"models": {"LSI": LSI}}, "models has no transformer for 'LSI': got <class"),
        ({"models": {"LSI": "words"}}, "models has no transformer for 'LSI': got 'words'"),
        ({"dimensions": ()}, "dimensions is empty: got no number"),
        ({"dimensions": (0, 10)}, "dimensions is out of range: got 0, expected a whole number of at least 1"),
        ({"dimensions": None}, "dimensions is out of range: got None"),
        ({"dimensions": 2.5}, "dimensions is out of range: got 2.5"),
        (
            {"validation": None},
            r"validation is missing: got None, expected a pair \(X, y\)\. Settings are chosen on it",
        ),
        ({"test": None}, r"test is missing: got None, expected a pair \(X, y\)\.$"),
        ({"test": np.eye(3)}, r"test is not a pair: got ndarray, expected a tuple \(X, y\)"),
        ({"test": (["some", "texts"], [["a"], ["b"]])}, "test has no feature matrix: got list for X"),
        ({"test": (np.ones((2, 300)), None)}, "test has labels that cannot be read: y is missing"),
        ({"test": (np.ones((3, 300)), np.eye(2, 6))}, "y of test does not match X: got 2 rows for 3 records"),
        ({"test": (np.ones((6, 299)), np.eye(6))}, "test does not match train: got 299 columns in X for 300"),
        ({"validation": (np.ones((5, 300)), np.eye(5))}, "validation does not match train: got 5 columns in y for 6"),
        ({"validation": (np.ones((2, 300)), np.zeros((2, 6)))}, "validation cannot be scored: got no record"),
        ({"grids": {"LSA": {"center": [True]}}}, "grids is unknown: got 'LSA', expected one of 'LSI', 'raw'.*'LSI'"),
        (
            {"grids": {"LSI": {"centre": [True]}}},
            r"grids for 'LSI' is unknown: got 'centre', .*Did you mean 'center'\?",
        ),
        ({"grids": {"LSI": {"center": True}}}, "grids is not a grid for 'LSI': got {'center': True}, expected a dict"),
        ({"grids": {"LSI": {"n_components": [5]}}}, "grids sets 'n_components' for 'LSI': got values, expected none"),
        ({"grids": {"raw": {"center": [True]}}}, "grids has values for 'raw': got {'center': "),
        ({"grids": [{"center": [True]}]}, "grids is not a mapping: got list"),
        ({"head": Normalizer()}, "head is not a label classifier: got Normalizer, expected a LabelHead"),
        ({"head_grid": {"c": [1]}}, "head_grid for LabelHead is unknown: got 'c'"),
        ({"measures": ()}, "measures is empty: got no name"),
        ({"measures": ("accuracy",)}, "measures is unknown: got 'accuracy', expected one of 'macro F1'"),
        ({"choose_by": "loss"}, "choose_by is unknown: got 'loss'"),
    ],
)
def test_what_cannot_be_compared_is_refused(changed, sentence):
    with pytest.raises(InputError, match=sentence):
        bad(**changed)
