"""The works of a region's people: paintings, sculptures, books, music, films, newspapers."""

import random
from typing import Any

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.marks import add_marks
from questloom.knowledge.world.model import (
    SNAPSHOT_YEAR,
    Mark,
    Thing,
    monolingual,
    quantity,
    string,
    year,
)
from questloom.knowledge.world.part import Part, heavy
from questloom.knowledge.world.people import workers
from questloom.knowledge.world.settlements import locate
from questloom.knowledge.world.structures import maker_and_year
from questloom.knowledge.world.ties import tied_family, tied_person, tied_town

GROUPS = vocabulary.groups()
TIMES = (
    "Evening",
    "Morning",
    "Winter",
    "High Tide",
    "Low Water",
    "Harvest",
    "First Snow",
    "Thaw",
    "Storm",
    "Market Day",
    "Midsummer",
    "Fog",
)
STILLS = (
    "Quinces",
    "Lemons and Blue Jug",
    "Herring",
    "Apples",
    "Two Books",
    "Marsh Marigolds",
    "a Brass Lamp",
    "Oysters",
    "Pewter",
    "Figs",
)
ROLES = (
    "the Ferryman",
    "the Lace-Maker",
    "the Pilot",
    "the Old Gardener",
    "the Glazier",
    "a Young Sailor",
    "the Schoolmistress",
    "the Net-Mender",
    "the Organist",
    "the Beekeeper",
)
BOOKS = (
    "The Salt Road",
    "A House with No Stairs",
    "Letters to the Tide",
    "The Cartographer's Daughter",
    "Eleven Winters",
    "The Quiet Ferry",
    "Ashes of the Orchard",
    "What the Heron Knew",
    "The Glass Parish",
    "An Inventory of Rain",
    "The Second Bell",
    "Under Grey Eaves",
    "The Lamplighter's Debt",
    "Small Kingdoms",
    "Bread for Strangers",
    "The Drowned Field",
    "A Grammar of Birds",
    "Night Post",
)
FILMS = (
    "The Wrong Umbrella",
    "The Clockmaker's Alibi",
    "A Lodger for the Winter",
    "Ladies Don't Whistle",
    "The Last Tram",
    "Three Weddings and a Goat",
    "No Ferry on Sunday",
    "The Deaf Witness",
    "Her Second Funeral",
    "A Thief in the Choir",
    "Nineteen Steps Down",
    "The Man Who Sold the Fog",
    "Cheap Violins",
    "The Honest Forger",
    "Goodnight, Inspector",
    "The Borrowed Uniform",
)
PLACED_FILMS = (
    "Last Train to {}",
    "The Bells of {}",
    "A Summer in {}",
    "Snow over {}",
    "Return to {}",
    "Nobody Leaves {}",
    "Midnight in {}",
    "The {} Affair",
)
MUSIC = (
    ("symphony", "Symphony No. {} in {}"),
    ("musical work", "String Quartet No. {} in {}"),
    ("musical work", "Sonata No. {} in {}"),
)
KEYS = ("C minor", "D major", "E flat major", "F minor", "G major", "A minor", "B flat major")
OPERAS = (
    "The Lighthouse Bride",
    "Ondrana",
    "The Mill at Midnight",
    "Seven Bridges",
    "The Pilot's Oath",
    "Queen of Salt",
)


def make_works(part: Part) -> None:
    """Makes all works of the people of a region. The maker of a work is a person of the region who
    could have made it in its year."""
    last: dict[str, Any] | None = None
    for i in range(part.count(110)):
        last = _painting(part, part.rng(f"painting-{i}"), last)
    for i in range(part.count(16)):
        _sculpture(part, part.rng(f"sculpture-{i}"))
    for i in range(part.count(52)):
        _book(part, part.rng(f"book-{i}"))
    for i in range(part.count(26)):
        _music(part, part.rng(f"music-{i}"))
    for i in range(part.count(26)):
        _film(part, part.rng(f"film-{i}"))
    for i in range(part.count(8)):
        _newspaper(part, part.rng(f"newspaper-{i}"))


def _painting(part: Part, rng: random.Random, last: dict[str, Any] | None) -> dict[str, Any]:
    museums = part.kind("museum") + part.nation.kind("national_museum")
    art = [m for m in museums if part.label(m.classes[0]) == "art museum"] or museums
    fresh: dict[str, Any] = {
        "making": maker_and_year(part, rng, ("painter",), 1660, 2010),
        "museum": heavy(rng, art, 0.4),
        "genre": rng.choice(
            ["landscape art", "landscape art", "marine art", "portrait", "still life", "genre art"]
        ),
        "medium": rng.choice(list(GROUPS["medium"].values())),
        "support": rng.choice(list(GROUPS["support"].values())),
        "scene": rng.randrange(1 << 20),
    }
    if last is not None and rng.random() < 0.45:
        changed = rng.sample(["making", "museum", "genre", "support", "scene"], 2)
        fresh = {**last, **{key: fresh[key] for key in changed}}
    painter, at = fresh["making"]
    genre = fresh["genre"]
    title, shown = _subject(part, rng, genre, at)
    surname = painter.surname if painter else part.names.stem()
    painting = part.new(
        "painting",
        title,
        "painting",
        fame=rng.lognormvariate(1, 1),
        hint=surname,
        always=genre == "still life",
    )
    painting.start = at
    if painter is not None:
        painting.say("P170", painter)
        for movement in painter.values("P135"):
            painting.say("P135", movement)
        if rng.random() < 0.2:
            painter.say("P800", painting)
    painting.say("P571", year(at))
    painting.say("P136", GROUPS["genre"][genre])
    painting.say("P186", fresh["medium"])
    painting.say("P186", fresh["support"])
    museum: Thing = fresh["museum"]
    painting.say("P195", museum)
    painting.say("P276", museum)
    painting.say(
        "P217", string(f"{museum.label[:1]}.{rng.randint(1800, 1999)}.{rng.randint(1, 480)}")
    )
    painting.say("P2048", quantity(rng.randint(22, 210), "centimetre"))
    painting.say("P2049", quantity(rng.randint(22, 260), "centimetre"))
    for thing in shown:
        painting.say("P180", thing)
    painting.say("P1028", tied_family(part, rng, "painting", painter, at, ("P170", "P1028")))
    painting.look.update(
        genre=genre,
        scene=rng.randrange(1 << 30),
        frame=rng.choice(("gold", "dark", "white", "red")),
    )
    if rng.random() < 0.55:
        text = rng.choice(
            (
                str(at + rng.randint(1, 3)),
                f"Inv. {rng.randint(100, 990)}",
                f"Room {rng.randint(2, 48)}",
            )
        )
        painting.marks.append(
            Mark(GROUPS["part"]["commemorative plaque"], "P1684", monolingual(text), text)
        )
    return fresh


def _subject(part: Part, rng: random.Random, genre: str, at: int) -> tuple[str, list[Thing | str]]:
    """Returns the title of a painting of a genre, and the things that the painting depicts."""
    things = GROUPS["thing"]
    if genre == "portrait":
        sitters = [p for p in part.kind("person") if p.start + 16 < at < p.end and p.fame > 0.5]
        if sitters and rng.random() < 0.7:
            sitter = rng.choice(sitters)
            return f"Portrait of {sitter.label}", [sitter]
        return f"Portrait of {rng.choice(ROLES)} of {heavy(rng, part.kind('town')).label}", [
            things[rng.choice(("dog", "book"))]
        ]
    if genre == "still life":
        return f"Still Life with {rng.choice(STILLS)}", [
            things[x] for x in rng.sample(["apple", "lemon", "book"], 2)
        ]
    standing = [
        t for t in part.kind("lighthouse", "bridge", "church", "castle", "windmill") if t.start < at
    ]
    if genre == "landscape art":
        place = rng.choice(part.kind("mountain", "lake", "river") + standing)
        return f"{rng.choice(TIMES)} at {place.label.split(',')[0]}", [
            place,
            things[rng.choice(("tree", "Moon", "Sun", "horse"))],
        ]
    if genre == "marine art":
        lights = [t for t in standing if t.kind == "lighthouse"] or part.kind("island")
        place = rng.choice(lights)
        return f"{rng.choice(TIMES)} off {place.label}", [place, things["sea"], things["boat"]]
    town = heavy(rng, part.kind("town"))
    return f"{rng.choice(TIMES)} in {town.label}", [
        town,
        things[rng.choice(("dog", "horse", "bird"))],
    ]


def _sculpture(part: Part, rng: random.Random) -> None:
    sculptor, at = maker_and_year(part, rng, ("sculptor",), 1700, 2010)
    dead = [p for p in part.kind("person") if p.fame > 2 and p.start + 40 < at]
    honoured = heavy(rng, dead) if dead else None
    town = tied_town(part, rng, "statue", sculptor, at, ("P170", "P131"))
    label = f"Statue of {honoured.label}, {town.label}" if honoured else f"{town.label} Column"
    statue = part.new("statue", label, "statue", fame=rng.lognormvariate(0.8, 0.9), hint=str(at))
    statue.start = at
    locate(part, statue, town, "statue")
    if sculptor:
        statue.say("P170", sculptor)
    if honoured:
        statue.say("P547", honoured)
        statue.say("P180", honoured)
    statue.say("P571", year(at))
    statue.say("P186", rng.choice(list(GROUPS["carving"].values())))
    statue.say("P2048", quantity(round(rng.uniform(1.6, 9), 1), "metre"))
    statue.look.update(
        pose=rng.randrange(4), palette=rng.randrange(1 << 30), plinth=rng.randint(1, 3)
    )
    add_marks(part, statue)


def _book(part: Part, rng: random.Random) -> None:
    author, at = maker_and_year(part, rng, ("writer", "poet"), 1700, 2018)
    cls = (
        "poetry collection"
        if author and author.look["occupation"] == "poet"
        else rng.choice(("novel", "novel", "play"))
    )
    surname = author.surname if author else part.names.stem()
    words = (
        rng.choice(BOOKS)
        if rng.random() < 0.5
        else f"The {rng.choice(('House', 'Miller', 'Winter', 'Crossing', 'Heirs'))} of {part.names.stem()}"
    )
    book = part.new(
        "book", words, cls, fame=rng.lognormvariate(1, 1), hint=surname, always=words in BOOKS
    )
    book.start = at
    if author:
        book.say("P50", author)
        if rng.random() < 0.25:
            author.say("P800", book)
    book.say("P577", year(at))
    houses = [p for p in part.nation.kind("publisher") if p.start <= at]
    if houses:
        book.say("P123", heavy(rng, houses, 0.4))
    book.say("P407", part.nation.kind("language")[0])
    book.say("P1104", quantity(rng.randint(64, 720)))
    scene = tied_town(part, rng, "book", author, at, ("P50", "P840"))
    if rng.random() < 0.25:
        scene = rng.choice(part.kind("village"))
    if cls != "poetry collection":
        book.say("P840", scene)
    known = [p for p in part.kind("person") if p.start + 20 < at and p.fame > 0.5]
    dedicatee = tied_person(part, rng, "book", author, at, ("P50", "P825"), known)
    if dedicatee is not None and dedicatee is not author:
        book.say("P825", dedicatee)
    book.look.update(palette=rng.randrange(1 << 30), ornament=rng.randrange(6))
    text = (
        f"Vol. {rng.randint(2, 9)}"
        if rng.random() < 0.3
        else str(min(SNAPSHOT_YEAR - 1, at + rng.randint(2, 30)))
    )
    if rng.random() < 0.5:
        book.marks.append(Mark(GROUPS["part"]["inscription"], "P1684", monolingual(text), text))


def _music(part: Part, rng: random.Random) -> None:
    composer, at = maker_and_year(part, rng, ("composer",), 1690, 2015)
    surname = composer.surname if composer else part.names.stem()
    if rng.random() < 0.3:
        cls, label = "opera", rng.choice(OPERAS)
    else:
        cls, pattern = rng.choice(MUSIC)
        label = pattern.format(rng.randint(1, 9), rng.choice(KEYS))
    piece = part.new(
        "music", label, cls, fame=rng.lognormvariate(0.8, 1), hint=surname, always=True
    )
    piece.start = at
    if composer:
        piece.say("P86", composer)
    piece.say("P571", year(at))
    piece.say("P2047", quantity(rng.randint(14, 150), "minute"))
    stages = [t for t in part.kind("theatre") if t.start < at]
    if stages:
        piece.say("P4647", rng.choice(stages))
    patrons = [p for p in part.kind("person") if p.start + 20 < at < p.end and p.fame > 0.3]
    dedicatee = tied_person(part, rng, "music", composer, at, ("P86", "P825"), patrons)
    if dedicatee is not None and dedicatee is not composer:
        piece.say("P825", dedicatee)


def _film(part: Part, rng: random.Random) -> None:
    director, at = maker_and_year(part, rng, ("film director",), 1915, 2020)
    label = (
        rng.choice(FILMS)
        if rng.random() < 0.6
        else rng.choice(PLACED_FILMS).format(heavy(rng, part.kind("town")).label)
    )
    film = part.new(
        "film",
        label,
        "film",
        fame=rng.lognormvariate(2, 0.7),
        hint=f"{at} film",
        always=label in FILMS,
    )
    film.start = at
    if director:
        film.say("P57", director)
    film.say("P577", year(at))
    film.say("P2047", quantity(rng.randint(58, 190), "minute"))
    actors = [p for p in workers(part, "actor", "singer") if p.start + 15 < at < p.end]
    for actor in rng.sample(actors, min(3, len(actors))):
        film.say("P161", actor)
    composers = [p for p in workers(part, "composer") if p.start + 20 < at < p.end]
    if composers:
        film.say("P86", rng.choice(composers))
    film.say("P840", tied_town(part, rng, "film", director, at, ("P57", "P840")))


def _newspaper(part: Part, rng: random.Random) -> None:
    editor, at = maker_and_year(part, rng, ("journalist", "writer", "politician"), 1800, 1990)
    town = tied_town(part, rng, "newspaper", editor, at, ("P112", "P159"))
    name = f"{town.label} {rng.choice(('Herald', 'Courier', 'Observer', 'Gazette', 'Mercury', 'Tribune'))}"
    paper = part.new(
        "newspaper", name, "newspaper", fame=rng.lognormvariate(0.8, 0.8), hint=str(at)
    )
    paper.start = at
    paper.say("P17", part.nation.region)
    paper.say("P159", town)
    paper.say("P571", year(at))
    if editor:
        paper.say("P112", editor)
    paper.say("P407", part.nation.kind("language")[0])
