"""Rows outside memory: on disk, or on a Dask cluster, multiplied where they are."""
