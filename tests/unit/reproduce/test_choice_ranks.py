"""The table of ranks says how sure they are, and which models are never first."""

from __future__ import annotations

from tacit.reproduce.experiment import Facts, Results
from tacit.reproduce.reproduce import experiments

ORDER = ("MLSI", "words", "LSI", "HLSI", "M-LSA", "SLE")


def rows(collection: str, share: str, order: tuple[str, ...]) -> list[Facts]:
    return [
        {"repeat": collection, "collection": collection, "labels": share, "model": model, "mean rank": place,
         "nDCG@5": 1 - place / 10, "macro F1": 0.5}
        for place, model in enumerate(order, start=1)
    ]  # fmt: skip


def test_ranks_have_confidence_intervals_and_losers_are_named() -> None:
    swapped = ("words", "MLSI", *ORDER[2:])
    found = [
        row
        for share in ("1 %", "10 %", "100 %")
        for number, name in enumerate(("a", "b", "c", "d"))
        for row in rows(name, share, swapped if number == 3 and share == "100 %" else ORDER)
    ]
    summary = experiments()["choice-ranks"].summary
    assert summary is not None
    text = summary(Results(found, ("mean rank", "nDCG@5", "macro F1")))
    assert "| MLSI | 1.00 [1.00, 1.00] (4) | 1.00 [1.00, 1.00] (4) | 1.25 [1.00, 2.05] (3) |" in text
    assert "| words | 2.00 [2.00, 2.00] (0) | 2.00 [2.00, 2.00] (0) | 1.75 [1.00, 2.55] (1) |" in text
    assert text.endswith("Never first, with any share of the labels: LSI, HLSI, M-LSA, SLE.")
