"""Build an index: settings, the fit of its space, and the writing of its folder."""
