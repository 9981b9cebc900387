"""What the Tab key offers in a shell."""

from __future__ import annotations

import pytest
from asked_index import build_asked
from click.shell_completion import ShellComplete

from tacit.cli.app import group


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    return build_asked(tmp_path_factory.mktemp("completed") / "index", map=False)


@pytest.mark.parametrize(
    ("typed", "word", "offered"),
    [
        ([], "sim", ["similar"]),
        (["search", "INDEX", "--label"], "sea", ["Sea animals"]),
        (["search", "INDEX", "--under"], "pe", ["pets"]),
        (["labels", "INDEX"], "ves", ["vessels"]),
        (["search", "INDEX"], "--ran", ["--range"]),
        (["search", "INDEX", "--where"], "x", []),
        (["search", "no-index", "--label"], "pe", []),
    ],
)
def test_names_are_completed(index, typed, word, offered):
    words = [index if one == "INDEX" else one for one in typed]
    found = ShellComplete(group(), {}, "tacit", "_TACIT_COMPLETE").get_completions(words, word)
    assert [item.value for item in found] == offered


def test_the_shell_completes_the_folder_of_an_index():
    (item,) = ShellComplete(group(), {}, "tacit", "_TACIT_COMPLETE").get_completions(["info"], "li")
    assert item.type == "dir"
