"""Adds facts that readers like to know about existing things, for example how somebody died, where a film was shot, or
who illustrated a book.

Curious facts are added late and have random generators of their own, so they do not change what
earlier steps make.
"""

import itertools
import random

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import Thing, day, monolingual, year
from questloom.knowledge.world.part import Part, heavy, some_day
from questloom.knowledge.world.people import alive, workers
from questloom.knowledge.world.structures import maker_and_year

GROUPS = vocabulary.groups()
CURIOUS_SHARE = 0.05
"""The share of a region's things that get a curiosity: a rare fact, such as a nickname."""
CURIOSITIES = frozenset(["P157", "P509", "P822", "P1429", "P1449", "P1451", "P2632", "P3909"])
"""Properties of curiosities: killer, cause of death, mascot, pet, nickname, motto, prison and last
words."""
EPIDEMICS = {
    "cholera": (1817, 1900),
    "influenza": (1700, 1960),
    "smallpox": (1650, 1900),
    "yellow fever": (1700, 1910),
}
"""The years in which some diseases kill people; other diseases kill in any year."""
NICKNAMES = (
    "Old Thunder",
    "the Owl",
    "the Silent One",
    "the Barefoot Baron",
    "the Hermit",
    "Iron Hands",
    "the Night Porter",
    "the Beekeeper",
    "Black Gloves",
    "the Weathercock",
    "the Professor",
    "the Honest Liar",
    "the Hurricane",
    "Seven Fingers",
    "the Magpie",
    "Old Inkpot",
    "the Mole",
    "Lucky Thirteen",
    "the Chancellor",
    "Red Boots",
    "the Sleepwalker",
    "Mad Mortar",
    "the Stork",
    "the Bear",
    "Never Late",
    "the Parrot",
    "Cold Tea",
    "the Sphinx",
    "Big Umbrella",
    "the Whistler",
    "Daddy Longlegs",
    "the Walrus",
    "Twenty Candles",
    "the Nightingale",
    "the Undertaker",
    "the Tortoise",
    "the Gambler",
    "Pinch of Salt",
    "the Pirate",
    "One More Glass",
)
"""Nicknames of people."""
LAST_WORDS = (
    "The tide has turned",
    "Somebody let the dog out",
    "I told you it would hold",
    "More light, and more soup",
    "Sell the piano",
    "It was the blue one",
    "Do not wake the neighbours",
    "I never liked that hat",
    "Burn the letters",
    "The bridge will outlive us all",
    "Give the cat my chair",
    "It must be Tuesday already",
    "Forgive the oysters",
    "I should have turned left",
    "Pay the gardener",
    "What a beautiful fog",
    "Open the window, please",
    "Tell her I was wrong",
    "Never trust a barometer",
    "The money is under the stairs",
    "At last, some quiet",
    "Hide the brandy",
    "It is only a scratch",
    "Somebody finish my sentence",
    "Wait for me at the harbour",
    "I owe the baker twelve crowns",
    "Keep my boots dry",
    "This soup needs salt",
    "So that was all",
    "Not the grey suit",
    "I regret only the moustache",
    "Wind the clock tonight",
    "The goose was innocent",
    "Now comes the interesting part",
    "Do not let them sing",
    "I would have preferred Sunday",
    "Put out the lamp",
    "Ask my sister, she knows",
    "There were two of them",
    "Feed the swans",
)
"""Last words of at most six words, because questions do not ask for longer answers."""
PETS = ("dog", "dog", "cat", "horse")
OF_PETS = (
    ("Captain", "Lady", "Old", "Madam", "Little", "Doctor", "King", "Saint"),
    (
        "Bristle",
        "Thunder",
        "Pepper",
        "Muddle",
        "Velvet",
        "Crumb",
        "Tempest",
        "Biscuit",
        "Shadow",
        "Button",
        "Bramble",
        "Ginger",
    ),
)
MOTTOES = (
    "Slow but Sure",
    "We Bend and Stand",
    "Ask Me Tomorrow",
    "By Oar and Ledger",
    "Never First, Never Last",
    "Still Here",
    "Pay What You Owe",
    "Salt Before Sugar",
    "Look Twice",
    "Let Others Shout",
    "Through Mud to Marble",
    "Bread, Then Honour",
    "We Keep the Keys",
    "Storms Pass",
    "No Gift without Thorns",
    "Rather Late than Wrong",
    "Guard the Well",
    "One More Winter",
    "Speak Last",
    "Ours Was the First Boat",
    "Nothing Borrowed",
    "Hold the Rope",
    "Deeds Need No Trumpet",
    "What We Have, We Hide",
    "Even the Sea Retreats",
    "Trust the Anchor",
    "Neither Fear nor Hurry",
    "Count the Sheep Again",
    "Higher than the Flood",
    "Mend It Yourself",
    "We Remember Everything",
    "First to the Harbour",
    "Laugh Quietly",
    "As the Oak Allows",
    "To Each Their Candle",
    "Silence Is Also an Answer",
    "The Door Stays Open",
    "With Clean Hands",
    "After Rain, Work",
    "Worth the Weight",
)
OF_TREATIES = (
    ("Peace", "Treaty", "Truce", "Convention"),
    (
        "the White Sails",
        "the Two Seals",
        "the Empty Chair",
        "the Frozen Ferry",
        "the Nine Bells",
        "the Broken Quill",
        "the Long Table",
        "the Wet Ink",
        "Candlemas",
        "Martinmas",
        "the Three Rivers",
        "the Falcon",
    ),
)


def make_curiosities(part: Part) -> None:
    """Adds filming locations, treaties, biographies and illustrators. Gives a few things a
    curiosity (a rare fact, such as a nickname)."""
    _places_of_films(part)
    for book in part.kind("book"):
        _illustrate(part, book, part.rng(f"illustrator-{book.id}"))
    for i in range(part.count(30)):
        _biography(part, part.rng(f"biography-{i}"))
    _treaties(part)
    _strew(part, part.rng("curiosities"))


def _strew(part: Part, rng: random.Random) -> None:
    """Gives people, families and clubs one curiosity each, until `CURIOUS_SHARE` of the region's
    things have one."""
    bearers = part.kind("family", "club")
    bearers += [p for p in part.kind("person") if p.look.get("occupation")]
    mottoes = list(MOTTOES)
    rng.shuffle(mottoes)
    rng.shuffle(bearers)
    unused = itertools.cycle(mottoes)
    for bearer in bearers[: round(CURIOUS_SHARE * len(part.things))]:
        if bearer.kind == "person":
            _fate(part, bearer, part.rng(f"fate-{bearer.id}"))
        elif bearer.kind == "club" and rng.random() < 0.5:
            bearer.say("P822", rng.choice(list(GROUPS["mascot"].values())))
        else:
            bearer.say("P1451", monolingual(next(unused)))


def _joined(rng: random.Random, words: tuple[tuple[str, ...], ...]) -> str:
    return " ".join(rng.choice(w) for w in words)


def _fate(part: Part, person: Thing, rng: random.Random) -> None:
    """Gives a person one curiosity: a cause of death, a killer, last words, a prison, a nickname or
    a pet."""
    dead = bool(person.values("P570"))
    castles = [c for c in part.kind("castle") if max(c.start, person.start + 22) < person.end - 6]
    rivals = [
        p
        for p in workers(part, "military officer", "sailor", "politician", "explorer")
        if alive(p, person.end - 1) and p is not person
    ]
    kinds = ["P1449", "P1429"] + ["P2632"] * bool(castles) + ["P3909", "P509"] * dead
    kinds += ["P157"] * (dead and person.end < 1900 and bool(rivals))
    match rng.choice(kinds):
        case "P1449":
            person.say("P1449", monolingual(rng.choice(NICKNAMES)))
        case "P1429":
            person.say("P1429", _pet(part, person, rng))
        case "P2632":
            person.say("P2632", rng.choice(castles))
        case "P3909":
            person.say("P3909", monolingual(rng.choice(LAST_WORDS)))
        case "P157":
            person.say("P157", rng.choice(rivals))
        case _:
            person.say("P509", _disease(rng, person.end))


def _pet(part: Part, person: Thing, rng: random.Random) -> Thing:
    kind = rng.choice(PETS)
    return part.new(
        "pet",
        _joined(rng, OF_PETS),
        kind,
        fame=0.2 * rng.random(),
        hint=f"{kind} of {person.label}",
        always=True,
    )


def _disease(rng: random.Random, at: int) -> str:
    """A disease that kills people in a given year."""
    spans = {qid: EPIDEMICS.get(name, (at, at)) for name, qid in GROUPS["disease"].items()}
    return rng.choice([qid for qid, (first, last) in spans.items() if first <= at <= last])


def _places_of_films(part: Part) -> None:
    """Gives every film its own shooting location."""
    sites = part.kind("castle", "lighthouse", "island", "windmill", "bridge", "station")
    rng = part.rng("film-sites")
    rng.shuffle(sites)
    for film in part.kind("film"):
        site = next((s for s in sites if s.start < film.start), None)
        if site is not None:
            sites.remove(site)
            film.say("P915", site)


def _illustrate(part: Part, book: Thing, rng: random.Random) -> None:
    artists = [
        p
        for p in workers(part, "painter", "sculptor", "botanist")
        if alive(p, book.start) and p.id != book.first("P50")
    ]
    if artists and rng.random() < 0.8:
        book.say("P110", heavy(rng, artists))


def _biography(part: Part, rng: random.Random) -> None:
    """Makes the biography of a well-known person who has no biography yet."""
    told = {b.first("P921") for b in part.kind("biography")}
    author, at = maker_and_year(part, rng, ("journalist", "writer", "politician"), 1760, 2018)
    people = [
        p
        for p in part.kind("person")
        if p.fame > 2 and p.id not in told and p is not author and p.start + 40 < at
    ]
    if author is None or not people:
        return
    of = heavy(rng, people)
    title = rng.choice(
        (
            "{} Without a Mask",
            "A Life Against the Wind: {}",
            "The Restless Hand of {}",
            "{}: Letters and Silences",
            "Nine Lives of {}",
        )
    )
    book = part.new(
        "biography",
        title.format(of.label),
        "biography",
        fame=rng.lognormvariate(1.7, 0.7),
        hint=author.surname,
    )
    book.start = at
    book.say("P50", author)
    book.say("P921", of)
    book.say("P577", year(at))
    book.say("P407", part.nation.kind("language")[0])


def _treaties(part: Part) -> None:
    """Makes treaties; each treaty has its own place of signing."""
    rng = part.rng("treaties")
    places = part.kind("castle", "theatre", "town", "library")
    names = [f"{what} of {whose}" for what in OF_TREATIES[0] for whose in OF_TREATIES[1]]
    rng.shuffle(places)
    rng.shuffle(names)
    for i in range(part.count(24)):
        author, at = maker_and_year(
            part, part.rng(f"treaty-{i}"), ("politician", "military officer"), 1690, 1960
        )
        place = next((p for p in places if p.start < at), None)
        if author is None or place is None:
            continue
        places.remove(place)
        treaty = part.new(
            "treaty",
            names[i % len(names)],
            "treaty",
            fame=rng.lognormvariate(1.4, 0.7),
            hint=f"{author.surname}, {at}",
            always=True,
        )
        treaty.start = at
        treaty.say("P17", part.nation.region)
        treaty.say("P50", author)
        treaty.say("P585", day(some_day(rng, at, at)))
        treaty.say("P276", place)
