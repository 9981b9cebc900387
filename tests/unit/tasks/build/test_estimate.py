"""Estimates of the costs of a build, from a first look at the records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.estimate import LOOKED_AT, Sketch, duration, estimate_build, sketch, spread

LIBRARY = Sketch(5_000, 600_000, 60e6, 5e6, 60_000, 25_000, 1.4e6)


def records(n: int) -> list[Record]:
    return [
        Record(str(i), f"whale ship zz{'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10 % 10]}", labels=(f"l{i % 7}",))
        for i in range(n)
    ]


def test_a_small_collection_is_counted_exactly() -> None:
    found = sketch(records(300), BuildSettings(), lambda: (300, 1.0))
    assert (found.n_read, found.n_records, found.n_labels, found.n_pairs) == (300, 300, 7, 300)
    assert found.n_terms == 102
    assert found.n_entries == 900


def test_a_large_one_is_extended_by_the_share_of_the_files_that_was_read() -> None:
    found = sketch(records(LOOKED_AT + 10), BuildSettings(), lambda: (LOOKED_AT // 2, 0.005))
    assert found.n_records == 100 * LOOKED_AT
    assert found.n_pairs == pytest.approx(100 * LOOKED_AT)
    assert found.n_labels == 7  # no label was new for long


def test_an_empty_collection_is_told() -> None:
    with pytest.raises(InputError, match="records is empty"):
        sketch([], BuildSettings(), lambda: (0, 1.0))


def test_costs_grow_with_the_records_and_a_limit_is_kept_in_every_stage() -> None:
    free, limited = estimate_build(LIBRARY, BuildSettings()), estimate_build(LIBRARY, BuildSettings(), 15 * 10**8)
    assert limited.limits is not None
    assert limited.memory <= 15 * 10**8 < free.memory
    assert limited.limits.n_fitted < LIBRARY.n_records
    double = estimate_build(LIBRARY.grown(1_200_000), BuildSettings())
    assert 1.2 * free.seconds < double.seconds < 2.5 * free.seconds
    assert 1.5 * free.disk < double.disk < 2.5 * free.disk
    with pytest.raises(InputError, match="memory is too small"):
        estimate_build(LIBRARY, BuildSettings(), int(0.9 * free.least_memory))
    assert estimate_build(LIBRARY, BuildSettings(), int(1.02 * free.least_memory)).limits is not None


def test_more_machines_take_less_time_until_each_core_has_one_shard() -> None:
    hours = [spread(LIBRARY, BuildSettings(), 10**8, n_machines=n).hours for n in (1, 2, 4, 20, 40)]
    assert hours[0] > 1.3 * hours[1] > hours[2]
    assert hours[4] == hours[3]
    some = spread(LIBRARY, BuildSettings(), 10**8)
    assert some.n_shards == 20
    assert 0 < some.busy <= 1


@pytest.mark.parametrize(
    ("seconds", "said"), [(80, "80 seconds"), (120, "2.0 minutes"), (7_200, "2.0 hours"), (1e6, "11.6 days")]
)
def test_times_are_written_for_people(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_the_command_prints_stages_and_totals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tacit.cli.app import group

    path = tmp_path / "books.jsonl"
    path.write_text(
        "".join(json.dumps({"id": r.id, "text": r.text, "labels": list(r.labels)}) + "\n" for r in records(200))
    )
    group().main(["estimate", str(path)], standalone_mode=False)
    said = capsys.readouterr().out
    assert "reading" in said
    assert "200 records: about " in said
    group().main(["estimate", str(path), "--records", "2000000", "--memory", "3GB", "--json"], standalone_mode=False)
    facts = json.loads(capsys.readouterr().out)
    assert facts["n_records"] == 2_000_000
    assert facts["limits"]["n_fitted"] < 2_000_000
    assert facts["memory"] <= 3e9
    group().main(["estimate", str(path), "--records", "50000000", "--machines", "3"], standalone_mode=False)
    assert "50,000,000 records in 10 shards on 3 machines of 8 cores" in " ".join(capsys.readouterr().out.split())
