"""Search a collection: by meaning, by words, or by both."""
