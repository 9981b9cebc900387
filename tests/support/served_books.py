"""A small index of books with the subjects of a thesaurus, as a service has it: IRIs, notations, two languages."""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thesaurus import write_books, write_thesaurus

import tacit
from tacit.corpus import read_records
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

TOKEN = "a token that nobody guesses"


def build_books(folder: Path, *, name: str = "books", n: int = 80) -> Path:
    """Build an index whose subjects are suggested by witnesses."""
    folder.mkdir(parents=True, exist_ok=True)
    taxonomy = dataclasses.replace(Taxonomy.from_file(write_thesaurus(folder)), language="en")
    settings = BuildSettings(n_components=4, text=TextSettings(min_records=1))
    return tacit.build(read_records(write_books(folder, n)), folder / f"{name}.tacit", settings, taxonomy=taxonomy)


@contextlib.contextmanager
def running(app: Any) -> Iterator[str]:
    """Serve an app on this machine, as `tacit serve` does, and give its address."""
    import uvicorn

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()
