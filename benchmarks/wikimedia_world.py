"""The data of the loopback services in `benchmarks/wikimedia.py`.

The data comes from published dumps, and the replies have the form of the real services' replies.
"""

import bz2
import copy
import gzip
import html
import json
import re
import threading
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson
import rdflib
from rdflib import Literal, URIRef

from questloom.knowledge.readers.commons_page import file_name

Json = dict[str, Any]
WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
SCHEMA = "http://schema.org/"
UNVIEWED = 7
"""One in seven pages has no page views."""
_PAGE = re.compile(r"  <page>\n.*?</page>\n", re.S)
_TITLE = re.compile(r"<title>(.*?)</title>")
_REDIRECT = re.compile(r'<redirect title="(.*?)" />')


@dataclass
class World:
    """The entities by id, the pages by title, and the files by name."""

    entities: dict[str, Json] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    """The XML of each page, exactly as in the dump."""
    header: str = ""
    files: dict[str, tuple[Json, Path]] = field(default_factory=dict)
    """The page object of each file, and the path of its picture."""
    merged: dict[str, str] = field(default_factory=dict)
    """The ids that redirect to other ids."""
    deleted: set[str] = field(default_factory=set)
    """The ids, titles and file names of deleted pages."""
    views_a_reply: int = 5
    """Number of titles whose page views one reply has; Wikimedia's wikis look up no more."""
    counts_views: bool = True
    """Whether the wiki has the extension that counts page views."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def read(
        cls, entities: Iterable[Path], articles: Iterable[Path], images: Iterable[Path]
    ) -> "World":
        """Reads the dumps of entities and articles, and the folders of pictures."""
        world = cls()
        for path in entities:
            for line in _lines(path):
                if line.startswith("{"):
                    entity = orjson.loads(line.rstrip("\n").rstrip(","))
                    world.entities[entity["id"]] = entity
        for path in articles:
            text = "".join(_lines(path))
            world.header = world.header or text.partition("  <page>")[0]
            world.pages.update((html.unescape(_TITLE.search(x)[1]), x) for x in _PAGE.findall(text))  # type: ignore[index]
        for folder in images:
            for line in (folder / "metadata.jsonl").read_text("utf-8").splitlines():
                page = json.loads(line)
                name = page["title"].partition(":")[2]
                # Claims name a file with blanks; on disk the name may have underscores.
                world.files[file_name(page["title"])] = page, folder / name
        return world

    def pictured(self) -> list[str]:
        """The items that have both a picture and an article, in the order of their numbers."""
        found = (
            name
            for name, entity in self.entities.items()
            if "P18" in (entity.get("claims") or {})
            and self.wiki in (entity.get("sitelinks") or {})
        )
        return sorted(found, key=lambda name: int(name[1:]))

    def with_pictures(self) -> "World":
        """Returns a copy of the world in which each item without a picture gets the first picture
        that depicts the item (P180).
        """
        entities = dict(self.entities)
        for name, (page, _) in sorted(self.files.items()):
            for item in depicted(page):
                entity = entities.get(item)
                if entity and "P18" not in (entity.get("claims") or {}):
                    snak = {
                        "snaktype": "value",
                        "property": "P18",
                        "datatype": "commonsMedia",
                        "datavalue": {"type": "string", "value": name},
                    }
                    said = {"mainsnak": snak, "type": "statement", "rank": "normal"}
                    claims = {**(entity.get("claims") or {}), "P18": [said]}
                    entities[item] = {**entity, "claims": claims}
        return replace(self, entities=entities)

    def __str__(self) -> str:
        return (
            f"{len(self.entities):,} entities, {len(self.pages):,} pages, {len(self.files):,} files"
        )

    def entity(self, name: str) -> Json:
        """Returns an entity in the format of the API call `wbgetentities`.

        An entity that was merged into another keeps the id that the client requested. For an id
        that starts with `M`, the entity holds the statements of a file.
        """
        if name.startswith("M"):
            found = self._media.get(name)
            return {"id": name, "missing": ""} if found is None else found
        target = self.merged.get(name, name)
        if target not in self.entities or {name, target} & self.deleted:
            return {"id": name, "missing": ""}
        moved = {"redirects": {"from": name, "to": target}} if target != name else {}
        return {**self.entities[target], **moved}

    @cached_property
    def _media(self) -> dict[str, Json]:
        return {
            f"M{page['pageid']}": page["mediainfo"]
            for page, _ in self.files.values()
            if page.get("mediainfo")
        }

    def items_of(self, titles: list[str]) -> Json:
        """Returns the Wikidata item of each page, in the format of the API's `prop=pageprops`."""
        return self._titles(titles, lambda title: {"pageprops": self._item(title)})

    def _item(self, title: str) -> Json:
        found = self._items.get(title)
        return {"wikibase_item": found} if found else {}

    @cached_property
    def _items(self) -> dict[str, str]:
        return {
            link["title"]: name
            for name, entity in self.entities.items()
            for wiki, link in (entity.get("sitelinks") or {}).items()
            if wiki == self.wiki
        }

    @property
    def wiki(self) -> str:
        """The name of the wiki from which the articles were taken."""
        found = re.search(r"<dbname>(\w+)</dbname>", self.header)
        return found[1] if found else "enwiki"

    def export(self, titles: list[str]) -> tuple[Json, str, list[str]]:
        """An XML export of some pages.

        Returns: The reply's `query` part (normalised titles, redirects and pages), the XML export,
            and the exported titles.
        """
        query = self._titles(titles, lambda title: {"lastrevid": self._revision(title)})
        exported = [page["title"] for page in query["pages"] if not page.get("missing")]
        pages = "".join(self.pages[title] for title in exported)
        return query, f"{self.header}{pages}</mediawiki>\n", exported

    def _revision(self, title: str) -> int:
        found = re.search(r"<revision>\s*<id>(\d+)</id>", self.pages[title])
        return int(found[1]) if found else 0

    def _titles(self, titles: list[str], more: Any) -> Json:
        normalized, redirects, pages = [], [], dict[str, Json]()
        for asked in titles:
            title = asked.replace("_", " ").strip()
            title = title[:1].upper() + title[1:]
            if title != asked:
                normalized.append({"fromencoded": False, "from": asked, "to": title})
            if title in self.pages and (found := _REDIRECT.search(self.pages[title])):
                target = html.unescape(found[1])
                redirects.append({"from": title, "to": target})
                title = target
            known = title in self.pages and title not in self.deleted
            pages[title] = {"ns": 0, "title": title} | (more(title) if known else {"missing": True})
        return {"normalized": normalized, "redirects": redirects, "pages": list(pages.values())}

    def in_category(self, category: str) -> list[str]:
        """Titles of the pages whose text names a category, sorted: articles first, then
        subcategories.
        """
        named = re.compile(rf"\[\[Category:{re.escape(category)}[\]|]")
        found = (title for title, xml in self.pages.items() if named.search(xml))
        return sorted(found, key=lambda title: (namespace_of(title), title))

    def page_views(self, title: str, days: int) -> dict[str, int | None]:
        """The views of a page on each day; None for a day without a count."""
        seed = zlib.crc32(title.encode())
        dates = (date(2026, 1, 1) + timedelta(days=day) for day in range(days))
        if title not in self.pages or seed % UNVIEWED == 0:
            return {str(day): None for day in dates}
        # The first day has no count: the figures of real days can be missing.
        return {
            str(day): (seed + number) % 97 if number else None for number, day in enumerate(dates)
        }

    def depicting(self, item: str) -> list[str]:
        """The names of the files that depict an item according to their statements."""
        return self._depicting.get(item, [])

    @cached_property
    def _depicting(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, (page, _) in sorted(self.files.items()):
            for item in depicted(page):
                found.setdefault(item, []).append(name)
        return found

    def file(self, name: str) -> Json | None:
        """Returns a copy of a file's page object. Returns None if there is no such file."""
        found = self.files.get(name)
        return None if found is None or name in self.deleted else copy.deepcopy(found[0])

    def picture(self, name: str) -> bytes | None:
        """Returns the bytes of a file. Returns None if there is no such file."""
        found = self.files.get(name)
        return None if found is None or name in self.deleted else found[1].read_bytes()

    def select(self, query: str) -> bytes:
        """The query service's reply to a SPARQL query. A SPARQL engine computes the reply from
        classes, pictures and articles.
        """
        with self._lock:
            return self._graph.query(query).serialize(format="json") or b""

    @cached_property
    def _graph(self) -> rdflib.Graph:
        graph = rdflib.Graph()
        for name, entity in self.entities.items():
            subject = URIRef(WD + name)
            for prop, value in _truthy(entity):
                graph.add((subject, URIRef(WDT + prop), value))
            for wiki, link in (entity.get("sitelinks") or {}).items():
                site = f"https://{wiki.removesuffix('wiki').replace('_', '-')}.wikipedia.org/"
                page = URIRef(site + "wiki/" + re.sub(r"\W", "_", link["title"]))
                graph.add((page, URIRef(SCHEMA + "about"), subject))
                graph.add((page, URIRef(SCHEMA + "isPartOf"), URIRef(site)))
        return graph


def namespace_of(title: str) -> int:
    """The number of a page's namespace: 14 for a category, 0 for an article."""
    return 14 if title.startswith("Category:") else 0


def depicted(page: Json) -> list[str]:
    """The items that a file depicts according to its statements."""
    statements = (page.get("mediainfo") or {}).get("statements") or {}
    values = (s["mainsnak"].get("datavalue") for s in statements.get("P180", ()))
    return [value["value"]["id"] for value in values if value]


def _truthy(entity: Json) -> Iterator[tuple[str, rdflib.term.Node]]:
    for prop in ("P31", "P279", "P18"):
        statements = (entity.get("claims") or {}).get(prop, ())
        ranks = {s["rank"] for s in statements}
        best = "preferred" if "preferred" in ranks else "normal"
        for statement in statements:
            value = statement["mainsnak"].get("datavalue", {}).get("value")
            if statement["rank"] == best and value is not None:
                yield prop, URIRef(WD + value["id"]) if prop != "P18" else Literal(value)


def _lines(path: Path) -> Iterator[str]:
    opened = {".bz2": bz2.open, ".gz": gzip.open}.get(path.suffix, open)
    with opened(path, "rt", encoding="utf-8") as file:
        yield from file
