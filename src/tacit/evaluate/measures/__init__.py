"""Measures: predictions and truth in, figures out."""
