"""The page of the study of what an index answers: tables from the figures, and what follows from them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from index_answers_conclusion import CONCLUSION, METHOD
from pages import table

__all__ = ["TITLE", "page"]

TITLE = "# Quality of the answers of an index"
Rows = Mapping[str, Mapping[str, float]]
_NAMES = {"reuters": "Reuters-21578 (ModApte)", "arxiv": "arXiv"}
_AT_K = tuple(f"{kind}F1@{k}" for kind in ("", "micro ", "macro ") for k in (1, 3, 5))
_SETS = ("nDCG@5", "micro F1", "macro F1", "seconds")
_CHOOSE = ("nDCG@10", "hybrid nDCG@10", "MRR@10", "hybrid MRR@10", "nDCG@5", "micro F1", "macro F1", "seconds")
_FIND = ("nDCG@10 text", "nDCG@10 title")
_ITEMS = ("MRR@10", "recall@10")
_FUSION = ("nDCG@10", "MRR@10", "recall@10")
_ORDER = (  # rows are kept as they were measured, which may be in parts
    *("tfidf", "svc, cut at zero", "svc, tuned cuts", "omikuji"),
    *("BM25 (by words)", "BM25 (bm25s)", "TF-IDF cosine", "MiniLM", "LSI", "MLSI", "MLSI, taxonomy", "HLSI"),
    *(
        "MLSI, pairs",
        "MLSI, 50 dimensions",
        "MLSI, 200 dimensions",
        "MLSI, title twice",
        "MLSI, stems",
        "MLSI on MiniLM",
    ),
)


def page(kept: Mapping[str, Mapping[str, Rows]], facts: str) -> str:
    """Give the text of the page; a table without rows yet is left out."""
    parts = [METHOD, f"## Conclusion\n\n{CONCLUSION}"]
    for name, tables in kept.items():
        parts += [part for part in _of_data(_NAMES[name], tables) if part]
    return "\n\n".join([*parts, facts])


def _of_data(name: str, tables: Mapping[str, Rows]) -> list[str]:
    return [
        f"## {name}\n\n{_sizes(tables)}",
        _titled("Suggested labels: the best k of each record", tables.get("suggest"), _AT_K),
        _titled("Suggested labels: rankings, and sets of any size", tables.get("suggest"), _SETS),
        _titled("Records that share labels with the query", tables.get("find"), _FIND, divided="nDCG@10 text"),
        _titled("The same with all new records as queries, for fast methods", tables.get("find all"), _FIND[:1]),
        _titled("Known items, found by their titles", tables.get("items"), _ITEMS),
        _titled("Chosen on held-out records: settings", tables.get("choose"), _CHOOSE),
        *(
            _titled(
                f"Chosen on held-out records: how {space} and words are fused", tables.get(f"fusion {space}"), _FUSION
            )
            for space in ("MLSI", "LSI")
        ),
    ]


def _sizes(tables: Mapping[str, Rows]) -> str:
    kept = tables["sizes"]
    sizes, labels = kept["records"], kept["labels"]["all"]
    sentences = [f"{sizes['old']:,.0f} training records, {sizes['new']:,.0f} new ones, {labels:.0f} labels."]
    if "find" in tables:
        sentences.append(f"{kept['queries']['find']:,.0f} of the new ones are queries.")
    if "items" in kept:
        sentences.append(f"{kept['items']['new']:,.0f} known items among {kept['items']['old']:,.0f}.")
    if "choosing" in kept:
        held = kept["choosing"]
        sentences.append(f"Chosen with {held['old']:,.0f} training records and {held['new']:,.0f} held out.")
    return " ".join(sentences)


def _titled(title: str, rows: Rows | None, columns: Sequence[str], *, divided: str = "") -> str:
    """Write a table under its title; `divided` names the figure that is also given as a multiple of plain BM25's."""
    if not rows:
        return ""
    rows = dict(sorted(rows.items(), key=lambda item: _place(item[0])))
    shown = [[name, *(_shown(column, figures.get(column)) for column in columns)] for name, figures in rows.items()]
    header = ["", *("time to train" if column == "seconds" else column for column in columns)]
    if divided:
        plain = rows["BM25 (by words)"][divided]
        header.append("text / BM25")
        for line, figures in zip(shown, rows.values(), strict=True):
            line.append(f"{figures[divided] / plain:.2f}")
    return f"### {title}\n\n{table(header, shown)}"


def _place(row: str) -> tuple[int, str]:
    """Say where a row goes; ways of fusion, which have no place of their own, stay in their order."""
    name, _, way = row.partition(", hybrid")
    return (_ORDER.index(name), way) if name in _ORDER else (len(_ORDER), "")


def _shown(column: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f} s" if column == "seconds" else f"{value:.4f}"
