"""A fitted model as a folder, and back: arrays of numbers and plain data, with versions and checksums."""
