"""Measure an index on held-out records, and compare models."""
