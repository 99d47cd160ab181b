"""Marks: details that only a close look at a picture shows. A mark belongs to the thing, not to the picture."""

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import (
    SNAPSHOT_YEAR,
    Mark,
    Thing,
    monolingual,
    quantity,
    value_of,
)
from questloom.knowledge.world.part import Part

MOTTOES = (
    "HOLD FAST",
    "BY WIND AND WAVE",
    "LUX ET MARE",
    "STEADY HANDS",
    "NOT FOR OURSELVES",
    "TIDE AND TRUTH",
    "SPES IN UNDIS",
    "ALWAYS NORTH",
    "STONE BY STONE",
    "LABOR ET PAX",
    "LET IT STAND",
    "MIND THE WATER",
    "FIRST LIGHT",
    "BREAD AND SALT",
    "AUDI ET TACE",
    "FAIR WINDS",
    "KEEP THE LAMP",
    "OLD AS OAK",
    "VIRES IN ARTE",
    "SLOW AND SURE",
)
PARTS = vocabulary.groups()["part"]
COUNTED = {
    "bridge": ("arch", "count"),
    "museum": ("column", "columns"),
    "theatre": ("column", "columns"),
    "library": ("column", "columns"),
}
SHARE_OF_PLAQUES = 0.8


def add_marks(part: Part, thing: Thing) -> None:
    """Gives a thing its plaque or registration, and its countable parts.

    The text of a plaque (the year of a restoration, a motto, a number) stands only on pictures: neither claims nor
    article contain it.
    """
    rng = part.rng(f"marks-{thing.id}")
    if thing.kind in COUNTED and (thing.kind != "bridge" or thing.look.get("type") == "arch"):
        name, key = COUNTED[thing.kind]
        if thing.look[key] > 1:
            thing.marks.append(
                Mark(PARTS[name], "P1114", quantity(thing.look[key]), str(thing.look[key]))
            )
    if rng.random() < SHARE_OF_PLAQUES:
        choice = rng.random()
        if choice < 0.75 and thing.start < 2008:
            text = str(rng.randint(max(thing.start + 4, 1700), SNAPSHOT_YEAR - 6))
        elif choice < 0.9:
            text = rng.choice(MOTTOES)
        else:
            text = f"No. {rng.randint(101, 989)}"
        thing.marks.append(Mark(PARTS["commemorative plaque"], "P1684", monolingual(text), text))
    if rng.random() < 0.3 and thing.kind in (
        "lighthouse",
        "castle",
        "theatre",
        "station",
        "tower",
        "windmill",
    ):
        colour = rng.choice(("red", "blue", "green", "yellow", "white", "orange"))
        thing.look["flag"] = colour
        thing.marks.append(
            Mark(PARTS["flag"], "P462", value_of(vocabulary.groups()["colour"][colour]), colour)
        )
