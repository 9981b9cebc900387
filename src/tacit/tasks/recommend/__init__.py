"""Recommend items to users, and records similar to those somebody liked."""
