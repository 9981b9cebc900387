"""Where the named data sets live in public: addresses, checksums that somebody else has published, and our layout.

Each set is downloaded as it is published and turned into the files that the loaders read. A checksum stands here only
if it was published: by GroupLens beside its archive (MD5), in scikit-learn's `fetch_20newsgroups` (SHA-256), and in the
table of checksums that Hugging Face's `datasets` kept for Reuters-21578 (SHA-256). For other files the checksum of the
first download is kept beside the data, and later downloads are held against it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HOMES", "Home", "Source"]


@dataclass(frozen=True)
class Source:
    """A file to download: its address, what to call it, and the published checksum in hexadecimal, if there is one."""

    url: str
    file: str
    sha256: str = ""
    md5: str = ""


@dataclass(frozen=True)
class Home:
    """Where a data set comes from, and what becomes of it.

    Parameters
    ----------
    page : a page for people
    folder : subfolder of the data folder
    files : what the loaders read there
    sources : what is downloaded
    megabytes : about how much that is
    """

    page: str
    folder: str
    files: tuple[str, ...]
    sources: tuple[Source, ...]
    megabytes: int


def _mulan(name: str, megabytes: int) -> Home:
    commit = "43f6389095ad71984264db4387a8074b22bc7d4a"
    base = f"https://raw.githubusercontent.com/tsoumakas/mulan/{commit}/data/multi-label/{name}"
    files = (f"{name}.xml", f"{name}-train.arff", f"{name}-test.arff")
    sources = tuple(Source(f"{base}/{file}", file) for file in files)
    return Home("https://mulan.sourceforge.net/datasets-mlc.html", "mulan", (f"{name}.npz",), sources, megabytes)


def _rcv1() -> Home:
    libsvm = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multilabel"
    appendix = "https://www.jmlr.org/papers/volume5/lewis04a"
    files = [f"rcv1subset_topics_{part}_{number}.svm.bz2" for number in range(1, 6) for part in ("train", "test")]
    sources = [Source(f"{libsvm}/{file}", file) for file in files]
    sources.append(
        Source(f"{appendix}/a02-orig-topics-hierarchy/rcv1.topics.hier.orig", "rcv1.topics.hier.orig"),
    )
    sources.append(
        Source(f"{appendix}/a14-term-dictionary/stem.termid.idf.map.txt", "stem.termid.idf.map.txt"),
    )
    page = "https://www.jmlr.org/papers/v5/lewis04a.html"
    return Home(page, "rcv1", ("rcv1_subsets.npz", "topics.tsv"), tuple(sources), 15)


# of the categories of arXiv, those whose file in the archive is small; papers of the others come by cross-listing
_ARXIV = """
acc-phys adap-org alg-geom ao-sci atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat.other cond-mat.quant-gas
cs.AR cs.CC cs.CE cs.CG cs.CR cs.CY cs.DB cs.DC cs.DL cs.DM cs.ET cs.FL cs.GL cs.GR cs.GT cs.HC cs.IR cs.LO cs.MA cs.MM
cs.MS cs.NA cs.NE cs.NI cs.OH cs.OS cs.PF cs.PL cs.RO cs.SC cs.SD cs.SE cs.SI cs.SY dg-ga econ.EM econ.GN econ.TH
eess.AS eess.IV eess.SP eess.SY funct-an math.AC math.AT math.CA math.CT math.CV math.FA math.GM math.GN math.GR math.GT
math.HO math.KT math.LO math.MG math.OA math.QA math.RA math.RT math.SG math.SP math.ST mtrl-th nlin.AO nlin.CD nlin.CG
nlin.PS nlin.SI patt-sol physics.acc-ph physics.ao-ph physics.app-ph physics.atm-clus physics.atom-ph physics.bio-ph
physics.chem-ph physics.class-ph physics.comp-ph physics.data-an physics.ed-ph physics.gen-ph physics.geo-ph
physics.hist-ph physics.med-ph physics.plasm-ph physics.pop-ph physics.space-ph plasm-ph q-alg q-bio.BM q-bio.CB
q-bio.GN q-bio.MN q-bio.NC q-bio.OT q-bio.PE q-bio.QM q-bio.SC q-bio.TO q-fin.CP q-fin.EC q-fin.GN q-fin.MF q-fin.PM
q-fin.PR q-fin.RM q-fin.ST q-fin.TR solv-int stat.AP stat.CO stat.ME stat.OT stat.TH supr-con
"""


def _arxiv() -> Home:
    commit = "f043eb1d71da6ed2fb9eac63ab8707359ff606ea"
    base = f"https://raw.githubusercontent.com/staeiou/arxiv_archive/{commit}/processed_data/20200101/per_category"
    sources = tuple(Source(f"{base}/{category}.tsv.xz", f"{category}.tsv.xz") for category in _ARXIV.split())
    files = ("arxiv_sample.jsonl.gz", "taxonomy.tsv")
    return Home("https://doi.org/10.5281/zenodo.1463242", "arxiv", files, sources, 250)


HOMES: dict[str, Home] = {
    "reuters21578": Home(
        "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.html",
        "reuters21578",
        ("reuters21578.jsonl.gz", "topics.tsv"),
        (
            Source(
                "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
                "reuters21578.tar.gz",
                sha256="3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
            ),
        ),
        8,
    ),
    "20newsgroups": Home(
        "http://qwone.com/~jason/20Newsgroups/",
        "20newsgroups",
        ("20newsgroups.jsonl.gz",),
        (
            Source("http://qwone.com/~jason/20Newsgroups/20news-19997.tar.gz", "20news-19997.tar.gz"),
            Source(
                "https://ndownloader.figshare.com/files/5975967",
                "20news-bydate.tar.gz",
                sha256="8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
            ),
        ),
        32,
    ),
    "arxiv": _arxiv(),
    "enzyme": Home(
        "https://enzyme.expasy.org/",
        "enzyme",
        ("enzyme.dat.gz",),
        (
            # the Institute offers its current release only; the one that the figures are about is kept here
            Source(
                "https://raw.githubusercontent.com/blancosilva/enzyme/aaef5199615742ea7f10c03766b486e7e45ca24c/enzyme.dat",
                "enzyme.dat",
            ),
        ),
        4,
    ),
    "movielens100k": Home(
        "https://grouplens.org/datasets/movielens/100k/",
        "movielens100k",
        ("ml-100k.zip", "ratings.tsv.gz"),
        (
            Source(
                "https://files.grouplens.org/datasets/movielens/ml-100k.zip",
                "ml-100k.zip",
                md5="0e33842e24a9c977be4e0107933c0723",
            ),
        ),
        5,
    ),
    "rcv1": _rcv1(),
    "bibtex": _mulan("bibtex", 4),
    "delicious": _mulan("delicious", 10),
    "enron": _mulan("enron", 1),
    "medical": _mulan("medical", 1),
}
