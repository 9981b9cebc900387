"""A small thesaurus with everything that SKOS has for names, and records whose labels are written as people do.

Whales are below the sea and below animals. There are names in English and German, other and hidden names, notations,
related concepts, and two concepts that are called "Bank".
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

THESAURUS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/t/> .
:nature a skos:Concept ; skos:prefLabel "Nature"@en, "Natur"@de .
:sea a skos:Concept ; skos:prefLabel "Sea"@en, "Meer"@de ; skos:broader :nature ; skos:related :ships .
:animals a skos:Concept ; skos:prefLabel "Animals"@en, "Tiere"@de ; skos:broader :nature ; skos:notation "590" .
:whales a skos:Concept ; skos:prefLabel "Whales"@en, "Wale"@de ; skos:altLabel "Cetaceans"@en, "Walfische"@de ;
  skos:hiddenLabel "Wahles"@en ; skos:notation "599.5" ; skos:broader :sea, :animals .
:ships a skos:Concept ; skos:prefLabel "Ships"@en, "Schiffe"@de ; skos:altLabel "Vessels"@en .
:money a skos:Concept ; skos:prefLabel "Money"@en, "Geld"@de .
:furniture a skos:Concept ; skos:prefLabel "Furniture"@en, "Möbel"@de .
:bank1 a skos:Concept ; skos:prefLabel "Bank"@en, "Bank"@de ; skos:broader :money .
:bank2 a skos:Concept ; skos:prefLabel "Bench"@en, "Bank"@de ; skos:broader :furniture .
:games a skos:Concept ; skos:prefLabel "Games"@en, "Spiele"@de ; skos:altLabel "Spiel"@de .
"""
WORDS = {
    "Whales": ["whale", "dive", "song", "blubber", "fin"],
    "Ships": ["sail", "mast", "anchor", "deck", "hull"],
    "Money": ["coin", "interest", "loan", "price", "account"],
    "Games": ["chess", "dice", "play", "board", "card"],
}
WRITTEN = {
    "Whales": ["whales", "Cetaceans", "Wale", "599.5"],
    "Ships": ["Ships.", "vessels", "<http://example.org/t/ships>", "SCHIFFE"],
    "Money": ["Money", "geld", "https://example.org/t/money", "money"],
    "Games": ["Games", "Spiel", "games", "spiele"],
}


def iri(name: str) -> str:
    return f"http://example.org/t/{name}"


def write_thesaurus(folder: Path) -> Path:
    path = folder / "thesaurus.ttl"
    path.write_text(THESAURUS, encoding="utf-8")
    return path


def write_books(folder: Path, n: int = 32, name: str = "books.jsonl") -> Path:
    """Write records about four subjects, each subject in four spellings."""
    rng = np.random.default_rng(3)
    lines = []
    for number in range(n):
        subject = list(WORDS)[number % 4]
        text = " ".join(rng.choice(WORDS[subject], 6))
        lines.append({"id": f"b{number}", "text": text, "subjects": [WRITTEN[subject][number // 4 % 4]]})
    path = folder / name
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path
