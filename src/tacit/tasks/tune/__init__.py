"""Find better settings for an index by trials on held-out records."""
