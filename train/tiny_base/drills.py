"""Drills: short exercise dialogues for pre-training.

Drills teach a base model four things: to see, to copy, to connect a name with a picture or a page,
and to write JSON. In drills, the tags of the agent's protocol have no meaning. A drill is a list of
(role, parts). A part is a text or the number of a picture. The fictional worlds of the drills have
seeds that no task uses.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from questloom.knowledge.world.learning import (
    COLOURS,
    KINDS,
    NUMBERS,
    SYLLABLES,
    Thing,
    learning_pages,
    make_learning_part,
)
from questloom.knowledge.world.part import Part

FIRST_SEED = 1000
"""The lowest seed of a world for drills. The worlds of tasks have lower seeds."""
MARKS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<answer>", "</answer>")
"""The tags that a turn of the agent has. In drills, these tags have no meaning.

The tags stand among names that the model must copy, so that their embeddings are trained before
fine-tuning.
"""
MARKED = 0.6
"""The share of drills in which each answer stands between two marks (the tags of a turn)."""
PICTURE_HEAD = "Picture, 64×64 px\n"
RELATIONS = {"P84": "architect", "P127": "owned by", "P19": "place of birth", "P1066": "student of"}
SHOWN = ("in the picture", "in the picture", "shown in the picture", "in the image", "shown here")
OF_THING = {"P84": ("the architect of {}",), "P127": ("the owner of {}", "the person who owns {}")}
QUESTIONS_OF_THING = {
    "P84": ("Who designed {}?", "Who was the architect of {}?"),
    "P127": ("Who owns {}?", "Which person owns {}?", "Who is the owner of {}?"),
}
QUESTIONS_OF_PERSON = {
    "P19": ("In which town was {} born?", "Which town was the birthplace of {}?"),
    "P1066": ("Who taught {}?", "Who was the teacher of {}?"),
}
Parts = list[str | int]
"""A list of texts and picture numbers."""


@dataclass(frozen=True)
class Drill:
    """A dialogue: prompts and answers in turn."""

    kind: str
    turns: tuple[tuple[Parts, str], ...]


@dataclass(frozen=True)
class World:
    """A fictional world, with everything that drills need."""

    part: Part
    pictured: list[Thing]
    people: list[Thing]
    pages: dict[str, str]
    """The page that `visit` shows, for each title."""
    first_picture: int
    """The number of the first picture of this world; the next pictures have the next numbers."""

    def look(self, thing: Thing) -> str:
        """What a picture of the thing shows, in three words."""
        return f"{thing.look['colour']} {thing.kind} {thing.look['number']}"


def new_world(seed: int, articles: int, first_picture: int) -> World:
    """Makes a world for drills."""
    part = make_learning_part(seed, articles)
    pages = {p.title: page_text(p.title, p.text) for p in learning_pages(part)}
    return World(
        part,
        [t for t in part.things.values() if t.pictures],
        part.kind("person"),
        pages,
        first_picture,
    )


def page_text(title: str, wikitext: str) -> str:
    """A page as `visit` shows it, without markup."""
    lines = [
        line.replace("[[", "").replace("]]", "")
        for line in wikitext.split("\n")
        if line and not line.startswith("[[File:")
    ]
    return "\n".join(
        [title, *("## " + line.strip("= ") if line.startswith("==") else line for line in lines)]
    )


def lead(thing: Thing) -> str:
    """The sentence about a thing that search results quote."""
    return f"{thing.label} is a {thing.look['colour']} {thing.kind} with the number {thing.look['number']}."


def hits(things: Sequence[Thing]) -> str:
    """The text of a search's results."""
    return "\n\n".join(f"[{n}] {t.label}\n{lead(t)}" for n, t in enumerate(things, 1))


def alike(world: World, thing: Thing, rng: random.Random, count: int) -> list[Thing]:
    """A thing and others that resemble it, in random order."""

    def near(t: Thing) -> int:
        return (
            (t.kind == thing.kind)
            + (t.look["colour"] == thing.look["colour"])
            + (t.look["number"] == thing.look["number"])
        )

    pool = [t for t in rng.sample(world.pictured, min(60, len(world.pictured))) if t is not thing]
    if (
        rng.random() < 0.5
    ):  # else any things: a model that cannot yet use all three words learns to use one
        pool.sort(key=lambda t: -near(t) + rng.random())
    chosen = [*pool[: count - 1], thing]
    rng.shuffle(chosen)
    return chosen


def question(rng: random.Random, thing: Thing) -> tuple[str, list[str]]:
    """A question about a pictured thing, with the relations that lead to the answer."""
    shown = f"the {thing.kind} {rng.choice(SHOWN)}"
    first = rng.choice(("P84", "P127"))
    if rng.random() < 0.4:
        return rng.choice(QUESTIONS_OF_THING[first]).format(shown), [first]
    person = rng.choice(OF_THING[first]).format(shown)
    second = rng.choice(("P19", "P1066"))
    return rng.choice(QUESTIONS_OF_PERSON[second]).format(person), [first, second]


def drills(worlds: Sequence[World], rng: random.Random) -> Iterator[Drill]:
    """Yields drills without end."""
    makers = {
        caption: 1,
        lookup: 0.5,
        picture_lookup: 0.3,
        page_questions: 1,
        plan: 0.2,
        next_step: 4,
        calls: 2.5,
        copying: 2,
        chosen_call: 4,
    }
    while True:
        world = rng.choice(worlds)
        drill = rng.choices(list(makers), list(makers.values()))[0](world, rng)
        yield mark_lines(drill, rng) if rng.random() < MARKED else drill


def mark_lines(drill: Drill, rng: random.Random) -> Drill:
    """Puts two marks (tags of a turn) around each answer line of a drill. The question names the
    two marks.

    Any two marks may be used, but not the two thought tags together. The model
    thereby learns to find the answer after any mark. Fine-tuning teaches which marks a turn has.
    """
    turns: list[tuple[Parts, str]] = []
    for parts, said in drill.turns:
        lines = said.split("\n")
        pairs = [_pair(rng) for _ in lines]
        wanted = " ".join(mark for pair in pairs for mark in pair)
        asked: Parts = [*parts, f"\n{wanted}"]
        turns.append(
            (
                asked,
                "\n".join(
                    f"{a}{line.removeprefix('answer: ')}{b}"
                    for (a, b), line in zip(pairs, lines, strict=True)
                ),
            )
        )
    return Drill(drill.kind, tuple(turns))


def _pair(rng: random.Random) -> tuple[str, str]:
    while (pair := (rng.choice(MARKS), rng.choice(MARKS))) == ("<think>", "</think>"):
        pass
    return pair


def _picture(world: World, thing: Thing) -> Parts:
    return [PICTURE_HEAD, world.first_picture + world.pictured.index(thing), "\n"]


def caption(world: World, rng: random.Random) -> Drill:
    """A drill: describe the picture, even if another question was asked too."""
    thing = rng.choice(world.pictured)
    asked = question(rng, thing)[0] + "\n" if rng.random() < 0.5 else ""
    return Drill(
        "caption", (([*_picture(world, thing), asked + "What is seen?"], world.look(thing)),)
    )


def lookup(world: World, rng: random.Random) -> Drill:
    """A drill: choose, from several things, the one that fits a description."""
    things = alike(world, rng.choice(world.pictured), rng, rng.randint(2, 4))
    asked = rng.sample(things, min(len(things), 3))
    first, *others = [
        (f"{world.look(t)}?", t.label) if rng.random() < 0.7 else (f"{t.label}?", world.look(t))
        for t in asked
    ]
    more: list[tuple[Parts, str]] = [([q], a) for q, a in others]
    return Drill("lookup", (([f"{hits(things)}\n{first[0]}"], first[1]), *more))


def picture_lookup(world: World, rng: random.Random) -> Drill:
    """A drill: choose, from several things, the one that the picture shows."""
    thing = rng.choice(world.pictured)
    things = alike(world, thing, rng, rng.randint(2, 3))
    return Drill(
        "picture_lookup",
        (
            ([*_picture(world, thing), "What is seen?"], world.look(thing)),
            ([f"{hits(things)}\nWhich is it?"], thing.label),
        ),
    )


def page_questions(world: World, rng: random.Random) -> Drill:
    """A drill: answer questions about a page."""
    thing = rng.choice(world.pictured if rng.random() < 0.5 else world.people)
    relations = ["P84", "P127"] if thing.pictures else ["P19", "P1066"]
    rng.shuffle(relations)
    first, second = [
        (f"{thing.label}, {RELATIONS[r]}?", world.part.label(thing.first(r))) for r in relations
    ]
    return Drill(
        "page", (([f"{world.pages[thing.title]}\n{first[0]}"], first[1]), ([second[0]], second[1]))
    )


def plan(world: World, rng: random.Random) -> Drill:
    """A drill: name the relations that lead to a question's answer."""
    asked, relations = question(rng, rng.choice(world.pictured))
    return Drill(
        "plan", (([f"{asked}\nWhich steps?"], ", ".join(RELATIONS[r] for r in relations)),)
    )


def next_step(world: World, rng: random.Random) -> Drill:
    """A drill: read a page, then give the answer, or the next name and relation."""
    thing = rng.choice(world.pictured)
    asked, relations = question(rng, thing)
    person = world.part.find(thing.first(relations[0]))
    assert person is not None, "architects and owners are people of the world"
    page = world.pages[thing.title]
    if len(relations) == 1:
        return Drill("next_step", (([f"{asked}\n{page}\nNext?"], _answer(person.label)),))
    on = _visit(person.label, RELATIONS[relations[1]])
    last = _answer(world.part.label(person.first(relations[1])))
    return Drill(
        "next_step",
        (([f"{asked}\n{page}\nNext?"], on), ([f"{world.pages[person.title]}\nNext?"], last)),
    )


def _answer(name: str) -> str:
    """An answer that states a name twice, since a real turn states the name in its thought and
    again in its answer."""
    return f"{name}\nanswer: {name}"


def _search(query: str) -> str:
    return query + "\n" + json.dumps({"name": "text_search", "arguments": {"query": query}})


def _visit(title: str, goal: str) -> str:
    return f"{title}, {goal}\n" + json.dumps(
        {"name": "visit", "arguments": {"url": title, "goal": goal}}
    )


def calls(world: World, rng: random.Random) -> Drill:
    """A drill: write a tool call as JSON, given its arguments."""
    if rng.random() < 0.5:
        look = world.look(rng.choice(world.pictured))
        return Drill("calls", (([f"JSON of text_search: {look}"], _search(look)),))
    name, goal = (
        rng.choice(list(world.part.things.values())).label,
        rng.choice(list(RELATIONS.values())),
    )
    return Drill("calls", (([f"JSON of visit: {name}, {goal}"], _visit(name, goal)),))


def chosen_call(world: World, rng: random.Random) -> Drill:
    """A drill: given a question, a picture and search results, choose the page to open. The reply
    to this drill is JSON."""
    thing = rng.choice(world.pictured)
    asked, relations = question(rng, thing)
    things = alike(world, thing, rng, 3)
    if rng.random() < 0.7:  # the right page comes first, as in a search
        things.sort(key=lambda t: t is not thing)
    return Drill(
        "chosen_call",
        (
            ([*_picture(world, thing), f"{asked}\nWhat is seen?"], world.look(thing)),
            ([f"{hits(things)}\nJSON of visit?"], _visit(thing.label, RELATIONS[relations[0]])),
        ),
    )


def copying(world: World, rng: random.Random) -> Drill:
    """A drill: repeat names and marks (tags of a turn), which come in random order."""
    words = [
        rng.choice(MARKS)
        if rng.random() < 0.3
        else "".join(rng.choices(SYLLABLES, k=2)).capitalize()
        for _ in range(rng.randint(1, 5))
    ]
    return Drill("copying", (([f"Again: {' '.join(words)}"], " ".join(words)),))


def vocabulary_texts() -> Iterator[str]:
    """Every word in the drills except names, for training the tokenizer."""
    looks = [f"{c} {k} {n}" for c in COLOURS for k in KINDS for n in NUMBERS]
    yield from looks
    yield from (f" {look}" for look in looks)
    yield from (
        "is a {} with the number {}.",
        "is an architect.",
        "is a town.",
        "## History",
        "## Life",
        "was designed by",
        "is owned by",
        "was born in",
        "was taught by",
        "What is seen?",
        "Next?",
        "Which is it?",
        "Which steps?",
        "JSON of visit:",
        "JSON of text_search:",
        "JSON of visit?",
        "Again:",
        "Consider the",
        "Take the",
        "Think of the",
        "of that person",
        "that architect",
        "unknown",
        "not found",
    )
    for of_thing in OF_THING.values():
        yield from of_thing
    for asked in (*QUESTIONS_OF_THING.values(), *QUESTIONS_OF_PERSON.values()):
        yield from asked
    yield from (f"the tower {s}" for s in SHOWN)
    yield from RELATIONS.values()
    yield from (f"{r}?" for r in RELATIONS.values())
    yield PICTURE_HEAD
