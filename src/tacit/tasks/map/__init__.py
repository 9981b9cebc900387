"""Draw a collection as a map."""
