"""`tacit serve`: starts, says where, answers, and stops; what is wrong is said in one line."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from served import build_served

COMMAND = [sys.executable, "-m", "tacit", "serve"]
PROBE = (
    "import sys, os; from tacit.cli.common import verbs; import tacit.cli.serve, tacit.serve.run; "
    "print('numpy' in sys.modules)"
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return build_served(tmp_path_factory.mktemp("command") / "shelf.tacit", suggester="none", map=False, model="lsi")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_answers_and_stops(path, stop):
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "7"}
    command = [*COMMAND, str(path), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as service:
        line = service.stdout.readline()
        address = re.search(r"Serving shelf at (http://127\.0\.0\.1:\d+/)", line)[1]
        with urllib.request.urlopen(f"{address}api/v1/shelf/info", timeout=30) as answer:
            assert answer.status == 200
        service.send_signal(stop)
        _, log = service.communicate(timeout=30)
    assert service.returncode in (0, -stop)
    assert re.search(r"\d 127\.0\.0\.1 GET /api/v1/shelf/info 200 [\d.]+ ms \d+ bytes", log)
    assert "Traceback" not in log


def test_numpy_is_not_loaded_before_its_threads_are_set():
    found = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_what_is_wrong_is_one_line(path, tmp_path):
    short = tmp_path / "token.txt"
    short.write_text("short")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for options, said in (
            (
                [str(path), "--port", str(port)],
                rf"Error: --port is taken: got {port} on 127\.0\.0\.1, .* Try --port \d+\.",
            ),
            ([str(path), "--port", "70000"], r"Error: --port is out of range: got 70000"),
            ([str(tmp_path / "no.tacit"), "--port", "0"], r"Error: .* does not exist"),
            ([str(path), "--token-file", str(short)], r"Error: --token-file .* has no usable token: got 5 characters"),
        ):
            found = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=60, check=False)
            assert (found.returncode, found.stderr.count("\n")) == (2, 1), found.stderr
            assert re.match(said, found.stderr), found.stderr
