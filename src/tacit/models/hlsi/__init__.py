"""Hierarchy-regularised latent semantic indexing [Huang2005]."""
