"""The metadata of a file as Commons gives it: `imageinfo` with `extmetadata`, and structured data.

Source: https://www.mediawiki.org/wiki/API:Imageinfo and https://commons.wikimedia.org/wiki/Commons:Structured_data
"""

import hashlib
import urllib.parse
from typing import Any

import orjson

from questloom.knowledge.world.export import FILE_PAGES
from questloom.knowledge.world.model import Picture, Statement, Thing, qualifier, string, value_of
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.pictures.draw import Drawn
from questloom.knowledge.world.wikibase import grouped

LICENCE_URLS = {
    "CC BY-SA 4.0": "https://creativecommons.org/licenses/by-sa/4.0",
    "CC BY-SA 3.0": "https://creativecommons.org/licenses/by-sa/3.0",
    "CC BY 4.0": "https://creativecommons.org/licenses/by/4.0",
    "CC0": "http://creativecommons.org/publicdomain/zero/1.0/deed.en",
    "CC BY-NC 4.0": "https://creativecommons.org/licenses/by-nc/4.0",
}
AUTHORS = (
    "Mara Quill",
    "Ole Tindrum",
    "J. Sparrow",
    "Wyndlight",
    "Petra Sandvik-Low",
    "Archive of the Coast Survey",
    "User:Gullfeather",
    "H. & L. Brook",
)


def metadata_line(part: Part, thing: Thing, picture: Picture, drawn: Drawn) -> bytes:
    """The page object of one file in the form of the Commons API."""
    rng = part.rng(f"metadata-{picture.file}")
    name = urllib.parse.quote(picture.file.replace(" ", "_"))
    page = (
        int.from_bytes(hashlib.sha256(picture.file.encode()).digest()[:4], "big") % 90_000_000
        + 10_000_000
    )
    author = rng.choice(AUTHORS)
    extra: dict[str, Any] = {
        "Artist": {
            "value": f'<a href="//commons.wikimedia.org/wiki/User:{urllib.parse.quote(author)}" title="{author}">{author}</a>'
        },
        "Credit": {"value": '<span class="int-own-work" lang="en">Own work</span>'},
        "ImageDescription": {
            "value": f"{thing.label}, {thing.description}"
            if rng.random() < 0.7
            else f"<i>{thing.label}</i>"
        },
        "DateTimeOriginal": {
            "value": f"{rng.randint(2006, 2023)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        },
        "Categories": {"value": f"{thing.title}|Taken with a lens|Self-published work"},
        "Restrictions": {"value": ""},
    }
    if picture.kind in ("flag", "arms", "map", "logo", "vector"):
        extra["Categories"] = {"value": f"{thing.title}|{picture.kind.capitalize()} files"}
    if picture.licence:
        extra["LicenseShortName"] = {"value": picture.licence}
        if picture.licence in LICENCE_URLS:
            extra["LicenseUrl"] = {"value": LICENCE_URLS[picture.licence]}
    base = "https://upload.invented.example/" + ("en" if picture.local else "commons")
    digest = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
    return orjson.dumps(
        {
            "pageid": page,
            "ns": 6,
            "title": f"File:{picture.file}",
            "imagerepository": "local" if picture.local else "shared",
            "imageinfo": [
                {
                    "url": f"{base}/{digest[0]}/{digest[:2]}/{name}",
                    "descriptionurl": FILE_PAGES + name,
                    "width": drawn.width,
                    "height": drawn.height,
                    "size": len(drawn.data),
                    "mime": drawn.mime,
                    "sha1": drawn.sha1,
                    "extmetadata": extra,
                }
            ],
            "mediainfo": {
                "id": f"M{page}",
                "statements": grouped(f"M{page}", _statements(thing, picture, drawn)),
            },
        }
    )


def _statements(thing: Thing, picture: Picture, drawn: Drawn) -> list[Statement]:
    """P180 statements for the depicted things. The statement of a depicted part has the part's visible marks and their
    boxes."""
    if picture.kind in ("map", "vector"):
        return []
    found = [Statement("P180", value_of(thing), rank="preferred")]
    for index, box in sorted(drawn.boxes.items()):
        mark = thing.marks[index]
        where = qualifier("P2677", string("pct:" + ",".join(f"{v:g}" for v in box)))
        found.append(
            Statement("P180", value_of(mark.part), (qualifier(mark.property, mark.value), where))
        )
    return found
