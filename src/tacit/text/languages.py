"""The language that most of some texts seem to be in, by the small words that each language has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

__all__ = ["likely_language"]

_SMALL_WORDS = {
    "english": "the and of for with that this from are by",
    "german": "und der die das nicht mit von ist eine den",
    "french": "les des une est dans pour sur avec et qui",
    "spanish": "los las una con por para del que como y",
    "italian": "il della che per una con sono nel gli di",
    "dutch": "het een van en niet met voor zijn op aan",
    "swedish": "och att det som för är inte ett av med",
    "finnish": "ja on ei että sekä kun joka mutta tai se",
    "danish": "og at det som for er ikke et af med",
    "portuguese": "os das uma com para não por do que e",
}
_FEWEST = 2  # small words that a text must have, to be counted


def likely_language(texts: Iterable[str]) -> str:
    """Return the English name of the language that more than half of the texts seem to be in, or "".

    Examples
    --------
    >>> likely_language(["the life of the whale and the sea", "Das Leben der Wale und das Meer", "und nicht die Wale"])
    'german'
    >>> likely_language(["whales", "Wale"])
    ''
    """
    lists = {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}
    counts: Counter[str] = Counter()
    n_texts = 0
    for text in texts:
        n_texts += 1
        words = set(re.findall(r"[^\W\d_]+", text.lower()))
        found = {language: len(words & small) for language, small in lists.items()}
        best = max(found, key=lambda language: found[language])
        if found[best] >= _FEWEST:
            counts[best] += 1
    language, most = counts.most_common(1)[0] if counts else ("", 0)
    return language if 2 * most > n_texts else ""
