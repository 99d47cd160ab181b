"""Reads the text of a question. Returns the text's readings, each with its answers."""

from dataclasses import dataclass
from datetime import date

from benchmarks.truth_reader.execution import Execution, TooMany
from benchmarks.truth_reader.lexicon import Lexicon, data, is_kind, tokens
from benchmarks.truth_reader.query import (
    Number,
    Pictured,
    Query,
    Target,
    Text,
)
from benchmarks.truth_reader.references import Talk, resolved
from benchmarks.truth_reader.sentences import Sentences
from benchmarks.truth_reader.world import Truth, century_of

MOST_READINGS = 40
"""The maximum number of readings of one text that are run as queries. The most natural readings
come first.
"""


@dataclass(frozen=True)
class Reading:
    """One way to understand a text, with the answers that the truth gives for it."""

    query: Query
    answers: frozenset
    pictured: frozenset[str]
    """All things that the picture may show if the text is read in this way."""


class Reader:
    """Reads questions about one fictional world."""

    def __init__(self, truth: Truth) -> None:
        self.truth, self.lexicon = truth, Lexicon(truth)
        self._can: dict[tuple[str, str], bool] = {}

    def readings(self, text: str, picture: frozenset[str], *, beyond: bool = True) -> list[Reading]:
        """Returns all readings of a text that can be run as a query, the most natural first. The
        list is empty if the text cannot be read.

        Args:
            text: the text of the question.
            picture: the names of the files that hold the question's picture.
            beyond: whether "in a place" includes smaller places inside the place.
        """
        found: dict[Query, Reading] = {}
        for query in self.queries(text):
            if len(found) == MOST_READINGS:
                break
            execution = Execution(self.truth, is_kind, picture, beyond=beyond)
            try:
                answers, pictured = answered(execution, query)
            except TooMany:
                if not found:
                    return []  # the most natural reading cannot be executed, and no other may replace it
                continue
            found.setdefault(query, Reading(query, frozenset(answers), frozenset(pictured)))
        return list(found.values())

    def queries(self, text: str) -> list[Query]:
        """Every reading as a query in which each reference stands for its thing."""
        sentences = Sentences(tokens(text), self.lexicon)
        starts = (0, *(i + 1 for i, word in enumerate(sentences.text) if word == "."))
        starts = tuple(s + 2 * sentences.at(s, "there", "is") for s in starts)  # its subject
        talk = Talk(starts, self.can)
        found = [r for q in sentences.readings()[:200] for r in resolved(q, talk)]
        return sorted(dict.fromkeys(found), key=lambda q: (q.cost, repr(q)))

    def can(self, noun: str, relation: str) -> bool:
        """Whether any thing that a noun names has a relation of the lexicon: no person has a
        construction, and no river was painted. Some things are able though this world does not say
        so: a river has a depth.
        """
        if (noun, relation) not in self._can:
            properties = {part[1:] for part in relation.split() if part[0] == ">"}
            known = data()["able"].get(noun.split(" ")[-1], "")
            self._can[noun, relation] = bool(properties & {*known.split()}) or any(
                properties & thing.literals.keys() or self.truth.related(id_, relation)
                for id_, thing in self.truth.things.items()
                if is_kind(self.truth, id_, noun)
            )
        return self._can[noun, relation]


# ---------------------------------------------------------------- answers


def answered(execution: Execution, query: Query, given: dict | None = None) -> tuple[set, set[str]]:
    """All answers to a query, and all things that its picture may show."""
    pictured = [a.var for a in query.atoms if isinstance(a, Pictured)]
    answers: set = set()
    shows: set[str] = set()
    counted: dict[tuple, set[str]] = {}
    for found in execution.solutions(query.atoms, given):
        shows.update(found[v] for v in pictured)
        values = [found[v] for v in query.asked.vars]
        if query.asked.kind == "count":
            counted.setdefault((), set()).add(values[0])
        elif (value := value_of(query.asked, values)) is not None:
            answers.add(value)
    answers.update(Number(float(len(things))) for things in counted.values())
    return answers, shows


def value_of(asked: Target, values: list):
    """Returns the answer that one solution gives to the question. Returns None if the answer
    is undefined.
    """
    first = values[0]
    match asked.kind:
        case "thing" | "text":
            return first
        case "year" | "month" | "day":
            return (
                first[: {"year": 1, "month": 2, "day": 3}[asked.kind]]
                if isinstance(first, tuple)
                else None
            )
        case "century":
            return century_of(first[0]) if isinstance(first, tuple) else None
        case "number":
            return first if isinstance(first, Number) and asked.unit in ("", first.unit) else None
        case "years":
            numbers = [
                v[0] if isinstance(v, tuple) else v.number
                for v in values
                if not isinstance(v, Text)
            ]
            return Number(float(abs(numbers[0] - numbers[1]))) if len(numbers) == 2 else None
        case "full_years":
            if not all(isinstance(v, tuple) and all(v) for v in values):
                return None
            one, two = sorted(date(*v) for v in values)
            return Number(
                float(two.year - one.year - ((two.month, two.day) < (one.month, one.day)))
            )
    if (
        not all(isinstance(v, Number) for v in values)
        or values[0].unit != values[1].unit
        or (asked.unit and values[0].unit != asked.unit)
    ):
        return None
    left, right = (v.number for v in values)
    if asked.kind == "ratio":
        return Number(left / right) if right else None
    return Number(abs(left - right) if asked.kind == "difference" else left + right, values[0].unit)
