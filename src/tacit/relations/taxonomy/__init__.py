"""Taxonomies: the forms in which people hold them, and one object that knows what lies below what."""
