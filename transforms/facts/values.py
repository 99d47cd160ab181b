"""Facts about the store's claims: the best values, single-valued properties, values that agree, and
things with the same name."""

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
from questloom.transforms.facts.lookups import Facts, Lookups, languages_of
from questloom.transforms.facts.value_index import indexed_values
from questloom.transforms.remembered import remembered

ENUMERATION_LIMIT = 5_000
"""Maximum number of matches of a clause that are enumerated. A clause with more matches is too
general for a clue (a hub, a common material)."""
MOST_SUBJECTS = 32_768
"""Number of things whose best values stay in memory. The values of one thing take about ten
kilobytes."""
MIN_EVIDENCE = 20
"""Minimum number of subjects from which a property's functionality is measured. In an estimate, the
prior weighs as much as `MIN_EVIDENCE` subjects."""
DECLARED_SURPLUS, OTHER_SURPLUS = 0.005, 0.05
"""Prior estimates of the number of values per subject beyond the first: for a property that is
declared single-valued, and for any other property."""
MOST_DATED = 0.05
"""Maximum share of subjects with dated values. If more subjects have dated values, the values of
the property come and go."""
CLIMB_DEPTH = 6
"""Maximum number of steps from a place up to its surroundings, and from a place down into its parts."""
_PLACES = ("P131", "P276", "P706")
TRANSITIVE = {
    "P279": ("P279",),
    "P361": ("P361", "P131"),
    **dict.fromkeys(("P131", "P276", "P706", "P19", "P20", "P159"), _PLACES),
}
"""Properties that also hold for the larger things around their value: a wreck off an island is also
in the island's sea. Each property has a list of the properties that lead from a value to the larger
things."""


def best_values(facts: Facts, subject: str, property: str) -> tuple[Value, ...]:
    """The best values of a property, without duplicates, in the store's order. The values include
    somevalue (unknown) and novalue (none).

    The date "1732" does not count where the property also has "22 February 1732".
    """
    return _best_by_property(facts, subject).get(property, ())


def values_by_key(facts: Facts, subject: str, property: str) -> tuple[Value, ...]:
    """The result of `best_values`, but days may come without their calendar. Use this function for
    many subjects, and where only the values' keys, years and periods matter."""
    found = indexed_values(facts, subject, property)
    return best_values(facts, subject, property) if found is None else found


@remembered(MOST_SUBJECTS)
def _best_by_property(facts: Facts, subject: str) -> dict[str, tuple[Value, ...]]:
    """The result of `best_values` for every property of a thing. The values of all properties are
    computed together, because certificates look up many properties of a thing, and reading its
    claims takes most of the time."""
    found: dict[str, dict[str, Value]] = {}
    for claim in facts.claims(subject):
        if claim.best:
            found.setdefault(claim.property, {}).setdefault(claim.value.key(), claim.value)
    return {property: refined(values.values()) for property, values in found.items()}


def is_functional(
    facts: Lookups, property: str, classes: tuple[str, ...], subject: str = ""
) -> bool:
    """Whether a subject of these classes can be assumed to have at most one value of the property.

    The number of values per subject beyond the first is estimated for each direct class, and
    compared with a threshold. The estimate for a small class is shrunk towards the estimate for all
    subjects. The estimate for all subjects is shrunk towards the prior. The estimate therefore
    changes smoothly with the number of subjects. Threshold and prior favour a property that
    Wikidata's constraints call single-valued, unless the subject is an exception to these
    constraints. Threshold and prior also favour a property with one value by its meaning ("date of
    birth"). A property whose values come and go never counts as functional (single-valued).
    """
    # The subject itself matters so rarely that it is not part of what is remembered.
    return _is_functional(facts, property, classes, subject in _exceptions(facts, property))


@remembered()
def _exceptions(facts: Facts, property: str) -> frozenset[str]:
    """The subjects that Wikidata's constraints on a property leave out."""
    info = facts.property(property)
    return frozenset(info.exceptions) if info else frozenset()


@remembered()
def _is_functional(
    facts: Lookups, property: str, classes: tuple[str, ...], is_exception: bool
) -> bool:
    if facts.profile(property).num_dated > MOST_DATED * facts.profile(property).num_subjects:
        return False
    info = facts.property(property)
    declared = (
        bool(info and (info.single_value or info.single_best_value) and not info.separators)
        or property_use(property).single
    )
    declared = declared and not is_exception
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
    """Whether the value of the claim may change with time. The value may change if the table of
    properties says so, or if the value is a number that holds at a stated time.

    No table can list every count of people, women or speakers. A number depends on a date if its
    claim states a date. A number also depends on a date if more than `MOST_DATED` of the property's
    subjects have dated values.
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
    """The day or year at which a claim says that it holds (point in time, start time), in
    Wikidata's format; "" where it says none."""
    times = {q.property: q.value.time for q in claim.qualifiers if q.value.kind == "time"}
    return times.get("P585") or times.get("P580") or ""


def _surplus(profile: PropertyProfile, believed: float, weight: int) -> float:
    """Estimated number of values per subject beyond the first. The prior counts as much as `weight` subjects."""
    return (profile.num_pairs - profile.num_subjects + weight * believed) / (
        profile.num_subjects + weight
    )


def classes_of(facts: Facts, entity_id: str) -> tuple[str, ...]:
    """The direct classes of an entity; () for an entity that the store does not know."""
    entity = facts.entity(entity_id)
    return entity.classes if entity else ()


def values_match(facts: Facts, property: str, wanted: Value, found: Value) -> bool:
    """Whether a found value matches the wanted value. The values are equal, or two dates or
    measures may be the same, or the found place lies inside the wanted place."""
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


def places_around(facts: Facts, property: str, entity_id: str) -> frozenset[str]:
    """The larger things in which a thing lies, as `TRANSITIVE` defines for a property; empty for
    other properties. The results are cached, because certificates look up the same places again and
    again."""
    climb = TRANSITIVE.get(property)
    return _around(facts, climb, entity_id) if climb else frozenset()


@remembered()
def _around(facts: Facts, climb: tuple[str, ...], entity_id: str) -> frozenset[str]:
    seen, level = {entity_id}, {entity_id}
    for _ in range(CLIMB_DEPTH):
        level = {
            v.entity
            for e in sorted(level)
            for p in climb
            for v in values_by_key(facts, e, p)
            if v.kind == "entity"
        } - seen
        seen |= level
        if not level:
            break
    return frozenset(seen - {entity_id})


def is_namesake(facts: Facts, wanted: Value, found: Value) -> bool:
    """Whether the found entity also has the name of the wanted entity. A reader of "designed by Ivo
    Mersk" cannot tell two people of this name apart.

    Namesakes are recognised only among the values of known rivals (other things that may fit),
    since the store has no look-up by name.
    """
    if wanted.kind != "entity" or found.kind != "entity":
        return False
    name = _name_told(facts, wanted.entity)
    return bool(name) and name in _names_read(facts, found.entity)


@remembered(MOST_SUBJECTS)
def _name_told(facts: Facts, entity_id: str) -> str:
    """The name by which a question names an entity, without regard to capital letters."""
    entity = facts.entity(entity_id)
    return entity.label(facts.language).casefold() if entity else ""


@remembered(MOST_SUBJECTS)
def _names_read(facts: Facts, entity_id: str) -> frozenset[str]:
    """The names of an entity that a reader may meet, without regard to capital letters."""
    entity = facts.entity(entity_id)
    names = entity.names(languages_of(facts)) if entity else ()
    return frozenset(name.casefold() for name in names)


def value_as_clue(value: Value) -> Value:
    """A value as a clue states it: a date as a year, a thing without qualifiers."""
    if value.kind == "time" and value.precision > YEAR:
        return coarsened(value, YEAR)
    return entity_value(value.entity) if value.kind == "entity" else value
