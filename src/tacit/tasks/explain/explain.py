"""Explain: one function for all explanations, chosen by its arguments."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.checks import check_count
from tacit.errors import InputError
from tacit.tasks.explain.dimension import Dimension, dimensions, explain_dimension
from tacit.tasks.explain.hit import HitExplanation, explain_hit
from tacit.tasks.explain.label import LabelExplanation, LabelPlace, explain_label, explain_place
from tacit.tasks.explain.similar import PairExplanation, explain_similar
from tacit.tasks.label_names import find_number
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["Explanation", "concepts", "explain"]

Explanation = HitExplanation | PairExplanation | LabelExplanation | LabelPlace | Dimension


def explain(
    collection: OpenedIndex,
    *,
    query: str | None = None,
    ids: str | Sequence[str] = (),
    text: str | None = None,
    label: str | None = None,
    dimension: int | None = None,
    limit: int = 10,
) -> Explanation:
    """Explain a result, a label or a dimension.

    | arguments | result |
    |---|---|
    | `query`, one id | why the record matches the query: `HitExplanation` |
    | two ids | why the records are similar: `PairExplanation` |
    | `text`, `label` | why the label is suggested for the text: `LabelExplanation` |
    | one id, `label` | the same for the text of the record |
    | `label` | what is near the label: `LabelPlace` |
    | `dimension` | what the dimension is about, the first is 1: `Dimension` |

    Parameters
    ----------
    collection : an open index
    query, ids, text, label, dimension : what to explain
    limit : int, default 10
        Most labels, records, words or dimensions to return.

    Raises
    ------
    InputError
        If the combination of arguments is not supported, or a name is unknown; then with the nearest spelling.
    """
    keys = [ids] if isinstance(ids, str) else list(ids)
    asked = {
        *(name for name, given in (("query", query), ("text", text), ("label", label)) if given is not None),
        *(["dimension"] if dimension is not None else []),
        *({1: ["one id"], 2: ["two ids"]}.get(len(keys), ["several ids"]) if keys else []),
    }
    if query is not None and asked == {"query", "one id"}:
        return explain_hit(collection, query, keys[0], limit=limit)
    if asked == {"two ids"}:
        return explain_similar(collection, *keys, limit=limit)
    if label is not None and asked == {"one id", "label"}:
        (record,) = collection.store.get([find_number(collection, keys[0])])
        return explain_label(collection, record.text, label, limit=limit)
    if label is not None and text is not None and asked == {"text", "label"}:
        return explain_label(collection, text, label, limit=limit)
    if label is not None and asked == {"label"}:
        return explain_place(collection, label, limit=limit)
    if dimension is not None and asked == {"dimension"}:
        return explain_dimension(collection, dimension, limit=limit)
    got = " and ".join(sorted(asked)) or "nothing"
    raise InputError(
        f"this combination is not supported: got {got}, expected `query` and one `id`, two `id`, `text` and `label`, "
        "one `id` and `label`, `label` alone, or `dimension`."
    )


def concepts(collection: OpenedIndex, *, limit: int = 10, words: int = 6) -> list[Dimension]:
    """Describe the first dimensions by at most `words` words, labels and linked things at both of their ends."""
    last = min(check_count("limit", limit), collection.space.n_dimensions)
    return dimensions(collection, range(1, last + 1), limit=check_count("words", words))
