"""Options for the space of an index, of `tacit build` and `tacit refit`: model, words, taxonomy, suggester."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.options import Decorator, gather_options, option_in
from tacit.errors import InputError, did_you_mean
from tacit.models.spaces import SPACES
from tacit.tasks.build.settings import SUGGESTERS

if TYPE_CHECKING:
    from tacit.relations.taxonomy.taxonomy import Taxonomy
    from tacit.tasks.build.settings import BuildSettings

__all__ = ["SETTINGS_HELP", "ModelOptions", "model_options", "read_settings", "read_taxonomy", "title_weight"]

SETTINGS_HELP = """\b
Settings for --set NAME=VALUE:
  ngrams=2             longest phrase to index, in words; default 1
  min_records=5        leave out words in fewer records; 0.01 is 1%; default 2
  max_share=0.5        leave out words in a larger share of the records
  max_terms=50000      keep only the most frequent words
  min_label_records=3  do not learn labels with fewer records; default 1
  title_weight=2       count the title twice (tacit build only)
  label_weight=0.7     or any other parameter of the model"""


@dataclass(frozen=True)
class ModelOptions:
    """The options as typed; None for those that are not given."""

    model: str | None = None
    dimensions: int | None = None
    weights: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    language: str | None = None
    stem: bool | None = None
    stop_words: str | None = None
    taxonomy: str | None = None
    taxonomy_separator: str | None = None
    label_language: str | None = None
    allow_unmatched: bool | None = None
    suggester: str | None = None
    map: bool | None = None
    precision: str | None = None
    seed: int | None = None


_OPTIONS: tuple[Decorator, ...] = (
    option_in(
        "Space",
        "--model",
        type=click.Choice(["auto", *SPACES]),
        help="Model of the space.  [default: auto, by what the records have]",
    ),
    option_in(
        "Space",
        "--dimensions",
        type=int,
        metavar="NUMBER",
        help="Dimensions of the space.  [default: by the records and labels]",
    ),
    option_in(
        "Space",
        "--weight",
        "weights",
        multiple=True,
        metavar="NAME=NUMBER",
        help="How much words, labels, taxonomy or a link counts; 0 leaves it out.  [default: found in a trial]",
    ),
    option_in(
        "Space",
        "--taxonomy",
        "--vocabulary",
        "taxonomy",
        metavar="FILE",
        help="Names of the labels, and what is above them: SKOS, a table, or a vocabulary of Annif; 'none' for none.",
    ),
    option_in(
        "Space",
        "--taxonomy-separator",
        metavar="TEXT",
        help="Labels are paths with this separator, such as / in animals/cats.",
    ),
    option_in(
        "Space",
        "--label-language",
        metavar="NAME",
        help="Language in which labels are shown: fi or finnish.  [default: that of the texts, or English]",
    ),
    option_in(
        "Space",
        "--allow-unmatched",
        is_flag=True,
        default=None,
        help="Build also if the taxonomy has fewer than half of the labels.",
    ),
    option_in("Space", "--map/--no-map", default=None, help="Lay the records out as a map.  [default: map]"),
    option_in(
        "Space",
        "--precision",
        type=click.Choice(["full", "half", "int8"]),
        help="Bits of each number in positions: 32, 16 or 8.  [default: full]",
    ),
    option_in("Space", "--seed", type=int, metavar="NUMBER", help="Random seed.  [default: 0]"),
    option_in("Space", "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Another setting, listed below."),
    option_in(
        "Words",
        "--language",
        metavar="NAME",
        help="Language of the texts: de or german; or 'none'.  [default: english]",
    ),
    option_in("Words", "--stem/--no-stem", default=None, help="Reduce words to their stems."),
    option_in(
        "Words",
        "--stop-words",
        metavar="FILE|none",
        help="File of words to leave out.  [default: those of the language]",
    ),
    option_in(
        "Suggester",
        "--suggester",
        type=click.Choice(SUGGESTERS),
        help="Method that learns to suggest labels: witnesses combines several kinds of evidence.  [default: auto]",
    ),
)
model_options: Decorator = partial(gather_options, options=_OPTIONS, kind=ModelOptions, name="space")
_TEXT_SETTINGS = ("ngrams", "min_records", "max_share", "max_terms")
_SETTINGS = (*_TEXT_SETTINGS, "min_label_records", "title_weight")


def read_settings(space: ModelOptions, before: BuildSettings | None = None) -> BuildSettings:
    """Turn the options into settings; those not given are as in `before`, or else the defaults.

    Parameters of the model are kept only if the model is.
    """
    from tacit.checks import check_count
    from tacit.tasks.build.settings import BuildSettings

    before = before or BuildSettings()
    if space.dimensions is not None:
        check_count("--dimensions", space.dimensions)
    named = _named_settings(space.settings)
    parameters = {name: value for name, value in named.items() if name not in _SETTINGS}
    separator = space.taxonomy_separator
    if separator is None and space.taxonomy is None:
        separator = before.taxonomy_separator
    same_model = space.model in (None, before.model)
    stop_words = space.stop_words if space.stop_words in (None, "none", "language") else _words_in(space.stop_words)
    from tacit.relations.taxonomy.languages import language_name

    language = None if space.language is None else language_name(space.language)
    text = _given(language=language, stem=space.stem, stop_words=stop_words)
    text |= _given(**{name: named.get(name) for name in _TEXT_SETTINGS})
    return replace(
        before,
        parameters={**(before.parameters if same_model else {}), **parameters},
        text=replace(before.text, **text),
        taxonomy_separator=separator,
        min_label_records=named.get("min_label_records", before.min_label_records),
        weights={**before.weights, **_read_weights(space.weights)},
        **_given(label_language=space.label_language, allow_unmatched=space.allow_unmatched, map=space.map),
        **_given(precision=space.precision),
        **_given(model=space.model, n_components=space.dimensions, suggester=space.suggester, random_state=space.seed),
    )


def title_weight(space: ModelOptions) -> int | None:
    """Return the setting `title_weight`, which belongs to the columns of the records; None if it is not given."""
    return _named_settings(space.settings).get("title_weight")


def read_taxonomy(space: ModelOptions, dataset: str | None = None, data_dir: str | None = None) -> Taxonomy | None:
    """Read the given taxonomy; a data set has its own, which is used if --taxonomy is not given."""
    if space.taxonomy == "none" or space.taxonomy_separator is not None:
        if space.taxonomy not in (None, "none"):
            raise InputError(
                f"--taxonomy is given with --taxonomy-separator: got {space.taxonomy!r}, expected only one of them."
            )
        return None
    from tacit.relations.taxonomy.taxonomy import Taxonomy

    if space.taxonomy is None:
        if dataset is None:
            return None
        from tacit.datasets.registry import dataset_names

        known = dataset_names().get(dataset)
        if known is None or known.taxonomy is None:
            return None
        table = known.taxonomy(data_dir)
        return Taxonomy.from_parents(table.parents, table.titles)
    return Taxonomy.from_file(space.taxonomy)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _words_in(file: str) -> list[str]:
    """Read stop words, separated by white space."""
    try:
        return Path(file).expanduser().read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "bytes that are not UTF-8"
        raise InputError(
            f"--stop-words cannot be read: got {said!r} for {file!r}, expected a file of words, or 'none'."
        ) from error


def _named_settings(pairs: tuple[str, ...]) -> dict[str, Any]:
    """Read NAME=VALUE; a value is a number, true, false, none, or a text."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, sign, value = (part.strip() for part in pair.partition("="))
        if not sign or not name:
            raise InputError(f"--set must look like NAME=VALUE: got {pair!r}, expected label_weight=0.7, for example.")
        found[name] = _value(value)
    if unknown := set(found) - set(_SETTINGS):
        import tacit

        models = (tacit.LSI, tacit.MLSI, tacit.HLSI, tacit.MLSA, tacit.SLE)
        known = {*_SETTINGS, "link_weight", *(name for model in models for name in model().get_params())}
        for name in sorted(unknown - known):
            hint = did_you_mean(name, known)
            raise InputError(
                f"--set has an unknown name: got {name!r}, expected one of {', '.join(_SETTINGS)}, or a parameter of "
                f"the model.{hint}"
            )
    return found


def _read_weights(pairs: tuple[str, ...]) -> dict[str, float]:
    """Read NAME=NUMBER."""
    found: dict[str, float] = {}
    for pair in pairs:
        name, sign, value = (part.strip() for part in pair.partition("="))
        try:
            found[name] = float(value)
        except ValueError:
            sign = ""
        if not sign or not name or not 0 <= found[name] < float("inf"):
            raise InputError(
                f"--weight must look like NAME=NUMBER, with a number of at least 0: got {pair!r}, expected places=0.2, "
                "for example."
            )
    return found


def _value(text: str) -> Any:
    plain = {"true": True, "false": False, "none": None}
    if text.lower() in plain:
        return plain[text.lower()]
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, (int, float)) else text
