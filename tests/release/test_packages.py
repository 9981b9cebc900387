"""What .ci/run checks of the built packages: a file that is missing or does not belong there is found."""

from __future__ import annotations

import io
import runpy
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
main = runpy.run_path(str(ROOT / ".ci/check_packages.py"))["main"]

VENDOR = "tacit/serve/page/vendor.js"
TREE = [
    "README.md",
    "src/tacit/__init__.py",
    "src/tacit/py.typed",
    "src/tacit/tasks/page.html",
    f"src/{VENDOR}",
    "tests/test_a.py",
]
SDIST = [f"tacit-0.1.0/{name}" for name in [*TREE, "PKG-INFO"]]
WHEEL = ["tacit/__init__.py", "tacit/py.typed", "tacit/tasks/page.html", VENDOR, "tacit-0.1.0.dist-info/METADATA"]
FOREIGN = "the wheel installs tests/test_a.py, which is not part of the package\n"


@pytest.mark.parametrize(
    ("tree", "sdist", "wheel", "problem"),
    [
        (TREE, SDIST, WHEEL, ""),
        (TREE, SDIST[:-2], WHEEL, "the sdist lacks tests/test_a.py\n"),
        (TREE, SDIST, [WHEEL[0], *WHEEL[2:]], "the wheel lacks tacit/py.typed\n"),
        (TREE, SDIST, [*WHEEL[:2], *WHEEL[3:]], "the wheel lacks tacit/tasks/page.html\n"),
        (TREE[:4] + TREE[5:], SDIST, [*WHEEL[:3], WHEEL[4]], f"the wheel lacks {VENDOR}\n"),
        (
            TREE,
            SDIST,
            [*WHEEL, "tests/test_a.py"],
            FOREIGN,
        ),
        ([*TREE[:2], *TREE[3:]], SDIST, [WHEEL[0], *WHEEL[2:]], "the wheel lacks tacit/py.typed\n"),
    ],
    ids=[
        "right",
        "no test in the sdist",
        "no py.typed",
        "no data file",
        "no vendor.js",
        "a test in the wheel",
        "py.typed deleted",
    ],
)
def test_problems_of_packages_are_printed_and_fail(
    tree: list[str],
    sdist: list[str],
    wheel: list[str],
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "tree").write_text("\n".join(tree), encoding="utf-8")
    with tarfile.open(tmp_path / "tacit-0.1.0.tar.gz", "w:gz") as archive:
        for name in sdist:
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    with zipfile.ZipFile(tmp_path / "tacit-0.1.0-py3-none-any.whl", "w") as package:
        for name in wheel:
            package.writestr(name, "")
    assert main([str(tmp_path / "tree"), str(tmp_path)]) == (1 if problem else 0)
    assert capsys.readouterr().out == problem


def test_ci_runs_the_demo_from_the_wheel_in_an_environment_of_its_own() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    stages = ["-m build", "check_packages.py", 'venv "$packages/venv"', "dist/*.whl)$extras", "venv/bin/tacit demo)"]
    positions = [script.index(stage) for stage in stages]
    assert positions == sorted(positions)
    assert "system-site-packages" not in script
