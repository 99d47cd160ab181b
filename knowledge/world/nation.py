"""The nation: the country, its capital, and the institutions that every region refers to. Very many
things of the world refer to the nation's things."""

import random

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import (
    Thing,
    coordinate,
    day,
    monolingual,
    qualifier,
    quantity,
    string,
    year,
)
from questloom.knowledge.world.part import Part, some_day

MOVEMENTS = (
    "Coastal School",
    "Lantern Group",
    "New Plainness",
    "Tidal Realism",
    "Silver Line",
    "Orchard Circle",
)
WARS = (
    ("War of the Two Crowns", 1703, 1709),
    ("Salt War", 1788, 1791),
    ("Harbour War", 1846, 1849),
    ("Great Northern War", 1911, 1915),
)
PRIZES = (
    ("Prize for Architecture", "award", 1891),
    ("Medal for Natural History", "science award", 1822),
    ("Prize for Letters", "literary award", 1904),
    ("Medal for Painting", "award", 1856),
    ("Prize for Music", "award", 1931),
    ("Medal for Mathematics", "science award", 1878),
    ("Medal of the Lifeboat Society", "award", 1838),
    ("Press Prize", "award", 1949),
)
ORDERS = (
    ("Order of the White Heron", 1719),
    ("Order of the Anchor", 1801),
    ("Order of Saint Odran", 1660),
)
PARTIES = (("Agrarian Union", 1883), ("Liberal Assembly", 1871), ("Labour Front", 1899))
PUBLISHERS = (
    ("Larkspur Press", 1828),
    ("Quill & Compass", 1851),
    ("Nightjar Books", 1907),
    ("Meridian House", 1879),
)
RANGES = ("Hoarfells", "Sundering Hills", "Kestrel Range")
UNIVERSITIES = (
    ("university", "University of {}", 1583),
    ("university", "Royal University of {}", 1664),
    ("university", "Polytechnic of {}", 1792),
    ("art academy", "Academy of Fine Arts of {}", 1718),
    ("university", "Technical University of {}", 1835),
)
MUSEUMS = (
    ("art museum", "National Gallery of {}", 1824),
    ("maritime museum", "Maritime Museum of {}", 1866),
    ("art museum", "Municipal Museum of {}", 1889),
    ("natural history museum", "Museum of Natural History of {}", 1847),
)
TAXON_FAMILIES = (
    ("Littoridae", "bird"),
    ("Petrocolidae", "bird"),
    ("Pontichthyidae", "fish"),
    ("Lunariidae", "Lepidoptera"),
    ("Marinellaceae", "flowering plant"),
)
AGENCIES = (
    ("Northern Lights Board", 1771, "lighthouses"),
    ("State Railways", 1854, "railways"),
    ("Board of Bridges and Roads", 1798, "bridges and roads"),
)
SAINTS = (
    ("Saint Odran", "male"),
    ("Saint Merewen", "female"),
    ("Saint Ostrava", "female"),
    ("Saint Blaith", "female"),
    ("Saint Corvo", "male"),
    ("Saint Ysolde", "female"),
    ("Saint Perran", "male"),
    ("Saint Wendel", "male"),
)
STYLES = (
    ("Harbour Baroque", 1655),
    ("Plain Style", 1720),
    ("Northern Neoclassicism", 1775),
    ("Salt Gothic", 1835),
    ("Lantern Modern", 1905),
    ("Concrete Austerity", 1950),
)
DESIGNATIONS = ("Protected Monument", "Monument of Provincial Interest")
POSITIONS = (
    "Speaker of the Assembly",
    "Minister of Public Works",
    "Minister of Education",
    "Minister of the Sea",
)


def make_nation(part: Part) -> None:
    """Fills the nation's part of the world with things. The nation has few articles, but the number
    of links to them grows with the world."""
    rng = part.rng("nation")
    country = part.new("country", part.names.stem() + "ia", "sovereign state", fame=1000)
    country.start = 1604
    country.say("P571", year(1604))
    part.region = country
    cities = _land(part, rng)
    _institutions(part, rng, cities)
    for i, name in enumerate(MOVEMENTS):
        _founded(part, "movement", name, "art movement", 1690 + 50 * i, fame=45 - 5 * i)
    for name, first, last in WARS:
        war = part.new("war", name, "war", fame=80)
        war.start, war.end = first, last
        war.say("P17", country)
        war.say("P580", year(first))
        war.say("P582", year(last))
    _honours(part, rng)
    _founded(part, "league", f"{country.label} League", "sports league", 1921, fame=60)
    for name in POSITIONS:
        part.new("position", name, "position", fame=20).say("P17", country)
    for name, begun in STYLES:
        _founded(part, "style", name, "architectural style", begun, fame=25)
    for name in DESIGNATIONS:
        part.new("designation", name, "heritage designation", fame=15).say("P17", country)
    for name, sex in SAINTS:
        saint = part.new("saint", name, "human", fame=20)
        saint.say("P21", vocabulary.groups()["sex"][sex])
        saint.look["saint"] = True
    for name, group in TAXON_FAMILIES:
        family = part.new("taxon_family", name, "taxon", fame=8)
        family.say("P225", string(name))
        family.say("P105", vocabulary.groups()["rank"]["family"])
        family.say("P171", vocabulary.groups()["taxon"][group])
        family.look["group"] = group


def _land(part: Part, rng: random.Random) -> list[Thing]:
    """Adds continent, language, seas, cities, size, people and mountains of the country; returns the cities, capital
    first."""
    country = part.region
    country.say("P30", part.new("continent", "Great Ostern", "geographical feature", fame=300))
    country.say("P37", part.new("language", part.names.stem() + "ish", "language", fame=200))
    for sea in [part.new("sea", name, "sea", fame=150) for name in ("Grey Sea", "Sound of Marrow")]:
        sea.say("P17", country)
        sea.say("P4511", quantity(rng.randint(90, 900), "metre"))
        sea.say("P2046", quantity(rng.randint(20, 400) * 1000, "square kilometre"))
    cities = [_city(part, country, i) for i in range(4)]
    country.say("P36", cities[0])
    country.say("P2046", quantity(rng.randint(60, 240) * 1000, "square kilometre"))
    for number, rank in (
        (rng.randint(4_000_000, 6_000_000), "normal"),
        (rng.randint(6_100_000, 7_900_000), "preferred"),
    ):
        country.say(
            "P1082",
            quantity(number),
            qualifier("P585", year(1990 if rank == "normal" else 2021)),
            rank=rank,
        )
    for name in RANGES:
        hills = part.new("range", name, "mountain range", fame=60)
        hills.say("P17", country)
        hills.say("P2043", quantity(rng.randint(60, 400), "kilometre"))
    return cities


def _institutions(part: Part, rng: random.Random, cities: list[Thing]) -> None:
    """Adds institutions, each with its seat in a city; agencies and parties have their seat in the capital."""
    for i, (cls, pattern, founded) in enumerate(UNIVERSITIES):
        _seat(
            part,
            "university",
            pattern.format(cities[i % 4].label),
            cls,
            founded,
            cities[i % 4],
            fame=90 - 12 * i,
        )
    for i, (cls, pattern, founded) in enumerate(MUSEUMS):
        _seat(
            part,
            "national_museum",
            pattern.format(cities[i % 4].label),
            cls,
            founded,
            cities[i % 4],
            fame=70 - 10 * i,
        )
    for name, founded in PUBLISHERS:
        _seat(part, "publisher", name, "publishing house", founded, rng.choice(cities), fame=12)
    for name, founded, field in AGENCIES:
        agency = _seat(part, "agency", name, "government agency", founded, cities[0], fame=40)
        agency.look["field"] = field
    for name, founded in PARTIES:
        _seat(part, "party", name, "political party", founded, cities[0], fame=30)


def _honours(part: Part, rng: random.Random) -> None:
    """Adds prizes and orders."""
    for name, cls, founded in PRIZES:
        label = f"{part.region.label} {name}" if name.startswith(("Prize", "Medal for")) else name
        prize = _founded(part, "prize", label, cls, founded, fame=40)
        prize.look.update(
            palette=rng.randrange(1 << 30),
            ribbon=rng.choice(("red", "blue", "green", "white", "violet")),
        )
    for name, founded in ORDERS:
        order = part.new("order", name, "order", fame=50)
        order.start = founded
        order.say("P17", part.region)
        order.say("P571", day(some_day(rng, founded, founded)))


def _founded(part: Part, kind: str, name: str, cls: str, at: int, *, fame: float) -> Thing:
    """Makes a thing that lies in the country and was founded in a given year."""
    made = part.new(kind, name, cls, fame=fame)
    made.start = at
    made.say("P17", part.region)
    made.say("P571", year(at))
    return made


def _city(part: Part, country: Thing, index: int) -> Thing:
    rng = part.rng(f"city-{index}")
    city = part.new(
        "city",
        part.names.stem(),
        "capital city" if index == 0 else "city",
        fame=(600, 200, 130, 100)[index],
    )
    city.start = rng.randint(1180, 1480)
    city.say("P17", country)
    city.say("P571", year(city.start))
    for number, at, rank in (
        (rng.randint(80_000, 300_000), 1980, "normal"),
        (rng.randint(310_000, 900_000), 2021, "preferred"),
    ):
        city.say("P1082", quantity(number), qualifier("P585", year(at)), rank=rank)
    city.say("P625", coordinate(54 + rng.random() * 3, 3 + rng.random() * 6))
    city.say("P2044", quantity(rng.randint(2, 120), "metre"))
    city.say("P1448", monolingual(f"City of {city.label}"))
    return city


def _seat(
    part: Part, kind: str, name: str, cls: str, founded: int, city: Thing, *, fame: float
) -> Thing:
    """Makes an institution whose seat is one of the cities."""
    rng = part.rng(f"seat-{name}")
    seat = part.new(kind, name, cls, fame=fame)
    seat.start = founded
    seat.say("P17", part.region)
    seat.say("P131", city)
    seat.say("P571", year(founded))
    seat.say("P159", city)
    seat.look.update(
        roof=rng.choice(("gable", "dome", "flat")),
        windows=rng.randint(3, 7),
        columns=rng.randint(0, 8),
    )
    return seat
