"""Every form of a taxonomy reads the same, and each that cannot be read says why in one sentence."""

from __future__ import annotations

import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from tacit.errors import InputError, TacitWarning
from tacit.relations import Taxonomy

EDGES = {("b", "a"), ("c", "a"), ("x", "c"), ("y", "c")}


def edges_of(taxonomy: Taxonomy) -> set[tuple]:
    return {(name, parent) for name in taxonomy for parent in taxonomy.parents(name)}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "parents",
    [
        {"b": "a", "c": "a", "x": "c", "y": "c"},
        {"a": None, "b": "a", "c": ["a"], "x": ("c",), "y": {"c"}},
        {"a": "", "b": ["a", "a"], "c": "a", "x": "c", "y": "c"},
        {"a": float("nan"), "b": "a", "c": "a", "x": "c", "y": "c"},
        [("y", "c"), ("x", "c"), ("c", "a"), ("b", "a"), ("a", ()), ("b", "a")],
        np.array([["b", "a"], ["c", "a"], ["x", "c"], ["y", "c"]]),
    ],
)
def test_parents_in_every_form(parents: object) -> None:
    taxonomy = Taxonomy.from_parents(parents)
    assert edges_of(taxonomy) == EDGES
    assert taxonomy.roots == ("a",)
    assert all(type(name) is str for name in taxonomy.names)


def test_nested_mappings_and_lists() -> None:
    assert edges_of(Taxonomy.from_nested({"a": {"b": {}, "c": ["x", "y"]}})) == EDGES
    assert edges_of(Taxonomy.from_nested({"a": ["b", {"c": {"x": None, "y": ""}}]})) == EDGES
    assert Taxonomy.from_nested({"a": {"b": {}, "c": ["x", "y"]}}).names == ("a", "b", "c", "x", "y")
    assert Taxonomy.from_nested({"a": {"b": "d"}, "c": {"b": {}}}).parents("b") == ("a", "c")


def test_nesting_deeper_than_python_calls() -> None:
    nested: dict = {}
    for level in range(5_000):
        nested = {level: nested}
    assert Taxonomy.from_nested(nested).depth(0) == 4_999


@pytest.mark.parametrize(
    ("labels", "separator", "names"),
    [
        (["a::b", "a::c"], None, ("a", "a::b", "a::c")),
        (["a/b/c", "d"], None, ("a", "a/b", "a/b/c", "d")),
        (["/a/b"], None, ("/a", "/a/b")),
        (["a > b"], None, ("a", "a > b")),
        (["cs.IR", "cs"], None, ("cs", "cs.IR")),
        (["v1.0/x", "v1.0/y"], None, ("v1.0", "v1.0/x", "v1.0/y")),
        (["a|b"], "|", ("a", "a|b")),
    ],
)
def test_paths(labels: list[str], separator: str | None, names: tuple) -> None:
    taxonomy = Taxonomy.from_paths(labels, separator)
    assert taxonomy.names == names
    assert all(label in taxonomy for label in labels)


def test_graphs_in_both_directions() -> None:
    down = nx.DiGraph([(parent, child) for child, parent in sorted(EDGES)])
    assert edges_of(Taxonomy.from_networkx(down)) == EDGES
    assert edges_of(Taxonomy.from_networkx(down.reverse(), edges="child-to-parent")) == EDGES
    assert edges_of(Taxonomy.from_networkx(nx.MultiDiGraph([*down.edges, *down.edges]))) == EDGES


def test_tables_by_name_and_by_place(tmp_path: Path) -> None:
    body = "a,,Top\nb,a,\nc,a,Third\nx,c,\ny,c,\nb,a,\n"
    named = Taxonomy.from_table(written(tmp_path / "t.csv", "Code,Parent,Title\n" + body))
    assert edges_of(named) == EDGES
    assert named.title("c") == "Third"
    placed = Taxonomy.from_table(written(tmp_path / "p.csv", "one,two,three\n" + body), title="three")
    assert edges_of(placed) == EDGES
    assert placed.title("a") == "Top"
    turned = written(tmp_path / "t.txt", "over;under\na;b\na;c\n\nc;x\nc;y\n")
    assert edges_of(Taxonomy.from_table(turned, node="under", parent="over", separator=";")) == EDGES
    tabbed = written(tmp_path / "t.tsv", "\ufeffparent\tnode\n\ta\na\tb\na\tc\nc\tx\nc\ty\n")
    assert edges_of(Taxonomy.from_table(tabbed, strict=True)) == EDGES


def test_a_parent_without_a_row_is_a_root_unless_strict(tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", "node,parent\nb,a\n")
    assert Taxonomy.from_table(table).roots == ("a",)
    with pytest.raises(InputError, match=r"names parents that are not nodes: got 'a', .* use strict=False"):
        Taxonomy.from_table(table, strict=True)
    with pytest.raises(InputError, match="parents names parents that are not nodes: got 'z', 'q'"):
        Taxonomy.from_parents({"a": ["z"], "b": ["q", "a"]}, strict=True)


def test_sets_of_parents_read_alike_in_every_run() -> None:
    assert Taxonomy.from_parents({"x": {"d", "b", "c", "a"}}).names == ("a", "b", "c", "d", "x")


def test_names_that_differ_by_white_space_are_kept_and_reported() -> None:
    with pytest.warns(TacitWarning, match=r"differ only in white space and are kept separate: 'a b', 'a  b'") as caught:
        taxonomy = Taxonomy.from_parents({"a b": None, "a  b": None, "ab": None})
    assert taxonomy.n_nodes == 3
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Taxonomy.from_parents({"ab": None, "AB": None})


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({"a": "b", "b": "a"}, "parents has a cycle: got a -> b -> a, each followed by its parent"),
        ({"r": None, "q": "b", "a": ["r", "b"], "b": "c", "c": "a"}, "got b -> c -> a -> b, each"),
        ({n: (n + 1) % 99 for n in range(99)}, r"got 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> \(93 more\) -> 0, each"),
        ({"a": ["a", "b"]}, "parents has nodes that are their own parents: got 'a', expected other nodes"),
        ({}, "parents is empty: got no node, expected at least one"),
        ({float("nan"): None}, "parents has a node without a name: got nan, expected text"),
        ({"a": ["b", None]}, "parents has a node without a name: got None"),
        ([("", "a")], "parents has a node without a name: got ''"),
        ({"a": [["b"]]}, r"parents has an invalid node: got \['b'\]"),
        ("ab", "parents has an unknown form: got str, expected a mapping"),
        (3, "parents has an unknown form: got int"),
        (["ab"], "parents has an entry that is not a pair: got 'ab'"),
        ([("a", "b", "c")], r"parents has an entry that is not a pair: got \('a', 'b', 'c'\)"),
    ],
)
def test_bad_parents(parents: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Taxonomy.from_parents(parents)


def test_bad_titles() -> None:
    with pytest.raises(InputError, match="titles is not a mapping: got list, expected node -> title"):
        Taxonomy.from_parents({"a": None}, titles=["A"])


def test_bad_nesting() -> None:
    ring: dict = {}
    ring["a"] = ring
    with pytest.raises(InputError, match="nested has nodes that are their own parents: got 'a'"):
        Taxonomy.from_nested(ring)
    with pytest.raises(InputError, match="nested has an unknown form: got str"):
        Taxonomy.from_nested("a")
    with pytest.raises(InputError, match="nested is empty"):
        Taxonomy.from_nested({})


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "b"], r"labels has no separator: got 'a', 'b', expected ::, /, >, \. between the steps"),
        ([], "labels has no separator"),
        ("a/b", "labels has an unknown form: got 'a/b'"),
        (["a/b", 3], "labels has an entry that is not a text: got 3"),
        (["a//b"], "labels has an empty step: got 'a//b'"),
        (["a/b/"], "labels has an empty step: got 'a/b/'"),
        (["a/b", ""], "labels has an empty step: got ''"),
    ],
)
def test_bad_paths(labels: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Taxonomy.from_paths(labels)


def test_bad_graphs() -> None:
    with pytest.raises(InputError, match="graph is undirected: got edges without a direction"):
        Taxonomy.from_networkx(nx.Graph([("a", "b")]))
    with pytest.raises(InputError, match="graph has an unknown form: got dict"):
        Taxonomy.from_networkx({"a": "b"})
    with pytest.raises(InputError, match="edges is unknown: got 'down', expected one of 'parent-to-child'"):
        Taxonomy.from_networkx(nx.DiGraph(), edges="down")
    with pytest.raises(InputError, match="graph has a cycle: got a -> b -> a"):
        Taxonomy.from_networkx(nx.DiGraph([("a", "b"), ("b", "a")]))


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("t.csv", "node,parent,x\na\n", {}, "short row: got 1 cells in line 2, expected 3 as in the header"),
        ("t.dat", "node,parent\n", {}, r"path has an unknown suffix: got 't.dat', expected .tsv or .csv"),
        ("t.csv", "node,parent\n", {"separator": "::"}, "separator is not one character: got '::'"),
        ("t.csv", "", {}, "t.csv is empty: got no header"),
        ("t.csv", "node,parent\n", {}, "t.csv is empty: got no node"),
        ("t.csv", "node\n", {}, "path has too few columns: got 'node', expected node and parent"),
        ("t.csv", "node,parent\n", {"node": "nodes"}, "node is unknown: got 'nodes', .*Did you mean 'node'"),
        ("t.csv", "node,parent\n,a\n", {}, "t.csv has a node without a name: got ''"),
        ("t.csv", "node,parent\na,b\nb,a\n", {}, "t.csv has a cycle: got a -> b -> a"),
    ],
)
def test_bad_tables(tmp_path: Path, name: str, text: str, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Taxonomy.from_table(written(tmp_path / name, text), **options)


def test_tables_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.csv cannot be read: got .*, expected a table in UTF-8"):
        Taxonomy.from_table(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes("node,parent\nCôte,\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.csv cannot be read: got .*utf-8"):
        Taxonomy.from_table(tmp_path / "latin.csv")
