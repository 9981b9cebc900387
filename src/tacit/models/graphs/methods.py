"""The graph embeddings by the names that the papers give them, each `GraphEmbedding` with other defaults.

SLE, SUSC and SOLPP are those of [Mu2010]: the others with labels in the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from tacit.models.graphs.embedding import GraphEmbedding

__all__ = ["LE", "LPP", "OLPP", "SLE", "SLPP", "SOLPP", "SUSC", "USC"]


def _with_defaults(**changed: Any) -> Callable[..., None]:
    """`__init__` with other defaults, as a function of its own, so that scikit-learn reads them from its signature."""
    plain: Any = GraphEmbedding.__init__
    init = FunctionType(plain.__code__, plain.__globals__, "__init__", plain.__defaults__)
    init.__kwdefaults__ = {**plain.__kwdefaults__, **changed}
    init.__annotations__ = plain.__annotations__
    return init


class LE(GraphEmbedding):
    """Laplacian eigenmaps: `GraphEmbedding(method="le")`."""

    __init__ = _with_defaults(method="le")


class USC(GraphEmbedding):
    """Unnormalised spectral clustering: `GraphEmbedding(method="usc")`."""

    __init__ = _with_defaults(method="usc")


class LPP(GraphEmbedding):
    """Locality preserving projections: `GraphEmbedding(method="lpp")`."""

    __init__ = _with_defaults(method="lpp")


class OLPP(GraphEmbedding):
    """Orthogonal locality preserving projections: `GraphEmbedding(method="olpp")`."""

    __init__ = _with_defaults(method="olpp")


class SLE(GraphEmbedding):
    """Laplacian eigenmaps of features and labels: `GraphEmbedding(method="le", label_weight=0.5)`."""

    __init__ = _with_defaults(method="le", label_weight=0.5)


class SUSC(GraphEmbedding):
    """Unnormalised spectral clustering of both: `GraphEmbedding(method="usc", label_weight=0.5)`."""

    __init__ = _with_defaults(method="usc", label_weight=0.5)


class SLPP(GraphEmbedding):
    """Locality preserving projections of both: `GraphEmbedding(method="lpp", label_weight=0.5)`."""

    __init__ = _with_defaults(method="lpp", label_weight=0.5)


class SOLPP(GraphEmbedding):
    """Orthogonal locality preserving projections of both: `GraphEmbedding(method="olpp", label_weight=0.5)`."""

    __init__ = _with_defaults(method="olpp", label_weight=0.5)
