"""The experiments of [Mu2010]: graph embeddings with labels, by prototypes, on Reuters-21578 and two other sets."""

from tacit.reproduce.graphs.experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
