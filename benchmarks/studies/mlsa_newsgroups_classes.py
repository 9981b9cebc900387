"""Sec. 5.3 of [Wang2006]: which group is an email from? Linear support vector machines on words and in spaces.

800 emails a group for training, 200 for test, in random splits. All that is learned (words, weights, spaces) comes from
the training emails. Rows are scaled to unit length, and C is chosen for each way of describing emails by itself, on a
fifth of the training emails that the space had not seen either. The highest of five scores wins, so that micro F1 is
the share of emails that are put right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from mlsa_newsgroups_clusters import progress
from mlsa_newsgroups_emails import Emails, Setting, View, relations, view

from tacit import LSI, MLSA, MLSI, LabelHead, LabelMatrix
from tacit.evaluate import f1

__all__ = ["classes", "fixed_machines", "related_accuracy", "representative_words", "weights_curve"]

DIMENSIONS = (5, 10, 20, 30, 50, 100)
WEIGHTS = tuple(round(0.1 * step, 1) for step in range(11))
GRID = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
K = 50
_MORE = 0.3  # weight of a subject, author or organization beside words of unit length; 1 is no better


class Split(NamedTuple):
    """Training and new emails."""

    train: npt.NDArray[np.intp]
    new: npt.NDArray[np.intp]


class Described(NamedTuple):
    """Training and new emails described in one way."""

    name: str
    k: int
    train: Any
    new: Any


def classes(mails: Emails, setting: Setting, *, seeds: range, quick: bool) -> Iterator[list[Any]]:
    """Figure 6 and our own rows: [seed, way, dimensions, C, micro F1]; words have no dimensions."""
    for seed in seeds:
        outer = _split(mails.groups, np.arange(len(mails.groups)), seed)
        yield from _judged(mails, seed, outer, lambda split: _ways(mails, setting, split, quick))
        progress(f"split {seed}: done")


def weights_curve(mails: Emails, *, seeds: range, quick: bool) -> Iterator[list[Any]]:
    """Figure 7: [seed, α, dimensions, C, micro F1]."""
    for seed in seeds:
        outer = _split(mails.groups, np.arange(len(mails.groups)), seed)
        yield from _judged(mails, seed, outer, lambda split: _by_weight(mails, split, quick))
        progress(f"split {seed}, weights: done")


def fixed_machines(mails: Emails, *, seeds: range, C: float, quick: bool) -> Iterator[list[Any]]:
    """Machines with one C for all ways, each cut at zero as a classifier by itself: [seed, way, micro F1]."""
    names = sorted(set(mails.groups))
    labels = LabelMatrix.from_sets([{group} for group in mails.groups], names=names)
    for seed in seeds:
        split = _split(mails.groups, np.arange(len(mails.groups)), seed)
        for way in _plain_ways(view(mails, split.train), mails, split, (5 if quick else K,)):
            if way.name.endswith("transductive"):
                continue
            head = LabelHead("svm", C=C, thresholds="zero", calibrate=False, random_state=0)
            said = head.fit(way.train, labels[split.train]).predict(way.new)
            yield [seed, way.name, f1(labels[split.new], said).micro]


def related_accuracy(mails: Emails, setting: Setting, *, quick: bool) -> float:
    """Give the share of new emails that M-LSA with relations puts right, in one split, at the better of two C."""
    split = _split(mails.groups, np.arange(len(mails.groups)), 0)
    way = _related(view(mails, split.train, scale=setting.scale), mails, setting, split, 5 if quick else K)
    return max(_accuracy(way, mails.groups, split, C) for C in (0.3, 3.0))


def representative_words(mails: Emails, *, limit: int = 10) -> dict[str, list[list[str]]]:
    """Table 4: for each group the strongest words of its mean email, and those nearest to it in M-LSA's space."""
    words = view(mails).words
    space = MLSA(K, label_weight=0.3, centroid_weight=0.0).fit(words, mails.groups)
    table = {}
    for group in sorted(set(mails.groups)):
        mean = np.asarray(words[mails.groups == group].mean(axis=0)).ravel()
        centroid = [mails.vocabulary[place] for place in np.argsort(-mean, kind="stable")[:limit]]
        near = space.similar("label", group, to="term", limit=limit, measure="dot")
        table[group] = [centroid, [mails.vocabulary[int(str(term))] for term, _ in near]]
    return table


def _judged(mails: Emails, seed: int, outer: Split, ways: Any) -> Iterator[list[Any]]:
    """Choose C of each way on emails left out of the training ones, then train on all of these and test."""
    inner = _split(mails.groups, outer.train, seed)
    chosen = {}
    for way in ways(inner):
        scores = [_accuracy(way, mails.groups, inner, C) for C in GRID]
        chosen[way.name, way.k] = GRID[int(np.argmax(scores))]
    for way in ways(outer):
        C = chosen[way.name, way.k]
        yield [seed, way.name, way.k, C, _accuracy(way, mails.groups, outer, C)]


def _split(groups: Any, rows: npt.NDArray[np.intp], seed: int) -> Split:
    """Four fifths of each group for training, the rest is new."""
    rng = np.random.default_rng(seed)
    train, new = [], []
    for group in sorted(set(groups)):
        own = rng.permutation(rows[groups[rows] == group])
        train.append(own[: len(own) * 4 // 5])
        new.append(own[len(own) * 4 // 5 :])
    return Split(np.sort(np.concatenate(train)), np.sort(np.concatenate(new)))


def _accuracy(way: Described, groups: Any, split: Split, C: float) -> float:
    head = LabelHead("svm", C=C, calibrate=False, random_state=0).fit(way.train, groups[split.train])
    return float(np.mean(head.predict(way.new) == groups[split.new]))


def _ways(mails: Emails, setting: Setting, split: Split, quick: bool) -> Iterator[Described]:
    """Describe emails by words, in the spaces of the paper, in MLSI's, and with relations."""
    seen = view(mails, split.train, scale=setting.scale)
    k = 5 if quick else K
    yield from _plain_ways(seen, mails, split, (5,) if quick else DIMENSIONS)
    X, new, y = seen.words[split.train], seen.words[split.new], mails.groups[split.train]
    informed = MLSI(k)
    honest, placed = informed.fit_transform(X, y), informed.transform(new)
    yield Described("MLSI", k, honest, placed)
    yield Described("MLSI, in-sample", k, informed.transform(X), placed)
    yield Described("words and relations", 0, *(_beside(seen, setting, rows) for rows in split))
    yield _related(seen, mails, setting, split, k)


def _plain_ways(seen: View, mails: Emails, split: Split, dimensions: tuple[int, ...]) -> Iterator[Described]:
    """Words, LSA and M-LSA; the leading dimensions of a space are those of a smaller one."""
    X, new, y = seen.words[split.train], seen.words[split.new], mails.groups[split.train]
    yield Described("words", 0, X, new)
    plain = LSI(max(dimensions)).fit(X)
    informed = MLSA(max(dimensions), label_weight=0.3).fit(X, y)
    for name, model in (("LSA", plain), ("M-LSA", informed)):
        positions, placed = model.transform(X), model.transform(new)
        yield from (Described(name, k, positions[:, :k], placed[:, :k]) for k in dimensions)
    k = K if K in dimensions else max(dimensions)
    yield Described("M-LSA, transductive", k, informed.positions_["record"][:, :k], placed[:, :k])


def _by_weight(mails: Emails, split: Split, quick: bool) -> Iterator[Described]:
    words, y = view(mails, split.train).words, mails.groups[split.train]
    k = 5 if quick else K
    for weight in WEIGHTS[::5] if quick else WEIGHTS:
        model = MLSA(k, label_weight=weight).fit(words[split.train], y)
        yield Described(f"{weight:.1f}", k, model.transform(words[split.train]), model.transform(words[split.new]))


def _beside(seen: View, setting: Setting, rows: npt.NDArray[np.intp]) -> sp.csr_array:
    """Put the names that an email goes with, as far as training emails have them, beside its words."""
    names = [sp.csr_array((seen.tables[kind] > 0) * np.float32(_MORE)) for kind in setting.kinds]
    table = sp.hstack([seen.words, *names], format="csr")[rows]
    # stacked indices are wider than the machines take
    table.indices, table.indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
    return table


def _related(seen: View, mails: Emails, setting: Setting, split: Split, k: int) -> Described:
    """Learn a space from words, relations and labels, and place emails by all that is known of them but their label."""
    X, labels = seen.words[split.train], LabelMatrix.from_classes(mails.groups[split.train])
    Y = labels.to_matrix(np.float32)
    means = sp.csr_array(sp.diags_array((1 / labels.counts).astype(np.float32)) @ (Y.T @ X))
    graph = relations(seen, setting, split.train)
    # as eq. (9) has them: α = .3 for emails, 1 for the mean words of a label
    model = MLSA(k).fit(graph.add("email", "label", Y, weight=0.3).add("label", "word", means))
    placed = []
    for rows in split:
        known = {"word": seen.words[rows]} | {kind: seen.tables[kind][rows] for kind in setting.kinds}
        placed.append(model.fold_in("email", known))
    return Described("M-LSA with relations", k, *placed)
