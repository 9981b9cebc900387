"""Several names in one cell: which marks separate them, and what is said about it."""

from __future__ import annotations

import csv

import pytest

from tacit.corpus import ColumnMap, read_records
from tacit.corpus.cells import is_list_at

LISTS = ["cats, pets, north", "dogs, pets", "birds, north, cats", "fish, pets", "pets, cats, dogs", "north"]
PEOPLE = ["Twain, Mark", "Twain, Shania", "Clemens, Mark", "Lee, Mark", "Lee, Ann", "Ek, Ann", "Twain", "Ek, Bo"]
PLACES = ["Paris, France", "Lyon, France", "Graz, Austria", "Wien, Austria", "Paris, Texas", "Austin, Texas", "Lyon"]
HEADINGS = [
    "Cats -- History", "Dogs -- History", "Cats -- Fiction", "History -- Philosophy", "Dogs -- Fiction",
    "Labor -- United States", "United States -- History", "Art -- Philosophy", "Art -- United States",
]  # fmt: skip
SORTED = [
    "made-of::c, role::plugin, use::edit, works::text", "role::plugin, suite::gnu, use::edit, works::image",
    "made-of::c, made-of::perl, role::program, suite::gnu, use::edit",
    "role::program, suite::gnu, use::view, works::text",
    "role::program, scope::app, suite::gnu, use::edit, use::view, works::text", "role::plugin, use::view, works::image",
    "made-of::c, role::program, use::view", "made-of::perl, role::plugin, scope::app, works::image",
]  # fmt: skip
PARTS_OF_TOWNS = [
    "Montmartre, Paris, France", "Paris, France", "Old Town, Graz, Austria", "Graz, Austria", "Lend, Graz, Austria",
    "Lyon, France", "Croix-Rousse, Lyon, France", "Marais, Paris, France", "Graz, Styria, Austria",
]  # fmt: skip
CODES = ["math.CO math.PR", "math.PR math.ST hep-th", "hep-th", "math.ST math.CO", "hep-th math.PR", "cs.AI"]


def table(tmp_path, cells, column="keywords"):
    with (tmp_path / "x.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["id", "text", column], *([i, "t", cell] for i, cell in enumerate(cells))])
    return tmp_path / "x.csv"


@pytest.mark.parametrize(
    ("cells", "mark", "is_list"),
    [
        (LISTS, ",", True),
        (PEOPLE, ",", False),
        (PLACES, ",", False),
        (["Networks, neural", "Networks, computer", "Networks, social", "Law, social"], ",", False),
        (["a, b", "b, a"], ",", False),
        (SORTED, ",", True),
        (PARTS_OF_TOWNS, ",", False),
        (["Twain, Mark, 1835-1910", "Lee, Ann, 1900-", "Lee, Bo, 1900-", "Twain, Ann, 1835-1910"], ",", False),
        (CODES, " ", True),
        ([cell.replace(".", " ").replace("-", " ") for cell in CODES], " ", False),
        (["sea animals", "animals", "sea", "animals at sea", "sea animals"], " ", False),
        (HEADINGS, "--", False),
        ([cell.replace(", ", " -- ") for cell in LISTS], "--", True),
    ],
)
def test_repeated_parts_in_several_places_make_a_list(cells, mark, is_list):
    assert is_list_at(cells, mark) is is_list


@pytest.mark.parametrize(
    ("cells", "last", "said"),
    [
        (LISTS, ("pets", "cats", "dogs"), "Cells with several names split: keywords at ','."),
        ([cell.replace(", ", " -- ") for cell in LISTS], ("pets", "cats", "dogs"), "split: keywords at '--'."),
        (CODES, ("hep-th", "math.PR"), "Cells with several names split: keywords at ' '."),
        ([cell.replace(", ", "\n") for cell in LISTS], ("pets", "cats", "dogs"), "split: keywords at line ends."),
        ([cell.replace(", ", " | ") for cell in LISTS], ("pets", "cats", "dogs"), "split: keywords at '|'."),
    ],
)
def test_the_separator_is_guessed_and_said(tmp_path, cells, last, said):
    reading = read_records(table(tmp_path, cells))
    assert list(reading)[4].labels == last
    assert said in reading.summary()
    assert "`title` or `label_separator`." in reading.summary() or "`id` or `label_separator`." in reading.summary()


def test_a_separator_that_values_showed_is_kept_for_records_that_come_later(tmp_path):
    facts = read_records(table(tmp_path, LISTS)).to_facts()
    (later,) = read_records(table(tmp_path, ["cats, pets"]), ColumnMap(**facts["columns"]))
    assert later.labels == ("cats", "pets")
    assert read_records(table(tmp_path, ["a; b"])).to_facts()["columns"]["label_separator"] is None


def test_headings_with_subdivisions_stay_whole(tmp_path):
    reading = read_records(table(tmp_path, HEADINGS))
    assert [record.labels for record in reading] == [(heading,) for heading in HEADINGS]
    assert "split" not in reading.summary()
    semicolons = read_records(table(tmp_path, [f"{heading}; Cats, wild" for heading in HEADINGS]))
    assert next(iter(semicolons)).labels == ("Cats -- History", "Cats, wild")


def test_commas_that_were_left_are_said_with_what_to_type(tmp_path):
    reading = read_records(table(tmp_path, PEOPLE))
    assert next(iter(reading)).labels == ("Twain, Mark",)
    said = (
        "7 of the first 8 cells of keywords have ',', which was not taken for a separator: 'Twain, Mark' is one label."
    )
    assert said in reading.summary()
    assert "pass `label_separator=','`." in reading.summary()
    assert "not taken" not in read_records(table(tmp_path, PEOPLE), ColumnMap(label_separator="")).summary()


def test_texts_of_json_that_look_like_lists_are_said(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "t", "labels": "a; b"}\n' * 4)
    reading = read_records(tmp_path / "x.jsonl")
    assert next(iter(reading)).labels == ("a; b",)
    assert "pass `label_separator=';'`" in reading.summary()
    (tmp_path / "x.jsonl").write_text("".join(f'{{"text": "t", "labels": "{cell}"}}\n' for cell in CODES))
    assert "pass `label_separator=' '`" in read_records(tmp_path / "x.jsonl").summary()


@pytest.mark.parametrize(
    "column",
    [
        "subject headings",
        "Subjects (LCSH)",
        "Keywords",
        "Author keywords",
        "dc:subject",
        "Manual Tags",
        "subjectHeadings",
    ],
)
def test_usual_names_of_columns_of_labels_are_found(tmp_path, column):
    assert read_records(table(tmp_path, ["a; b"], column)).columns.labels == (column,)


@pytest.mark.parametrize("column", ["n_topics", "subject_id", "Subject line", "themes", "keyword count"])
def test_what_is_no_column_of_labels_is_said_to_be_none(tmp_path, column):
    reading = read_records(table(tmp_path, ["1"], column))
    assert reading.columns.labels == ()
    assert f"No column of labels was found among {column!r}. If there is one, name it: `labels`." in reading.summary()


def test_other_names_of_texts_are_found():
    guess = ColumnMap().guessed(["Key", "Title", "Publication Title", "Abstract Note", "Text length"], "x.csv")
    assert guess.text == ("Title", "Abstract Note")
