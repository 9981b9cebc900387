"""The language that most texts seem to be in."""

from __future__ import annotations

import pytest

from tacit.text.languages import likely_language

ENGLISH = ["the life of the whale and the sea", "a history of ships and of those who sailed with them"]
GERMAN = [
    "das Leben der Wale und das Meer",
    "die Geschichte der Schiffe, mit Karten",
    "der Hafen ist nicht weit von hier",
]
FINNISH = ["valaat ja meri on kirja", "laiva ei ole satamassa, mutta se tulee kun tuuli on hyv\u00e4"]


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (ENGLISH, "english"),
        (GERMAN, "german"),
        (FINNISH, "finnish"),
        ([*ENGLISH, *GERMAN], "german"),  # three of five
        ([*ENGLISH, *GERMAN[:2]], ""),  # no majority
        (["Wale", "whales", "valaat"], ""),  # too short to tell
        ([], ""),
    ],
)
def test_the_language_of_most_texts(texts, language):
    assert likely_language(iter(texts)) == language
