"""The study of what an index answers measures what it says, with the answers of an index itself."""

from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import tacit
from tacit import LabelMatrix, Taxonomy
from tacit.corpus import Record
from tacit.evaluate import overlap_ndcg
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings

TOPICS = {"grain": "wheat corn harvest crop soya barrel", "money": "bank rate dollar yen loan barrel"}

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


@pytest.fixture
def records() -> list[Record]:
    return [
        Record(str(row), story["title"] + "\n" + story["body"], story["topics"], story["title"])
        for row, story in enumerate(_stories(60))
    ]


def test_answers_are_those_of_an_index(records: list[Record], tmp_path: Path) -> None:
    retrieval, measures = _module("retrieval"), _module("measures")
    kind = retrieval.Kind(n_components=6)
    made = retrieval.make(kind, records)
    queries = ["wheat and corn of the harvest", "the bank said yen", records[3].text]
    placed = made.placed({"text": queries})
    words = retrieval.by_words(records, queries)
    meaning = retrieval.by_vectors(placed.queries["text"], placed.collection)
    build(records, tmp_path / "index", BuildSettings("mlsi", 6))
    with tacit.open(tmp_path / "index") as index:
        cosines = retrieval.vector_cosines(placed.queries["text"], placed.collection, words.numbers)
        found = {
            ("words", "ranks"): words,
            ("meaning", "ranks"): meaning,
            ("hybrid", "ranks"): measures.fused(meaning, words),
            ("hybrid", "scores"): _module("runs").DEFAULT(meaning, words, cosines),
        }
        for (by, fusion), ranked in found.items():
            for row, query in enumerate(queries):
                expected = [int(hit.id) for hit in index.search(query, by=by, limit=10, fusion=fusion)]
                got = ranked.numbers[row, :10]
                assert got[got >= 0].tolist() == expected, (by, fusion)
        asked = _module("data").Asked(records, records[:20], None, None)
        suggested = index.suggest([record.text for record in asked.new], limit=1)
    right = [one[0].label in record.labels for one, record in zip(suggested, asked.new, strict=True)]
    sizes = [len(record.labels) for record in asked.new]
    expected_f1 = np.mean([2 * hit / (1 + size) for hit, size in zip(right, sizes, strict=True)])
    assert retrieval.suggested(made, asked, sorted(made.fitted.label_names))["F1@1"] == pytest.approx(expected_f1)


def test_lists_are_measured_as_vectors_are(records: list[Record]) -> None:
    measures, retrieval = _module("measures"), _module("retrieval")
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(40, 5)), rng.normal(size=(20, 5))
    labels = LabelMatrix.from_sets([record.labels for record in records])
    found = retrieval.by_vectors(new, old)
    expected = overlap_ndcg(new, old, labels[40:60], labels[:40], k=10)
    assert measures.overlap_figure(found, labels[40:60], labels[:40]) == pytest.approx(expected)


def test_f1_at_k_is_that_of_each_record() -> None:
    truth = LabelMatrix.from_matrix([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]])
    scores = np.array([[0.1, 0.9, 0.5, 0.2, 0.0], [0.9, 0.1, 0.5, 0.3, 0.2]])
    figures = _module("measures").label_figures(truth, scores, scores > 0.4)
    assert figures["F1@1"] == pytest.approx((0 + 2 / 3) / 2)
    assert figures["F1@5"] == pytest.approx((2 / 6 + 4 / 7) / 2)
    assert figures["micro F1"] == pytest.approx(2 * 1 / (4 + 3))
    assert figures["macro F1"] == pytest.approx((2 / 3 + 0 + 0 + 0 + 0) / 5)


def test_an_item_counts_by_its_place() -> None:
    measures = _module("measures")
    found = measures.Ranked(np.array([[4, 2, -1], [7, 8, 9], [1, 0, 5]]), None)
    assert measures.item_figures(found, [2, 3, 1]) == {
        "MRR@10": pytest.approx((1 / 2 + 0 + 1) / 3),
        "recall@10": pytest.approx(2 / 3),
    }


def test_scores_are_fused_between_nothing_and_one() -> None:
    measures = _module("measures")
    one = measures.Ranked(np.array([[5, 6, 7]]), np.array([[0.9, 0.8, 0.7]]))
    other = measures.Ranked(np.array([[7, 6, -1]]), np.array([[30.0, 10.0, 0.0]]))
    both = measures.fused_scores(one, other, weight=2)
    assert both.numbers[0, :3].tolist() == [5, 6, 7]
    assert both.scores[0, :3].tolist() == pytest.approx([2, 1, 1])


def test_cosines_and_shares_of_bm25_and_the_lead_are_added() -> None:
    measures, retrieval = _module("measures"), _module("retrieval")
    rng = np.random.default_rng(2)
    old, new = rng.normal(size=(30, 4)), rng.normal(size=(3, 4))
    cosines = (new / np.linalg.norm(new, axis=1)[:, None]) @ (old / np.linalg.norm(old, axis=1)[:, None]).T
    numbers, scores = [[4, 9, 2], [1, 0, -1], [-1, -1, -1]], [[8.0, 6, 2], [3, 1, 0], [0, 0, 0]]
    words = measures.Ranked(np.array(numbers), np.array(scores))
    filled = retrieval.vector_cosines(new, old, words.numbers)
    both = measures.fused_cosines(retrieval.by_vectors(new, old), words, filled, weight=2, lead=4)
    expected = 2 * cosines
    for row, share in ((0, {4: 1 + 4 * 2 / 8, 9: 6 / 8, 2: 2 / 8}), (1, {1: 1 + 4 * 2 / 3, 0: 1 / 3})):
        for number, value in share.items():
            expected[row, number] += value
    assert both.numbers.tolist() == np.argsort(-expected, axis=1)[:, :10].tolist()
    assert both.scores == pytest.approx(-np.sort(-expected, axis=1)[:, :10])


def test_tfidf_is_that_of_all_texts_of_a_label(records: list[Record]) -> None:
    rivals = _module("rivals")
    Y = LabelMatrix.from_sets([record.labels for record in records])
    counter = rivals.CountVectorizer()
    X = counter.fit_transform([record.text for record in records])
    together = [" ".join(r.text for r in records if label in r.labels) for label in Y.names]
    literal = TfidfVectorizer().fit(together)
    expected = literal.transform([records[0].text]) @ literal.transform(together).T
    assert rivals.tfidf(X, Y, X[:1]) == pytest.approx(expected.toarray(), abs=1e-6)


def test_the_one_cut_is_the_best(records: list[Record]) -> None:
    truth = LabelMatrix.from_sets([record.labels for record in records])
    scores = truth.indicator.toarray() + np.random.default_rng(1).normal(size=truth.indicator.shape)
    cut = _module("rivals").best_cut(truth, scores)

    def micro(at: float) -> float:
        said = scores >= at
        return float(2 * (said * truth.indicator.toarray()).sum() / (said.sum() + truth.indicator.sum()))

    assert micro(cut) == pytest.approx(max(micro(at) for at in scores.ravel()))


def test_what_is_chosen_with_does_not_test(records: list[Record]) -> None:
    data = _module("data")
    collected = data.collected("own", records[:40], records[40:], Taxonomy.from_parents({"grain": (), "money": ()}))
    chosen = data.choosing(collected)
    ids = [{record.id for record in part} for part in (chosen.old, chosen.new, collected.new)]
    assert sum(map(len, ids)) == len(set.union(*ids)) == 60
    items = data.known_items(collected)
    by_id = {record.id: record for record in records}
    for title, answer in zip(items.titles, items.answers, strict=True):
        record = items.records[answer]
        assert record.text == by_id[record.id].text.split("\n")[1]
        assert (record.title, by_id[record.id].title) == ("", title)
    assert 0 < items.choosing.sum() < len(items.titles)


def test_the_study_runs_goes_on_where_it_was_and_reads_vectors(tmp_path: Path, capsys: Any) -> None:
    study = importlib.import_module("index_answers")
    _write_data(tmp_path / "data", _stories(150))
    given = [str(tmp_path / "out"), "--data", "reuters", "--data-dir", str(tmp_path / "data"), "--small"]
    texts = _module("data").neural_texts(_module("data").load("reuters", str(tmp_path / "data"), small=True))
    (tmp_path / "neural").mkdir()
    for what, lines in texts.items():
        vectors = np.random.default_rng(0).normal(size=(len(lines), 8)).astype(np.float32)
        if what == "reuters_bodies":
            vectors[1::5] = np.nan  # the neural model was stopped before it came to these
        np.save(tmp_path / "neural" / f"{what}.npy", vectors)
    study.main([*given, "--neural", str(tmp_path / "neural")])
    shown = capsys.readouterr()
    for row in ("MLSI", "MLSI, hybrid with the lead", "tfidf", "svc, tuned cuts", "MLSI on MiniLM", "by words"):
        assert f"| {row} " in shown.out
    assert "Measured on" in shown.out
    assert "reuters_bodies: left out" in shown.err
    kept = json.loads((tmp_path / "out/reuters.json").read_text())
    assert {"MiniLM", "MLSI on MiniLM, hybrid by ranks"} < kept["find"].keys()
    assert "MiniLM" not in kept["items"]
    study.main([*given, "--neural", str(tmp_path / "neural")])
    assert "nDCG" not in capsys.readouterr().err, "nothing is measured twice"


def test_few_records_are_not_written_to_the_page(tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(SystemExit, match="2"):
        importlib.import_module("index_answers").main([str(tmp_path), "--small", "--write"])
    assert "--write needs the whole study: got --small too" in capsys.readouterr().err


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"index_answers_{name}")


def _stories(n_stories: int) -> list[dict[str, Any]]:
    """Make stories of two topics; some have both."""
    rng = np.random.default_rng(0)
    stories = []
    for row in range(n_stories):
        topics = ["grain"] if row % 3 == 0 else ["money"] if row % 3 == 1 else ["grain", "money"]
        words = [*" ".join(TOPICS[topic] for topic in topics).split(), "said", "week", "market", "price", "report"]
        title = f"{_name(row)} {rng.choice(words)}"
        body = " ".join([_name(row), *rng.choice(words, 12).tolist()])
        stories.append({"id": row, "title": title, "body": body, "topics": topics})
    return stories


def _name(row: int) -> str:
    return "q" + "".join(chr(ord("a") + int(digit)) for digit in str(row))


def _write_data(folder: Path, stories: Sequence[dict[str, Any]]) -> None:
    (folder / "reuters21578").mkdir(parents=True)
    with gzip.open(folder / "reuters21578/reuters21578.jsonl.gz", "wt", encoding="utf-8") as file:
        for row, story in enumerate(stories):
            split = "test" if row % 4 == 0 else "train"
            line = {**story, "split": split, "lewissplit": split, "places": [], "date": "1987"}
            file.write(json.dumps(line) + "\n")
    rows = [f"{topic}\tgoods\t{topic}" for topic in TOPICS]
    (folder / "reuters21578/topics.tsv").write_text("\n".join(["topic\tgroup\tdescription", *rows]), encoding="utf-8")
