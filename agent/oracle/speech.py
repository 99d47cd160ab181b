"""Puts the thoughts, goals and queries of the oracle (a scripted solver) into words. The words come
from the question and from tool results (observations)."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from questloom.agent.oracle.observation_reading import Literal, PageRead, Read, Thing, flat, key
from questloom.agent.oracle.puzzle import Const, End, Fact, Order, Puzzle
from questloom.agent.oracle.relation_words import Relation, cues_of
from questloom.prompts.phrases import language_data, property_phrase, verb_forms
from questloom.prompts.phrases.words import Words

MAX_QUOTED = 240
LONG_LABEL = 25
"""Maximum length of a relation's label in characters. Longer labels ("located in the administrative territorial
entity") do not occur on pages."""
MOST_WAYS = 3
KIND_WORDS = {
    "taxon": ("species", "genus"),
    "species": ("species", "genus"),
    "business": ("business", "company", "yard", "works", "shipyard"),
    "company": ("business", "company", "yard", "works", "shipyard"),
    "church building": ("church", "chapel", "cathedral"),
    "human settlement": ("town", "city", "village"),
    "book": ("book", "novel", "play", "collection"),
    "treaty": ("treaty", "peace", "truce", "convention", "pact", "accord"),
}
"""The words that the first sentences of pages use for a thing, by the class of the thing."""
VAGUE = frozenset(
    "of the and building structure work works place organisation organization object".split()
)
"""Words in names of classes that say nothing when they stand alone."""
NOUNS = {
    "human": "person",
    "man": "person",
    "woman": "person",
    "taxon": "species",
    "human settlement": "place",
    "business": "company",
}


@dataclass(frozen=True)
class Action:
    """The oracle's next turn: a thought and a tool call."""

    thought: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Observation:
    """The result of a tool call: its text, the handles of its pictures, and the index of its turn.
    The field `ok` is False if the tool failed."""

    ok: bool
    text: str
    images: tuple[int, ...]
    turn: int


def strip_protocol_tags(thought: str) -> str:
    """Removes the tags of the turn protocol from a thought, because the title of a page could
    contain a tag."""
    return re.sub(r"<(?!image:\d{1,6}>)", "‹", " ".join(thought.split()))


def quoted_line(line: str) -> str:
    """A line of a tool result, as a quotation."""
    inner = line.replace("“", "").replace("”", "")
    return (
        f"“{inner}”" if len(inner) <= MAX_QUOTED else f"“{inner[:MAX_QUOTED].rsplit(' ', 1)[0]}…”"
    )


def named(value: Read | Const | None) -> str:
    """Writes a value as text: for a thing, its name."""
    if isinstance(value, Thing):
        return value.name
    if isinstance(value, Const):
        return f"{value.text} {value.unit}".strip()
    return value.text if value is not None else ""


def noun(words: tuple[str, ...]) -> str:
    """The everyday word for a thing of a given class."""
    return NOUNS.get(words[0].casefold(), words[0]) if words else "thing"


def article(puzzle: Puzzle, var: str) -> str:
    """The question's noun for a variable ("bridge"), or "one" if the question has no noun for the
    variable."""
    return next((noun(k.words) for k in puzzle.kinds if k.var == var), "one")


def subject_phrase(puzzle: Puzzle) -> str:
    """The question's words for the pictured thing."""
    return puzzle.pictured_as or "the thing in the picture"


def label_of(puzzle: Puzzle, var: str) -> str:
    """The relations of a variable that are needed for the answer, in words."""
    mine = [
        f"the {relation_noun(f.relation)}" for f in puzzle.facts if f.relation and f.subject == var
    ]
    other = [
        f"what has it as its {relation_noun(f.relation)}"
        for f in puzzle.facts
        if f.relation and f.object == var and f.subject != var
    ]
    return " and ".join(dict.fromkeys(mine or other)) or "what it is"


def in_other_words(relation: Relation) -> str:
    """The goal for a second visit to a page on which the name of the relation did not occur. The
    goal contains two other phrases that pages use for the relation."""
    plain = [
        re.sub(
            r"\s+",
            " ",
            re.sub(
                r"\(\?[^()]*\)|\[[^\]]*\][*+?]*|[\\().*+?|^$,–-]",
                " ",
                c.words.pattern.replace(r"(?<!\w)", ""),
            ),
        ).strip()
        for c in cues_of(relation).subject
    ]
    words = list(dict.fromkeys(w.replace("\\ ", " ") for w in plain if len(w) > 3))[:2]
    return f"where it says “{'” or “'.join(words or [relation.label])}”"


def relation_noun(relation: Relation) -> str:
    """The noun for the object of a relation ("architect"). The noun is usually the relation's
    label, but some labels are no nouns ("founded by")."""
    if not relation.label.endswith(" by"):
        return relation.label
    nouns = property_phrase(relation.property, label=relation.label).o
    return next(iter(nouns), f"one that it was {relation.label}")


def words_of(fact: Fact, value: Read | Const | None, puzzle: Puzzle | None = None) -> str:
    """A fact about an unknown thing, worded so that it completes a phrase such as "a bridge that
    …". If the puzzle is given, the words fit the kinds of the fact's things."""
    said = stated(fact, value, puzzle)
    if said != named(value) or fact.relation is None:
        return said
    phrase = property_phrase(fact.relation.property, label=fact.relation.label)
    return (
        f"is the {phrase.s[0]} of {said}"
        if phrase.s
        else f"has {said} as {relation_noun(fact.relation)}"
    )


def goal_of(puzzle: Puzzle, var: str, known: Collection[str] = ()) -> str:
    """The goal for a visit to a thing's page, in the words of a person: what to look for on the
    page.

    Args:
        puzzle: the puzzle of the question.
        var: the variable that stands for the page's thing.
        known: variables whose values are known, so that the goal does not ask for them.
    """
    it = Const(kind="text", text="it")
    parts: list[str] = []
    for fact in puzzle.facts:
        if fact.relation and fact.subject == var and fact.object not in known:
            given = fact.object
            whether = f", whether it is {named(given)}" if isinstance(given, Const) else ""
            parts.append(f"the {relation_noun(fact.relation)}{whether}")
        elif fact.relation and fact.object == var and fact.subject not in known:
            parts.append(
                f"{with_article(_kind_word(puzzle, fact))} that {words_of(fact, it, puzzle)}"
            )
    return "; ".join(dict.fromkeys(parts))[:600] or "what it is"


def _kind_word(puzzle: Puzzle, fact: Fact) -> str:
    return next((noun(k.words) for k in puzzle.kinds if k.var == fact.subject), "one")


def _plain(pattern: str) -> str:
    return re.sub(
        r"\s+",
        " ",
        re.sub(r"\(\?<!\\w\)|\(\?[^()]*\)|\[[^\]]*\][*+?]*|[\\().*+?|^$,]", " ", pattern),
    ).strip()


def query_of(puzzle: Puzzle, var: str) -> str:
    """Words to search for: the names of the things to which the question relates a variable."""
    kind = [
        w
        for w in [
            next((k.words[0] for k in puzzle.kinds if k.var == var and k.words), "")
            or _head(puzzle.pictured_as)
        ]
        if w
    ]
    names = [
        named(f.object) for f in puzzle.facts if f.subject == var and isinstance(f.object, Const)
    ]
    return " ".join(dict.fromkeys([*kind, *names]))


def head_of(puzzle: Puzzle) -> tuple[str, ...]:
    """The question's noun for the pictured thing."""
    head = _head(puzzle.pictured_as)
    return (head,) if head else ()


def _head(phrase: str) -> str:
    return re.sub(
        r"^(?:the|this) (?:one\b)?|\b(?:shown|seen|in the|in this|pictured|here|with this)\b.*$",
        "",
        phrase,
    ).strip()


def is_kind(page: PageRead, words: tuple[str, ...]) -> float:
    """Scores how well the first sentences of a page fit a kind of thing: 0.5 if they state the
    kind, -0.25 if they use another word, -1 if they exclude the kind."""
    if not words:
        return 0.0
    lead = flat(" ".join([page.title, *(line.text for line in page.sentences[:2])]))
    if noun(words) == "person":
        return 0.5 if is_person(page) else -1.0 if page.visited else -0.25
    if is_person(page):
        return -1.0
    wanted = {
        w
        for word in words
        for w in (
            key(word),
            key(NOUNS.get(word.casefold(), word)),
            *KIND_WORDS.get(word.casefold(), ()),
        )
    }
    if any(w and f" {w} " in lead for w in wanted):
        return 0.5
    heads = [word for w in wanted for word in w.split() if word not in VAGUE]
    # A windmill may be called a mill; a painting "was painted by" somebody.
    said = [word for word in lead.split() if len(word) > 3]
    return (
        0.25
        if any(
            head.endswith(word) or (len(head) > 5 and word.startswith(head[:5]))
            for head in heads
            for word in said
        )
        else -0.25
    )


def stated_of(fact: Fact) -> str:
    """The goal for a visit to the page of a known object: which things have a given relation to
    this object."""
    return (
        f"something that {words_of(fact, fact.object if isinstance(fact.object, Const) else None)}"
    )


def lead_of(page: PageRead) -> str:
    """The first sentence of a page as a quotation; the page's title if it has no sentences."""
    return quoted_line(page.sentences[0].text if page.sentences else page.title)


def words_for(relation: Relation) -> tuple[str, ...]:
    """The ways to search for a relation, in a few words each, as pages of the relation's object
    state it; at most `MOST_WAYS`. With more words, the name in the query would count too little."""
    label = relation.label if len(relation.label) < LONG_LABEL else ""
    words = dict.fromkeys(
        w for c in cues_of(relation).object if len(w := _plain(c.words.pattern)) > 3
    )
    first, *others = list(words)[:MOST_WAYS] or [""]
    return (" ".join([*label.split(), *first.split()]), *others)


def is_person(page: PageRead) -> bool:
    """Whether a page is about a person: it has years in brackets after the name, or a birth in the
    infobox."""
    lead = page.sentences[0].text if page.sentences else ""
    return bool(
        re.search(
            r"\((?:[^()]*\D)?\d{3,4}\s*[–-]\s*(?:[^()]*\D)?\d{3,4}\)|\(born [^()]*\d{4}\)", lead
        )
    ) or any(name in ("birth_date", "birth_place", "occupation") for name, _ in page.facts.values())


def is_other_parent(page: PageRead, relation: Relation) -> bool:
    """Whether the pronouns of a person's page rule the person out as the father or the mother."""
    text = " ".join(line.text for line in page.sentences)
    men, women = (
        len(re.findall(p, text)) for p in (r"\b[Hh](?:e|is)\b", r"\b(?:She|she|Her|her)\b")
    )
    return {"P22": women > men, "P25": men > women}.get(relation.property, False)


def with_article(word: str) -> str:
    """A noun with the article "a" or "an"."""
    return "something" if word == "one" else f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def stated(fact: Fact, value: Read | Const | None, puzzle: Puzzle | None = None) -> str:
    """A fact about an unknown thing, worded as the thing's page may state it ("was born in Velm").
    If the puzzle is given, the words fit the kinds of the fact's things: a treaty "was signed in"
    a town, and a picture "hangs in" a museum."""
    if fact.relation is None:
        return named(value)
    phrase = property_phrase(fact.relation.property, label=fact.relation.label)
    if puzzle is not None:
        phrase = phrase.variant(_sorts(puzzle, fact.subject), _sorts(puzzle, fact.object))
    said = phrase.predicates("s", verb_forms())
    return (said[0] if said else "{o}").replace("{o}", named(value))


def _sorts(puzzle: Puzzle, end: End) -> tuple[str, ...]:
    """The kinds of things, as the table of phrases calls them, to which an end of a fact belongs."""
    words = {w.casefold() for k in puzzle.kinds if k.var == end for w in k.words}
    kinds = language_data("en")["kinds"]
    return tuple(kind for kind, names in kinds.items() if not words.isdisjoint(names))


def answer_of(puzzle: Puzzle, value: Read) -> str:
    """Writes a value in the form for which the question asks, such as only the year of a date."""
    if isinstance(value, Thing):
        return value.name
    if puzzle.ask_type == "date" and puzzle.precision == "year" and value.year is not None:
        return str(value.year)
    if puzzle.ask_type == "date" and puzzle.precision == "century" and value.year is not None:
        return Words.century(value.year)
    if puzzle.ask_type == "quantity" and value.number is not None and not puzzle.unit:
        return f"{value.number:.10g}"  # a number of things: the words behind it may be anything
    if (
        puzzle.ask_type == "quantity"
        and value.number is not None
        and not value.unit
        and puzzle.unit
    ):
        return f"{value.number:.10g} {puzzle.unit}"
    return value.text


def holds(order: Order, bound: Mapping[str, Any]) -> bool | None:
    """Whether a comparison of two values is true; None if one of the values is unknown."""
    if order.op == "!=":
        thing = bound[str(order.left)].value if order.left in bound else None
        named = isinstance(thing, Thing) and isinstance(order.right, Const)
        return key(thing.name) != key(order.right.text) if named else None  # type: ignore[union-attr]
    left, right = (
        _number(
            bound[e].value
            if isinstance(e, str) and e in bound
            else e
            if isinstance(e, Const)
            else None
        )
        for e in (order.left, order.right)
    )
    if left is None or right is None:
        return None
    return {"<": left < right, ">": left > right, "=": left == right}[order.op]


def _number(value: Read | Const | None) -> float | None:
    if isinstance(value, Const):
        digits = re.match(r"-?\d+(?:\.\d+)?", value.text)
        return float(digits[0]) if digits else None
    if isinstance(value, Literal):
        return value.number if value.year is None else float(value.year)
    return None
