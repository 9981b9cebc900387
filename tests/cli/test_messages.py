"""Errors of tasks name options and not arguments; what the user typed is left as it was."""

from __future__ import annotations

import click
import pytest

from tacit.cli.build import build_command
from tacit.cli.change import remove_command
from tacit.cli.common.messages import as_typed
from tacit.cli.datasets import datasets_command
from tacit.cli.inspect import export_command
from tacit.cli.search import recommend_command, similar_command


@pytest.mark.parametrize(
    ("command", "message", "typed"),
    [
        (build_command, "n_components is out of range: got 0.", "--dimensions is out of range: got 0."),
        (build_command, "n_components=9 is more than 4.", "--dimensions 9 is more than 4."),
        (build_command, "links names a column: got 'links'.", "--link names a column: got 'links'."),
        (build_command, "ngrams is out of range: got 0.", "--set ngrams is out of range: got 0."),
        (build_command, "path is wrong. Pass `format`.", "SOURCE is wrong. Pass --format."),
        (build_command, "it is: got 'max_problems', max_problems.", "it is: got 'max_problems', --max-problems."),
        (build_command, "text of record 'a' is not a text.", "text of record 'a' is not a text."),
        (build_command, "--set has text: got title_weight.", "--set has text: got title_weight."),
        (build_command, "path is a file.", "--output is a file."),
        (export_command, "path exists. Pass replace_old=True.", "--output exists. Pass --replace."),
        (export_command, "random_state is out of range.", "random_state is out of range."),
        (recommend_command, "liked and disliked share a record.", "--liked and --disliked share a record."),
        (remove_command, "keys has an unknown id: got 'keys'.", "ID has an unknown id: got 'keys'."),
        (similar_command, "id is unknown: got 'id'.", "ID is unknown: got 'id'."),
        (datasets_command, "data_dir is missing. Pass data_dir.", "--data-dir is missing. Pass --data-dir."),
        (datasets_command, "mirror is not a web address.", "--mirror is not a web address."),
    ],
)  # fmt: skip
def test_arguments_become_options(command: click.Command, message: str, typed: str) -> None:
    assert as_typed(message, command) == typed
