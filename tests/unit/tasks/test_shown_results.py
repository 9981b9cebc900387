"""What a person sees of an index in a console and in a notebook, and the same as data frames."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tacit
from tacit.corpus.record import Record
from tacit.tasks.collection import Collection
from tacit.tasks.stage_progress import NotebookStages, StageEvent

HOSTILE = "<img src=x onerror=alert(1)>"
WORDS = {"sea": "whale ship wave tide sailor", "home": "cat kitchen table lamp chair"}


def _frame() -> pd.DataFrame:
    rows = []
    for number in range(24):
        label = ("sea", "home")[number % 2]
        words = WORDS[label].split()
        title = HOSTILE if number == 2 else f"{words[number % 5].title()} no. {number}"
        text = " ".join(words[(number + step) % 5] for step in range(4))
        rows.append((f"r{number}", title, text, {label}, 1990 + number, "North"))
    return pd.DataFrame(rows, columns=["id", "title", "text", "labels", "year", "place"])


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("shown") / "a.tacit"
    tacit.build(_frame(), folder, tacit.BuildSettings(model="mlsi", n_components=3))
    with tacit.open(folder) as collection:
        yield collection


def test_every_result_is_readable_in_a_console_and_in_a_notebook(shown: Collection) -> None:
    results: list[Any] = [
        shown,
        shown.search("whale ship"),
        shown.similar("r0"),
        shown.recommend(["r0"]),
        shown.suggest("a whale at sea", reasons=True),
        shown.suggest(["a whale", "a lamp"]),
        shown.explain(query="whale", ids="r0"),
        shown.explain(ids=["r0", "r2"]),
        shown.explain(text="whale and ship", label="sea"),
        shown.explain(label="sea"),
        shown.explain(dimension=1),
        shown.concepts(limit=2),
        shown.cluster(2),
        shown.info(),
        shown.evaluate(queries=5),
        shown.compare(["words", "lsi"], queries=5),
    ]
    for result in results:
        name, text, page = type(result).__name__, repr(result), result._repr_html_()
        assert max(map(len, text.splitlines())) <= 80, name
        assert "object at 0x" not in text, name
        assert HOSTILE not in page, name
        assert result is shown or len(result.to_frame()) > 0, name


def test_hits_say_what_was_found(shown: Collection) -> None:
    hits = shown.search("whale ship", limit=3)
    assert repr(hits).splitlines()[0] == "3 records"
    assert repr(hits[0]).startswith(f"RecordHit('{hits[0].id}', score ")
    frame = hits.to_frame()
    assert list(frame.columns) == ["id", "score", "title", "labels", "year", "place", "text"]
    assert frame["id"].tolist() == [hit.id for hit in hits]
    assert frame["score"].tolist() == [hit.score for hit in hits]
    assert "did you mean" in repr(shown.search("whale shipp"))


def test_a_collection_says_what_it_is(shown: Collection) -> None:
    said = " ".join(repr(shown).split())
    assert said.startswith("Collection '")
    assert said.endswith("24 records, 2 labels, MLSI in 3 dimensions")


def test_suggestions_of_several_texts_are_numbered(shown: Collection) -> None:
    frame = shown.suggest(["whale ship", "lamp chair"], limit=1).to_frame()
    assert frame[["text", "label"]].values.tolist() == [[0, "sea"], [1, "home"]]
    (only,) = shown.suggest("lamp chair", limit=1)
    assert only.label == "home"


def test_a_comparison_has_a_row_for_each_model(shown: Collection) -> None:
    found = shown.compare(["words", "lsi"], queries=5)
    frame = found.to_frame()
    assert frame["model"].tolist() == ["words", "lsi"]
    for name, row in found.rows.items():
        assert row.suggest is not None
        assert frame.set_index("model").loc[name, "Precision@1"] == row.suggest.at[0].precision
    evaluation = shown.evaluate(queries=5)
    assert set(evaluation.to_frame()["part"]) == {"suggest", "search"}
    assert evaluation.subjects_to_frame()["label"].tolist() == [row.label for row in evaluation.subjects]


def test_filters_by_names_as_in_the_commands(shown: Collection) -> None:
    found = shown.search(
        "whale", filters=shown.filters(labels="SEA", where={"place": "north"}, ranges={"year": (2000, None)})
    )
    assert {hit.record.fields["year"] >= 2000 for hit in found} == {True}
    assert shown.filters() is None
    assert shown.filters(ranges="year=1990..1992") == shown.filters(ranges={"year": (1990, 1992)})
    asked = shown.filters(where=["place=North"])
    assert asked is not None
    assert asked.conditions() == tacit.Filters(fields={"place": ["North"]}).conditions()
    with pytest.raises(tacit.InputError, match="Did you mean 'year'"):
        shown.filters(where={"yeer": 1990})
    for query in ("whale", "whale -ship"):
        with pytest.raises(tacit.InputError, match=r"filters is not a tacit\.Filters: got dict"):
            shown.search(query, filters={"year": 1990})


class Output:
    """One output of a notebook's cell, as IPython's `display` returns it."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, content: dict[str, str], *, raw: bool, display_id: bool) -> Output:
        assert raw
        assert display_id
        assert not self.texts  # a cell has one output, which is changed
        self.texts.append(content["text/plain"])
        return self

    def update(self, content: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.texts.append(content["text/plain"])


def test_stages_in_a_notebook_are_one_output() -> None:
    output = Output()
    show = NotebookStages(output)
    show(StageEvent("words", "begin"))
    for done in range(1000):
        show(StageEvent("words", "advance", f"{done} records", share=done / 1000))
    show(StageEvent("words", "end", "5 words", 1.25))
    show(StageEvent("space", "begin"))
    assert output.texts[0].strip() == "Counting the words ..."
    assert len(output.texts) < 10
    assert output.texts[-1].splitlines() == ["    1.2 s  5 words", "           Computing the space ..."]


def test_records_of_a_frame_are_read_as_they_were(shown: Collection) -> None:
    record = shown["r3"]
    assert isinstance(record, Record)
    assert json.loads(json.dumps(record.fields)) == {"year": 1993, "place": "North"}
    assert Path(shown.path).name == "a.tacit"
