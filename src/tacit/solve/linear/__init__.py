"""Solvers for linear systems and least squares."""
