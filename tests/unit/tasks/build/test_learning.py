"""The ranker where there is nothing to learn: every candidate right, none right, and enough records or not."""

from __future__ import annotations

import numpy as np
import pytest

import tacit
from tacit.corpus.record import Record
from tacit.tasks.build import fitting
from tacit.tasks.build.learning import expected_seconds
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

WORDS = [start + end for start in ("ba", "ce", "di", "fo", "gu") for end in ("lm", "rk", "st", "nd")]


def suggested(folder, labels, n_records=80):
    rng = np.random.default_rng(0)
    records = [Record(f"r{n}", " ".join(rng.choice(WORDS, 5)), labels=labels(n)) for n in range(n_records)]
    settings = BuildSettings(n_components=4, text=TextSettings(min_records=1))
    with tacit.open(tacit.build(records, folder / "i", settings)) as index:
        return index.settings["fitted"]["suggester"], index.suggest(records[0].text)


@pytest.mark.filterwarnings("ignore::tacit.TacitWarning")
def test_labels_that_all_records_have_are_probable(tmp_path):
    method, found = suggested(tmp_path, lambda _: ("one", "other"))
    assert method == "witnesses"
    assert [(one.label, one.chosen) for one in found] == [("one", True), ("other", True)]
    assert min(one.probability for one in found) > 0.9


def test_labels_that_no_two_records_share_are_improbable(tmp_path):
    _, found = suggested(tmp_path, lambda number: (f"label{number}",))
    assert found
    assert not any(one.chosen for one in found)
    assert max(one.probability for one in found) < 0.1


@pytest.mark.parametrize(("n_labels", "most", "without"), [(2, 0.8, 0), (4, 0.55, 0), (4, 0.55, 400)])
def test_labels_that_have_nothing_to_do_with_the_words_are_as_probable_as_they_are_frequent(
    tmp_path, n_labels, most, without
):
    """No number of a witness tells the ranker which labels a record has that it is asked about.

    Nor do the labels that are filled in for further records without any.
    """
    rng = np.random.default_rng(0)
    words = [a + b + c for a in "bcdfg" for b in "aeiou" for c in ("lm", "rk", "st", "nd")]
    texts = [" ".join(rng.choice(words, 8)) for _ in range(600)]
    records = [Record(f"r{n}", text, labels=[f"label{rng.integers(n_labels)}x"]) for n, text in enumerate(texts[:400])]
    records += [Record(f"u{n}", " ".join(rng.choice(words, 8))) for n in range(without)]
    settings = BuildSettings(n_components=8, text=TextSettings(min_records=1))
    with tacit.open(tacit.build(records, tmp_path / "i", settings)) as index:
        found = [one.probability for ones in index.suggest(texts[400:], limit=None) for one in ones]
    assert np.mean(found) == pytest.approx(1 / n_labels, abs=0.05)
    assert max(found) < most


@pytest.mark.parametrize(("n_records", "method"), [(59, False), (60, True)])
def test_a_ranker_needs_enough_records(tmp_path, n_records, method):
    used, found = suggested(tmp_path, lambda number: (f"label{number % 2}",), n_records)
    assert (used == "witnesses") == method
    assert found


def test_the_stage_shows_how_far_it_is_and_a_long_one_is_announced(tmp_path, monkeypatch):
    records = [Record(f"r{n}", " ".join(WORDS[n % 5 : n % 5 + 4]), labels=[f"label{n % 2}"]) for n in range(80)]
    settings = BuildSettings(n_components=3, text=TextSettings(min_records=1))
    told = []
    tacit.build(records, tmp_path / "quick", settings, report=told.append)
    shares = [stage.share for stage in told if stage.name == "suggester" and stage.state == "advance"]
    assert len(shares) >= 4
    assert shares == sorted(shares)
    assert "estimate" not in {stage.name for stage in told}
    monkeypatch.setattr(fitting, "expected_seconds", lambda *_: 3600.0)
    tacit.build(records, tmp_path / "slow", settings, report=told.append)
    (said,) = [stage.message for stage in told if stage.name == "estimate" and stage.state == "end"]
    assert said == (
        "the suggester of 2 subjects takes about 3,600 s, longer than all before it; "
        "--suggester neighbours or none takes less"
    )


def test_more_subjects_and_records_are_expected_to_take_longer():
    assert expected_seconds(1_000, 100) < expected_seconds(1_000, 50_000) < expected_seconds(6_000, 50_000)
    assert expected_seconds(10**6, 1_000) == expected_seconds(10**7, 1_000)  # of more, only some are asked about
