"""The taxonomies of the data sets hold every label of their records."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.datasets import load_arxiv, load_enzyme, load_rcv1, load_reuters21578, load_taxonomy
from tacit.errors import InputError
from tacit.relations import Taxonomy


def write_table(path: Path, text: str) -> Path:
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path.parent.parent


def test_rcv1_leaves_out_invented_nodes_and_the_root(tmp_path: Path) -> None:
    text = "code\tparent_orig\tparent_expanded\tname\nC1\t\tCCAT\t\nC11\tCCAT\tC1\tPLANS\nCCAT\tRoot\tRoot\tCORPORATE\n"
    table = load_taxonomy("rcv1", write_table(tmp_path / "rcv1" / "topics.tsv", text))
    assert table.parents == {"C11": ("CCAT",), "CCAT": ()}
    assert table.titles == {"C11": "PLANS", "CCAT": "CORPORATE"}


def test_arxiv_keeps_one_name_of_each_pair(tmp_path: Path) -> None:
    text = "node\tparent\tdocs\nmath\tROOT\t1\nmath.IT\tmath\t1\nmath.CO\tmath\t1\n"
    table = load_taxonomy("arxiv", write_table(tmp_path / "arxiv" / "taxonomy.tsv", text))
    assert table.parents == {"math": (), "math.CO": ("math",)}


def test_reuters_topics_lie_below_their_groups(tmp_path: Path) -> None:
    text = "topic\tgroup\tdescription\nacq\tCorporate\tMergers\nalum\tCommodity\t\n"
    table = load_taxonomy("reuters21578", write_table(tmp_path / "reuters21578" / "topics.tsv", text))
    assert table.parents == {"Corporate": (), "Commodity": (), "acq": ("Corporate",), "alum": ("Commodity",)}
    assert table.titles == {"acq": "Mergers"}


def test_a_damaged_table_and_an_unknown_name(tmp_path: Path) -> None:
    folder = write_table(tmp_path / "arxiv" / "taxonomy.tsv", "a\tb\n1\t2\n")
    with pytest.raises(InputError, match=r"taxonomy.tsv is damaged: got 'node', expected the columns node, parent"):
        load_taxonomy("arxiv", folder)
    with pytest.raises(InputError, match=r"name is unknown: got 'arxive', .*Did you mean 'arxiv'"):
        load_taxonomy("arxive", folder)


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["arxiv", "enzyme", "rcv1", "reuters21578"])
def test_every_label_is_a_node(name: str, data_dir: Path) -> None:
    if name == "rcv1":
        labels = set(load_rcv1(data_dir).label_names)
    else:
        loaders = {"arxiv": load_arxiv, "enzyme": load_enzyme, "reuters21578": load_reuters21578}
        labels = {label for record in loaders[name](data_dir) for label in record.labels}
    table = load_taxonomy(name, data_dir)
    taxonomy = Taxonomy.from_parents(table.parents, titles=table.titles, strict=True)
    assert len(labels) > 90
    assert labels - set(taxonomy) == set()
    assert set(table.titles) <= set(taxonomy)


@pytest.mark.realdata
def test_shapes_of_the_real_taxonomies(data_dir: Path) -> None:
    rcv1 = Taxonomy.from_parents(load_taxonomy("rcv1", data_dir).parents)
    assert (rcv1.n_nodes, rcv1.roots) == (103, ("CCAT", "ECAT", "GCAT", "MCAT"))
    reuters = Taxonomy.from_parents(load_taxonomy("reuters21578", data_dir).parents)
    assert {root: len(reuters.children(root)) for root in reuters.roots} == {
        "Commodity": 78, "Currency": 27, "Economic Indicator": 16, "Energy": 9, "General": 3, "Corporate": 2,
    }  # fmt: skip
    enzyme = Taxonomy.from_parents(load_taxonomy("enzyme", data_dir).parents)
    assert enzyme.roots == ("1", "2", "3", "4", "5", "6")
    assert enzyme.ancestors("1.1.1") == ("1", "1.1")
    arxiv = Taxonomy.from_parents(load_taxonomy("arxiv", data_dir).parents)
    assert arxiv.ancestors("astro-ph.CO") == ("physics-group", "astro-ph")
