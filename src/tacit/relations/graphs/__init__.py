"""Graphs between records: of nearest neighbours, and of labels that records share."""
