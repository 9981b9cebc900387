"""CI's script that installs with uv tells it what pip's configuration says, and leaves the rest to pip."""

from __future__ import annotations

import runpy
from pathlib import Path

options_of = runpy.run_path(str(Path(__file__).parents[2] / ".ci/install.py"))["options_of"]


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
