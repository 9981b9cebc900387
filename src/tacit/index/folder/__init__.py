"""The folder of an index on disk: generations, manifest, arrays, lock, and the check of all of it."""
