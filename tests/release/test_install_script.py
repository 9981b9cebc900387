"""CI's script that installs with uv tells it what pip's configuration says, and leaves the rest to pip.

That uv compares what it installs with the hashes of a lock is checked by `.ci/run`, since uv has to be downloaded.
"""

from __future__ import annotations

import hashlib
import os
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci/install.py"
options_of = runpy.run_path(str(SCRIPT))["options_of"]


def test_uv_is_told_where_pip_looks() -> None:
    listed = r"""
:env:.cert='/here.pem'
:env:.find-links='/wheels'
global.cert='/there.pem'
global.extra-index-url='\nfile:///one/simple\nfile:///two/simple'
global.find-links='/other'
global.index-url='https://mirror.example/simple'
:env:.compile='0'
global.timeout='60'
download.find-links='/nowhere'
"""
    options, variables = options_of(listed.strip())
    pairs = sorted(zip(options[::2], options[1::2], strict=True))
    assert pairs == [
        ("--default-index", "https://mirror.example/simple"),
        ("--find-links", "/wheels"),
        ("--index", "file:///one/simple"),
        ("--index", "file:///two/simple"),
    ]
    assert variables == {"SSL_CERT_FILE": "/here.pem"}
    assert options_of("") == ([], {})


def test_a_setting_that_uv_is_not_told_leaves_the_installation_to_pip() -> None:
    assert options_of("global.proxy='http://proxy.example'") is None
    assert options_of("install.constraint='limits.txt'") is None


@pytest.mark.parametrize("forged", [False, True], ids=["its hash", "another hash"])
def test_pip_compares_the_hashes_of_a_lock(forged: bool, tmp_path: Path) -> None:
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as package:
        package.writestr("tiny.py", "")
        package.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        package.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        package.writestr("tiny-1.0.dist-info/RECORD", "")
    digest = "0" * 64 if forged else hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock = tmp_path / "lock.txt"
    lock.write_text(f"tiny==1.0 --hash=sha256:{digest}\n", encoding="utf-8")
    command = [sys.executable, SCRIPT, "--require-hashes", "--target", tmp_path / "there", "-r", lock]
    # a setting that uv is not told, so that pip installs, without a network
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert "its configuration has a setting that uv is not told" in done.stderr
    assert (done.returncode == 0) is (not forged), done.stderr
    assert ("DO NOT MATCH THE HASHES" in done.stderr) is forged
    assert (tmp_path / "there/tiny.py").exists() is (not forged)
