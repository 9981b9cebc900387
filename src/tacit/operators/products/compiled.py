"""Kernels made for the processor at hand when they are first needed, if llvmlite is installed (the extra `fast`).

Without it SciPy does the same work. A kernel takes a few hundredths of a second to make, so small products do not ask.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from tacit.operators.products.kernel_source import kernel_source

__all__ = ["has_kernels", "kernel"]

_Kernel = Callable[[int, int, int, int, int, int, int, int], None]


@lru_cache(maxsize=1)
def has_kernels() -> bool:
    """Whether kernels can be made; TACIT_KERNELS=scipy says that they must not be."""
    return os.environ.get("TACIT_KERNELS", "") != "scipy" and importlib.util.find_spec("llvmlite") is not None


def kernel(direction: str, width: int, matrix: Any) -> _Kernel:
    """Give the kernel of a direction for a CSR matrix and blocks of `width` columns.

    It takes rows from, rows to, the stride of the long block, and the addresses of data, indices, indptr, the given
    block and the block to fill. It runs without Python's lock.
    """
    types = (matrix.dtype.name, matrix.indices.dtype.name, matrix.indptr.dtype.name)
    with _LOCK:  # LLVM is not to be asked for the same thing by two threads at once
        return _made(direction, width, *types)


_LOCK = threading.Lock()
_ARGUMENTS = [ctypes.c_int64] * 3 + [ctypes.c_void_p] * 5


@cache
def _made(direction: str, width: int, number: str, index: str, edge: str) -> _Kernel:
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(kernel_source(direction, width, number, index, edge))
    machine = _machine()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    _KEPT.append((engine, machine))  # the code goes with them
    return ctypes.CFUNCTYPE(None, *_ARGUMENTS)(engine.get_function_address(direction))


_KEPT: list[Any] = []


def _machine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3)
