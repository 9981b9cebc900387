"""The table of spaces: what `auto` chooses, what suits the records, and that every entry can be used."""

from __future__ import annotations

import pytest

from tacit.errors import InputError
from tacit.models.spaces import SPACES, SpaceKind, choose_space, space_named, suitable_spaces


@pytest.mark.parametrize(
    ("known", "chosen", "suitable"),
    [
        ((), "lsi", ["lsi"]),
        (("taxonomy",), "lsi", ["lsi"]),
        (("labels",), "mlsi", ["lsi", "mlsi", "sle"]),
        (("labels", "taxonomy"), "mlsi", ["lsi", "mlsi", "hlsi", "sle"]),
        (("links",), "mlsi", ["lsi", "mlsi", "mlsa"]),
        (("labels", "links"), "mlsi", ["lsi", "mlsi", "sle", "mlsa"]),
        (("labels", "links", "ratings"), "mlsa", ["lsi", "mlsi", "sle", "mlsa"]),
    ],
)
def test_auto_takes_the_space_that_uses_most_of_what_is_known(known, chosen, suitable):
    assert choose_space(known).name == chosen
    assert space_named("auto", known).name == chosen
    assert [space.name for space in suitable_spaces(known)] == suitable


def test_a_name_is_taken_whatever_is_known():
    assert space_named("hlsi").name == "hlsi"
    with pytest.raises(InputError, match="model is unknown: got 'lsa', expected"):
        space_named("lsa")


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_the_estimator_has_the_parameters_that_are_tuned(space: SpaceKind):
    parameters = space.estimator()().get_params()
    assert "n_components" in parameters
    for name, limits in space.ranges.items():
        assert limits.low <= parameters[name] <= limits.high
        assert not limits.logarithmic or limits.low > 0
    assert set(space.needs) <= set(space.uses)
    assert all(needed <= set(space.uses) for needed in space.suits)
