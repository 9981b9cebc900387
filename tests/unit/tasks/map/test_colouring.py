"""Colours of records: a dozen groups, the same as by looking at one record after the other."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.map.colouring import NONE, OTHER, colour_groups

SETTINGS = BuildSettings(n_components=4, suggester="none", map=False)
WORDS = ["whale", "sea", "cat", "fur", "judge", "court", "sun", "star", "bread", "milk", "rail", "road"]
PARENTS = {"root": None, **{f"top{top}": "root" for top in range(15)}}
PARENTS |= {f"leaf{top}.{leaf}": f"top{top}" for top in range(15) for leaf in range(3)}


def records() -> list[Record]:
    rng = np.random.default_rng(3)
    leaves = [name for name in PARENTS if name.startswith("leaf")]
    chances = np.repeat(1 / np.arange(1, 16), 3)
    found = []
    for number in range(300):
        labels = rng.choice(leaves, rng.integers(0, 5), replace=False, p=chances / chances.sum())
        if number % 20 == 0:
            labels = [*labels, "top0"]
        links = {"authors": [f"author{number % 4}", "someone"]} if number % 3 else {}
        text = " ".join(rng.choice(WORDS, 5))
        found.append(
            Record(f"r{number}", text, tuple(map(str, labels)), fields={"year": 1900 + number % 50}, links=links)
        )
    return found


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = build(
        records(), tmp_path_factory.mktemp("colours") / "many.tacit", SETTINGS, taxonomy=Taxonomy.from_parents(PARENTS)
    )
    with open_index(folder) as found:
        found.remove(["r7"])
        found.add([Record("new", "whale sea", ("leaf3.1",), fields={"year": 1901})])
        yield found


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    with open_index(build(records(), tmp_path_factory.mktemp("colours") / "flat.tacit", SETTINGS)) as found:
        yield found


def groups_one_by_one(labels: dict[int, tuple[str, ...]], group_of) -> dict[int, str]:
    """The group of most labels of each record; ties go to the group of most records, then to the first by name."""
    above = {number: [group_of(name) for name in names if group_of(name)] for number, names in labels.items()}
    sizes = Counter(group for groups in above.values() for group in set(groups))
    return {
        number: min(Counter(groups).items(), key=lambda item: (-item[1], -sizes[item[0]], item[0]))[0]
        for number, groups in above.items()
        if groups
    }


def check(found, expected: dict[int, str]) -> None:
    """Compare codes and groups with the expected groups of the records."""
    sizes = Counter(expected.values())
    order = sorted(sizes, key=lambda name: (-sizes[name], name))
    assert [group.name for group in found.groups if group.code != OTHER] == order[:12]
    code_of = {name: min(place, 12) + 1 for place, name in enumerate(order)}
    codes = np.zeros(len(found.codes), np.uint8)
    codes[list(expected)] = [code_of[name] for name in expected.values()]
    assert found.codes.dtype == np.uint8
    assert np.array_equal(found.codes, codes)
    for group in found.groups:
        assert group.records == np.count_nonzero(found.codes == group.code)


def labels_of(collection) -> dict[int, tuple[str, ...]]:
    return {number: record.labels for number, record in collection.store.records()}


def test_by_label_the_tops_have_the_colours(collection):
    found = colour_groups(collection)
    assert len(found.codes) == 301
    assert found.codes[7] == NONE
    top = {name: name if parent == "root" else parent for name, parent in PARENTS.items() if parent}
    check(found, groups_one_by_one(labels_of(collection), top.get))
    assert [group.label for group in found.groups[:12]] == [group.name for group in found.groups[:12]]
    assert (found.groups[-1].name, found.groups[-1].code) == ("other", OTHER)


def test_under_a_label_its_children_have_the_colours(collection):
    found = colour_groups(collection, under="top0")
    labels = labels_of(collection)
    expected = groups_one_by_one(labels, lambda name: name if name.startswith("leaf0.") else None)
    # a record that has nothing below the label has the colour of the label
    expected |= {number: "top0" for number, names in labels.items() if number not in expected and "top0" in names}
    assert "top0" in expected.values()
    check(found, expected)
    leaf = colour_groups(collection, under="leaf0.1")
    check(leaf, {number: "leaf0.1" for number, names in labels.items() if "leaf0.1" in names})
    assert colour_groups(collection, under="leaf3.1").codes[300] == 1


def test_without_a_taxonomy_the_most_frequent_labels_have_the_colours(flat):
    check(colour_groups(flat), groups_one_by_one(labels_of(flat), lambda name: name))
    having = {number: names for number, names in labels_of(flat).items() if "leaf0.0" in names}
    others = groups_one_by_one(having, lambda name: None if name == "leaf0.0" else name)
    found = colour_groups(flat, under="leaf0.0")
    assert set(np.flatnonzero(found.codes)) == set(having)
    check(found, dict.fromkeys(having, "leaf0.0") | others)


def test_by_field_or_link(collection):
    found = colour_groups(collection, by="year")
    assert len(found.groups) == 6
    years = {number: record.fields["year"] for number, record in collection.store.records()}
    for group in found.groups:
        low, high = map(int, group.name.split(" to "))
        assert {number for number in years if low <= years[number] <= high} == set(
            np.flatnonzero(found.codes == group.code)
        )
    assert [group.name for group in found.groups] == sorted(group.name for group in found.groups)
    links = {number: record.links.get("authors", ()) for number, record in collection.store.records()}
    check(colour_groups(collection, by="authors"), groups_one_by_one(links, lambda name: name))
    below = colour_groups(collection, by="year", under="top0")
    assert set(np.flatnonzero(below.codes)) == set(np.flatnonzero(colour_groups(collection, under="top0").codes))


@pytest.mark.parametrize("by", ["cluster", "concept"])
def test_groups_of_nearby_records_cover_all_that_have_a_place(collection, by):
    found = colour_groups(collection, by=by)
    live = collection.store.numbers()
    assert (found.codes[live] > 0).mean() > 0.95
    assert np.count_nonzero(found.codes) <= len(live)
    assert [group.records for group in found.groups if group.code != OTHER] == sorted(
        (group.records for group in found.groups if group.code != OTHER), reverse=True
    )
    assert len({group.name for group in found.groups}) == len(found.groups)
    assert all(group.label is None for group in found.groups)
    again = colour_groups(collection, by=by)
    assert np.array_equal(again.codes, found.codes)


def test_what_is_unknown_is_told(collection):
    with pytest.raises(InputError, match=r"by is unknown: got 'yaer', .* Did you mean 'year'\?"):
        colour_groups(collection, by="yaer")
    with pytest.raises(InputError, match="label is unknown: got 'topp1'"):
        colour_groups(collection, under="topp1")
