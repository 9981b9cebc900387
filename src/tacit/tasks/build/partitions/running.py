"""Runs the tasks of a build on a cluster: sends them, tells how far they are, and gathers what they return."""

from __future__ import annotations

import contextlib
import inspect
import queue
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tacit.errors import TacitError, TacitWarning
from tacit.operators.rows.dask_client import Cluster, libraries
from tacit.tasks.stage_progress import StageEvent, StageReporter

__all__ = ["Tasks"]

_LOOK = 0.5  # seconds between two looks at what is done
_ALONE = 300.0  # seconds without any worker after which the build ends
_WIDTH = 8  # of the tree in which counts and sums are joined
_AGAIN = "Start it again, and build again"


class Tasks:
    """The tasks of one build on a cluster; use it in a `with` block, which cancels what is left.

    Parameters
    ----------
    cluster : with its workers
    report : called with the events of stages, those of the workers too
    """

    def __init__(self, cluster: Cluster, report: Callable[[StageEvent], None] | None) -> None:
        self.cluster, self._report = cluster, report
        self.topic = f"tacit-{uuid.uuid4().hex}"
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._begun: list[Any] = []
        self._told: set[str] = set()
        self._seen_worker = self._asked = time.monotonic()

    def __enter__(self) -> Tasks:
        self.cluster.client.subscribe_topic(self.topic, self._events.put)
        return self

    def __exit__(self, *_: object) -> None:
        if self.cluster.client.status == "running":
            self.cluster.client.unsubscribe_topic(self.topic)
            self.cluster.client.cancel([future for future in self._begun if not future.done()])

    def begin(self, function: Callable[..., Any], *arguments: Any, tells: bool = False) -> Any:
        """Send a task and return its future; `tells` is whether the stages that it reports are shown."""
        name = function.__name__.replace("_", "-")
        topic = self.topic if tells else ""
        with self.cluster.talking(_AGAIN) as client, self.cluster.large_messages():
            future = client.submit(
                _done_by_worker, function, arguments, topic, key=f"{name}-{uuid.uuid4().hex}", pure=False
            )
        self._begun.append(future)
        return future

    def each(
        self, function: Callable[..., Any], calls: Iterable[Sequence[Any]], say: StageReporter, noun: str = "parts"
    ) -> list[Any]:
        """Do a task with each of several groups of arguments, and return the results in this order."""
        futures = [self.begin(function, *arguments) for arguments in calls]
        return self.results(
            futures, lambda done: say.advance(f"{done:,} of {len(futures):,} {noun}", done / len(futures))
        )

    def joined(self, function: Callable[..., Any], items: Sequence[Any], target: Callable[[str], Any]) -> Any:
        """Join the results of several tasks in a tree, whose shape depends on their number alone.

        `function` takes a list of items and the name of what it makes of them, which `target` returns.
        """
        level = 0
        while len(items) > 1 or not level:
            groups = [items[start : start + _WIDTH] for start in range(0, len(items), _WIDTH)]
            futures = [self.begin(function, group, target(f"{level}-{place}")) for place, group in enumerate(groups)]
            items, level = self.results(futures), level + 1
        return items[0]

    def one(self, function: Callable[..., Any], *arguments: Any, tells: bool = False) -> Any:
        """Do one task and return its result."""
        return self.results([self.begin(function, *arguments, tells=tells)])[0]

    def results(self, futures: Sequence[Any], advance: Callable[[int], None] | None = None) -> list[Any]:
        """Wait for tasks and return their results; meanwhile the events of the workers are shown."""
        with self.cluster.talking(_AGAIN) as client:
            n_done = -1
            while True:
                ended = [future for future in futures if future.done()]
                for future in ended:
                    if future.status != "finished":
                        future.result()  # which raises what went wrong
                if advance is not None and len(ended) > n_done:
                    advance(len(ended))
                n_done = len(ended)
                self._tell()
                if n_done == len(futures):
                    break
                self._check_workers(client)
                _wait(client, [future for future in futures if not future.done()])
            found = client.gather(list(futures))
        for _, messages in found:
            self._warn(messages)
        return [result for result, _ in found]

    def _tell(self) -> None:
        while not self._events.empty():
            _, facts = self._events.get()
            if self._report is not None:
                self._report(StageEvent(**facts["event"]))

    def _warn(self, messages: Iterable[str]) -> None:
        for message in messages:
            if message not in self._told:  # several parts may say the same
                self._told.add(message)
                warnings.warn(message, TacitWarning, stacklevel=6)

    def _check_workers(self, client: Any) -> None:
        """Raise if there has been no worker for long."""
        now = time.monotonic()
        if now - self._asked < _ALONE / 10:
            return
        self._asked = now
        if client.nthreads():
            self._seen_worker = now
        elif now - self._seen_worker > _ALONE:
            raise TacitError(
                f"the cluster has lost all its workers: got none at {self.cluster.name} for {_ALONE:.0f} seconds, "
                f"expected at least one. Start one with: dask worker {self.cluster.name}"
            )


def _wait(client: Any, futures: Sequence[Any]) -> None:
    """Wait until one of several tasks is done, but not for long."""
    _, distributed = libraries()
    with client.as_current(), contextlib.suppress(TimeoutError):
        distributed.wait(list(futures), timeout=_LOOK, return_when="FIRST_COMPLETED")


def _done_by_worker(function: Callable[..., Any], arguments: Sequence[Any], topic: str) -> tuple[Any, list[str]]:
    """Do a task on a worker; return its result and its warnings, which nobody would see there."""
    given: dict[str, Any] = {}
    if "say" in inspect.signature(function).parameters:
        given["say"] = StageReporter(_sender(topic) if topic else _nobody)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TacitWarning)
        found = function(*arguments, **given)
    return found, [str(each.message) for each in caught if issubclass(each.category, TacitWarning)]


def _nobody(_: StageEvent) -> None:
    """Show nothing."""


def _sender(topic: str) -> Callable[[StageEvent], None]:
    """Return what sends the events of stages from a worker to the client, not too many of them."""
    _, distributed = libraries()
    worker, last = distributed.get_worker(), 0.0

    def send(event: StageEvent) -> None:
        nonlocal last
        now = time.monotonic()
        if event.state == "advance" and now - last < _LOOK:
            return
        last = now
        worker.log_event(topic, {"event": vars(event)})

    return send
