"""Turns a model into plain data and arrays, and back, so that every number is the same to the last bit.

Plain data stand for themselves. Everything else is a dictionary with a `$` that says what it is: an array is the name
of its file, an object the name of its class with its parameters and what it has learned. Nothing is executed to read
them but the constructors of known classes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from tacit.checks import is_outside_memory, is_sparse
from tacit.errors import InputError
from tacit.index.models.classes import KNOWN, class_called, name_of
from tacit.models.common.class_hierarchy import ROOT

__all__ = ["Reader", "Writer"]

_KIND = "$"
_NUMBERS = "biufc"
_SPARSE: dict[str, Any] = {kind.__name__: kind for kind in (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix)}
_REBUILT = {"_fold_in", "_stop_words_id"}  # kept between calls to save time, and computed again
_DTYPES = {"bool", "float16", "float32", "float64", *(f"{sign}int{n}" for sign in ("", "u") for n in (8, 16, 32, 64))}


class Writer:
    """Turns values into plain data; `save_array` stores an array and returns its name.

    Attributes
    ----------
    classes : names of the classes that were met
    """

    def __init__(self, save_array: Callable[[Any], str]) -> None:
        self.classes: list[str] = []
        self._save_array = save_array
        self._saved: dict[int, tuple[Any, str]] = {}  # the array is kept, so that its id stays its own

    def plain(self, value: Any, name: str) -> Any:
        """Return a value as plain data; `name` is its name in error messages."""
        if value is None or type(value) in (str, bool, int):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {_KIND: "float", "value": repr(value)}
        if type(value) is list:
            return self._items(value, name)
        if type(value) in (tuple, set, frozenset):
            ordered = value if type(value) is tuple else sorted(value, key=repr)
            return {_KIND: type(value).__name__, "items": self._items(ordered, name)}
        if isinstance(value, Mapping):
            return self._mapping(value, name)
        if value is ROOT:
            return {_KIND: "root"}
        if isinstance(value, (np.ndarray, np.generic, np.dtype, type)) or is_sparse(value):
            return self._of_numpy(value, name)
        return self._object(value, name)

    def _items(self, values: Any, name: str) -> list[Any]:
        return [self.plain(inner, f"{name}[{place}]") for place, inner in enumerate(values)]

    def _mapping(self, values: Mapping[Any, Any], name: str) -> dict[str, Any]:
        texts = all(type(key) is str for key in values)
        if texts and values and {type(inner) for inner in values.values()} == {np.int64}:  # such as a vocabulary
            numbers = self._array(np.fromiter(values.values(), np.int64, len(values)), name)
            return {_KIND: "numbers", "keys": list(values), "values": numbers}
        if texts and _KIND not in values:
            return {key: self.plain(inner, f"{name}[{key!r}]") for key, inner in values.items()}
        pairs = [[self.plain(key, f"a key of {name}"), self.plain(inner, name)] for key, inner in values.items()]
        return {_KIND: "dict", "items": pairs}

    def _of_numpy(self, value: Any, name: str) -> dict[str, Any]:
        if is_sparse(value):
            if type(value).__name__ not in _SPARSE:
                raise _refused(value, name, "a CSR or CSC matrix", "Convert it with .tocsr()")
            parts = {part: self._array(getattr(value, part), name) for part in ("data", "indices", "indptr")}
            return {_KIND: "sparse", "class": type(value).__name__, "shape": list(map(int, value.shape)), **parts}
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if isinstance(value, np.generic) and (str(value.dtype) in _DTYPES or isinstance(value, np.str_)):
            kind = "text" if isinstance(value, np.str_) else str(value.dtype)
            return {_KIND: "scalar", "dtype": kind, "value": self.plain(value.item(), name)}
        if isinstance(value, np.dtype) and str(value) in _DTYPES:
            return {_KIND: "dtype", "name": str(value)}
        if isinstance(value, type) and issubclass(value, np.generic) and value.__name__ in _DTYPES:
            return {_KIND: "type", "name": value.__name__}
        raise _refused(value, name, "numbers or text", "Set it to a number or a name")

    def _array(self, array: np.ndarray, name: str) -> dict[str, Any]:
        if array.dtype.kind in _NUMBERS:
            if id(array) not in self._saved:
                self._saved[id(array)] = (array, self._save_array(array))
            return {_KIND: "array", "file": self._saved[id(array)][1]}
        if array.dtype.kind not in "OU":
            raise _refused(array.dtype, name, "numbers or text", "Convert it with astype(str)")
        items = self._items(array.ravel().tolist(), name)
        return {_KIND: "texts" if array.dtype.kind == "U" else "objects", "shape": list(array.shape), "items": items}

    def _object(self, value: Any, name: str) -> dict[str, Any]:
        known = name_of(type(value))
        if known is None:
            raise _unknown(value, name)
        self.classes.append(known)
        if not isinstance(value, BaseEstimator):
            return {_KIND: "object", "class": known, "parameters": self._fields(value, name)}
        parameters = value.get_params(deep=False)
        learned = {key: part for key, part in vars(value).items() if key not in parameters and key not in _REBUILT}
        parts = {"parameters": parameters, "learned": learned}
        plain = {
            part: {key: self.plain(inner, f"{key} of {type(value).__name__}") for key, inner in values.items()}
            for part, values in parts.items()
        }
        return {_KIND: "object", "class": known, **plain}

    def _fields(self, value: Any, name: str) -> dict[str, Any]:
        names = getattr(value, "_fields", None) or [field.name for field in dataclasses.fields(value)]
        return {key: self.plain(getattr(value, key), f"{key} of {name}") for key in names}


class Reader:
    """Turns plain data back into values; `read_array` returns an array by its name."""

    def __init__(self, read_array: Callable[[str], Any]) -> None:
        self._read_array = read_array

    def value(self, plain: Any) -> Any:
        """Return the value that a `Writer` turned into these plain data."""
        if isinstance(plain, list):
            return [self.value(inner) for inner in plain]
        if not isinstance(plain, dict):
            return plain
        if _KIND not in plain:
            return {key: self.value(inner) for key, inner in plain.items()}
        readers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "array": lambda one: self._read_array(one["file"]),
            "dict": lambda one: {self.value(key): self.value(inner) for key, inner in one["items"]},
            "dtype": lambda one: np.dtype(_dtype(one["name"])),
            "float": lambda one: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[one["value"]],
            "frozenset": lambda one: frozenset(self.value(one["items"])),
            "numbers": lambda one: dict(zip(one["keys"], self.value(one["values"]), strict=True)),
            "object": self._object,
            "objects": lambda one: self._array_of(one, object),
            "root": lambda one: ROOT,
            "scalar": lambda one: (np.str_ if one["dtype"] == "text" else _dtype(one["dtype"]))(one["value"]),
            "set": lambda one: set(self.value(one["items"])),
            "sparse": self._sparse,
            "texts": lambda one: self._array_of(one, str),
            "tuple": lambda one: tuple(self.value(one["items"])),
            "type": lambda one: _dtype(one["name"]),
        }
        return readers[plain[_KIND]](plain)

    def _array_of(self, plain: Mapping[str, Any], kind: type) -> np.ndarray:
        items = self.value(plain["items"])
        array = np.empty(len(items), object)
        array[:] = items
        return (array if kind is object else array.astype(str)).reshape(plain["shape"])

    def _sparse(self, plain: Mapping[str, Any]) -> Any:
        parts = tuple(self.value(plain[part]) for part in ("data", "indices", "indptr"))
        matrix = _SPARSE[plain["class"]](parts, shape=tuple(plain["shape"]))
        matrix.check_format(full_check=True)  # compiled products read what the indices say, also outside of the matrix
        return matrix

    def _object(self, plain: Mapping[str, Any]) -> Any:
        if plain["class"] not in KNOWN:
            raise InputError(
                f"the model has a part of an unknown class: got {str(plain['class'])!r}, expected one that this "
                "version knows. Update Tacit, and load only models from people you trust."
            )
        kind = class_called(plain["class"])
        value = kind(**{key: self.value(inner) for key, inner in plain["parameters"].items()})
        for key, inner in plain.get("learned", {}).items():
            if not key.isidentifier() or key.startswith("__"):
                raise ValueError(f"the attribute {key!r}")
            vars(value)[key] = self.value(inner)
        return value


def _dtype(name: str) -> Any:
    if name not in _DTYPES:
        raise ValueError(f"the type {name!r}")
    return np.dtype(name).type


def _unknown(value: Any, name: str) -> InputError:
    if is_outside_memory(value):
        return _refused(value, name, "what is in memory", "Fit the model to data in memory")
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return _refused(value, name, "None or a whole number", "Set it with set_params before saving")
    if callable(value) and not hasattr(value, "get_params"):
        return _refused(value, name, "a setting that has a name", "A function is code, which a saved model cannot hold")
    public = sorted(known for known in KNOWN if hasattr(class_called(known), "get_params"))
    return _refused(value, name, f"one of {', '.join(public)}", "Save the parts that Tacit knows and build the rest")


def _refused(value: Any, name: str, expected: str, advice: str) -> InputError:
    got = value.__name__ if isinstance(value, type) else type(value).__name__
    return InputError(f"{name} cannot be saved: got {got}, expected {expected}. {advice}.")
