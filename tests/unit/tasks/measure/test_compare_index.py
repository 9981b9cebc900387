"""Several models on one split: the same records and questions for all, and a baseline without any space."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tacit.corpus.record import Record
from tacit.errors import InputError, TacitWarning
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build
from tacit.tasks.build.fitting import fit_model
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.measure.compare import applicable_models, compare
from tacit.tasks.measure.evaluate import evaluate
from tacit.tasks.measure.split import split_records
from tacit.text.settings import TextSettings

WORDS = {"sea": ["whale", "ship", "harbour", "wave", "tide"], "home": ["kitchen", "table", "garden", "chair", "lamp"]}


def two_topics(n: int = 60, *, linked: bool = False) -> list[Record]:
    rng = np.random.default_rng(2)
    records = []
    for number in range(n):
        topic = ("sea", "home")[number % 2]
        text = " ".join([*rng.choice(WORDS[topic], 6), "story", f"own{number}"])
        links = {"author": (f"writer {number % 5}",)} if linked else {}
        records.append(Record(f"r{number}", f"own{number} title {text}", (topic,), f"own{number} title", links))
    return records


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("comparing") / "two.tacit"
    settings = BuildSettings(model="mlsi", n_components=5, parameters={"label_weight": 0.8})
    build(two_topics(), path, settings, taxonomy=Taxonomy.from_parents({"all": None, "sea": "all", "home": "all"}))
    with open_index(path) as collection:
        yield collection


@pytest.fixture(scope="module")
def found(index):
    return compare(index, queries=8)


def test_all_models_that_suit_are_compared_with_the_words_themselves(found):
    assert list(found.rows) == ["words", "lsi", "mlsi", "hlsi", "sle"]
    assert not found.failures
    for name, row in found.rows.items():
        assert row.fit_seconds > 0
        # the two topics share but one word, so that all see them; only the graph of SLE falls into two pieces here, and
        # in which of them a record is lies in no dimension
        assert name == "sle" or row.suggest.at[0].precision == 1.0
    assert found.rows["words"].n_dimensions > found.rows["mlsi"].n_dimensions == 5


def test_a_row_is_what_evaluate_gives_with_these_settings(index, found):
    alone = evaluate(index, queries=8).to_facts()
    row = found.rows["mlsi"].to_facts()
    for key in ("model", "dimensions", "train_records", "split", "suggest", "search"):
        assert row[key] == alone[key]


def test_search_by_words_is_the_same_for_all_models(found):
    assert len({row.search.ways["words"] for row in found.rows.values()}) == 1


def test_facts_are_plain(found):
    facts = found.to_facts()
    assert set(facts) == {"models", "failures"}
    assert facts["models"]["lsi"]["model"] == "LSI"


def test_a_model_that_cannot_be_fitted_is_left_out_and_named(index):
    with pytest.warns(TacitWarning, match=r"'mlsi' is left out of the comparison: label_weight is out of range"):
        found = compare(_with_bad_parameter(index), ["lsi", "mlsi"], queries=3)
    assert list(found.rows) == ["lsi"]
    assert found.failures["mlsi"].startswith("label_weight is out of range: got 7")
    with pytest.raises(
        InputError, match="no model could be fitted: got errors from 'mlsi', the first with: label_weight"
    ):
        compare(_with_bad_parameter(index), ["mlsi"], queries=3)


def test_warnings_name_their_model(index, monkeypatch):
    def warning_fit(*given):
        warnings.warn("few labels", TacitWarning, stacklevel=2)
        return fit_model(*given)

    monkeypatch.setattr("tacit.tasks.measure.trial_index.fit_model", warning_fit)
    with pytest.warns(TacitWarning, match="^lsi: few labels$"):
        compare(index, ["lsi"], queries=3)


def _with_bad_parameter(index):
    """The same index, whose manifest asks for something that no model can do."""
    other = open_index(index.path)
    other.generation.manifest.settings["build"]["parameters"] = {"label_weight": 7}
    return other


def test_links_bring_multi_type_analysis(tmp_path):
    path = build(two_topics(linked=True), tmp_path / "linked.tacit", BuildSettings(n_components=5))
    with open_index(path) as collection:
        assert applicable_models(split_records(collection), None) == ["lsi", "mlsi", "sle", "mlsa"]
        found = compare(collection, ["mlsa"], queries=3)
    assert found.rows["mlsa"].model == "M-LSA"


def test_records_without_labels_have_lsi_and_words(tmp_path):
    records = [Record(record.id, record.text, title=record.title) for record in two_topics()]
    path = build(records, tmp_path / "plain.tacit", BuildSettings(n_components=5, text=TextSettings(min_records=1)))
    with open_index(path) as collection:
        found = compare(collection, queries=5)
    assert list(found.rows) == ["words", "lsi"]
    assert found.rows["words"].suggest is None
    assert found.rows["words"].search.ways["words"].mrr == 1.0


def test_unknown_models_are_named(index):
    with pytest.raises(InputError, match=r"models is unknown: got 'mlsj', expected one of .* Did you mean 'mlsi'"):
        compare(index, ["mlsj"])
    with pytest.raises(InputError, match="models is unknown: got 'auto'"):
        compare(index, ["auto"])
    with pytest.raises(InputError, match="queries is out of range"):
        compare(index, queries=0)
