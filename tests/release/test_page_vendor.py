"""The page's libraries are pinned, carry their licences, and name no registry that others would have to trust."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src/tacit/serve/page"
PACKAGE = json.loads((ROOT / "vendor/package.json").read_text(encoding="utf-8"))
LOCK = json.loads((ROOT / "vendor/package-lock.json").read_text(encoding="utf-8"))
VENDOR = (PAGE / "vendor.js").read_text(encoding="utf-8")


def test_versions_are_exact_and_locked() -> None:
    for name, version in (PACKAGE["dependencies"] | PACKAGE["devDependencies"]).items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name
        assert LOCK["packages"][f"node_modules/{name}"]["version"] == version


def test_the_lock_has_hashes_and_no_addresses_of_packages() -> None:
    packages = [entry for path, entry in LOCK["packages"].items() if path]
    assert len(packages) >= 20
    assert [entry for entry in packages if "resolved" in entry or not entry["integrity"].startswith("sha512-")] == []


def test_vendor_names_every_package_that_the_page_uses_with_its_licence() -> None:
    head = VENDOR[: VENDOR.index("*/")]
    for name, version in PACKAGE["dependencies"].items():
        assert re.search(rf"^{re.escape(name)} {re.escape(version)} \((MIT|ISC|BSD-3-Clause|Apache-2.0)\)$", head, re.M)
    assert "Copyright (c) 2015-present Jason Miller" in head


def test_vendor_is_readable_and_loads_nothing() -> None:
    code = VENDOR[VENDOR.index("*/") :]
    assert len(code.splitlines()) > 2000
    assert not re.search(r"\bimport\b\s*[({\"']|\bfetch\(|XMLHttpRequest|\beval\(|new Function", code)
