"""The manifest: what is written is read, and whatever else is refused in one sentence."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.index.folder.manifest import FORMAT_VERSION, FileFacts, Manifest

DIGEST = hashlib.sha256(b"").hexdigest()


def _manifest(**settings) -> Manifest:
    return Manifest(settings, {"records": 3, "labels": 0}, {"arrays/positions.npy": FileFacts(176, DIGEST)})


def _signed(**changes) -> str:
    """A manifest with some keys changed and a checksum that fits, as a careful forger would write it."""
    facts = json.loads(_manifest().to_json())
    facts |= changes
    del facts["checksum"]
    content = json.dumps(dict(sorted(facts.items())), ensure_ascii=False)
    return json.dumps({**facts, "checksum": hashlib.sha256(content.encode()).hexdigest()})


def test_what_is_written_is_read_back():
    written = _manifest(model="MLSI", label_weight=0.1, name="Überschall ✓", nested={"a": [1, None, True]})
    assert Manifest.from_json(written.to_json()) == written


def test_settings_from_numpy_and_tuples_become_plain():
    written = _manifest(k=np.int64(50), weight=np.float32(0.5), sizes=(1, 2), grid=np.arange(3))
    read = Manifest.from_json(written.to_json())
    assert read.settings == {"k": 50, "weight": 0.5, "sizes": [1, 2], "grid": [0, 1, 2]}


def test_it_says_when_and_with_what_it_was_made():
    read = Manifest.from_json(_manifest().to_json())
    assert read.libraries["numpy"] == np.__version__
    assert read.created.endswith("+00:00")
    assert read.format_version == FORMAT_VERSION


def test_a_manifest_with_a_checksum_that_fits_is_read():
    assert Manifest.from_json(_signed(tacit="9")).tacit == "9"


def test_keys_of_newer_versions_pass_if_they_are_not_required():
    read = Manifest.from_json(_signed(extra={"a": [1]}, requires=[]))
    assert read == Manifest.from_json(_signed())


def test_keys_of_newer_versions_are_covered_by_the_checksum():
    with pytest.raises(InputError, match="was changed after it was written"):
        Manifest.from_json(_signed(extra="a").replace('"extra": "a"', '"extra": "b"'))


def test_other_line_ends_and_indents_do_no_harm():
    text = _manifest(a=1).to_json()
    assert Manifest.from_json(json.dumps(json.loads(text))).settings == {"a": 1}
    assert Manifest.from_json(text.replace("\n", "\r\n")).settings == {"a": 1}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (_signed(format_version=3), r"is of a newer format: got format_version 3, expected at most 2\. Update Tacit"),
        ('{"format_version": 99}', r"is of a newer format: got format_version 99"),
        (_signed(format_version="1"), r"format_version of m is wrong: got '1', expected an integer"),
        (_signed(format_version=True), r"format_version of m is wrong: got True"),
        ("{}", r"format_version of m is wrong: got None"),
        ('{"format_version": 1}', r"m lacks keys: got no 'created', 'tacit'"),
        (_signed(requires=["shards"]), r"m was written by a newer version: got an index that requires 'shards'"),
        (_signed(requires=["a", "b"], extra=1), r"requires 'a', 'b', expected what this version knows\. Update Tacit"),
        (_signed(requires="shards"), r"requires of m is wrong: got 'shards', expected names"),
        (_signed(requires=[1]), r"requires of m is wrong: got '\[1\]', expected names"),
        (_signed(requires=None), r"requires of m is wrong: got 'None', expected names"),
        (
            _signed(libraries={"numpy": 2}),
            r"libraries\['numpy'\] of m is of the wrong kind: got int, expected a version",
        ),
        (_signed(files=[]), r"files of m is of the wrong kind: got list, expected dict"),
        (_signed(created=7), r"created of m is of the wrong kind: got int, expected str"),
        (_signed(counts={"records": -1}), r"counts\['records'\] of m is out of range: got -1"),
        (_signed(files={"../x": {}}), r"files of m has an invalid path: got '\.\./x'"),
        (_signed(files={"/etc/passwd": {}}), r"files of m has an invalid path"),
        (_signed(files={"a": {"bytes": "1"}}), r"files\['a'\] of m is wrong: got .*, expected bytes and sha256"),
        (_signed(files={"a": None}), r"files\['a'\] of m is wrong: got None"),
        (_manifest(a=1).to_json().replace('"a": 1', '"a": 2'), r"m was changed after it was written"),
        ("", r"m is damaged: got .*, expected JSON"),
        ("not json", r"m is damaged: got .*, expected JSON"),
        (b"\xff\xfe\x00", r"m is damaged: got .*, expected JSON"),
        ("[" * 100_000, r"m is damaged: got .*, expected JSON"),
        ('{"format_version": NaN}', r"m is damaged: got 'NaN is not JSON'"),
        ("[1, 2]", r"m is not a manifest: got list, expected a dictionary"),
    ],
)
def test_garbage_is_refused_in_one_sentence(text, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        Manifest.from_json(text, "m")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"f": print}, r"settings\['f'\] is not plain data: got builtin_function_or_method"),
        ({"a": {1: 2}}, r"settings\['a'\] has a key that is not text: got 1, expected strings"),
        ({"a": [float("nan")]}, r"settings\['a'\]\[0\] is not finite: got nan, expected a finite number"),
        ({"a": "\ud800"}, r"manifest cannot be written in UTF-8: got the character '\\ud800'"),
        ({"a": np.array([print])}, r"settings\['a'\] is not plain data: got ndarray"),
    ],
)
def test_settings_that_cannot_be_read_back_are_not_written(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        _manifest(**settings).to_json()


def test_settings_inside_themselves_are_refused():
    endless: list = []
    endless.append(endless)
    with pytest.raises(InputError, match=r"manifest is nested too deeply|settings is nested too deeply"):
        _manifest(a=endless).to_json()
