"""Solvers for eigenproblems, one module per method."""
