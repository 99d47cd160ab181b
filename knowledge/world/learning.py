"""The learning world is small: a tiny policy model can learn to see its things, look them up and follow their
relations. The learning world has the same file formats as the country.

Every pictured thing has a kind, a colour and a number, and no two things share all three. In a
world of the default size, each combination stands for exactly one thing. A policy that misreads a
picture searches for a wrong combination, and therefore finds another thing's page. Names of things
have two syllables, and pages have three lines. The answers (architect, owner; a person's
birthplace, teacher) cannot be seen in a picture or guessed from a name.
"""

import itertools

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.article_texts import Page
from questloom.knowledge.world.model import Mark, Picture, Statement, Thing, monolingual, value_of
from questloom.knowledge.world.part import Part
from questloom.records.knowledge import Value

KINDS = ("tower", "bridge", "castle", "windmill", "lighthouse", "statue", "dam", "ship")
COLOURS = ("red", "blue", "green", "yellow", "white", "black")
NUMBERS = tuple("12345678")
SYLLABLES = tuple(c + v for c in "bdklmnst" for v in "aio")
"""The 24 syllables from which names are made; two syllables make a name."""
SIDE = 64
"""Length of a picture's sides in pixels."""
ARTICLES = 480
"""The smallest number of articles with which every combination of kind, colour and number
exists."""
PICTURED_SHARE = 0.8
PERSON_SHARE = 2 / 3
"""The share of people among the articles without a picture; the rest are towns."""
MOST_ARTICLES = len(SYLLABLES) ** 2


def make_learning_part(seed: int, articles: int) -> Part:
    """Makes the whole learning world, which consists of one part.

    Args:
        seed: seed of the world.
        articles: total number of things, at most `MOST_ARTICLES`.
    """
    part = Part(seed, 0, 1, articles, None)
    rng = part.rng("learning")
    names = ["".join(pair).capitalize() for pair in itertools.product(SYLLABLES, repeat=2)]
    rng.shuffle(names)
    looks = list(itertools.product(KINDS, COLOURS, NUMBERS))
    rng.shuffle(looks)
    looks = looks[: max(1, round(PICTURED_SHARE * articles))]
    num_people = max(2, round(PERSON_SHARE * (articles - len(looks))))
    name = iter(names)
    people = [_new(part, "person", next(name), "human") for _ in range(num_people)]
    towns = [
        _new(part, "town", next(name), "town")
        for _ in range(max(1, articles - len(looks) - num_people))
    ]
    for person in people:
        person.say("P106", vocabulary_id("occupation", "architect"))
        person.say("P19", rng.choice(towns))
        person.say("P1066", rng.choice([p for p in people if p is not person]))
    for kind, colour, number in looks:
        _pictured(part, next(name), (kind, colour, number), rng.sample(people, 2))
    return part


def _new(part: Part, kind: str, name: str, class_name: str) -> Thing:
    thing = part.new(kind, name, class_name)
    thing.article = True
    return thing


def _pictured(part: Part, name: str, look: tuple[str, str, str], people: list[Thing]) -> None:
    kind, colour, number = look
    thing = _new(part, kind, name, kind)
    thing.description = f"{kind} with the number {number}"
    thing.look = {"colour": colour, "number": number}
    thing.say("P84", people[0])
    thing.say("P127", people[1])
    thing.marks = [
        Mark(vocabulary_id("part", "commemorative plaque"), "P1684", monolingual(number), number),
        Mark(thing.classes[0], "P462", value_of(vocabulary_id("colour", colour)), colour),
    ]
    file = f"{name}.png"
    thing.pictures = [Picture(file, thing.id, 0, "sketch", SIDE, SIDE, (0, 1), "CC0")]
    thing.statements.append(Statement("P18", Value(kind="commons_media", text=file)))


def vocabulary_id(group: str, label: str) -> str:
    """The Wikidata id of an everyday value, such as a colour."""
    return vocabulary.groups()[group][label]


def learning_pages(part: Part) -> list[Page]:
    """The pages of the learning world: one short page per thing."""
    return [Page(thing.title, _text(part, thing)) for thing in part.things.values()]


def _text(part: Part, thing: Thing) -> str:
    def said(property_id: str) -> str:
        return f"[[{part.label(thing.first(property_id))}]]"

    if thing.kind == "town":
        return f"{thing.label} is a town."
    if thing.kind == "person":
        return (
            f"{thing.label} is an architect.\n\n== Life ==\n{thing.label} was born in {said('P19')}.\n\n"
            f"{thing.label} was taught by {said('P1066')}."
        )
    return (
        f"[[File:{thing.pictures[0].file}|thumb|{thing.label}]]\n{thing.label} is a {thing.look['colour']} {thing.kind} with the number "
        f"{thing.look['number']}.\n\n== History ==\n{thing.label} was designed by {said('P84')}.\n\n{thing.label} is owned by {said('P127')}."
    )
