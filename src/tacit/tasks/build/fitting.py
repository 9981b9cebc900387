"""From words and what is known about the records to a space, positions and a suggester: the fit of an index."""

from __future__ import annotations

from tacit.types import IntArray

from tacit.types import Float32Array

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from tacit.checks import human_size, is_sparse
from tacit.errors import InputError
from tacit.index.suggester import Suggester
from tacit.models.classifiers.label_head import LabelHead
from tacit.machine import available_memory
from tacit.models.common.memory import LARGE, memory_of_fit, note_announced
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.stages import Stages
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from tacit.checks import check_number, is_sparse

__all__ = ["Fitted", "Known", "fit_model", "fit_relations", "link_weight", "make_model", "plain_parameters"]

_LOGISTIC_WORK = 3e11  # records x labels x dimensions above which ridge regression takes over: minutes on two cores
_SHARE = 0.5  # length of the position beside the words, which have length 1: best of .5, 1, 2 on Reuters, 2026-11-16
_MOST_BYTES = 2**30
# entries x labels, about seven seconds of a core, and what an index may grow by unasked: on all of Reuters-21578 (2e8)
# a build takes 46 s with it and 18 s without (benchmarks/compare.py index, 2026-11-16), for .13 of macro F1
_BOTH_WORK, _BOTH_BYTES = 5e7, 2**27


def fit_model(X: Any, known: Known, settings: BuildSettings, say: Stages) -> Fitted:
    """Choose the model, fit it, and train the suggester in its space."""
    labels = _label_matrix(known.labels, settings.min_label_records)
    name, why = _chosen(settings, labels, known)
    _tell_memory(name, X, labels, settings, say)
    say.begin("space")
    fit = {"lsi": _fit_lsi, "mlsi": _fit_informed, "sle": _fit_informed, "hlsi": _fit_informed, "mlsa": _fit_mlsa}[name]
    fitted, honest = fit(name, X, labels, known, settings)
    say.end(f"{fitted.model}: a space of {fitted.terms.shape[1]} dimensions {why}")
    if labels is None:
        return fitted
    fitted = replace(
        fitted,
        label_names=tuple(map(str, labels.names)),
        label_counts=tuple(int(count) for count in labels.counts),
        label_positions=_means(fitted.positions, labels),
    )
    if settings.suggester == "none":
        return fitted
    say.begin("suggester")
    suggester, method = _trained(X, honest, labels, settings)
    how = "on words and positions" if method == "both" else method
    say.end(f"suggester of {len(labels.names):,} labels trained ({how})")
    return replace(fitted, suggester=suggester, suggester_method=method)


def _label_matrix(labels: Sequence[tuple[str, ...]], least: int) -> LabelMatrix | None:
    """Read the labels that enough records have; records that are left without any are unknown."""
    counts: dict[str, int] = {}
    for names in labels:
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    kept = {name for name, count in counts.items() if count >= least}
    if not kept:
        return None
    known = [tuple(name for name in names if name in kept) for names in labels]
    return as_labels([names or None for names in known])


def _chosen(settings: BuildSettings, labels: LabelMatrix | None, known: Known) -> tuple[str, str]:
    """Which model, and from what its space is made, for people."""
    name = settings.model
    if name == "auto":
        name = "mlsa" if known.used_links else "lsi" if labels is None else "mlsi"
    if labels is None and name not in ("lsi", "mlsa"):
        raise InputError(
            f"model needs labels: got {name!r} for records without any, expected 'lsi' or 'auto'. Name the column that "
            "holds the labels, or take model='lsi'."
        )
    if name == "mlsa" and not known.used_links and labels is None:
        raise InputError(
            "model needs relations: got 'mlsa' for records without labels and links, expected one of them. Name the "
            "columns of links, or take model='lsi'."
        )
    parts = ["words"]
    if name != "lsi" and labels is not None:
        parts.append(f"{len(labels.names):,} labels")
    if name in ("mlsi", "hlsi") and known.taxonomy is not None:
        parts.append("their taxonomy")
    if name == "mlsa":
        parts += list(known.used_links)
    return name, "from the " + (parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1])


def _tell_memory(name: str, X: Any, labels: LabelMatrix | None, settings: BuildSettings, say: Stages) -> None:
    """Say how much memory a large fit will take before it begins; the fit itself refuses what cannot have it."""
    if name not in ("lsi", "mlsi", "hlsi"):
        return
    n_labels = 0 if labels is None else len(labels.names)
    estimate = memory_of_fit(X, settings.n_components, model=name, n_labels=n_labels, positions=True)
    if estimate.total >= LARGE:
        say.begin("memory")
        say.end(f"{estimate.sentence()}; {human_size(available_memory())} are free")
        note_announced(estimate)


def _fit_lsi(name: str, X: Any, labels: Any, known: Known, settings: BuildSettings) -> tuple[Fitted, Float32Array]:
    from tacit.models.lsi.lsi import LSI

    model = make_model(LSI, settings)
    positions = np.asarray(model.fit_transform(X), np.float32)
    offset = model.components_ @ model.mean_ if model.center else None
    return Fitted("LSI", plain_parameters(model), *_map(model, offset), positions), positions


def _fit_informed(name: str, X: Any, labels: Any, known: Known, settings: BuildSettings) -> tuple[Fitted, Float32Array]:
    """MLSI, HLSI and SLE: honest positions for the suggester, those with the labels in them for searching."""
    from tacit.models.graphs.methods import SLE
    from tacit.models.hlsi.hlsi import HLSI
    from tacit.models.mlsi.mlsi import MLSI

    taxonomy = {} if known.taxonomy is None or name == "sle" else {"taxonomy": _widened(known.taxonomy, labels)}
    model = make_model({"mlsi": MLSI, "hlsi": HLSI, "sle": SLE}[name], settings, **taxonomy)
    honest = np.asarray(model.fit_transform(X, labels), np.float32)
    if name == "hlsi":
        positions = model.training_coordinates(X, labels, kind="transductive")
    else:
        positions = model.training_coordinates(X, kind="transductive")
    offset = getattr(model, "offset_", None)
    return Fitted(
        name.upper(), plain_parameters(model), *_map(model, offset), np.asarray(positions, np.float32)
    ), honest


def _fit_mlsa(name: str, X: Any, labels: Any, known: Known, settings: BuildSettings) -> tuple[Fitted, Float32Array]:
    return fit_relations(X, labels, known, settings)


def _map(model: Any, offset: Any) -> tuple[Float32Array, Float32Array | None]:
    terms = np.ascontiguousarray(model.components_.T, np.float32)
    return terms, None if offset is None else np.asarray(offset, np.float32)


def _trained(X: Any, positions: Float32Array, labels: LabelMatrix, settings: BuildSettings) -> tuple[Suggester, str]:
    """Train the suggester on the positions, or on words and positions together; give it and how it was trained."""
    method, seed = settings.suggester, settings.random_state
    if method == "auto":
        a_record = X.nnz / max(1, X.shape[0]) if is_sparse(X) else float(X.shape[1])
        n_known = int(np.count_nonzero(labels.known))
        method = _affordable(n_known, len(labels.names), X.shape[1], positions.shape[1], a_record)
    if method == "both":
        _check_room(X.shape[1], len(labels.names))
        rows = X if is_sparse(X) else sp.csr_array(normalize(X))
        together = sp.hstack([rows, _SHARE * sp.csr_array(normalize(positions))], format="csr")
        head = LabelHead("svm", normalise=False, cv=3, random_state=seed).fit(together, labels)
        head.coef_[:, X.shape[1] :] *= _SHARE  # so that it takes positions at unit length
        return Suggester.of_head(head, X.shape[1]), method
    return Suggester.of_head(LabelHead(method, ridge=0.1, random_state=seed).fit(positions, labels)), method


def _affordable(n_known: int, n_labels: int, n_terms: int, n_dimensions: int, a_record: float) -> str:
    """The best suggester that does not take much longer than the rest of a build.

    Parameters
    ----------
    n_known : records with labels
    n_labels, n_terms, n_dimensions : of the suggester
    a_record : words of a record, on average
    """
    if (a_record + n_dimensions) * n_known * n_labels <= _BOTH_WORK and 4 * n_terms * n_labels <= _BOTH_BYTES:
        return "both"
    return "ridge" if float(n_known) * n_dimensions * n_labels > _LOGISTIC_WORK else "logistic"


def _check_room(n_terms: int, n_labels: int) -> None:
    """One number a word and label is kept, and read whole by a question about many texts."""
    size = 4 * n_terms * n_labels
    if size > _MOST_BYTES:
        raise InputError(
            f"suggester='both' would take {human_size(size)}: got {n_terms:,} terms and {n_labels:,} labels, expected "
            f"at most {human_size(_MOST_BYTES)}. Take fewer terms (max_terms), learn fewer labels (min_label_records), "
            "or suggester='auto'."
        )


def _means(positions: Float32Array, labels: LabelMatrix) -> Float32Array:
    """The mean position of each label's records."""
    totals = np.asarray(labels.indicator.T @ positions)
    return np.asarray(totals / np.maximum(labels.counts, 1)[:, None], np.float32)


def _widened(taxonomy: Taxonomy, labels: LabelMatrix) -> Taxonomy:
    """The taxonomy with labels that it does not have as further roots."""
    missing = [name for name in labels.names if name not in taxonomy]
    if not missing:
        return taxonomy
    parents = {name: taxonomy.parents(name) for name in taxonomy}
    return Taxonomy.from_parents({**parents, **dict.fromkeys(missing, ())})




@dataclass(frozen=True, eq=False)
class Known:
    """What is known about the records beside their words.

    Parameters
    ----------
    labels : labels of each record; an empty one is unknown, not "none of them"
    links : for each name of a link, the targets of each record
    taxonomy : above the labels, or None
    """

    labels: Sequence[tuple[str, ...]]
    links: Mapping[str, Sequence[tuple[str, ...]]]
    taxonomy: Taxonomy | None = None

    @property
    def used_links(self) -> dict[str, Sequence[tuple[str, ...]]]:
        """The links that lead anywhere: a name that all records leave empty says nothing."""
        return {name: targets for name, targets in self.links.items() if any(targets)}


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a fit leaves for the index.

    Attributes
    ----------
    model : str, which model it is
    parameters : what it was fitted with, by name
    terms : (n_terms, k), the map that places words
    offset : (k,) or None
    positions : (n_records, k), where the records are searched: with all that is known about them
    label_names, label_counts : of the labels that took part
    label_positions : (n_labels, k)
    suggester : Suggester or None
    suggester_method : str, how it was trained; "none" if there is none
    others : for each type of linked things, their names and positions
    strengths : (k,) or None, eigenvalues of M-LSA: the position of a thing times these is the sum of the positions of
        its records, but for a factor
    """

    model: str
    parameters: dict[str, Any]
    terms: Float32Array
    offset: Float32Array | None
    positions: Float32Array
    label_names: tuple[str, ...] = ()
    label_counts: tuple[int, ...] = ()
    label_positions: Float32Array | None = None
    suggester: Suggester | None = None
    suggester_method: str = "none"
    others: Mapping[str, tuple[list[str], Float32Array]] | None = None
    strengths: Float32Array | None = None


def make_model(kind: Any, settings: BuildSettings, **given: Any) -> Any:
    """Make a model with the settings, or say which of its parameters is unknown."""
    known = kind().get_params()
    for name in settings.parameters:
        if name not in known:
            raise InputError(
                f"parameters has an unknown one: got {name!r}, expected some of {', '.join(sorted(known))}."
            )
    chosen = {"random_state": settings.random_state, **given, **settings.parameters}
    return kind(settings.n_components, **chosen)


def plain_parameters(model: Any) -> dict[str, Any]:
    """Give the model's parameters as plain data; the taxonomy is kept elsewhere."""
    return {
        name: value
        for name, value in model.get_params().items()
        if isinstance(value, (str, int, float, bool, type(None))) and name != "random_state"
    }



# benchmarks/studies/index_relations.py: what suits search in Reuters-21578 and 20 Newsgroups, and recommending films
_LABEL_WEIGHT = 0.5
_CENTROID_WEIGHT = 2.0
_LINK_WEIGHTS = (0.1, 2.0)


def fit_relations(X: Any, labels: LabelMatrix | None, known: Known, settings: BuildSettings) -> tuple[Fitted, Float32Array]:
    """Fit the space; give what the index keeps, and where words alone place the records.

    The suggester learns from these: a record that asks for labels comes with words only.

    Parameters
    ----------
    X : (n_records, n_terms)
    labels : of the records; None without any
    known : the links
    settings : `parameters` may have those of `MLSA` and `link_weight`, the weight of all links instead of the rule of
        the function of that name
    """
    from tacit.models.mlsa.mlsa import MLSA

    given = dict(settings.parameters)
    chosen = given.pop("link_weight", None)
    given = {"label_weight": _LABEL_WEIGHT, "centroid_weight": _CENTROID_WEIGHT, **given}
    model = make_model(MLSA, replace(settings, parameters=given))
    links = {name: _linked(targets) for name, targets in known.used_links.items()}
    if chosen is not None:
        check_number("link_weight", chosen)
    weights = {name: link_weight(table, X) if chosen is None else float(chosen) for name, (_, table) in links.items()}
    model.fit(_relations(X, labels, links, weights, model))
    terms = model.fold_in("record", {"term": sp.identity(X.shape[1], dtype=np.float32, format="csr")})
    fitted = Fitted(
        "M-LSA",
        {**plain_parameters(model), **{f"weight of {name}": round(weight, 3) for name, weight in weights.items()}},
        np.asarray(terms, np.float32),
        None,
        np.asarray(model.positions_["record"], np.float32),
        others={name: (names, _placed(model, name, table)) for name, (names, table) in links.items()},
        strengths=np.asarray(model.eigenvalues_, np.float32),
    )
    return fitted, np.asarray(X @ terms, np.float32)


def link_weight(table: sp.csr_array, X: Any) -> float:
    """Give the weight of a type of links: what is known oftener than words counts for more than words.

    The root of how many links there are for a word, within limits: films with short titles and a hundred viewers each
    are related by the viewers, stories of a hundred words and two places by the words.
    """
    n_words = X.nnz if is_sparse(X) else np.size(X)
    return float(np.clip(np.sqrt(table.nnz / max(1, n_words)), *_LINK_WEIGHTS))


def _linked(targets: Any) -> tuple[list[str], sp.csr_array]:
    """Names of what is linked, and the table: a thing that is linked to everything counts no more than another."""
    labels = as_labels([tuple(names) for names in targets])
    scale = sp.diags_array((1 / np.sqrt(np.maximum(labels.counts, 1))).astype(np.float32))
    return [str(name) for name in labels.names], sp.csr_array(labels.indicator.astype(np.float32) @ scale)


def _relations(
    X: Any,
    labels: LabelMatrix | None,
    links: dict[str, tuple[list[str], sp.csr_array]],
    weights: dict[str, float],
    model: Any,
) -> Any:
    from tacit.relations.tables.relations import Relations

    graph = Relations().add("record", "term", X, normalise="spectral")
    if labels is not None:
        useful = labels.without_empty()
        Y = useful.indicator.astype(np.float32)
        graph = graph.add("record", "label", Y, columns=useful.names, weight=model.label_weight, normalise="spectral")
        means = sp.csr_array(sp.diags_array((1 / useful.counts).astype(np.float32)) @ Y.T)
        graph = graph.add("label", "record", means, name="mean")
        graph = graph.add_product(
            "mean", "record-term", name="label-term", weight=model.centroid_weight, normalise="spectral"
        )
        # the product holds the means; beside it they would be a second relation of labels and records
        graph = Relations(graph.types, tuple(block for block in graph.blocks if block.name != "mean"))
    for name, (names, table) in links.items():
        shared = _shared(table)
        if len(shared) and weights[name] > 0:
            graph = graph.add(
                "record",
                _kind(name),
                table[:, shared],
                columns=[names[place] for place in shared],
                weight=weights[name],
                normalise="spectral",
            )
    return graph


def _kind(link: str) -> str:
    """A type's name for a link, whatever people call it: one called "label" is not the labels."""
    return f"link:{link}"


def _shared(table: sp.csr_array) -> IntArray:
    """Columns with two records at least."""
    return np.flatnonzero(np.bincount(table.indices, minlength=table.shape[1]) > 1).astype(np.int64)


def _placed(model: Any, link: str, table: sp.csr_array) -> Float32Array:
    """Place all things of a type by their records, those too that took no part: fold-in, Σ_i α m_i C_i."""
    scale = model.relations_.factors(f"record-{_kind(link)}")[0] if _kind(link) in model.relations_.types else 1.0
    return np.asarray(scale * (table.T @ model.concepts_["record"]), np.float32)
