"""The companies, clubs, orchestras, ships, locomotives and organs of a region."""

import random
from typing import Any

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import (
    SNAPSHOT_YEAR,
    Mark,
    Thing,
    day,
    monolingual,
    qualifier,
    quantity,
    value_of,
    year,
)
from questloom.knowledge.world.part import Part, heavy, some_day
from questloom.knowledge.world.people import workers
from questloom.knowledge.world.structures import maker_and_year
from questloom.knowledge.world.ties import tied_town

GROUPS = vocabulary.groups()
TRADES = (
    ("business", "{} Instrument Works"),
    ("business", "{} & Sons"),
    ("brewery", "{} Brewery"),
    ("business", "{} Ropeworks"),
    ("business", "{} Organ Works"),
    ("business", "{} Locomotive Works"),
    ("business", "{} Glass"),
)
SHIP_NAMES = (
    "Kittiwake",
    "Morning Star",
    "Perseverance",
    "Grey Lady",
    "Halcyon",
    "Storm Petrel",
    "Good Intent",
    "Northern Lass",
    "Providence",
    "Sea Holly",
    "Albatross",
    "Windhover",
    "Concordia",
    "Ariel",
    "Swift",
    "Merlin",
    "Aurora",
    "Fulmar",
)


def make_industry(part: Part) -> None:
    """Makes the companies first, because they build ships, organs and locomotives."""
    for i in range(part.count(12)):
        _company(part, part.rng(f"shipyard-{i}"), "shipyard", "{} Yard")
    for i in range(part.count(26)):
        _company(part, part.rng(f"company-{i}"), *part.rng(f"trade-{i}").choice(TRADES))
    last: dict[str, Any] | None = None
    for i in range(part.count(46)):
        last = _ship(part, part.rng(f"ship-{i}"), last)
    for i in range(part.count(14)):
        _locomotive(part, part.rng(f"locomotive-{i}"))
    for i in range(part.count(14)):
        _organ(part, part.rng(f"organ-{i}"))
    for i in range(max(2, part.count(24))):
        _club(part, part.rng(f"club-{i}"))
    for i in range(part.count(4)):
        _orchestra(part, part.rng(f"orchestra-{i}"))
    _players(part)


def _company(part: Part, rng: random.Random, cls: str, pattern: str) -> None:
    founder, at = maker_and_year(part, rng, ("entrepreneur",), 1690, 1990)
    name = pattern.format(founder.surname if founder and rng.random() < 0.6 else part.names.stem())
    town = tied_town(part, rng, "company", founder, at, ("P112", "P159"))
    company = part.new("company", name, cls, fame=rng.lognormvariate(1.1, 0.9), hint=town.label)
    company.start = at
    company.say("P17", part.nation.region)
    company.say("P159", town)
    company.say("P571", year(at))
    if founder:
        company.say("P112", founder)
        if founder.surname in name:
            company.say("P138", founder)
    owners = [f for f in part.kind("family") if f.start < at]
    if owners and rng.random() < 0.4:
        company.say("P127", rng.choice(owners))
    company.look["makes"] = "ships" if cls == "shipyard" else name.split()[-2].lower()


def _yards(part: Part, at: int, word: str) -> list[Thing]:
    return [c for c in part.kind("company") if word in c.label and c.start <= at] or [
        c for c in part.kind("company") if word in c.label
    ]


def _ship(part: Part, rng: random.Random, last: dict[str, Any] | None) -> dict[str, Any]:
    yards = part.kind("company")
    yards = [c for c in yards if c.label.endswith("Yard")]
    yard = heavy(rng, yards, 0.5)
    at = rng.randint(max(yard.start, 1700), max(yard.start + 1, 1995))
    fresh: dict[str, Any] = {
        "yard": (yard, at),
        "port": heavy(rng, part.kind("town"), 0.6),
        "cls": rng.choice(["schooner", "bark", "clipper"])
        if at < 1880
        else rng.choice(["steamship", "lifeboat", "steamship", "schooner"]),
        "owner": rng.choice(part.kind("company")),
        "colour": rng.choice(list(GROUPS["colour"])),
        "length": rng.randint(9, 120),
    }
    if last is not None and rng.random() < 0.4:
        fresh = {
            **last,
            **{key: fresh[key] for key in rng.sample(["port", "owner", "colour", "length"], 2)},
        }
    yard, at = fresh["yard"]
    port, owner = fresh["port"], fresh["owner"]
    name = rng.choice(SHIP_NAMES)
    label = f"{name} of {port.label}" if rng.random() < 0.5 else f"{part.names.stem()} {name}"
    ship = part.new("ship", label, fresh["cls"], fame=rng.lognormvariate(1.1, 1), hint=str(at))
    ship.start = at
    ship.say("P17", part.nation.region)
    ship.say("P176", yard)
    ship.say("P571", year(at))
    ship.say("P504", port)
    launched = some_day(rng, at, min(at + 2, SNAPSHOT_YEAR - 1))
    ship.say("P729", day(launched))
    ship.say("P730", year(min(SNAPSHOT_YEAR - 1, launched.year + rng.randint(4, 55))))
    ship.say("P2043", quantity(fresh["length"], "metre"))
    ship.say("P2067", quantity(fresh["length"] * rng.randint(3, 30), "tonne"))
    ship.say("P462", GROUPS["colour"][fresh["colour"]])
    if owner.start <= at:
        ship.say("P127", owner)
    designers = [p for p in workers(part, "civil engineer", "sailor") if p.start + 25 <= at < p.end]
    if designers:
        ship.say("P287", heavy(rng, designers))
    captains = [
        p
        for p in workers(part, "sailor", "explorer", "military officer")
        if p.start + 26 <= at + 2 < p.end
    ]
    if captains:
        ship.told["captain"] = value_of(heavy(rng, captains))
    ship.look.update(
        colours=[fresh["colour"], rng.choice(("white", "red", "orange", "brown"))],
        masts=rng.randint(1, 4),
        funnels=rng.randint(1, 3),
        type=fresh["cls"],
        palette=rng.randrange(1 << 30),
        portholes=rng.randint(3, 9),
        stripe=rng.choice(("white", "red", "yellow", "black")),
    )
    if rng.random() < 0.62:
        text = f"{rng.choice('ABHKLNRVW')}{rng.choice('EFKNRT')} {rng.randint(11, 989)}"
        ship.marks.append(Mark(GROUPS["part"]["inscription"], "P1684", monolingual(text), text))
    if rng.random() < 0.4:
        colour = rng.choice(("red", "blue", "green", "yellow"))
        ship.look["flag"] = colour
        ship.marks.append(
            Mark(GROUPS["part"]["flag"], "P462", value_of(GROUPS["colour"][colour]), colour)
        )
    return fresh


def _locomotive(part: Part, rng: random.Random) -> None:
    makers = _yards(part, 1880, "Locomotive Works") or part.kind("company")
    maker = heavy(rng, makers)
    at = rng.randint(max(1848, maker.start), max(1849, maker.start + 1, 1950))
    engine = part.new(
        "locomotive",
        f"{part.names.stem()} (locomotive)",
        "steam locomotive",
        fame=rng.lognormvariate(0.7, 0.9),
    )
    engine.start = at
    engine.say("P17", part.nation.region)
    engine.say("P176", maker)
    engine.say("P729", year(at))
    engine.say("P730", year(min(SNAPSHOT_YEAR - 1, at + rng.randint(18, 60))))
    engine.say("P137", part.nation.kind("agency")[1])
    engine.say("P2067", quantity(rng.randint(14, 120), "tonne"))
    colour = rng.choice(list(GROUPS["colour"]))
    engine.say("P462", GROUPS["colour"][colour])
    designers = [p for p in workers(part, "civil engineer") if p.start + 25 <= at < p.end]
    if designers:
        engine.say("P287", heavy(rng, designers))
    engine.look.update(
        colours=[colour, "black"],
        wheels=rng.randint(2, 6),
        palette=rng.randrange(1 << 30),
        dome=rng.randint(1, 2),
    )
    text = str(rng.randint(102, 9899))
    engine.marks.append(Mark(GROUPS["part"]["inscription"], "P1684", monolingual(text), text))


def _organ(part: Part, rng: random.Random) -> None:
    church = rng.choice(part.kind("church"))
    makers = [c for c in _yards(part, 2000, "Organ Works") if c.start < 2000] or part.kind(
        "company"
    )
    maker = heavy(rng, makers)
    at = min(max(maker.start, church.start) + rng.randint(1, 90), SNAPSHOT_YEAR - 4)
    organ = part.new(
        "organ",
        f"Organ of {church.label}",
        "organ",
        fame=rng.lognormvariate(0.4, 0.8),
        hint=str(at),
    )
    organ.start = at
    organ.say("P17", part.nation.region)
    organ.say("P176", maker)
    organ.say("P276", church)
    organ.say("P571", year(at))
    organ.say("P2048", quantity(round(rng.uniform(3, 14), 1), "metre"))
    donors = [p for p in part.kind("person") if p.start + 25 < at < p.end and p.fame > 0.3]
    if donors:
        organ.say("P88", rng.choice(donors))
    organ.look.update(
        pipes=rng.randint(5, 13), towers=rng.choice((3, 5)), palette=rng.randrange(1 << 30)
    )
    if rng.random() < 0.6:
        text = rng.choice((str(min(2020, at + rng.randint(5, 60))), f"Op. {rng.randint(12, 240)}"))
        organ.marks.append(
            Mark(GROUPS["part"]["commemorative plaque"], "P1684", monolingual(text), text)
        )


def _club(part: Part, rng: random.Random) -> None:
    town = heavy(rng, part.kind("town"), 0.3)
    name = f"{town.label} {rng.choice(('Rovers', 'United', 'Wanderers', 'Athletic', 'Harbour FC'))}"
    club = part.new(
        "club",
        name,
        "association football club",
        fame=rng.lognormvariate(1.6, 0.8),
        hint=part.names.stem(),
    )
    founder, at = maker_and_year(
        part, rng, ("entrepreneur", "politician", "journalist"), 1880, 1960
    )
    club.start = max(at, 1880)
    club.say("P17", part.nation.region)
    club.say("P159", town)
    club.say("P571", year(club.start))
    if founder and founder.end > club.start:
        club.say("P112", founder)
    club.say("P115", rng.choice(part.kind("stadium")))
    if club.start >= 1921 or rng.random() < 0.8:
        club.say("P118", part.nation.kind("league")[0])
    for colour in rng.sample(["red", "blue", "green", "yellow", "white", "black"], 2):
        club.say("P462", GROUPS["colour"][colour])


def _orchestra(part: Part, rng: random.Random) -> None:
    founder, at = maker_and_year(part, rng, ("composer", "singer"), 1780, 1980)
    town = tied_town(part, rng, "orchestra", founder, at, ("P112", "P159"))
    orchestra = part.new(
        "orchestra",
        f"{town.label} Philharmonic",
        "orchestra",
        fame=rng.lognormvariate(1, 0.8),
        hint=str(at),
    )
    orchestra.start = at
    orchestra.say("P17", part.nation.region)
    orchestra.say("P159", town)
    orchestra.say("P571", year(at))
    if founder:
        orchestra.say("P112", founder)


def _players(part: Part) -> None:
    for player in workers(part, "association football player"):
        rng = part.rng(f"career-{player.id}")
        at = player.start + rng.randint(17, 21)
        for _ in range(rng.randint(1, 3)):
            clubs = [c for c in part.kind("club") if c.start < at]
            until = min(at + rng.randint(1, 7), SNAPSHOT_YEAR - 1)
            if clubs and until > at and until < player.end:
                player.say(
                    "P54",
                    rng.choice(clubs),
                    qualifier("P580", year(at)),
                    qualifier("P582", year(until)),
                )
            at = until
