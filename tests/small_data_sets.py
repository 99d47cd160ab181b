"""Data sets in the published schemas of the Hub, written from articles and entities that other readers gave."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.mediawiki_xml import RawPage, read_pages, read_site
from questloom.knowledge.readers.wikitext import read_article
from questloom.records.knowledge import Article, Section

Row = dict[str, Any]
PACKED = ("sections", "infoboxes", "labels", "descriptions", "aliases", "sitelinks", "claims")
"""Columns that the Parquet files of the Hub hold as JSON."""


def dump_articles(path: str) -> list[Article]:
    """The articles of an XML dump."""
    site = read_site(path)
    pages = (p for part in plan_ranges(path) for p in read_pages(part, site))
    return [read_article(p, site) for p in pages if isinstance(p, RawPage)]


def _address(title: str) -> str:
    return f"https://en.wikipedia.org/wiki/{title.replace(' ', '_')}"


def article_row(article: Article) -> Row:
    """A row of structured-wikipedia; as in its JSON lines, what is empty is left out."""
    sections = [_section(article, n, section) for n, section in enumerate(article.sections)]
    row = {
        "name": article.title,
        "identifier": article.page_id,
        "url": _address(article.title),
        "version": {"identifier": article.revision, "comment": "an edit"},
        "license": [{"identifier": "CC-BY-SA-4.0"}],
        "sections": sections,
        "infoboxes": [
            {
                "type": "infobox",
                "name": article.infobox_name,
                "has_parts": [{"type": "section", "has_parts": [_field(f) for f in box]}],
            }
        ]
        if (box := article.infobox)
        else None,
        "main_entity": {"identifier": article.item} if article.item else None,
        "image": {
            "content_url": "https://upload.wikimedia.org/wikipedia/commons/a/a8/"
            + article.pictures[0].file.replace(" ", "_")
        }
        if article.pictures
        else None,
    }
    return {name: value for name, value in row.items() if value is not None}


def _field(field: Any) -> Row:
    links = [{"url": _address(title), "text": title} for title in field.targets]
    return {"type": "field", "name": field.name, "value": field.text, "links": links}


def _section(article: Article, number: int, section: Section) -> Row:
    parts, start = [], 0
    for line in section.text.split("\n"):
        end = start + len(line)
        links = [
            {"url": _address(link.target), "text": link.anchor}
            for link in article.links
            if link.section == number and start <= link.sentence_start < max(end, start + 1)
        ]
        parts.append({"type": "paragraph", "value": line, "links": links})
        start = end + 1
    name = section.title if number else "Abstract"
    return {"type": "section", "name": name, "has_parts": parts}


def entity_row(entity: Row) -> Row:
    """A row of an entity of a dump, without what `philippesaade/wikidata` leaves out."""

    def snak(whole: Row) -> Row:
        value = whole.get("datavalue", {}).get("value")
        rest = {k: v for k, v in whole.items() if k not in ("snaktype", "datavalue")}
        kinds = {"wikibase-entityid": "wikibase-item", "string": "string"}
        kind = kinds.get(whole.get("datavalue", {}).get("type", ""), "time")
        more = {"property-labels": {"en": "a property"}, "datatype": rest.get("datatype", kind)}
        return {**rest, **more, **({"datavalue": value} if value is not None else {})}

    def statement(whole: Row) -> Row:
        qualifiers = {
            p: [snak(s) for s in some] for p, some in (whole.get("qualifiers") or {}).items()
        }
        return {
            "mainsnak": snak(whole["mainsnak"]),
            "rank": whole["rank"],
            "qualifiers": qualifiers,
        }

    claims = {p: [statement(s) for s in some] for p, some in entity.get("claims", {}).items()}
    names = ("labels", "descriptions", "aliases", "sitelinks")
    return {"id": entity["id"], **{n: entity.get(n) or {} for n in names}, "claims": claims}


def write_lines(path: Path, rows: Iterable[Row]) -> str:
    """JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def write_parquet(path: Path, rows: Iterable[Row], *, row_group_size: int = 4) -> str:
    """Parquet, nested columns as JSON."""
    packed = [
        {n: json.dumps(value) if n in PACKED else value for n, value in row.items()} for row in rows
    ]
    names = dict.fromkeys(name for row in packed for name in row)
    table = pa.Table.from_pylist([{name: row.get(name) for name in names} for row in packed])
    pq.write_table(table, path, row_group_size=row_group_size)
    return str(path)
