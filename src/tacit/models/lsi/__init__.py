"""Latent semantic indexing, plain and with kernels [Deerwester1990]."""
