"""What `tacit evaluate` says about single subjects and about the witnesses, as short tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.cli.common.output import write_table

if TYPE_CHECKING:
    from tacit.tasks.measure.subject_quality import Diagnosis
    from tacit.tasks.measure.witness_quality import WitnessMeasures

__all__ = ["write_diagnosis", "write_witnesses"]

_WIDE, _NARROW = 48, 30  # characters of a title, so that a table fits into 80 columns


def write_diagnosis(found: Diagnosis) -> None:
    """Write which subjects are never suggested, chosen too often or confused, and how many texts have no subject."""
    print("\nSubjects to look at")
    print(f"\nNo subject is chosen for {found.n_unchosen:,} of {found.n_records:,} held-out texts.")
    are = "subject of held-out records is" if found.n_never == 1 else "subjects of held-out records are"
    print(f"{found.n_never:,} {are} never suggested{'; the most frequent:' if found.never else '.'}")
    if found.never:
        rows = [(_short(row.title, _WIDE), row.n_held_out, row.n_train) for row in found.never]
        print()
        write_table(("never suggested", "held out", "to learn from"), rows, empty="")
    if found.too_often:
        often = [(_short(row.title, _WIDE), row.n_chosen, row.n_right, row.n_train) for row in found.too_often]
        print()
        write_table(("chosen too often", "chosen", "right", "to learn from"), often, empty="")
    if found.confused:
        pairs = [
            (_short(pair.missed.title, _NARROW), _short(pair.chosen.title, _NARROW), pair.n_records)
            for pair in found.confused
        ]
        print()
        write_table(("missed", "chosen instead", "texts"), pairs, empty="")


def write_witnesses(found: WitnessMeasures) -> None:
    """Write what each witness adds."""
    print(f"\nWitnesses ({found.n_records:,} held-out records, small rankers)\n")
    rows = [
        (
            row.name,
            row.alone_precision,
            row.alone_ndcg,
            row.without_precision,
            row.without_ndcg,
            f"{row.gain:+.3f} ± {row.error:.3f}",
        )
        for row in found.rows
    ]
    write_table(("witness", "P@1 alone", "nDCG@5", "P@1 without", "nDCG@5", "adds to nDCG@5"), rows, empty="")
    print(f"\nAll together: P@1 {found.precision:.3f}, nDCG@5 {found.ndcg:.3f}.")


def _short(title: str, width: int) -> str:
    """Return a title on one line, shortened in the middle: the end may have the broader subject."""
    text = " ".join(title.split())
    if len(text) <= width:
        return text
    end = width // 3
    return f"{text[: width - end - 1].rstrip()}…{text[-end:].lstrip()}"
