"""Figures in documents are compared with where they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.errors import InputError
from tacit.reproduce.checked import check_docs

RESULTS = """experiment,factors,measure,repeats,mean,deviation,measured
made,"{""method"": ""ours"", ""k"": 20}",F1,3,0.71449,0.01,2026-11-19
made,"{""method"": ""ours""}",F1,3,0.9,0.01,2026-11-18
"""


def project(folder: Path, text: str) -> Path:
    """Make a project with a page, results and another page."""
    (folder / "docs/reproduction").mkdir(parents=True)
    (folder / "docs/reproduction/results.csv").write_text(RESULTS)
    (folder / "docs/study.md").write_text("| MLSI | 0.703 ± 0.01 | 32,723 |\n| LSI | 0.6 |\n")
    (folder / "README.md").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("figure", "source", "expected"),
    [
        ("**.714**", "made; method=ours, k=20; F1", True),
        (".715", "made; method=ours, k=20; F1", False),
        (".714", "made; method=ours; F1", False),  # other factors are another row
        ("0.9", "made; method=ours; F1", True),
        (".703", "page; docs/study.md; MLSI", True),
        ("32,723", "page; docs/study.md; MLSI", True),
        (".703", "page; docs/study.md; | LSI", False),
        (".6", "page; docs/study.md; | LSI", True),
        ("100", "default; tacit.MLSI; n_components", True),
        ("50", "default; tacit.MLSI; n_components", False),
    ],
)
def test_a_figure_agrees_if_its_source_rounded_says_the_same(
    tmp_path: Path, figure: str, source: str, expected: bool
) -> None:
    (found,) = check_docs(project(tmp_path, f"no figure\n| {figure}<!--= {source} --> |\n"))
    assert (found.line, found.figure, found.agrees) == (2, figure.strip("*"), expected)
    if expected and source.startswith("made"):
        assert found.dated == ("2026-11-19" if "k=20" in source else "2026-11-18")


def test_what_cannot_be_checked_is_said(tmp_path: Path) -> None:
    (nothing,) = check_docs(project(tmp_path, ".5<!--= unknown; a=1; F1 -->\n```\n.5<!--= made; a=1; F1 -->\n```\n"))
    assert not nothing.agrees
    assert nothing.expected is None
    (tmp_path / "README.md").write_text("1<!--= default; tacit.MLSI; rigde -->")
    with pytest.raises(InputError, match=r"line 1 names what is not there: got tacit\.MLSI with rigde"):
        check_docs(tmp_path)
    with pytest.raises(InputError, match="has no documents"):
        check_docs(tmp_path / "nowhere")
