"""Facts and settings that Tacit did not write, with checksums that fit, are refused in one sentence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.files import file_sha256
from tacit.index import GenerationWriter, verify
from tacit.index.folder.manifest import FileFacts
from tacit.index.folder.opening import read_manifest

Use = Callable[[Any], object]


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "a.tacit"
    tacit.build(small_records(100, links=True), path, settings=small_settings(), taxonomy=small_taxonomy())
    with tacit.open(path) as index:
        index.learn([Record("c", "a lamp at sea", ["home"])])
        index.add([Record("new", "salt and lamp", ["pets"])])
    return path


def _forged(sound: Path, folder: Path, file: str, place: str, value: Any, *, gone: bool = False) -> Path:
    """Copy an index and change one value in a file of JSON; write checksums that fit."""
    path = Path(shutil.copytree(sound, folder / "a.tacit"))
    generation = path / (path / "CURRENT").read_text().strip()
    manifest = read_manifest(generation)
    if file == "manifest":
        facts: Any = {"settings": manifest.settings, "counts": manifest.counts}
    else:
        facts = json.loads((generation / f"facts/{file}.json").read_text())
    facts = json.loads(json.dumps(facts))
    *above, last = [int(key) if key.isdigit() else key for key in place.split(".")]
    inside = facts
    for key in above:
        inside = inside[key]
    if gone:
        del inside[last]
    else:
        inside[last] = value
    if file != "manifest":
        target = generation / f"facts/{file}.json"
        target.write_text(json.dumps(facts))
        name = f"facts/{file}.json"
        facts = {"files": {**manifest.files, name: FileFacts(target.stat().st_size, file_sha256(target))}}
    (generation / "manifest.json").write_text(replace(manifest, **facts).to_json())
    return path


def _use_and_refit(path: Path) -> None:
    with tacit.open(path) as index:
        _all(index)
    tacit.refit(path)


def _all(index: Any) -> None:
    index.search("whale ship")
    index.suggest("whale ship")
    index.info()
    index.explain(label="animals")
    index.map(index.path / "map.html")
    index.add([Record("d", "salt and lamp", ["home"])])
    index.learn([Record("d", "salt", ["home"])])


@pytest.mark.parametrize(
    ("file", "place", "value", "sentence"),
    [
        (
            "labels",
            "names.0",
            7,
            r"facts/labels.json is not of the form that Tacit writes: got 7 at names\[\], .* text",
        ),
        ("labels", "names.0", "pets", r"got 'pets' twice at names\[\], expected different names"),
        ("labels", "counts.0", -1, r"got -1 at counts\[\], expected a whole number from 0"),
        ("labels", "counts.0", 1.5, r"got 1.5 at counts\[\]"),
        ("labels", "counts.0", True, r"got True at counts\[\]"),
        ("labels", "titles", {"a": 1}, r"got 1 at titles\{\}, expected text"),
        ("links", "author", "Bo", r"got 'Bo' at \{\}, expected a list"),
        ("taxonomy", "parents.0", 3, r"got 3 at parents\[\], expected a list"),
        ("taxonomy", "parents.1.0", 10**30, r"got a number of many digits at parents\[\]\[\]"),
        ("taxonomy", "titles", [], r"got a list at titles, expected a dictionary"),
        ("taxonomy", "language", {}, r"got a dictionary at language, expected text"),
        ("taxonomy", "language", "\ud800", r"got '\\ud800' at language, expected whole characters"),
        ("emphasis", "weights.labels", "1", r"got '1' at weights\{\}, expected a number from 0"),
        ("emphasis", "emphasis.words", 1e300, r"got 1e\+300 at emphasis\{\}"),
        ("map", "names.0.x", 40_000, r"got 40000 at names\[\]\.x, expected a whole number from -32,768 to 32,768"),
        ("map", "levels", None, r"got None at levels"),
        ("known_views", "views.0.share", "a", r"got 'a' at views\[\]\.share"),
        ("words", "terms.0", [], r"got a list at terms\[\], expected text"),
        ("words", "settings.ngrams", 0, r"got 0 at settings\.ngrams, expected a whole number from 1"),
        ("panel", "least", 2, r"got 2 at least, expected a number from 0 to 1"),
        ("panel", "choice.label", {}, r"got a dictionary at choice\.label"),
        ("corrections", "corrections.0.text", None, r"got None at corrections\[\]\.text, expected text"),
        ("manifest", "settings.build", "x", r"manifest.json is not of the form .* got 'x' at build, expected a dict"),
        ("manifest", "settings.fitted.model", 1, r"got 1 at fitted\.model, expected text"),
        ("manifest", "settings.build.reading", {"columns": {"id": 3}}, r"got 3 at build\.reading\.columns\.id"),
    ],
)
def test_a_value_of_another_form_is_refused_and_verify_tells(sound, tmp_path, file, place, value, sentence):
    path = _forged(sound, tmp_path, file, place, value)
    with pytest.raises(InputError, match=sentence) as caught, tacit.open(path) as index:
        _all(index)
    assert "\n" not in str(caught.value)
    assert [told for told in verify(path) if told == str(caught.value)]


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("labels", "names"),
        ("map", "levels"),
        ("taxonomy", "alternative_titles"),
        ("panel", "least"),
        ("words", "terms"),
    ],
)
def test_a_key_that_is_missing_is_refused(sound, tmp_path, file, place):
    path = _forged(sound, tmp_path, file, place, None, gone=True)
    with pytest.raises(InputError, match=rf"got nothing at {place}, expected a value"), tacit.open(path) as index:
        _all(index)
    assert any("got nothing at" in told for told in verify(path))


@pytest.mark.parametrize(
    ("file", "place", "value", "sentence"),
    [
        ("labels", "names", ["animals"], "the list of labels .* got '1 labels, 4 in the manifest'"),
        ("links", "author", ["Ann"], "the list of links .* got 'positions of shape"),
        ("taxonomy", "parents", [[]], "the taxonomy .* does not fit together"),
        ("taxonomy", "parents.1", [5], "names is out of order"),
        ("map", "levels", 9, "the map .* got '9 levels of names in 2'"),
        ("known_views", "views.0.things", ["animals"], "the space .* got 'labels with the pull of something else'"),
        ("panel", "subjects.0", "another", "the suggester .* got 'subjects that are not those of the labels'"),
        ("panel", "features", ["cosine"], "ranker_features.npy does not fit the index"),
        ("panel", "features.0", "another", "the suggester .* does not fit together"),
        ("manifest", "counts.labels", 2, "label_positions.npy does not fit the index: got shape"),
        ("manifest", "counts.corrections", 2, "the list of corrections .* got '1 corrections, 2 in the manifest'"),
        ("manifest", "settings.build.model", "sharp", "model is unknown: got 'sharp'"),
    ],
)
def test_files_that_contradict_each_other_are_refused(sound, tmp_path, file, place, value, sentence):
    path = _forged(sound, tmp_path, file, place, value)
    with pytest.raises(InputError, match=sentence):
        _use_and_refit(path)


@pytest.mark.parametrize("name", ["build", "fitted"])
def test_settings_that_are_missing_are_told(sound, tmp_path, name):
    path = _forged(sound, tmp_path, "manifest", f"settings.{name}", None, gone=True)
    with tacit.open(path) as index, pytest.raises(InputError, match=rf"lacks settings: got no '{name}', expected how"):
        assert index.settings


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("labels", "colours"), ("panel", "choice.further"), ("corrections", "corrections.0.by"), ("words", "cased"),
        ("map", "names.0.size"), ("manifest", "settings.fitted.more"), ("manifest", "settings.build.reading.more"),
    ],
)  # fmt: skip
def test_keys_of_newer_versions_pass(sound, tmp_path, file, place):
    path = _forged(sound, tmp_path, file, place, ["something"])
    assert verify(path) == []
    with tacit.open(path) as index:
        _all(index)


def test_what_would_be_refused_is_not_written(tmp_path):
    with (
        pytest.raises(InputError, match=r"got 1 at names\[\], expected text"),
        GenerationWriter(tmp_path / "a") as writer,
    ):
        writer.save_facts("labels", {"names": [1], "counts": [2]})
