"""Whether the arrays of an index belong together: a damaged header would mislead whoever multiplies them."""

from __future__ import annotations

from tacit.errors import InputError
from tacit.index.folder.opening import Generation

__all__ = ["check_shapes"]

# by what the manifest counts
_EXPECTED = {
    "positions": ("records", "dimensions"),
    "lengths": ("records",),
    "terms": ("terms", "dimensions"),
    "offset": ("dimensions",),
    "term_weights": ("terms",),
    "label_positions": ("labels", "dimensions"),
    "head_coef": ("labels", "dimensions"),
    "head_words": ("terms", "labels"),
    "head_intercept": ("labels",),
    "head_thresholds": ("labels",),
    "head_slopes": ("labels",),
    "head_offsets": ("labels",),
}


def check_shapes(generation: Generation) -> None:
    """Compare shapes and types of the arrays with the manifest; reads headers only, which have been read already."""
    counts = generation.manifest.counts
    for name, sides in _EXPECTED.items():
        array = generation.arrays.get(name)
        if array is None or not all(side in counts for side in sides):
            continue
        shape = tuple(counts[side] for side in sides)
        if array.shape != shape or array.dtype.kind != "f":
            raise InputError(
                f"{generation.folder / 'arrays' / name}.npy does not fit the index: got shape {array.shape} of "
                f"{array.dtype}, expected {shape} of float32. Restore the index from a copy or build it again."
            )
