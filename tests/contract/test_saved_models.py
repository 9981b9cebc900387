"""Every estimator is the same after `tacit.save` and `tacit.load`, and what this version saved still loads later."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import stored_models
from estimators import ESTIMATORS, CanonicalCorrelation
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

import tacit
from tacit.index.folder.manifest import MODEL, Manifest
from tacit.text import vectoriser

SETS = [{"sea", "ship"}, {"sea"}, {"home"}, None, {"home", "cat"}, {"ship"}] * 4
CLASSES = ["sea", "sea", "home", "ship", "home", "ship"] * 4
TAXONOMY = tacit.Taxonomy.from_parents({"ship": "sea", "cat": "home", "sea": None, "home": None})
TEXTS = [
    "a whale swims in the sea",
    "ships and whales at sea",
    "a cat sleeps at home",
    "a ship leaves the harbour",
    "cats purr at home",
    "the ship sails",
] * 4
MORE = [
    tacit.HLSI(2, taxonomy=TAXONOMY),
    tacit.HierarchyClassifier(taxonomy=TAXONOMY),
    tacit.TopDownClassifier(taxonomy=TAXONOMY),
    tacit.MLSI(2).set_output(transform="default"),
]
ASKED = ("transform", "decision_function", "predict_proba", "predict")

pytestmark = pytest.mark.filterwarnings("ignore::tacit.TacitWarning")


def _rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    words = {"sea": 0, "ship": 1, "home": 2, "cat": 3}
    X = rng.random((len(SETS), 8))
    for row, names in enumerate(SETS):
        X[row, [words[name] for name in names or ()]] += 1
    return X, rng.random((5, 8))


def _same(first: Any, second: Any) -> None:
    """Check that two results are equal to the last bit, and of the same type."""
    assert type(first) is type(second)
    if sp.issparse(first):
        first, second = first.toarray(), second.toarray()
    if isinstance(first, np.ndarray):
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second)
    elif isinstance(first, list):
        for one, other in zip(first, second, strict=True):
            _same(one, other)
    else:
        assert first == second


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *MORE], ids=repr)
def test_a_loaded_model_is_the_saved_one(estimator: Any, tmp_path: Path) -> None:
    model = clone(estimator)
    if isinstance(model, CanonicalCorrelation):  # a class of the tests, which no other version would know
        model = tacit.CCA(**model.get_params())
    X, new = _rows()
    if getattr(model, "kernel", "") == "precomputed":
        X, new = X @ X.T, new @ X.T
    y = CLASSES if isinstance(model, tacit.LDA) or not _takes_sets(model) else SETS
    model.fit(X, y)
    loaded = tacit.load(tacit.save(model, tmp_path / "model"))
    assert type(loaded) is type(model)
    assert repr(loaded.get_params()) == repr(model.get_params())
    asked = [name for name in ASKED if hasattr(model, name)]
    assert asked
    for name in asked:
        _same(getattr(model, name)(new), getattr(loaded, name)(new))
    learned = {name for name in vars(model) if name.endswith("_")}
    assert learned == {name for name in vars(loaded) if name.endswith("_")}
    if hasattr(model, "get_feature_names_out"):
        _same(model.get_feature_names_out(), loaded.get_feature_names_out())


def _takes_sets(model: Any) -> bool:
    return bool(getattr(model, "_takes_label_sets", True))


def test_every_public_estimator_is_tried() -> None:
    tried = {type(estimator).__name__ for estimator in ESTIMATORS} | {"CCA"}
    public = {name for name in tacit.__all__ if hasattr(getattr(tacit, name), "get_params")}
    assert public <= tried


def test_a_loaded_model_goes_on_learning(tmp_path: Path) -> None:
    X, new = _rows()
    views = {"places": tacit.View([{"north"}, {"south"}, None] * 8)}
    model = tacit.MLSI(3).fit(X, SETS, views=views)
    loaded = tacit.load(tacit.save(model, tmp_path / "model"))
    for one in (model, loaded):
        one.partial_fit(new, [{"sea"}] * 4 + [{"new"}], views={"places": [{"east"}] * 5})
    _same(model.transform(new), loaded.transform(new))
    assert loaded.labels_.names == model.labels_.names
    assert loaded.drift_ == model.drift_


def test_a_space_of_relations_answers_as_before(tmp_path: Path) -> None:
    ratings = np.random.default_rng(1).integers(0, 5, (12, 9))
    relations = tacit.Relations().add("user", "film", ratings, rows=[f"u{i}" for i in range(12)], columns=range(9))
    relations = relations.add("film", "word", np.eye(9)[:, :5], columns=list("abcde"), normalise="tfidf")
    model = tacit.MLSA(3).fit(relations.add_product("user-film", "film-word"))
    asked = model.fold_in("user", {"film": ratings[:2]})  # keeps what it needs between calls, which is not saved
    loaded = tacit.load(tacit.save(model, tmp_path / "model"))
    assert loaded.similar("user", "u3", to="word") == model.similar("user", "u3", to="word")
    assert loaded.relations_.types == model.relations_.types
    _same(asked, loaded.fold_in("user", {"film": ratings[:2]}))


@pytest.mark.parametrize("words", [TfidfVectorizer(min_df=2), vectoriser(max_features=5)], ids=["their own", "ours"])
def test_a_pipeline_with_a_vectoriser(words: Any, tmp_path: Path) -> None:
    pipeline = make_pipeline(clone(words), tacit.MLSI(2), tacit.LabelHead(random_state=0)).fit(TEXTS, SETS)
    loaded = tacit.load(tacit.save(pipeline, tmp_path / "model"))
    new = ["a whale at home", "nothing known"]
    _same(pipeline.decision_function(new), loaded.decision_function(new))
    assert loaded[-1].predict_labels(loaded[:-1].transform(new)) == pipeline[-1].predict_labels(
        pipeline[:-1].transform(new)
    )
    assert loaded[0].vocabulary_ == pipeline[0].vocabulary_
    assert loaded[0].dtype is pipeline[0].dtype


@pytest.mark.parametrize("thing", [TAXONOMY, tacit.LabelMatrix.from_sets(SETS)], ids=["taxonomy", "labels"])
def test_what_models_are_made_from(thing: Any, tmp_path: Path) -> None:
    loaded = tacit.load(tacit.save(thing, tmp_path / "thing"))
    assert loaded.names == thing.names
    assert repr(loaded) == repr(thing)


def test_an_unfitted_model_and_numbers_that_are_not_finite(tmp_path: Path) -> None:
    model = tacit.LSI(7, tol=1e-3, random_state=None)
    model.extra_ = {"low": -np.inf, "none": float("nan"), "zero": -0.0, 3: {"a", "b"}, "pair": (1, np.float32(0.1))}
    loaded = tacit.load(tacit.save(model, tmp_path / "model"))
    assert loaded.get_params() == model.get_params()
    assert not hasattr(loaded, "components_")
    assert loaded.extra_.pop(3) == model.extra_.pop(3)  # a set has no order
    assert repr(loaded.extra_) == repr(model.extra_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CanonicalCorrelation(), "got CanonicalCorrelation, expected one of CCA"),
        (tacit.LSI(random_state=np.random.default_rng(0)), "random_state of LSI .*expected None or a whole number"),
        (TfidfVectorizer(tokenizer=str.split), "tokenizer of TfidfVectorizer .*A function is code"),
        (make_pipeline(tacit.LSI(), object()), r"steps of Pipeline\[1\]\[1\] cannot be saved: got object"),
    ],
)
def test_what_cannot_be_saved(model: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(tacit.InputError, match=message):
        tacit.save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_where_a_model_is_saved(tmp_path: Path) -> None:
    folder = tacit.save(tacit.LSI(2), tmp_path / "new" / "model")
    with pytest.raises(tacit.InputError, match="pass replace_old=True"):
        tacit.save(tacit.LSI(3), folder)
    assert tacit.load(tacit.save(tacit.LSI(3), folder, replace_old=True)).n_components == 3
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(tacit.InputError, match="a folder with other files"):
        tacit.save(tacit.LSI(2), tmp_path, replace_old=True)
    with pytest.raises(tacit.InputError, match="folder is a file"):
        tacit.save(tacit.LSI(2), tmp_path / "notes.txt", replace_old=True)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tacit.save(tacit.LSI(2).fit(_rows()[0]), tmp_path / "model")


def _rewrite(folder: Path, **changes: Any) -> None:
    """Write the manifest anew, with a right checksum."""
    manifest = Manifest.from_json((folder / "manifest.json").read_bytes(), kind=MODEL)
    (folder / "manifest.json").write_text(Manifest(**{**vars(manifest), **changes}).to_json(), encoding="utf-8")


def _change_facts(folder: Path, old: str, new: str) -> None:
    """Change what the model is made of, with right checksums, as somebody might who wants code to be run."""
    import hashlib

    from tacit.index.folder.manifest import FileFacts

    path = folder / "facts/model.json"
    content = path.read_text(encoding="utf-8")
    assert old in content
    path.write_text(content.replace(old, new), encoding="utf-8")
    manifest = Manifest.from_json((folder / "manifest.json").read_bytes(), kind=MODEL)
    entry = FileFacts(path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
    _rewrite(folder, files={**manifest.files, "facts/model.json": entry})


def test_a_newer_format_is_refused(saved: Path) -> None:
    _rewrite(saved, format_version=MODEL.newest + 1)
    with pytest.raises(tacit.InputError, match=r"of a newer format.*Update Tacit to open this model"):
        tacit.load(saved)


def test_damage_is_noticed(saved: Path) -> None:
    path = next((saved / "arrays").iterdir())
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(tacit.InputError, match=r"does not match its checksum.*save the model again"):
        tacit.load(saved)
    path.unlink()
    with pytest.raises(tacit.InputError, match=r"is missing.*save the model again"):
        tacit.load(saved)


def test_other_files_are_refused(saved: Path) -> None:
    (saved / ".DS_Store").write_bytes(b"")  # file managers leave these
    tacit.load(saved)
    (saved / "arrays" / "evil.pkl").write_bytes(b"")
    with pytest.raises(tacit.InputError, match=r"got 'arrays/evil\.pkl', which it does not name"):
        tacit.load(saved)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"class": "LSI"', '"class": "os.system"', "unknown class: got 'os.system'"),
        ('"class": "LSI"', '"class": "sklearn.Pipeline"', "does not fit this version"),
        ('"n_components"', '"n_dimensions"', "does not fit this version.*save the model again"),
        ('"$": "array"', '"$": "pickle"', "does not fit this version: got \"'pickle'\""),
        ('"components_"', '"__class__"', "does not fit this version"),
    ],
)
def test_only_known_parts_are_read(saved: Path, old: str, new: str, message: str) -> None:
    _change_facts(saved, old, new)
    with pytest.raises(tacit.InputError, match=message):
        tacit.load(saved)


def test_indices_outside_of_a_matrix_are_refused(tmp_path: Path) -> None:
    labels = tacit.LabelMatrix.from_sets([{"a"}, {"b"}])
    folder = tacit.save(labels, tmp_path / "labels")
    _change_facts(folder, '"shape": [2, 2]', '"shape": [2, 1]')
    with pytest.raises(tacit.InputError, match="does not fit this version"):
        tacit.load(folder)


def test_folders_that_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(tacit.InputError, match=r"which does not exist. Pass a folder that"):
        tacit.load(tmp_path / "none")
    (tmp_path / "CURRENT").write_text("generation-000001\n", encoding="utf-8")
    with pytest.raises(tacit.InputError, match=r"holds an index.*Use tacit.open"):
        tacit.load(tmp_path)
    with pytest.raises(tacit.InputError, match=r"is a saved model.*Use tacit.load"):
        tacit.open(tacit.save(tacit.LSI(), tmp_path / "model"))


def test_another_version_of_scikit_learn_is_announced(tmp_path: Path) -> None:
    folder = tacit.save(TfidfVectorizer(), tmp_path / "model")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    _rewrite(folder, libraries={**manifest["libraries"], "scikit-learn": "1.2.3"})
    with pytest.warns(tacit.TacitWarning, match=r"parts of scikit-learn 1\.2\.3"):
        tacit.load(folder)
    _rewrite(tacit.save(tacit.LSI(), tmp_path / "ours"), libraries={"scikit-learn": "1.2.3"})
    tacit.load(tmp_path / "ours")


def test_models_of_an_earlier_version_give_the_same_results(tmp_path: Path) -> None:
    """`saved_models_1.zip` was written on 2026-11-18 by version 0.1.0.dev0, with `stored_models.write`."""
    shutil.unpack_archive(Path(__file__).with_name("saved_models_1.zip"), tmp_path)
    expected = json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    assert sorted(expected) == sorted(stored_models.models())
    for name, (asked, results) in expected.items():
        model = tacit.load(tmp_path / name)
        np.testing.assert_allclose(stored_models.results(model, asked), results, atol=1e-6, err_msg=name)
        clone(model)
