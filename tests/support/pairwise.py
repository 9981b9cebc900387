"""Sample a grid of parameters so that every pair of values meets, which finds the faults that the whole grid finds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from allpairspy import AllPairs


def pairwise(*, indirect: Sequence[str] = (), **values: Iterable[Any]) -> pytest.MarkDecorator:
    """Parametrize a test: each pair of values of two arguments occurs in at least one case.

    The arguments in `indirect` are fixtures that get the value.
    """
    rows = [tuple(row) for row in AllPairs(OrderedDict((name, list(options)) for name, options in values.items()))]
    return pytest.mark.parametrize(tuple(values), rows, indirect=list(indirect))
