"""Latent semantic analysis for several types of objects [Wang2006]."""
