"""Every Python block of the README and of the documentation runs, without a warning of ours."""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path

import pytest
from doc_pages import PAGES, ROOT, python_blocks, read, run_blocks

from tacit import TacitWarning

WITH_CODE = [page for page in PAGES if python_blocks(read(page))]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TacitWarning)
        run_blocks(read(page), str(page))


def test_the_readme_and_every_guide_page_show_code() -> None:
    guides = sorted((ROOT / "docs/guide").glob("*.md"))
    assert guides
    assert {ROOT / "README.md", ROOT / "docs/getting-started.md", *guides} <= set(WITH_CODE)


def test_a_wrong_block_fails_at_its_own_line() -> None:
    page = "Words.\n\n```python\nx = 1\n```\n\nMore.\n\n```python\nassert x == 1\nassert x == 2\n```\n"
    with pytest.raises(AssertionError) as caught:
        run_blocks(page, "page.md")
    assert traceback.extract_tb(caught.value.__traceback__)[-1].lineno == 11


def test_other_languages_are_not_run() -> None:
    assert python_blocks("```sh\nrm -rf everything\n```\n\n```\nplain\n```\n") == []
