"""Named collections: the name of a data set becomes records, vectors or a taxonomy, read from a folder."""

from tacit.datasets.enzyme import load_enzyme
from tacit.datasets.movielens import MovieLens, load_movielens
from tacit.datasets.newsgroups import load_newsgroups
from tacit.datasets.published import VectorSet, load_arxiv, load_mulan, load_rcv1, load_reuters21578
from tacit.datasets.registry import Dataset, dataset_names, read_dataset
from tacit.datasets.standard_library import standard_library_records
from tacit.datasets.taxonomies import TaxonomyTable, load_taxonomy

__all__ = [
    "Dataset",
    "MovieLens",
    "TaxonomyTable",
    "VectorSet",
    "dataset_names",
    "load_arxiv",
    "load_enzyme",
    "load_movielens",
    "load_mulan",
    "load_newsgroups",
    "load_rcv1",
    "load_reuters21578",
    "load_taxonomy",
    "read_dataset",
    "standard_library_records",
]
