"""What the study of an index's answers runs: a row a method, kept as soon as it is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from index_answers_data import Asked, Collected, choosing, known_items, label_matrix, testing
from index_answers_kept import Kept
from index_answers_measures import Ranked, fused, fused_cosines, fused_scores, item_figures, overlap_figure
from index_answers_retrieval import (
    BM25S,
    Kind,
    by_bm25s,
    by_meaning,
    by_tfidf,
    by_vectors,
    by_words,
    cosines_of,
    make,
    suggested,
    vector_cosines,
)
from index_answers_rivals import RIVALS, rival_figures

from tacit.evaluate import overlap_ndcg
from tacit.text.settings import TextSettings
from tacit.text.words import Words

__all__ = ["FUSIONS", "KINDS", "VARIANTS", "run"]


def _by_ranks(meaning: Ranked, words: Ranked, cosines: Any, **settings: float) -> Ranked:
    return fused(meaning, words, **settings)


def _by_spread(meaning: Ranked, words: Ranked, cosines: Any, **settings: float) -> Ranked:
    return fused_scores(meaning, words, **settings)


_PAIRS, _STEMS = TextSettings(ngrams=2), TextSettings(stem=True)
KINDS = {  # tested on new records
    "LSI": Kind("lsi"),
    "MLSI": Kind(),
    "MLSI, 200 dimensions": Kind(n_components=200),
    "MLSI, pairs": Kind(text=_PAIRS),
    "HLSI": Kind("hlsi", taxonomy=True),
    "MLSI, taxonomy": Kind(taxonomy=True),
}
RICHEST = {  # tested with all new records only
    **KINDS,
    "MLSI, 200 dimensions, pairs": Kind(n_components=200, text=_PAIRS),
    "MLSI, 200 dimensions, pairs, taxonomy": Kind(n_components=200, text=_PAIRS, taxonomy=True),
}
VARIANTS = {  # among which settings are chosen
    "MLSI": Kind(),
    "LSI": Kind("lsi"),
    "MLSI, pairs": Kind(text=_PAIRS),
    "MLSI, 200 dimensions": Kind(n_components=200),
    "MLSI, 50 dimensions": Kind(n_components=50),
    "MLSI, title twice": Kind(titles=2),
    "MLSI, stems": Kind(text=_STEMS),
    "HLSI": Kind("hlsi", taxonomy=True),
}
Fusion = Callable[[Ranked, Ranked, Any], Ranked]  # by meaning, by words, cosines of those by words
FUSIONS: dict[str, Fusion] = {
    "by words": lambda meaning, words, cosines: words,
    "by meaning": lambda meaning, words, cosines: meaning,
    **{
        f"ranks, k {calm}, meaning x {weight}": partial(_by_ranks, calm=calm, weight=weight)
        for calm, weight in ((60, 1), (60, 2), (60, 3), (10, 0.5), (10, 1), (10, 2), (1, 0.5), (1, 1), (1, 2))
    },
    **{f"scores of each list from 0 to 1, meaning x {w}": partial(_by_spread, weight=w) for w in (0.5, 1, 2)},
    **{f"BM25 / best + cosine x {weight}": partial(fused_cosines, weight=weight) for weight in (0.5, 1, 2, 3)},
}


_SHOWN: dict[str, Fusion] = {"": FUSIONS["by meaning"], "hybrid ": FUSIONS["BM25 / best + cosine x 2"]}


def run(data: Collected, kept: Kept, neural: Mapping[str, Any], parts: Sequence[str], n_queries: int) -> None:
    """Measure the parts of the study on a data set: choose, find, all, items, suggest, neural."""
    asked = _sampled(testing(data), n_queries)
    kept.row("sizes", "queries", lambda: {"find": len(asked.new)})
    if "choose" in parts:
        _choose(data, kept)
    if "find" in parts:
        _find(data, asked, kept, "find")
    if "all" in parts:
        _find_all(data, kept)
    if "items" in parts:
        _items(data, kept)
    if "suggest" in parts:
        _suggest(data, kept)
    if "neural" in parts and neural:
        _neural(data, kept, neural)


def _choose(data: Collected, kept: Kept) -> None:
    """Settings and fusion, on records held out from learning and on titles that do not test."""
    held, items = choosing(data), known_items(data)
    kept.row("sizes", "choosing", lambda: {"old": len(held.old), "new": len(held.new)})
    half = np.flatnonzero(items.choosing)
    titles, answers = [items.titles[i] for i in half], items.answers[half]
    texts = [record.text for record in held.new]
    words = cache(
        lambda: (
            kept.lists("choose text", lambda: by_words(held.old, texts)),
            kept.lists("choose items", lambda: by_words(items.records, titles)),
        )
    )
    asked, known = (label_matrix(part, data.labels) for part in (held.new, held.old))
    labels = [label for label in data.labels if any(label in record.labels for record in held.old)]
    seen: dict[str, list[tuple[Ranked, Ranked, Any]]] = {}

    def lists(kind: Kind) -> tuple[Any, list[tuple[Ranked, Ranked, Any]]]:
        made = make(kind, held.old, taxonomy=data.taxonomy)
        both = [(made, texts), (make(kind, items.records, taxonomy=data.taxonomy, suggester="none"), titles)]
        return made, [
            (by_meaning(one, queries), found, cosines_of(one, queries, found.numbers))
            for (one, queries), found in zip(both, words(), strict=True)
        ]

    def measure(name: str) -> dict[str, float]:
        made, seen[name] = lists(VARIANTS[name])
        judged = Asked(held.old, _judged(held.new, labels), held.old_rows, held.new_rows)
        figures = {f"{way}{key}": value for way, fuse in _SHOWN.items() for key, value in fusion(name, fuse).items()}
        return figures | suggested(made, judged, labels)

    def fusion(name: str, fuse: Fusion) -> dict[str, float]:
        if name not in seen:
            seen[name] = lists(VARIANTS[name])[1]
        texts_found, items_found = (fuse(*each) for each in seen[name])
        return {"nDCG@10": overlap_figure(texts_found, asked, known)} | item_figures(items_found, answers)

    for name in VARIANTS:
        kept.row("choose", name, partial(measure, name))
        for way, fuse in FUSIONS.items() if name in ("LSI", "MLSI") else ():
            kept.row(f"fusion {name}", way, partial(fusion, name, fuse))
    seen.clear()


def _find(data: Collected, asked: Asked, kept: Kept, table: str, neural: Any = None) -> None:
    """Records that share labels with new ones, asked for by their text and by their title."""
    queries = {"text": [record.text for record in asked.new], "title": [record.title for record in asked.new]}
    judged, known = (label_matrix(part, data.labels) for part in (asked.new, asked.old))
    words = cache(lambda way: kept.lists(f"{table} {way}", lambda: by_words(asked.old, queries[way])))

    def figures(find: Callable[[str], Ranked]) -> dict[str, float]:
        return {f"nDCG@10 {way}": overlap_figure(find(way), judged, known) for way in queries}

    kept.row(table, "BM25 (by words)", lambda: figures(words))
    if BM25S:
        kept.row(table, "BM25 (bm25s)", lambda: figures(lambda way: by_bm25s(asked.old, queries[way])))
    kept.row(table, "TF-IDF cosine", lambda: figures(lambda way: by_tfidf(asked.old, queries[way])))
    kinds = KINDS if neural is None else {name: KINDS[name] for name in ("LSI", "MLSI", "MLSI, pairs")}
    for name, kind in kinds.items():

        def rows(kind: Kind = kind, name: str = name) -> dict[str, dict[str, float]]:
            learns = neural is None and name != "LSI" and name not in kept.tables.get("suggest", {})
            made = make(kind, asked.old, taxonomy=data.taxonomy, suggester="auto" if learns else "none")
            if learns:
                whole = Asked(asked.old, data.new, None, None)
                kept.row("suggest", name, lambda: suggested(made, whole, data.labels))
            lists = {
                way: (by_meaning(made, queries[way]), words(way), cosines_of(made, queries[way], words(way).numbers))
                for way in queries
            }
            return {row: figures(lambda way, fuse=fuse: fuse(*lists[way])) for row, fuse in _ways(name).items()}  # type: ignore[misc]

        kept.rows(table, list(_ways(name)), rows)
    if neural is not None:
        _find_neural(asked, kept, table, neural, lambda found: overlap_figure(found, judged, known), words("text"))


def _find_all(data: Collected, kept: Kept) -> None:
    """All new records as queries, by their text, where that is fast: not by SQLite's BM25, and so not hybrid."""
    asked = testing(data)
    texts = [record.text for record in asked.new]
    judged, known = (label_matrix(part, data.labels) for part in (asked.new, asked.old))

    def figure(queries: Any, collection: Any) -> dict[str, float]:
        return {"nDCG@10 text": overlap_ndcg(queries, collection, judged, known, k=10)}

    def by_space(kind: Kind) -> dict[str, float]:
        made = make(kind, asked.old, taxonomy=data.taxonomy, suggester="none")
        return figure(made.space.place(texts), made.fitted.positions)

    def by_terms() -> dict[str, float]:
        words, X = Words.fit([record.text for record in asked.old], TextSettings())
        return figure(words.transform(texts), X)

    def by_bm25() -> dict[str, float]:
        return {"nDCG@10 text": overlap_figure(by_bm25s(asked.old, texts), judged, known)}

    for name, kind in RICHEST.items():
        kept.row("find all", name, partial(by_space, kind))
    kept.row("find all", "TF-IDF cosine", by_terms)
    if BM25S:
        kept.row("find all", "BM25 (bm25s)", by_bm25)


def _ways(name: str) -> dict[str, Fusion]:
    """Name the rows of a space: by meaning, and fused with words by ranks and by scores."""
    return {
        name: FUSIONS["by meaning"],
        f"{name}, hybrid by ranks": FUSIONS["ranks, k 60, meaning x 1"],
        f"{name}, hybrid by scores": FUSIONS["BM25 / best + cosine x 1"],
        f"{name}, hybrid by scores x 2": FUSIONS["BM25 / best + cosine x 2"],
    }


def _find_neural(asked: Asked, kept: Kept, table: str, neural: Any, figure: Any, words: Ranked) -> None:
    """MiniLM as it is, and a space that is informed by labels, made from its vectors; asked for by the text."""
    old, new = neural[asked.old_rows], neural[asked.new_rows]
    made = make(Kind(neural=True), asked.old, vectors=old, suggester="none")
    spaces = {"MiniLM": (new, old), "MLSI on MiniLM": (made.space.place_vectors(new), made.fitted.positions)}
    for name, (queries, collection) in spaces.items():
        lists = by_vectors(queries, collection), words, vector_cosines(queries, collection, words.numbers)
        for row, fuse in _ways(name).items():
            kept.row(table, row, lambda fuse=fuse, lists=lists: {"nDCG@10 text": figure(fuse(*lists))})  # type: ignore[misc]


def _items(data: Collected, kept: Kept) -> None:
    items = known_items(data)
    half = np.flatnonzero(~items.choosing)
    titles, answers = [items.titles[i] for i in half], items.answers[half]
    kept.row("sizes", "items", lambda: {"old": len(items.records), "new": len(titles)})
    _known(data, items.records, titles, answers, kept, "items")


def _known(
    data: Collected, records: Any, titles: Any, answers: Any, kept: Kept, table: str, neural: Any = None
) -> None:
    """Known-item search: a record whose title is not in the collection, found by this title."""
    words = cache(lambda: kept.lists(table, lambda: by_words(records, titles)))
    kept.row(table, "BM25 (by words)", lambda: item_figures(words(), answers))
    if BM25S:
        kept.row(table, "BM25 (bm25s)", lambda: item_figures(by_bm25s(records, titles), answers))
    kept.row(table, "TF-IDF cosine", lambda: item_figures(by_tfidf(records, titles), answers))

    def rows(name: str, queries: Any, collection: Any) -> dict[str, dict[str, float]]:
        lists = by_vectors(queries, collection), words(), vector_cosines(queries, collection, words().numbers)
        return {row: item_figures(fuse(*lists), answers) for row, fuse in _ways(name).items()}

    def of_words(name: str) -> dict[str, dict[str, float]]:
        made = make(KINDS[name], records, taxonomy=data.taxonomy, suggester="none")
        return rows(name, made.space.place(titles), made.fitted.positions)

    for name in ("LSI", "MLSI", "HLSI", "MLSI, pairs"):
        kept.rows(table, list(_ways(name)), partial(of_words, name))
    if neural is not None:
        bodies, asked = neural
        kept.rows(table, list(_ways("MiniLM")), lambda: rows("MiniLM", asked, bodies))
        made = make(Kind(neural=True), records, vectors=bodies, suggester="none")
        name, places = "MLSI on MiniLM", made.space.place_vectors(asked)
        kept.rows(table, list(_ways(name)), lambda: rows(name, places, made.fitted.positions))


def _suggest(data: Collected, kept: Kept) -> None:
    asked = testing(data)
    rows = {"svc": ["svc, cut at zero", "svc, tuned cuts"]}
    for name in RIVALS:
        kept.rows("suggest", rows.get(name, [name]), partial(rival_figures, name, asked, data.labels))

    def beside() -> Mapping[str, float]:
        return suggested(make(Kind(), asked.old, suggester="both"), asked, data.labels)

    kept.row("suggest", "MLSI, words beside", beside)


def _neural(data: Collected, kept: Kept, neural: Mapping[str, Any]) -> None:
    """The same on the records that the neural model has come to, all methods alike."""
    texts = neural.get(f"{data.name}_texts")
    if texts is not None:
        asked = _present(testing(data), texts)
        sizes = {"old": len(asked.old), "new": len(asked.new)}
        kept.row("neural", "sizes", lambda: sizes)
        _find(data, asked, kept, "neural find", texts)
    bodies, asked_titles = (neural.get(f"{data.name}_{what}") for what in ("bodies", "titles"))
    if bodies is None or asked_titles is None:
        return
    items = known_items(data)
    there = np.flatnonzero(~np.isnan(bodies[:, 0]))
    place = {row: at for at, row in enumerate(there.tolist())}
    usable = ~items.choosing & np.isin(items.answers, there) & ~np.isnan(asked_titles[:, 0])
    chosen = np.flatnonzero(usable)
    answers = np.array([place[row] for row in items.answers[chosen].tolist()])
    kept.row("neural", "item sizes", lambda: {"old": len(there), "new": len(chosen)})
    records, titles = [items.records[i] for i in there], [items.titles[i] for i in chosen]
    _known(data, records, titles, answers, kept, "neural items", (bodies[there], asked_titles[chosen]))


def _present(asked: Asked, vectors: Any) -> Asked:
    """Leave out the records without a vector."""
    old, new = (np.flatnonzero(~np.isnan(vectors[rows, 0])) for rows in (asked.old_rows, asked.new_rows))
    return Asked([asked.old[i] for i in old], [asked.new[i] for i in new], asked.old_rows[old], asked.new_rows[new])


def _sampled(asked: Asked, n_queries: int) -> Asked:
    chosen = np.sort(np.random.default_rng(3).permutation(len(asked.new))[:n_queries])
    return Asked(asked.old, [asked.new[i] for i in chosen], asked.old_rows, asked.new_rows[chosen])


def _judged(records: Sequence[Any], labels: Sequence[str]) -> list[Any]:
    """Leave out labels that nothing can be learnt of."""
    from dataclasses import replace

    known = set(labels)
    return [replace(each, labels=tuple(name for name in each.labels if name in known)) for each in records]
