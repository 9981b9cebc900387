"""How a space is made, as options of `tacit build` and `tacit refit`: model, words, taxonomy, suggester."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.errors import InputError
from tacit.models.spaces import SPACES

if TYPE_CHECKING:
    from tacit.relations.taxonomy.taxonomy import Taxonomy
    from tacit.tasks.build.settings import BuildSettings
    from tacit.text.settings import TextSettings

__all__ = ["ModelOptions", "model_options", "read_settings", "read_taxonomy"]

Decorator = Callable[[Any], Any]


@dataclass(frozen=True)
class ModelOptions:
    """What was typed about the model; None where nothing was."""

    model: str | None = None
    dimensions: int | None = None
    parameters: tuple[str, ...] = ()
    language: str | None = None
    stem: bool | None = None
    stop_words: str | None = None
    ngrams: int | None = None
    min_records: str | None = None
    max_share: float | None = None
    max_terms: int | None = None
    taxonomy: str | None = None
    taxonomy_separator: str | None = None
    suggester: str | None = None
    min_label_records: int | None = None
    seed: int | None = None


_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--model",
        type=click.Choice(["auto", *SPACES]),
        help="What makes the space.  [default: auto, from what the records have]",
    ),
    click.option("--dimensions", type=int, metavar="NUMBER", help="Dimensions of the space.  [default: 100]"),
    click.option("--set", "parameters", multiple=True, metavar="NAME=VALUE", help="Another parameter of the model."),
    click.option("--language", metavar="NAME", help="Language of the texts, or 'none'.  [default: english]"),
    click.option("--stem/--no-stem", default=None, help="Cut words to their stems."),
    click.option("--stop-words", metavar="FILE|none", help="Words to leave out.  [default: those of the language]"),
    click.option("--ngrams", type=int, metavar="NUMBER", help="Longest phrase to count.  [default: 1]"),
    click.option("--min-records", metavar="NUMBER", help="Leave out words in fewer records.  [default: 2]"),
    click.option("--max-share", type=float, metavar="SHARE", help="Leave out words in a larger share.  [default: 1]"),
    click.option("--max-terms", type=int, metavar="NUMBER", help="Keep so many words, the most frequent."),
    click.option("--taxonomy", metavar="FILE", help="What lies above the labels: a table, or SKOS; 'none' for none."),
    click.option("--taxonomy-separator", metavar="TEXT", help="Labels are paths with this between their steps."),
    click.option(
        "--suggester",
        type=click.Choice(["auto", "logistic", "ridge", "svm", "both", "none"]),
        help="What learns to suggest labels.  [default: auto]",
    ),
    click.option("--min-label-records", type=int, metavar="NUMBER", help="Do not learn labels of fewer records."),
    click.option("--seed", type=int, metavar="NUMBER", help="The same seed gives the same index.  [default: 0]"),
)


def model_options(command: Any) -> Any:
    """Add the options, and give the command what was typed as one `ModelOptions` called `chosen`."""

    @functools.wraps(command)
    def gathered(**options: Any) -> Any:
        chosen = ModelOptions(**{entry.name: options.pop(entry.name) for entry in fields(ModelOptions)})
        return command(chosen=chosen, **options)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def read_settings(chosen: ModelOptions, before: BuildSettings | None = None) -> BuildSettings:
    """Turn the options into settings; what was not said is as before, or else as usual.

    Parameters of the model are kept only as long as the model is.
    """
    from tacit.checks import check_count
    from tacit.tasks.build.settings import BuildSettings

    before = before or BuildSettings()
    for option, count in (("--dimensions", chosen.dimensions), ("--min-label-records", chosen.min_label_records)):
        if count is not None:
            check_count(option, count)
    same = chosen.model in (None, before.model)
    separator = chosen.taxonomy_separator
    if separator is None and chosen.taxonomy is None:
        separator = before.taxonomy_separator
    typed: dict[str, Any] = {
        "model": chosen.model,
        "n_components": chosen.dimensions,
        "suggester": chosen.suggester,
        "min_label_records": chosen.min_label_records,
        "random_state": chosen.seed,
    }
    return replace(
        before,
        parameters={**(before.parameters if same else {}), **_parameters(chosen.parameters)},
        text=_text_settings(chosen, before.text),
        taxonomy_separator=separator,
        **{name: value for name, value in typed.items() if value is not None},
    )


def read_taxonomy(chosen: ModelOptions, dataset: str | None = None, data_dir: str | None = None) -> Taxonomy | None:
    """Read the taxonomy that was asked for; a data set brings its own, unless another is asked for, or 'none'."""
    if chosen.taxonomy == "none" or chosen.taxonomy_separator is not None:
        if chosen.taxonomy not in (None, "none"):
            raise InputError(
                f"--taxonomy is given twice: got {chosen.taxonomy!r} and --taxonomy-separator, expected one of them."
            )
        return None
    from tacit.relations.taxonomy.taxonomy import Taxonomy

    if chosen.taxonomy is None:
        if dataset not in _WITH_TAXONOMY:
            return None
        from tacit.datasets import load_taxonomy

        table = load_taxonomy(str(dataset), data_dir)
        return Taxonomy.from_parents(table.parents, table.titles)
    suffix = Path(chosen.taxonomy).suffix.lower()
    if suffix in (".tsv", ".tab", ".csv"):
        return Taxonomy.from_table(chosen.taxonomy)
    return Taxonomy.from_skos(chosen.taxonomy)


_WITH_TAXONOMY = ("arxiv", "enzyme", "reuters21578")


def _text_settings(chosen: ModelOptions, before: TextSettings) -> TextSettings:
    typed: dict[str, Any] = {
        "language": chosen.language,
        "stem": chosen.stem,
        "stop_words": _stop_words(chosen.stop_words),
        "ngrams": chosen.ngrams,
        "min_records": _amount(chosen.min_records),
        "max_share": chosen.max_share,
        "max_terms": chosen.max_terms,
    }
    return replace(before, **{name: value for name, value in typed.items() if value is not None})


def _stop_words(given: str | None) -> str | list[str] | None:
    """Read a file of stop words, one or several a line; "none" and "language" are no files."""
    if given in (None, "none", "language"):
        return given
    try:
        return Path(str(given)).expanduser().read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "bytes that are not UTF-8"
        raise InputError(
            f"--stop-words cannot be read: got {said!r} for {given!r}, expected a file of words, or 'none'."
        ) from error


def _amount(given: str | None) -> int | float | None:
    """A number of records, or a share of them if it has a point in it."""
    if given is None:
        return None
    try:
        return float(given) if "." in given else int(given)
    except ValueError:
        raise InputError(
            f"--min-records is no amount: got {given!r}, expected a whole number, or a share as 0.01."
        ) from None


def _parameters(pairs: tuple[str, ...]) -> Mapping[str, Any]:
    """Read NAME=VALUE; a value is a number, true, false, none, or a text."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise InputError(f"--set is no parameter: got {pair!r}, expected NAME=VALUE, as label_weight=0.7.")
        found[name.strip()] = _value(value.strip())
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
