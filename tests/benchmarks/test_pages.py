"""Pages and scripts: ratios against their marks, sections in order, and one sentence for what makes no sense."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest


def test_ratios_are_held_against_what_they_should_reach() -> None:
    compare = importlib.import_module("compare")
    found = compare.Comparison("Title", "Data.")
    found.add("fast", 21.0, at_least=20)
    found.add("slow", 19.0, at_least=20)
    found.add("heavy", 3.2, at_most=3)
    found.add("free", 1.0)
    assert [row[3] for row in found.ratios] == ["yes", "no", "no", ""]
    assert "| slow  | 19    | at least 20 | no      |" in found.text()


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        (
            "compare",
            ["desne"],
            "row is unknown: got 'desne', expected one of dense, large, tree, lsi, relations, products, graphs, index.",
        ),
        ("compare", ["--small", "--write"], "--write needs the real sizes"),
        ("arxiv_tall", ["--quick", "--write"], "--write needs the whole study"),
        ("hlsi_rcv1", ["--quick", "--write"], "--write needs the whole study"),
        ("reuters_defaults", ["--quick", "--write"], "--write needs the whole study"),
        ("solver_crossover", ["--quick", "--write"], "--write needs all sizes"),
        ("taxonomies", ["--quick", "--write"], "--write needs the whole study"),
        ("taxonomies", ["rvc1"], "collection is unknown: got 'rvc1', expected one of arxiv, rcv1"),
    ],
)
def test_scripts_refuse_what_makes_no_sense(
    script: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        importlib.import_module(script).main(arguments)
    assert message in capsys.readouterr().err


def test_writing_a_section_keeps_the_others_in_order(tmp_path: Path) -> None:
    pages = importlib.import_module("pages")
    page = tmp_path / "new" / "page.md"
    for name, text in (("b", "old b"), ("a", "## A"), ("b", "## B\n\nnew")):
        pages.put_section(page, name, text, head="# Title", order=["a", "b"])
    assert page.read_text(encoding="utf-8") == (
        "# Title\n\n<!-- section: a -->\n## A\n<!-- end -->\n\n<!-- section: b -->\n## B\n\nnew\n<!-- end -->\n"
    )


def test_a_mean_comes_with_its_standard_deviation_over_repeats() -> None:
    assert importlib.import_module("pages").mean_and_spread([0.5, 0.7]) == f"0.600 ± {np.std([0.5, 0.7], ddof=1):.3f}"


def test_a_page_names_no_machine_but_says_when_and_with_what() -> None:
    import platform

    facts = importlib.import_module("pages").facts()
    assert np.__version__ in facts
    assert "cores" in facts
    assert platform.node() not in facts.replace(",", " ").replace(";", " ").split()  # "vm" is a part of "llvmlite"
