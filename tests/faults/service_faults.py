"""The service under clients that are slow, greedy or gone, under changes of its index, on a full disk, and over time.

Whatever the others do, a client that behaves is answered, and right; nothing that was reported as stored is lost; the
log tells of no error inside Tacit; memory does not grow.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from judging import SURVIVED, Outcome, found
from sample_index import build_sample, contents, quietly, write_files
from served_index import Served

from tacit.index import verify

__all__ = ["ServiceFaults"]

_TOKEN = "token-of-the-fault-suite"
_CLIENTS = 8
_PATIENCE = 60.0  # seconds for an answer on a machine that has other work
_WARM, _SOAK, _SHORT_SOAK = 2_000, 100_000, 160
_LONGEST_SOAK = 900.0  # seconds by the clock, after which a soak ends with fewer requests
_GROWTH = 10.0  # MB: what the service may grow by after it is warm
_QUERIES = ("whale harbour", "kitchen lamp", "salt tide cat", "no such word", "a", "garden chair window")


class ServiceFaults:
    """The part of the suite; an item is the name of what happens to the service."""

    seconds, batch, in_process = 1_000.0, 1, True

    def __init__(self, folder: Path) -> None:
        self._folder, self._index = folder, folder / "i.tacit"
        self._log, self._switch = folder / "log", folder / "full"
        self.notes: list[str] = []
        self._refusals: list[str] = []
        self._doings: dict[str, Callable[[], str]] = {
            "slow heads": self._slow_heads,
            "slow bodies": self._slow_bodies,
            "half-closed": self._half_closed,
            "bodies without end": self._endless_bodies,
            "heads without end": self._endless_heads,
            "gone before the answer": self._gone,
            "disk full while adding": self._full,
            "changed and replaced under load": self._changed_under_load,
            "soak of 8 clients": self._soak,
        }
        self.is_long = False

    def cannot_run(self) -> str:
        """Return why not, or ""."""
        missing = [name for name in ("fastapi", "uvicorn") if not _has(name)]
        return f"{', '.join(missing)} is not installed" if missing else ""

    def prepare(self) -> None:
        """Build the index and start its service, whose log goes to a file."""
        write_files(self._folder)
        code, said = quietly(build_sample(self._folder, self._index))
        if code:
            raise AssertionError(said)
        shutil.copytree(self._index, self._folder / "sound.tacit")
        os.environ |= {"TACIT_TOKEN": _TOKEN, "FAULTS_FULL": f"{self._switch}:{self._index}"}
        self._served = Served([self._index])
        kept, log = os.dup(2), os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 2)
        try:
            address = urlsplit(self._served.start())
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(log)
        self._address = (str(address.hostname), int(address.port or 80))

    def items(self) -> list[str]:
        """Return what can happen."""
        return list(self._doings)

    def named(self, item: str) -> str:
        """Return the name of a case."""
        return item

    def close(self) -> None:
        """Stop the service."""
        self._served.stop()

    def judge(self, item: str) -> Outcome:
        """Let something happen to the service, and ask it as before."""
        wrong = self._doings[item]()
        if not wrong:
            status, answer = self._ask("GET", "/search?q=whale%20harbour")
            wrong = "" if status == 200 and answer["items"] else f"a search afterwards: {status} {answer}"
        log = self._log.read_text(encoding="utf-8", errors="replace")
        if "Traceback" in log or "error inside Tacit" in log:
            self._log.write_text("")
            return found(f"in the log: {log[-600:]!r}")
        return found(wrong) if wrong else SURVIVED

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request and return its status and answer."""
        with contextlib.closing(http.client.HTTPConnection(*self._address, timeout=_PATIENCE)) as client:
            return _sent(client, method, path, body)

    @contextlib.contextmanager
    def _raw(self, data: bytes) -> Iterator[socket.socket]:
        """Connect and send what is not, or not yet, a whole request."""
        with socket.create_connection(self._address, timeout=_PATIENCE) as client:
            client.sendall(data)
            yield client

    def _slow_heads(self) -> str:
        with contextlib.ExitStack() as stack:
            for _ in range(60):
                stack.enter_context(self._raw(b"GET /api/v1/i/search?q=wh"))
            return self._others_are_answered()

    def _slow_bodies(self) -> str:
        with contextlib.ExitStack() as stack:
            clients = [
                stack.enter_context(self._raw(_head("POST", "/suggest", "Content-Length: 500") + b'{"'))
                for _ in range(60)
            ]
            if wrong := self._others_are_answered():
                return wrong
            if not self.is_long:
                return ""
            answers = [client.recv(100) for client in clients]  # after the time that a body may take
            return "" if all(b" 408 " in answer for answer in answers) else f"no 408: {answers[0]!r}"

    def _others_are_answered(self) -> str:
        """Ask as somebody who comes back when the service says that it is busy."""
        for _ in range(5):
            end = time.monotonic() + _PATIENCE
            while True:
                status, answer = self._ask("GET", "/search?q=whale")
                if status != 503 or time.monotonic() > end:
                    break
                time.sleep(1)
            if status != 200:
                return f"others get {status}: {answer}"
        return ""

    def _half_closed(self) -> str:
        for _ in range(20):
            with self._raw(_head("GET", "/search?q=whale")) as client:
                client.shutdown(socket.SHUT_WR)
                answer = client.recv(100)
                if answer and b" 200 " not in answer:
                    return f"answered {answer!r}"
            with self._raw(_head("POST", "/suggest", "Content-Length: 500") + b'{"texts"') as client:
                client.shutdown(socket.SHUT_WR)
                client.recv(100)
        return ""

    def _endless_bodies(self) -> str:
        sent = 0
        with self._raw(_head("POST", "/suggest", "Transfer-Encoding: chunked")) as client, contextlib.suppress(OSError):
            block = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
            while sent < 1 << 28:
                client.sendall(block)
                sent += len(block)
        if sent >= 1 << 28:
            return "a body of 256 MB is read"
        with self._raw(_head("POST", "/suggest", "Content-Length: 99999999999")) as client:
            answer = client.recv(100)
        return "" if b" 413 " in answer else f"a length of 100 GB: {answer!r}"

    def _endless_heads(self) -> str:
        sent = 0
        with self._raw(b"GET / HTTP/1.1\r\n") as client, contextlib.suppress(OSError):
            while sent < 1 << 26:
                client.sendall(b"x-more: " + b"x" * 8_000 + b"\r\n")
                sent += 8_010
        return "a head of 64 MB is read" if sent >= 1 << 26 else ""

    def _gone(self) -> str:
        for turn in range(100):
            with self._raw(_head("GET", f"/search?q=whale+{turn}")) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # the close is a reset
        return self._others_are_answered()

    def _full(self) -> str:
        if "layer.so" not in os.environ.get("LD_PRELOAD", ""):
            return ""
        before = contents(self._index)["records"]
        self._switch.touch()
        try:
            for turn in range(5):
                status, answer = self._ask(
                    "POST", "/records", {"records": [{"id": f"full{turn}", "text": "whale at sea"}]}
                )
                if status < 400 or not answer.get("detail"):
                    return f"on a full disk: {status} {answer}"
                if status == 500:
                    return f"an error of ours: {answer}"
                if wrong := self._others_are_answered():
                    return wrong
        finally:
            self._switch.unlink()
        if contents(self._index)["records"] != before:
            return "records that were refused are stored"
        status, answer = self._ask("POST", "/records", {"records": [{"id": "after", "text": "whale at sea"}]})
        if status != 200 or "after" not in contents(self._index)["records"]:
            return f"with space again: {status} {answer}"
        return "; ".join(verify(self._index))

    def _changed_under_load(self) -> str:
        """Add, remove, refit and replace by commands and through the service, while clients ask."""
        stop, statuses = threading.Event(), Counter[int]()
        threads = [threading.Thread(target=self._client, args=(stop, statuses, 10**9)) for _ in range(_CLIENTS)]
        for thread in threads:
            thread.start()
        said = ""
        try:
            for turn in range(6 if self.is_long else 1):
                index = str(self._index)
                self._ask("POST", "/records", {"records": [{"id": f"load{turn}", "text": "salt and lamp"}]})
                for command in (
                    ["add", index, str(self._folder / "added.jsonl"), "--wait", "20"],
                    ["refit", index, "--wait", "20"],
                    ["remove", index, "new1", "new2", "--wait", "20"],
                    build_sample(self._folder, self._index, "records.jsonl", "--replace"),
                ):
                    code, output = quietly(command)
                    said = said or (f"{command[0]}: {output[-300:]}" if code else "")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.notes.append(f"changed and replaced under load: {sum(statuses.values()):,} requests, {dict(statuses)}")
        return said or "; ".join(self._refusals[:3])

    def _soak(self) -> str:
        statuses = self._asked_by_all(_WARM if self.is_long else _SHORT_SOAK)
        before = self._memory()
        start = time.perf_counter()
        statuses += (soaked := self._asked_by_all(_SOAK if self.is_long else _SHORT_SOAK))
        after, took = self._memory(), time.perf_counter() - start
        what = f"soak: {soaked.total():,} requests of {_CLIENTS} clients in {took:.0f} s"
        self.notes.append(f"{what}, {before:.1f} MB before and {after:.1f} after")
        if statuses[200] < statuses.total():
            return f"answers {dict(statuses)}: {self._refusals[:1]}"
        return f"memory grows from {before:.1f} to {after:.1f} MB" if after > before + _GROWTH else ""

    def _asked_by_all(self, n_requests: int) -> Counter[int]:
        """Let all clients ask, until so many requests are answered or the time is over."""
        statuses, stop = Counter[int](), threading.Event()
        args = (stop, statuses, n_requests // _CLIENTS)
        threads = [threading.Thread(target=self._client, args=args) for _ in range(_CLIENTS)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + _LONGEST_SOAK
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        stop.set()
        for thread in threads:
            thread.join()
        return statuses

    def _client(self, stop: threading.Event, statuses: Counter[int], most: int) -> None:
        """Ask one question after the other on one connection."""
        with contextlib.closing(http.client.HTTPConnection(*self._address, timeout=_PATIENCE)) as client:
            for turn in range(most):
                if stop.is_set():
                    return
                query = _QUERIES[turn % len(_QUERIES)]
                try:
                    if turn % 5 == 4:
                        status, answer = _sent(client, "POST", "/suggest", {"texts": [query]})
                    else:
                        status, answer = _sent(client, "GET", f"/search?q={quote(query)}&limit={1 + turn % 7}")
                except (OSError, http.client.HTTPException) as error:
                    client.close()
                    status, answer = 0, repr(error)
                statuses[status] += 1
                if status not in (200, 503):
                    self._refusals.append(f"{status} to {query!r}: {answer}")

    def _memory(self) -> float:
        """Return the memory of the service, in MB."""
        assert self._served.process is not None
        lines = Path(f"/proc/{self._served.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def _has(library: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(library) is not None


def _head(method: str, path: str, *more: str) -> bytes:
    lines = (f"{method} /api/v1/i{path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *more, "", "")
    return "\r\n".join(lines).encode()


def _sent(client: http.client.HTTPConnection, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    headers = {"Host": "localhost", "Authorization": f"Bearer {_TOKEN}", "Content-Type": "application/json"}
    client.request(method, f"/api/v1/i{path}", None if body is None else json.dumps(body), headers)
    answer = client.getresponse()
    content = answer.read()
    return answer.status, json.loads(content) if content[:1] in (b"{", b"[") else content.decode("utf-8", "replace")
