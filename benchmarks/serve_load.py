"""The service under load: `python benchmarks/serve_load.py INDEX --texts FILE [--clients 8] [--pause 0.2] [--flat N]`.

Starts `tacit serve` on this machine and asks it from several clients, each with a pause between two questions, as
people have who type; the load is bounded, so that the figures are those of the service and not of a queue. Waits until
/healthz says that the service is warm. Prints for search, suggestions and the map the middle (p50), the slow end (p99)
and the slowest of the times, the very first requests included, the processor time per request of the service and of
the clients, which share the machine with it, and the load of the machine. `--flat N` then sends N
more requests as fast as it can, half of them searches and half suggestions, and prints the memory before and after
every 5,000 of them. `--reload` has the index look changed every two seconds meanwhile, so that it is opened again under
load. `--only memory` leaves out the rest.

| | should be, for 100,000 records and 8 clients |
|---|---|
| search  | p50 20 ms, p99 100 ms |
| suggest | p50 30 ms |
| memory  | flat over 100,000 requests |
| reload  | no request is lost |

`--texts` has a text per line, up to a tab; queries are its first words.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

__all__ = ["main"]

_KINDS = ("search", "suggest", "map")
_SHOWN = 5_000  # requests between two looks at the memory
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "gzip"}


def main() -> None:
    """Run the load and print what was seen."""
    parser = argparse.ArgumentParser(description="The service under load")
    parser.add_argument("index", type=Path)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--pause", type=float, default=0.2, help="mean seconds between two questions of a client")
    parser.add_argument("--requests", type=int, default=100, help="per client and kind")
    parser.add_argument("--flat", type=int, default=0, help="further requests, to see whether memory grows")
    parser.add_argument("--only", nargs="*", choices=[*_KINDS, "memory"], default=list(_KINDS), help="what is measured")
    parser.add_argument("--reload", action="store_true", help="have the index opened again every two seconds")
    asked = parser.parse_args()
    texts = _texts(asked.texts)
    service, base = _start(asked.index)
    try:
        api = f"{base}api/v1/{asked.index.name.removesuffix('.tacit')}"
        print("start", json.dumps({"warm_after_s": _wait(base)}), flush=True)
        with _reloads(asked.index, on=asked.reload):
            for kind in [kind for kind in _KINDS if kind in asked.only]:
                row = _load(service.pid, api, kind, texts, asked.clients, asked.requests, asked.pause)
                print(kind, json.dumps(row), flush=True)
            for row in _flat(service.pid, api, texts, asked.clients, asked.flat):
                print("memory", json.dumps(row), flush=True)
    finally:
        service.terminate()
        service.wait(30)


def _texts(path: Path) -> list[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        lines = (line.partition("\t")[0].strip() for line, _ in zip(file, range(5_000), strict=False))
        return [line for line in lines if line]


def _start(index: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "tacit", "serve", str(index), "--port", "0", "--log-level", "warning"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert service.stdout is not None
    line = service.stdout.readline()
    found = re.search(r"http://\S+", line)
    if found is None:
        sys.exit(f"the service did not start: {line}")
    return service, found[0]


def _wait(base: str) -> float:
    """Wait until the service is warm, and return how long that took since it answers."""
    where, started = urlsplit(base), time.perf_counter()
    while True:
        client = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
        client.request("GET", "/healthz")
        status = client.getresponse().status
        client.close()
        if status == 200:
            return round(time.perf_counter() - started, 1)
        time.sleep(0.1)


@contextmanager
def _reloads(index: Path, *, on: bool) -> Iterator[None]:
    """Replace the file CURRENT by a copy every two seconds, which the service sees as a new state of the index."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(2.0):
            copy = index / "CURRENT.copy"
            copy.write_bytes((index / "CURRENT").read_bytes())
            copy.replace(index / "CURRENT")

    thread = threading.Thread(target=work)
    if on:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        if on:
            thread.join()


def _ask(client: http.client.HTTPConnection, api: str, kind: str, text: str, chance: random.Random) -> int:
    """Send a request and read its answer, without parsing it; http.client costs a tenth of a millisecond."""
    path = urlsplit(api).path
    if kind == "search":
        words = " ".join(text.split()[: chance.randint(1, 4)])
        client.request("GET", f"{path}/search?{urlencode({'q': words})}", headers=_HEADERS)
    elif kind == "suggest":
        headers = {**_HEADERS, "Content-Type": "application/json"}
        client.request("POST", f"{path}/suggest", json.dumps({"texts": [text]}).encode(), headers)
    else:
        client.request("GET", f"{path}/map/rows?{urlencode({'q': text.split()[0]})}", headers=_HEADERS)
    answer = client.getresponse()
    answer.read()
    return answer.status


def _load(
    process: int, api: str, kind: str, texts: list[str], clients: int, requests: int, pause: float, *, first: int = 0
) -> dict[str, Any]:
    times: list[float] = []
    wrong: list[int] = []
    before, own = _processor_time(process), time.process_time()

    def work(number: int) -> None:
        chance, where = random.Random(first + number), urlsplit(api)  # different texts in every part
        client = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
        for _ in range(requests):
            time.sleep(chance.expovariate(1 / pause) if pause else 0)
            text = chance.choice(texts)
            started = time.perf_counter()
            try:
                status = _ask(client, api, kind, text, chance)
            except (OSError, http.client.HTTPException):
                client.close()
                status = 0
            times.append(time.perf_counter() - started)
            if status != 200:
                wrong.append(status)
        client.close()

    started = time.perf_counter()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    times.sort()
    return {
        "requests": len(times),
        "p50_ms": round(1000 * times[len(times) // 2], 1),
        "p99_ms": round(1000 * times[int(0.99 * len(times))], 1),
        "slowest_ms": round(1000 * times[-1], 1),
        "per_second": round(len(times) / seconds, 1),
        "processor_ms": round(1000 * (_processor_time(process) - before) / len(times), 1),
        "clients_processor_ms": round(1000 * (time.process_time() - own) / len(times), 2),
        "wrong": len(wrong),
        "machine_load": round(os.getloadavg()[0], 1),
    }


def _flat(process: int, api: str, texts: list[str], clients: int, requests: int) -> Iterator[dict[str, Any]]:
    """Yield the memory of the service, in MB, before and after every few thousand of many requests."""
    sent = wrong = 0
    while requests:
        yield {"requests": sent, "memory_mb": _memory(process), "wrong": wrong}
        if sent >= requests:
            return
        each = max(1, min(_SHOWN, requests - sent) // (2 * clients))
        for kind in ("search", "suggest"):
            row = _load(process, api, kind, texts, clients, each, 0.0, first=sent)
            sent, wrong = sent + row["requests"], wrong + row["wrong"]


def _processor_time(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(process: int) -> float:
    """Return what the process holds by itself; pages of mapped files come and go."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return round(int(line.split()[1]) / 1000, 1)
    return 0.0


if __name__ == "__main__":
    main()
