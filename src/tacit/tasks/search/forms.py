"""Other forms of words: who types a plural that few records have means the singular, too, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from tacit.errors import MissingExtraError
from tacit.tasks.opened_index import OpenedIndex
from tacit.text.analysis import stemmer
from tacit.text.words import without_accents

__all__ = ["other_forms"]

_PART = re.compile(r'"[^"]*"|[^\W\d_]{3,}')
_MOST = 8  # words of a query whose forms are sought
# Records of a word whose forms are sought. On 500 held-out titles of Reuters and of arXiv each, 2026-11-18, hybrid
# search finds known items better by .003 ± .003 and .004 ± .002, and overlap of subjects changes by -.000 ± .002 and
# .002 ± .002; with 100 in place of 5 known items of Reuters lose .002 ± .006, and those by words alone .004 ± .005.
_FEW = 5
_MOST_FORMS = 1_000  # words with the same beginning that are looked at
_ENGLISH = (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("ss", "ss"), ("us", "us"))


def other_forms(collection: OpenedIndex, text: str) -> dict[str, str]:
    """Return another form of each word, in lower case, that no record has, or fewer records than have this form.

    Forms are words with the same stem; without a stemmer for the language, English plurals only. Phrases have none.
    """
    words = collection.space.words
    language = "english" if words is None else words.settings.language
    stop = frozenset() if words is None else words.analyse.stop_words
    typed = dict.fromkeys(part.lower() for part in _PART.findall(text) if not part.startswith('"'))
    given = [word for word in typed if word not in stop][:_MOST]
    found = {word: _other_form(collection, word, language) for word in given}
    plain = {without_accents(word) for word in typed}
    return {word: form for word, form in found.items() if form is not None and form not in plain}


def _other_form(collection: OpenedIndex, word: str, language: str) -> str | None:
    plain = without_accents(word)
    n_own = collection.store.n_records_with(plain, _FEW)
    if n_own >= _FEW or (key := _key_of(language)) is None:  # stemmers are loaded for rare words only
        return None
    wanted = {key(word), key(plain)}
    beginning = _common(plain, min(wanted, key=len))
    alike = [
        (form, n_records)
        for form, n_records in collection.store.forms(beginning, _MOST_FORMS)
        if form != plain and n_records > n_own and key(form) in wanted
    ]
    # of words with the same stem those that are spelt most alike: `universities` is a form of `university`
    best = max(alike, key=lambda form: (len(_common(form[0], plain)), form[1]), default=None)
    return None if best is None else best[0]


def _common(one: str, other: str) -> str:
    """Return the letters with which both words begin."""
    length = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    return one[: min(len(one), len(other)) if length is None else length]


@lru_cache(maxsize=8)
def _key_of(language: str) -> Callable[[str], str] | None:
    """Return what makes forms of a word alike; None for a language whose endings are not known."""
    try:
        stem = stemmer(language)
    except MissingExtraError:
        return _english_singular if language == "english" else None
    return None if stem is None else lambda word: without_accents(stem(word))


def _english_singular(word: str) -> str:
    """Return a word without the ending of an English plural."""
    for ending, other in _ENGLISH:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: len(word) - len(ending)] + other
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
