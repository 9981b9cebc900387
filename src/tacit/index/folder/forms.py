"""The forms of an index's JSON: which keys there are, and of what type and size their values.

A checksum says that a file is as it was written, not that Tacit wrote it; what has the form of what Tacit writes can be
used without an error. Keys that are not named here pass, since a newer version may write more. A form looks at all
values in the same place of all entries at once, so a vocabulary of 100,000 subjects takes a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.index.folder.arrays import REMEDY

__all__ = ["check_facts", "check_settings"]

Form = Callable[[list[Any], str], None]  # gets the values in one place and its name; raises `_WrongFormError`

_WIDEST = 32_768  # coordinates of a map are in 16 bits
_MOST = 1 << 53  # whole numbers that are exact in every program
_GREATEST = 1e100  # of other numbers, whose squares are finite


class _WrongFormError(Exception):
    """Somewhere stands something else than expected."""

    def __init__(self, place: str, got: str, expected: str) -> None:
        super().__init__(f"got {got} at {place or 'the top'}, expected {expected}")


def check_facts(name: str, facts: Any, path: Path) -> None:
    """Raise an `InputError` unless facts of this name have their form; those of a newer version may have any."""
    _check(_FACTS.get(name, _anything), facts, path)


def check_settings(settings: Mapping[str, Any], path: Path) -> None:
    """Raise an `InputError` unless the settings in the manifest of an index have their form."""
    _check(_SETTINGS, settings, path)


def _check(form: Form, content: Any, path: Path) -> None:
    try:
        form([content], "")
    except _WrongFormError as error:
        raise InputError(f"{path} is not of the form that Tacit writes: {error}. {REMEDY}") from error


def _shown(value: object) -> str:
    """Return a value, or its type if it is long or holds others."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a dictionary"
    text = repr(value) if not isinstance(value, int) or abs(value) <= _MOST else "a number of many digits"
    return text if len(text) <= 40 else f"{text[:40]}…"


def _of_types(values: list[Any], place: str, types: set[type], expected: str) -> None:
    if not set(map(type, values)) <= types:
        raise _WrongFormError(place, _shown(next(one for one in values if type(one) not in types)), expected)


def _anything(values: list[Any], place: str) -> None:
    """Any JSON."""


def _text(values: list[Any], place: str) -> None:
    _of_types(values, place, {str}, "text")
    try:
        "".join(values).encode()
    except UnicodeEncodeError as error:
        raise _WrongFormError(place, _shown(error.object[error.start]), "whole characters") from error


def _flag(values: list[Any], place: str) -> None:
    _of_types(values, place, {bool}, "true or false")


def _whole(low: int = 0, high: int = _MOST) -> Form:
    def form(values: list[Any], place: str) -> None:
        expected = f"a whole number from {low:,} to {high:,}"
        _of_types(values, place, {int}, expected)
        if values and not low <= min(values) <= max(values) <= high:
            raise _WrongFormError(place, _shown(min(values) if min(values) < low else max(values)), expected)

    return form


def _number(low: float = -_GREATEST, high: float = _GREATEST) -> Form:
    def form(values: list[Any], place: str) -> None:
        expected = f"a number from {low:g} to {high:g}"
        _of_types(values, place, {int, float}, expected)
        if values and not low <= min(values) <= max(values) <= high:  # there is no NaN in JSON
            raise _WrongFormError(place, _shown(min(values) if min(values) < low else max(values)), expected)

    return form


def _list_of(form: Form, *, unique: bool = False) -> Form:
    def inner(values: list[Any], place: str) -> None:
        _of_types(values, place, {list}, "a list")
        form(list(chain.from_iterable(values)), f"{place}[]")
        for names in values if unique else ():
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise _WrongFormError(f"{place}[]", f"{_shown(twice)} twice", "different names")

    return inner


def _table_of(form: Form) -> Form:
    """Names with values of one form."""

    def inner(values: list[Any], place: str) -> None:
        _of_types(values, place, {dict}, "a dictionary")
        _text(list(chain.from_iterable(values)), f"{place}{{}}")
        form(list(chain.from_iterable(value.values() for value in values)), f"{place}{{}}")

    return inner


def _keys(always: Mapping[str, Form], sometimes: Mapping[str, Form] | None = None) -> Form:
    """A dictionary with keys that must be there, keys that may be there, and any others."""

    def inner(values: list[Any], place: str) -> None:
        _of_types(values, place, {dict}, "a dictionary")
        for name, form in {**always, **(sometimes or {})}.items():
            below = f"{place}.{name}" if place else name
            given = [value[name] for value in values if name in value]
            if name in always and len(given) < len(values):
                raise _WrongFormError(below, "nothing", "a value")
            form(given, below)

    return inner


def _or_none(form: Form) -> Form:
    return lambda values, place: form([value for value in values if value is not None], place)


def _texts_or(form: Form) -> Form:
    def inner(values: list[Any], place: str) -> None:
        _text([value for value in values if type(value) is str], place)
        form([value for value in values if type(value) is not str], place)

    return inner


def _listed_or(form: Form) -> Form:
    def inner(values: list[Any], place: str) -> None:
        _TEXTS([value for value in values if type(value) is list], place)
        form([value for value in values if type(value) is not list], place)

    return inner


_NAMES = _list_of(_text, unique=True)
_TEXTS = _list_of(_text)
_TITLES = _table_of(_table_of(_TEXTS))
_PART = _number(0, 1)
_COUNT = _whole()
_PLACE = _whole(-_WIDEST, _WIDEST)

_TEXT_SETTINGS = _keys(
    {},
    {
        "language": _text,
        "stem": _flag,
        "stop_words": _texts_or(_TEXTS),
        "ngrams": _whole(1),
        "min_records": _number(0),
        "max_share": _number(0),
        "max_terms": _or_none(_whole(1)),
    },
)
_COLUMNS = _keys(
    {},
    {
        **dict.fromkeys(("text", "labels", "fields"), _or_none(_texts_or(_TEXTS))),
        **dict.fromkeys(("id", "title", "label_separator"), _or_none(_text)),
        "links": _or_none(_texts_or(_listed_or(_table_of(_text)))),
        "title_weight": _COUNT,
    },
)
_READING = _keys(
    {},
    {
        "source": _texts_or(_TEXTS),
        "columns": _or_none(_COLUMNS),
        **dict.fromkeys(("format", "encoding", "dataset"), _or_none(_text)),
    },
)
_SETTINGS = _keys(
    {},
    {
        "language": _text,
        "stem": _flag,
        "stop_words": _texts_or(_TEXTS),
        "ngrams": _whole(1),
        "min_records": _number(0),
        "max_share": _number(0),
        "max_terms": _or_none(_whole(1)),
    },
)
_COLUMNS = _keys(
    {},
    {
        **dict.fromkeys(("text", "labels", "fields"), _or_none(_texts_or(_TEXTS))),
        **dict.fromkeys(("id", "title", "label_separator"), _or_none(_text)),
        "links": _or_none(_texts_or(_listed_or(_table_of(_text)))),
        "title_weight": _COUNT,
    },
)
_READING = _keys(
    {},
    {
        "source": _texts_or(_TEXTS),
        "columns": _or_none(_COLUMNS),
        "format": _or_none(_text),
        "encoding": _or_none(_text),
    },
)
_SETTINGS = _keys(
    {},
    {
        "build": _keys(
            {},
            {
                **dict.fromkeys(("model", "suggester", "precision"), _text),
                **dict.fromkeys(("taxonomy_separator", "label_language"), _or_none(_text)),
                **dict.fromkeys(("vectors_only", "allow_unmatched", "map"), _flag),
                "n_components": _or_none(_whole(1)),
                "weights": _table_of(_number(0)),
                "parameters": _table_of(_anything),
                "text": _TEXT_SETTINGS,
                "min_label_records": _whole(1),
                "reading": _or_none(_READING),
                "random_state": _whole(0, 2**32 - 1),
            },
        ),
        "fitted": _keys(
            {"model": _text},
            {
                "suggester": _text,
                "parameters": _table_of(_anything),
                "share": _PART,
                "recall": _PART,
                "fitted_records": _COUNT,
            },
        ),
    },
)
_FACTS: dict[str, Form] = {
    "labels": _keys({"names": _NAMES, "counts": _list_of(_COUNT)}, {"titles": _table_of(_text)}),
    "links": _table_of(_NAMES),
    "taxonomy": _keys(
        {
            "names": _NAMES,
            "parents": _list_of(_list_of(_COUNT)),
            "titles": _table_of(_table_of(_text)),
            "alternative_titles": _TITLES,
            "language": _text,
        },
        {"hidden_titles": _TITLES, "notations": _table_of(_TEXTS), "related": _table_of(_TEXTS)},
    ),
    "emphasis": _keys(
        {"weights": _table_of(_number(0)), "emphasis": _table_of(_number(0))},
        {"changes": _table_of(_table_of(_number())), "n_records": _COUNT, "fits_unlabelled": _flag},
    ),
    "map": _keys(
        {
            "names": _list_of(
                _keys(
                    {
                        "text": _text,
                        "label": _or_none(_text),
                        **dict.fromkeys(("x", "y"), _PLACE),
                        **dict.fromkeys(("px", "py"), _or_none(_PLACE)),
                        "level": _whole(0, 100),
                        "records": _COUNT,
                    }
                )
            ),
            "levels": _whole(0, 100),
        }
    ),
    "known_views": _keys(
        {"views": _list_of(_keys({"name": _text, "things": _NAMES, "length": _number(0), "share": _number(0)}))},
        {"vector_length": _number(0)},
    ),
    "words": _keys({"settings": _TEXT_SETTINGS, "stop_words": _TEXTS, "terms": _NAMES}),
    "name_words": _NAMES,
    "shards": _keys(
        {"folder": _text, "space": _text, "shards": _list_of(_keys({"name": _text, "records": _COUNT}))},
    ),
    "panel": _keys(
        {"subjects": _NAMES, "features": _NAMES, "least": _PART},
        {"choice": _or_none(_keys({}, {"own": _PART, "label": _PART, "scale": _number(0), "unnamed": _number(0)}))},
    ),
    "corrections": _keys(
        {
            "corrections": _list_of(
                _keys(
                    {"text": _text, "accepted": _TEXTS, "rejected": _TEXTS},
                    {"time": _text, "source": _text},
                )
            )
        }
    ),
}
