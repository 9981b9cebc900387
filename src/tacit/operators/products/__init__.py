"""Products of sparse matrices with blocks of vectors: by SciPy, or by kernels compiled for this processor."""
