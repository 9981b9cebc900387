"""Taxonomies: readers for their forms, and the object that holds them."""
