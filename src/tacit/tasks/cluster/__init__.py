"""Group records that lie close together, and name the groups."""
