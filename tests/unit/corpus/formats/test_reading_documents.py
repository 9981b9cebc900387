"""Documents, one file per record: Markdown with front matter, HTML and PDF."""

from __future__ import annotations

import warnings

import pytest

from tacit.corpus import read_records
from tacit.errors import InputError, TacitWarning

MARKDOWN = """---
title: "Whales: a study"
tags: [sea, 'song, sung']
categories: home, work
authors:
  - Lee, Ann
  - Ek
summary: >
  Two lines
  folded.
date: 2020-01-02  # a day
nested:
  deep: [no
? odd
---

# Heading

They **sing** at [sea](http://x/y). ![a picture](p.png)

- one `code`
<!-- hidden -->
"""

HTML = """<!doctype html><html><head><title>Whales &amp; ships</title><meta name="keywords" content="sea, song">
<meta name="DC.subject" content="whales"><meta name="author" content="Ann Lee"><style>p {color: red}</style>
<script>var hidden = "<p>no</p>";</script></head>
<body><h1>Whales</h1><p>They <b>sing</b>&nbsp;at sea.<p>Ships sail.</body></html>
"""

PDF_OBJECTS = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
    "<</Length 49>>stream\nBT /F1 12 Tf 20 50 Td (Whales sing at sea.) Tj ET\nendstream",
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    "<</Title(Whales)/Keywords(sea, song)>>",
]


def pdf():
    """A file of one page, with the table of places that a PDF ends in."""
    data, places = "%PDF-1.4\n", []
    for number, content in enumerate(PDF_OBJECTS, 1):
        places.append(len(data))
        data += f"{number} 0 obj{content}endobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer<</Root 1 0 R/Info 6 0 R/Size 7>>\nstartxref\n{len(data)}\n%%EOF\n"
    return f"{data}xref\n0 7\n0000000000 65535 f \n{table}{end}".encode()


def quietly(reading):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        return list(reading)


def test_what_all_pages_of_a_site_have_is_left_out(tmp_path):
    page = (
        "<title>Whales - My site</title><nav>Home About</nav><h1>Whales</h1><p>They sing.</p><footer>Imprint</footer>"
    )
    (tmp_path / "a.html").write_text(page)
    (tmp_path / "b.html").write_text("<title>Whales-Ships</title><h1>Whales</h1>")
    (tmp_path / "c.html").write_text("<title>Links</title><nav><p>To the sea")
    site, joined, links = read_records(tmp_path)
    assert (site.title, site.text) == ("Whales", "Whales\nThey sing.")
    assert (joined.title, joined.text) == ("Whales-Ships", "Whales-Ships\nWhales")
    assert links.text == "Links\nTo the sea"


def test_a_heading_that_repeats_the_title_is_read_once(tmp_path):
    (tmp_path / "a.md").write_text("---\ntitle: Whales\n---\n\n# Whales\n\nThey sing.\n")
    (record,) = read_records(tmp_path)
    assert (record.title, record.text) == ("Whales", "Whales\nThey sing.")


def test_markdown_with_front_matter(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.md").write_text(MARKDOWN)
    (tmp_path / "y.md").write_text("+++\ntitle = 'Cats'\ntags = ['home']\n+++\nThey purr.")
    (tmp_path / "z.md").write_text("Dogs\n====\n\nThey bark.")
    reading = read_records(tmp_path)
    whales, cats, dogs = quietly(reading)
    assert (whales.id, whales.title, whales.labels) == ("a/x.md", "Whales: a study", ("sea", "song, sung"))
    assert " ".join(whales.text.split()) == "Whales: a study Heading They sing at sea. a picture one code"
    assert whales.fields["categories"] == ["home", "work"]
    assert whales.fields["authors"] == ["Lee, Ann", "Ek"]
    assert (whales.fields["summary"], whales.fields["date"]) == ("Two lines folded.", "2020-01-02")
    assert [p.line for p in reading.problems.examples] == [13, 14]
    assert (cats.id, cats.text, cats.labels) == ("y.md", "Cats\nThey purr.", ("home",))
    assert (dogs.title, dogs.text) == ("Dogs", "Dogs\nThey bark.")


def test_html(tmp_path):
    (tmp_path / "x.html").write_text(HTML)
    (page,) = read_records(tmp_path / "x.html", max_problems=0)
    assert (page.title, page.labels) == ("Whales & ships", ("sea", "song"))
    assert page.text == "Whales & ships\nWhales\nThey sing at sea.\nShips sail."
    assert page.fields["author"] == "Ann Lee"


def test_pdf(tmp_path):
    pytest.importorskip("pypdf", reason="pypdf is an extra")
    (tmp_path / "x.pdf").write_bytes(pdf())
    (tmp_path / "y.pdf").write_bytes(b"%PDF-1.4\nbroken")
    reading = read_records(tmp_path)
    (whales,) = quietly(reading)
    assert (whales.id, whales.title, whales.labels) == ("x.pdf", "Whales", ("sea", "song"))
    assert whales.text == "Whales\nWhales sing at sea."
    assert [(p.kind, p.file) for p in reading.problems.examples] == [("broken line", "y.pdf")]
    with pytest.raises(InputError, match=r"path holds no records: .* The first problem is in y.pdf, line 1: not a PDF"):
        read_records(tmp_path / "y.pdf")


def test_a_folder_is_read_by_what_there_is_most_of(tmp_path):
    (tmp_path / "data.csv").write_text("id,text\n1,t\n")
    (tmp_path / "README.md").write_text("# About")
    assert [record.id for record in read_records(tmp_path)] == ["1"]
    (tmp_path / "more.md").write_text("# More")
    assert [record.id for record in read_records(tmp_path)] == ["README.md", "more.md"]
    assert [record.id for record in read_records(tmp_path, format="csv")] == ["1"]
    (tmp_path / "x.txt").write_text("t")
    assert [record.id for record in read_records(tmp_path)] == ["x.txt"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.html", "<title>Whales</title><p>They sing.<![<bod<h1>Head</h1>"),
        ("x.md", "---\ntags: [" + "[" * 5_000 + "]" * 5_000 + "]\n---\nThey sing."),
        ("y.md", "+++\ntags = " + "[" * 5_000 + "]" * 5_000 + "\n+++\nThey sing."),
    ],
)
def test_odd_marks_do_not_stop_the_reading(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    (document,) = quietly(read_records(tmp_path / name))
    assert "They sing." in document.text
