"""What people like to know of things that are there already: how somebody died, where a film was shot, who drew the pictures of a book.

Made last of a region, from generators of its own, so that everything before stays as it was.
"""
import random

from knowledge.world import vocabulary
from knowledge.world.model import Thing, day, monolingual, year
from knowledge.world.part import Part, heavy, some_day
from knowledge.world.people import alive, workers
from knowledge.world.structures import maker_and_year

GROUPS = vocabulary.groups()
FATAL = 0.62
"""Share of the dead with an occupation of whom it is known what they died of."""
EPIDEMICS = {"cholera": (1817, 1900), "influenza": (1700, 1960), "smallpox": (1650, 1900), "yellow fever": (1700, 1910)}
"""Years between which a disease killed here; the others at any time."""
KILLED, JAILED, NICKNAMED, FOND = 0.28, 0.14, 0.3, 0.12
OF_NICKNAMES = (("Old", "Grey", "Silent", "Iron", "Salt", "Little", "Night", "Northern", "Barefoot", "Left-Handed"),
                ("Heron", "Lantern", "Fox", "Compass", "Thrush", "Anvil", "Ferret", "Admiral", "Candle", "Otter"))
PETS = ("dog", "dog", "cat", "horse")
OF_PETS = (("Captain", "Lady", "Old", "Madam", "Little", "Doctor", "King", "Saint"),
           ("Bristle", "Thunder", "Pepper", "Muddle", "Velvet", "Crumb", "Tempest", "Biscuit", "Shadow", "Button", "Bramble", "Ginger"))
OF_MOTTOES = (("Keep", "Trust", "Serve", "Follow", "Honour", "Remember", "Guard", "Fear"),
              ("the Tide", "the Lamp", "the Oath", "the Harbour", "the North Wind", "No Winter", "the Open Door", "What Was Sown", "the Old Stones",
               "Neither Crown"))
OF_TREATIES = (("Peace", "Treaty", "Truce", "Convention"),
               ("the White Sails", "the Two Seals", "the Empty Chair", "the Frozen Ferry", "the Nine Bells", "the Broken Quill", "the Long Table",
                "the Wet Ink",
                "Candlemas",
                "Martinmas", "the Three Rivers", "the Falcon"))


def make_curiosities(part: Part) -> None:
    """Deaths, prisons, nicknames and pets of people; mottoes and mascots; where films were shot; treaties, biographies and illustrators."""
    for person in part.kind("person"):
        if person.look.get("occupation"):
            _fate(part, person, part.rng(f"fate-{person.id}"))
    for bearer in part.kind("family", "club"):
        bearer.say("P1451", monolingual(_joined(part.rng(f"motto-{bearer.id}"), OF_MOTTOES)))
    for club in part.kind("club"):
        club.say("P822", part.rng(f"mascot-{club.id}").choice(list(GROUPS["mascot"].values())))
    _places_of_films(part)
    for book in part.kind("book"):
        _illustrate(part, book, part.rng(f"illustrator-{book.id}"))
    for i in range(part.count(24)):
        _biography(part, part.rng(f"biography-{i}"))
    _treaties(part)


def _joined(rng: random.Random, words: tuple[tuple[str, ...], ...]) -> str:
    return " ".join(rng.choice(w) for w in words)


def _fate(part: Part, person: Thing, rng: random.Random) -> None:
    """What killed somebody, or who; where they sat in prison; what they were called; which animal was theirs."""
    if rng.random() < FOND:
        kind = rng.choice(PETS)
        pet = part.new("pet", _joined(rng, OF_PETS), kind, fame=0.2 * rng.random(), hint=f"{kind} of {person.label}", always=True)
        person.say("P1429", pet)
    if rng.random() < NICKNAMED:
        person.say("P1449", monolingual("the " + _joined(rng, OF_NICKNAMES)))
    castles = [c for c in part.kind("castle") if c.start < person.end - 6 and person.start + 22 < person.end - 6]
    if castles and rng.random() < JAILED:
        person.say("P2632", rng.choice(castles))
    if not person.values("P570"):
        return
    rivals = [p for p in workers(part, "military officer", "sailor", "politician", "explorer") if alive(p, person.end - 1) and p is not person]
    if rivals and person.end < 1900 and rng.random() < KILLED:
        person.say("P157", rng.choice(rivals))
    elif rng.random() < FATAL:
        at = person.end
        spans = {qid: EPIDEMICS.get(name, (at, at)) for name, qid in GROUPS["disease"].items()}
        person.say("P509", rng.choice([qid for qid, (first, last) in spans.items() if first <= at <= last]))


def _places_of_films(part: Part) -> None:
    """Every film was shot at a place of its own."""
    sites = part.kind("castle", "lighthouse", "island", "windmill", "bridge", "station")
    rng = part.rng("film-sites")
    rng.shuffle(sites)
    for film in part.kind("film"):
        site = next((s for s in sites if s.start < film.start), None)
        if site is not None:
            sites.remove(site)
            film.say("P915", site)


def _illustrate(part: Part, book: Thing, rng: random.Random) -> None:
    artists = [p for p in workers(part, "painter", "sculptor", "botanist") if alive(p, book.start) and p.id != book.first("P50")]
    if artists and rng.random() < 0.5:
        book.say("P110", heavy(rng, artists))


def _biography(part: Part, rng: random.Random) -> None:
    """A life of somebody well known of whom none was written yet."""
    told = {b.first("P921") for b in part.kind("biography")}
    author, at = maker_and_year(part, rng, ("journalist", "writer", "politician"), 1760, 2018)
    people = [p for p in part.kind("person") if p.fame > 2 and p.id not in told and p is not author and p.start + 40 < at]
    if author is None or not people:
        return
    of = heavy(rng, people)
    title = rng.choice(("{} Without a Mask", "A Life Against the Wind: {}", "The Restless Hand of {}", "{}: Letters and Silences", "Nine Lives of {}"))
    book = part.new("biography", title.format(of.label), "biography", fame=rng.lognormvariate(1.7, 0.7), hint=author.surname)
    book.start = at
    book.say("P50", author)
    book.say("P921", of)
    book.say("P577", year(at))
    book.say("P407", part.nation.kind("language")[0])


def _treaties(part: Part) -> None:
    """Treaties, each signed in a place of its own."""
    rng = part.rng("treaties")
    places = part.kind("castle", "theatre", "town", "library")
    names = [f"{what} of {whose}" for what in OF_TREATIES[0] for whose in OF_TREATIES[1]]
    rng.shuffle(places)
    rng.shuffle(names)
    for i in range(part.count(16)):
        author, at = maker_and_year(part, part.rng(f"treaty-{i}"), ("politician", "military officer"), 1690, 1960)
        place = next((p for p in places if p.start < at), None)
        if author is None or place is None:
            continue
        places.remove(place)
        treaty = part.new("treaty", names[i % len(names)], "treaty", fame=rng.lognormvariate(1.4, 0.7), hint=f"{author.surname}, {at}", always=True)
        treaty.start = at
        treaty.say("P17", part.nation.region)
        treaty.say("P50", author)
        treaty.say("P585", day(some_day(rng, at, at)))
        treaty.say("P276", place)
