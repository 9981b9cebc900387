"""What each witness adds, and names of subjects from another vocabulary, in records whose texts name their subjects."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from named_subjects import N_SUBJECTS, name_of, named_records, named_settings, vocabulary

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build
from tacit.tasks.collection import open_index
from tacit.tasks.measure.compare import compare
from tacit.tasks.measure.evaluate import evaluate
from tacit.tasks.measure.split import split_records
from tacit.tasks.measure.suggestion_quality import JudgedSuggestions, judge_suggestions, measure_judged
from tacit.tasks.measure.trial_index import Features, FittedIndex
from tacit.tasks.stage_progress import StageReporter
from tacit.tasks.tune.tune import tune


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("witnesses") / "named.tacit"
    build(named_records(), path, named_settings(), taxonomy=vocabulary())
    with open_index(path) as collection:
        yield collection


@pytest.fixture(scope="module")
def found(index):
    stages = []
    return evaluate(index, share=0.3, queries=2, witnesses=True, report=stages.append), stages


@pytest.fixture(scope="module")
def judged(index) -> JudgedSuggestions:
    split = split_records(index, share=0.3)
    quiet = StageReporter(None)
    features = Features.of(split.train, named_settings(), quiet)
    fitted = FittedIndex(split.train, named_settings(), index.vocabulary, features, quiet)
    answer = judge_suggestions(fitted, split.test)
    assert answer is not None
    return answer


def test_the_place_of_a_name_is_what_tells_the_subject(found):
    rows = {row.name: row for row in found[0].witnesses.rows}
    assert {"words", "neighbours", "names", "position", "relatives"} <= set(rows)
    names = rows["names"]
    assert names.alone_precision > max(row.alone_precision for name, row in rows.items() if name != "names") + 0.3
    assert names.without_precision < found[0].witnesses.precision - 0.2
    assert names.gain > max(2 * names.error, 0.1)
    assert names.gain == pytest.approx(found[0].witnesses.ndcg - names.without_ndcg)
    assert all(abs(row.gain) < 0.05 for name, row in rows.items() if name != "names")


def test_progress_of_the_witnesses_is_reported_and_facts_are_plain(found):
    evaluation, stages = found
    said = [stage for stage in stages if stage.name == "witnesses"]
    assert said[-1].message == "5 witnesses tried alone and left out on 54 held-out records"
    assert any("names, 3 of 5" in stage.message for stage in said)
    facts = evaluation.to_facts()["witnesses"]
    assert facts["records"] == 54
    assert [row["name"] for row in facts["rows"]][2] == "names"


def test_suggestions_stay_sparse_and_measure_as_dense_ones(judged):
    assert sp.issparse(judged.scores)
    assert judged.scores.nnz < 0.9 * np.prod(judged.scores.shape)
    dense = np.full(judged.scores.shape, -np.inf)
    listed = sp.coo_array(judged.scores)
    dense[listed.row, listed.col] = listed.data
    as_dense = JudgedSuggestions(
        judged.truth, dense, judged.chosen, judged.n_learned, judged.n_known, judged.are_probabilities
    )
    one, other = measure_judged(judged), measure_judged(as_dense)
    assert one.to_facts() == other.to_facts()
    assert one.calibration_error is not None
    assert 0 <= one.calibration_error < 1


def test_subjects_without_records_that_have_names_are_not_counted_as_lost(index, found):
    suggest = found[0].suggest
    assert suggest.n_unlearned == suggest.n_named > 0
    assert any(note.endswith("are on no training record: they can be found by their names.") for note in found[0].notes)
    brought = [Record("a", name_of(3), ("s03", "unheard")), Record("b", name_of(4), ("s04",))]
    other = evaluate(index, test=brought, queries=2)
    assert (other.suggest.n_unlearned, other.suggest.n_named) == (1, 0)
    assert any(note.endswith("are on no training record: they count as missed.") for note in other.notes)


def test_rows_and_facts_have_titles_and_counts_of_all_subjects(index, found):
    rows = {row.label: row for row in found[0].subjects}
    assert len(rows) == N_SUBJECTS
    assert rows["s01"].title == name_of(1)
    assert all(row.n_train + row.n_held_out == 2 for row in rows.values())
    sets = found[0].suggest.chosen
    assert sum(row.n_right for row in rows.values()) == sets.n_right
    assert sum(row.n_missed for row in rows.values()) == sets.n_missed
    assert sum(row.n_chosen for row in rows.values()) == sets.n_right + sets.n_wrong
    assert found[0].to_facts()["subjects"][0]["title"].endswith("bo")
    assert found[0].diagnosis.n_records == 54


def test_names_of_another_vocabulary_count_instead_of_those_of_the_index(index, found, tmp_path):
    unhelpful = evaluate(index, share=0.3, queries=2, vocabulary=vocabulary(helpful=False))
    assert unhelpful.suggest.at[0].precision < 0.2
    assert found[0].suggest.at[0].precision > 0.8
    assert {row.title for row in unhelpful.subjects if row.label == "s01"} == {"silent1"}
    assert index.vocabulary.title("s01") == name_of(1)  # the index is not changed


def test_another_vocabulary_is_matched_as_in_a_refit_and_has_its_own_broader_terms(index, tmp_path):
    names = {f"http://x.org/{number}": name_of(number) for number in range(N_SUBJECTS)}
    above = {iri: "http://x.org/top" for iri in names}
    other = Taxonomy.from_parents({**above, "http://x.org/top": None}, {**names, "http://x.org/top": "Everything"})
    with pytest.raises(InputError, match="vocabulary is not that of the labels: got names or ids of 0 of 90 different"):
        evaluate(index, share=0.3, vocabulary=other)
    named = [
        Record(record.id, record.text, (name_of(number % N_SUBJECTS),)) for number, record in enumerate(named_records())
    ]
    path = build(named, tmp_path / "by_name.tacit", named_settings(), taxonomy=vocabulary())
    with open_index(path) as collection:
        found = evaluate(collection, vocabulary=other, share=0.3, queries=2)
    assert {row.label for row in found.subjects if row.n_held_out} <= set(names)
    assert all(row.title == names[row.label] for row in found.subjects if row.label in names)
    assert found.suggest.hierarchy is not None


def test_labels_that_are_paths_have_no_other_vocabulary(tmp_path):
    records = [Record(f"r{number}", f"text {number % 7} words", (f"a/{number % 3}",)) for number in range(20)]
    path = build(records, tmp_path / "paths.tacit", named_settings(n_components=2, taxonomy_separator="/"))
    with (
        open_index(path) as collection,
        pytest.raises(InputError, match="vocabulary is given for labels that are paths: got an index that was built"),
    ):
        evaluate(collection, vocabulary=vocabulary())


def test_witnesses_that_are_not_there_or_too_few_records_are_one_sentence(index, tmp_path):
    with pytest.raises(InputError, match="witnesses cannot be measured: got 2 held-out records with labels, expected"):
        evaluate(index, share=0.01, witnesses=True)
    path = build(named_records(), tmp_path / "other.tacit", named_settings(suggester="logistic"))
    with (
        open_index(path) as collection,
        pytest.raises(InputError, match="witnesses cannot be measured: got an index whose suggester has none"),
    ):
        evaluate(collection, share=0.3, witnesses=True)


def test_comparing_and_tuning_count_names_of_a_vocabulary_without_a_hierarchy(index, tmp_path):
    assert index.taxonomy is None
    (row,) = compare(index, ["mlsi"], share=0.3, queries=2).rows.values()
    assert row.suggest.at[0].precision > 0.8
    assert not row.subjects  # a comparison would repeat all subjects for each model
    pytest.importorskip("optuna")
    tuned = tune(index, goal="suggest", trials=1, share=0.2, queries=2, study=tmp_path / "study.sqlite")
    assert tuned.current.measures["suggest nDCG@10"] > 0.8


def test_titles_that_came_with_the_records_count_as_names(tmp_path):
    records = []
    for number, record in enumerate(named_records()):
        iri = f"http://x.org/{number % N_SUBJECTS}"
        titles = {"label_titles": {iri: name_of(number % N_SUBJECTS)}}
        records.append(Record(record.id, record.text, (iri,), fields=titles))
    path = build(records, tmp_path / "titled.tacit", named_settings())
    with open_index(path) as collection:
        found = evaluate(collection, share=0.3, queries=2)
    assert found.suggest.at[0].precision > 0.6  # no vocabulary has the subjects without training records
    assert found.subjects[0].title.endswith("bo")
