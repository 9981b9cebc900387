"""Classifiers of labels: on any space, and for labels that form a taxonomy."""
