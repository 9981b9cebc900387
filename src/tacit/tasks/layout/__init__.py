"""Places records in the plane for maps, and the names of their subjects."""
