"""Finds what a plan can read in pictures. Writing in a picture of the last thing can be the answer.
A year in a picture can lead to another thing.

A plan may read the question's own picture. A later picture shows a thing that a solver must find
first, and stands on the page of that thing. A plan reads a later picture only if the picture's page
does not also state the writing in words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from questloom.records.form import Ask, ClaimClause, ClassClause, Clause, Form, Image, Reads
from questloom.records.knowledge import Detail, Value, entity_value
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.evidence import claim_of, is_named
from questloom.transforms.certificate.singled_out import is_singled_out
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.readings import later_readings, year_readings
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.planning.ground import Ground
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.graph.graph_writer import ask_for

DATES = ("P571", "P577", "P1619")
"""Properties of dates (made, published, opened) by which a year can lead to a thing. Births are
left out, since many people are born in every year."""
LEAST_CANDIDATES = 5
"""Minimum number of things of a class that have a date in any year. With fewer dated things a
solver could guess without the picture."""


@dataclass(frozen=True)
class Dated:
    """The only thing of its class whose date is the year in a picture."""

    detail: Detail
    property: str
    thing: str
    class_id: str


def years_seen(facts: Lookups, thing: str, *, shown: bool) -> list[Detail]:
    """Details that show a year in pictures of a thing. If `shown` is true, the picture is the
    question's own picture, otherwise a later picture."""
    if shown:
        return year_readings(facts, thing)
    return [d for d in later_readings(facts, thing) if d.value.year is not None]


def reads(var: str, of: str, detail: Detail) -> Reads:
    """The clause that reads a detail."""
    return Reads(var=var, of=of, property=detail.property, part=detail.part)


def ask_reading(
    at: Ground, clauses: tuple[Clause, ...], bindings: dict[str, str], last: str
) -> Iterator[tuple[Form, dict[str, str], Answer]]:
    """Gives forms (questions as queries) that ask for the writing in a later picture: "Which year
    is on the plaque of the bridge that this man designed?"

    Args:
        at: the store, and the rules for planning.
        clauses: the clauses of the walk (a chain of steps).
        bindings: the values of all variables on the walk.
        last: the variable that stands for the last thing on the walk. The pictured thing itself
            gives no form, since its picture needs no search.
    """
    if not at.draft.detail_share or len(clauses) == 1:
        return
    for detail in later_readings(at.facts, bindings[last]):
        answer = answer_of(at.facts, detail.value)
        if answer is None or len(answer.text.split()) > at.draft.max_answer_words:
            continue
        form = Form(clauses=(*clauses, reads("r", last, detail)), ask=ask_for("r", answer))
        yield form, {**bindings, "r": detail.value.key()}, answer


def dated_by(at: Ground, thing: str, *, shown: bool) -> tuple[Dated, ...]:
    """The things to which a year in a picture of a thing leads, in a fixed order. The thing itself
    is among them if it is of that year."""
    if not at.draft.detail_share:
        return ()
    return tuple(
        Dated(detail, property, other, kind)
        for detail in years_seen(at.facts, thing, shown=shown)
        for property, other, kind in _things_of_year(
            at.facts, detail.value, at.certificate.margin, at.certificate.stated
        )
    )


@remembered()
def _things_of_year(
    facts: Lookups, year: Value, margin: int, stated: bool
) -> tuple[tuple[str, str, str], ...]:
    """Gives (property, thing, class) for each thing that is the only thing of its class with a date
    in the given year."""
    found = []
    for property in DATES:
        for thing in facts.subjects(property, year.key(), limit=200):
            kind = find_descriptor_class(facts, thing)
            if (
                kind
                and nearly_complete(facts, kind)
                and facts.profile(property, kind).num_subjects >= LEAST_CANDIDATES
                and _is_only(facts, property, thing, kind, year, margin, stated)
            ):
                found.append((property, thing, kind))
    return tuple(found)


def _is_only(
    facts: Lookups, property: str, thing: str, kind: str, year: Value, margin: int, stated: bool
) -> bool:
    """Whether class and year single a thing out with the required margin, and a page states the
    date of the thing."""
    clause = ClaimClause(subject="x1", property=property, object="r")
    form = Form(
        clauses=(
            Image(var="x0"),
            Reads(var="r", of="x0", property=property),
            clause,
            ClassClause(var="x1", class_id=kind),
        ),
        ask=Ask(var="x1", type="entity"),
    )
    binding = {"x0": entity_value(thing), "x1": entity_value(thing), "r": year}
    claim = claim_of(facts, clause, binding)
    if claim is None or (stated and not is_named(facts, claim)):
        return False
    return is_singled_out(facts, descriptions(form, binding)[0], binding["x1"], margin)
