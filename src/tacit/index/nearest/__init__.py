"""Nearest neighbours of a position: exact, and by a graph for large collections."""
