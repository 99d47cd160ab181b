"""The last pass over a part of the world: it adds descriptions, aliases, ranks, and unknown and
outdated values, and chooses which things get articles."""

import random
from dataclasses import replace

from questloom.knowledge.world.model import Statement, Thing, year
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.prose import group_noun

UNKNOWN_SHARE = 0.012
"""The share of statements whose value is "somevalue" in the dump."""
OUTDATED_SHARE = 0.05
"""The share of things with a deprecated statement that contradicts the true statement."""
HEBREW = dict(zip("abcdefghijklmnoprstuvwyz", "אבכדהפגחיגקלמנופרסתוווין", strict=False))
GERMAN = {
    "lighthouse": "Leuchtturm",
    "bridge": "Brücke",
    "church": "Kirche",
    "castle": "Burg",
    "museum": "Museum",
    "station": "Bahnhof",
    "theatre": "Theater",
    "library": "Bibliothek",
    "dam": "Talsperre",
    "windmill": "Windmühle",
    "observatory": "Sternwarte",
}
FRENCH = {
    "River {}": "{} (rivière)",
    "Lake {}": "lac {}",
    "Mount {}": "mont {}",
    "{} Island": "île de {}",
    "Isle of {}": "île de {}",
}


def polish(part: Part) -> None:
    """Completes every thing of a part: names, description, ranks of statements, article."""
    for thing in part.things.values():
        rng = part.rng(f"polish-{thing.id}")
        thing.description = describe(part, thing)
        _second_names(thing, rng)
        _ranks(thing, rng)
    _choose_articles(part)


def describe(part: Part, thing: Thing) -> str:
    """A short description in Wikidata's style ("lighthouse in Vessmark")."""
    noun = part.label(thing.classes[0])
    country = part.nation.region.label

    def of(prop: str) -> str:
        found = thing.first(prop)
        return part.label(found) if found else ""

    match thing.kind:
        case "person":
            span = (
                f" ({thing.start}–{thing.end})"
                if thing.values("P570")
                else f" (born {thing.start})"
            )
            return f"{thing.look.get('occupation', 'person')} from {country}{span}"
        case "saint":
            return f"saint venerated in {country}"
        case "country":
            return "sovereign state in northern Ostern"
        case "painting" | "statue":
            return f"{noun} by {of('P170')}" if of("P170") else noun
        case "book" | "biography":
            return f"{noun} by {of('P50')}" if of("P50") else noun
        case "music":
            return f"{noun} by {of('P86')}" if of("P86") else noun
        case "film":
            return f"{thing.start} film" + (f" by {of('P57')}" if of("P57") else "")
        case "species":
            return f"species of {group_noun(thing)}"
        case "genus":
            return f"genus of {group_noun(thing)}"
        case "ship":
            return f"{noun} built in {thing.start}"
        case "family":
            return f"family from {country}"
        case "theorem":
            return f"{noun} in mathematics"
    place = of("P131") or of("P159") or of("P276")
    return f"{noun} in {place}" if place else f"{noun} in {country}"


def _second_names(thing: Thing, rng: random.Random) -> None:
    """Adds aliases, labels in German or French, and sometimes a right-to-left alias."""
    alias = thing.aliases.setdefault("en", [])
    words = thing.label.split()
    if thing.kind == "person" and len(words) > 1:
        alias.append(f"{words[0][0]}. {words[-1]}")
        if len(words) > 2:
            alias.append(f"{words[0]} {words[-1]}")
    elif thing.kind == "lighthouse" and "Lighthouse" in thing.label:
        alias.append(thing.label.replace("Lighthouse", "Light"))
    elif thing.label.startswith("River "):
        alias.append(thing.label[6:])
    elif thing.label.startswith("St "):
        alias.append("Saint" + thing.label[2:])
    elif thing.kind in ("company", "club") and rng.random() < 0.4:
        alias.append(
            "".join(w[0] for w in words if w[0].isalpha()) + " Ltd" * (thing.kind == "company")
        )
    if rng.random() < 0.35:
        stem = (
            words[0]
            if words[0] not in ("The", "River", "Lake", "Mount", "Isle", "Bridge", "Castle")
            else words[-1]
        )
        if thing.kind in GERMAN:
            thing.labels["de"] = f"{GERMAN[thing.kind]} {stem}"
        elif any(
            thing.label.startswith(p.split("{")[0]) for p in FRENCH if not p.startswith("{")
        ) and thing.kind in (
            "river",
            "lake",
            "mountain",
            "island",
        ):
            pattern = next(
                p
                for p in FRENCH
                if not p.startswith("{") and thing.label.startswith(p.split("{")[0])
            )
            thing.labels["fr"] = FRENCH[pattern].format(words[-1])
        elif thing.kind in ("person", "town", "village"):
            thing.labels["fr"] = thing.label
    if rng.random() < 0.02:
        thing.aliases["he"] = ["".join(HEBREW.get(c, c) for c in thing.label.lower())]


def _ranks(thing: Thing, rng: random.Random) -> None:
    """Makes some values unknown in the dump, and gives some things a deprecated, contradicting value."""
    for statement in thing.statements:
        if (
            statement.property not in ("P31", "P17", "P225")
            and statement.value.kind in ("entity", "time")
            and rng.random() < UNKNOWN_SHARE
        ):
            statement.unknown_in_dump = True
    if rng.random() < OUTDATED_SHARE:
        for statement in list(thing.statements):
            wrong = statement.value
            if wrong.kind == "time" and wrong.year:
                wrong = year(wrong.year + rng.choice((-10, -1, 1, 2)))
            elif (
                wrong.kind == "quantity"
                and wrong.number
                and statement.property in ("P2048", "P2043", "P2044")
            ):
                wrong = replace(wrong, number=float(round(wrong.number * 1.1 + 1)))
            else:
                continue
            thing.statements.append(Statement(statement.property, wrong, rank="deprecated"))
            break


def _choose_articles(part: Part) -> None:
    """Gives an article to each of the best known things; the part's size is the number of articles.
    References from other things raise a thing's fame."""
    referred: dict[str, int] = {}
    for thing in part.things.values():
        for statement in thing.statements:
            if statement.value.kind == "entity":
                referred[statement.value.entity] = referred.get(statement.value.entity, 0) + 1
    first = ("country", "city", "region", "district")
    ranked = sorted(
        part.things.values(),
        key=lambda t: (t.kind not in first, -t.fame * (1 + 0.4 * referred.get(t.id, 0)), t.id),
    )
    assert len(ranked) >= part.size, (len(ranked), part.size)
    for thing in ranked[: part.size]:
        thing.article = True
