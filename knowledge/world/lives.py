"""What fills lives once towns, buildings and firms are there: for whom people worked, who influenced them, what they had built, where they lie."""

import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.part import Part, heavy
from questloom.knowledge.world.people import alive, workers
from questloom.knowledge.world.ties import TIED, kin, towns_of

EMPLOYERS = {
    "company": (
        "architect",
        "civil engineer",
        "entrepreneur",
        "sailor",
        "explorer",
        "geologist",
        "physicist",
    ),
    "museum": ("painter", "sculptor", "naturalist", "botanist", "ornithologist", "geologist"),
    "theatre": ("composer", "singer", "actor", "architect", "film director"),
    "orchestra": ("composer", "singer"),
    "newspaper": ("writer", "poet", "journalist", "politician"),
    "library": ("writer", "poet", "mathematician", "politician"),
    "observatory": ("astronomer", "mathematician", "physicist"),
}
"""Kinds of employers, and the occupations of those who work there."""
INFLUENCED = (
    "architect",
    "painter",
    "sculptor",
    "composer",
    "writer",
    "poet",
    "naturalist",
    "botanist",
    "mathematician",
    "physicist",
    "astronomer",
    "actor",
    "singer",
)
PATRONS = ("entrepreneur", "politician", "military officer")
COMMISSIONED = ("castle", "theatre", "library", "tower", "museum", "bridge", "station", "statue")
EMPLOYED, SHAPED, ORDERED, BURIED = 0.8, 0.75, 0.6, 0.7


def make_lives(part: Part) -> None:
    """Employers, influences and graves of people; patrons of buildings and statues."""
    for person in part.kind("person"):
        if person.look.get("occupation"):
            _employer(part, person, part.rng(f"employer-{person.id}"))
            _influence(part, person, part.rng(f"influence-{person.id}"))
        _bury(part, person, part.rng(f"burial-{person.id}"))
    for thing in part.kind(*COMMISSIONED):
        _patron(part, thing, part.rng(f"patron-{thing.id}"))


def _employer(part: Part, person: Thing, rng: random.Random) -> None:
    kinds = [k for k, known in EMPLOYERS.items() if person.look["occupation"] in known]
    last = min(person.end - 2, person.start + 55)
    open_then = [t for t in part.kind(*kinds) if t.start <= last and t.first("P112") != person.id]
    if not open_then or rng.random() >= EMPLOYED:
        return
    near = {t.id for t in towns_of(part, person, person.end)}
    bound = [t for t in open_then if {t.first("P131"), t.first("P159")} & near]
    person.say("P108", rng.choice(bound if bound and rng.random() < TIED else open_then))


def _influence(part: Part, person: Thing, rng: random.Random) -> None:
    """An older one of the same occupation, most often of those who had the same teacher."""
    if person.look["occupation"] not in INFLUENCED or rng.random() >= SHAPED:
        return
    teacher = person.first("P1066")
    elders = [
        p
        for p in workers(part, person.look["occupation"])
        if p.start + 6 <= person.start and p.id != teacher
    ]
    fellows = [p for p in elders if teacher and p.first("P1066") == teacher]
    if elders:
        person.say("P737", heavy(rng, fellows if fellows and rng.random() < TIED else elders, 0.7))


def _patron(part: Part, thing: Thing, rng: random.Random) -> None:
    """Somebody of means, most often from the same town or bound to the maker."""
    if rng.random() >= ORDERED:
        return
    rich = [p for p in workers(part, *PATRONS) if alive(p, thing.start)]
    maker = part.things.get(thing.first("P84") or thing.first("P631") or thing.first("P170"))
    bound = {p.id for p in kin(part, maker, thing.start)} if maker is not None else set()
    near = [p for p in rich if p.id in bound or p.first("P19") == thing.first("P131")]
    if rich:
        thing.say("P88", heavy(rng, near if near and rng.random() < TIED else rich, 0.7))


def _bury(part: Part, person: Thing, rng: random.Random) -> None:
    """Most of the known dead lie in a church that stood when they died, where one did in the town of their death or birth."""
    churches = [c for c in part.kind("church") if c.start < person.end]
    if not person.values("P570") or not churches or person.fame <= 0.5 or rng.random() >= BURIED:
        return
    homes = {person.first("P20"), person.first("P19")}
    near = [c for c in churches if c.first("P131") in homes]
    person.say("P119", rng.choice(near or churches))
