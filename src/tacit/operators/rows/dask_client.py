"""The connection to a Dask cluster: found, used and closed, with one clear sentence for what can go wrong.

Everything that imports Dask comes through here, so that the rest of the library does without it.
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
    """A client of a Dask cluster, and whether it is ours to close.

    Parameters
    ----------
    client : distributed.Client
    own : whether `close` closes the client
    """

    def __init__(self, client: Any, *, own: bool) -> None:
        self.client, self.own = client, own
        self.name = client.scheduler.address if client.scheduler else "a cluster"

    def homes(self, n_blocks: int) -> list[str]:
        """Share blocks out among the workers by their threads, neighbours together: they are added up together."""
        threads = self.client.nthreads()
        slots = [address for address in sorted(threads) for _ in range(threads[address])]
        return [slots[place] for place in np.arange(n_blocks) * len(slots) // max(1, n_blocks)]

    def lanes(self, blocks: Sequence[Any]) -> list[tuple[str | None, list[int]]]:
        """Give which blocks each thread of each worker has, by their places; None has those that are being made."""
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
    def talking(self) -> Iterator[Any]:
        """Give the client; what Dask says of a loss that it could not mend becomes one sentence."""
        _, distributed = libraries()
        try:
            if self.client.status != "running":
                raise CancelledError(f"the client is {self.client.status}")
            yield self.client
        except distributed.KilledWorker as error:
            raise TacitError(
                f"the cluster gave up: workers died again and again at one task ({error.task}), most likely for want "
                "of memory. Cut the rows into smaller blocks, or give the workers more memory."
            ) from error
        except (CancelledError, OSError) as error:
            broken = isinstance(error, (CancelledError, distributed.comm.CommClosedError))
            if not broken and self.client.status == "running":
                raise  # a file that could not be read on a worker says so itself
            raise self._loss(error) from error

    def _loss(self, error: BaseException) -> TacitError:
        said = " ".join(str(error).split())[:200]  # Dask's own words may be many, on many lines
        if self.client.status != "running":
            return TacitError(
                f"the cluster is gone: the scheduler at {self.name} does not answer any more ({said}). Start it "
                "again, and make the rows anew with cluster_rows."
            )
        return TacitError(
            f"the cluster lost what it cannot make again ({said}). Give cluster_rows delayed objects or a folder, "
            "which can be read once more, not futures of scattered data."
        )

    def large_messages(self) -> Any:
        """Let vectors travel within a task: Dask warns of that from 10 MB on, but can mend only what a task says."""
        dask, _ = libraries()
        return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"})

    def close(self) -> None:
        """Close the client if it was opened here."""
        if self.own:
            self.client.close()


def connect(client: Any = None) -> Cluster:
    """Give the cluster of a client, of an address, or of the client that is open already; raise if there is none."""
    _, distributed = libraries()
    if isinstance(client, str):
        cluster = Cluster(_opened(client, distributed), own=True)
    elif client is None:
        cluster = Cluster(_current(distributed), own=False)
    elif isinstance(client, distributed.Client):
        cluster = Cluster(client, own=False)
    else:
        raise InputError(
            f"client is no client: got {type(client).__name__}, expected a distributed.Client, the address of a "
            "scheduler or None."
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
    """Import Dask and its scheduler, or say how to install them."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise MissingExtraError("dask[distributed]", "dask", "Rows on a cluster") from error
    return dask, distributed


def _opened(address: str, distributed: Any) -> Any:
    try:
        return distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:  # TimeoutError is an OSError, and a strange address is a ValueError
        raise InputError(
            f"client cannot be reached: got {address!r}, which does not answer, expected the address of a Dask "
            "scheduler as 'tcp://10.0.0.1:8786'. Start one with: dask scheduler"
        ) from error


def _current(distributed: Any) -> Any:
    try:
        return distributed.Client.current()
    except ValueError as error:
        raise InputError(
            "client is missing: got None and no client is open, expected a distributed.Client or the address of a "
            "scheduler."
        ) from error
