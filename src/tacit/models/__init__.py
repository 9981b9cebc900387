"""X and relations to a fitted space: one scikit-learn estimator a paper, one paper a file."""

from tacit.models.head import LabelHead
from tacit.models.lsi import LSI, KernelLSI
from tacit.models.mlsi import MLSI

__all__ = ["LSI", "MLSI", "KernelLSI", "LabelHead"]
