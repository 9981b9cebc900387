"""Languages of names: tags such as "fi" and "en-GB", and the English names of languages."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.errors import InputError, did_you_mean

__all__ = ["choose_language", "is_in_language", "language_name", "language_tag"]


def language_tag(language: str) -> str:
    """Return the tag of a language that is given as a tag or by its English name: "finnish" and "FI" are "fi"."""
    plain = language.strip().casefold()
    return _TAGS.get(plain, plain)


def language_name(language: str) -> str:
    """Return the English name of a language that is given by it or as a tag; others as they are."""
    plain = language.strip().casefold()
    return next((name for name, tag in _TAGS.items() if tag == plain), plain)


def is_in_language(tag: str, language: str) -> bool:
    """Whether a tag is that of a language, or of a variant of it, as "en-GB" for "en"; case is ignored."""
    tag, language = tag.lower(), language.lower()  # RFC 5646
    return tag == language or (bool(language) and tag.startswith(f"{language}-"))


def choose_language(known: Iterable[str], wanted: str | None, *, of_texts: str = "") -> str:
    """Return the language in which names are shown.

    Parameters
    ----------
    known : tags of the languages that there are names in
    wanted : tag or English name of the language asked for, or None
    of_texts : tag or English name of the language of the texts

    Returns
    -------
    str
        The one asked for; else that of the texts if there are names in it, else English, else the first in alphabetical
        order; "" if no name has a language.

    Raises
    ------
    InputError
        If there are no names in the language asked for.
    """
    tags = sorted(known)
    if wanted is not None:
        tag = language_tag(wanted)
        if any(is_in_language(one, tag) for one in tags):
            return tag
        expected = f"one of {', '.join(tags)}" if tags else "none, since its names have no language"
        raise InputError(
            f"label_language is not a language of the taxonomy: got {wanted!r}, expected {expected}."
            f"{did_you_mean(wanted, [*tags, *(name for name, tag in _TAGS.items() if tag in tags)])}"
        )
    for tag in (language_tag(of_texts), "en"):
        if tag and any(is_in_language(one, tag) for one in tags):
            return tag
    return tags[0] if tags else ""


_TAGS = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "bulgarian": "bg", "catalan": "ca", "chinese": "zh",
    "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "esperanto": "eo",
    "estonian": "et", "finnish": "fi", "french": "fr", "galician": "gl", "german": "de", "greek": "el",
    "hebrew": "he", "hindi": "hi", "hungarian": "hu", "icelandic": "is", "indonesian": "id", "irish": "ga",
    "italian": "it", "japanese": "ja", "korean": "ko", "latin": "la", "latvian": "lv", "lithuanian": "lt",
    "nepali": "ne", "norwegian": "no", "persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "serbian": "sr", "slovak": "sk", "slovenian": "sl", "spanish": "es", "swedish": "sv",
    "tamil": "ta", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi", "welsh": "cy", "yiddish": "yi",
}  # fmt: skip
