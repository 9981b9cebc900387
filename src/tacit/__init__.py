"""Tacit: informed latent semantic indexing, a semantic index that knows what you know.

The public names are loaded when they are first used (PEP 562): importing scikit-learn takes seconds, and `import tacit`
or `tacit --help` should not wait for it. Type checkers read the imports below, which do not run.

`tacit.open` is public, but not in `__all__`: `from tacit import *` would replace Python's own `open`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.errors import InputError, MissingExtraError, SolverError, TacitError, TacitWarning
    from tacit.index.keeping.backup import backup
    from tacit.index.keeping.salvage import salvage
    from tacit.index.models.folder import load, save
    from tacit.index.records.filters import Filters
    from tacit.models.base import write_positions
    from tacit.models.classifiers.hierarchy import HierarchyClassifier
    from tacit.models.classifiers.label_head import LabelHead
    from tacit.models.classifiers.top_down import TopDownClassifier
    from tacit.models.common.views import View
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
    from tacit.tasks.collection import open_index
    from tacit.text.settings import TextSettings
    from tacit.text.streaming import stream_rows, stream_words

    __version__: str
    open = open_index

__all__ = [
    "CCA", "HLSI", "LDA", "LE", "LPP", "LSI", "MDDM", "MLSA", "MLSI", "MORP", "OLPP", "PLS", "SLE", "SLPP", "SOLPP",
    "SUSC", "USC", "BuildSettings", "Filters", "GraphEmbedding", "HierarchyClassifier", "InputError", "KernelLSI",
    "LabelHead", "LabelMatrix", "MissingExtraError", "RelationFeatures", "Relations", "SolverError", "TacitError",
    "TacitWarning", "Taxonomy", "TextSettings", "TopDownClassifier", "View", "backup", "build", "checkpoints",
    "cluster_rows", "cluster_texts", "load", "open_rows", "refit", "salvage", "save", "stream_rows", "stream_words",
    "transductive_space",
    "write_positions", "write_rows",
]  # fmt: skip

_MODULES = {  # module -> its public names
    "tacit.errors": "InputError MissingExtraError SolverError TacitError TacitWarning",
    "tacit.index.keeping.backup": "backup",
    "tacit.index.models.folder": "load save",
    "tacit.index.records.filters": "Filters",
    "tacit.models.base": "write_positions",
    "tacit.models.classifiers.hierarchy": "HierarchyClassifier",
    "tacit.models.classifiers.label_head": "LabelHead",
    "tacit.models.classifiers.top_down": "TopDownClassifier",
    "tacit.models.common.views": "View",
    "tacit.models.graphs.embedding": "GraphEmbedding",
    "tacit.models.graphs.methods": "LE LPP OLPP SLE SLPP SOLPP SUSC USC",
    "tacit.models.graphs.prototypes": "RelationFeatures",
    "tacit.models.hlsi.hlsi": "HLSI",
    "tacit.models.lsi.lsi": "KernelLSI LSI",
    "tacit.models.mlsa.mlsa": "MLSA",
    "tacit.models.mlsi.mlsi": "MLSI",
    "tacit.models.mlsi.transductive": "transductive_space",
    "tacit.models.projections.cca": "CCA",
    "tacit.models.projections.lda": "LDA",
    "tacit.models.projections.mddm": "MDDM",
    "tacit.models.projections.morp": "MORP",
    "tacit.models.projections.pls": "PLS",
    "tacit.operators.rows.dask": "cluster_rows cluster_texts",
    "tacit.operators.rows.disk": "open_rows",
    "tacit.operators.rows.disk_writer": "write_rows",
    "tacit.relations.labels.matrix": "LabelMatrix",
    "tacit.relations.tables.relations": "Relations",
    "tacit.relations.taxonomy.taxonomy": "Taxonomy",
    "tacit.solve.checkpoint": "checkpoints",
    "tacit.tasks.build.build": "build refit",
    "tacit.tasks.build.settings": "BuildSettings",
    "tacit.tasks.collection": "open",
    "tacit.index.keeping.salvage": "salvage",
    "tacit.text.settings": "TextSettings",
    "tacit.text.streaming": "stream_rows stream_words",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
_OTHER_NAMES = {"open": "open_index"}  # what is called otherwise at home, where it would hide Python's own


def __getattr__(name: str) -> Any:
    """Load a public name on first use and keep it, so that the second use is an ordinary lookup."""
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            value: Any = version("tacit")
        except PackageNotFoundError:  # a source tree that was never installed
            value = "0+unknown"
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), _OTHER_NAMES.get(name, name))
    else:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names before they are loaded, so that completion in a shell finds them."""
    return sorted({*globals(), *_HOMES, "__version__"})
