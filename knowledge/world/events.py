"""The events of a region: battles, expeditions, festivals and their editions, elections, exhibitions, wrecks, floods."""

import random

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import (
    SNAPSHOT_YEAR,
    Mark,
    day,
    monolingual,
    qualifier,
    quantity,
    value_of,
    year,
)
from questloom.knowledge.world.part import Part, born, heavy, some_day
from questloom.knowledge.world.people import alive, workers
from questloom.knowledge.world.settlements import locate
from questloom.knowledge.world.structures import maker_and_year
from questloom.knowledge.world.ties import tied_town

ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th", "11th", "12th")


def make_events(part: Part) -> None:
    """Makes the events, and the recurring prizes and festivals."""
    for i in range(part.count(18)):
        _battle(part, part.rng(f"battle-{i}"))
    for i in range(part.count(14)):
        _expedition(part, part.rng(f"expedition-{i}"))
    for i in range(part.count(10)):
        _festival(part, part.rng(f"festival-{i}"))
    for i in range(part.count(22)):
        _tournament(part, part.rng(f"tournament-{i}"))
    for i in range(part.count(7)):
        _election(part, part.rng(f"election-{i}"))
    for i in range(part.count(12)):
        _exhibition(part, part.rng(f"exhibition-{i}"))
    for i in range(part.count(14)):
        _disaster(part, part.rng(f"disaster-{i}"))
    for i in range(part.count(8)):
        _prize(part, part.rng(f"prize-{i}"))


def _battle(part: Part, rng: random.Random) -> None:
    war = rng.choice(part.nation.kind("war"))
    place = rng.choice(part.kind("town", "village", "river", "castle"))
    battle = part.new(
        "battle",
        f"Battle of {place.label}",
        "battle",
        fame=rng.lognormvariate(1.6, 0.8),
        hint=str(war.start),
    )
    at = some_day(rng, war.start, war.end)
    battle.start = at.year
    locate(
        part,
        battle,
        place if place.kind in ("town", "village") else rng.choice(part.kind("district")),
        "battle",
    )
    battle.say("P361", war)
    battle.say("P585", day(at))
    battle.say("P276", place)
    officers = [
        p for p in workers(part, "military officer", "sailor") if p.start + 20 <= at.year < p.end
    ]
    for officer in rng.sample(officers, min(2, len(officers))):
        battle.say("P710", officer)
        officer.say("P607", war)
    battle.say("P1120", quantity(rng.randint(12, 4_000)))


def _expedition(part: Part, rng: random.Random) -> None:
    leader, at = maker_and_year(
        part, rng, ("explorer", "sailor", "naturalist", "geologist"), 1740, 1960
    )
    name = f"{leader.surname if leader else part.names.stem()} expedition"
    expedition = part.new(
        "expedition",
        f"{ORDINALS[rng.randrange(3)]} {name}",
        "expedition",
        fame=rng.lognormvariate(1.2, 0.8),
        hint=str(at),
    )
    expedition.start = at
    if leader:
        expedition.say("P710", leader)
    company = [
        p
        for p in workers(part, "botanist", "ornithologist", "naturalist", "painter", "geologist")
        if alive(p, at) and p is not leader
    ]
    for member in rng.sample(company, min(2, len(company))):
        expedition.say("P710", member)
    expedition.say("P585", year(at))
    expedition.say("P1427", heavy(rng, part.kind("town")))
    expedition.say("P1444", rng.choice(part.kind("mountain", "island", "lake")))
    ships = [s for s in part.kind("ship") if s.start <= at <= s.start + 6]
    if ships:
        expedition.told["ship"] = value_of(rng.choice(ships))


def _festival(part: Part, rng: random.Random) -> None:
    cls, name = rng.choice(
        (
            ("music festival", "Music Days"),
            ("film festival", "Film Week"),
            ("festival", "Herring Fair"),
            ("festival", "Lantern Night"),
        )
    )
    founder, at = maker_and_year(
        part, rng, ("composer", "singer", "entrepreneur", "politician", "actor"), 1850, 2010
    )
    town = tied_town(part, rng, "festival", founder, at, ("P112", "P131"))
    festival = part.new(
        "festival", f"{town.label} {name}", cls, fame=rng.lognormvariate(1.2, 0.8), hint=str(at)
    )
    festival.start = at
    locate(part, festival, town, "festival")
    festival.say("P571", year(at))
    if founder:
        festival.say("P112", founder)


def _tournament(part: Part, rng: random.Random) -> None:
    at = rng.randint(1924, SNAPSHOT_YEAR - 2)
    cup = f"{part.region.label} Cup"
    edition = part.new(
        "tournament",
        f"{at} {cup}",
        "tournament",
        fame=rng.lognormvariate(0.6, 0.8),
        hint=part.names.stem(),
    )
    edition.start = at
    edition.say("P17", part.nation.region)
    edition.say("P585", year(at))
    clubs = [c for c in part.kind("club") if c.start < at] or part.kind("club")
    winner = rng.choice(clubs)
    edition.say("P1346", winner)
    for club in rng.sample(clubs, min(3, len(clubs))):
        edition.say("P710", club)
    edition.say("P710", winner)
    edition.say("P276", rng.choice(part.kind("stadium")))


def _election(part: Part, rng: random.Random) -> None:
    at = rng.randint(1905, SNAPSHOT_YEAR - 3)
    election = part.new(
        "election",
        f"{at} {part.region.label} election",
        "election",
        fame=rng.lognormvariate(0.8, 0.6),
        hint=part.names.stem(),
    )
    election.start = at
    election.say("P17", part.nation.region)
    election.say("P131", part.region)
    election.say("P585", day(some_day(rng, at, at)))
    running = [
        p for p in workers(part, "politician") if p.start + 30 <= at < min(p.end, p.start + 75)
    ]
    for candidate in rng.sample(running, min(3, len(running))):
        election.say("P710", candidate)
    if running:
        election.say("P1346", rng.choice([v.entity for v in election.values("P710")]))


def _exhibition(part: Part, rng: random.Random) -> None:
    museums = [m for m in part.kind("museum") if m.start < 2015]
    museum = heavy(rng, museums or part.nation.kind("national_museum"))
    at = rng.randint(max(museum.start, 1850), SNAPSHOT_YEAR - 1)
    painters = [p for p in workers(part, "painter", "sculptor") if p.start + 25 <= at]
    if not painters:
        return
    main = heavy(rng, painters)
    exhibition = part.new(
        "exhibition",
        f"{main.surname} and the {rng.choice(('Sea', 'City', 'Season', 'Line', 'Lamp'))}",
        "exhibition",
        fame=rng.lognormvariate(0.5, 0.7),
        hint=str(at),
    )
    exhibition.start = at
    exhibition.say("P17", part.nation.region)
    exhibition.say("P276", museum)
    exhibition.say("P585", year(at))
    exhibition.say("P921", main)
    for other in rng.sample(painters, min(2, len(painters))):
        exhibition.say("P710", other)


def _disaster(part: Part, rng: random.Random) -> None:
    if rng.random() < 0.5:
        ships = [
            s for s in part.kind("ship") if not any(st.property == "P793" for st in s.statements)
        ]
        if not ships:
            return
        ship = rng.choice(ships)
        at = born(ship.values("P730")[0])
        wreck = part.new(
            "wreck", f"Loss of the {ship.label}", "shipwreck", fame=rng.lognormvariate(1, 0.8)
        )
        wreck.say("P585", year(at))
        wreck.say("P710", ship)
        ship.say("P793", wreck)
        wreck.say("P276", rng.choice(part.kind("island") + part.nation.kind("sea")))
        wreck.say("P1120", quantity(rng.randint(0, 160)))
    else:
        river = rng.choice(part.kind("river"))
        at = rng.randint(1740, 2018)
        wreck = part.new(
            "flood", f"{at} {river.label} flood", "flood", fame=rng.lognormvariate(0.7, 0.8)
        )
        wreck.say("P585", day(some_day(rng, at, at)))
        wreck.say("P276", river)
        wreck.say("P1120", quantity(rng.randint(0, 300)))
        wreck.told["worst_hit"] = value_of(heavy(rng, part.kind("town")))
    wreck.say("P17", part.nation.region)
    wreck.start = at


def _prize(part: Part, rng: random.Random) -> None:
    dead = [
        p
        for p in workers(
            part, "architect", "painter", "writer", "composer", "naturalist", "mathematician"
        )
        if p.end < 2000
    ]
    if not dead:
        return
    eponym = heavy(rng, dead)
    at = rng.randint(eponym.end + 1, 2012)
    prize = part.new(
        "prize", f"{eponym.surname} Prize", "award", fame=rng.lognormvariate(1, 0.8), hint=str(at)
    )
    prize.start = at
    prize.say("P17", part.nation.region)
    prize.say("P138", eponym)
    prize.say("P571", year(at))
    companies = part.kind("company")
    prize.say("P1027", rng.choice(companies))
    for person in workers(part, str(eponym.look["occupation"])):
        if person.start + 30 <= at < person.end - 2 or (
            person.start + 30 > at and person.end > person.start + 45
        ):
            when = max(at, person.start + 30)
            if rng.random() < 0.35 and when < min(person.end, SNAPSHOT_YEAR):
                person.say("P166", prize, qualifier("P585", year(when)))
    text = rng.choice(("AURUM", "BENE FACTUM", "DIGNO", "MERITO", "ARTI ET FIDEI"))
    prize.look.update(
        palette=rng.randrange(1 << 30),
        ribbon=rng.choice(("red", "blue", "green", "white", "violet")),
    )
    prize.marks.append(
        Mark(vocabulary.groups()["part"]["inscription"], "P1684", monolingual(text), text)
    )
