"""A small index to ask: two groups of records whose words and labels are known, with a titled taxonomy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.cli.app import main
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

SEA = ["whale", "ship", "harbour", "wave", "tide", "sailor", "anchor", "reef"]
HOME = ["cat", "kitchen", "table", "garden", "chair", "lamp", "carpet", "kettle"]


def asked_records(*, labels: bool = True) -> list[Record]:
    """Two in three are about the sea."""
    rng = np.random.default_rng(11)
    records = []
    for number in range(45):
        at_home = number % 3 == 0
        text = " ".join(rng.choice(HOME if at_home else SEA, 9))
        label = ("pets" if "cat" in text else "rooms") if at_home else "animals" if "whale" in text else "vessels"
        own = (label,) if labels else ()
        records.append(Record(f"r{number}", text, labels=own, title=f"On the {text.split()[0]}, no. {number}"))
    return records


def build_asked(folder: Path, *, labels: bool = True, **changed: Any) -> str:
    """Build the index, with some settings changed, and give its path as typed."""
    taxonomy = Taxonomy.from_parents({"sea": None, "animals": "sea", "vessels": "sea", "pets": None, "rooms": None})
    titled = Taxonomy(taxonomy.names, taxonomy.parent_matrix, {"sea": {"": "The sea"}, "animals": {"": "Sea animals"}})
    settings = BuildSettings(**{"n_components": 5, "text": TextSettings(min_records=1), **changed})
    return str(tacit.build(asked_records(labels=labels), folder, settings, taxonomy=titled if labels else None))


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command, see that all went well, and give what it printed."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    captured = capsys.readouterr()
    assert end.value.code in (0, None), captured.err
    return captured.out


def said_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(said(capsys, *arguments))


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command, see that it ends with one line and exit code 2, and give the line."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    captured = capsys.readouterr()
    assert end.value.code == 2
    assert captured.out == ""
    error = captured.err.strip().splitlines()[-1]
    assert error.startswith("Error: ")
    assert "Traceback" not in captured.err
    return error
