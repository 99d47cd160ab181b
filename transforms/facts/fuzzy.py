"""Evaluates fuzzy clauses (vague clues, such as a decade in place of a year) on a store. In a
question, a fuzzy clause replaces an exact claim.

An unknown value probably fits a vague clause. The certificate therefore counts a thing without a
known value as a match (`transforms/certificate/margin.py`).
"""

from questloom.knowledge.dates import dates_of
from questloom.records.form import ClaimClause, ClassClause, Form, Fuzzy
from questloom.records.knowledge import Entity, Value
from questloom.records.periods import YEAR
from questloom.records.synthesis import Fuzzed
from questloom.transforms.facts.indexed import is_instance, is_less_specific
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import (
    ENUMERATION_LIMIT,
    best_values,
    dates_overlap,
    is_namesake,
    places_around,
    value_as_clue,
    values_by_key,
    values_match,
)
from questloom.transforms.remembered import remembered

Bound = dict[str, Value]


def fits(facts: Facts, clause: Fuzzy, subject: str, other: Value | None = None) -> bool | None:
    """Whether a fuzzy clause fits a thing; None if the store does not say.

    Args:
        facts: the store.
        clause: the fuzzy clause.
        subject: the thing.
        other: for an arithmetic clause ("ten years after the tower"), the thing from whose date the
            years are counted.
    """
    values = values_by_key(facts, subject, clause.property)
    found = [_value_fits(facts, clause, v, other) for v in values]
    if clause.kind == "exclusion":
        # A thing with a value there is there, whatever its other values are.
        return False if False in found else None if None in found or not found else True
    return True if True in found else None if None in found or not found else False


def _value_fits(facts: Facts, clause: Fuzzy, value: Value, other: Value | None) -> bool | None:
    if value.kind in ("somevalue", "novalue"):
        return None
    match clause.kind:
        case "category":
            return _is_of(facts, clause, value, name=False)
        case "meta-attribute":
            return _is_of(facts, clause, value, name=True)
        case "range":
            return _lies_in(clause, value)
        case "arithmetic":
            return _lies_years_from(facts, clause, value, other)
        case "exclusion":
            return _is_elsewhere(facts, clause, value)
    raise ValueError(f"no kind of fuzzy clause: {clause.kind!r}")


def _is_of(facts: Facts, clause: Fuzzy, value: Value, *, name: bool) -> bool | None:
    """Whether a thing, or a place around it, belongs to the clause's class. If `name` is true, the
    name of the thing or place must fit the clause too."""
    assert isinstance(clause.object, Value)
    class_id, found = clause.object.entity, list[bool | None]()
    around = sorted(places_around(facts, clause.property, value.entity))
    for thing in (value.entity, *around):
        entity = facts.entity(thing)
        is_of = is_instance(facts, thing, class_id)
        if is_of is False and is_less_specific(facts, thing, class_id):
            is_of = None
        if is_of is not False and name:
            is_of = (
                is_of
                if entity and any(has_name(n, clause) for n in names(facts, entity))
                else False
            )
        found.append(is_of)
    return True if True in found else None if None in found else False


def names(facts: Facts, entity: Entity) -> tuple[str, ...]:
    """The names of a thing in the language of the question; without any, its English names."""
    return entity.names((facts.language,)) or entity.names(("en",))


def has_name(name: str, clause: Fuzzy) -> bool:
    """Whether a name has the first letter, or the number of words, that a meta-attribute clause
    states."""
    if clause.initial:
        return name[:1].casefold() == clause.initial.casefold()
    return len(name.split()) == clause.number


def _lies_in(clause: Fuzzy, value: Value) -> bool | None:
    assert isinstance(clause.object, Value)
    if value.kind != "time" or not dates_overlap(clause.object, value):
        return False
    (first, last), spans = dates_of(clause.object)[-1].span, [d.span for d in dates_of(value)]
    return True if all(first <= a and b <= last for a, b in spans) else None


def _lies_years_from(facts: Facts, clause: Fuzzy, value: Value, other: Value | None) -> bool | None:
    starts = values_by_key(facts, other.entity, clause.since) if other is not None else ()
    years = {v.year if v.precision >= YEAR else None for v in (value, *starts)}
    if None in years or not starts:
        return None
    return any(value.year - s.year == clause.number for s in starts)  # type: ignore[operator]


def _is_elsewhere(facts: Facts, clause: Fuzzy, value: Value) -> bool | None:
    assert isinstance(clause.object, Value)
    if values_match(facts, clause.property, clause.object, value):
        return False
    # A coarser place may hold it, and readers cannot tell namesakes apart.
    is_open = values_match(facts, clause.property, value, clause.object)
    return None if is_open or is_namesake(facts, clause.object, value) else True


def exact_clause(facts: Facts, clause: Fuzzy, bound: Bound) -> ClaimClause | None:
    """The exact claim that a fuzzy clause replaces; None if no such claim exists.

    Args:
        facts: the store.
        clause: the fuzzy clause; all its variables must be in `bound`.
        bound: the intended value of every variable.
    """
    subject = bound[clause.subject]
    other = bound.get(clause.object) if isinstance(clause.object, str) else None
    fitting = [
        v
        for v in best_values(facts, subject.entity, clause.property)
        if _value_fits(facts, clause, v, other)
    ]
    if not fitting:
        return None
    value = value_as_clue(min(fitting, key=Value.key))
    return ClaimClause(subject=clause.subject, property=clause.property, object=value)


def claims_behind(facts: Facts, clause: Fuzzy, bound: Bound) -> tuple[ClaimClause, ...]:
    """The claims that a solver needs to confirm a fuzzy clause; empty if one is missing."""
    exact = exact_clause(facts, clause, bound)
    if exact is None or isinstance(clause.object, Value):
        return () if exact is None else (exact,)
    starts = best_values(facts, bound[clause.object].entity, clause.since)
    if not starts:
        return ()
    start = value_as_clue(min(starts, key=Value.key))
    return exact, ClaimClause(subject=clause.object, property=clause.since, object=start)


def count_candidates(facts: Facts, form: Form, clause: Fuzzy, bound: Bound) -> Fuzzed | None:
    """Counts the things of the described thing's class twice: those that fit the exact claim, and
    those that fit the vague clause.

    An arithmetic clause counts years from the date of another thing. A solver must find this other
    thing first, so the years may count from any thing of its class.

    Returns:
        The counts; None where the class has too many members.
    """
    exact = exact_clause(facts, clause, bound)
    members = _class_of(facts, form, clause.subject, bound)
    if exact is None or not members:
        return None
    assert isinstance(exact.object, Value)
    if isinstance(clause.object, str):
        years = _years_of(
            facts, find_descriptor_class(facts, bound[clause.object].entity), clause.since
        )
        after = sum(_may_lie(facts, clause, m, years) for m in members)
    else:
        after = sum(
            bool(values_by_key(facts, m, clause.property)) and fits(facts, clause, m) is not False
            for m in members
        )
    return Fuzzed(
        kind=clause.kind,
        var=clause.subject,
        property=clause.property,
        value=exact.object.key(),
        before=num_members_with(facts, form, exact, bound),
        after=after,
    )


def num_members_with(facts: Facts, form: Form, clue: ClaimClause, bound: Bound) -> int:
    """Number of things that have the value of a clue and belong to the described thing's class."""
    value = clue.object
    assert isinstance(clue.subject, str) and isinstance(value, Value), "a clue names its value"
    return sum(
        any(
            values_match(facts, clue.property, value, v)
            for v in values_by_key(facts, m, clue.property)
        )
        for m in _class_of(facts, form, clue.subject, bound)
    )


def _class_of(facts: Facts, form: Form, var: str, bound: Bound) -> tuple[str, ...]:
    """The members of the class that the words name for a thing; empty if there are too many."""
    kinds = [c.class_id for c in form.of(ClassClause) if c.var == var]
    kind = kinds[0] if kinds else find_descriptor_class(facts, bound[var].entity)
    if not kind or facts.num_members(kind) > ENUMERATION_LIMIT:
        return ()
    return facts.members(kind, limit=ENUMERATION_LIMIT)


@remembered()
def _years_of(facts: Facts, class_id: str, property: str) -> frozenset[int]:
    """All years that the members of a class have as values of a property."""
    dates = (
        v
        for m in facts.members(class_id, limit=ENUMERATION_LIMIT)
        for v in values_by_key(facts, m, property)
    )
    return frozenset(v.year for v in dates if v.year is not None)


def _may_lie(facts: Facts, clause: Fuzzy, member: str, years: frozenset[int]) -> bool:
    dates = [v for v in values_by_key(facts, member, clause.property) if v.kind == "time"]
    return any(
        v.year is None or v.precision < YEAR or v.year - clause.number in years for v in dates
    )
