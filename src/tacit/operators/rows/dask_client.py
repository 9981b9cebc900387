"""The connection to a Dask cluster: opening, using and closing it, with one clear error message per failure.

Dask is imported here and not when the library is imported, so that the rest of the library works without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

import numpy as np

from tacit.errors import InputError, MissingExtraError, TacitError

__all__ = ["Cluster", "connect", "libraries"]


class Cluster:
    """A `distributed.Client`, and whether it is our `own`, so that `close` closes it."""

    def __init__(self, client: Any, *, own: bool) -> None:
        self.client, self.own = client, own
        self.name = client.scheduler.address if client.scheduler else "a cluster"

    def homes(self, n_blocks: int) -> list[str]:
        """Distribute blocks among the workers by their threads; neighbours, which are added up, stay together."""
        threads = self.client.nthreads()
        slots = [address for address in sorted(threads) for _ in range(threads[address])]
        return [slots[place] for place in np.arange(n_blocks) * len(slots) // max(1, n_blocks)]

    def lanes(self, blocks: Sequence[Any]) -> list[tuple[str | None, list[int]]]:
        """Return the positions of the blocks that each thread of each worker has; None has the unfinished ones."""
        threads, holders = self.client.nthreads(), self.client.who_has(blocks)
        places: dict[str | None, list[int]] = {}
        for place, block in enumerate(blocks):
            alive = sorted(address for address in holders.get(block.key, ()) if address in threads)
            places.setdefault(alive[0] if alive else None, []).append(place)
        return [
            (home, lane.tolist())
            for home, own in places.items()
            for lane in np.array_split(own, min(len(own), threads.get(home, 1)))
        ]

    @contextmanager
    def talking(self, again: str = "Start it again, and make the rows again with cluster_rows") -> Iterator[Any]:
        """Yield the client; losses that Dask cannot repair raise an error of one sentence, which ends in `again`."""
        _, distributed = libraries()
        try:
            if self.client.status != "running":
                raise CancelledError(f"the client is {self.client.status}")
            yield self.client
        except distributed.KilledWorker as error:
            raise TacitError(
                f"the cluster gave up: workers died repeatedly at one task ({error.task}), most likely for lack of "
                "memory. Split the rows into smaller blocks, or give the workers more memory."
            ) from error
        except (CancelledError, OSError) as error:
            broken = isinstance(error, (CancelledError, distributed.comm.CommClosedError))
            if not broken and self.client.status == "running":
                raise  # a file that cannot be read on a worker has a clear message of its own
            said = " ".join(str(error).split())[:200]  # Dask's message may have many lines
            if self.client.status != "running":
                raise TacitError(
                    f"the cluster is gone: the scheduler at {self.name} no longer answers ({said}). {again}."
                ) from error
            raise TacitError(
                f"the cluster lost data that it cannot make again ({said}). Pass delayed objects or a folder to "
                "cluster_rows, which can be read again, not futures of scattered data."
            ) from error

    def large_messages(self) -> Any:
        """Allow vectors in tasks without a warning: Dask warns from 10 MB on, but can only repeat what is in a task."""
        dask, _ = libraries()
        return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"})

    def close(self) -> None:
        """Close the client if it was opened here."""
        if self.own:
            self.client.close()


def connect(client: Any = None) -> Cluster:
    """Return the cluster of a client, of an address, or of the current client; raise if there is none."""
    _, distributed = libraries()
    if isinstance(client, str):
        cluster = Cluster(_opened(client, distributed), own=True)
    elif client is None:
        cluster = Cluster(_current(distributed), own=False)
    elif isinstance(client, distributed.Client):
        cluster = Cluster(client, own=False)
    else:
        raise InputError(
            f"client is not a Dask client: got {type(client).__name__}, expected a distributed.Client, the address of "
            "a scheduler or None."
        )
    with cluster.talking():
        if cluster.client.asynchronous:
            raise InputError("client is asynchronous: got asynchronous=True, expected a client that waits for answers.")
        if not cluster.client.nthreads():
            cluster.close()
            raise InputError(
                f"the cluster has no workers: got none at {cluster.name}, expected at least one. Start one with: "
                f"dask worker {cluster.name}"
            )
    return cluster


def libraries() -> tuple[Any, Any]:
    """Import Dask and its scheduler, or raise an error that says how to install them."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise MissingExtraError("dask[distributed]", "dask", "Rows on a cluster") from error
    return dask, distributed


def _opened(address: str, distributed: Any) -> Any:
    try:
        return distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError, a malformed address is a ValueError
        raise InputError(
            f"client cannot be reached: got {address!r}, which does not answer, expected the address of a Dask "
            "scheduler such as 'tcp://10.0.0.1:8786'. Start one with: dask scheduler"
        ) from error


def _current(distributed: Any) -> Any:
    try:
        return distributed.Client.current()
    except ValueError as error:
        raise InputError(
            "client is missing: got None and no client is open, expected a distributed.Client or the address of a "
            "scheduler."
        ) from error
