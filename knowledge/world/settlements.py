"""The land of a region: districts, towns, villages, rivers, lakes, mountains, islands."""

from questloom.knowledge.world.model import (
    Thing,
    coordinate,
    monolingual,
    qualifier,
    quantity,
    value_of,
    year,
)
from questloom.knowledge.world.part import Part, heavy

RIVER_PATTERNS = ("River {}", "{} Water", "{} Brook", "River {}")
MOUNTAIN_PATTERNS = ("Mount {}", "{} Fell", "{} Peak", "{} Horn")
LAKE_PATTERNS = ("Lake {}", "{} Mere", "Lake {}")
ISLAND_PATTERNS = ("{} Island", "Isle of {}", "{} Holm")


def make_places(part: Part) -> None:
    """Makes the region itself and all its places."""
    country = part.nation.region
    rng = part.rng("places")
    region = part.new(
        "region",
        part.names.stem() + " Province" if part.number % 2 else part.names.stem() + "land",
        "province",
        fame=150,
    )
    region.start = rng.randint(1605, 1650)
    region.say("P17", country)
    region.say("P131", country)
    region.say("P571", year(region.start))
    region.say("P2046", quantity(rng.randint(2000, 9000), "square kilometre"))
    part.region = region
    districts = [_district(part, region) for _ in range(max(2, part.count(7)))]
    for one, two in zip(districts, districts[1:] + districts[:1], strict=True):
        if one is not two:
            one.say("P47", two)
            two.say("P47", one)
    mountains = [_mountain(part, districts) for _ in range(part.count(22))]
    top = max(mountains, key=lambda m: m.values("P2044")[0].number or 0)
    region.say("P610", top)
    lakes = [_lake(part, districts) for _ in range(part.count(11))]
    rivers: list[Thing] = []
    for _ in range(max(3, part.count(26))):
        rivers.append(_river(part, districts, mountains, lakes, rivers))
    _outflows(part, lakes, rivers)
    for _ in range(part.count(8)):
        _island(part, districts)
    towns = [_town(part, districts, rivers) for _ in range(max(4, part.count(42)))]
    region.say("P36", towns[0])
    for district in districts:
        inside = [t for t in towns if t.first("P131") == district.id]
        if inside:
            district.say("P36", inside[0])
    for _ in range(part.count(24)):
        _village(part, districts, rivers, towns)
    _flow_through(part, rivers)


def _district(part: Part, region: Thing) -> Thing:
    rng = part.rng(f"district-{len(part.kind('district'))}")
    district = part.new("district", f"{part.names.stem()} District", "district", fame=40)
    district.say("P17", part.nation.region)
    district.say("P131", region)
    district.say("P2046", quantity(rng.randint(180, 1400), "square kilometre"))
    district.look["latitude"], district.look["longitude"] = (
        54 + rng.random() * 3,
        3 + rng.random() * 6,
    )
    return district


def locate(part: Part, thing: Thing, district: Thing, stage: str) -> None:
    """Adds to a thing the statements about its country, district and coordinates."""
    rng = part.rng(f"locate-{stage}-{thing.id}")
    thing.say("P17", part.nation.region)
    thing.say("P131", district)
    home = part.find(district.first("P131")) if "latitude" not in district.look else district
    if home is not None and "latitude" in home.look:
        thing.say(
            "P625",
            coordinate(
                home.look["latitude"] + rng.uniform(-0.12, 0.12),
                home.look["longitude"] + rng.uniform(-0.2, 0.2),
            ),
        )


def _mountain(part: Part, districts: list[Thing]) -> Thing:
    made = part.kind("mountain")
    rng = part.rng(f"mountain-{len(made)}")
    mountain = part.new(
        "mountain",
        rng.choice(MOUNTAIN_PATTERNS).format(part.names.stem()),
        "mountain",
        fame=rng.lognormvariate(1, 1),
    )
    locate(part, mountain, rng.choice(districts), "mountain")
    mountain.say("P4552", rng.choice(part.nation.kind("range")))
    mountain.say("P2044", quantity(rng.randint(340, 2480), "metre"))
    mountain.look.update(
        peaks=rng.randint(1, 4), snow=rng.random() < 0.6, forest=rng.random() < 0.6
    )
    return mountain


def _lake(part: Part, districts: list[Thing]) -> Thing:
    rng = part.rng(f"lake-{len(part.kind('lake'))}")
    lake = part.new(
        "lake",
        rng.choice(LAKE_PATTERNS).format(part.names.stem()),
        "lake",
        fame=rng.lognormvariate(1, 1),
    )
    locate(part, lake, rng.choice(districts), "lake")
    lake.say("P2046", quantity(round(rng.uniform(0.4, 90), 1), "square kilometre"))
    lake.say("P4511", quantity(rng.randint(4, 160), "metre"))
    lake.say("P2044", quantity(rng.randint(20, 900), "metre"))
    lake.look.update(islands=rng.randint(0, 3), boats=rng.randint(0, 3), reeds=rng.random() < 0.5)
    return lake


def _river(
    part: Part,
    districts: list[Thing],
    mountains: list[Thing],
    lakes: list[Thing],
    rivers: list[Thing],
) -> Thing:
    rng = part.rng(f"river-{len(rivers)}")
    river = part.new(
        "river",
        rng.choice(RIVER_PATTERNS).format(part.names.stem()),
        "river",
        fame=rng.lognormvariate(1.6, 1),
    )
    locate(part, river, rng.choice(districts), "river")
    source = rng.choice(mountains)
    river.say("P885", source)
    if rivers and rng.random() < 0.6:
        mouth = heavy(rng, rivers)
        mouth.say("P974", river)
        longest = max(12, int(mouth.values("P2043")[0].number or 40) - 5)
    else:
        mouth, longest = (
            (rng.choice(lakes) if rng.random() < 0.3 else rng.choice(part.nation.kind("sea"))),
            320,
        )
    river.say("P403", mouth)
    river.say("P2043", quantity(rng.randint(8, max(9, longest)), "kilometre"))
    if rng.random() < 0.3:
        lake = rng.choice(lakes)
        river.say("P469", lake)
    river.look.update(bends=rng.randint(1, 4), trees=rng.randint(0, 6))
    return river


def _outflows(part: Part, lakes: list[Thing], rivers: list[Thing]) -> None:
    """Adds to each lake the river that leaves it, and to each mountain a lake at its foot, if its
    district has a lake."""
    free = [r for r in rivers if not r.values("P469")]
    part.rng("outflows").shuffle(free)
    for lake in lakes:
        river = next((r for r in free if r.first("P403") != lake.id), None)
        if river is not None:
            free.remove(river)
            lake.say("P201", river)
            river.say("P469", lake)
    for mountain in part.kind("mountain"):
        near = [lake for lake in lakes if lake.first("P131") == mountain.first("P131")]
        if near:
            mountain.say("P206", part.rng(f"shore-{mountain.id}").choice(near))


def _island(part: Part, districts: list[Thing]) -> None:
    rng = part.rng(f"island-{len(part.kind('island'))}")
    island = part.new(
        "island",
        rng.choice(ISLAND_PATTERNS).format(part.names.stem()),
        "island",
        fame=rng.lognormvariate(1, 1),
    )
    locate(part, island, rng.choice(districts), "island")
    island.say("P706", rng.choice(part.nation.kind("sea")))
    island.say("P2046", quantity(round(rng.uniform(0.2, 60), 1), "square kilometre"))
    island.look.update(hills=rng.randint(1, 3), houses=rng.randint(0, 5), trees=rng.randint(0, 5))


def _flow_through(part: Part, rivers: list[Thing]) -> None:
    """A river belongs to the district of every place on its banks."""
    for place in (*part.kind("town"), *part.kind("village")):
        river = next(r for r in rivers if r.id == place.first("P206"))
        district = part.find(place.first("P131"))
        if district is not None and district.id not in {v.entity for v in river.values("P131")}:
            river.say("P131", district)


def _people_counted(part: Part, place: Thing, low: int, high: int) -> None:
    """Adds the populations from two censuses; the newer number is preferred."""
    rng = part.rng(f"population-{place.id}")
    now = rng.randint(low, high)
    place.say("P1082", quantity(round(now * rng.uniform(0.6, 1.2))), qualifier("P585", year(1981)))
    place.say("P1082", quantity(now), qualifier("P585", year(2021)), rank="preferred")


def _town(part: Part, districts: list[Thing], rivers: list[Thing]) -> Thing:
    made = part.kind("town")
    rng = part.rng(f"town-{len(made)}")
    town = part.new(
        "town", part.names.stem(), "town", fame=60 / (1 + len(made)) + rng.lognormvariate(1.5, 1)
    )
    locate(part, town, districts[len(made) % len(districts)], "town")
    town.start = rng.randint(1190, 1640)
    town.say("P571", year(town.start))
    _people_counted(part, town, 2_400, 60_000)
    town.say("P2044", quantity(rng.randint(1, 420), "metre"))
    river = rng.choice(rivers)
    town.look.update(
        river=river.id,
        houses=rng.randint(4, 9),
        spire=rng.random() < 0.7,
        wall=rng.choice("cwrybg"),
    )
    town.say("P206", river)
    if rng.random() < 0.3:
        town.say("P1448", monolingual(f"Free Town of {town.label}"))
    return town


def _village(part: Part, districts: list[Thing], rivers: list[Thing], towns: list[Thing]) -> None:
    rng = part.rng(f"village-{len(part.kind('village'))}")
    village = part.new("village", part.names.stem(), "village", fame=rng.lognormvariate(0.3, 0.8))
    locate(part, village, rng.choice(districts), "village")
    _people_counted(part, village, 40, 1_900)
    village.say("P206", rng.choice(rivers))
    village.told["market"] = value_of(heavy(rng, towns))
    village.look.update(
        houses=rng.randint(2, 5), spire=rng.random() < 0.4, wall=rng.choice("cwrybg")
    )
