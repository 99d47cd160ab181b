"""A query service and a Commons on loopback: one seed with its architect, and the seed's picture."""

import json
import re
import threading
import urllib.parse
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.small_dumps import picture

_WIKIBASE = "http://wikiba.se/ontology#"
_ENTITY = "http://www.wikidata.org/entity/"
STATEMENTS = {
    "Q1": (
        ("P31", "WikibaseItem", "Q39715"),
        ("P84", "WikibaseItem", "Q2"),
        ("P18", "CommonsMedia", "Lamp.png"),
        ("P137", "WikibaseItem", "Q404"),
    ),
    "Q2": (("P31", "WikibaseItem", "Q5"),),
    "Q39715": (("P279", "WikibaseItem", "Q12518"),),
}
NAMES = {"Q1": "Lamp", "Q2": "Ada", "Q39715": "lighthouse"}
MERGED = {"Q10": "Q1", "Q11": "Q4044"}
"""Ids that were merged into an item, and into one that is gone."""
FILE = picture("teal")


def _uri(value: str) -> dict:
    return {"type": "uri", "value": value}


def rows(query: str) -> list[dict]:
    """The rows of one of the reader's three queries."""
    ids = re.findall(r"wd:(Q\d+)", query.partition("VALUES")[2].partition("}")[0])
    if "?sitelinks <=" in query:
        return [{"item": _uri(_ENTITY + "Q1")}] if "OFFSET 0" in query else []
    if "?rank" in query:
        return [
            {
                "item": _uri(_ENTITY + i),
                "property": _uri(_ENTITY + prop),
                "statement": _uri(f"{_ENTITY}statement/{i}-{prop}"),
                "rank": _uri(_WIKIBASE + "NormalRank"),
                "type": _uri(_WIKIBASE + kind),
                "value": _uri(
                    _ENTITY + value
                    if kind == "WikibaseItem"
                    else f"http://commons.wikimedia.org/wiki/Special:FilePath/{value}"
                ),
            }
            for i in ids
            for prop, kind, value in STATEMENTS.get(i, ())
        ]
    names = [
        {
            "item": _uri(_ENTITY + i),
            "kind": {"type": "literal", "value": "label"},
            "text": {"type": "literal", "value": NAMES[i], "xml:lang": "en"},
        }
        for i in ids
        if i in NAMES
    ]
    return names + [
        {
            "item": _uri(_ENTITY + i),
            "kind": {"type": "literal", "value": "redirect"},
            "text": {"type": "literal", "value": _ENTITY + MERGED[i]},
        }
        for i in ids
        if i in MERGED
    ]


class _Handler(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self._send(FILE)

    def do_POST(self) -> None:
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.asked.append(self.path)
        if self.path == "/sparql":
            self._send(
                json.dumps(
                    {"head": {"vars": []}, "results": {"bindings": rows(form["query"][0])}}
                ).encode()
            )
        elif form["action"] == ["wbgetentities"]:
            self._send(b'{"entities": {}}')
        else:
            titles = form["titles"][0].split("|")
            address = f"http://127.0.0.1:{self.server.server_port}/file"  # type: ignore[attr-defined]
            info = {
                "url": address,
                "thumburl": address,
                "mime": "image/png",
                "extmetadata": {"LicenseShortName": {"value": "CC0"}},
            }
            self._send(
                json.dumps(
                    {
                        "query": {
                            "pages": [
                                {"title": t, "pageid": n, "imageinfo": [info]}
                                if t == "File:Lamp.png"
                                else {"title": t, "missing": True}
                                for n, t in enumerate(titles, 1)
                            ]
                        }
                    }
                ).encode()
            )

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header(
            "Content-Type",
            "application/sparql-results+json" if self.path == "/sparql" else "application/json",
        )
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args) -> None:
        pass


@contextmanager
def services():
    """(address of the server, list of what was asked of it)."""
    handler = type("Handler", (_Handler,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.asked
    finally:
        server.shutdown()
