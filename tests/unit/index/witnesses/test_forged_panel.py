"""Arrays and facts of the suggester that Tacit did not write, with checksums that fit: one sentence, no crash."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_index import small_records, small_settings

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.files import file_sha256
from tacit.index.folder.manifest import FileFacts
from tacit.index.folder.opening import read_manifest

Change = Callable[[np.ndarray], Any]


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "a.tacit"
    tacit.build(small_records(100), path, settings=small_settings())
    return path


def _far(array: np.ndarray) -> None:
    array[len(array) // 2] = np.iinfo(array.dtype).max


def _negative(array: np.ndarray) -> None:
    array[-1] = -7


def _endless(array: np.ndarray) -> None:
    array[4] = 1e18


@pytest.mark.parametrize(
    ("name", "change"),
    [
        *((f"{name}_{part}", _far) for name in ("near_by_word", "near_labels") for part in ("starts", "columns")),
        ("words_starts", _far),
        ("words_subjects", _far),
        ("words_subjects", _negative),
        ("name_words", _far),
        ("name_starts", _far),
        ("ranker_left", _far),
        ("ranker_roots", _negative),
        ("ranker_features", _far),
        ("ranker_constants", _endless),
        ("name_records", _negative),
        ("term_weights", _endless),
        ("example_texts", _far),
    ],
)
def test_numbers_that_lead_out_of_an_array_are_refused(sound, tmp_path, name, change):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    file = path / f"generation-000001/arrays/{name}.npy"
    array = np.load(file)
    change(array)
    np.save(file, array)
    _seal(file, f"arrays/{name}.npy")
    with tacit.open(path) as index, pytest.raises(InputError, match=r"does not fit .* Restore the index from a copy"):
        _suggest_and_learn(index)


def _suggest_and_learn(index: Any) -> None:
    index.suggest("whale ship")
    index.learn([Record("c", "a lamp at sea", ["home"])])


@pytest.mark.parametrize("name", ["panel", "labels", "name_words"])
def test_facts_of_another_form_are_refused(sound, tmp_path, name):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    file = path / f"generation-000001/facts/{name}.json"
    file.write_text('{"subjects": [1], "names": [[]]}', encoding="utf-8")
    _seal(file, f"facts/{name}.json")
    with (
        tacit.open(path) as index,
        pytest.raises(InputError, match=r"is not of the form that Tacit writes: got .* Restore the index from a copy"),
    ):
        _use(index)


def _use(index: Any) -> None:
    index.suggest("whale ship")
    assert index.label_names


def _seal(file: Path, name: str) -> None:
    folder = file.parent.parent
    manifest = read_manifest(folder)
    files = {**manifest.files, name: FileFacts(file.stat().st_size, file_sha256(file))}
    (folder / "manifest.json").write_text(replace(manifest, files=files).to_json(), encoding="utf-8")
