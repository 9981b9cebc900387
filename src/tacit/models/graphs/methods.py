"""The graph embeddings under the names that the papers give them: `GraphEmbedding` with other defaults.

SLE, SUSC and SOLPP are those of [Mu2010]: the others with labels in the graph.
"""

from __future__ import annotations

from functools import partialmethod
from typing import Any

from tacit.models.graphs.embedding import GraphEmbedding

__all__ = ["LE", "LPP", "OLPP", "SLE", "SLPP", "SOLPP", "SUSC", "USC"]

# `inspect.signature`, from which scikit-learn reads the parameters, shows the defaults of a partialmethod as its own.
_with_defaults: Any = partialmethod


class LE(GraphEmbedding):
    """Laplacian eigenmaps: `GraphEmbedding(method="le")`."""

    __init__ = _with_defaults(GraphEmbedding.__init__, method="le")


class USC(GraphEmbedding):
    """Unnormalised spectral clustering: `GraphEmbedding(method="usc")`."""

    __init__ = _with_defaults(GraphEmbedding.__init__, method="usc")


class LPP(GraphEmbedding):
    """Locality preserving projections: `GraphEmbedding(method="lpp")`."""

    __init__ = _with_defaults(GraphEmbedding.__init__, method="lpp")


class OLPP(GraphEmbedding):
    """Orthogonal locality preserving projections: `GraphEmbedding(method="olpp")`."""

    __init__ = _with_defaults(GraphEmbedding.__init__, method="olpp")


class SLE(GraphEmbedding):
    """Laplacian eigenmaps of features and labels: `GraphEmbedding(method="le", label_weight=0.5)`."""

    __init__ = _with_defaults(GraphEmbedding.__init__, method="le", label_weight=0.5)


class SUSC(GraphEmbedding):
    """Unnormalised spectral clustering of both: `GraphEmbedding(method="usc", label_weight=0.5)`."""

    __init__ = _with_defaults(GraphEmbedding.__init__, method="usc", label_weight=0.5)


class SLPP(GraphEmbedding):
    """Locality preserving projections of both: `GraphEmbedding(method="lpp", label_weight=0.5)`."""

    __init__ = _with_defaults(GraphEmbedding.__init__, method="lpp", label_weight=0.5)


class SOLPP(GraphEmbedding):
    """Orthogonal locality preserving projections of both: `GraphEmbedding(method="olpp", label_weight=0.5)`."""

    __init__ = _with_defaults(GraphEmbedding.__init__, method="olpp", label_weight=0.5)
