"""What exists is documented, and what is documented exists: parameters, attributes, citations, decisions."""

from __future__ import annotations

import inspect
import re
import runpy
from inspect import isclass

import numpy as np
import pytest
from doc_pages import PAGES, ROOT, read
from sklearn.base import BaseEstimator

import tacit

ESTIMATORS = [
    name for name in tacit.__all__ if isclass(getattr(tacit, name)) and issubclass(getattr(tacit, name), BaseEstimator)
]
GUIDES = {
    "HLSI": "docs/guide/hlsi.md",
    "HierarchyClassifier": "docs/guide/hierarchy_classifiers.md",
    "LabelHead": "docs/guide/head.md",
    "MLSA": "docs/guide/relations.md",
    "MLSI": "docs/guide/mlsi.md",
}


@pytest.mark.parametrize("name", [*ESTIMATORS, "transductive_space"])
def test_every_parameter_is_in_the_docstring(name: str) -> None:
    documented = _docstring(getattr(tacit, name))
    parameters = inspect.signature(getattr(tacit, name)).parameters
    entry = r"^[\w, ]*\b{}\b[\w, ]* :"
    assert [key for key in parameters if not re.search(entry.format(key), documented, re.MULTILINE)] == []


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_learned_attribute_is_in_the_docstring(name: str) -> None:
    fitted = _fitted(name)
    documented = _docstring(type(fitted))
    # scikit-learn documents what it sets itself
    learned = [key for key in vars(fitted) if key.endswith("_") and not key.startswith("_") and key != "n_features_in_"]
    assert learned
    assert [key for key in learned if not re.search(rf"\b{key}\b", documented)] == []


def test_every_public_name_says_what_it_is() -> None:
    assert [name for name in tacit._HOMES if not (getattr(tacit, name).__doc__ or "").strip()] == []


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_lists_exactly_the_parameters(name: str) -> None:
    cells = re.findall(r"^\| (`[^|]*)\|", _section(read(GUIDES[name]), "Parameters"), re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(cells))) == sorted(inspect.signature(getattr(tacit, name)).parameters)


def test_the_guide_to_mlsi_lists_attributes_that_exist() -> None:
    listed = re.findall(r"^\| `(\w+)`", _section(read(GUIDES["MLSI"]), "What is learned"), re.MULTILINE)
    fitted = _fitted("MLSI")
    assert listed
    assert [name for name in listed if not hasattr(fitted, name)] == []


def test_every_citation_is_in_the_references() -> None:
    bib = set(re.findall(r"^@\w+\{(\w+),", read("docs/references.bib"), re.MULTILINE))
    assert set(re.findall(r"^\| (\w+\d{4}) \|", read("docs/references.md"), re.MULTILINE)) == bib
    sources = [*PAGES, *sorted((ROOT / "src").rglob("*.py"))]
    cited = {key for page in sources for key in re.findall(r"\b([A-Z][A-Za-z]+(?:19|20)\d\d)\b", read(page))}
    assert cited
    assert sorted(cited - bib) == []


def test_decisions_are_listed_short_and_complete() -> None:
    pages = sorted((ROOT / "docs/decisions").glob("0*.md"))
    listed = re.findall(r"\]\((0[\w-]+\.md)\)", read("docs/decisions/README.md"))
    assert listed == [page.name for page in pages]
    for page in pages:
        text = read(page)
        assert text.count("\n") <= 60, page.name
        for part in ("Question", "Choice", "Price", "What would change our mind"):
            assert f"\n## {part}\n" in text, f"{page.name} lacks {part!r}"


def test_no_page_links_to_a_file_that_is_not_there() -> None:
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`]*`", "code", read(page), flags=re.DOTALL)
        links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if not re.match(r"\w+:", link)]
        assert [link for link in links if not (page.parent / link).exists()] == [], page


def test_the_files_of_everyday_changes_exist() -> None:
    table = _section(read("CONTRIBUTING.md"), r"Where do I change \.\.\.\?")
    rows = [row for row in re.findall(r"^\| [a-zA-Z].*", table, re.MULTILINE) if not row.startswith("| change |")]
    paths = {row: re.findall(r"`((?:src|docs|tests|benchmarks|vendor)/[^`]*)`", row) for row in rows}
    assert len(rows) > 30
    assert [row for row in rows if not paths[row]] == []
    assert [path for row in rows for path in paths[row] if not (ROOT / path).exists()] == []


def test_entries_on_one_line_keep_their_meaning_in_the_reference() -> None:
    split = runpy.run_path(str(ROOT / "docs/extensions/one_line_entries.py"))["split_entries"]
    before = "Parameters\n----------\ntol : float, default 1e-2 — when to stop\nkind : {'a', 'b'} — one\n    or two"
    after = (
        "Parameters\n----------\ntol : float, default 1e-2\n    when to stop\nkind : {'a', 'b'}\n    one\n    or two"
    )
    assert split(before) == after
    assert split(after) == after
    assert split("A sentence: with — a dash.") == "A sentence: with — a dash."


def _section(text: str, title: str) -> str:
    """Cut the part of a page under one heading of second level."""
    (found,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    return str(found)


def _docstring(documented: type) -> str:
    """Return the docstring; with that of `GraphEmbedding` for the methods that are one with other defaults."""
    graph_methods = (
        tacit.GraphEmbedding if isclass(documented) and issubclass(documented, tacit.GraphEmbedding) else None
    )
    return f"{inspect.getdoc(documented)}\n{inspect.getdoc(graph_methods)}"


def _fitted(name: str) -> object:
    """Fit an estimator with its defaults, as far as a small matrix allows."""
    rng = np.random.default_rng(0)
    X, Y = rng.random((30, 12)), (rng.random((30, 3)) < 0.4).astype(int)
    estimator = getattr(tacit, name)
    settings = {"n_components": 3} if name.endswith(("LSA", "LSI")) else {}
    return estimator(**settings).fit(X, Y[:, 0] if name == "LDA" else Y)
