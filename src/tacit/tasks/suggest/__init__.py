"""Suggest labels for a text."""
