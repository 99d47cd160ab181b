"""Judges a question by the truth. The verdict says whether the question has one answer, several
answers, another answer than the stated one, or ambiguous words.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from benchmarks.truth_reader.lexicon import data
from benchmarks.truth_reader.parts import BARE
from benchmarks.truth_reader.query import Has, Kind, Query, Related, Seen
from benchmarks.truth_reader.reader import Reader, Reading
from benchmarks.truth_reader.world import WHERE, Number, Text, century_of
from questloom.records.knowledge import Value
from questloom.records.synthesis import Question


class Finding(StrEnum):
    """The verdict on a question. GOOD means that the question's certificate is right. UNREAD means
    that the reader could not read the question; unread questions are counted separately.
    """

    GOOD = "good"
    AMBIGUOUS = "ambiguous"
    """The most natural reading has only the stated answer, but another reading is almost as natural
    and has other answers.
    """
    NOT_UNIQUE = "not_unique"
    """The stated answer is right, and another answer is right too."""
    WRONG = "wrong_answer"
    """The truth gives answers to the question, but the stated answer is not among them."""
    NONE = "no_answer"
    """The truth contains no answer that fits the words."""
    UNREAD = "unread"


@dataclass(frozen=True)
class Judged:
    """A question, with the verdict that the truth gives."""

    finding: Finding
    answers: tuple[str, ...] = ()
    """The answers of the most natural reading, in words."""
    pictured: frozenset[str] = frozenset()
    only_direct: bool = False
    """Whether the verdict would be GOOD if "in a place" excluded the smaller places inside the
    place.
    """
    disagreements: tuple[str, ...] = field(default=())
    """The differences between the question's words and its stored form."""


def stated(value: Value) -> Any:
    """A stated answer, converted to the reader's own notation: an id, a number, a text, or (year,
    month, day) as far as known.
    """
    match value.kind:
        case "entity":
            return value.entity
        case "time":
            sign = -1 if value.time.startswith("-") else 1
            parts = [int(x) for x in value.time.lstrip("+-").split("T")[0].split("-")]
            if value.precision == 7:
                return century_of(sign * parts[0])
            return tuple(
                [sign * parts[0], *parts[1:]][: {9: 1, 10: 2, 11: 3}.get(value.precision, 1)]
            )
        case "quantity":
            return Number(value.number or 0.0, value.unit)
        case _:
            return Text(value.text)


def agrees(answer: Any, wanted: Any) -> bool:
    """Whether an answer that the reader found equals the stated answer. Two numbers are equal if
    their first ten digits agree.
    """
    if isinstance(answer, Number) and isinstance(wanted, Number):
        close = abs(answer.number - wanted.number) <= 1e-8 * max(1.0, abs(wanted.number))
        return close and (answer.unit == wanted.unit or "" in (answer.unit, wanted.unit))
    if isinstance(answer, Text) and isinstance(wanted, Text):
        return " ".join(answer.text.split()).casefold() == " ".join(wanted.text.split()).casefold()
    return answer == wanted


def natural(readings: list[Reading]) -> list[Reading]:
    """The readings that a person would consider: those that have an answer.

    A reading is left out if it does not say which town is meant by "the town".
    """
    answered = [r for r in readings if r.answers]
    return [r for r in answered if r.query.cost < answered[0].query.cost + BARE]


def judge_text(
    reader: Reader, text: str, picture: frozenset[str], wanted: Any, *, beyond: bool = True
) -> tuple[Finding, Reading | None]:
    """Reads a text and compares its answers with the stated answer."""
    readings = reader.readings(text, picture, beyond=beyond)
    if not readings:
        return Finding.UNREAD, None
    considered = natural(readings)
    if not considered:
        return Finding.NONE, readings[0]
    right = [len(r.answers) == 1 and agrees(next(iter(r.answers)), wanted) for r in considered]
    first = considered[0]
    if right[0]:
        return Finding.GOOD if all(right) else Finding.AMBIGUOUS, first
    return Finding.NOT_UNIQUE if any(
        agrees(a, wanted) for a in first.answers
    ) else Finding.WRONG, first


def judge(reader: Reader, question: Question) -> Judged:
    """The truth's verdict on a question: its words, its picture, its stated answer."""
    picture = reader.truth.files.get(question.source_image_id, frozenset())
    wanted = stated(question.answer.value)
    wanted = reader.truth.id_of(wanted) if isinstance(wanted, str) else wanted
    finding, reading = judge_text(reader, question.text, picture, wanted)
    if reading is None:
        return Judged(finding)
    direct = (
        finding not in (Finding.GOOD, Finding.UNREAD)
        and judge_text(reader, question.text, picture, wanted, beyond=False)[0] == Finding.GOOD
    )
    words = tuple(sorted(in_words(reader, a) for a in reading.answers))
    return Judged(
        finding,
        words[:8],
        reading.pictured,
        direct,
        tuple(disagreements(reading.query, question, reader.truth.occupations)),
    )


def in_words(reader: Reader, answer: Any) -> str:
    """An answer in words."""
    if isinstance(answer, str):
        return f"{reader.truth.things[answer].label} ({answer})"
    return (
        f"{answer.number:g}"
        if isinstance(answer, Number)
        else answer.text
        if isinstance(answer, Text)
        else "-".join(map(str, answer))
    )


# ---------------------------------------------------------------- words against form

_WHERE = frozenset(WHERE)


def _said(query: Query) -> list[tuple[str, frozenset[str]]]:
    """Yields each condition of the query that could be a claim: its meaning in words, and the
    properties that fit.
    """
    found = []
    for atom in query.atoms:
        if isinstance(atom, Related):
            found.append(
                (atom.relation, frozenset().union(*(_properties(p) for p in atom.relation.split())))
            )
        elif isinstance(atom, Has):
            found.append((atom.properties, frozenset(atom.properties.split())))
    return found


def _properties(part: str) -> frozenset[str]:
    if part.startswith("@hq"):
        return _WHERE | {"P159"}
    return _WHERE if part.startswith("@in") else frozenset({part[1:]})


def disagreements(
    query: Query, question: Question, occupations: Set[str] = frozenset()
) -> Iterator[str]:
    """Yields the differences between the question's words and its stored form.

    The words may leave out a claim, state something that is no claim, or ask for another
    computation. The function does not check whether the question asks for the subject or the object
    of a claim, because running the question's words as a query already checks this. A noun for
    people's occupation, among `occupations` or the lexicon's callings, may say one claim of P106.
    """
    form = question.form if isinstance(question.form, dict) else {"clauses": []}
    claims = [c["property"] for c in form["clauses"] if c["is"] == "claim"]
    people = occupations | data()["callings"].keys()
    callings = sum(isinstance(a, Kind) and a.noun in people for a in query.atoms)
    said = _said(query)
    matched: dict[int, int] = {}

    def match(claim: int, tried: set[int]) -> bool:
        for i, (_, properties) in enumerate(said):
            if claims[claim] in properties and i not in tried:
                tried.add(i)
                if i not in matched or match(matched[i], tried):
                    matched[i] = claim
                    return True
        return False

    for claim in range(len(claims)):
        if match(claim, set()):
            continue
        if claims[claim] == "P106" and callings:
            callings -= 1
        else:
            yield f"the form has {claims[claim]}, which the words do not say"
    extra = [words for i, (words, _) in enumerate(said) if i not in matched]
    yield from (f"the words say {words}, which the form does not have" for words in extra)
    reads, seen = (
        sum(c["is"] == "reads" for c in form["clauses"]),
        sum(isinstance(a, Seen) for a in query.atoms),
    )
    if reads != seen:
        yield f"the form reads {reads} details, the words {seen}"
    ops = {c["op"] for c in form["clauses"] if c["is"] == "compute"}
    meant = {
        "years": {"duration_years", "difference"},
        "full_years": {"duration_years"},
        "difference": {"difference"},
        "sum": {"sum"},
        "ratio": {"ratio"},
        "count": {"count"},
    }.get(query.asked.kind)
    if meant and not ops & meant:
        yield f"the words ask for {query.asked.kind}, the form computes {sorted(ops)}"
    bound = {v for v in question.bindings.values() if v.startswith("Q")}
    if sum(isinstance(a, Kind) for a in query.atoms) == 0 and bound:
        yield "the words name no kind of thing"
