"""`tacit datasets`: what there is, under which terms, and fetching one from a server on this machine."""

from __future__ import annotations

import functools
import http.server
import json
import threading

import pytest

from tacit.cli.app import main

ENZYME = b"CC   ENZYME nomenclature\n//\nID   1.1.1.1\nDE   Alcohol dehydrogenase.\n//\n"


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["datasets", *arguments])
    return int(end.value.code or 0)


@pytest.fixture
def mirror(tmp_path):
    """A server whose folder has the file of one data set."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / "enzyme.dat").write_bytes(ENZYME)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_the_list_says_what_is_where_and_under_which_terms(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    (tmp_path / "enzyme").mkdir()
    (tmp_path / "enzyme/enzyme.dat.gz").write_bytes(b"")
    assert run() == 0
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert any(line.split() == ["enzyme", "3,541", "records", "here"] for line in lines)
    assert any(line.split() == ["reuters21578", "21,578", "records", "8", "MB", "to", "fetch"] for line in lines)
    assert any(line.split() == ["standard_library", "built", "in"] for line in lines)
    assert "Terms: GroupLens: for research" in shown
    assert lines[-3:] == [
        f"Data folder: {tmp_path}",
        "Fetch one with: tacit datasets fetch NAME",
        "Build an index of one with: tacit build --dataset NAME",
    ]


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_list_fits_the_terminal(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.delenv("TACIT_DATA", raising=False)
    assert run() == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= int(columns)
    assert "No data folder: name one with --data-dir, or set TACIT_DATA." in shown


def test_the_list_as_json(capsys, tmp_path):
    assert run("--json", "--data-dir", str(tmp_path)) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["folder"] == str(tmp_path)
    by_name = {about["name"]: about for about in answer["datasets"]}
    assert by_name["movielens100k"] == {
        "name": "movielens100k",
        "description": "1,682 films with titles, genres, and links to those of 943 people who liked them (100,000 "
        "ratings).",
        "records": 1682,
        "licence": "GroupLens: for research, not for passing on, not for commercial use. Cite F. M. Harper and J. A. "
        "Konstan.",
        "home": "https://grouplens.org/datasets/movielens/100k/",
        "megabytes": 5,
        "builds": True,
        "here": False,
    }
    assert by_name["standard_library"]["here"] is True
    assert by_name["rcv1"]["builds"] is False


def test_fetching_shows_the_terms_and_says_where_the_data_are(capsys, tmp_path, mirror):
    data = tmp_path / "data"
    assert run("fetch", "enzyme", "--data-dir", str(data), "--mirror", mirror) == 0
    shown = capsys.readouterr()
    assert f"enzyme is now in {data / 'enzyme'}." in shown.out
    assert "enzyme.dat: no checksum is published. The checksum of this download was written to enzyme.sources.json" in (
        shown.out
    )
    assert "Terms: Copyright Swiss Institute of Bioinformatics" in shown.err
    assert "downloading enzyme.dat" in shown.err
    assert run("fetch", "enzyme", "--data-dir", str(data), "--mirror", mirror) == 0
    assert capsys.readouterr().out == (f"enzyme is already in {data / 'enzyme'}. Add --again to download it again.\n")
    assert run("fetch", "enzyme", "--data-dir", str(data), "--mirror", mirror, "--again") == 0
    assert "enzyme.dat: agrees with the checksum of an earlier fetch." in capsys.readouterr().out


def test_fetching_as_json(capsys, tmp_path, mirror, monkeypatch):
    monkeypatch.setenv("TACIT_DATA", str(tmp_path / "data"))
    assert run("fetch", "enzyme", "--mirror", mirror, "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["fetched"]
    assert found["folder"] == str(tmp_path / "data/enzyme")
    assert (found["was_there"], found["checked"], found["recorded"]) == (False, [], ["enzyme.dat"])
    assert found["licence"].startswith("Copyright Swiss Institute")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["enzymes"], "Error: NAME is unknown: got 'enzymes', expected one of 'reuters21578', "),
        (["standard_library"], "Error: NAME is unknown: got 'standard_library'"),
        (["enzyme"], "Error: --data-dir is missing: got None and no TACIT_DATA"),
        (["enzyme", "--data-dir", "{folder}", "--mirror", "file:///etc"], "Error: --mirror is not a web address"),
        (["medical", "--data-dir", "{folder}", "--mirror", "{mirror}"], "medical.xml was refused: got 404"),
        (
            ["movielens100k", "--data-dir", "{folder}", "--mirror", "http://127.0.0.1:9"],
            "ml-100k.zip cannot be read: got",
        ),
    ],
)
def test_what_cannot_be_fetched_is_one_sentence(capsys, tmp_path, mirror, monkeypatch, arguments, message):
    monkeypatch.delenv("TACIT_DATA", raising=False)
    given = [argument.format(folder=tmp_path / "data", mirror=mirror) for argument in arguments]
    assert run("fetch", *given) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    (error,) = [line for line in shown.err.splitlines() if line.startswith("Error: ")]
    assert message in error


def test_fetch_needs_a_name(capsys):
    assert run("fetch") == 2
    assert "Missing argument 'NAME...'" in capsys.readouterr().err
