"""Copies of an index, and what can be read of a damaged one."""
