"""Jobs of the row `index`: from a file of records to an index, and the same texts through scikit-learn.

The folder holds `records.jsonl` with id, title, text and labels.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC
from synthetic import planted_topics

from tacit.corpus import Record, read_records
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.stage_progress import StageEvent

__all__ = [
    "build_index",
    "load_path",
    "load_texts",
    "made_records",
    "save_records",
    "svd_and_svc",
    "tiny_path",
    "tiny_texts",
]

_LEAST_RECORDS = 2  # of a word, as Tacit's default


def build_index(path: Path, *, n_components: int, model: str = "mlsi") -> np.ndarray:
    """Read, vectorise, fit, train the suggester, write; give the seconds of each stage."""
    seconds: list[float] = []

    def report(stage: StageEvent) -> None:
        if stage.state == "end":
            seconds.append(stage.seconds)

    folder = Path(tempfile.mkdtemp(dir=path.parent))
    try:
        settings = BuildSettings(model=model, n_components=n_components)
        build(read_records(path), folder / "index.tacit", settings, report=report)
        open_index(folder / "index.tacit").close()
    finally:
        shutil.rmtree(folder)
    return np.array(seconds)


def svd_and_svc(texts: list[str], labels: list[tuple[str, ...]], *, n_components: int) -> np.ndarray:
    """Vectorise the same texts, decompose them, and train a linear classifier a label on the records that have any."""
    vectoriser = TfidfVectorizer(sublinear_tf=True, min_df=_LEAST_RECORDS, stop_words="english", dtype=np.float32)
    placed = TruncatedSVD(n_components, n_iter=5, random_state=0).fit_transform(vectoriser.fit_transform(texts))
    labelled = np.array([bool(names) for names in labels])
    Y = MultiLabelBinarizer().fit_transform([names for names in labels if names])
    OneVsRestClassifier(LinearSVC(random_state=0)).fit(placed[labelled], Y)
    return placed[:10]


def load_path(folder: Path) -> tuple[Any, ...]:
    return (folder / "records.jsonl",)


def load_texts(folder: Path) -> tuple[Any, ...]:
    records = list(read_records(folder / "records.jsonl"))
    return [record.text for record in records], [record.labels for record in records]


def tiny_path() -> tuple[Any, ...]:
    save_records(Path(_scratch().name), made_records(200))
    return load_path(Path(_scratch().name))


def tiny_texts() -> tuple[Any, ...]:
    records = made_records(200)
    return [record.text for record in records], [record.labels for record in records]


@lru_cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes with the process."""
    return tempfile.TemporaryDirectory()


def save_records(folder: Path, records: Any) -> int:
    """Leave records in a folder, and give how many there were."""
    count = 0
    with (folder / "records.jsonl").open("w", encoding="utf-8") as file:
        for count, record in enumerate(records, start=1):  # noqa: B007
            facts = {"id": record.id, "title": record.title, "text": record.text, "labels": list(record.labels)}
            file.write(json.dumps(facts) + "\n")
    return count


def made_records(n_records: int) -> list[Record]:
    """Records with planted topics, whose words are made of letters."""
    X, Y = planted_topics(n_records, n_terms=2_000, n_topics=12, words_per_record=30)
    names = ["z" + "".join(chr(ord("a") + term // 26**place % 26) for place in range(3)) for term in range(2_000)]
    return [
        Record(
            f"r{row}",
            " ".join(names[term] for term in X.indices[X.indptr[row] : X.indptr[row + 1]]),
            [f"topic{topic}" for topic in Y.indices[Y.indptr[row] : Y.indptr[row + 1]]],
        )
        for row in range(n_records)
    ]
