"""What the study of an index's answers runs: a row a method, kept as soon as it is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from index_answers_data import Asked, Collected, KnownItems, choosing, known_items, label_matrix, testing
from index_answers_kept import Kept
from index_answers_measures import Ranked, fused, fused_cosines, fused_scores, item_figures, overlap_figure
from index_answers_retrieval import (
    BM25S,
    Kind,
    Made,
    Vectors,
    by_bm25s,
    by_tfidf,
    by_vectors,
    by_words,
    make,
    suggested,
    vector_cosines,
)
from index_answers_rivals import RIVALS, rival_figures

from tacit.evaluate import overlap_ndcg
from tacit.text.settings import TextSettings
from tacit.text.words import Words

__all__ = ["DEFAULT", "FUSIONS", "KINDS", "VARIANTS", "run"]


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
_OF_VECTORS = ("MiniLM", "MLSI on MiniLM")
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
    **{
        f"BM25 / best + cosine x {weight} + lead x {lead}": partial(fused_cosines, weight=weight, lead=lead)
        for weight, lead in ((2, 1), (2, 2), (2, 4), (3, 2), (3, 4), (3, 6), (4, 4), (4, 6), (4, 8))
    },
}


DEFAULT = FUSIONS["BM25 / best + cosine x 3 + lead x 4"]  # as `search` does it for at most a dozen words
_SHOWN: dict[str, Fusion] = {"": FUSIONS["by meaning"], "hybrid ": DEFAULT}


def run(data: Collected, kept: Kept, neural: Mapping[str, Any], parts: Sequence[str], n_queries: int) -> None:
    """Measure the parts of the study on a data set: choose, find, all, items, suggest."""
    whole, items = testing(data), known_items(data)
    asked = _sampled(whole, n_queries)
    kept.row("sizes", "queries", lambda: {"find": len(asked.new)})
    if "choose" in parts:
        _choose(data, kept)
    if "find" in parts:
        _find(data, asked, kept, _vectors_of(data, asked, neural))
    if "all" in parts:
        _find_all(data, whole, kept, _vectors_of(data, whole, neural))
    if "items" in parts:
        _items(data, items, kept, neural)
    if "suggest" in parts:
        _suggest(data, whole, kept, _vectors_of(data, whole, neural))


def _vectors_of(data: Collected, asked: Asked, neural: Mapping[str, Any]) -> Vectors | None:
    """Give the neural model's vectors of what is learnt from and asked with, if all are there."""
    if f"{data.name}_texts" not in neural or f"{data.name}_asked" not in neural:
        return None
    texts, titles = neural[f"{data.name}_texts"], neural[f"{data.name}_asked"]
    asked_titles = titles[asked.new_rows - len(data.old)]
    return Vectors(texts[asked.old_rows], {"text": texts[asked.new_rows], "title": asked_titles})


def _placed(
    name: str,
    data: Collected,
    records: Any,
    queries: Mapping[str, Any],
    vectors: Vectors | None,
    suggester: str = "none",
) -> tuple[Made | None, Vectors]:
    """Make a space, by its name, and give what was fitted, if anything was, and where all are in it."""
    if name in _OF_VECTORS:
        assert vectors is not None  # such a space is asked for only where there are vectors
        if name == "MiniLM":
            return None, vectors
        made = make(Kind(neural=True), records, vectors=vectors.collection, suggester=suggester)
        return made, made.moved(vectors)
    made = make(RICHEST[name], records, taxonomy=data.taxonomy, suggester=suggester)
    return made, made.placed(queries)


def _with_vectors(names: Iterable[str], vectors: Vectors | None) -> list[str]:
    return [*names, *(() if vectors is None else _OF_VECTORS)]


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
            _lists(one.placed({"asked": queries}), "asked", found)
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


def _find(data: Collected, asked: Asked, kept: Kept, vectors: Vectors | None) -> None:
    """Records that share labels with new ones, asked for by their text and by their title."""
    queries = {"text": [record.text for record in asked.new], "title": [record.title for record in asked.new]}
    judged, known = (label_matrix(part, data.labels) for part in (asked.new, asked.old))
    words = cache(lambda way: kept.lists(f"find {way}", lambda: by_words(asked.old, queries[way])))

    def figures(find: Callable[[str], Ranked]) -> dict[str, float]:
        return {f"nDCG@10 {way}": overlap_figure(find(way), judged, known) for way in queries}

    def rows(name: str) -> dict[str, dict[str, float]]:
        places = _placed(name, data, asked.old, queries, vectors)[1]
        lists = {way: _lists(places, way, words(way)) for way in queries}
        return {row: figures(lambda way, fuse=fuse: fuse(*lists[way])) for row, fuse in _ways(name).items()}  # type: ignore[misc]

    kept.row("find", "BM25 (by words)", lambda: figures(words))
    if BM25S:
        kept.row("find", "BM25 (bm25s)", lambda: figures(lambda way: by_bm25s(asked.old, queries[way])))
    kept.row("find", "TF-IDF cosine", lambda: figures(lambda way: by_tfidf(asked.old, queries[way])))
    for name in _with_vectors(KINDS, vectors):
        kept.rows("find", list(_ways(name)), partial(rows, name))


def _lists(places: Vectors, way: str, words: Ranked) -> tuple[Ranked, Ranked, Any]:
    """What is found by meaning and by words, and the cosines of the latter."""
    queries, collection = places.queries[way], places.collection
    return by_vectors(queries, collection), words, vector_cosines(queries, collection, words.numbers)


def _find_all(data: Collected, asked: Asked, kept: Kept, vectors: Vectors | None) -> None:
    """All new records as queries, by their text, where that is fast: not by SQLite's BM25, and so not hybrid."""
    texts = [record.text for record in asked.new]
    judged, known = (label_matrix(part, data.labels) for part in (asked.new, asked.old))

    def figure(queries: Any, collection: Any) -> dict[str, float]:
        return {"nDCG@10 text": overlap_ndcg(queries, collection, judged, known, k=10)}

    def by_space(name: str) -> dict[str, float]:
        places = _placed(name, data, asked.old, {"text": texts}, vectors)[1]
        return figure(places.queries["text"], places.collection)

    def by_terms() -> dict[str, float]:
        words, X = Words.fit([record.text for record in asked.old], TextSettings())
        return figure(words.transform(texts), X)

    def by_bm25() -> dict[str, float]:
        return {"nDCG@10 text": overlap_figure(by_bm25s(asked.old, texts), judged, known)}

    for name in _with_vectors(RICHEST, vectors):
        kept.row("find all", name, partial(by_space, name))
    kept.row("find all", "TF-IDF cosine", by_terms)
    if BM25S:
        kept.row("find all", "BM25 (bm25s)", by_bm25)


def _ways(name: str) -> dict[str, Fusion]:
    """Name the rows of a space: by meaning, and fused with words by ranks, by scores, and as `search` does it."""
    return {
        name: FUSIONS["by meaning"],
        f"{name}, hybrid by ranks": FUSIONS["ranks, k 60, meaning x 1"],
        f"{name}, hybrid by scores": FUSIONS["BM25 / best + cosine x 2"],
        f"{name}, hybrid with the lead": DEFAULT,
    }


def _items(data: Collected, items: KnownItems, kept: Kept, neural: Mapping[str, Any]) -> None:
    """Known-item search: a record whose title is not in the collection, found by this title."""
    half = np.flatnonzero(~items.choosing)
    records, titles, answers = items.records, [items.titles[i] for i in half], items.answers[half]
    kept.row("sizes", "items", lambda: {"old": len(records), "new": len(titles)})
    words = cache(lambda: kept.lists("items", lambda: by_words(records, titles)))
    kept.row("items", "BM25 (by words)", lambda: item_figures(words(), answers))
    if BM25S:
        kept.row("items", "BM25 (bm25s)", lambda: item_figures(by_bm25s(records, titles), answers))
    kept.row("items", "TF-IDF cosine", lambda: item_figures(by_tfidf(records, titles), answers))
    bodies, asked = (neural.get(f"{data.name}_{what}") for what in ("bodies", "titles"))
    vectors = None if bodies is None or asked is None else Vectors(bodies, {"title": asked[half]})

    def rows(name: str) -> dict[str, dict[str, float]]:
        places = _placed(name, data, records, {"title": titles}, vectors)[1]
        lists = _lists(places, "title", words())
        return {row: item_figures(fuse(*lists), answers) for row, fuse in _ways(name).items()}

    for name in _with_vectors(KINDS, vectors):
        kept.rows("items", list(_ways(name)), partial(rows, name))


def _suggest(data: Collected, asked: Asked, kept: Kept, vectors: Vectors | None) -> None:
    """Labels of all new records: the rivals, and suggesters in several spaces."""
    rows = {"svc": ["svc, cut at zero", "svc, tuned cuts"]}
    for name in RIVALS:
        kept.rows("suggest", rows.get(name, [name]), partial(rival_figures, name, asked, data.labels))
    queries = {"text": [record.text for record in asked.new]}

    def by_space(name: str) -> Mapping[str, float]:
        made, places = _placed(name, data, asked.old, queries, vectors, "logistic")
        assert made is not None  # of the neural model's own vectors nobody asks
        return suggested(made, asked, data.labels, places.queries["text"])

    def beside() -> Mapping[str, float]:
        return suggested(make(Kind(), asked.old, suggester="both"), asked, data.labels)

    for name in ("MLSI", "MLSI, taxonomy", "HLSI", "MLSI, pairs", *(() if vectors is None else _OF_VECTORS[1:])):
        kept.row("suggest", name, partial(by_space, name))
    kept.row("suggest", "MLSI, words beside", beside)


def _sampled(asked: Asked, n_queries: int) -> Asked:
    chosen = np.sort(np.random.default_rng(3).permutation(len(asked.new))[:n_queries])
    return Asked(asked.old, [asked.new[i] for i in chosen], asked.old_rows, asked.new_rows[chosen])


def _judged(records: Sequence[Any], labels: Sequence[str]) -> list[Any]:
    """Leave out labels that nothing can be learnt of."""
    from dataclasses import replace

    known = set(labels)
    return [replace(each, labels=tuple(name for name in each.labels if name in known)) for each in records]
