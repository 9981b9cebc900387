"""Postings of 20 Newsgroups as matrices: words, subject lines, authors and organizations, one row per email.

The weights of words are (1 + ln tf) ln(N / df), rows of unit length: the paper says "TF-IDF" only, and this is the form
that gives its table 2. All that depends on the collection (how rare a word is, how many emails an author wrote) is
taken from the emails that a model is trained on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.preprocessing import normalize

from tacit.corpus import Record
from tacit.datasets import load_newsgroups
from tacit.relations.tables.relations import Relations
from tacit.text.analysis import stemmer

__all__ = ["PAPER", "RELATED", "Emails", "Setting", "View", "emails", "relations", "view"]

_KINDS = ("subject", "author", "organization")  # never "newsgroups": that header holds the answer
Rows = npt.NDArray[np.intp]


class Setting(NamedTuple):
    """Weights of the relations, and how a subject (author, organization) with n emails is scaled: by n^-scale."""

    word: float = 1.0
    subject: float = 0.0
    subject_word: float = 0.0
    author: float = 0.0
    organization: float = 0.0
    scale: float = 0.5

    @property
    def kinds(self) -> tuple[str, ...]:
        """Types of objects beside emails and words."""
        return tuple(kind for kind in _KINDS if getattr(self, kind) > 0)


PAPER = Setting(word=0.5, subject=0.3, subject_word=0.2, scale=0.0)  # α = .3, β = .5, γ = .2
# chosen on rec.*, sci.* and talk.*, 2026-11-16: of 20 settings that with the best F, and that with the best accuracy
RELATED = {
    "clusters": Setting(subject=2.0, subject_word=0.4, author=2.0, organization=2.0, scale=1.0),
    "clusters, runner-up": Setting(subject=2.0, subject_word=0.4, author=2.0, organization=2.0, scale=0.5),
    "categories": Setting(subject=2.0, subject_word=0.4, author=2.0, scale=0.5),
}


class Emails(NamedTuple):
    """Counts of words and 0/1 tables of everything else; the subjects' own words are those of their lines."""

    groups: npt.NDArray[np.str_]
    words: sp.csr_array
    subject_words: sp.csr_array
    tables: dict[str, sp.csr_array]
    vocabulary: tuple[str, ...]

    def part(self, rows: Rows) -> Emails:
        """Keep some emails; words and names that only the others have stay, without an entry."""
        tables = {kind: table[rows] for kind, table in self.tables.items()}
        return self._replace(groups=self.groups[rows], words=self.words[rows], tables=tables)


class View(NamedTuple):
    """All emails as seen from those that a model is trained on: words weighted, tables scaled."""

    words: sp.csr_array
    subject_words: sp.csr_array
    tables: dict[str, sp.csr_array]


class _Post(NamedTuple):
    group: str
    body: list[str]
    title: list[str]
    names: dict[str, str | None]


@cache
def _posts(data_dir: Path | None, quick: bool) -> tuple[_Post, ...]:
    """Read the five comp.* groups; `quick` keeps a few threads of each group."""
    records = load_newsgroups(data_dir, groups=["comp.*"])
    if not quick:
        return tuple(_post(record) for record in records)
    # threads stay together in a small sample, or there would be no relation to learn from
    seen: Counter[str] = Counter()
    posts = []
    for record in sorted(records, key=lambda record: record.fields["subject"] or ""):
        seen[record.labels[0]] += 1
        if seen[record.labels[0]] <= 60:
            posts.append(_post(record))
    return tuple(posts)


@cache
def emails(data_dir: Path | None, text: str, *, quick: bool = False, min_emails: int = 1) -> Emails:
    """Count stems of bodies ("bodies") or of subject lines and bodies ("subjects and bodies")."""
    posts = _posts(data_dir, quick)
    vectoriser = CountVectorizer(analyzer=_stems, min_df=min_emails, dtype=np.float32)
    words = vectoriser.fit_transform(post.body if text == "bodies" else post.title + post.body for post in posts)
    tables, known = {}, {}
    for kind in _KINDS:
        tables[kind], known[kind] = _table([post.names[kind] for post in posts])
    lines = vectoriser.transform([_words(subject) for subject in known["subject"]])
    groups = np.array([post.group for post in posts])
    vocabulary = tuple(vectoriser.get_feature_names_out().tolist())
    return Emails(groups, sp.csr_array(words), sp.csr_array(lines), tables, vocabulary)


def view(mails: Emails, rows: Rows | None = None, *, scale: float = 0.5) -> View:
    """Weight words and tables by what the emails in `rows` (all if not given) know."""
    rows = np.arange(mails.words.shape[0]) if rows is None else rows
    df = _sums(mails.words[rows] > 0)
    idf = np.where(df > 0, np.log(len(rows) / np.maximum(df, 1)), 0.0)
    tables = {}
    for kind, table in mails.tables.items():
        n = _sums(table[rows])
        # a name that no email in `rows` has is unknown to the model
        tables[kind] = _scaled(table, np.where(n > 0, np.maximum(n, 1) ** -scale, 0.0))
    is_known = sp.diags_array((_sums(mails.tables["subject"][rows]) > 0).astype(np.float32))
    return View(_tfidf(mails.words, idf), sp.csr_array(is_known @ _tfidf(mails.subject_words, idf)), tables)


def relations(seen: View, setting: Setting, rows: Rows | None = None) -> Relations:
    """Relate the emails in `rows` (all if not given) to their words, subjects and so on, with the setting's weights."""
    rows = np.arange(seen.words.shape[0]) if rows is None else rows
    graph = Relations().add("email", "word", seen.words[rows], weight=setting.word)
    for kind in setting.kinds:
        graph = graph.add("email", kind, seen.tables[kind][rows], weight=getattr(setting, kind))
    if setting.subject_word:
        graph = graph.add("subject", "word", seen.subject_words, weight=setting.subject_word)
    return graph


def _post(record: Record) -> _Post:
    organization = " ".join((record.fields["organization"] or "").lower().split())
    names = {
        "subject": record.fields["subject"],
        "author": next(iter(record.links["author"]), None),
        "organization": organization or None,
    }
    return _Post(record.labels[0], _words(record.fields["body"]), _words(record.title or ""), names)


def _words(text: Any) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]{2,}", text.lower()) if word not in ENGLISH_STOP_WORDS]


def _stems(words: Sequence[str]) -> list[str]:
    """Stem by Porter's rules; his own program leaves words of two letters alone, and the paper has "os" and "ms"."""
    stem = stemmer("porter")
    assert stem is not None
    return [stem(word) if len(word) > 2 else word for word in words]


def _table(names: Sequence[str | None]) -> tuple[sp.csr_array, list[str]]:
    """Return a 0/1 table of emails and names, and the names in order."""
    known = sorted({name for name in names if name is not None})
    places = {name: place for place, name in enumerate(known)}
    pairs = np.array([(row, places[name]) for row, name in enumerate(names) if name is not None], dtype=np.int32)
    ones = np.ones(len(pairs), dtype=np.float32)
    return sp.csr_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(len(names), len(known))), known


def _tfidf(counts: sp.csr_array, idf: npt.NDArray[np.float64]) -> sp.csr_array:
    weights = counts.copy()
    weights.data = 1 + np.log(weights.data)
    return sp.csr_array(normalize(_scaled(weights, idf)))


def _scaled(matrix: sp.csr_array, columns: npt.NDArray[np.float64]) -> sp.csr_array:
    return sp.csr_array(matrix @ sp.diags_array(columns.astype(np.float32)))


def _sums(matrix: Any) -> npt.NDArray[np.float64]:
    return np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
