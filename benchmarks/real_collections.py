"""Converts Wikimedia's offline collections into an article dump and a folder of pictures.

A collection is a bundle of files that Wikimedia's Offline Content Generator made. A bundle holds
each article as HTML from Parsoid. Parsoid's HTML keeps the source of templates. A bundle also holds
the `imageinfo` (facts about a file) that the API returned for each picture in 2014. The script
writes an XML export whose wikitext has the infobox, paragraphs with links, headings and pictures.
The script also writes page objects like those that the Commons API returns for `prop=imageinfo`.
"""

import json
import re
import sqlite3
import tempfile
import urllib.parse
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from lxml import html

NAMESPACES = ("0", "4", "6", "10", "14")
_COMMONS = "/wikipedia/commons/"
_TITLE = re.compile(r"^\./")


class Collection:
    """One bundle."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.zip = zipfile.ZipFile(path)
        book = json.loads(self.zip.read("metabook.json"))
        items = [
            i
            for top in book["items"]
            for i in (top["items"] if top["type"] == "chapter" else [top])
        ]
        self.titles = {i["revision"]: i["title"] for i in items}
        sites = {
            site["general"]["wikiid"]: site
            for site in map(json.loads, self._values("siteinfo").values())
        }
        self.wiki, self.site = next((w, s) for w, s in sites.items() if w != "commonswiki")

    def _values(self, name: str) -> dict[str, str]:
        """Reads the keys and values of one database in a bundle."""
        with tempfile.NamedTemporaryFile(suffix=".db") as file:
            file.write(self.zip.read(f"{name}.db"))
            file.flush()
            with sqlite3.connect(file.name) as base:
                return dict(base.execute("SELECT key, val FROM kv_table ORDER BY key"))

    def pages(self) -> Iterator[tuple[str, str, str]]:
        """Yields the title, the revision and the wikitext of each article."""
        for revision, text in self._values("parsoid").items():
            yield self.titles[revision], revision, wikitext(text)

    def pictures(self) -> dict[str, dict[str, Any]]:
        """Maps the name of each file on Wikimedia Commons to its page object."""
        found = {}
        for number, text in enumerate(self._values("imageinfo").values(), 1):
            info = json.loads(text)
            name = _file_name(info["filename"])
            if _COMMONS not in info["url"]:
                continue
            said = {
                "LicenseShortName": "licenseshortname",
                "LicenseUrl": "licenseurl",
                "Artist": "artist",
                "Credit": "credit",
                "ImageDescription": "description",
            }
            found[name] = {
                "pageid": number,
                "ns": 6,
                "title": f"File:{name}",
                "imagerepository": "local",
                "imageinfo": [
                    {
                        **{
                            k: info[k]
                            for k in ("url", "descriptionurl", "width", "height", "mime", "sha1")
                        },
                        "extmetadata": {
                            k: {"value": info[key]} for k, key in said.items() if info.get(key)
                        },
                    }
                ],
            }
        return found

    def files(self) -> dict[str, bytes]:
        """The bytes of the bundle's small pictures, by file name."""
        return {
            _file_name(n): self.zip.read(n)
            for n in self.zip.namelist()
            if n.startswith("images/") and ":" in n
        }


def _file_name(title: str) -> str:
    """Returns the file name in a page's title, without the namespace and with spaces for
    underscores. In a bundle, `~252~` stands for the character with the number 252.
    """
    return re.sub(r"~(\d+)~", lambda m: chr(int(m[1])), title).partition(":")[2].replace("_", " ")


def wikitext(page: str) -> str:
    """Makes an article's wikitext from Parsoid's HTML. The wikitext has the original infobox,
    paragraphs, headings and pictures.

    Tables, lists, and all templates except the infobox are left out.
    """
    tree = html.document_fromstring(page)
    parts: list[str] = []
    for element in tree.xpath('//*[@data-mw and contains(@typeof, "mw:Transclusion")]'):
        for part in json.loads(element.get("data-mw")).get("parts", ()):
            template = part.get("template", {}) if isinstance(part, dict) else {}
            name = template.get("target", {}).get("wt", "").strip()
            if name.casefold().startswith("infobox") and not parts:
                fields = "".join(
                    f"| {key} = {value['wt']}\n" for key, value in template["params"].items()
                )
                parts.append(f"{{{{{name}\n{fields}}}}}")
    for element in tree.xpath("//body//p | //body//h2 | //body//h3 | //body//figure"):
        if element.xpath("ancestor::table | ancestor::figure"):
            continue
        if element.tag == "figure":
            names = element.xpath(".//@resource") or element.xpath(".//a/@href")
            if names:
                caption = " ".join(_text(c) for c in element.xpath("./figcaption"))
                parts.append(
                    f"[[{urllib.parse.unquote(_TITLE.sub('', names[0]))}|thumb|{caption}]]"
                )
        elif text := _text(element).strip():
            marks = {"h2": "==", "h3": "==="}.get(element.tag, "")
            parts.append(f"{marks} {text} {marks}" if marks else text)
    return "\n\n".join(parts)


def _text(element: Any) -> str:
    """The text of an element: links become wikitext, and references are left out."""
    inside = element.text or ""
    for child in element:
        if (
            not isinstance(child.tag, str)
            or "mw:Extension/ref" in (child.get("typeof") or "")
            or child.tag in ("style", "link", "meta")
        ):
            inside += child.tail or ""
            continue
        said = _text(child)
        if child.get("rel") == "mw:WikiLink" and said.strip():
            said = f"[[{urllib.parse.unquote(_TITLE.sub('', child.get('href', ''))).replace('_', ' ')}|{said}]]"
        inside += said + (child.tail or "")
    return re.sub(r"\s+", " ", inside)


def write_dump(collections: list[Collection], path: Path) -> int:
    """Writes all articles of one wiki's bundles as an XML export. Returns the number of
    articles.
    """
    site = collections[0].site
    names = "".join(
        f'<namespace key="{k}">{escape(site["namespaces"][k]["*"])}</namespace>' for k in NAMESPACES
    )
    pages = [page for collection in collections for page in collection.pages()]
    texts = (
        f"<page><title>{escape(title)}</title><ns>0</ns><id>{number}</id><revision><id>{revision}</id>"
        f'<timestamp>2014-09-01T00:00:00Z</timestamp><model>wikitext</model><text xml:space="preserve">{escape(text)}</text></revision></page>\n'
        for number, (title, revision, text) in enumerate(pages, 1)
    )
    general = site["general"]
    path.write_text(
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="{general["lang"]}">\n<siteinfo>'
        f"<dbname>{collections[0].wiki}</dbname><base>{escape(general['base'])}</base><case>{general['case']}</case>"
        f"<namespaces>{names}</namespaces></siteinfo>\n{''.join(texts)}</mediawiki>\n",
        encoding="utf-8",
    )
    return len(pages)


def write_pictures(collections: list[Collection], folder: Path) -> None:
    """Writes the bundles' small pictures and their `imageinfo` as a folder that `questloom ingest`
    can read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "metadata.jsonl").open("w", encoding="utf-8") as file:
        for collection in collections:
            pages = collection.pictures()
            for name, content in collection.files().items():
                if name in pages:
                    (folder / name.replace("/", "_")).write_bytes(content)
                    file.write(json.dumps(pages[name]) + "\n")
