"""What [Wang2006] prints about the five comp.* groups: its tables 2, 3 and 4, and the figures that its text names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

__all__ = ["CLASSES", "CLUSTERS", "TABLE_2", "TABLE_3", "TABLE_4", "likeness", "strongest"]

CLUSTERS = {"TF-IDF": 0.449, "LSA": 0.532, "M-LSA": 0.574}  # F, 20 dimensions
CLASSES = {"words": 0.790, "LSA": 0.789, "M-LSA": 0.803}  # micro F1, 50 dimensions; LSA at its best

TABLE_3 = {
    0.1: {0.1: 0.4617, 0.3: 0.4612, 0.5: 0.5458, 0.7: 0.5371, 0.9: 0.5332},
    0.3: {0.1: 0.4653, 0.3: 0.5217, 0.5: 0.5736, 0.7: 0.5420},
    0.5: {0.1: 0.4199, 0.3: 0.4477, 0.5: 0.5312},
    0.7: {0.1: 0.3703, 0.3: 0.3927},
    0.9: {0.1: 0.3818},
}  # F by α and β

# "controll" stands there, where Porter's step 5b gives "control"
TABLE_2 = tuple(
    {word: float(weight) for word, weight in zip(column.split()[0::2], column.split()[1::2], strict=True)}
    for column in (
        "window .099589 card .078050 drive .077698 file .073806 system .068470 do .067048 run .066707 edu .066448 "
        "com .065669 help .063963",
        "microsoft .101049 os .065222 ms .049975 challeng .048302 window .043423 product .041857 duke .040493 "
        "innov .034644 market .033406 do .033213",
        "scsi .191321 drive .155479 id .138539 control .101291 mb .098239 bu .091817 hard .073117 isa .072097 "
        "card .068160 disk .055418",
        "card .191498 monitor .145576 video .142046 driver .103758 ati .088274 dx .076899 diamond .069758 "
        "simm .067689 ultra .064259 mhz .061410",
        "drive .117997 appl .109939 mac .108689 power .078488 disk .068229 price .063807 monitor .062536 "
        "simm .057811 hard .054318 centri .050969",
    )
)

_WORDS = {
    "comp.os.ms-windows.misc": (
        "window file driver do win edu program run ms card",
        "window file do driver run ms win program edu card",
    ),
    "comp.graphics": (
        "graphic imag file program look format gif convert thank bit",
        "imag graphic file format gif convert program look ftp color",
    ),
    "comp.sys.mac.hardware": (
        "mac appl drive monitor simm edu price quadra centri lc",
        "mac appl monitor drive simm price edu comput power centri",
    ),
    "comp.sys.ibm.pc.hardware": (
        "drive card control scsi bu id pc dx com mb",
        "drive card scsi control bu id mb system disk hard",
    ),
    "comp.windows.x": (
        "window motif server widget displai applic sun run com program",
        "window server applic displai run motif widget sun program set",
    ),
}
TABLE_4 = {group: tuple(words.split() for words in pair) for group, pair in _WORDS.items()}  # centroid, M-LSA


def strongest(weights: Mapping[str, float], limit: int = 10) -> list[tuple[str, float]]:
    """Give the words of a concept with the largest weights, best first."""
    return sorted(weights.items(), key=lambda pair: -pair[1])[:limit]


def likeness(concepts: Sequence[Mapping[str, float]]) -> tuple[list[int], float]:
    """Compare concepts with table 2: of ten words how many are shared, and how far weights are off.

    Each of the paper's concepts is compared with the one of ours that shares most words, wherever that stands. How far:
    the length of the difference over the paper's ten words, over that of the paper's weights; mean of the concepts.
    """
    tops = [{word for word, _ in strongest(ours)} for ours in concepts]
    shared, distances = [], []
    for theirs in TABLE_2:
        wanted = np.array(list(theirs.values()))
        off = [float(np.linalg.norm(wanted - [ours.get(word, 0.0) for word in theirs])) for ours in concepts]
        most, distance = max((len(theirs.keys() & top), -each) for top, each in zip(tops, off, strict=True))
        shared.append(most)
        distances.append(-distance / float(np.linalg.norm(wanted)))
    return shared, float(np.mean(distances))
