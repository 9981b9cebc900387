"""Which form a space's eigenproblem is held in, and why: dense on the smaller side, or by products alone."""

from __future__ import annotations

from tacit.operators import Kernel

__all__ = ["choose_form"]


def choose_form(
    shape: tuple[int, int],
    asked: str,
    *,
    products: str,
    limit: int,
    kernel: Kernel | None,
    n_beside: int = 0,
    elsewhere: bool = False,
) -> tuple[str, str]:
    """Give the form, "dual", "primal" or the one by products, and the reason.

    Parameters
    ----------
    shape : records x terms, or features
    asked : what the user wants; "auto" leaves it to us, and "single_pass" is a way to solve the form by products
    products : what the model calls the form that holds no dense matrix
    limit : smaller side up to which a dense form is taken
    kernel : what the records are known by if it is a matrix of theirs, which has one form only; else None
    n_beside : columns that stand beside the terms in the dense matrix of the primal form
    elsewhere : whether the records are not in memory
    """
    if elsewhere:
        return products, "the records are not in memory, only products with them are at hand"
    if kernel is not None:
        return "dual", f"kernel={kernel!r} is held as a matrix"
    if asked != "auto":
        return products if asked == "single_pass" else asked, "asked for"
    if min(shape) > limit:
        return products, f"both sides of {shape} are above {limit}"
    if shape[0] <= shape[1]:
        return "dual", f"the smaller side of {shape} is at most {limit}"
    if n_beside > limit:
        return products, f"the {n_beside} labels are more than {limit}"
    return "primal", f"the smaller side of {shape} is at most {limit}"
