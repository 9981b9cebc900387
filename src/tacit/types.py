"""Array types for signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "BoolArray", "Float32Array", "Float64Array", "IntArray"]

Array = np.ndarray[Any, np.dtype[Any]]  # of any dtype; usually float32 or float64, like the data
Float32Array = npt.NDArray[np.float32]
Float64Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
