"""A server of a few files on this machine, and small files as they are published, for tests of fetching."""

from __future__ import annotations

import http.server
import io
import tarfile
import threading
from dataclasses import replace
from pathlib import Path

from tacit.datasets.data_files import Home, RemoteFile
from tacit.datasets.fetching import homes

ENZYME = b"""CC   ENZYME nomenclature
//
ID   1.1.1.1
DE   Alcohol dehydrogenase.
CA   An alcohol + NAD(+) = an aldehyde or ketone + NADH.
//
"""


class Shelf:
    """A server of a few files; `cut` promises more bytes than it sends, `broken` stops in the middle."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut: set[str] = set()
        self.asked: list[str] = []
        shelf = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.lstrip("/")
                shelf.asked.append(name)
                if name not in shelf.files:
                    self.send_error(404)
                    return
                content = shelf.files[name]
                self.send_response(200)
                self.send_header("Content-Length", str(len(content) + (100 if name in shelf.cut else 0)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


def home_of(shelf: Shelf, name: str, **checksums: str) -> Home:
    """The home of a data set with all its files on the shelf."""
    known = homes()[name]
    sources = tuple(RemoteFile(f"{shelf.address}/{source.file}", source.file, **checksums) for source in known.sources)
    return replace(known, sources=sources)


def tar_of(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            content = text.encode("latin-1")
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def everything_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


SGML = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="2">
<DATE>26-FEB-1987 15:01:01.79</DATE>
<TOPICS><D>cocoa</D><D>coffee</D></TOPICS>
<PLACES><D>el-salvador</D></PLACES>
<PEOPLE></PEOPLE>
<TEXT>&#2;
<TITLE>BAHIA &lt;BAH> COCOA &amp; COFFEE</TITLE>
<DATELINE>    SALVADOR, Feb 26 - </DATELINE><BODY>Showers continued.
    The dry period.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="NO" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" OLDID="1" NEWID="1">
<DATE>27-FEB-1987</DATE>
<TOPICS></TOPICS>
<PLACES></PLACES>
<TEXT TYPE="UNPROC">&#2;
Raw text &lt;of> the wire
&#3;</TEXT>
</REUTERS>
"""
TOPICS = """This file lists the categories.

**********Subject Codes (135)

Money/Foreign Exchange (MONEY-FX)
Shipping (SHIP)

**Commodity Codes (78)

ALUM
COCOA

**Country Codes (175)
EL-SALVADOR
"""
