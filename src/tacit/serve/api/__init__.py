"""The endpoints below /api/v1, one module per part; each has a function that returns the router."""
