"""Records: what they keep, and what they refuse."""

from __future__ import annotations

import dataclasses

import pytest

from tacit.corpus import Record
from tacit.errors import InputError


def test_labels_are_kept_once_in_their_order():
    assert Record("a", "text", labels=["b", "a", "b"]).labels == ("b", "a")


def test_a_record_does_not_change_with_what_it_was_made_of():
    labels, fields, links = ["x"], {"year": 1987}, {"author": ["Knuth"]}
    record = Record("a", "text", labels=labels, fields=fields, links=links)
    labels.append("y")
    fields["year"] = 2000
    links["author"].append("Lamport")
    assert (record.labels, record.fields, record.links) == (("x",), {"year": 1987}, {"author": ("Knuth",)})
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.text = "other"  # type: ignore[misc]


def test_equal_records_have_equal_hashes():
    one, other = (Record("a", "text", fields={"n": [1]}) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != Record("a", "text", fields={"n": [2]})


@pytest.mark.parametrize("bad", ["", None, 7])
def test_an_id_is_a_name(bad):
    with pytest.raises(InputError, match=r"id is not a name: got .*, expected a non-empty string\."):
        Record(bad, "text")


def test_a_text_is_a_string():
    with pytest.raises(InputError, match=r"text of record 'a' is not a text: got None, expected a string\."):
        Record("a", None)  # type: ignore[arg-type]


def test_a_single_string_is_no_set_of_labels():
    with pytest.raises(
        InputError, match=r"labels of record 'a' is a single string: got 'sport'.* Write \['sport'\] for one name"
    ):
        Record("a", "text", labels="sport")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"links\['author'\] of record 'a' is a single string: got 'Knuth'"):
        Record("a", "text", links={"author": "Knuth"})  # type: ignore[dict-item]
