"""The docstrings of the Python standard library on this machine: a collection that needs no download.

A few thousand texts with subjects (chapter > module > class). Source files are parsed, not imported: importing all of
the library opens windows, patches modules and prints poems. Modules written in C have no source to parse; for a fixed
list of them that is safe to import, the docstrings are taken from the module itself.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from tacit.corpus.record import Record
from tacit.errors import InputError

__all__ = ["standard_library_parents", "standard_library_records"]


def standard_library_records() -> list[Record]:
    """Read the docstrings of the standard library of the running Python.

    One record for each public module, class, function and method that has a docstring of its own of at least eight
    words; of several with the same text the first is kept.

    Returns
    -------
    list of Record
        `id` is the dotted name, `title` the docstring's first sentence, `text` the name's words and the docstring,
        `labels` the chapter of the library reference, the module, the submodule if there is one, and the class if it
        has at least five records; `fields["kind"]` is "module", "class", "function" or "method". The same
        Python gives the same list.

    Raises
    ------
    InputError
        If this Python was installed without the sources of its library.
    """
    root = Path(sysconfig.get_path("stdlib"))
    records: dict[str, Record] = {}
    seen_texts: set[str] = set()
    for name, kind, module, docstring in (*_from_sources(root), *_from_c_modules()):
        text = inspect.cleandoc(docstring)
        key = " ".join(text.split()).lower()
        if name in records or key in seen_texts or len(re.findall(r"[^\W\d_]{2,}", text)) < _FEWEST_WORDS:
            continue
        seen_texts.add(key)
        records[name] = _record(name, kind, module, text)
    if not any(record.fields["kind"] == "module" for record in records.values()):
        raise InputError(
            f"The standard library has no sources here: got no docstrings from {root}, expected .py files in it. "
            "Use a Python that was installed with its library as files."
        )
    return _with_classes(list(records.values()))


def standard_library_parents(records: Iterable[Record]) -> dict[str, str | None]:
    """Return the taxonomy of `standard_library_records`: for each label the one above it, None for a chapter."""
    parents: dict[str, str | None] = {}
    for record in records:
        parents |= dict(zip(record.labels, (None, *record.labels[:-1]), strict=True))
    return parents


_Found = tuple[str, str, str, str]  # dotted name, kind, module, docstring
_FEWEST_WORDS = 8
_FEWEST_OF_A_CLASS = 5  # a subject of fewer records does not help to find them
_LEFT_OUT = {"antigravity", "idlelib", "lib2to3", "test", "tests", "this", "turtledemo", "site-packages"}

# Chapters as in the library reference; other modules get `_NO_CHAPTER`.
_CHAPTERS = {
    "Built-ins": "builtins",
    "Text Processing": (
        "string re difflib textwrap unicodedata stringprep readline rlcompleter sre_compile sre_constants sre_parse"
    ),
    "Binary Data": "struct codecs encodings",
    "Data Types": (
        "datetime zoneinfo calendar collections heapq bisect array weakref types copy pprint reprlib enum graphlib"
    ),
    "Numbers and Mathematics": "numbers math cmath decimal fractions random statistics",
    "Functional Programming": "itertools functools operator",
    "Files and Folders": (
        "pathlib fileinput stat filecmp tempfile glob fnmatch linecache shutil posixpath ntpath genericpath"
    ),
    "Data Persistence": "pickle copyreg shelve marshal dbm sqlite3 pickletools",
    "Compression and Archiving": "zlib gzip bz2 lzma zipfile tarfile compression",
    "File Formats": "csv configparser tomllib netrc plistlib xdrlib",
    "Cryptography": "hashlib hmac secrets crypt",
    "Operating System": "os io time logging platform errno ctypes getpass curses",
    "Command Line": "argparse getopt optparse cmd shlex",
    "Concurrency": "threading multiprocessing concurrent subprocess sched queue contextvars",
    "Networking": "asyncio socket ssl select selectors signal mmap asyncore asynchat",
    "Internet Data": "email json mailbox mimetypes base64 binascii quopri uu mailcap binhex",
    "Markup": "html xml pyexpat",
    "Internet Protocols": (
        "webbrowser wsgiref urllib http ftplib poplib imaplib smtplib smtpd nntplib telnetlib uuid socketserver "
        "xmlrpc ipaddress cgi cgitb"
    ),
    "Multimedia": "wave colorsys audioop aifc sunau chunk sndhdr imghdr ossaudiodev",
    "Internationalisation": "gettext locale",
    "Graphical Interfaces": "tkinter turtle",
    "Development and Testing": "typing pydoc doctest unittest pydoc_data",
    "Debugging and Profiling": "bdb faulthandler pdb timeit trace tracemalloc cProfile profile pstats",
    "Packaging": "ensurepip venv zipapp distutils",
    "Runtime Services": (
        "sys sysconfig warnings dataclasses contextlib abc atexit traceback gc inspect site annotationlib"
    ),
    "Importing": "zipimport pkgutil modulefinder runpy importlib imp nturl2path",
    "Language Services": (
        "ast symtable token keyword tokenize tabnanny pyclbr py_compile compileall dis opcode code codeop"
    ),
    "Unix and Windows": (
        "posix pwd grp termios tty pty fcntl resource syslog spwd nis pipes msvcrt winreg winsound msilib nt"
    ),
}
_CHAPTER_OF = {module: chapter for chapter, modules in _CHAPTERS.items() for module in modules.split()}
_NO_CHAPTER = "Other"

# Public module -> the C module that holds its docstrings. All of them are loaded at the start of Python or load without
# side effects; one that is missing on a platform is left out.
_C_SAME_NAME = (
    "builtins math cmath itertools time sys gc array zlib binascii unicodedata select marshal atexit mmap fcntl "
    "resource pwd grp termios errno syslog faulthandler"
)
_C_UNDERSCORED = (
    "io struct socket csv sqlite3 random weakref asyncio contextvars signal locale bz2 lzma functools decimal hashlib "
    "queue collections tracemalloc"
)
_C_MODULES = {name: name for name in _C_SAME_NAME.split()} | {name: f"_{name}" for name in _C_UNDERSCORED.split()}
_C_MODULES |= {"os": "posix" if "posix" in sys.builtin_module_names else "nt", "threading": "_thread", "re": "_sre"}


def _record(name: str, kind: str, module: str, text: str) -> Record:
    """Make a record of a docstring; its text begins with the words of its name."""
    top = module.partition(".")[0]
    words = " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name.rpartition(".")[2]))
    return Record(
        id=name,
        text=f"{words}\n{text}",
        labels=(_CHAPTER_OF.get(top, _NO_CHAPTER), top, module),
        title=_first_sentence(text),
        fields={"kind": kind, "module": module},
    )


def _with_classes(records: list[Record]) -> list[Record]:
    """Add the class as the narrowest label to the records of classes that have enough of them."""
    classes = [_class_of(record) for record in records]
    counts = Counter(classes)
    return [
        replace(record, labels=(*record.labels, name)) if name and counts[name] >= _FEWEST_OF_A_CLASS else record
        for record, name in zip(records, classes, strict=True)
    ]


def _class_of(record: Record) -> str:
    """Return the class that a record documents or is a method of; empty if there is none."""
    kind = record.fields["kind"]
    return record.id if kind == "class" else record.id.rpartition(".")[0] if kind == "method" else ""


def _first_sentence(text: str) -> str:
    """Return the first sentence of a docstring, after the call signature that some docstrings begin with."""
    first, _, rest = text.partition("\n")
    if re.fullmatch(r"[\w.]+\(.*\)(\s*(->|=).*)?", first.strip()) and rest.strip():
        text = rest.strip()
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s", paragraph, maxsplit=1)[0]


def _from_sources(root: Path) -> Iterator[_Found]:
    """Yield the docstrings of every public module that has a source file."""
    for name in sorted(sys.stdlib_module_names):
        if not _is_public(name):
            continue
        package = root / name
        paths = sorted(package.rglob("*.py")) if package.is_dir() else [root / f"{name}.py"]
        for path in paths:
            parts = path.relative_to(root).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if path.is_file() and all(_is_public(part) for part in parts):
                yield from _from_source(path, ".".join(parts))


def _from_source(path: Path, module: str) -> Iterator[_Found]:
    """Yield the docstrings of one source file: the module's, then its definitions' in their order."""
    tree = ast.parse(path.read_bytes(), filename=str(path))
    yield module, "module", module, ast.get_docstring(tree, clean=False) or ""
    yield from _definitions(tree.body, module, module, inside_class=False)


def _definitions(body: list[ast.stmt], prefix: str, module: str, *, inside_class: bool) -> Iterator[_Found]:
    """Yield the docstrings of the public classes and functions among some statements, and of their methods."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):  # definitions that depend on the platform
            handled = [statement for handler in getattr(node, "handlers", []) for statement in handler.body]
            branches = [*node.body, *handled, *node.orelse]
            yield from _definitions(branches, prefix, module, inside_class=inside_class)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and _is_public(node.name):
            name = f"{prefix}.{node.name}"
            is_class = isinstance(node, ast.ClassDef)
            kind = "class" if is_class else "method" if inside_class else "function"
            yield name, kind, module, ast.get_docstring(node, clean=False) or ""
            if is_class:
                yield from _definitions(node.body, name, module, inside_class=True)


def _from_c_modules() -> Iterator[_Found]:
    """Yield the docstrings of the modules that are written in C."""
    for public_name, c_name in _C_MODULES.items():
        try:
            module = importlib.import_module(c_name)
        except ImportError:
            continue
        yield from _from_c_module(module, public_name)


def _from_c_module(module: ModuleType, public_name: str) -> Iterator[_Found]:
    """Yield the docstrings of one C module, of what it defines itself, under the module's public name."""
    yield public_name, "module", public_name, module.__doc__ or ""
    for name, value in sorted(vars(module).items()):
        if not _is_public(name) or not (inspect.isclass(value) or inspect.isbuiltin(value)):
            continue
        if value.__module__ not in {module.__name__, public_name}:
            continue
        full_name = f"{public_name}.{name}"
        yield full_name, "class" if inspect.isclass(value) else "function", public_name, _own_docstring(value)
        if inspect.isclass(value):
            for method_name in sorted(filter(_is_public, vars(value))):
                method = getattr(value, method_name)
                if inspect.isroutine(method):
                    yield f"{full_name}.{method_name}", "method", public_name, _own_docstring(method)


def _own_docstring(value: object) -> str:
    """Return the docstring of a class or routine; empty if it has none, or something else under that name."""
    docstring = getattr(value, "__doc__", None)
    return docstring if isinstance(docstring, str) else ""


def _is_public(name: str) -> bool:
    """Whether a part of a dotted name is neither private nor left out."""
    return not name.startswith("_") and name not in _LEFT_OUT
