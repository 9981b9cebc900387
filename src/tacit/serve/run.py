"""Runs the service: takes the port, answers until it is told to stop, and lets requests in flight end."""

from __future__ import annotations

import contextlib
import errno
import logging
import socket
import sys
import threading
import warnings
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.errors import InputError, MissingExtraError, TacitWarning

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["address_of", "run", "take_port"]

_TRIED = 50  # ports that are tried to suggest a free one
_GRACE = 10  # seconds that requests in flight have when the service stops
_BACKLOG = 512


def run(app: FastAPI, listening: socket.socket, *, log_level: str = "info", open_page: bool = False) -> None:
    """Answer requests until the process is interrupted or told to end; then let those in flight finish."""
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("uvicorn", "serve", "The service") from error
    _log(log_level)
    warnings.simplefilter("ignore", TacitWarning)  # what they say is for whoever asked, who cannot see them
    sys.setswitchinterval(0.001)  # threads that compute let the one that answers go on sooner
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        http="h11",  # httptools, which is chosen otherwise if it is installed, takes headers of any length
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=_GRACE,
        timeout_keep_alive=30,
        backlog=_BACKLOG,
    )
    if open_page:
        _soon(lambda: webbrowser.open(address_of(listening)))
    with contextlib.suppress(KeyboardInterrupt), contextlib.closing(listening):
        uvicorn.Server(config).run(sockets=[listening])


def take_port(host: str, port: int) -> socket.socket:
    """Return a socket that listens; a port that is taken is an error that names a free one."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError, OverflowError) as error:
        raise InputError(f"host cannot be used: got {host!r}, expected a name or address of this machine.") from error
    listening = socket.socket(family, kind, proto)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            free = _next_free(family, address)
            advice = f" Try --port {free}." if free else ""
            raise InputError(f"port is taken: got {port} on {host}, expected a free one.{advice}") from error
        raise InputError(
            f"port cannot be used: got {port} on {host}, {error.strerror}, expected a port that this user may open."
        ) from error
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address to type into a browser."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


def _next_free(family: int, address: tuple[object, ...]) -> int | None:
    host, port, *rest = address
    assert isinstance(port, int)
    for other in range(port + 1, min(port + _TRIED, 65_535) + 1):
        with contextlib.closing(socket.socket(family, socket.SOCK_STREAM)) as trial:
            try:
                trial.bind((host, other, *rest))
                return other
            except OSError:
                continue
    return None


def _soon(action: Callable[[], object]) -> None:
    timer = threading.Timer(0.5, action)
    timer.daemon = True
    timer.start()


def _log(level: str) -> None:
    """Write the log of the service to standard error, a line per request."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    for name in ("tacit.serve", "uvicorn.error"):
        log = logging.getLogger(name)
        log.handlers, log.propagate = [handler], False
        log.setLevel(level.upper() if name == "tacit.serve" else "WARNING")
