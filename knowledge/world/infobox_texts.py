"""Writes infobox templates: each kind of thing has its own template and parameters."""

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.readable import value_text
from questloom.records.knowledge import Value

STRUCTURE = (
    ("location", "P131"),
    ("country", "P17"),
    ("architect", "P84"),
    ("engineer", "P631"),
    ("built", "P571"),
    ("opened", "P1619"),
    ("material", "P186"),
    ("height", "P2048"),
    ("floors", "P1101"),
)
BOXES: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "lighthouse": (
        "lighthouse",
        (
            *STRUCTURE,
            ("markings", "P462"),
            ("focal_height", "P2923"),
            ("range", "P2929"),
            ("operator", "P137"),
        ),
    ),
    "bridge": (
        "bridge",
        (
            ("crosses", "P177"),
            ("length", "P2043"),
            ("width", "P2049"),
            ("mainspan", "P2787"),
            ("named_for", "P138"),
            ("maint", "P137"),
            *STRUCTURE,
        ),
    ),
    "church": ("church", (("dedication", "P825"), *STRUCTURE)),
    "castle": ("building", (("owner", "P127"), *STRUCTURE)),
    "person": (
        "person",
        (
            ("birth_date", "P569"),
            ("birth_place", "P19"),
            ("death_date", "P570"),
            ("death_place", "P20"),
            ("resting_place", "P119"),
            ("occupation", "P106"),
            ("alma_mater", "P69"),
            ("spouse", "P26"),
            ("awards", "P166"),
            ("father", "P22"),
            ("mother", "P25"),
        ),
    ),
    "painting": (
        "artwork",
        (
            ("artist", "P170"),
            ("year", "P571"),
            ("material", "P186"),
            ("museum", "P276"),
            ("movement", "P135"),
            ("height_metric", "P2048"),
            ("width_metric", "P2049"),
            ("accession", "P217"),
        ),
    ),
    "statue": (
        "artwork",
        (("artist", "P170"), ("year", "P571"), ("material", "P186"), ("city", "P131")),
    ),
    "book": (
        "book",
        (
            ("author", "P50"),
            ("publisher", "P123"),
            ("pub_date", "P577"),
            ("pages", "P1104"),
            ("set_in", "P840"),
        ),
    ),
    "music": (
        "musical composition",
        (("composer", "P86"), ("composed", "P571"), ("dedication", "P825"), ("duration", "P2047")),
    ),
    "film": (
        "film",
        (
            ("director", "P57"),
            ("starring", "P161"),
            ("music", "P86"),
            ("released", "P577"),
            ("runtime", "P2047"),
        ),
    ),
    "ship": (
        "ship",
        (
            ("builder", "P176"),
            ("launched", "P571"),
            ("in_service", "P729"),
            ("out_of_service", "P730"),
            ("homeport", "P504"),
            ("owner", "P127"),
            ("length", "P2043"),
            ("displacement", "P2067"),
        ),
    ),
    "locomotive": (
        "locomotive",
        (
            ("builder", "P176"),
            ("designer", "P287"),
            ("firstrundate", "P729"),
            ("retiredate", "P730"),
        ),
    ),
    "species": (
        "species",
        (
            ("binomial", "P225"),
            ("genus", "P171"),
            ("discoverer", "P61"),
            ("discovered", "P575"),
            ("type_locality", "P189"),
        ),
    ),
    "company": (
        "company",
        (("founder", "P112"), ("founded", "P571"), ("hq_location", "P159"), ("owner", "P127")),
    ),
    "club": (
        "football club",
        (("founded", "P571"), ("ground", "P115"), ("league", "P118"), ("founder", "P112")),
    ),
    "town": (
        "settlement",
        (
            ("subdivision_name", "P17"),
            ("subdivision_name1", "P131"),
            ("established_date", "P571"),
            ("population_total", "P1082"),
            ("elevation_m", "P2044"),
        ),
    ),
    "village": ("settlement", (("subdivision_name1", "P131"), ("population_total", "P1082"))),
    "city": (
        "settlement",
        (("subdivision_name", "P17"), ("established_date", "P571"), ("population_total", "P1082")),
    ),
    "region": (
        "settlement",
        (("subdivision_name", "P17"), ("seat", "P36"), ("area_total_km2", "P2046")),
    ),
    "district": (
        "settlement",
        (("subdivision_name", "P131"), ("seat", "P36"), ("area_total_km2", "P2046")),
    ),
    "country": (
        "country",
        (("capital", "P36"), ("official_languages", "P37"), ("area_km2", "P2046")),
    ),
    "river": (
        "river",
        (
            ("source1_location", "P885"),
            ("mouth", "P403"),
            ("length", "P2043"),
            ("tributaries", "P974"),
        ),
    ),
    "lake": (
        "body of water",
        (("location", "P131"), ("area", "P2046"), ("max-depth", "P4511"), ("elevation", "P2044")),
    ),
    "mountain": ("mountain", (("elevation_m", "P2044"), ("range", "P4552"), ("location", "P131"))),
    "island": ("islands", (("location", "P706"), ("area_km2", "P2046"))),
    "battle": (
        "military conflict",
        (
            ("date", "P585"),
            ("place", "P276"),
            ("partof", "P361"),
            ("commander1", "P710"),
            ("casualties1", "P1120"),
        ),
    ),
    "mineral": ("mineral", (("color", "P462"), ("locality", "P189"), ("discoverer", "P61"))),
    "sky": (
        "planet",
        (
            ("discoverer", "P61"),
            ("discovered", "P575"),
            ("named_after", "P138"),
            ("mean_diameter", "P2043"),
        ),
    ),
    "prize": ("award", (("named_after", "P138"), ("year", "P571"), ("country", "P17"))),
    "festival": ("festival", (("location", "P131"), ("founded", "P571"), ("founders", "P112"))),
}
for _kind in (
    "tower",
    "windmill",
    "dam",
    "station",
    "theatre",
    "library",
    "museum",
    "stadium",
    "observatory",
):
    BOXES[_kind] = (
        "building",
        (
            *STRUCTURE,
            ("seating_capacity", "P1083"),
            ("owner", "P127"),
            ("operator", "P137"),
            ("founder", "P112"),
        ),
    )


def infobox(part: Part, thing: Thing, picture: str, caption: str) -> str:
    """The wikitext of a thing's infobox template. The result is "" for kinds of things without a
    template. Sometimes the result is "" for other things too, as if an editor had left the infobox
    out."""
    rng = part.rng(f"infobox-{thing.id}")
    if thing.kind not in BOXES or rng.random() < 0.06:
        return ""
    name, parameters = BOXES[thing.kind]
    lines = ["{{Infobox " + name, f"| name = {thing.label}"]
    if picture:
        lines += [f"| image = {picture}", f"| caption = {caption}"]
    for parameter, prop in parameters:
        values = thing.values(prop)
        if values and rng.random() < 0.88:
            lines.append(f"| {parameter} = {_cell(part, values)}")
        elif rng.random() < 0.3:
            lines.append(f"| {parameter} = ")
    return "\n".join([*lines, "}}"])


def _cell(part: Part, values: list[Value]) -> str:
    texts = [_text(part, v) for v in values[:6]]
    if len(texts) == 1:
        return texts[0]
    return (
        "{{plainlist|\n* " + "\n* ".join(texts) + "\n}}" if len(texts) > 2 else "<br />".join(texts)
    )


def _text(part: Part, value: Value) -> str:
    if value.kind == "entity":
        thing = part.find(value.entity)
        if thing is not None and thing.article:
            return (
                f"[[{thing.title}]]"
                if thing.title == thing.label
                else f"[[{thing.title}|{thing.label}]]"
            )
    many = value.kind == "quantity" and value.unit and value.number != 1
    return value_text(value, part.label(value.entity) if value.kind == "entity" else "") + (
        "s" if many else ""
    )
