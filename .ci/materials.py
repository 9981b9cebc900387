"""List the licences of everything that Tacit brings along, and write its bill of materials.

Usage: materials.py DIST, run with a Python that has the extra `dev`. DIST is the folder that `python -m build` wrote.
The wheel in it is installed with all that `tacit[all]` needs, in the versions of `locks/users.txt`, in an environment
of its own. The bill names these packages and the libraries in the explorer's page, in the format CycloneDX; it becomes
DIST/tacit-VERSION.cdx.json. The list is printed, and a licence that is not ALLOWED is an error.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from license_expression import ExpressionError, get_spdx_licensing

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MIT-CMU",  # Pillow
    "MPL-2.0",  # changes to its own files must be published; tqdm
    "PSF-2.0",
    "Python-2.0",  # Matplotlib: its licence is modelled on Python's
    "Zlib",
    "License :: OSI Approved :: Apache Software License",
    "License :: OSI Approved :: BSD License",
}
READ = {  # what is in the packages' own licence files, where their metadata name no licence by its identifier
    "partd": "BSD-3-Clause",
    "pymarc": "BSD-2-Clause",
}


def main(arguments: list[str]) -> int:
    """Write the bill, print the list, and return the exit code."""
    (dist,) = map(Path, arguments)
    (wheel,) = dist.glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        bill = with_page_libraries(installed(wheel, Path(folder)), json.loads(_read("vendor/package-lock.json")))
    path = dist / f"tacit-{bill['metadata']['component']['version']}.cdx.json"
    path.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
    parts = sorted(bill["components"], key=lambda part: part["name"].lower())
    for part in parts:
        print(f"{part['name']:28} {part['version']:16} {'; '.join(licences(part)) or 'no licence named'}")
    problems = refused(parts)
    print(*problems, f"{len(parts)} packages in {path.name}", sep="\n")
    return 1 if problems else 0


def installed(wheel: Path, folder: Path) -> dict[str, Any]:
    """Install the wheel and the packages of the lock, and return CycloneDX's bill of that environment."""
    python = folder / "venv/bin/python"
    pip = [python, "-m", "pip"]
    commands = [
        [sys.executable, "-m", "venv", folder / "venv"],
        [python, ROOT / ".ci/install.py", "--require-hashes", "-r", ROOT / ".ci/locks/users.txt"],
        [*pip, "install", "-q", "--no-compile", "--no-deps", "--no-index", wheel],
        [*pip, "uninstall", "-q", "-y", "pip", "setuptools"],
        [*bill_command(folder / "bill"), python],
    ]
    for command in commands:
        subprocess.run(command, check=True)
    bill: dict[str, Any] = json.loads((folder / "bill").read_text(encoding="utf-8"))
    return bill


def bill_command(path: Path) -> list[str]:
    """Return the command that writes the bill of the environment of a Python, which comes as its last argument."""
    options = ["--spec-version", "1.6", "--output-reproducible", "--no-validate", "-o", str(path)]
    return [sys.executable, "-m", "cyclonedx_py", "environment", "--pyproject", str(ROOT / "pyproject.toml"), *options]


def with_page_libraries(bill: dict[str, Any], lock: dict[str, Any]) -> dict[str, Any]:
    """Add the libraries that the page's vendor file contains, from the lock of npm."""
    found = {path.removeprefix("node_modules/"): entry for path, entry in lock["packages"].items() if path}
    added = [
        {
            "type": "library",
            "bom-ref": f"{name}@{entry['version']}",
            "name": name,
            "version": entry["version"],
            "purl": f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}",
            "licenses": [{"license": {"id": entry["license"]}}],
            "hashes": [{"alg": "SHA-512", "content": _hexadecimal(entry["integrity"])}],
        }
        for name, entry in sorted(found.items())
        if not entry.get("dev")
    ]
    return {**bill, "components": [*bill["components"], *added]}


def _hexadecimal(integrity: str) -> str:
    """Turn `sha512-…` in base 64, as npm writes it, into CycloneDX's form."""
    return base64.b64decode(integrity.removeprefix("sha512-")).hex()


def licences(part: dict[str, Any]) -> Iterator[str]:
    """Yield each licence of a component: an identifier, an expression or a name."""
    if part["name"] in READ:
        yield READ[part["name"]]
        return
    for entry in part.get("licenses", ()):
        named = entry.get("license", {})
        yield entry.get("expression") or named.get("id") or named["name"]


def refused(parts: list[dict[str, Any]]) -> list[str]:
    """List the components that declare no licence, or one that is not allowed."""
    problems = []
    for part in parts:
        declared = list(licences(part))
        if not declared:
            problems.append(f"{part['name']} names no licence: read its licence file, and write what is in it in READ")
        problems += [
            f"{part['name']} has a licence that is not allowed: got {text!r}, expected one of ALLOWED"
            for text in declared
            if not is_allowed(text)
        ]
    return problems


def is_allowed(text: str) -> bool:
    """Say whether a licence is allowed: all parts of an AND, one part of an OR."""
    if text in ALLOWED:
        return True
    try:
        return _allowed(get_spdx_licensing().parse(text))
    except ExpressionError:  # a name of their own, and no expression
        return False


def _allowed(expression: Any) -> bool:
    if str(expression) in ALLOWED:
        return True
    parts = [_allowed(part) for part in getattr(expression, "args", ())]
    return bool(parts) and (any(parts) if expression.operator.strip() == "OR" else all(parts))


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
