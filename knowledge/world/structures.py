"""The buildings and engineering of a region: lighthouses, bridges, churches, towers, castles, mills, dams, stations and
more.

Nearly half of a region's structures are twins: a twin repeats all facts of another thing except one
or two. A description fits both twins unless it names a fact in which they differ.
"""

import random
from typing import Any

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.marks import add_marks
from questloom.knowledge.world.model import SNAPSHOT_YEAR, Thing, day, quantity, value_of, year
from questloom.knowledge.world.part import Part, heavy, some_day
from questloom.knowledge.world.people import alive, workers
from questloom.knowledge.world.settlements import locate
from questloom.knowledge.world.ties import tied_family, tied_town

TWIN_SHARE = 0.45
GROUPS = vocabulary.groups()
LIGHT_PATTERNS = ("{} Point Lighthouse", "{} Light", "{} Head Lighthouse", "{} Ness Lighthouse")
BRIDGE_PATTERNS = ("{} Bridge", "Bridge of {}", "{} Crossing")
CASTLE_PATTERNS = ("{} Castle", "Castle {}", "{} Keep")


def make_structures(part: Part) -> None:
    """Makes all built things. A thing is made after the things to which it refers."""
    makers = {
        "lighthouse": (_lighthouse, 48),
        "bridge": (_bridge, 62),
        "church": (_church, 46),
        "tower": (_tower, 16),
        "castle": (_castle, 14),
        "windmill": (_windmill, 14),
        "dam": (_dam, 7),
        "station": (_station, 18),
        "theatre": (_theatre, 10),
        "library": (_library, 8),
        "museum": (_museum, 14),
        "stadium": (_stadium, 7),
        "observatory": (_observatory, 4),
    }
    for kind, (make, per_thousand) in makers.items():
        last: dict[str, Any] | None = None
        for i in range(part.count(per_thousand)):
            rng = part.rng(f"{kind}-{i}")
            fresh = _plan(part, rng, kind)
            if last is not None and rng.random() < TWIN_SHARE:
                # The twin stands elsewhere: in one town, architect and town would describe both.
                changed = ["town", rng.choice(sorted(fresh))]
                fresh = {**last, **{key: fresh[key] for key in changed}}
            last = fresh
            thing = make(part, rng, fresh)
            thing.look["palette"] = rng.randrange(1 << 30)
            add_marks(part, thing)


def maker_and_year(
    part: Part,
    rng: random.Random,
    occupations: tuple[str, ...],
    first: int = 1660,
    last: int = 2012,
) -> tuple[Thing | None, int]:
    """A person with one of the given occupations, and a year in which the person could have
    worked."""
    able = [
        p for p in workers(part, *occupations) if p.start + 60 >= first and p.start + 26 <= last
    ]
    if not able:
        return None, rng.randint(first, last)
    person = heavy(rng, able, 0.7)
    low = max(first, person.start + 25)
    high = min(last, person.end - 1, person.start + 68, SNAPSHOT_YEAR - 2)
    return (person, rng.randint(low, high)) if low <= high else (None, rng.randint(first, last))


def designer_of(kind: str, maker: Thing | None) -> str:
    """The property that leads from a building to its designer, who is a structural engineer or an architect."""
    engineered = maker is not None and maker.look["occupation"] == "civil engineer"
    return "P631" if engineered and kind in ("bridge", "dam") else "P84"


def _plan(part: Part, rng: random.Random, kind: str) -> dict[str, Any]:
    """Random values for the attributes that are the same in two nearly equal buildings (twins)."""
    engineers = kind in ("bridge", "dam", "lighthouse")
    occupations = ("civil engineer", "architect") if engineers else ("architect",)
    first = {"station": 1855, "dam": 1840, "stadium": 1900, "castle": 1650, "lighthouse": 1772}.get(
        kind, 1660
    )
    maker, at = maker_and_year(part, rng, occupations, first)
    relation = designer_of(kind, maker)
    return {
        "making": (maker, at),
        "district": rng.choice(part.kind("district")),
        "town": tied_town(part, rng, kind, maker, at, (relation, "P131")),
        "material": rng.choice(list(GROUPS["stone"].values())),
        "colours": rng.sample(["white", "red", "black", "yellow", "blue", "green", "orange"], 2),
        "size": rng.randint(12, 60),
        "count": rng.randint(2, 7),
    }


def _built(
    part: Part, thing: Thing, plan: dict[str, Any], place: Thing, *, opened: bool = True
) -> None:
    """Adds the statements of every building: place, architect, years, material."""
    maker, at = plan["making"]
    rng = part.rng(f"built-{thing.id}")
    thing.start = at
    locate(part, thing, place, "building")
    if maker is not None:
        thing.say(designer_of(thing.kind, maker), maker)
    thing.say("P571", year(at))
    if opened:
        later = min(at + rng.randint(0, 3), SNAPSHOT_YEAR - 1)
        thing.say("P1619", day(some_day(rng, later, later)) if later > at else year(at))
    thing.say("P186", plan["material"])
    thing.look.update(
        size=plan["size"],
        count=plan["count"],
        colours=list(plan["colours"]),
        material=part.label(plan["material"]),
    )


def _paint(thing: Thing, *colours: str) -> None:
    for colour in dict.fromkeys(colours):
        thing.say("P462", GROUPS["colour"][colour])


def _stem(part: Part, rng: random.Random, pattern: tuple[str, ...]) -> str:
    return rng.choice(pattern).format(part.names.stem())


def _lighthouse(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    thing = part.new(
        "lighthouse",
        _stem(part, rng, LIGHT_PATTERNS),
        "lighthouse",
        fame=rng.lognormvariate(1.4, 1),
    )
    _built(part, thing, plan, plan["district"])
    _paint(thing, *plan["colours"])
    height = plan["size"]
    thing.say("P2048", quantity(height, "metre"))
    thing.say("P2923", quantity(height + rng.randint(4, 70), "metre"))
    thing.say("P2929", quantity(rng.randint(9, 28), "nautical mile"))
    thing.say("P137", part.nation.kind("agency")[0])
    thing.say("P206", rng.choice(part.nation.kind("sea")))
    if rng.random() < 0.3:
        # A building on an island lies in the island's district.
        near = [i for i in part.kind("island") if i.first("P131") == thing.first("P131")]
        if near:
            thing.say("P706", rng.choice(near))
    if rng.random() < 0.35:
        keeper = rng.choice(
            [p for p in part.kind("person") if p.woman == (rng.random() < 0.3)]
            or part.kind("person")
        )
        if (
            keeper.start + 20 <= SNAPSHOT_YEAR
            and keeper.end > thing.start + 1
            and keeper.end > keeper.start + 30 > thing.start
        ):
            thing.told["keeper"] = value_of(keeper)
    thing.told["stone_from"] = value_of(heavy(rng, part.kind("town", "village")))
    thing.look.update(
        pattern=rng.choice(("bands", "bands", "plain", "spiral", "halves")),
        bands=rng.randint(2, 5),
        roof=rng.choice(("dome", "cone", "flat")),
        base=rng.choice(("rock", "hill", "pier")),
        house=rng.random() < 0.6,
    )
    return thing


def _bridge(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    cls = rng.choice(
        ("arch bridge", "arch bridge", "arch bridge", "suspension bridge", "truss bridge")
    )
    if plan["making"][1] < 1810:
        cls = "arch bridge"
    honoured = [p for p in part.kind("person") if p.fame > 4 and p.start + 40 < plan["making"][1]]
    eponym = heavy(rng, honoured) if honoured and rng.random() < 0.3 else None
    label = f"{eponym.surname} Bridge" if eponym else _stem(part, rng, BRIDGE_PATTERNS)
    thing = part.new("bridge", label, cls, fame=rng.lognormvariate(1.4, 1), hint=plan["town"].label)
    town = plan["town"]
    if cls != "arch bridge":
        plan = {**plan, "material": rng.choice(list(GROUPS["metal"].values())[:2])}
    _built(part, thing, plan, town)
    river = part.find(town.look["river"]) if rng.random() < 0.7 else rng.choice(part.kind("river"))
    assert river is not None
    thing.say("P177", river)
    if eponym:
        thing.say("P138", eponym)
    length = plan["size"] * rng.randint(2, 8)
    thing.say("P2043", quantity(length, "metre"))
    thing.say("P2049", quantity(round(rng.uniform(3.5, 18), 1), "metre"))
    thing.say("P2787", quantity(max(6, length // plan["count"]), "metre"))
    thing.say("P137", part.nation.kind("agency")[2 if rng.random() < 0.7 else 1])
    if cls != "arch bridge":
        _paint(thing, plan["colours"][0])
    thing.told["replaced"] = year(max(1400, thing.start - rng.randint(20, 160)))
    thing.look.update(type=cls.split()[0], rail=rng.choice(("stone", "iron", "lamps")))
    return thing


def _church(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    town = plan["town"]
    saint = rng.choice(part.nation.kind("saint"))
    cls = rng.choice(
        ("church building", "church building", "church building", "chapel", "cathedral")
    )
    name = {"chapel": "Chapel", "cathedral": "Cathedral"}.get(cls, "Church")
    label = f"{saint.label.replace('Saint', 'St')}'s {name}, {town.label}"
    while label in part.titles:
        town, saint = (
            rng.choice(part.kind("town", "village")),
            rng.choice(part.nation.kind("saint")),
        )
        label = f"{saint.label.replace('Saint', 'St')}'s {name}, {town.label}"
        if len(part.kind("church")) > 300:
            label = f"{name} of {saint.label}, {part.names.stem()}"
    thing = part.new("church", label, cls, fame=rng.lognormvariate(1.1, 1))
    _built(part, thing, plan, town)
    thing.say("P825", saint)
    thing.say("P2048", quantity(plan["size"] + 6, "metre"))
    maker, at = plan["making"]
    if rng.random() < 0.9:
        thing.say("P88", tied_family(part, rng, "church", maker, at, ("P84", "P88")))
    thing.told["bell_from"] = value_of(heavy(rng, part.kind("town")))
    thing.look.update(
        spires=rng.randint(1, 2) if cls != "chapel" else 1,
        roof=rng.choice(("cone", "onion", "flat", "gable")),
        windows=rng.randint(2, 5),
    )
    return thing


def _tower(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    cls, name = rng.choice(
        (
            ("observation tower", "Tower"),
            ("clock tower", "Clock Tower"),
            ("water tower", "Water Tower"),
        )
    )
    thing = part.new("tower", f"{part.names.stem()} {name}", cls, fame=rng.lognormvariate(1.2, 1))
    _built(part, thing, plan, plan["town"])
    thing.say("P2048", quantity(plan["size"], "metre"))
    thing.say("P1101", quantity(plan["count"] + 2))
    _paint(thing, plan["colours"][0])
    thing.look.update(roof=rng.choice(("dome", "cone", "flat", "onion")), type=cls.split()[0])
    return thing


def _castle(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    thing = part.new(
        "castle", _stem(part, rng, CASTLE_PATTERNS), "castle", fame=rng.lognormvariate(2, 1)
    )
    _built(part, thing, plan, plan["district"], opened=False)
    owners = [f for f in part.kind("family") if f.start < thing.start]
    if owners:
        thing.say("P127", heavy(rng, owners))
    thing.say("P1101", quantity(rng.randint(2, 5)))
    thing.say("P2044", quantity(rng.randint(20, 700), "metre"))
    thing.told["siege"] = year(thing.start + rng.randint(1, 8))
    thing.look.update(
        towers=rng.randint(2, 5), roof=rng.choice(("cone", "flat", "flat")), hill=rng.random() < 0.7
    )
    return thing


def _windmill(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    thing = part.new(
        "windmill", f"{part.names.stem()} Mill", "windmill", fame=rng.lognormvariate(0.6, 0.8)
    )
    _built(part, thing, plan, rng.choice(part.kind("village", "town")), opened=False)
    thing.say("P1101", quantity(rng.randint(2, 6)))
    _paint(thing, plan["colours"][0])
    thing.told["miller"] = value_of(rng.choice(part.kind("family")))
    thing.look.update(sails=rng.choice((4, 4, 5, 6)), roof=rng.choice(("dome", "cone")))
    return thing


def _dam(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    thing = part.new("dam", f"{part.names.stem()} Dam", "dam", fame=rng.lognormvariate(1, 0.8))
    _built(part, thing, plan, plan["district"])
    thing.say("P177", rng.choice(part.kind("river")))
    thing.say("P2048", quantity(plan["size"] + 10, "metre"))
    thing.say("P2043", quantity(plan["size"] * 9, "metre"))
    return thing


def _station(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    town = plan["town"]
    thing = part.new(
        "station",
        f"{town.label} {rng.choice(('Central', 'North', 'Harbour', 'Riverside'))} railway station",
        "railway station",
        fame=rng.lognormvariate(0.8, 0.8),
        hint=part.names.stem(),
    )
    _built(part, thing, plan, town)
    thing.say("P137", part.nation.kind("agency")[1])
    thing.say("P1101", quantity(rng.randint(1, 3)))
    thing.look.update(
        roof=rng.choice(("gable", "dome", "flat")), windows=rng.randint(3, 7), clock=True
    )
    return thing


def _theatre(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    thing = part.new(
        "theatre",
        f"{part.names.stem()} Theatre",
        "theatre building",
        fame=rng.lognormvariate(1.2, 0.8),
    )
    _built(part, thing, plan, plan["town"])
    thing.say("P1083", quantity(rng.randint(18, 160) * 10))
    thing.look.update(
        roof=rng.choice(("gable", "dome")), windows=rng.randint(3, 7), columns=rng.randint(4, 8)
    )
    return thing


def _library(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    thing = part.new(
        "library",
        f"{plan['town'].label} Library",
        "library",
        fame=rng.lognormvariate(0.8, 0.8),
        hint=part.names.stem(),
    )
    _built(part, thing, plan, plan["town"])
    founders = [
        p for p in workers(part, "entrepreneur", "writer", "politician") if alive(p, thing.start)
    ]
    if founders:
        thing.say("P112", rng.choice(founders))
    thing.say("P1101", quantity(rng.randint(2, 5)))
    thing.look.update(
        roof=rng.choice(("gable", "flat", "dome")),
        windows=rng.randint(3, 7),
        columns=rng.randint(0, 6),
    )
    return thing


def _museum(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    founders = [
        p
        for p in workers(part, "entrepreneur", "painter", "naturalist", "politician")
        if alive(p, plan["making"][1])
    ]
    cls = rng.choice(("art museum", "art museum", "maritime museum", "natural history museum"))
    founder = rng.choice(founders) if founders and rng.random() < 0.7 else None
    label = f"{founder.surname} Museum" if founder else f"{plan['town'].label} Museum"
    thing = part.new(
        "museum", label, cls, fame=rng.lognormvariate(1.5, 0.8), hint=plan["town"].label
    )
    _built(part, thing, plan, plan["town"])
    if founder:
        thing.say("P112", founder)
        thing.say("P138", founder)
    thing.look.update(
        roof=rng.choice(("gable", "flat", "dome")),
        windows=rng.randint(3, 7),
        columns=rng.randint(2, 8),
    )
    return thing


def _stadium(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    thing = part.new(
        "stadium", f"{part.names.stem()} Park Stadium", "stadium", fame=rng.lognormvariate(1, 0.8)
    )
    _built(part, thing, plan, plan["town"])
    thing.say("P1083", quantity(rng.randint(20, 480) * 100))
    _paint(thing, plan["colours"][0])
    return thing


def _observatory(part: Part, rng: random.Random, plan: dict[str, Any]) -> Thing:
    thing = part.new(
        "observatory",
        f"{part.names.stem()} Observatory",
        "observatory",
        fame=rng.lognormvariate(1.3, 0.8),
    )
    _built(part, thing, plan, plan["district"])
    near = [m for m in part.kind("mountain") if m.first("P131") == thing.first("P131")]
    if near:
        thing.say("P706", rng.choice(near))
    thing.say("P2044", quantity(rng.randint(200, 1900), "metre"))
    thing.look.update(roof="dome", windows=rng.randint(2, 4), columns=0)
    return thing
