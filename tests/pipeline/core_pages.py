"""Dumps from the shared real data for the recorded run: core articles of the Spanish Wikipedia, and photos of what they are about.

The articles are the HTML paragraphs of April 2023 with their links; they become wikitext again. Every picture shows what
its article is about, with the licence that its source states. Claims are few: a class for what is pictured, and the days
of death that a Wikidata export of 2022 holds. So nearly all hops rest on sentences.
"""

import gzip
import hashlib
import html
import io
import json
import re
import tarfile
import urllib.parse
from pathlib import Path
from xml.sax.saxutils import escape

from PIL import Image

from tests.small_dumps import item, statement

HEADER = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="es">\n<siteinfo><dbname>eswiki</dbname>'
    '<base>https://es.wikipedia.org/wiki/Wikipedia:Portada</base><case>first-letter</case><namespaces><namespace key="0" /></namespaces>'
    "</siteinfo>\n"
)
NOT_ARTICLES = ("Wikipedia ", "Ayuda ", "Especial ", "Listado ")
MAX_PARAGRAPHS = 200
"""Of an article; the rest would only make the run slower."""
PD, CC0, BY_SA3, BY_SA4 = "Public domain", "CC0", "CC BY-SA 3.0", "CC BY-SA 4.0"
PICTURED = {  # title: (item, label, class, class label, pictures with their licences)
    "Torre Eiffel": (
        "Q243",
        "Torre Eiffel",
        "Q1440300",
        "torre de observación",
        {"photos/commons/Eiffel_tower_0.jpg": BY_SA3, "photos/commons/Eiffel_tower_1.jpg": PD},
    ),
    "Gran Muralla China": (
        "Q12501",
        "Gran Muralla China",
        "Q57821",
        "fortificación",
        {"photos/landmarks/great-wall.jpg": CC0},
    ),
    "Gran Cañón": (
        "Q118841",
        "Gran Cañón",
        "Q150784",
        "cañón",
        {"photos/landmarks/grand-canyon.jpg": CC0},
    ),
    "Napoleón Bonaparte": (
        "Q517",
        "Napoleón Bonaparte",
        "Q5",
        "ser humano",
        {"paintings/images/Q59201.jpg": PD},
    ),
    "Caballo": (
        "Q726",
        "caballo",
        "Q55983715",
        "organismo conocido por un nombre común",
        {"photos/commons/Wild_horses.jpg": BY_SA4},
    ),
    "Gato": (
        "Q146",
        "gato",
        "Q55983715",
        "organismo conocido por un nombre común",
        {"photos/commons/orange_cat.jpg": BY_SA4},
    ),
    "Perro": (
        "Q144",
        "perro",
        "Q55983715",
        "organismo conocido por un nombre común",
        {"photos/commons/corgi.jpg": CC0},
    ),
    "Pirámide (arquitectura)": (
        "Q12516",
        "pirámide",
        "Q811979",
        "estructura arquitectónica",
        {"photos/landmarks/great-pyramid-of-khufu.jpg": PD},
    ),
    "Tren": ("Q870", "tren", "Q42889", "vehículo", {"photos/landmarks/train-e-usa.jpg": PD}),
}
_ESCAPED = re.compile(r"(?:_[89A-F][0-9A-F])+")
_LINK = re.compile(r'<a href="/wiki/([^"#]+)[^"]*"[^>]*>(.*?)</a>', re.S)
_NOISE = re.compile(r"<sup.*?</sup>|<style.*?</style>|<link[^>]*>", re.S)


def write_dumps(shared: Path, folder: Path) -> None:
    """Writes articles.xml, entities.json and images/ below a folder.

    Args:
        shared: the folder that holds `data/`.
        folder: where to write.
    """
    data = shared / "data"
    pages = dict(_pages(data / "eswiki" / "eswiki_html.tar.xz"))
    folder.mkdir(parents=True, exist_ok=True)
    xml = "".join(
        _page_xml(number, title, text)
        for number, (title, text) in enumerate(sorted(pages.items()), 1)
    )
    (folder / "articles.xml").write_text(f"{HEADER}{xml}</mediawiki>\n", encoding="utf-8")
    entities = [
        *_pictured_items(),
        *_dead(data / "wikidata" / "items_2022.jsonl.gz", pages),
        *_labels(),
    ]
    (folder / "entities.json").write_text(
        "[\n" + ",\n".join(json.dumps(e, ensure_ascii=False) for e in entities) + "\n]\n",
        encoding="utf-8",
    )
    _write_pictures(data, folder / "images")


def _pages(archive: Path):
    with tarfile.open(archive) as files:
        for member in files:
            if member.isfile() and member.name.endswith(".txt"):
                title = (
                    _ESCAPED.sub(_decoded, Path(member.name).stem)
                    .replace("_27", "'")
                    .replace("_", " ")
                )
                text = _wikitext(files.extractfile(member).read().decode("utf-8"))
                if text and not title.startswith(NOT_ARTICLES):
                    yield title, text


def _decoded(match: re.Match) -> str:
    return bytes.fromhex(match[0].replace("_", "")).decode("utf-8", "replace")


def _wikitext(page: str) -> str:
    """The first paragraphs of a page with their links."""
    paragraphs = re.findall(r"<p[ >].*?</p>", page, re.S)[:MAX_PARAGRAPHS]
    return "\n\n".join(
        dict.fromkeys(filter(None, map(_paragraph, paragraphs)))
    )  # the source repeats some


def _paragraph(source: str) -> str:
    def link(match: re.Match) -> str:
        target = urllib.parse.unquote(match[1]).replace("_", " ")
        words = re.sub(r"<[^>]+>", "", match[2]).strip()
        return f"[[{target}|{words}]]" if words and ":" not in target else words

    text = _LINK.sub(link, _NOISE.sub("", source))
    text = (
        html.unescape(re.sub(r"<[^>]+>", "", text))
        .replace("\u200b", "")
        .replace("{", "(")
        .replace("}", ")")
    )
    return " ".join(text.split())


def _page_xml(number: int, title: str, text: str) -> str:
    return (
        f"<page><title>{escape(title)}</title><ns>0</ns><id>{number}</id><revision><id>{1000 + number}</id>"
        f"<timestamp>2023-04-01T00:00:00Z</timestamp><model>wikitext</model><text>{escape(text)}</text></revision></page>\n"
    )


def _spanish(qid: str, label: str, statements: list[dict], title: str = "") -> dict:
    made = item(qid, label, statements)
    return {
        **made,
        "labels": {"es": {"language": "es", "value": label}},
        "sitelinks": {"eswiki": {"site": "eswiki", "title": title}} if title else {},
    }


def _pictured_items():
    for title, (qid, label, class_id, _, pictures) in PICTURED.items():
        shown = [statement("P18", Path(p).name, "string") for p in pictures]
        yield _spanish(qid, label, [statement("P31", class_id), *shown], title)
    for class_id, class_label in sorted({(c, label) for _, _, c, label, _ in PICTURED.values()}):
        yield _spanish(class_id, class_label, [])


def _dead(export: Path, pages: dict[str, str]):
    with gzip.open(export, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if (
                row["label"] in pages
                and row["date_prop_id"] == "P570"
                and not row["date"].startswith("-")
            ):
                time = {
                    "time": f"+{row['date'][:10]}T00:00:00Z",
                    "timezone": 0,
                    "before": 0,
                    "after": 0,
                    "precision": 11,
                    "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
                }
                yield _spanish(
                    row["id"],
                    row["label"],
                    [statement("P31", "Q5"), statement("P570", time, "time")],
                    row["label"],
                )


def _labels():
    for property_id, label, kind in (
        ("P31", "instancia de", "wikibase-item"),
        ("P570", "fecha de fallecimiento", "time"),
        ("P18", "imagen", "commonsMedia"),
    ):
        yield {
            "type": "property",
            "id": property_id,
            "datatype": kind,
            "labels": {"es": {"language": "es", "value": label}},
            "descriptions": {},
            "aliases": {},
            "claims": {},
        }


def _write_pictures(data: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    lines = []
    for title, (qid, _, _, _, pictures) in PICTURED.items():
        for path, licence in pictures.items():
            content = (data / path).read_bytes()
            name = Path(path).name
            (folder / name).write_bytes(content)
            width, height = Image.open(io.BytesIO(content)).size
            depicts = {
                "P180": [
                    {
                        "mainsnak": {
                            "snaktype": "value",
                            "property": "P180",
                            "datavalue": {
                                "type": "wikibase-entityid",
                                "value": {"id": qid, "entity-type": "item"},
                            },
                        },
                        "type": "statement",
                        "rank": "normal",
                    }
                ]
            }
            lines.append(
                {
                    "pageid": len(lines) + 1,
                    "ns": 6,
                    "title": f"File:{name}",
                    "imagerepository": "shared",
                    "imageinfo": [
                        {
                            "url": f"https://upload.wikimedia.org/{name}",
                            "descriptionurl": f"https://commons.wikimedia.org/wiki/File:{name}",
                            "width": width,
                            "height": height,
                            "size": len(content),
                            "mime": "image/jpeg",
                            "sha1": hashlib.sha1(content).hexdigest(),
                            "extmetadata": {
                                "LicenseShortName": {"value": licence},
                                "ImageDescription": {"value": title},
                            },
                        }
                    ],
                    "mediainfo": {"id": f"M{len(lines) + 1}", "statements": depicts},
                }
            )
    (folder / "metadata.jsonl").write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )
