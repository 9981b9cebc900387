"""Graphs between records: of nearest neighbours, and of shared labels."""
