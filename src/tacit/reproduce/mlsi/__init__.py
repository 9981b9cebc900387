"""The experiments of [Yu2005]: multi-label informed latent semantic indexing on Reuters-21578 and RCV1."""

from tacit.reproduce.mlsi.experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
