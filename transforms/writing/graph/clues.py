"""Decides which claims of an entity a question may use: as clues that describe the entity, or as
the attribute that is asked for."""

from random import Random

from questloom.prompts.phrases import property_use
from questloom.records.form import ClaimClause, ClassClause, Clause
from questloom.records.knowledge import Claim, Entity, Value, entity_value
from questloom.records.synthesis import Answer
from questloom.transforms.facts.askable import is_askable
from questloom.transforms.facts.calendars import precision_to_ask
from questloom.transforms.facts.century import CENTURY, has_one_century
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import (
    best_values,
    is_functional,
    is_volatile,
    value_as_clue,
)
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.form_edits import SELF

MAX_ROLES = 200
"""Of the claims that have the entity as value, the maximum number that are examined. An entity that
is the value of more than this number of claims counts as a hub."""


def class_clause(facts: Facts, entity: Entity) -> ClassClause | None:
    """The class that people name for the entity, as a clause about the variable `SELF`."""
    return (
        ClassClause(var=SELF, class_id=class_id)
        if (class_id := find_descriptor_class(facts, entity.id))
        else None
    )


def clue_clauses(
    facts: Lookups,
    entity: Entity,
    avoid: frozenset[str],
    asked: str,
    taken: frozenset[str],
) -> list[tuple[float, Clause]]:
    """Claims that can help to describe an entity. Each claim is given as a weight and a clause
    about the variable `SELF`. Claims of single-valued properties weigh more.

    Args:
        facts: the store.
        entity: the entity to describe.
        avoid: ids and value keys that a clue must not state, such as things on the path, named
            entities and the answer.
        asked: the property of this entity for which the question asks, or "". The asked property is
            not used as a clue. If the asked property is a date, no other date is used as a clue
            either.
        taken: properties that the question already uses for this entity.
    """
    found: list[tuple[float, Clause]] = []
    dates = any(v.kind == "time" for v in best_values(facts, entity.id, asked)) if asked else False
    for claim in facts.claims(entity.id):
        use = property_use(claim.property)
        if (
            not (claim.best and use.clue)
            or is_volatile(facts, claim)
            or claim.property in taken
            or claim.property == asked
            or claim.value.key() in avoid
        ):
            continue
        if not _sayable(facts, claim.value) or (dates and claim.value.kind == "time"):
            continue
        weight = use.weight * (
            2.0 if is_functional(facts, claim.property, entity.classes, entity.id) else 1.0
        )
        found.append(
            (
                weight,
                ClaimClause(
                    subject=SELF, property=claim.property, object=value_as_clue(claim.value)
                ),
            )
        )
    return found


def role_clauses(
    facts: Lookups, entity: Entity, avoid: frozenset[str]
) -> list[tuple[float, Clause]]:
    """Claims by which a named entity identifies this entity ("the architect of the Old Mill"), as
    clauses about the variable `SELF`."""
    found: list[tuple[float, Clause]] = []
    into = facts.claims_into(entity.id, limit=MAX_ROLES)
    for claim in into if len(into) < MAX_ROLES else ():
        source = facts.entity(claim.subject)
        use = property_use(claim.property)
        if (
            source is None
            or not source.classes
            or source.id in avoid
            or not use.hop
            or use.volatile
        ):
            continue
        if len(best_values(facts, source.id, claim.property)) == 1 and is_functional(
            facts, claim.property, source.classes, source.id
        ):
            found.append(
                (
                    use.weight,
                    ClaimClause(
                        subject=entity_value(source.id), property=claim.property, object=SELF
                    ),
                )
            )
    return found


def by_weight(weighted: list[tuple[float, Clause]], draw: Random) -> list[Clause]:
    """Orders clauses at random, so that clauses with a larger weight tend to come first (Efraimidis
    and Spirakis, 2006)."""
    return [
        c for _, c in sorted(weighted, key=lambda w: -(draw.random() ** (1.0 / max(w[0], 1e-6))))
    ]


def _sayable(facts: Facts, value: Value) -> bool:
    if value.kind == "entity":
        entity = facts.entity(value.entity)
        return entity is not None and bool(entity.labels)
    return (value.kind == "time" and value.year is not None) or value.kind in (
        "quantity",
        "string",
        "monolingual",
    )


def answerable(
    facts: Lookups, entity: Entity, max_words: int, avoid: frozenset[str]
) -> list[tuple[float, Claim, Answer]]:
    """The attributes of an entity for which a question can ask, and for which people would ask."""
    return [
        (weight, claim, answer)
        for weight, claim, answer in attributes(facts, entity, max_words, avoid)
        if property_use(claim.property).answer
        and is_askable(facts, entity.id, claim.property, claim.value)
    ]


def attributes(
    facts: Lookups, entity: Entity, max_words: int, avoid: frozenset[str]
) -> list[tuple[float, Claim, Answer]]:
    """The attributes for which a question can ask, or with which it can compute. An attribute must
    have a single value that is stable, short, and not yet used in the question.

    A date whose day is not certain is an answer by its year (`facts/calendars.py`).

    The year in which a thing came into being is left out as an answer, since sources give different
    years. The function `centuries` lets questions ask for the century of that year. A question may
    still count years from the year in which a thing came into being.
    """
    found = []
    for claim in facts.claims(entity.id):
        use = property_use(claim.property)
        if (
            not (claim.best and (use.answer or (use.clue and claim.value.kind == "time")))
            or is_volatile(facts, claim)
            or claim.value.key() in avoid
        ):
            continue
        if (
            single_value(
                facts, entity.id, claim.property, find_descriptor_class(facts, claim.value.entity)
            )
            != claim.value
        ):
            continue
        precision = precision_to_ask(facts, entity.id, claim.value)
        answer = None if precision is None else answer_of(facts, claim.value, precision=precision)
        if answer is not None and len(answer.text.split()) <= max_words:
            found.append((use.weight, claim, answer))
    return found


def centuries(facts: Lookups, entity: Entity, max_words: int) -> list[tuple[Claim, Answer]]:
    """The dates of an entity of which a question can ask the century, but not the year. The result
    has one claim per property."""
    found: dict[str, tuple[Claim, Answer]] = {}
    for claim in facts.claims(entity.id):
        told = (
            claim.best
            and has_one_century(facts, entity.id, claim.property)
            and is_askable(facts, entity.id, claim.property, claim.value)
        )
        answer = answer_of(facts, claim.value, precision=CENTURY) if told else None
        if answer is not None and len(answer.text.split()) <= max_words:
            found.setdefault(claim.property, (claim, answer))
    return list(found.values())
