"""t-SNE of any number of records: neighbours attract each other, and all records repel each other.

    gradient of y_i = Σ_j p_ij (y_i − y_j) / (1 + |y_i − y_j|²) − 1/Z Σ_j (y_i − y_j) / (1 + |y_i − y_j|²)²

The first sum is over the neighbours. The second is over all records: their mass is spread over a grid, where it is a
convolution, done by Fourier transforms, so that its time grows with the records, not with their pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.fft
import scipy.sparse as sp

from tacit.types import Array, Float32Array

__all__ = ["Steps", "t_sne"]

_SPACING = 0.8  # of the grid: forces vary over distances of about 1
_FINEST = 448  # cells along a side at most
_COARSEST = 32
_MARGIN = 1.25  # of the grid around the points, so that it lasts for several steps
_LEAST_GAIN = 0.01
_FARTHEST = 5.0  # a step goes, so that a few records cannot fly off


class Steps(NamedTuple):
    """A number of steps, the factor of the attraction in them, and the part of the last move that goes on."""

    number: int
    exaggeration: float
    momentum: float


def t_sne(neighbours: Any, start: Array, schedule: tuple[Steps, ...]) -> Float32Array:
    """Move points until neighbours are near each other.

    Parameters
    ----------
    neighbours : sparse, n x n
        Symmetric weights that sum to 1, at least one in each row.
    start : (n, 2)
    schedule : what to do, one after the other
    """
    pulls = _Pulls(sp.csr_array(neighbours, dtype=np.float32))
    points = np.array(start, np.float32)
    moves, gains = np.zeros_like(points), np.ones_like(points)
    grid = _Grid()
    for number, exaggeration, momentum in schedule:
        rate = np.float32(len(points) / exaggeration)
        for _ in range(number):
            gradient = np.float32(exaggeration) * pulls.at(points) - grid.repulsion(points)
            # as usual, each coordinate goes faster while it goes on in one direction
            gains = np.maximum(np.where((gradient > 0) == (moves > 0), 0.8 * gains, gains + 0.2), _LEAST_GAIN)
            moves = np.clip(momentum * moves - rate * gains * gradient, -_FARTHEST, _FARTHEST)
            points += moves
            points -= points.mean(axis=0)
    return points


class _Pulls:
    """The attraction of neighbours."""

    def __init__(self, P: sp.csr_array) -> None:
        self._columns, self._weights = P.indices, P.data
        self._starts, self._lengths = P.indptr[:-1], np.diff(P.indptr)

    def at(self, points: Float32Array) -> Float32Array:
        """Return the attraction of every point by its neighbours, away from them."""
        # one complex number per point is gathered faster than two coordinates
        z = np.ascontiguousarray(points).view(np.complex64)[:, 0]
        apart = np.repeat(z, self._lengths)
        apart -= z.take(self._columns)
        squares = apart.real**2
        squares += apart.imag**2
        squares += 1
        apart *= self._weights / squares
        return np.add.reduceat(apart, self._starts).view(np.float32).reshape(-1, 2)


class _Grid:
    """A square grid on which the repulsion of all points is computed; it is made anew when the points outgrow it."""

    def __init__(self) -> None:
        self._n_cells, self._spacing = 0, 0.0
        self._kernels: Any = None

    def repulsion(self, points: Float32Array) -> Float32Array:
        """Return the repulsion of every point by all others, divided by its sum Z."""
        self._fit(float(np.abs(points).max()))
        n = self._n_cells
        places = points / np.float32(self._spacing) + np.float32(n / 2)
        cells = places.astype(np.int32)
        right, top = (places - cells).T
        first = cells[:, 0] * n + cells[:, 1]
        # the mass of a point is divided between the corners of its cell, and it feels the forces at these
        corners = (first, first + 1, first + n, first + n + 1)
        shares = ((1 - right) * (1 - top), (1 - right) * top, right * (1 - top), right * top)
        mass = np.zeros(n * n)
        for corner, share in zip(corners, shares, strict=True):
            mass += np.bincount(corner, share, n * n)
        spectrum = scipy.fft.rfft2(mass.reshape(n, n).astype(np.float32), (2 * n, 2 * n))
        fields = scipy.fft.irfft2(self._kernels * spectrum, (2 * n, 2 * n))[:, :n, :n].reshape(3, n * n)
        felt = np.zeros((3, len(points)), np.float32)
        for corner, share in zip(corners, shares, strict=True):
            felt += share * fields[:, corner]
        total = max(float(felt[0].sum(dtype=np.float64)) - len(points), 1e-9)  # without each point's own
        return np.asarray(felt[1:].T / np.float32(total))

    def _fit(self, reach: float) -> None:
        """Make the grid and the transforms of the forces anew, if the points are outside it or much smaller."""
        half = self._n_cells * self._spacing / 2
        if self._kernels is not None and half / 2 < reach < 0.97 * half - self._spacing:
            return
        wanted = 2 * _MARGIN * max(reach, 1e-6)
        n = scipy.fft.next_fast_len(int(np.clip(np.ceil(wanted / _SPACING), _COARSEST, _FINEST)), real=True)
        self._n_cells, self._spacing = n, wanted / n
        x = (((np.arange(2 * n) + n) % (2 * n) - n) * self._spacing).astype(np.float32)
        near = 1 / (1 + x[:, None] ** 2 + x[None, :] ** 2)
        forces = np.stack([near, x[:, None] * near**2, x[None, :] * near**2])
        self._kernels = scipy.fft.rfft2(forces)
