"""The explorer's map alone: a server of its files and of a page around it, with the service's policy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}


class _Files(SimpleHTTPRequestHandler):
    """`/page/...` as the service has it, all else from the folder of the page that holds the map."""

    extensions_map = _TYPES

    def translate_path(self, path: str) -> str:
        name = urlsplit(path).path.lstrip("/") or "index.html"
        folder = "src/tacit/serve" if name.startswith("page/") else "tests/browser/map_page"
        return str(ROOT / folder / name)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing: a test that fails tells what it asked for."""


@contextmanager
def served() -> Iterator[str]:
    """Serve the page on a free port of this machine, and give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
