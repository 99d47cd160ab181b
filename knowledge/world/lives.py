"""Adds employers, influences, patrons and graves to people's lives, after towns, buildings and companies exist."""

import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.part import Part, heavy
from questloom.knowledge.world.people import alive, workers
from questloom.knowledge.world.ties import TIED, free_of, kin, towns_of

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
"""Kinds of employers, with the occupations of their employees."""
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
EMPLOYED, SHAPED, ORDERED, BURIED = 0.95, 0.95, 0.9, 0.7


def make_lives(part: Part) -> None:
    """Adds employers, influences and graves of people, and patrons of buildings and statues."""
    people = sorted(part.kind("person"), key=lambda p: (p.start, p.id))
    pupils: dict[str, list[Thing]] = {}
    for person in people:
        fellows = pupils.setdefault(person.first("P1066"), [])
        if person.look.get("occupation"):
            _employer(part, person, fellows, part.rng(f"employer-{person.id}"))
            _influence(part, person, fellows, part.rng(f"influence-{person.id}"))
            fellows.append(person)
        _bury(part, person, part.rng(f"burial-{person.id}"))
    for thing in part.kind(*COMMISSIONED):
        _patron(part, thing, part.rng(f"patron-{thing.id}"))


def _employer(part: Part, person: Thing, fellows: list[Thing], rng: random.Random) -> None:
    """Gives one pupil of a teacher the teacher's own employer. If a teacher has no employer, the
    pupil often gets an employer in a town where the pupil or a relative was born."""
    kinds = [k for k, known in EMPLOYERS.items() if person.look["occupation"] in known]
    last = min(person.end - 2, person.start + 55)
    open_then = [t for t in part.kind(*kinds) if t.start <= last and t.first("P112") != person.id]
    if not open_then or rng.random() >= EMPLOYED:
        return
    near = {t.id for t in towns_of(part, person, person.end)}
    bound = [t for t in open_then if {t.first("P131"), t.first("P159")} & near]
    teacher = part.things.get(person.first("P1066"))
    if teacher is not None:
        theirs = [t for t in open_then if t.id == teacher.first("P108")]
        bound = free_of(fellows, teacher, "P1066", "P108", theirs) or bound
    person.say("P108", rng.choice(bound if bound and rng.random() < TIED else open_then))


def _influence(part: Part, person: Thing, fellows: list[Thing], rng: random.Random) -> None:
    """Adds an older person of the same occupation as an influence. The influence is often a fellow pupil, or a person
    who influenced the teacher."""
    if person.look["occupation"] not in INFLUENCED or rng.random() >= SHAPED:
        return
    elders = [
        p
        for p in workers(part, person.look["occupation"])
        if p.start + 6 <= person.start and p.id != person.first("P1066")
    ]
    teacher = part.things.get(person.first("P1066"))
    bound = []
    if teacher is not None:
        theirs = [p for p in elders if p.id == teacher.first("P737") or p in fellows]
        bound = free_of(fellows, teacher, "P1066", "P737", theirs)
    if elders:
        person.say("P737", heavy(rng, bound if bound and rng.random() < TIED else elders, 0.7))


def _patron(part: Part, thing: Thing, rng: random.Random) -> None:
    """Adds a wealthy patron to a thing. The patron is most often a relative of the thing's maker,
    or was born in the thing's town."""
    if rng.random() >= ORDERED:
        return
    rich = [p for p in workers(part, *PATRONS) if alive(p, thing.start)]
    maker = part.things.get(thing.first("P84") or thing.first("P631") or thing.first("P170"))
    bound = {p.id for p in kin(part, maker, thing.start)} if maker is not None else set()
    near = [p for p in rich if p.id in bound or p.first("P19") == thing.first("P131")]
    if maker is not None:
        relation = next(p for p in ("P84", "P631", "P170") if thing.first(p) == maker.id)
        near = free_of(part.kind(thing.kind), maker, relation, "P88", near)
    if rich:
        thing.say("P88", heavy(rng, near if near and rng.random() < TIED else rich, 0.7))


def _bury(part: Part, person: Thing, rng: random.Random) -> None:
    """Gives most dead people a grave in a church that existed when they died. A church in the town of death or birth is
    preferred."""
    churches = [c for c in part.kind("church") if c.start < person.end]
    if not person.values("P570") or not churches or person.fame <= 0.5 or rng.random() >= BURIED:
        return
    homes = {person.first("P20"), person.first("P19")}
    near = [c for c in churches if c.first("P131") in homes]
    person.say("P119", rng.choice(near or churches))
