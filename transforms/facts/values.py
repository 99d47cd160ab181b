"""Of the store's claims: the best values, whether a property has one value at most, whether two values agree, whether names collide."""

from questloom.knowledge.dates import coarsened, dates_overlap, refined
from questloom.knowledge.store.profiles import PERIODS
from questloom.prompts.phrases import property_use
from questloom.records.knowledge import (
    Claim,
    PropertyProfile,
    Value,
    entity_value,
)
from questloom.records.periods import YEAR
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.remembered import remembered

ENUMERATION_LIMIT = 5_000
"""No clause is enumerated beyond this many matches: it says too little to count as a clue (a hub, a common material)."""
MOST_SUBJECTS = 32_768
"""Things whose best values are kept: some ten kilobytes each."""
MIN_EVIDENCE = 20
"""Subjects from which a property's functionality is measured, and the weight in subjects of what is believed before a class is counted."""
DECLARED_SURPLUS, OTHER_SURPLUS = 0.005, 0.05
"""Second values a subject that are expected before anything is counted: of a property that is declared single-valued, and of any other."""
MOST_DATED = 0.05
"""A property of which more subjects say when the value held has values that come and go."""
CLIMB_DEPTH = 6
"""Steps from a place to one around it, and from one into it."""
_PLACES = ("P131", "P276", "P706")
TRANSITIVE = {
    "P279": ("P279",),
    "P361": ("P361", "P131"),
    **dict.fromkeys(("P131", "P276", "P706", "P19", "P20", "P159"), _PLACES),
}
"""Properties whose value's ancestors count as matches too, and the properties to climb by: a wreck off an island is one in the island's sea."""


def best_values(facts: Facts, subject: str, property: str) -> tuple[Value, ...]:
    """The best values of a property, each once, in the store's order; somevalue and novalue are among them.

    A date that stands there more exactly too ("1732" beside "22 February 1732") is no value of its own.
    """
    return _best_by_property(facts, subject).get(property, ())


@remembered(MOST_SUBJECTS)
def _best_by_property(facts: Facts, subject: str) -> dict[str, tuple[Value, ...]]:
    """`best_values` of every property: a margin asks many rivals for one property after another, and to read a thing's claims costs most."""
    found: dict[str, dict[str, Value]] = {}
    for claim in facts.claims(subject):
        if claim.best:
            found.setdefault(claim.property, {}).setdefault(claim.value.key(), claim.value)
    return {property: refined(values.values()) for property, values in found.items()}


@remembered()
def is_functional(
    facts: Lookups, property: str, classes: tuple[str, ...], subject: str = ""
) -> bool:
    """Whether a subject of these classes can be taken to have at most one value of the property.

    The second values a subject are estimated for each direct class, and held against the bar. A class of few subjects is
    drawn towards all subjects, and those towards what is believed beforehand, so that no count of subjects is a cliff. The bar
    is lower, and the belief better, where the property's own constraints say single value and the subject is not among their
    exceptions, or where the property has one value by its meaning ("date of birth"). Whose values come and go is never functional.
    """
    if facts.profile(property).num_dated > MOST_DATED * facts.profile(property).num_subjects:
        return False
    info = facts.property(property)
    declared = (
        bool(info and (info.single_value or info.single_best_value) and not info.separators)
        or property_use(property).single
    )
    declared = declared and not (info and subject in info.exceptions)
    bar = facts.trust.declared if declared else facts.trust.measured
    if not declared and facts.profile(property).num_subjects < MIN_EVIDENCE:
        return False
    overall = _surplus(
        facts.profile(property),
        DECLARED_SURPLUS if declared else OTHER_SURPLUS,
        MIN_EVIDENCE if declared else 1,
    )
    known = [
        _surplus(p, overall, MIN_EVIDENCE)
        for c in classes
        if (p := facts.profile(property, c)).num_subjects
    ]
    return all(1 / (1 + surplus) >= bar for surplus in known or [overall])


def is_volatile(facts: Facts, claim: Claim) -> bool:
    """Whether another day says otherwise: by the table of properties, or of a number that is told with the time at which it holds.

    Nobody can list every count of people, women or speakers; but a number that depends on a date says so, itself or mostly where its property is used.
    """
    if property_use(claim.property).volatile:
        return True
    if claim.value.kind != "quantity":
        return False
    profile = facts.profile(claim.property)
    return (
        any(q.property in PERIODS for q in claim.qualifiers)
        or profile.num_dated > MOST_DATED * profile.num_subjects
    )


def held_at(claim: Claim) -> str:
    """The day or year at which a claim states that it holds (point in time, start time), as Wikidata writes it; "" where it states none."""
    times = {q.property: q.value.time for q in claim.qualifiers if q.value.kind == "time"}
    return times.get("P585") or times.get("P580") or ""


def _surplus(profile: PropertyProfile, believed: float, weight: int) -> float:
    """Values a subject beyond the first, from what is counted and what was believed with the weight of so many subjects."""
    return (profile.num_pairs - profile.num_subjects + weight * believed) / (
        profile.num_subjects + weight
    )


def classes_of(facts: Facts, entity_id: str) -> tuple[str, ...]:
    """Direct classes, or () for an entity that the store does not know."""
    entity = facts.entity(entity_id)
    return entity.classes if entity else ()


def is_instance(facts: Facts, entity_id: str, class_id: str) -> bool | None:
    """Whether the entity is an instance by closure; None where the store knows no class of it."""
    entity = facts.entity(entity_id)
    if entity is None or not entity.classes:
        return None
    return class_id in entity.class_closure or class_id in entity.classes


def values_match(facts: Facts, property: str, wanted: Value, found: Value) -> bool:
    """Whether a found value is the wanted one: equal, a date or measure that may be the same, or a place inside it."""
    if wanted.kind == "time" and found.kind == "time":
        return dates_overlap(wanted, found)
    if wanted.key() == found.key():
        return True
    if wanted.kind == found.kind == "quantity":
        (least, most), (other_least, other_most) = wanted.bounds, found.bounds
        return wanted.unit == found.unit and least <= other_most and other_least <= most
    return (
        wanted.kind == found.kind == "entity"
        and property in TRANSITIVE
        and wanted.entity in places_around(facts, property, found.entity)
    )


@remembered()
def places_around(facts: Facts, property: str, entity_id: str) -> frozenset[str]:
    """The things within which a thing lies, by the properties by which values of a property are climbed; none for other properties."""
    climb = TRANSITIVE.get(property, ())
    seen, level = {entity_id}, {entity_id}
    for _ in range(CLIMB_DEPTH if climb else 0):
        level = {
            v.entity
            for e in sorted(level)
            for p in climb
            for v in best_values(facts, e, p)
            if v.kind == "entity"
        } - seen
        seen |= level
        if not level:
            break
    return frozenset(seen - {entity_id})


def is_namesake(facts: Facts, wanted: Value, found: Value) -> bool:
    """Whether two entities go by the wanted one's name: who reads "designed by Ivo Mersk" cannot tell one from the other.

    Namesakes are recognised among the values that rivals have; there is no look-up by name, so a rival that nothing but its
    namesake's value would bring up is not found.
    """
    if wanted.kind != "entity" or found.kind != "entity":
        return False
    one, two = facts.entity(wanted.entity), facts.entity(found.entity)
    return bool(
        one
        and two
        and one.label()
        and one.label().casefold() in {name.casefold() for name in two.names(("en",))}
    )


def is_less_specific(facts: Facts, rival: str, class_id: str) -> bool:
    """Whether the rival's class is an ancestor of the wanted one, so that it may well be an instance of it."""
    wanted = facts.entity(class_id)
    ancestors = set(wanted.class_closure) if wanted else set()
    frontier = {class_id}
    for _ in range(8):
        frontier = {
            v.entity
            for c in sorted(frontier)
            for v in best_values(facts, c, "P279")
            if v.kind == "entity"
        } - ancestors
        if not frontier:
            break
        ancestors |= frontier
    return bool(ancestors & set(classes_of(facts, rival)))


def value_as_clue(value: Value) -> Value:
    """A value as a clue says it: a date by its year, a thing without its qualifiers."""
    if value.kind == "time" and value.precision > YEAR:
        return coarsened(value, YEAR)
    return entity_value(value.entity) if value.kind == "entity" else value
