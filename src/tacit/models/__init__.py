"""X and relations to a fitted space: one scikit-learn estimator a paper, one paper a file."""

from tacit.models.classifiers.label_head import LabelHead
from tacit.models.lsi.lsi import LSI, KernelLSI
from tacit.models.mlsi.mlsi import MLSI

__all__ = ["LSI", "MLSI", "KernelLSI", "LabelHead"]
