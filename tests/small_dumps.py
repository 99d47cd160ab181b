"""Dumps of a small wiki by hand, in Wikimedia's formats, with every trap that ingest must meet."""

import bz2
import io
import json
from pathlib import Path
from xml.sax.saxutils import escape

from PIL import Image

HEADER = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n<siteinfo><dbname>enwiki</dbname>'
    '<base>https://en.wikipedia.org/wiki/Main_Page</base><case>first-letter</case><namespaces><namespace key="0" />'
    '<namespace key="1">Talk</namespace></namespaces></siteinfo>\n'
)
PAGES = (
    (
        "Lamp 1",
        "",
        "{{Infobox lighthouse\n| image = Lamp 1.png\n| architect = [[Ada Bruck]]\n| height = 31 m\n}}\n"
        "'''Lamp 1''' is a lighthouse near [[old town|the town]]. It has [[Norhaven]] in sight. See [[Missing]] and [[Lamp 1]].\n\n"
        "== History ==\nA storm broke the lantern in 1902. [[Ada Bruck]] mended it.",
    ),
    (
        "Norhaven",
        "",
        "'''Norhaven''' is a town. [[File:Town.png|thumb|The harbour]] Its light is [[Lamp 1]].",
    ),
    (
        "Ada Bruck",
        "",
        "{{Infobox person\n| birth_date = 12 March 1820\n| birth_place = [[Norhaven]]\n}}\n'''Ada Bruck''' built lamps.",
    ),
    ("Old town", "Elder town", ""),
    ("Elder town", "Norhaven", ""),
    ("A", "B", ""),
    ("B", "A", ""),
    ("Nowhere", "Missing", ""),
    ("Lamp", "", "'''Lamp''' may be one of [[Lamp 1]]."),
    ("List of lamps", "", "* [[Lamp 1]]"),
    ("Lamps by height", "", "* [[Lamp 1]]"),
    ("List of honour", "", "A painting of [[Norhaven]]."),
    ("Talk:Lamp 1", "", "talk"),
)
BROKEN_JPEG = b"\xff\xd8\xff\xe0 no picture"


def page_xml(number: int, title: str, redirect: str, text: str, revision: int = 0) -> str:
    target = f'<redirect title="{escape(redirect)}" />' if redirect else ""
    return (
        f"<page><title>{escape(title)}</title><ns>{int(title.startswith('Talk:'))}</ns><id>{number}</id>{target}<revision>"
        f"<id>{revision or 100 + number}</id><timestamp>2026-10-01T00:00:00Z</timestamp><model>wikitext</model>"
        f'<text xml:space="preserve">{escape(text or f"#REDIRECT [[{redirect}]]")}</text></revision></page>\n'
    )


def articles_xml(pages=PAGES) -> str:
    return (
        HEADER + "".join(page_xml(n, *page) for n, page in enumerate(pages, 1)) + "</mediawiki>\n"
    )


def statement(
    prop: str, value, kind: str = "wikibase-entityid", qualifiers: dict | None = None
) -> dict:
    value = {"id": value, "entity-type": "item"} if kind == "wikibase-entityid" else value
    snak = {"snaktype": "value", "property": prop, "datavalue": {"type": kind, "value": value}}
    return {
        "mainsnak": snak,
        "rank": "normal",
        "type": "statement",
        "id": f"s${prop}",
        **({"qualifiers": qualifiers} if qualifiers else {}),
    }


def item(qid: str, label: str, statements: list[dict], title: str = "", revision: int = 5) -> dict:
    claims: dict[str, list] = {}
    for found in statements:
        claims.setdefault(found["mainsnak"]["property"], []).append(found)
    return {
        "type": "item",
        "id": qid,
        "labels": {"en": {"language": "en", "value": label}},
        "descriptions": {},
        "aliases": {},
        "claims": claims,
        "sitelinks": {"enwiki": {"site": "enwiki", "title": title}} if title else {},
        "lastrevid": revision,
    }


ENTITIES = (
    item(
        "Q900001",
        "Lamp One",
        [
            statement("P31", "Q39715"),
            statement("P84", "Q800099"),
            statement("P18", "Lamp_1.png", "string"),
        ],
        "Lamp 1",
    ),
    item("Q900011", "Bo Lind", [statement("P31", "Q5"), statement("P106", "Q42973")]),
    item("Q900020", "Norhaven", [statement("P31", "Q3957")], "Norhaven"),
    item("Q900021", "Norhaven honour", [statement("P31", "Q3305213")], "List of honour"),
    item("Q900040", "Lamp", [statement("P31", "Q4167410")], "Lamp"),
    item("Q900041", "Lamps", [statement("P31", "Q13406463")], "Lamps by height"),
    item("Q900050", "Faraway", [statement("P31", "Q3957")], "Faraway"),
    item("Q39715", "lighthouse", [statement("P279", "Q12518")]),
    item("Q12518", "tower", [statement("P279", "Q811979")]),
    item("Q3957", "town", [statement("P279", "Q486972")]),
    {"entity": "Q800099", "redirect": "Q900011"},
    {
        "type": "property",
        "id": "P84",
        "datatype": "wikibase-item",
        "labels": {"en": {"language": "en", "value": "architect"}},
        "claims": {},
    },
)


def entities_json(entities=ENTITIES) -> str:
    return "[\n" + ",\n".join(map(json.dumps, entities)) + ",\nno json\n]\n"


def picture(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(out, "PNG")
    return out.getvalue()


PICTURES = {
    "Lamp 1.png": picture("red"),
    "Copy.png": picture("red"),
    "Town.png": picture("navy"),
    "Broken.jpg": BROKEN_JPEG,
}


def metadata(name: str) -> dict:
    depicts = [
        statement("P180", "Q900001"),
        statement(
            "P180",
            "Q12277",
            qualifiers={
                "P1114": [
                    {
                        "snaktype": "value",
                        "property": "P1114",
                        "datavalue": {"type": "quantity", "value": {"amount": "+5", "unit": "1"}},
                    }
                ]
            },
        ),
    ]
    return {
        "title": f"File:{name}",
        "imagerepository": "shared",
        "imageinfo": [
            {
                "descriptionurl": f"https://commons.wikimedia.org/wiki/File:{name}",
                "extmetadata": {"LicenseShortName": {"value": "CC0"}},
            }
        ],
        "mediainfo": {"id": "M1", "statements": {"P180": depicts} if name == "Copy.png" else {}},
    }


def write_dumps(folder: Path) -> dict[str, tuple[str, ...]]:
    """Writes the dumps; returns the inputs of `IngestOptions`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "articles.xml.bz2").write_bytes(bz2.compress(articles_xml().encode()))
    (folder / "entities.json").write_text(entities_json())
    images = folder / "images"
    images.mkdir()
    for name, data in PICTURES.items():
        (images / name).write_bytes(data)
    (images / "metadata.jsonl").write_text(
        "".join(json.dumps(metadata(n)) + "\n" for n in (*PICTURES, "Lost.png"))
    )
    return {
        "articles": (str(folder / "articles.xml.bz2"),),
        "entities": (str(folder / "entities.json"),),
        "images": (str(images),),
    }
