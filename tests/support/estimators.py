"""Every estimator of the package, for the tests that all of them have to pass."""

from __future__ import annotations

from tacit import (
    CCA,
    HLSI,
    LDA,
    LE,
    LPP,
    LSI,
    MDDM,
    MLSA,
    MLSI,
    MORP,
    OLPP,
    PLS,
    SLE,
    SLPP,
    SOLPP,
    SUSC,
    USC,
    GraphEmbedding,
    HierarchyClassifier,
    KernelLSI,
    LabelHead,
    RelationFeatures,
    TopDownClassifier,
)

__all__ = ["ESTIMATORS", "CanonicalCorrelation"]


class CanonicalCorrelation(CCA):
    """CCA by another name: scikit-learn's checks know the name, and give it two columns of real numbers as targets."""


# each estimator with its defaults, and once for each other way that its input can take through it
ESTIMATORS = [
    LSI(),
    LSI(2, solver="krylov", tol=1e-8, warm_start=True),
    LSI(2, solver="single_pass", center=True, scaling="unit"),
    KernelLSI(2),
    KernelLSI(2, kernel="precomputed"),
    KernelLSI(2, n_landmarks=5),
    MLSI(),
    MLSI(2, coordinates="in-sample"),
    MLSI(2, coordinates="in-sample", scaling="unit", ridge=0, solver="augmented", warm_start=True),
    MLSI(2, coordinates="in-sample", kernel="rbf", n_landmarks=5),
    MLSI(2, coordinates="in-sample", kernel="precomputed"),
    HLSI(),
    HLSI(2, coordinates="in-sample", solver="primal", membership="whole", center=False),
    HLSI(2, coordinates="in-sample", solver="products"),
    HLSI(2, coordinates="in-sample", kernel="rbf", n_landmarks=5),
    HLSI(2, coordinates="in-sample", kernel="precomputed"),
    MLSA(3),
    CanonicalCorrelation(),
    CanonicalCorrelation(2, constraint="projections", ridge=0, label_ridge=1),
    CanonicalCorrelation(2, kernel="rbf"),
    CanonicalCorrelation(2, kernel="rbf", n_landmarks=5),
    CanonicalCorrelation(2, kernel="precomputed"),
    LDA(),
    MDDM(),
    MDDM(2, constraint="embeddings", label_kernel="rbf"),
    MORP(),
    MORP(2, constraint="projections", ridge=0),
    PLS(),
    PLS(2, constraint="projections"),
    GraphEmbedding(2, n_neighbours=2),
    GraphEmbedding(2, n_neighbours=2, coordinates="in-sample"),
    LE(2, n_neighbours=2, coordinates="in-sample"),
    USC(
        2,
        n_neighbours=2,
        coordinates="in-sample",
        scaling="weighted",
        graph_params={"weights": "constant", "metric": "euclidean"},
    ),
    LPP(2, n_neighbours=2),
    OLPP(2, n_neighbours=2, n_directions=2),
    SLE(2, n_neighbours=2, coordinates="in-sample"),
    SUSC(2, n_neighbours=2, coordinates="in-sample"),
    SLPP(2, n_neighbours=2),
    SOLPP(2, n_neighbours=2, label_graph="hamming"),
    HierarchyClassifier(),
    HierarchyClassifier(loss="logistic"),
    TopDownClassifier(),
    TopDownClassifier(LabelHead("ridge", random_state=0)),
    LabelHead("logistic"),
    LabelHead("svm", random_state=0),
    LabelHead("ridge"),
    RelationFeatures(),
    RelationFeatures(ratio=0.6, measure="minkowski", power=3, selection="centres"),
]
