"""Graphs of neighbours that usearch did not write: run as a program, it opens and searches many of them.

    python forged_graphs.py GRAPH POSITIONS N_GRAPHS SEED

Prints how many were refused and searched, as JSON. A graph that usearch cannot bear ends the process.
"""

from __future__ import annotations

import json
import random
import struct
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

WAYS = ("header", "level", "node", "neighbour", "count", "byte", "cut", "longer")


def forged(content: bytes, way: str, chance: random.Random) -> bytes:
    """Change a graph in one way, as someone would who also writes new checksums."""
    found = bytearray(content)
    rows, columns = struct.unpack_from("<2I", found)
    head = 8 + rows * columns
    levels = head + 104
    nodes = levels + 2 * rows
    if way == "header":
        place = chance.choice([0, 4, *(head + 17 + 8 * n for n in range(3)), *(head + 64 + 8 * n for n in range(5))])
        struct.pack_into("<I", found, place, _number(chance, rows))
    elif way == "level":
        struct.pack_into("<h", found, levels + 2 * chance.randrange(rows), chance.choice([-1, 1, 2, 7, 32767]))
    elif way in ("node", "neighbour", "count"):  # of nodes on the base, as far as the first above it
        start = nodes + 142 * chance.randrange(chance.choice([1, rows // 2]))
        offset = {"node": chance.choice([0, 4, 8]), "count": 10, "neighbour": 14 + 4 * chance.randrange(32)}[way]
        struct.pack_into("<I", found, min(start + offset, len(found) - 4), _number(chance, rows))
    elif way == "byte":
        for _ in range(chance.choice([1, 3, 30])):
            found[chance.randrange(head, len(found))] = chance.randrange(256)
    else:
        length = chance.randrange(1, len(found)) if chance.random() < 0.5 else chance.randrange(1, 200)
        found = found[:-length] if way == "cut" else found + bytes(chance.randbytes(length))
    return bytes(found)


def _number(chance: random.Random, rows: int) -> int:
    return chance.choice(
        [0, 1, rows - 1, rows, rows + 1, 1 << 20, (1 << 31) - 1, (1 << 32) - 1, chance.getrandbits(32)]
    )


def main(graph: str, positions: str, n_graphs: str, seed: str) -> None:
    from tacit.index.nearest.approximate import HnswGraph

    warnings.simplefilter("ignore")
    content, places, chance = Path(graph).read_bytes(), np.load(positions), random.Random(int(seed))
    refused = searched = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(n_graphs)):
            path = Path(folder, f"{number}.usearch")
            path.write_bytes(forged(content, WAYS[number % len(WAYS)], chance))
            print(number, file=sys.stderr)
            found = HnswGraph.open(path, *places.shape)
            if found is None:
                refused += 1
            else:
                searched += 1
                for query in places[:: len(places) // 20]:
                    assert (found.propose(query, 200) < len(places)).all()
                del found
            path.unlink()
    print(json.dumps({"refused": refused, "searched": searched}))


if __name__ == "__main__":
    main(*sys.argv[1:])
