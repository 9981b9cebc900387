"""The spaces that an index can be built with: what each needs and uses, what may be tuned, and which one `auto` takes.

A new kind of knowledge is a name in `Knowledge`; a new space is an entry in `SPACES`. Everything that builds, compares,
tunes or offers spaces reads this table. Estimators are imported only when they are needed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tacit.checks import check_choice

if TYPE_CHECKING:
    from tacit.models.common.memory import FitMemory

__all__ = ["SPACES", "Knowledge", "SpaceKind", "TunableRange", "choose_space", "space_named", "suitable_spaces"]

# what may be known about records besides their words; "ratings" are links that are more than the words
Knowledge = Literal["labels", "taxonomy", "links", "ratings"]


class TunableRange(NamedTuple):
    """Values of a parameter that are worth trying."""

    low: float
    high: float
    logarithmic: bool


@dataclass(frozen=True)
class SpaceKind:
    """A kind of space.

    Parameters
    ----------
    name : str
        As in `BuildSettings.model` and `--model`.
    title : str
        Name for people.
    module, estimator_name : str
        Where the estimator is.
    needs : tuple of Knowledge
        At least one of these must be known; empty if words are enough.
    uses : tuple of Knowledge
        What shapes the space besides words, if it is known.
    suits : tuple of frozenset of Knowledge
        All of at least one of these sets must be known for the space to be compared or tuned unasked, or chosen by
        `auto`.
    takes : {"matrix", "views", "relations"}
        What the estimator is fitted to: words and labels, words and views of all that is known, or typed relations.
    automatic : tuple of frozenset of Knowledge
        `auto` may choose it if all of at least one of these sets is known.
    ranges : mapping from str to TunableRange
        Parameters that `tune` varies: the ranges in which the studies found a use.
    most_tuned_records : int, optional
        Larger collections do not try it unasked, since one trial takes minutes.
    estimates_memory : bool
        Whether `estimate_memory` is possible before the fit.
    rereads_labels : bool
        Whether `training_coordinates` of the estimator takes the labels again.
    """

    name: str
    title: str
    module: str
    estimator_name: str
    needs: tuple[Knowledge, ...] = ()
    uses: tuple[Knowledge, ...] = ()
    suits: tuple[frozenset[Knowledge], ...] = (frozenset(),)
    takes: Literal["matrix", "views", "relations"] = "matrix"
    automatic: tuple[frozenset[Knowledge], ...] = ()
    ranges: Mapping[str, TunableRange] = field(default_factory=dict)
    most_tuned_records: int | None = None
    estimates_memory: bool = False
    rereads_labels: bool = False

    def estimator(self) -> Any:
        """Import and return the class of the estimator."""
        return getattr(import_module(self.module), self.estimator_name)

    def estimate_memory(self, X: Any, n_components: int, n_labels: int) -> FitMemory | None:
        """Estimate the peak memory of a fit that places its records; None if that is not possible."""
        if not self.estimates_memory:
            return None
        from tacit.models.common.memory import memory_of_fit

        return memory_of_fit(X, n_components, model=self.name, n_labels=n_labels, positions=True)


# in the order in which they are offered; `auto` takes the last automatic one that suits
_ALL = (
    SpaceKind("lsi", "LSI", "tacit.models.lsi.lsi", "LSI", automatic=(frozenset(),), estimates_memory=True),
    SpaceKind(
        "mlsi",
        "MLSI",
        "tacit.models.mlsi.mlsi",
        "MLSI",
        needs=("labels", "links"),
        uses=("labels", "taxonomy", "links"),
        suits=(frozenset({"labels"}), frozenset({"links"})),
        takes="views",
        automatic=(frozenset({"labels"}), frozenset({"links"})),
        ranges={
            "label_weight": TunableRange(0.1, 0.95, False),
            "ridge": TunableRange(0.05, 10.0, True),
        },
        estimates_memory=True,
    ),
    SpaceKind(
        "hlsi",
        "HLSI",
        "tacit.models.hlsi.hlsi",
        "HLSI",
        needs=("labels",),
        uses=("labels", "taxonomy"),
        suits=(frozenset({"labels", "taxonomy"}),),
        ranges={"gamma": TunableRange(0.01, 10.0, True)},
        estimates_memory=True,
        rereads_labels=True,
    ),
    SpaceKind(
        "sle",
        "SLE",
        "tacit.models.graphs.methods",
        "SLE",
        needs=("labels",),
        uses=("labels",),
        suits=(frozenset({"labels"}),),
        ranges={"label_weight": TunableRange(0.1, 0.9, False), "ridge": TunableRange(0.05, 10.0, True)},
        most_tuned_records=3_000,
    ),
    SpaceKind(
        "mlsa",
        "M-LSA",
        "tacit.models.mlsa.mlsa",
        "MLSA",
        needs=("labels", "links"),
        uses=("labels", "links"),
        suits=(frozenset({"links"}),),
        takes="relations",
        automatic=(frozenset({"ratings"}),),
    ),
)
SPACES: dict[str, SpaceKind] = {space.name: space for space in _ALL}


def space_named(name: str, known: Collection[Knowledge] = ()) -> SpaceKind:
    """Return the space of this name; "auto" is the one that `choose_space` takes."""
    check_choice("model", name, ("auto", *SPACES))
    return choose_space(known) if name == "auto" else SPACES[name]


def choose_space(known: Collection[Knowledge]) -> SpaceKind:
    """Return the space that uses all that is known: MLSI for labels or links, M-LSA for ratings, otherwise LSI."""
    return [space for space in SPACES.values() if any(needed <= set(known) for needed in space.automatic)][-1]


def suitable_spaces(known: Collection[Knowledge]) -> list[SpaceKind]:
    """Return the spaces that suit what is known about the records."""
    return [space for space in SPACES.values() if any(needed <= set(known) for needed in space.suits)]
