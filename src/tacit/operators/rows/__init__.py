"""Rows outside memory: on disk or on a Dask cluster."""
