"""Supervised graph embeddings and relation features [Mu2010]."""
