"""What studies share whose numbers are kept as JSON: their options, and the page again from numbers of before."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from pages import DOCS, put_section

__all__ = ["SavedStudy"]

Numbers = dict[str, Any]


@dataclass(frozen=True)
class SavedStudy:
    """A study as a script: measures, keeps its numbers, writes its page.

    Parameters
    ----------
    name : of its page, docs/studies/NAME.md
    title : first line of the page
    study : gives the numbers, ready for JSON; has the parameters `data_dir` and `quick`, and those in `options`
    page : the text of the page from the numbers
    draw : pictures from the numbers, into a folder
    quick : what `--quick` runs on, for the help
    options : whole numbers to choose, as name: (default, help); with `--quick` they are 1
    """

    name: str
    title: str
    study: Callable[..., Numbers]
    page: Callable[[Numbers], str]
    draw: Callable[[Numbers, Path], object] | None = None
    quick: str = "few records, to see that everything runs"
    options: Mapping[str, tuple[int, str]] = field(default_factory=dict)

    def main(self, arguments: Sequence[str] | None = None) -> None:
        """Run the study from the command line."""
        parser = self._parser()
        asked = parser.parse_args(arguments)
        if asked.quick and asked.write:
            parser.error("--write needs the whole study: got --quick too, whose numbers mean little. Leave one out.")
        numbers = self._numbers(asked)
        if asked.save:
            asked.save.write_text(json.dumps(numbers), encoding="utf-8")
        text = self.page(numbers)
        print(text)
        if asked.write:
            if self.draw is not None:
                self.draw(numbers, DOCS / "studies")
            put_section(DOCS / f"studies/{self.name}.md", "study", text, head=self.title, order=["study"])

    def _parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(description=self.title.removeprefix("# "))
        parser.add_argument("--data-dir", help="folder of the data sets, TACIT_DATA if not given")
        for name, (default, text) in self.options.items():
            parser.add_argument(f"--{name}", type=int, default=default, help=f"{text}, default {default}")
        parser.add_argument("--quick", "--small", action="store_true", help=self.quick)
        pictures = "" if self.draw is None else " and its pictures"
        parser.add_argument("--write", action="store_true", help=f"write docs/studies/{self.name}.md{pictures}")
        parser.add_argument("--save", type=Path, metavar="FILE", help="keep the numbers as JSON")
        parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help="take the numbers from there")
        return parser

    def _numbers(self, asked: argparse.Namespace) -> Numbers:
        if asked.source:
            kept = asked.source.read_text(encoding="utf-8")
        else:
            chosen = {name: 1 if asked.quick else getattr(asked, name) for name in self.options}
            # through JSON, so that the page is the same now and from a file
            kept = json.dumps(self.study(asked.data_dir, quick=asked.quick, **chosen))
        numbers: Numbers = json.loads(kept)
        return numbers
