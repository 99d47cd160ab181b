"""A query service over real entities and real result rows, and a Commons over the real collections, both on loopback.

The query service answers the three queries of `knowledge/readers/sparql.py` from Wikibase's JSON (that these queries mean what they
should is tested with a SPARQL engine in `tests/knowledge/readers/test_sparql.py`). The rows hold the QIDs of their items only; for
every label in another column an id far outside Wikidata's range is minted, as in `benchmarks/paintings.py`.
"""

import json
import re
import threading
import urllib.parse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.paintings import item, item_value, statement
from questloom.records.periods import DAY, JULIAN, parts_of, to_gregorian

ENTITY, WIKIBASE = "http://www.wikidata.org/entity/", "http://wikiba.se/ontology#"
FILE = "http://commons.wikimedia.org/wiki/Special:FilePath/"
TYPES = {
    "wikibase-item": "WikibaseItem",
    "wikibase-property": "WikibaseProperty",
    "string": "String",
    "external-id": "ExternalId",
    "quantity": "Quantity",
    "time": "Time",
    "commonsMedia": "CommonsMedia",
    "url": "Url",
    "monolingualtext": "Monolingualtext",
    "globe-coordinate": "GlobeCoordinate",
    "tabular-data": "TabularData",
    "entity-schema": "EntitySchema",
}
ROWS = {  # query: class of the items, its label, property of the year, column, its property, class of its values, label of that class
    "stadiums-opening-year": (
        "Q483110",
        "stadium",
        "P1619",
        "locationLabel",
        "P131",
        "Q486972",
        "human settlement",
    ),
    "films-release-year": ("Q11424", "film", "P577", "directorLabel", "P57", "Q5", "human"),
    "albums-release-year": ("Q482994", "album", "P577", "artistLabel", "P175", "", ""),
    "video-games-release-year": (
        "Q7889",
        "video game",
        "P577",
        "developerLabel",
        "P178",
        "Q210167",
        "video game developer",
    ),
    "paintings-creation-year": (
        "Q3305213",
        "painting",
        "P571",
        "creatorLabel",
        "P170",
        "Q5",
        "human",
    ),
    "sculptures-creation-year": (
        "Q860861",
        "sculpture",
        "P571",
        "creatorLabel",
        "P170",
        "Q5",
        "human",
    ),
    "books-publication-year": (
        "Q7725634",
        "literary work",
        "P577",
        "authorLabel",
        "P50",
        "Q5",
        "human",
    ),
    "plays-premiere-year": ("Q25379", "play", "P1191", "authorLabel", "P50", "Q5", "human"),
    "battles-year": ("Q178561", "battle", "P585", "warLabel", "P361", "Q198", "war"),
}
FIRST_MINTED = 991_000_000

Json = dict[str, Any]


def items_of_rows(rows: Iterable[dict[str, str]], cards: dict[str, Json]) -> dict[str, Json]:
    """QID to item in Wikibase's JSON: of the rows of the queries in `ROWS`, of their values and classes. Other queries are left out.

    Args:
        rows: results of the query service.
        cards: QID to what gives an item's Commons picture and English page.
    """
    minted: dict[tuple[str, str], str] = {}
    found: dict[str, Json] = {}
    for row in rows:
        if row["query"] not in ROWS:
            continue
        class_id, class_label, year_property, column, prop, kind, kind_label = ROWS[row["query"]]
        qid = row["item"].rpartition("/")[2]
        time = {
            "time": f"{int(row['year']):+05d}-00-00T00:00:00Z",
            "precision": 9,
            "calendarmodel": f"{ENTITY}Q1985727",
        }
        said = [_is(qid, "P31", class_id), statement(qid, year_property, time, "time", "time")]
        for label in filter(None, (part.strip() for part in row.get(column, "").split(";"))):
            other = minted.setdefault((kind, label), f"Q{FIRST_MINTED + len(minted)}")
            said.append(_is(qid, prop, other))
            found.setdefault(
                other, item(other, label, kind_label, [_is(other, "P31", kind)] if kind else [])
            )
        card = cards.get(qid, {})
        if card.get("image"):
            said.append(
                statement(qid, "P18", card["image"].replace("_", " "), "string", "commonsMedia")
            )
        slug = card.get("wikipediaSlug")
        links = (
            {"enwiki": {"site": "enwiki", "title": urllib.parse.unquote(slug).replace("_", " ")}}
            if slug
            else {}
        )
        found.setdefault(class_id, item(class_id, class_label, "", []))
        if kind:
            found.setdefault(kind, item(kind, kind_label, "", []))
        found.setdefault(qid, item(qid, row["itemLabel"], row.get("description", ""), said, links))
    return found


def _is(subject: str, prop: str, value: str) -> Json:
    return statement(subject, prop, item_value(value), "wikibase-entityid", "wikibase-item")


def bindings(query: str, items: dict[str, Json]) -> list[Json]:
    """The result rows of one of the reader's queries about given items."""
    ids = re.findall(r"wd:(Q\d+)", query.partition("VALUES")[2].partition("}")[0])
    known = [items[i] for i in ids if i in items]
    if "?rank" in query:
        return [row for entity in known for row in _statements(entity)]
    languages = set(
        re.findall(r'"([\w-]+)"', query.partition("LANG(?text) IN (")[2].partition(")")[0])
    )
    return [row for entity in known for row in _names(entity, languages)]


def _uri(value: str) -> Json:
    return {"type": "uri", "value": value}


def _literal(value: object, language: str = "") -> Json:
    return {"type": "literal", "value": str(value), **({"xml:lang": language} if language else {})}


def _statements(entity: Json) -> Iterator[Json]:
    for prop, said in entity.get("claims", {}).items():
        for one in said:
            snak = one["mainsnak"]
            row = {
                "item": _uri(ENTITY + entity["id"]),
                "property": _uri(ENTITY + prop),
                "rank": _uri(f"{WIKIBASE}{one['rank'].capitalize()}Rank"),
                "statement": _uri(f"{ENTITY}statement/{one['id'].replace('$', '-', 1)}"),
                "type": _uri(WIKIBASE + TYPES[snak["datatype"]]),
            }
            row |= _value(snak)
            for name, start in (("P580", "start"), ("P582", "end")):
                for qualifier in one.get("qualifiers", {}).get(name, ())[:1]:
                    row |= {
                        start + key.removeprefix("value").capitalize(): cell
                        for key, cell in _value(qualifier).items()
                    }
            yield row


def _value(snak: Json) -> Json:
    """The cells of a value; none for "no value"."""
    if snak["snaktype"] != "value":
        return (
            {"value": {"type": "bnode", "value": "b0"}} if snak["snaktype"] == "somevalue" else {}
        )
    value, kind = snak["datavalue"]["value"], snak["datatype"]
    match kind:
        case "wikibase-item" | "wikibase-property" | "entity-schema":
            letter = {"wikibase-item": "Q", "wikibase-property": "P"}.get(kind, "E")
            return {
                "value": _uri(ENTITY + (value.get("id") or f"{letter}{value['numeric-id']}"))
            }  # older JSON has the number only
        case "time":
            year, month, day = parts_of(value["time"])
            calendar = value["calendarmodel"].rpartition("/")[2]
            if calendar == JULIAN and value["precision"] >= DAY:
                year, month, day = to_gregorian(year, month, day)
            number = year + (value["time"].startswith("-"))  # the year 0 of RDF is 1 BC
            text = f"{'-' if number < 0 else ''}{abs(number):04d}-{month or 1:02d}-{day or 1:02d}T00:00:00Z"
            return {
                "value": _literal(text),
                "precision": _literal(value["precision"]),
                "calendar": _uri(ENTITY + calendar),
            }
        case "quantity":
            unit = value["unit"].rpartition("/")[2]
            bounds = {
                name: _literal(value[f"{name}Bound"])
                for name in ("lower", "upper")
                if f"{name}Bound" in value
            }
            return {
                "value": _literal(value["amount"]),
                "unit": _uri(ENTITY + ("Q199" if unit in ("", "1") else unit)),
                **bounds,
            }
        case "globe-coordinate":
            return {
                "value": _literal(f"Point({value['longitude']} {value['latitude']})"),
                "globe": _uri(value["globe"]),
            }
        case "monolingualtext":
            return {"value": _literal(value["text"], value["language"])}
        case "commonsMedia":
            return {"value": _uri(FILE + urllib.parse.quote(value))}
    return {"value": _literal(value)}


def _names(entity: Json, languages: set[str]) -> Iterator[Json]:
    def row(kind: str, text: Json) -> Json:
        return {"item": _uri(ENTITY + entity["id"]), "kind": _literal(kind), "text": text}

    texts = [("label", t) for t in entity.get("labels", {}).values()] + [
        ("description", t) for t in entity.get("descriptions", {}).values()
    ]
    texts += [("alias", t) for some in entity.get("aliases", {}).values() for t in some]
    yield from (
        row(kind, _literal(t["value"], t["language"]))
        for kind, t in texts
        if t["language"] in languages
    )
    if "lastrevid" in entity:
        yield row("version", _literal(entity["lastrevid"]))
    for wiki, link in entity.get("sitelinks", {}).items():
        if found := re.fullmatch(r"(\w+?)wiki", wiki):
            project = "wikimedia" if found[1] == "commons" else "wikipedia"
            yield row(
                f"https://{found[1].replace('_', '-')}.{project}.org/", _literal(link["title"])
            )


class _Handler(BaseHTTPRequestHandler):
    items: dict[str, Json]
    pages: dict[str, Json]
    files: dict[str, bytes]

    def do_GET(self) -> None:
        data = self.files.get(urllib.parse.unquote(self.path.removeprefix("/files/")))
        self._send(data or b"", "image/*", 200 if data else 404)

    def do_POST(self) -> None:
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        if self.path == "/sparql":
            reply: Json = {
                "head": {"vars": []},
                "results": {"bindings": bindings(form["query"][0], self.items)},
            }
        elif form["action"] == ["wbgetentities"]:
            reply = {"entities": {i: {"id": i, "missing": ""} for i in form["ids"][0].split("|")}}
        else:
            reply = {
                "query": {"pages": [self._page(title) for title in form["titles"][0].split("|")]}
            }
        self._send(
            json.dumps(reply).encode(),
            "application/sparql-results+json" if self.path == "/sparql" else "application/json",
            200,
        )

    def _page(self, title: str) -> Json:
        page = self.pages.get(title.partition(":")[2])
        if page is None:
            return {"ns": 6, "title": title, "missing": True}
        address = f"http://127.0.0.1:{self.server.server_port}/files/{urllib.parse.quote(title.partition(':')[2])}"  # type: ignore[attr-defined]
        return {**page, "imageinfo": [{**page["imageinfo"][0], "thumburl": address}]}

    def _send(self, body: bytes, kind: str, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def services(
    items: dict[str, Json], pages: dict[str, Json], files: dict[str, bytes]
) -> Iterator[str]:
    """The address of a server that has both: /sparql and /api. All three by id or file name."""
    handler = type("Handler", (_Handler,), {"items": items, "pages": pages, "files": files})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
