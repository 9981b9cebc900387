"""Multi-label informed latent semantic indexing [Yu2005]."""
