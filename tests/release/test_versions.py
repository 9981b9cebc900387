"""The version, the citation and the changelog name the same release."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_project_citation_and_changelog_name_the_same_release() -> None:
    version = PYPROJECT["project"]["version"]
    assert cited(_read("CITATION.cff")) == newest(_read("CHANGELOG.md"))
    assert newest(_read("CHANGELOG.md"))[0] == version


def test_the_newest_heading_is_the_first_below_the_mark_of_towncrier() -> None:
    changelog = (
        "# Changelog\n\n<!-- towncrier release notes start -->\n\n## 0.2.0 (2027-01-02)\n\n## 0.1.0 (2026-11-18)\n"
    )
    assert newest(changelog) == ("0.2.0", "2027-01-02")
    with pytest.raises(AssertionError, match="no release"):
        newest(changelog.replace("## 0.2.0", "## Unreleased\n\n## 0.2.0"))


def test_every_release_left_its_indexes_for_the_tests() -> None:
    releases = re.findall(r"^## (\d+\.\d+\.\d+) \(", _read("CHANGELOG.md"), flags=re.MULTILINE)
    names = {path.name for path in (ROOT / "tests/contract").glob("indexes_*.zip")}
    assert names >= {f"indexes_{release.replace('.', '_')}.zip" for release in releases}


def test_the_kinds_of_fragments_are_those_that_contributors_read_about() -> None:
    kinds = [kind["directory"] for kind in PYPROJECT["tool"]["towncrier"]["type"]]
    assert re.findall(r"^\| `(\w+)` \|", _read("changes/README.md"), flags=re.MULTILINE) == kinds
    assert sorted(kinds) == ["added", "changed", "faster", "fixed", "numerics", "removed"]


def test_every_fragment_is_named_by_a_kind() -> None:
    # towncrier leaves out a fragment whose kind it does not know, without a word.
    kinds = "|".join(kind["directory"] for kind in PYPROJECT["tool"]["towncrier"]["type"])
    names = {path.name for path in (ROOT / "changes").iterdir()} - {"README.md", "template.jinja"}
    assert [name for name in sorted(names) if not re.fullmatch(rf"[a-z0-9-]+\.({kinds})\.md", name)] == []


def cited(citation: str) -> tuple[str, str]:
    """Give version and date of a CITATION.cff."""
    (version,) = re.findall(r"^version: (\S+)$", citation, flags=re.MULTILINE)
    (date,) = re.findall(r"^date-released: (\S+)$", citation, flags=re.MULTILINE)
    return version, date


def newest(changelog: str) -> tuple[str, str]:
    """Give version and date of the release at the top of the changelog."""
    _, _, releases = changelog.partition("<!-- towncrier release notes start -->\n")
    found = re.match(r"\n## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)\n", releases)
    assert found, "no release below the mark"
    return found[1], found[2]


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
