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
    pack(tmp_path, tree, sdist, wheel)
    assert main([str(tmp_path / "tree"), str(tmp_path), str(tmp_path / "site")]) == (1 if problem else 0)
    assert capsys.readouterr().out == problem


def pack(folder: Path, tree: list[str], sdist: list[str], wheel: list[str]) -> None:
    """Write the list of a tree, both packages, all files of which are empty, and what the wheel installs."""
    write(folder / "tree", "\n".join(tree))
    with tarfile.open(folder / "tacit-0.1.0.tar.gz", "w:gz") as archive:
        for name in sdist:
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    with zipfile.ZipFile(folder / "tacit-0.1.0-py3-none-any.whl", "w") as package:
        package.writestr("tacit-0.1.0.dist-info/RECORD", "differs in every environment")
        for name in wheel:
            package.writestr(name, "")
            write(folder / "site" / name, "")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ("tacit/tasks/page.html", "other"),
        ("tacit-0.1.0.dist-info/METADATA", "Requires-Dist: other"),
        ("tacit/py.typed", None),
    ],
    ids=["another page", "other requirements", "not installed"],
)
def test_a_wheel_that_is_not_what_was_installed_fails(
    changed: str, text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack(tmp_path, TREE, SDIST, WHEEL)
    if text is None:
        (tmp_path / "site" / changed).unlink()
    else:
        write(tmp_path / "site" / changed, text)
    assert main([str(tmp_path / "tree"), str(tmp_path), str(tmp_path / "site")]) == 1
    assert capsys.readouterr().out == f"the wheel's {changed} is not what was installed from the tree\n"


def test_ci_compares_the_wheel_with_what_the_first_command_installed_in_an_environment_of_its_own() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    stages = [
        'cd "$newcomer" && eval "$demo"',
        "-m build",
        "check_packages.py",
        '"$newcomer"/.venv/lib/python*/site-packages',
    ]
    positions = [script.index(stage) for stage in stages]
    assert positions == sorted(positions)
    assert "system-site-packages" not in script
