"""The engine behind `compare_models` and `tacit compare`: every fit once, failures recorded, warnings kept by model."""

from __future__ import annotations

import warnings

import pytest

from tacit.errors import InputError, TacitWarning
from tacit.evaluate.compare.engine import Failure, Fit, Setting, run_fits


def fit(name, space=1, *, fails=None, values=(1, 2), warns=""):
    """Measures `space` times each value; a value of 0 cannot be measured."""
    setting = Setting({"space": space}, {}, None)

    def fitted():
        if fails is not None:
            raise fails
        if warns:
            warnings.warn(warns, TacitWarning, stacklevel=2)
        return space

    def measure(found, value):
        if value == 0:
            raise ValueError("  zero is\nout of range ")
        return found * value

    def trials(found, seconds):
        assert seconds >= 0
        return [(setting._replace(dimensions=value), lambda value=value: measure(found, value)) for value in values]

    return Fit(name, fitted, trials, setting)


def test_results_are_grouped_by_model_and_failures_are_in_order():
    reports = []
    fits = [fit("a", 10), fit("b", fails=InputError("no labels")), fit("b", 3, values=(0, 5)), fit("a", 7, values=(1,))]
    found = run_fits(fits, lambda *news: reports.append(news[:4]))
    assert found.results == {"a": [10, 20, 7], "b": [15]}
    assert [(failure.name, failure.dimensions, failure.sentence) for failure in found.failures] == [
        ("b", None, "no labels"),
        ("b", 0, "zero is out of range"),
    ]
    assert [(number, total, done) for number, total, done, _ in reports] == [
        (1, 4, [10, 20]),
        (2, 4, []),
        (3, 4, [15]),
        (4, 4, [7]),
    ]
    assert all(isinstance(failure, Failure) for _, _, _, failed in reports for failure in failed)


def test_a_model_without_results_is_left_out_with_a_warning():
    with pytest.warns(TacitWarning, match="^'b' is left out of the comparison: no labels$"):
        found = run_fits([fit("a"), fit("b", fails=InputError("no labels"))])
    assert list(found.results) == ["a"]
    with pytest.raises(InputError, match="got errors from 'b', 'c', the first with: no labels"):
        run_fits([fit("b", fails=InputError("no labels")), fit("c", values=(0,))])


def test_warnings_of_tacit_are_kept_by_model_and_others_pass():
    def loud():
        warnings.warn("from another library", UserWarning, stacklevel=2)
        return 1

    fits = [fit("a", warns="few labels"), fit("a", warns="few labels"), fit("b")._replace(fit=loud)]
    with pytest.warns(UserWarning, match="from another library") as caught:
        found = run_fits(fits)
    assert found.remarks == {"a": ("few labels",)}
    assert len(caught) == 1


def test_mistakes_in_the_program_are_not_failures():
    with pytest.raises(TypeError, match="not a number"):
        run_fits([fit("a", fails=TypeError("not a number"))])
