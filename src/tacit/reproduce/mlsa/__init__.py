"""The experiments of [Wang2006]: M-LSA on MovieLens and on newsgroups, and what it does beyond the paper."""

from tacit.reproduce.mlsa import beyond, categories, clusters, recommending

__all__ = ["EXPERIMENTS"]

EXPERIMENTS = (
    *recommending.EXPERIMENTS,
    *clusters.EXPERIMENTS,
    *categories.EXPERIMENTS,
    *beyond.EXPERIMENTS,
)
