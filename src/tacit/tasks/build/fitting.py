"""From words and what is known about the records to a space, positions and a suggester: the fit of an index."""

from __future__ import annotations

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
from tacit.models.common.free_memory import available_memory
from tacit.models.common.memory import LARGE, memory_of_fit, note_told
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.relations import fit_relations
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.fitted import Fitted, Known
from tacit.tasks.build.model_parameters import make_model, plain_parameters
from tacit.tasks.stages import Stages

__all__ = ["Fitted", "Known", "fit_model"]

Floats = npt.NDArray[np.float32]
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
        note_told(estimate)


def _fit_lsi(name: str, X: Any, labels: Any, known: Known, settings: BuildSettings) -> tuple[Fitted, Floats]:
    from tacit.models.lsi.lsi import LSI

    model = make_model(LSI, settings)
    positions = np.asarray(model.fit_transform(X), np.float32)
    offset = model.components_ @ model.mean_ if model.center else None
    return Fitted("LSI", plain_parameters(model), *_map(model, offset), positions), positions


def _fit_informed(name: str, X: Any, labels: Any, known: Known, settings: BuildSettings) -> tuple[Fitted, Floats]:
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


def _fit_mlsa(name: str, X: Any, labels: Any, known: Known, settings: BuildSettings) -> tuple[Fitted, Floats]:
    return fit_relations(X, labels, known, settings)


def _map(model: Any, offset: Any) -> tuple[Floats, Floats | None]:
    terms = np.ascontiguousarray(model.components_.T, np.float32)
    return terms, None if offset is None else np.asarray(offset, np.float32)


def _trained(X: Any, positions: Floats, labels: LabelMatrix, settings: BuildSettings) -> tuple[Suggester, str]:
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


def _means(positions: Floats, labels: LabelMatrix) -> Floats:
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
