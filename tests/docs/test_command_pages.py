"""The pages of the commands are their help, and the table of verbs tells the truth."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from typing import Any

import pytest
from doc_pages import ROOT, read

from tacit.cli.common.verbs import GROUPS, VERBS


@pytest.fixture(scope="module")
def generator() -> Any:
    spec = importlib.util.spec_from_file_location("command_pages", ROOT / "docs/extensions/command_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_of_a_verb_is_its_help(generator, verb):
    assert read(f"docs/commands/{verb}.md") == generator.page(verb), "run python docs/extensions/command_pages.py"


def test_the_overview_lists_every_verb_once(generator):
    assert read("docs/commands/README.md") == generator.overview(), "run python docs/extensions/command_pages.py"
    assert sorted(verb for verbs in GROUPS.values() for verb in verbs) == sorted(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_the_line_in_the_list_is_that_of_the_verb(verb):
    module, line = VERBS[verb]
    command = getattr(import_module(module), f"{verb}_command")
    assert command.name == verb
    assert command.get_short_help_str(limit=200) == line
    assert "\\b" not in (command.help or "")
