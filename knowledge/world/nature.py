"""The living things, minerals, asteroids, comets and mathematics of a region."""

import random

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import Mark, monolingual, quantity, string, value_of, year
from questloom.knowledge.world.part import Part, heavy
from questloom.knowledge.world.people import workers
from questloom.knowledge.world.structures import maker_and_year
from questloom.knowledge.world.ties import tied_person

GROUPS = vocabulary.groups()
COMMON = {
    "bird": ("warbler", "plover", "finch", "tern", "wagtail", "owl"),
    "fish": ("char", "goby", "bream", "wrasse"),
    "Lepidoptera": ("fritillary", "blue", "hawk moth", "copper"),
    "flowering plant": ("gentian", "sea lavender", "saxifrage", "orchid"),
}
DISCOVERERS = {
    "bird": ("ornithologist", "naturalist"),
    "fish": ("naturalist",),
    "Lepidoptera": ("naturalist", "botanist"),
    "flowering plant": ("botanist", "naturalist"),
}


def make_nature(part: Part) -> None:
    """Makes genera and species, minerals, asteroids and comets, theorems and conjectures."""
    for i in range(part.count(16)):
        _genus(part, part.rng(f"genus-{i}"))
    for i in range(part.count(68)):
        _species(part, part.rng(f"species-{i}"))
    for i in range(part.count(12)):
        _mineral(part, part.rng(f"mineral-{i}"))
    for i in range(part.count(16)):
        _sky(part, part.rng(f"sky-{i}"))
    for i in range(part.count(14)):
        _theorem(part, part.rng(f"theorem-{i}"))


def _genus(part: Part, rng: random.Random) -> None:
    family = rng.choice(part.nation.kind("taxon_family"))
    genus = part.new(
        "genus",
        part.names.stem() + rng.choice(("ella", "ornis", "ia", "opsis")),
        "taxon",
        fame=rng.lognormvariate(0.4, 0.8),
    )
    genus.say("P225", string(genus.label))
    genus.say("P105", GROUPS["rank"]["genus"])
    genus.say("P171", family)
    genus.look["group"] = family.look["group"]


def _species(part: Part, rng: random.Random) -> None:
    genus = heavy(rng, part.kind("genus"), 0.4)
    group = genus.look["group"]
    finder, at = maker_and_year(part, rng, DISCOVERERS[group], 1740, 1990)
    place = rng.choice(part.kind("mountain", "lake", "river", "island"))
    stem = part.names.stem()
    known = workers(part, "naturalist", "botanist", "ornithologist") or part.kind("person")
    honoured = tied_person(part, rng, "species", finder, at, ("P61", "P138"), known)
    assert honoured is not None
    after = honoured if rng.random() < 0.75 and honoured.start + 18 <= at else None
    common = (
        f"{after.surname}'s {rng.choice(COMMON[group])}"
        if after
        else f"{stem} {rng.choice(COMMON[group])}"
    )
    species = part.new(
        "species", common, "taxon", fame=rng.lognormvariate(0.9, 0.9), hint=genus.label
    )
    epithet = (after.surname if after else stem).lower().replace("'", "")
    species.say("P225", string(f"{genus.label} {epithet}{'i' if after else 'ensis'}"))
    species.aliases["en"] = [species.values("P225")[0].text]
    species.say("P105", GROUPS["rank"]["species"])
    species.say("P171", genus)
    if finder:
        species.say("P61", finder)
    species.say("P575", year(at))
    species.say("P189", place)
    if after:
        species.say("P138", after)
    if group != "flowering plant":
        species.say("P2043", quantity(rng.randint(3, 60), "centimetre"))
    if group == "bird":
        species.say("P2067", quantity(round(rng.uniform(0.01, 2.4), 2), "kilogram"))
    colours = rng.sample(list(GROUPS["colour"]), 3)
    for colour in colours[:2]:
        species.say("P462", GROUPS["colour"][colour])
    species.start = at
    species.look.update(
        group=group,
        colours=colours,
        crest=rng.random() < 0.4,
        stripes=rng.randint(0, 4),
        spots=rng.randint(0, 6),
        petals=rng.randint(4, 9),
        palette=rng.randrange(1 << 30),
        beak=rng.choice(("short", "long", "hooked")),
    )
    if rng.random() < 0.42:
        text = (
            f"No. {rng.randint(100, 990)}"
            if rng.random() < 0.6
            else str(min(2020, at + rng.randint(3, 60)))
        )
        species.marks.append(Mark(GROUPS["part"]["inscription"], "P1684", monolingual(text), text))


def _mineral(part: Part, rng: random.Random) -> None:
    finder, at = maker_and_year(part, rng, ("geologist", "naturalist"), 1760, 1990)
    where = rng.choice(part.kind("mountain"))
    mineral = part.new(
        "mineral", part.names.stem() + "ite", "mineral", fame=rng.lognormvariate(0.8, 0.8)
    )
    if finder:
        mineral.say("P61", finder)
    mineral.say("P575", year(at))
    mineral.say("P189", where)
    colour = rng.choice(list(GROUPS["colour"]))
    mineral.say("P462", GROUPS["colour"][colour])
    mineral.start = at
    mineral.look.update(colours=[colour], facets=rng.randint(4, 9), palette=rng.randrange(1 << 30))
    if rng.random() < 0.6:
        text = f"M {rng.randint(100, 999)}"
        mineral.marks.append(Mark(GROUPS["part"]["inscription"], "P1684", monolingual(text), text))


def _sky(part: Part, rng: random.Random) -> None:
    finder, at = maker_and_year(part, rng, ("astronomer",), 1780, 2010)
    comet = rng.random() < 0.3
    if comet:
        label = f"Comet {finder.surname if finder else part.names.stem()}"
        body = part.new("sky", label, "comet", fame=rng.lognormvariate(0.8, 0.8), hint=str(at))
    else:
        label = f"{rng.randint(2000, 90000) * 100 + part.number % 100} {part.names.stem()}"
        body = part.new("sky", label, "asteroid", fame=rng.lognormvariate(0.4, 0.8))
        body.say("P2043", quantity(round(rng.uniform(0.6, 80), 1), "kilometre"))
        eponyms = [p for p in part.kind("person") if p.fame > 3 and p.start + 40 < at]
        if eponyms and rng.random() < 0.6:
            body.say("P138", heavy(rng, eponyms))
    if finder:
        body.say("P61", finder)
    body.say("P575", year(at))
    domes = [o for o in part.kind("observatory") if o.start <= at]
    if domes:
        body.say("P65", rng.choice(domes))
    body.start = at


def _theorem(part: Part, rng: random.Random) -> None:
    author, at = maker_and_year(part, rng, ("mathematician",), 1690, 2010)
    name = author.surname if author else part.names.stem()
    subject = rng.choice(
        (
            "covering",
            "four-circle",
            "partition",
            "residue",
            "braid",
            "tiling",
            "divisor",
            "lattice",
            "envelope",
        )
    )
    cls = rng.choice(("theorem", "theorem", "conjecture"))
    theorem = part.new(
        "theorem", f"{name}'s {subject} {cls}", cls, fame=rng.lognormvariate(1, 0.9), hint=str(at)
    )
    theorem.start = at
    if author:
        theorem.say("P61", author)
        theorem.say("P138", author)
    theorem.say("P575", year(at))
    others = [p for p in workers(part, "mathematician") if p is not author and p.start + 22 > at]
    if others:
        theorem.told["second_proof"] = value_of(heavy(rng, others))
