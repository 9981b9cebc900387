"""What each witness adds to the suggestions: small rankers with its numbers alone, and without them.

The witnesses know the training records only, so the held-out records are new to them. For each choice of witnesses a
small ranker is trained on two thirds of the held-out records and tested on the others, three times. The candidates
always come from all witnesses, and all rankers are trained in the same way, so that their scores can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from tacit.errors import InputError
from tacit.evaluate.measures.annotation import annotation_at_k
from tacit.index.witnesses.panel import CandidatePairs, feature_groups
from tacit.relations.labels.matrix import LabelMatrix
from tacit.tasks.measure.split import RecordSet, draw
from tacit.tasks.measure.trial_index import FittedIndex, TrialIndex
from tacit.tasks.stage_progress import StageReporter
from tacit.types import Array, BoolArray, Float64Array, IntArray

__all__ = ["WitnessMeasures", "WitnessRow", "check_witnesses", "measure_witnesses"]

_MOST = 3_000  # held-out records that are used
_LEAST = 30  # below, a ranker would learn noise
_FOLDS, _TREES, _WRONG = 3, 30, 15
_ADVICE = "Build it with suggester='auto' from words, and with enough records that have labels."


@dataclass(frozen=True)
class WitnessRow:
    """What one witness adds.

    Attributes
    ----------
    name : str
    alone_precision, alone_ndcg : float
        Precision@1 and nDCG@5 with the numbers of this witness alone.
    without_precision, without_ndcg : float
        The same with those of all others.
    gain, error : float
        How much nDCG@5 all witnesses have above all others, and its standard error.
    """

    name: str
    alone_precision: float
    alone_ndcg: float
    without_precision: float
    without_ndcg: float
    gain: float
    error: float


@dataclass(frozen=True)
class WitnessMeasures:
    """What each witness adds, and the quality of all of them together.

    Attributes
    ----------
    rows : tuple of WitnessRow
        In the order of the witnesses.
    precision, ndcg : float
        Precision@1 and nDCG@5 of a small ranker with the numbers of all witnesses.
    n_records : int
        Held-out records that were used.
    """

    rows: tuple[WitnessRow, ...]
    precision: float
    ndcg: float
    n_records: int

    def to_facts(self) -> dict[str, Any]:
        """Return the measures as plain data."""
        rows = [{name: _rounded(value) for name, value in asdict(row).items()} for row in self.rows]
        return {
            "records": self.n_records,
            "precision": round(self.precision, 6),
            "ndcg": round(self.ndcg, 6),
            "rows": rows,
        }


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def check_witnesses(index: TrialIndex, test: RecordSet) -> FittedIndex:
    """Return an index whose witnesses can be measured, or raise."""
    n_labelled = sum(1 for names in test.labels if names)
    if n_labelled < _LEAST:
        raise InputError(
            f"witnesses cannot be measured: got {n_labelled:,} held-out records with labels, expected at least "
            f"{_LEAST}. Hold out more of them."
        )
    if not isinstance(index, FittedIndex) or index.panel is None:
        raise InputError(
            f"witnesses cannot be measured: got an index whose suggester has none, expected some. {_ADVICE}"
        )
    return index


def measure_witnesses(index: TrialIndex, test: RecordSet, say: StageReporter, *, seed: int = 0) -> WitnessMeasures:
    """Measure what each witness adds, on at most 3,000 held-out records.

    Raises
    ------
    InputError
        If labels are not suggested by witnesses, or fewer than 30 held-out records have labels.
    """
    fitted = check_witnesses(index, test)
    assert fitted.panel is not None
    say.begin("witnesses")
    asked = draw(test[[row for row, names in enumerate(test.labels) if names]], _MOST, np.random.default_rng(seed))
    pairs = _pairs(fitted, asked, say)
    subjects = fitted.panel.subjects
    names = (*subjects, *sorted({name for labels in asked.labels for name in labels} - set(subjects)))
    trial = _Trial(pairs, LabelMatrix.from_sets(asked.labels, names), seed)
    groups, everything = feature_groups(fitted.panel), np.arange(pairs.numbers.shape[1])
    precision, ndcg = trial.measure(everything)
    rows = []
    for number, (name, columns) in enumerate(groups.items()):
        say.advance(f"{name}, {number + 1} of {len(groups)}", (number + 1) / (len(groups) + 1))
        alone = trial.measure(np.asarray(columns))
        without = trial.measure(np.setdiff1d(everything, columns))
        loss = ndcg - without[1]
        error = float(loss.std(ddof=1) / np.sqrt(len(loss)))
        rows.append(
            WitnessRow(
                name, alone[0], float(alone[1].mean()), without[0], float(without[1].mean()), float(loss.mean()), error
            )
        )
    say.end(f"{len(groups)} witnesses tried alone and left out on {len(asked):,} held-out records")
    return WitnessMeasures(tuple(rows), precision, float(ndcg.mean()), len(asked))


def _pairs(index: FittedIndex, asked: RecordSet, say: StageReporter) -> CandidatePairs:
    assert index.panel is not None
    texts = [record.text for record in asked.records]
    found = []
    for block, part in index.asked(index.features.rows(asked), texts):
        pairs = index.panel.pairs(part)
        found.append(CandidatePairs(pairs.text + block.start, pairs.subject, pairs.numbers))
        say.advance(f"asking about {block.stop:,} of {len(asked):,} records")
    return CandidatePairs(
        np.concatenate([each.text for each in found]),
        np.concatenate([each.subject for each in found]),
        np.concatenate([each.numbers for each in found]),
    )


class _Trial:
    """Trains small rankers with some of the numbers of the pairs, and measures them on records they did not see."""

    def __init__(self, pairs: CandidatePairs, truth: LabelMatrix, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._pairs, self._truth, self._seed = pairs, truth, seed
        self._right: BoolArray = np.asarray(truth.indicator[pairs.text, pairs.subject]).ravel() > 0
        self._fold: IntArray = rng.integers(_FOLDS, size=len(truth))[pairs.text]
        share = _WRONG * len(truth) / max(1, int(np.count_nonzero(~self._right)))
        self._drawn: BoolArray = self._right | (rng.random(len(self._right)) < share)

    def measure(self, columns: Array | Sequence[int]) -> tuple[float, Float64Array]:
        """Return precision@1, and nDCG@5 of each record."""
        raw = np.zeros(len(self._right))
        if len(columns):
            with threadpool_limits(1):  # trees this small gain little from more
                for number in range(_FOLDS):
                    self._score(number, columns, raw)
        shape = (len(self._truth), self._truth.n_labels)
        scores = sp.csr_array((raw, (self._pairs.text, self._pairs.subject)), shape)
        first, five = annotation_at_k(self._truth, scores, (1, 5))
        return first.precision, five.per_record

    def _score(self, fold: int, columns: Array | Sequence[int], raw: Float64Array) -> None:
        """Train on the other folds and score the pairs of one, unless all pairs are right or all wrong."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        tested, learned = self._fold == fold, (self._fold != fold) & self._drawn
        right = self._right[learned]
        if not tested.any() or right.all() or not right.any():
            return
        numbers = self._pairs.numbers[:, columns]
        model = HistGradientBoostingClassifier(
            max_iter=_TREES, learning_rate=0.15, max_leaf_nodes=15, early_stopping=False, random_state=self._seed
        )
        raw[tested] = model.fit(numbers[learned], right).decision_function(numbers[tested])
