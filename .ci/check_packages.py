"""Check the built packages: the sdist holds every file of the tree, the wheel holds the package and nothing else.

Usage: check_packages.py LIST DIST SITE. LIST is a file with one path per line, the tree that was built; DIST is the
folder that `python -m build` wrote; SITE is the site-packages of an environment into which the tree was installed and
in which it was tried. The wheel, which is built from the sdist, must install the same files with the same metadata, so
that what was seen to work there works from the wheel.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

PACKAGE = "src/tacit/"
ALWAYS = {PACKAGE + name for name in ("py.typed", "__init__.py", "serve/page/vendor.js")}


def main(arguments: list[str]) -> int:
    """Print one line per problem and return the exit code."""
    tree_list, dist, site = map(Path, arguments)
    tree = set(tree_list.read_text(encoding="utf-8").splitlines())
    problems = [
        *sdist_problems(tree, _names(dist, "*.tar.gz")),
        *wheel_problems(tree, _names(dist, "*.whl")),
        *installed_problems(dist, site),
    ]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


def sdist_problems(tree: set[str], packed: set[str]) -> list[str]:
    """List the files of the tree that the sdist lacks, so that its tests and its documentation could not run."""
    inside = {name.partition("/")[2] for name in packed}
    return [f"the sdist lacks {name}" for name in sorted(tree - inside)]


def wheel_problems(tree: set[str], packed: set[str]) -> list[str]:
    """List what the wheel lacks of the package, and what it installs besides."""
    wanted = {name.removeprefix("src/") for name in tree | ALWAYS if name.startswith(PACKAGE)}
    installed = {name for name in packed if not re.match(r"tacit-[^/]+\.dist-info/", name)}
    return [
        *[f"the wheel lacks {name}" for name in sorted(wanted - installed)],
        *[f"the wheel installs {name}, which is not part of the package" for name in sorted(installed - wanted)],
    ]


def installed_problems(dist: Path, site: Path) -> list[str]:
    """List the files of the wheel that the environment has otherwise, or not at all."""
    (archive,) = dist.glob("*.whl")
    with zipfile.ZipFile(archive) as wheel:
        names = sorted(name for name in wheel.namelist() if not name.endswith(("/", "/RECORD")))
        there = {name: (site / name).read_bytes() for name in names if (site / name).is_file()}
        return [
            f"the wheel's {name} is not what was installed from the tree"
            for name in names
            if there.get(name) != wheel.read(name)
        ]


def _names(dist: Path, pattern: str) -> set[str]:
    """List the files in the one archive of this kind."""
    (archive,) = dist.glob(pattern)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name for name in wheel.namelist() if not name.endswith("/")}
    with tarfile.open(archive) as sdist:
        return {member.name for member in sdist if member.isfile()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
