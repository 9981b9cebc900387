"""Kernels for sparse products, compiled for this processor on first use, if llvmlite is installed (the extra `fast`).

Without it, or with a version that cannot compile them, SciPy does the same work. Compiling takes a few hundredths of a
second, so small products use SciPy.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import threading
import warnings
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from tacit.errors import TacitWarning

__all__ = ["has_kernels", "kernel"]

_Kernel = Callable[[int, int, int, int, int, int, int, int], None]


@lru_cache(maxsize=1)
def has_kernels() -> bool:
    """Whether kernels can be compiled; TACIT_KERNELS=scipy in the environment turns them off."""
    if os.environ.get("TACIT_KERNELS", "") == "scipy" or importlib.util.find_spec("llvmlite") is None:
        return False
    try:
        with _LOCK:
            _compiled("forward", 8, "float32", "int32", "int32")
    except Exception as error:  # every version of llvmlite fails in its own way: other names, other assembly
        got = next(iter(str(error).splitlines()), type(error).__name__)
        warnings.warn(
            f"llvmlite cannot compile the sparse products: got {got!r}, "
            "expected llvmlite 0.45 or newer for this processor. SciPy does the same work more slowly.",
            TacitWarning,
            stacklevel=4,
        )
        return False
    return True


def kernel(direction: str, width: int, matrix: Any) -> _Kernel:
    """Return the kernel of a direction for a CSR matrix and blocks of `width` columns.

    Its arguments are the first row, the row after the last, the stride of the long block, and the addresses of data,
    indices, indptr, the input block and the output block. It runs without Python's lock.
    """
    types = (matrix.dtype.name, matrix.indices.dtype.name, matrix.indptr.dtype.name)
    with _LOCK:  # two threads must not compile the same kernel at once
        return _compiled(direction, width, *types)


_LOCK = threading.Lock()
_ARGUMENTS = [ctypes.c_int64] * 3 + [ctypes.c_void_p] * 5


@cache
def _compiled(direction: str, width: int, number: str, index: str, edge: str) -> _Kernel:
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(_kernel_source(direction, width, number, index, edge))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    _KEPT.append((engine, machine))  # they own the code
    return ctypes.CFUNCTYPE(None, *_ARGUMENTS)(engine.get_function_address(direction))


_KEPT: list[Any] = []


_ROWS = """
define void @{name}(i64 %first, i64 %last, i64 %stride, ptr noalias %data, ptr noalias %indices, ptr noalias %indptr,
                    ptr noalias %given, ptr noalias %out) {{
entry:
  br label %rows
rows:
  %i = phi i64 [ %first, %entry ], [ %i.next, %row.done ]
  %more = icmp slt i64 %i, %last
  br i1 %more, label %row, label %done
row:
  %i.next = add nsw i64 %i, 1
  %start.at = getelementptr {edge}, ptr %indptr, i64 %i
  %stop.at = getelementptr {edge}, ptr %indptr, i64 %i.next
  %start.kept = load {edge}, ptr %start.at
  %stop.kept = load {edge}, ptr %stop.at
  %start = {widen_edge}
  %stop = {widen_stop}
  %row.offset = mul nsw i64 %i, %stride
"""

_FORWARD = """
  br label %entries
entries:
  %p = phi i64 [ %start, %row ], [ %p.next, %one ]
  %sum = phi <{width} x {number}> [ zeroinitializer, %row ], [ %sum.next, %one ]
  %entries.more = icmp slt i64 %p, %stop
  br i1 %entries.more, label %one, label %summed
one:
{entry}
  %vector = load <{width} x {number}>, ptr %at, align {align}
  %product = fmul contract <{width} x {number}> %all, %vector
  %sum.next = fadd contract <{width} x {number}> %sum, %product
  br label %entries
summed:
  %out.at = getelementptr {number}, ptr %out, i64 %row.offset
  store <{width} x {number}> %sum, ptr %out.at, align {align}
  br label %row.done
"""

_BACKWARD = """
  %given.at = getelementptr {number}, ptr %given, i64 %row.offset
  %vector = load <{width} x {number}>, ptr %given.at, align {align}
  br label %entries
entries:
  %p = phi i64 [ %start, %row ], [ %p.next, %one ]
  %entries.more = icmp slt i64 %p, %stop
  br i1 %entries.more, label %one, label %row.done
one:
{entry}
  %so.far = load <{width} x {number}>, ptr %at, align {align}
  %product = fmul contract <{width} x {number}> %all, %vector
  %sum = fadd contract <{width} x {number}> %so.far, %product
  store <{width} x {number}> %sum, ptr %at, align {align}
  br label %entries
"""

_ENTRY = """  %p.next = add nsw i64 %p, 1
  %index.at = getelementptr {index}, ptr %indices, i64 %p
  %index.kept = load {index}, ptr %index.at
  %index = {widen_index}
  %offset = mul nsw i64 %index, {width}
  %at = getelementptr {number}, ptr {block}, i64 %offset
  %x.at = getelementptr {number}, ptr %data, i64 %p
  %x = load {number}, ptr %x.at
  %alone = insertelement <{width} x {number}> poison, {number} %x, i64 0
  %all = shufflevector <{width} x {number}> %alone, <{width} x {number}> poison, <{width} x i32> zeroinitializer"""

_END = """row.done:
  br label %rows
done:
  ret void
}}
"""

_NUMBERS = {"float32": ("float", 4), "float64": ("double", 8)}
_INTEGERS = {"int32": "i32", "int64": "i64"}


def _kernel_source(direction: str, width: int, number: str, index: str, edge: str) -> str:
    """Return the LLVM source of `kernel`, for these types of entries, of `indices` and of `indptr`.

    The output block is written (forward) or added to (backward). The rows of the block of the terms are contiguous.
    """
    name, align = _NUMBERS[number]
    facts = {
        "name": direction,
        "width": width,
        "number": name,
        "align": align,
        "index": _INTEGERS[index],
        "edge": _INTEGERS[edge],
        "block": "%given" if direction == "forward" else "%out",
        "widen_index": _widened(index, "%index.kept"),
        "widen_edge": _widened(edge, "%start.kept"),
        "widen_stop": _widened(edge, "%stop.kept"),
    }
    facts["entry"] = _ENTRY.format(**facts)
    body = _FORWARD if direction == "forward" else _BACKWARD
    return (_ROWS + body + _END).format(**facts)


def _widened(kind: str, value: str) -> str:
    """Return the instruction that widens a value to 64 bits."""
    return f"sext i32 {value} to i64" if kind == "int32" else f"add i64 {value}, 0"
