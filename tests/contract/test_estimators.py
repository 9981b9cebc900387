"""scikit-learn's own checks on every estimator.

A check that fails on purpose is listed here with its reason, and only for the estimators that it concerns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from estimators import ESTIMATORS
from planted import Planted
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from tacit import CCA, HLSI, LSI, MDDM, MLSA, MLSI, MORP, PLS, GraphEmbedding, InputError, KernelLSI

HONEST = (
    "fit_transform gives honest positions, which leave a record's own labels out, and transform cannot; as "
    "scikit-learn's TargetEncoder, whose fit_transform cross-fits"
)
NO_KERNEL = "the check gives a matrix that is not positive semi-definite, which is no kernel matrix"
OTHER_WIDTH = "the check gives new rows with NaN and of another length, and the length is what is refused"


def expected_failures(estimator: Any) -> dict[str, str]:
    """Say which checks an estimator fails on purpose."""
    failures = {}
    if isinstance(estimator, (HLSI, MLSI, GraphEmbedding)) and _is_honest(estimator):
        failures |= dict.fromkeys(("check_transformer_general", "check_transformer_data_not_an_array"), HONEST)
    if getattr(estimator, "kernel", None) == "precomputed":
        failures["check_estimators_nan_inf"] = OTHER_WIDTH
        if isinstance(estimator, MLSI):
            failures |= dict.fromkeys(("check_estimators_dtypes", "check_positive_only_tag_during_fit"), NO_KERNEL)
        if isinstance(estimator, (HLSI, CCA)):
            failures["check_estimators_dtypes"] = NO_KERNEL
    return failures


def _is_honest(estimator: Any) -> bool:
    return estimator.coordinates != "in-sample" and getattr(estimator, "method", "") not in ("lpp", "olpp")


# fewer dimensions than were asked for is announced, and the checks' matrices are small
@pytest.mark.filterwarnings("ignore::tacit.TacitWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.filterwarnings("ignore::tacit.TacitWarning")
def test_what_fails_on_purpose_does_fail() -> None:
    """A reason that no longer holds should go."""
    for estimator in ESTIMATORS:
        for checked, check in estimator_checks_generator(estimator):
            if check.func.__name__ in expected_failures(estimator):
                with pytest.raises((AssertionError, InputError)):
                    check(clone(checked))


def test_output_can_be_asked_for_as_an_array(planted: Planted) -> None:
    X, Y = planted.training
    for estimator in (LSI(2), KernelLSI(2), MLSI(2), HLSI(2), MLSA(2), CCA(2), MDDM(2), MORP(2), PLS(2)):
        positions = clone(estimator).set_output(transform="default").fit_transform(X, Y)
        assert isinstance(positions, np.ndarray)
        assert positions.shape == (120, 2)
