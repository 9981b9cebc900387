"""What is printed holds no control characters; results never replace devices, pipes or links."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from asked_index import asked_records, refused, said, said_json

import tacit
from tacit.cli.common.terminal import clean, cleaned_output, console
from tacit.corpus import Record
from tacit.files import writing_output
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

EVIL = "\x1b]52;c;aGE=\x07\x1b[2J\x9b31m\x1b]0;owned\x07"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    """Titles, labels, ids and texts with control characters."""
    records = [
        Record(f"{r.id}{EVIL}", f"{r.text} {EVIL}", [f"{label}{EVIL}" for label in r.labels], f"{r.title}{EVIL}")
        for r in asked_records()
    ]
    settings = BuildSettings(n_components=4, text=TextSettings(min_records=1))
    return str(tacit.build(records, tmp_path_factory.mktemp("evil") / "evil.tacit", settings))


COMMANDS = {
    "search": ("search", "{index}", "whale ship"),
    "similar": ("similar", "{index}", "{id}"),
    "show": ("show", "{index}", "{id}"),
    "labels": ("labels", "{index}"),
    "suggest": ("suggest", "{index}", "whale ship tide"),
    "concepts": ("concepts", "{index}"),
    "cluster": ("cluster", "{index}", "--groups", "2"),
    "recommend": ("recommend", "{index}", "--liked", "{id}"),
    "explain": ("explain", "{index}", "--label", "{label}"),
    "info": ("info", "{index}"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_control_characters(index, capsys, name):
    record = asked_records()[0]
    names = {"index": index, "id": f"{record.id}{EVIL}", "label": f"{record.labels[0]}{EVIL}"}
    printed = said(capsys, *(part.format(**names) for part in COMMANDS[name]))
    assert CONTROL.search(printed) is None
    if name in ("search", "similar", "show", "labels", "suggest", "recommend"):
        assert r"\u001b]52" in printed


def test_errors_hold_none(index, capsys):
    assert CONTROL.search(refused(capsys, "show", index, f"nobody{EVIL}")) is None
    assert CONTROL.search(refused(capsys, "search", f"nowhere{EVIL}", "sea")) is None


def test_json_stays_the_same_json(index, capsys):
    facts = said_json(capsys, "show", index, f"{asked_records()[0].id}{EVIL}", "--json")
    assert facts["title"] == f"{asked_records()[0].title}{EVIL}"


def test_tables_on_a_terminal_hold_only_their_own_colours(monkeypatch):
    from rich.text import Text

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with cleaned_output():
        console(width=100).print(Text(f"title{EVIL}", style="bold"))
        print(f"plain{EVIL}")
    printed = terminal.getvalue()
    assert "\x1b[1m" in printed
    assert CONTROL.search(re.sub("\x1b\\[[0-9;]*m", "", printed)) is None
    assert printed.count(r"\u001b]52") == 2


def test_ends_of_lines_and_tabs_remain():
    assert clean("a\tb\nc\r\nd\re\x00") == "a\tb\nc\r\nd\\u000de\\u0000"


@pytest.mark.skipif(os.name == "nt", reason="no devices in folders")
class TestOutputs:
    def test_a_pipe_is_written_through(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        found = []
        reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_text()), daemon=True)
        reader.start()
        with writing_output(tmp_path / "pipe") as fresh:
            fresh.write_text("through")
        reader.join(5)
        assert found == ["through"]
        assert (tmp_path / "pipe").is_fifo()

    def test_a_device_is_never_replaced(self, index, tmp_path, capsys):
        device = tmp_path / "null"
        try:
            os.mknod(device, 0o020666, os.makedev(1, 3))
            device.write_text("")
        except OSError:
            pytest.skip("devices need root")
        source = tmp_path / "new.jsonl"
        source.write_text('{"id": "a", "text": "whale"}\n')
        said(capsys, "suggest", index, "--batch", str(source), "--output", str(device))
        assert device.is_char_device()

    def test_what_a_link_leads_to_is_replaced_and_the_link_stays(self, tmp_path):
        (tmp_path / "real").write_text("old")
        (tmp_path / "link").symlink_to("real")
        with pytest.raises(TypeError), writing_output(tmp_path / "link") as fresh:
            fresh.write_bytes(b"half" + None)
        assert (tmp_path / "real").read_text() == "old"
        with writing_output(tmp_path / "link") as fresh:
            fresh.write_text("new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == "new"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]

    def test_a_link_to_a_device_is_written_through(self, tmp_path):
        (tmp_path / "link").symlink_to("/dev/null")
        with writing_output(tmp_path / "link") as fresh:
            fresh.write_text("away")
        assert Path("/dev/null").is_char_device()
        assert (tmp_path / "link").is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="a shell of Unix")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path, closed):
    (tmp_path / "a.csv").write_text("id,text\n" + "".join(f"r{n},whale sea {n % 3}\n" for n in range(9)))
    command = f"{sys.executable} -m tacit build a.csv --no-map --suggester none {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "bug" not in done.stdout + done.stderr
    from tacit.index import verify

    assert verify(tmp_path / "a.tacit") == []
