"""The workers of a cluster for a build: started on this machine or found at an address, and asked what they are.

Tasks of a build read and write files, so every worker must run the same version of Tacit and must see the same files as
the client. That is asked of them before anything is read.
"""

from __future__ import annotations

import logging
import platform
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tacit.checks import check_count, human_size
from tacit.errors import InputError
from tacit.machine import available_memory
from tacit.operators.rows.dask_client import Cluster, connect, libraries

__all__ = ["WorkerFacts", "check_workers", "opened_cluster"]

_LOCAL = re.compile(r"local(?::(\d+))?")
_PROCESS = 300e6  # bytes below which a worker cannot even start


class WorkerFacts(NamedTuple):
    """What a worker says of itself: versions, whether it sees files, its memory in bytes and its threads."""

    versions: dict[str, str]
    sees: bool
    writes: bool
    reads: bool
    memory: int
    threads: int


@contextmanager
def opened_cluster(where: Any, memory: int | None = None) -> Iterator[Cluster]:
    """Give the cluster at an address, of a client, or started on this machine; close what was opened at the end.

    Parameters
    ----------
    where : the address of a scheduler, "local:4" to start so many processes here, or a `distributed.Client`
    memory : bytes that a task may take, for processes that are started here; by default they share the free memory
    """
    found = _LOCAL.fullmatch(where) if isinstance(where, str) else None
    if found is None:
        cluster = _connected(where)
        try:
            yield cluster
        finally:
            cluster.close()
        return
    _, distributed = libraries()
    n_workers = check_count("cluster", int(found[1] or 2))
    limit = int(available_memory() / n_workers if memory is None else memory / SHARE_OF_WORKER)
    if limit < _PROCESS:
        raise InputError(
            f"cluster has too many workers for this machine: got {where!r}, with {human_size(limit)} each, expected at "
            f"least {human_size(_PROCESS)}. Start fewer."
        )
    options = dict(n_workers=n_workers, threads_per_worker=1, memory_limit=limit, dashboard_address=":0")
    with (
        distributed.LocalCluster(**options, silence_logs=logging.CRITICAL) as started,
        distributed.Client(started, set_as_default=False) as client,
    ):
        yield Cluster(client, own=True)


SHARE_OF_WORKER = 0.7  # of a worker's limit that a task may take: Dask pauses a worker at .8 and ends it at .95


def _connected(where: Any) -> Cluster:
    try:
        return connect(where)
    except InputError as error:
        if "cannot be reached" not in str(error):
            raise
        raise InputError(
            f"cluster cannot be reached: got {where!r}, where no scheduler answers, expected an address such as "
            "'tcp://10.0.0.1:8786', or 'local:4' for four processes on this machine. Start one with: dask scheduler"
        ) from error


def check_workers(
    cluster: Cluster, index: Path, source: Path, own_versions: Callable[[], dict[str, str]]
) -> list[WorkerFacts]:
    """Ask all workers what they are, and raise if one cannot take part in a build.

    Parameters
    ----------
    cluster : with its workers
    index : a folder on the disk that all processes share, to which a file is written
    source : one of the files to read
    own_versions : returns the versions of a process, which must be the same in all of them
    """
    versions = own_versions()
    token = index / f".seen-by-workers-{platform.node()[:20]}"
    token.touch()
    try:
        with cluster.talking() as client:
            found = client.run(_facts, token, source, own_versions)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"cluster has workers that cannot run this version of Tacit: got {error}, expected Tacit "
            f"{versions.get('tacit', '')} on each of them. Install it there."
        ) from error
    finally:
        token.unlink(missing_ok=True)
    for address, facts in sorted(found.items()):
        for name, version in versions.items():
            if facts.versions[name] != version:
                raise InputError(
                    f"cluster has workers with other versions: got {name} {facts.versions[name]} at {address}, "
                    f"expected {version} as here. Install the same there."
                )
        if not facts.reads:
            raise InputError(
                f"cluster has workers that cannot see the files: got no {str(source)!r} at {address}, expected a disk "
                "that all workers and this process share, under the same path. Move the files there."
            )
        if not (facts.sees and facts.writes):
            raise InputError(
                f"cluster has workers that cannot write the index: got no {str(index)!r} at {address}, expected a "
                "folder on a disk that all workers and this process share, under the same path. Choose another `path`."
            )
    return [facts for _, facts in sorted(found.items())]


def _facts(
    token: Path, source: Path, own_versions: Callable[[], dict[str, str]], dask_worker: Any = None
) -> WorkerFacts:
    """Return the facts of the worker in which this runs."""
    memory = int(getattr(dask_worker.memory_manager, "memory_limit", 0) or 0) or available_memory()
    name = f"{token.name}-{abs(hash(dask_worker.address))}"
    written = token.with_name(name)
    try:
        written.touch()
        written.unlink()
        writes = True
    except OSError:
        writes = False
    return WorkerFacts(own_versions(), token.exists(), writes, source.exists(), memory, int(dask_worker.state.nthreads))
