"""Witnesses: what speaks for a subject of a text, each from its own evidence, and the ranker that weighs them."""
