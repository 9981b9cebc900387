"""An index whose records are in shards: how it is written, opened, searched, changed and checked."""
