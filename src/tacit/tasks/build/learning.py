"""Trains the suggester: the witnesses are counted on all records, the ranker learns from some of them, asked as if new.

The records that the ranker learns from keep their own words and labels out of every count, so that a witness is
believed as far as it can be believed for a new text. Three models learn from two thirds of these records each; what
they say about the other third calibrates the probabilities and sets the thresholds, and their mean is the ranker. With
few records, where such models are left to chance, this is done with several divisions into thirds, and averaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from tacit.index.suggester import Suggester
from tacit.index.witnesses.asked import AskedTexts
from tacit.index.witnesses.corrections import Correction
from tacit.index.witnesses.examples import Examples
from tacit.index.witnesses.names import KINDS, NamesWitness, own_name
from tacit.index.witnesses.neighbours import NeighboursWitness, has_places
from tacit.index.witnesses.panel import CandidatePairs, Panel, blocks_of, favoured
from tacit.index.witnesses.position import PositionWitness
from tacit.index.witnesses.ranker import TreeRanker
from tacit.index.witnesses.relatives import RelativesWitness
from tacit.index.witnesses.words import WordsWitness
from tacit.models.classifiers.label_head import LabelHead
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.names import names_of, related_of
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.choosing import best_favour, best_rule, subject_thresholds
from tacit.tasks.build.stages.some_rows import SomeRows
from tacit.tasks.stage_progress import StageReporter
from tacit.text.words import Words
from tacit.types import Array, Float32Array, Float64Array, IntArray

__all__ = [
    "LEAST_LEARNED",
    "TEXTS",
    "FrequentLabels",
    "expected_seconds",
    "frequent_labels",
    "learned_panel",
    "learning_sample",
    "train_panel",
]

LEAST_LEARNED = 60  # records with labels below which a ranker would learn noise
_ASKED = 16_000  # records that the ranker learns from
TEXTS = 20_000  # records in which names are counted
_FREQUENT = 8  # records of a label that a classifier is trained for
_WRONG = 25  # wrong candidates per record that the ranker learns from, drawn at random
_FOLDS = 3
_LEAVES, _DEPTH = 31, 7
_QUICK = 300  # texts below which a second or two would be much of a build
_FEW = 3_000  # texts up to which models are grown several times
_BY_NAME = 8  # records up to which a subject teaches how far a name alone can be believed
_NAME_TREES, _NAME_LEAVES, _NAME_RATE = 120, 16, 0.05
_FEWEST_NAMED = 40  # right pairs of these, below which names are left to the ranker
_SURE = 4.0  # a probability of .98, if every candidate was right, or .02, if none was


class _Growth(NamedTuple):
    """How the models of a ranker are grown: how often each fold, trees in each, what each tree adds, numbers it sees.

    Measured on 1,500 stories of Reuters and 1,500 new ones: log loss per story .744 ± .007 (between seeds) with one
    model per fold, .730 ± .002 with four shorter ones that see three tenths of the numbers at every node; macro F1 .592
    and .607, both ± .02 (2026-11-18).
    """

    times: int
    trees: int
    rate: float
    numbers: float


_ONE, _TWO, _FOUR = _Growth(1, 60, 0.12, 1.0), _Growth(2, 30, 0.2, 0.3), _Growth(4, 30, 0.2, 0.3)


def learning_sample(labels: Sequence[tuple[str, ...]], seed: int) -> IntArray:
    """Return the numbers of some records with labels, in random order: the ranker learns from the first of them."""
    known = np.array([number for number, names in enumerate(labels) if names], np.int64)
    return np.random.default_rng(seed).permutation(known)[:TEXTS]


def expected_seconds(n_labelled: int, n_subjects: int) -> float:
    """Return about how long `train_panel` takes on one core, without classifiers.

    Measured on 2,000 and 12,000 records of Finna with 3,959 and 27,754 subjects, 2026-11-18.
    """
    return min(n_labelled, _ASKED) * (1.4e-3 + 7e-8 * n_subjects) + min(n_labelled, TEXTS) * 1.4e-4


def train_panel(
    X: Any,
    labels: LabelMatrix,
    honest: Any,
    positions: Any,
    label_positions: Float32Array,
    *,
    words: Words | None,
    texts: Mapping[int, str],
    vocabulary: Taxonomy | None,
    titles: Mapping[str, str],
    language: str,
    head: FrequentLabels | None,
    say: StageReporter,
    seed: int,
    corrections: Sequence[Correction] = (),
    places: Float32Array | None = None,
    asked: IntArray | None = None,
    most_asked: int | None = None,
) -> Panel:
    """Count the witnesses and train the ranker.

    Parameters
    ----------
    X : words of the records
    labels : their labels; unknown ones are left out
    honest, positions : positions of the records by their words alone, and by all that is known about them
    label_positions : mean positions of the records of each label
    words : how texts become words; None without texts
    texts : texts of the records of `learning_sample`
    vocabulary : names of the subjects, and what is above and beside them
    titles : names of labels that came with the records
    language : of the texts, in which names are sought; "none" for all languages
    head : classifiers to train for frequent labels, if that is affordable
    say : reports the stage, which has begun
    seed : of the sample and the folds
    corrections, places : texts that a person has corrected, and their positions by their words
    asked : the records that the ranker may learn from, if only these were fitted; `honest` then has rows for them alone
    most_asked : number of records that the ranker learns from at most; fewer than usual take less memory
    """
    names = tuple(map(str, labels.names))
    more = () if vocabulary is None else tuple(sorted({str(node) for node in vocabulary.names} - set(names)))
    subjects = (*names, *more)
    width, known = len(subjects), np.flatnonzero(labels.known & (np.diff(labels.indicator.indptr) > 0))
    Y = labels.indicator.astype(np.float32)
    own = sp.csr_array((Y.data, Y.indices, Y.indptr), (Y.shape[0], width))
    say.advance("counting words", 0.0)
    labelled = np.zeros(X.shape[0], np.float32)
    labelled[known] = 1
    shown = sp.csr_array(sp.diags_array(labelled) @ X, dtype=np.float32)
    shown.eliminate_zeros()
    by_names = None
    if words is not None and texts:
        by_names = NamesWitness.of_names(words, _all_names(subjects, vocabulary, titles, language), width, X.shape[0])
        counted = np.array(sorted(texts), np.int64)
        say.advance("looking for names", 0.05)
        by_names.count_right(counted, [texts[int(number)] for number in counted], own[counted])
    counts = np.asarray(Y.sum(axis=0)).ravel()
    panel = Panel(
        subjects,
        WordsWitness.of_records(X[known], own[known]),
        NeighboursWitness.of_records(shown, own, _compared_places(positions, labelled)),
        _position_witness(label_positions, counts, positions, labels, head, say),
        RelativesWitness.of_labels(own[known], _related(subjects, vocabulary)),
        by_names,
    )
    may_be_asked = labelled > 0
    if asked is not None:
        may_be_asked &= np.isin(np.arange(len(labelled)), asked)
    order = learning_sample([("known",) if flag else () for flag in may_be_asked], seed)
    sample = np.sort(order[: min(_ASKED, most_asked or _ASKED)])
    pairs = _asked_pairs(panel, X, honest, own, texts if by_names is not None else None, sample, say)
    panel.examples = Examples.of_pairs(pairs.text, pairs.subject, pairs.numbers, own[sample])
    if panel.names is not None:
        panel.names.halves = None  # it was needed for the records asked about
    panel.position.records = panel.position.left_out = None
    panel = learned_panel(panel, X.shape[0], corrections, places, say=say, seed=seed, own=own[sample])
    assert panel.examples is not None
    panel.examples = panel.examples.stored(_drawn(panel.examples.right, panel.examples.n_texts, seed))
    return panel


def _compared_places(positions: Any, labelled: Array) -> Float32Array | None:
    """Return the positions of labelled records, if these are few enough to be compared with every text."""
    return np.where(labelled[:, None] > 0, np.asarray(positions), 0) if has_places(positions) else None


def learned_panel(
    panel: Panel,
    n_records: int,
    corrections: Sequence[Correction],
    places: Float32Array | None,
    *,
    say: StageReporter,
    seed: int,
    own: Any = None,
) -> Panel:
    """Count corrections in all witnesses, and train the ranker on the examples of the panel and on the corrections.

    The examples are those of the build, when classifiers and positions that had not seen a record were there to ask;
    corrections since have changed the counts a little, but asking again would take numbers that have seen the records.
    The classifiers of frequent subjects do not learn from corrections, so they speak about these as about new texts.

    Parameters
    ----------
    panel : the witnesses, with `examples`
    n_records : number of records of the build
    corrections, places : all corrections, earlier ones too, and their positions by their words
    say : reports the stage, which has begun
    seed : of the folds
    own : labels of the texts of the examples, if all candidates of these are there to choose the rule for sets by;
        without, the rule stays as it is
    """
    assert panel.examples is not None
    examples = panel.examples
    if (corrections or panel.learned is not None) and panel.names is not None:
        assert places is not None
        say.advance(f"counting {len(corrections):,} corrections")
        rows = sp.csr_array(panel.names.words.transform(correction.text for correction in corrections))
        panel = panel.with_corrections(n_records, corrections, rows, places)
        if corrections:
            examples = examples.and_also(_corrected_examples(panel, n_records, corrections, rows, places))
    say.advance("training the ranker", 0.7)
    with threadpool_limits(1):  # trees this small gain little from more, and wait for each other on a busy machine
        return _with_ranker(panel, examples, seed, own)


def _corrected_examples(
    panel: Panel, n_records: int, corrections: Sequence[Correction], rows: Any, places: Float32Array
) -> Examples:
    """Ask about corrected texts as if they were new; of a text without accepted subjects only rejected ones count."""
    assert panel.names is not None
    number = {subject: place for place, subject in enumerate(panel.subjects)}
    own = panel.neighbours.labels[n_records:]
    rejected = [{number[name] for name in each.rejected if name in number} for each in corrections]
    alone = replace(panel, position=panel.position.remembering(places, n_records), names=panel.names.without_learned())
    found: Examples | None = None
    for block in blocks_of(len(corrections), panel.block):
        texts = [correction.text for correction in corrections[block]]
        records = n_records + np.arange(block.start, block.stop)
        asked = AskedTexts(rows[block], places[block], len(panel.subjects), texts, records, own[block])
        pairs = alone.pairs(asked)
        examples = Examples.of_pairs(pairs.text, pairs.subject, pairs.numbers, own[block])
        refused = np.array(
            [s in rejected[block.start + t] for t, s in zip(pairs.text.tolist(), pairs.subject.tolist(), strict=True)],
            bool,
        )
        complete = np.diff(own[block].indptr)[pairs.text] > 0
        examples = replace(examples, always=refused).of(complete | refused)
        found = examples if found is None else found.and_also(examples)
    assert found is not None
    return found


@dataclass(frozen=True, eq=False)
class FrequentLabels:
    """A classifier to train for labels with enough records.

    Attributes
    ----------
    head : the classifier
    rows : its features: positions, or words and positions
    n_terms : how many of these are words
    share : length of the positions beside words
    records : which records these are; None for all
    """

    head: LabelHead
    rows: Any
    n_terms: int
    share: float
    records: IntArray | None = None


def frequent_labels(counts: Array) -> IntArray:
    """Return the labels that a classifier can learn: with fewer records a fold may have none to learn from."""
    return np.flatnonzero(counts >= _FREQUENT)


def _position_witness(
    places: Float32Array,
    counts: Array,
    positions: Any,
    labels: LabelMatrix,
    frequent: FrequentLabels | None,
    say: StageReporter,
) -> PositionWitness:
    """Train the classifiers of frequent labels, and keep what they say about records that they did not see."""
    records = None if frequent is None else frequent.records
    scored = frequent_labels(counts if records is None else labels[records].counts)
    if frequent is None or not len(scored):
        return PositionWitness(places, counts, records=positions)
    say.advance(f"training {len(scored):,} classifiers", 0.1)
    some = labels if records is None else labels[records]
    head, known = frequent.head, np.flatnonzero(some.known)
    names = tuple(some.names[number] for number in scored)
    chosen = LabelMatrix(sp.csr_array(some.indicator[:, scored]), names, some.known, kind="sets")
    scores = head.fit_left_out(frequent.rows, chosen)
    seen = np.zeros((len(some), len(scored)), np.float32)
    seen[known] = scores
    left_out: Any = seen if records is None else SomeRows(seen, records)
    if frequent.n_terms:
        head.coef_[:, frequent.n_terms :] *= frequent.share  # so that it takes positions at unit length
    trained = Suggester.of_head(head, frequent.n_terms)
    return PositionWitness(places, counts, records=positions, head=trained, scored=scored, left_out=left_out)


def _all_names(
    subjects: Sequence[str], vocabulary: Taxonomy | None, titles: Mapping[str, str], language: str
) -> Iterable[tuple[int, str, int]]:
    """Return every name of every subject with its kind; a label that the vocabulary lacks is its own name."""
    spoken = None if language == "none" else language
    for number, subject in enumerate(subjects):
        given = () if vocabulary is None or subject not in vocabulary else names_of(vocabulary, subject, spoken)
        used = [(name.text, KINDS.index(name.kind)) for name in given if name.kind in KINDS]
        title = titles.get(subject) or own_name(subject)
        if not used and title:
            used = [(title, 0)]
        for text, kind in used:
            yield number, text, kind


def _related(subjects: Sequence[str], vocabulary: Taxonomy | None) -> Any:
    """Return which subjects are broader, narrower or related to each other."""
    n = len(subjects)
    if vocabulary is None:
        return sp.csr_array((n, n), dtype=np.float32)
    place = {subject: number for number, subject in enumerate(subjects)}
    rows, columns = [], []
    for subject, number in place.items():
        if subject in vocabulary:
            others = {*map(str, vocabulary.parents(subject)), *map(str, related_of(vocabulary, subject))}
            for other in others & place.keys():
                rows += [number, place[other]]
                columns += [place[other], number]
    found = sp.csr_array((np.ones(len(rows), np.float32), (rows, columns)), (n, n))
    found.data[:] = 1
    return found


def _asked_pairs(
    panel: Panel,
    X: Any,
    honest: Any,
    own: Any,
    texts: Mapping[int, str] | None,
    sample: IntArray,
    say: StageReporter,
) -> CandidatePairs:
    """Ask about records as if they were new."""
    found = []
    for block in blocks_of(len(sample), panel.block):
        rows = sample[block]
        asked = AskedTexts(
            X[rows],
            honest[rows],
            len(panel.subjects),
            None if texts is None else [texts[int(row)] for row in rows],
            rows,
            own[rows],
        )
        pairs = panel.pairs(asked)
        found.append(CandidatePairs(pairs.text + block.start, pairs.subject, pairs.numbers))
        done = min(block.stop, len(sample))
        say.advance(f"asking about {done:,} of {len(sample):,} records", 0.2 + 0.5 * done / len(sample))
    return CandidatePairs(
        np.concatenate([each.text for each in found]),
        np.concatenate([each.subject for each in found]),
        np.concatenate([each.numbers for each in found]),
    )


def _with_ranker(panel: Panel, examples: Examples, seed: int, own: Any) -> Panel:
    """Train the ranker on folds of the texts, calibrate it, set the thresholds and choose the rule for sets."""
    truth = examples.right
    models, raw = _grown(examples, seed)
    slope, offset = _calibration(raw, truth, examples.weights)
    ranker = TreeRanker.of_models(models).calibrated(slope, offset)
    probability = ranker.probabilities(raw)
    panel.ranker = ranker
    panel.by_name = _by_name(panel, examples, probability, seed)
    panel.thresholds, usual = subject_thresholds(examples, probability, len(panel.subjects))
    panel.least = usual / 2
    if own is not None:
        of_build = examples.text < own.shape[0]  # the texts of corrections follow
        panel.rule = best_rule(examples.of(of_build), probability[of_build], own, seed)
    return panel


def _grown(examples: Examples, seed: int) -> tuple[list[Any], Float64Array]:
    """Return the models of all folds, and what those that have not seen a text say about its pairs."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    truth = examples.right
    raw, models = np.zeros(len(truth)), list[Any]()
    growth = _ONE if examples.n_texts > _FEW else _FOUR if examples.n_texts >= _QUICK else _TWO
    for number in range(seed, seed + growth.times):
        fold_of = np.random.default_rng(number).integers(_FOLDS, size=examples.n_texts)[examples.text]
        kept = _drawn(truth, examples.n_texts, number) | examples.always
        for fold in range(_FOLDS):
            held_out = fold_of == fold
            model = HistGradientBoostingClassifier(
                max_iter=growth.trees,
                max_leaf_nodes=_LEAVES,
                learning_rate=growth.rate,
                max_depth=_DEPTH,
                max_features=growth.numbers,
                min_samples_leaf=20,
                l2_regularization=1.0,
                early_stopping=False,
                random_state=number,
            )
            used = kept & ~held_out
            model.fit(examples.numbers[used], truth[used])
            raw[held_out] += TreeRanker.of_models([model]).raw(examples.numbers[held_out]) / growth.times
            if len(model.classes_) > 1 or not models:
                models.append(model)
    return models, raw


def _by_name(panel: Panel, examples: Examples, probability: Float64Array, seed: int) -> TreeRanker | None:
    """Train what ranks subjects that no record has, and write what it says about those that were left out.

    Subjects with a few records teach it as well: by their names alone, and by how many records they have. The ranker
    sees too few subjects without any to learn more than that nothing but a name speaks for them. Its offset is how far
    they are favoured.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    few = panel.named_new(examples.numbers, _BY_NAME)
    if len(panel.subjects) == np.count_nonzero(panel.relatives.counts) or not len(few):
        return None  # every subject has records
    numbers, truth = examples.numbers[few][:, panel.of_names], examples.right[few]
    if np.count_nonzero(truth) < _FEWEST_NAMED:
        return None
    fold = np.random.default_rng(seed).integers(_FOLDS, size=examples.n_texts)[examples.text[few]]
    models, raw = [], np.zeros(len(examples))
    for number in range(_FOLDS):
        held_out = fold == number
        model = HistGradientBoostingClassifier(
            max_iter=_NAME_TREES,
            max_leaf_nodes=_NAME_LEAVES,
            learning_rate=_NAME_RATE,
            min_samples_leaf=20,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        )
        model.fit(numbers[~held_out], truth[~held_out], sample_weight=examples.weights[few][~held_out])
        if len(model.classes_) < 2:
            return None
        models.append(model)
        new = np.intersect1d(few[held_out], panel.named_new(examples.numbers))
        raw[new] = TreeRanker.of_models([model]).raw(examples.numbers[new][:, panel.of_names])
    new = panel.named_new(examples.numbers)
    more = best_favour(examples, probability, new, raw[new])
    probability[new] = 1 / (1 + np.exp(-favoured(raw[new], more)))
    return TreeRanker.of_models(models).calibrated(1.0, more)


def _drawn(truth: Array, n_records: int, seed: int) -> Array:
    """Return what the ranker learns from: all right candidates, and wrong ones drawn at random.

    Too few wrong ones make it too confident; the calibration, on all candidates, mends that.
    """
    n_wrong = int(np.count_nonzero(~truth))
    share = min(1.0, _WRONG * n_records / max(1, n_wrong))
    drawn = np.random.default_rng(seed).random(len(truth)) < share
    return np.asarray(truth | drawn)


def _calibration(raw: Float64Array, truth: Array, weights: Array) -> tuple[float, float]:
    """Return slope and offset of the sigmoid with the largest likelihood."""
    from sklearn.linear_model import LogisticRegression

    if truth.all() or not truth.any():  # the trees have learned nothing: all candidates are as probable
        return 0.0, _SURE if truth.any() else -_SURE
    fitted = LogisticRegression(C=1e6, max_iter=200).fit(raw[:, None], truth, weights)
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
