"""Tuning: starts from what is there, goes on where it stopped, and says honestly what was gained."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.tasks.build.build import build, refit
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.tune.objective import gain_between, score_of
from tacit.tasks.tune.ranges import SettingsSpace, changes_between, refit_options
from tacit.tasks.tune.study import study_path
from tacit.tasks.tune.tune import Gain, tune
from tacit.text.settings import TextSettings

WORDS = {
    "sea": ["whale", "ship", "harbour", "wave", "tide", "reef"],
    "home": ["kitchen", "table", "garden", "chair", "lamp", "kettle"],
    "law": ["court", "judge", "verdict", "statute", "appeal", "clause"],
    "food": ["bread", "butter", "cheese", "apple", "onion", "honey"],
}


def noisy_topics(n: int = 100, *, labels: bool = True) -> list[Record]:
    rng = np.random.default_rng(4)
    every = [word for words in WORDS.values() for word in words]
    records = []
    for number in range(n):
        topic = list(WORDS)[number % 4]
        text = " ".join([*rng.choice(WORDS[topic], 5), *rng.choice(every, 5)])
        records.append(Record(f"r{number}", text, (topic,) if labels else (), title=" ".join(text.split()[:3])))
    return records


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An index with one dimension: whatever is tried is better."""
    settings = BuildSettings(n_components=1, text=TextSettings(min_records=1))
    return build(noisy_topics(), tmp_path_factory.mktemp("tuning") / "noisy.tacit", settings)


@pytest.fixture(scope="module")
def first(folder):
    stages = []
    with open_index(folder) as collection:
        return tune(collection, trials=5, models=["lsi", "mlsi"], report=stages.append), stages


def test_the_current_settings_come_first_and_are_beaten(first, folder):
    found, _ = first
    assert found.current.number == 1
    assert found.current.settings.n_components == 1
    assert len(found.trials) == 5
    assert found.best.score == max(trial.score for trial in found.trials) > found.current.score + 0.1
    assert [trial.score for trial in found.trials] == sorted((trial.score for trial in found.trials), reverse=True)
    assert found.goal == "both"
    assert found.study == study_path(folder) == folder.with_name("noisy.tacit.tuning.sqlite")
    assert found.study.exists()


def test_the_gain_is_measured_on_further_records(first):
    test = first[0].test
    assert test.gain > 0.1
    assert test.is_real
    assert set(test.best) == {"suggest nDCG@10", "search nDCG@10"}
    means = [np.mean(list(one.values())) for one in (test.current, test.best)]
    assert means[1] - means[0] == pytest.approx(test.gain, abs=1e-5)
    assert (first[0].n_train, first[0].n_validation, first[0].n_test) == (64, 16, 20)


def test_stages_and_facts(first):
    found, stages = first
    ends = [stage for stage in stages if stage.state == "end"]
    assert [stage.name for stage in ends] == ["reading", *(f"trial {n}" for n in range(1, 6)), "testing"]
    assert ends[1].message.endswith("current settings")
    facts = found.to_facts()
    assert facts["validation_gain"] == pytest.approx(found.best.score - found.current.score, abs=1e-6)
    assert facts["test"]["is_real"] is True
    assert BuildSettings.from_facts(facts["best"]["settings"]).to_facts() == found.best.settings.to_facts()


def test_a_further_run_goes_on_and_tries_something_else(first, folder):
    with open_index(folder) as collection:
        more = tune(collection, trials=2, models=["lsi", "mlsi"])
    assert (more.n_before, len(more.trials)) == (5, 7)
    tried = {repr(sorted(trial.settings.to_facts().items(), key=str)) for trial in more.trials}
    assert len(tried) == 7
    with open_index(folder) as collection:
        none = tune(collection, trials=0, models=["lsi", "mlsi"])
    assert len(none.trials) == 7
    assert none.best.number == more.best.number


def test_another_goal_or_other_records_begin_anew(first, folder, tmp_path):
    with open_index(folder) as collection:
        other = tune(collection, goal="search", trials=1, models=["lsi", "mlsi"])
    assert (other.n_before, other.best is other.current, other.test) == (0, True, None)
    assert list(other.current.measures) == ["search nDCG@10"]


def test_refitted_settings_are_the_current_ones_of_the_next_run(first, tmp_path):
    best = first[0].best.settings
    settings = BuildSettings(n_components=1, text=TextSettings(min_records=1))
    path = build(noisy_topics(), tmp_path / "copy.tacit", settings)
    refit(path, best)
    with open_index(path) as collection:
        assert collection.settings["build"] == best.to_facts()
        again = tune(collection, trials=0, models=["lsi", "mlsi"], study=first[0].study)
    assert again.current.settings.to_facts() == best.to_facts()
    assert again.current.score == pytest.approx(first[0].best.score)


def test_ctrl_c_keeps_what_is_done(folder, tmp_path):
    def stop(stage):
        if stage.name == "trial 3":
            raise KeyboardInterrupt

    study = tmp_path / "stopped.sqlite"
    with open_index(folder) as collection:
        found = tune(collection, trials=20, models=["lsi"], study=study, report=stop)
        assert found.interrupted
        assert len(found.trials) == 2
        assert found.test is None
        further = tune(collection, trials=1, models=["lsi"], study=study)
    assert (further.n_before, len(further.trials), further.interrupted) == (2, 3, False)


def test_no_trial_begins_after_the_seconds_are_over(folder, tmp_path):
    with open_index(folder) as collection:
        found = tune(collection, trials=50, seconds=0.01, models=["lsi"], study=tmp_path / "short.sqlite")
    assert len(found.trials) == 1


def test_records_without_labels_are_tuned_by_their_titles(tmp_path):
    settings = BuildSettings(n_components=2, text=TextSettings(min_records=1))
    path = build(noisy_topics(labels=False), tmp_path / "plain.tacit", settings)
    with open_index(path) as collection:
        found = tune(collection, trials=3)
        assert found.goal == "search"
        assert list(found.current.measures) == ["title MRR"]
        assert {trial.settings.model for trial in found.trials} <= {"auto", "lsi"}
        with pytest.raises(InputError, match="goal needs labels: got 'suggest' for records without any"):
            tune(collection, goal="suggest", trials=1)


def test_settings_that_cannot_be_fitted_are_passed_over(tmp_path):
    settings = BuildSettings(n_components=2, text=TextSettings(min_records=1))
    path = build(noisy_topics(labels=False), tmp_path / "plain.tacit", settings)
    with open_index(path) as collection:
        found = tune(collection, trials=3, models=["hlsi"])  # which needs labels
    assert [trial.number for trial in found.trials] == [1]
    assert found.best is found.current


def test_gain_and_error_are_those_of_paired_differences():
    rng = np.random.default_rng(0)
    old, new = ({name: rng.random(n) for name, n in (("a", 50), ("b", 30))} for _ in range(2))
    gain, error = gain_between(old, new)
    assert gain == pytest.approx(score_of(new) - score_of(old))
    parts = [(new[name] - old[name]).std(ddof=1) ** 2 / len(old[name]) for name in old]
    assert error == pytest.approx(math.sqrt(sum(parts)) / 2)
    assert not Gain({}, {}, 0.01, 0.02, 5).is_real
    assert Gain({}, {}, 0.05, 0.02, 5).is_real


def test_changes_are_told_as_options_of_refit():
    old = BuildSettings(parameters={"label_weight": 0.5}, model="mlsi")
    new = replace(old, n_components=150, parameters={"label_weight": 0.7}, text=TextSettings(stem=True, ngrams=2))
    assert changes_between(old, new) == {"dimensions": 150, "stem": True, "ngrams": 2, "label_weight": 0.7}
    assert refit_options(old, new) == [
        *("--dimensions", "150", "--stem", "--set", "ngrams=2", "--set", "label_weight=0.7"),
    ]
    assert refit_options(old, old) == []


def test_settings_outside_the_ranges_start_at_their_edge():
    current = BuildSettings(n_components=5000, parameters={"label_weight": 1.0}, text=TextSettings(min_records=50))
    space = SettingsSpace(current, ["lsi", "mlsi"], 90, text=True, suggester=True, current_model="mlsi")
    start = space.start()
    assert (start["model"], start["n_components"], start["mlsi.label_weight"]) == ("mlsi", 90, 0.95)
    assert (start["min_records"], start["suggester"]) == (5, "logistic")


def test_bad_input_is_one_sentence(folder, tmp_path):
    broken = tmp_path / "broken.sqlite"
    broken.write_text("this is no database, but it is long enough to be taken for one" * 20)
    cases = [
        ({"goal": "speed"}, "goal is unknown: got 'speed'"),
        ({"trials": -1}, "trials is out of range: got -1"),
        ({"seconds": 0}, "seconds is out of range: got 0"),
        ({"models": ["mlsj"]}, "models is unknown: got 'mlsj'"),
        ({"records": 2}, "records is out of range: got 2"),
        ({"study": broken}, "study cannot be used: got .* expected a file of earlier trials"),
        (
            {"trials": 0, "study": tmp_path / "new.sqlite"},
            "the current settings were not measured: none of the 0 trials",
        ),
    ]
    with open_index(folder) as collection:
        for given, message in cases:
            with pytest.raises(InputError, match=message):
                tune(collection, **given)
