"""Formats of files: one module for each, which turns its bytes into rows."""
