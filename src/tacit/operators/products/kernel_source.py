"""The two products of a sparse matrix with a block of vectors, in the language of LLVM.

    forward    out_i = Σ_p x_p v_j(p)        the entries p of row i, j(p) their columns
    backward   out_j(p) += x_p u_i           for every row i

A row of the block is one vector of as many numbers as the block has columns, which LLVM spreads over the registers that
the processor has: a row is read once for each entry, multiplied and added in as few instructions as there can be. SciPy
does one number after the other, in instructions that every processor has.
"""

from __future__ import annotations

__all__ = ["kernel_source"]

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


def kernel_source(direction: str, width: int, number: str, index: str, edge: str) -> str:
    """Write the function for blocks of `width` columns and these types of entries, of `indices` and of `indptr`.

    It is called like its direction and takes the first row, the row after the last, how many numbers lie between the
    rows of the long block (that of the records), the three arrays of a CSR matrix, the block it is given and the block
    it writes (forward) or adds to (backward). The rows of the short block (that of the terms) follow each other.
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
    """Write a value as 64 bits wide."""
    return f"sext i32 {value} to i64" if kind == "int32" else f"add i64 {value}, 0"
