"""A build by the processes of a Dask cluster: each reads, places and writes parts of the records."""
