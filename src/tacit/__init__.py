"""Tacit: informed latent semantic indexing, a semantic index that knows what you know.

The public names are loaded when they are first used (PEP 562): importing scikit-learn takes seconds, and `import tacit`
or `tacit --help` should not wait for it. Type checkers read the imports below, which do not run.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.errors import InputError, MissingExtraError, SolverError, TacitError, TacitWarning
    from tacit.models.base import write_positions
    from tacit.models.classifiers.hierarchy import HierarchyClassifier
    from tacit.models.classifiers.label_head import LabelHead
    from tacit.models.classifiers.top_down import TopDownClassifier
    from tacit.models.graphs.embedding import GraphEmbedding
    from tacit.models.graphs.methods import LE, LPP, OLPP, SLE, SLPP, SOLPP, SUSC, USC
    from tacit.models.graphs.prototypes import RelationFeatures
    from tacit.models.hlsi.hlsi import HLSI
    from tacit.models.lsi.lsi import LSI, KernelLSI
    from tacit.models.mlsa.mlsa import MLSA
    from tacit.models.mlsi.mlsi import MLSI
    from tacit.models.mlsi.transductive import transductive_space
    from tacit.models.projections.cca import CCA
    from tacit.models.projections.lda import LDA
    from tacit.models.projections.mddm import MDDM
    from tacit.models.projections.morp import MORP
    from tacit.models.projections.pls import PLS
    from tacit.operators.rows.dask import cluster_rows, cluster_texts
    from tacit.operators.rows.disk import open_rows
    from tacit.operators.rows.disk_writer import write_rows
    from tacit.relations.labels.matrix import LabelMatrix
    from tacit.relations.tables.relations import Relations
    from tacit.relations.taxonomy.taxonomy import Taxonomy
    from tacit.solve.checkpoint import checkpoints
    from tacit.tasks.build.build import build, refit
    from tacit.tasks.build.settings import BuildSettings
    from tacit.tasks.collection import open_index as open
    from tacit.text.settings import TextSettings
    from tacit.text.streaming import stream_rows, stream_words

    __version__: str

__all__ = [
    "CCA",
    "HLSI",
    "LDA",
    "LE",
    "LPP",
    "LSI",
    "MDDM",
    "MLSA",
    "MLSI",
    "MORP",
    "OLPP",
    "PLS",
    "SLE",
    "SLPP",
    "SOLPP",
    "SUSC",
    "USC",
    "BuildSettings",
    "GraphEmbedding",
    "HierarchyClassifier",
    "InputError",
    "KernelLSI",
    "LabelHead",
    "LabelMatrix",
    "MissingExtraError",
    "RelationFeatures",
    "Relations",
    "SolverError",
    "TacitError",
    "TacitWarning",
    "Taxonomy",
    "TextSettings",
    "TopDownClassifier",
    "build",
    "checkpoints",
    "cluster_rows",
    "cluster_texts",
    "open",
    "open_rows",
    "refit",
    "stream_rows",
    "stream_words",
    "transductive_space",
    "write_positions",
    "write_rows",
]

_HOMES = {
    "CCA": "tacit.models.projections.cca",
    "LDA": "tacit.models.projections.lda",
    "MDDM": "tacit.models.projections.mddm",
    "MORP": "tacit.models.projections.morp",
    "PLS": "tacit.models.projections.pls",
    "HLSI": "tacit.models.hlsi.hlsi",
    "HierarchyClassifier": "tacit.models.classifiers.hierarchy",
    "Taxonomy": "tacit.relations.taxonomy.taxonomy",
    "TopDownClassifier": "tacit.models.classifiers.top_down",
    "LE": "tacit.models.graphs.methods",
    "LPP": "tacit.models.graphs.methods",
    "OLPP": "tacit.models.graphs.methods",
    "SLE": "tacit.models.graphs.methods",
    "SLPP": "tacit.models.graphs.methods",
    "SOLPP": "tacit.models.graphs.methods",
    "SUSC": "tacit.models.graphs.methods",
    "USC": "tacit.models.graphs.methods",
    "GraphEmbedding": "tacit.models.graphs.embedding",
    "LSI": "tacit.models.lsi.lsi",
    "MLSA": "tacit.models.mlsa.mlsa",
    "MLSI": "tacit.models.mlsi.mlsi",
    "InputError": "tacit.errors",
    "KernelLSI": "tacit.models.lsi.lsi",
    "LabelHead": "tacit.models.classifiers.label_head",
    "LabelMatrix": "tacit.relations.labels.matrix",
    "MissingExtraError": "tacit.errors",
    "RelationFeatures": "tacit.models.graphs.prototypes",
    "Relations": "tacit.relations.tables.relations",
    "SolverError": "tacit.errors",
    "TacitError": "tacit.errors",
    "TacitWarning": "tacit.errors",
    "BuildSettings": "tacit.tasks.build.settings",
    "TextSettings": "tacit.text.settings",
    "build": "tacit.tasks.build.build",
    "open": "tacit.tasks.collection",
    "refit": "tacit.tasks.build.build",
    "transductive_space": "tacit.models.mlsi.transductive",
    "checkpoints": "tacit.solve.checkpoint",
    "cluster_rows": "tacit.operators.rows.dask",
    "cluster_texts": "tacit.operators.rows.dask",
    "open_rows": "tacit.operators.rows.disk",
    "stream_rows": "tacit.text.streaming",
    "stream_words": "tacit.text.streaming",
    "write_positions": "tacit.models.base",
    "write_rows": "tacit.operators.rows.disk_writer",
}
_OTHER_NAMES = {"open": "open_index"}  # what is called otherwise at home, where it would hide Python's own


def __getattr__(name: str) -> Any:
    """Load a public name on first use and keep it, so that the second use is an ordinary lookup."""
    if name == "__version__":
        value: Any = _version()
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), _OTHER_NAMES.get(name, name))
    else:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names before they are loaded, so that completion in a shell finds them."""
    return sorted({*globals(), *__all__, "__version__"})


def _version() -> str:
    """Give the installed version; a source tree that was never installed has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tacit")
    except PackageNotFoundError:
        return "0+unknown"
