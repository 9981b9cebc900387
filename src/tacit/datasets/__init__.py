"""Named collections: the name of a data set becomes records, vectors or a taxonomy, read from a folder.

The folder has one subfolder per data set. It is the argument `data_dir` or the environment variable TACIT_DATA. Only
`tacit.datasets.fetching` downloads anything; the loaders change nothing in the folder.
"""

from tacit.datasets.arxiv import load_arxiv
from tacit.datasets.data_files import TaxonomyTable
from tacit.datasets.enzyme import load_enzyme
from tacit.datasets.movielens import MovieLens, load_movielens
from tacit.datasets.mulan import load_mulan
from tacit.datasets.newsgroups import load_newsgroups
from tacit.datasets.rcv1 import load_rcv1
from tacit.datasets.registry import Dataset, dataset_names, load_taxonomy, read_dataset
from tacit.datasets.reuters21578 import load_reuters21578
from tacit.datasets.standard_library import standard_library_records
from tacit.datasets.vectors import VectorSet

__all__ = [
    "Dataset", "MovieLens", "TaxonomyTable", "VectorSet", "dataset_names", "load_arxiv", "load_enzyme",
    "load_movielens", "load_mulan", "load_newsgroups", "load_rcv1", "load_reuters21578", "load_taxonomy",
    "read_dataset", "standard_library_records",
]  # fmt: skip
