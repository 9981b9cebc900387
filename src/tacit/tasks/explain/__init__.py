"""Explain an answer: a hit, a label, a dimension, a pair of records."""
