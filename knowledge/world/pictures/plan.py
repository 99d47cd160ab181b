"""Plans all pictures before any picture is drawn: their things, names and licences."""

import random

from questloom.knowledge.world.model import Picture, Statement, Thing, string
from questloom.knowledge.world.part import Part
from questloom.records.knowledge import Value

LANDSCAPE, PORTRAIT, WIDE = (704, 528), (528, 704), (800, 600)
DRAWN = {
    "lighthouse",
    "bridge",
    "church",
    "tower",
    "castle",
    "windmill",
    "dam",
    "station",
    "theatre",
    "library",
    "museum",
    "stadium",
    "observatory",
    "statue",
    "person",
    "painting",
    "book",
    "ship",
    "locomotive",
    "organ",
    "species",
    "mineral",
    "town",
    "village",
    "river",
    "lake",
    "mountain",
    "island",
    "prize",
    "city",
    "national_museum",
    "university",
}
LAND = {"town", "village", "city", "river", "lake", "mountain", "island"}
"""Kinds of things that show no readable marks (such as plaques). A thing of such a kind needs only
one picture, because no question asks about its marks."""
UPRIGHT = {"person", "statue", "book", "organ", "prize"}
LICENCES = (
    ("CC BY-SA 4.0",) * 8
    + ("CC BY-SA 3.0",) * 4
    + ("CC BY 4.0",) * 3
    + ("CC0",) * 2
    + ("Public domain",) * 4
)
REFUSED_SHARE = 0.03
"""The share of photos without a usable licence."""
SYMBOLS = {
    "country": ("flag", "arms", "map"),
    "region": ("flag", "arms", "map"),
    "district": ("map", "arms"),
    "town": ("arms",),
    "club": ("logo",),
    "company": ("logo",),
    "league": ("logo",),
    "party": ("logo",),
}
SYMBOL_PROPERTIES = {"flag": "P41", "arms": "P94", "map": "P242", "logo": "P154"}


def plan_pictures(part: Part) -> None:
    """Plans pictures for the things of a part, and adds the statements that name the pictures."""
    for thing in part.things.values():
        rng = part.rng(f"pictures-{thing.id}")
        if thing.kind in DRAWN and (thing.article or rng.random() < 0.06):
            _photos(part, thing, rng)
        for kind in SYMBOLS.get(thing.kind, ()):
            if thing.article and rng.random() < 0.55:
                file = f"{_plain(thing)} {kind}.{'svg' if kind == 'logo' and rng.random() < 0.25 else 'png'}"
                if _free(part, file):
                    thing.pictures.append(
                        Picture(
                            file,
                            thing.id,
                            0,
                            "vector" if file.endswith("svg") else kind,
                            licence="Public domain",
                        )
                    )
                    thing.statements.append(
                        Statement(SYMBOL_PROPERTIES[kind], Value(kind="commons_media", text=file))
                    )
        if any(p.kind == "photo" for p in thing.pictures):
            thing.statements.append(Statement("P373", string(thing.title)))


def _photos(part: Part, thing: Thing, rng: random.Random) -> None:
    person = thing.kind == "person"
    views = (1, 2, 2) if person else (1, 1, 2) if thing.kind in LAND else (1, 2, 2, 2, 2, 3)
    number = rng.choice(views)
    size = PORTRAIT if thing.kind in UPRIGHT else LANDSCAPE
    for view in range(number):
        width, height = WIDE if size == LANDSCAPE and rng.random() < 0.12 else size
        file = _file_name(thing, view, rng)
        if not _free(part, file):
            file = f"{thing.id} {view}.jpg"
            part.titles.add(f"File:{file}")
        licence, local = rng.choice(LICENCES), False
        if rng.random() < REFUSED_SHARE:
            licence, local = rng.choice((("", False), ("CC BY-NC 4.0", False), ("Fair use", True)))
        shown = tuple(i for i in range(len(thing.marks)) if view == 0 or rng.random() < 0.9)
        thing.pictures.append(
            Picture(file, thing.id, view, "photo", width, height, shown, licence, local)
        )
    thing.statements.append(
        Statement("P18", Value(kind="commons_media", text=thing.pictures[0].file))
    )
    first = thing.pictures[0]
    if rng.random() < 0.035:
        kind = rng.choice(("tiny", "copy", "copy"))
        file = f"{_plain(thing)} ({kind}).jpg"
        if _free(part, file):
            thing.pictures.append(
                Picture(
                    file,
                    thing.id,
                    0,
                    kind,
                    first.width,
                    first.height,
                    first.marks if kind == "copy" else (),
                    first.licence,
                )
            )


def _plain(thing: Thing) -> str:
    return thing.title.replace('"', "").replace("/", "-").replace(":", " ")


def _file_name(thing: Thing, view: int, rng: random.Random) -> str:
    name = _plain(thing)
    if view == 0:
        return rng.choice(
            (
                f"{name}.jpg",
                f"{name} (2019).jpg",
                f"{name}, {rng.choice(('front', 'west side', 'from afar'))}.jpg",
            )
        )
    return rng.choice(
        (
            f"{name} {view + 1:02d}.jpg",
            f"{name} - panorama {rng.randint(100, 999)}.jpg",
            f"DSC {int(thing.id[1:]) % 100000:05d} {view}.jpg",
        )
    )


def _free(part: Part, file: str) -> bool:
    """Reserves a file name; returns False if the name is already in use."""
    title = f"File:{file}"
    if title in part.titles:
        return False
    part.titles.add(title)
    return True
