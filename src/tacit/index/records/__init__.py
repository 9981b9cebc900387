"""The records of an index: one SQLite file with full text, filters and changes."""
