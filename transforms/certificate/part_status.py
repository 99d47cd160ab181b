"""Compares an entity with one part of a description: the part matches, contradicts or leaves a gap."""

from collections.abc import Iterable

from questloom.records.form import ClassClause, Fuzzy, SentenceClause
from questloom.records.knowledge import Value
from questloom.transforms.certificate.description import Part
from questloom.transforms.certificate.execute import holds
from questloom.transforms.facts.fuzzy import fits
from questloom.transforms.facts.indexed import (
    classes_named,
    is_instance,
    is_less_specific,
)
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.page_statements import leads_to_target, rival_status
from questloom.transforms.facts.values import (
    best_values,
    is_functional,
    is_namesake,
    values_by_key,
    values_match,
)
from questloom.transforms.remembered import remembered


@remembered()
def status(facts: Lookups, rival: str, part: Part) -> str:
    """Compares a rival with one part of a description: "match", "contradicted" or "gap"."""
    unknown = "contradicted" if facts.trust.complete else "gap"
    if part.role == "kind":
        assert isinstance(part.clause, ClassClause)
        instance = is_instance(facts, rival, part.clause.class_id)
        if instance is None:
            return unknown
        return (
            "match"
            if instance
            else "contradicted"
            if not is_less_specific(facts, rival, part.clause.class_id)
            else unknown
        )
    assert part.value is not None
    if isinstance(part.clause, Fuzzy):
        return _fuzzy_status(facts, rival, part.clause, part.value)
    if isinstance(part.clause, SentenceClause):
        return rival_status(facts, rival, part.clause, part.value)
    subject = rival if part.role in ("has", "range") else part.value.entity
    # Only a comparison needs the calendar of a day.
    read = best_values if part.role == "range" else values_by_key
    values = read(facts, subject, part.property)
    known = [v for v in values if v.kind not in ("somevalue", "novalue")]
    if part.role == "range":
        verdicts = [
            holds(part.op, *((v, part.value) if part.own_side_left else (part.value, v)))
            for v in known
        ]
        if any(verdicts):
            return "match"
        fits_not = bool(verdicts) and None not in verdicts
    elif part.role == "has":
        if any(
            values_match(facts, part.property, part.value, v) or is_namesake(facts, part.value, v)
            for v in known
        ):
            return "match"
        # A coarser place or date neither fits nor contradicts.
        fits_not = bool(known) and not any(
            values_match(facts, part.property, v, part.value) for v in known
        )
    else:
        if any(v.kind == "entity" and v.entity == rival for v in known):
            return "match"
        fits_not = bool(known)
    if any(v.kind == "somevalue" for v in values):
        return "gap"
    if not known and any(v.kind == "novalue" for v in values):
        return "contradicted"
    if fits_not and (
        facts.trust.complete
        or is_functional(facts, part.property, classes_named(facts, subject), subject)
    ):
        return "contradicted"
    return unknown


def _fuzzy_status(facts: Lookups, rival: str, clause: Fuzzy, value: Value) -> str:
    """Compares a rival with a vague clause.

    A rival whose value is unknown counts as a match, not as a gap: a vague clause fits most values.
    """
    fit = fits(facts, clause, rival, value)
    if fit is None:
        silent = facts.trust.complete and clause.kind != "exclusion"
        return "contradicted" if silent else "match"
    if fit:
        return "match"
    one_value = clause.kind == "exclusion" or is_functional(
        facts, clause.property, classes_named(facts, rival), rival
    )
    return "contradicted" if facts.trust.complete or one_value else "gap"


def settles(facts: Lookups, part: Part, parts: Iterable[Part]) -> bool:
    """Whether a part of a description rules out every entity that it does not match. A part rules
    out all other entities if its property has a single value, or if every member of the class has
    the property exactly once."""
    assert part.value is not None or part.role == "kind"
    if part.role == "sentence":
        return part.value is not None and leads_to_target(part.clause, part.value)
    if facts.trust.complete:
        return part.role in ("has", "of", "kind")
    if part.role == "of" and part.value is not None:
        kinds = [p.clause.class_id for p in parts if isinstance(p.clause, ClassClause)]
        return (
            single_value(facts, part.value.entity, part.property, kinds[0] if kinds else "")
            is not None
        )
    if part.role == "has":
        kinds = [p.clause.class_id for p in parts if isinstance(p.clause, ClassClause)]
        for class_id in kinds:
            profile = facts.profile(part.property, class_id)
            if profile.num_instances and profile.coverage == 1.0 and profile.functionality == 1.0:
                return True
    return False


def part_in_words(part: Part) -> str:
    """How the certificate names a part of a description: "P84=Q12" or "class Q39715"."""
    if isinstance(part.clause, ClassClause):
        return f"class {part.clause.class_id}"
    key = part.value.key() if part.value else ""
    if isinstance(part.clause, Fuzzy):
        return f"{part.property} by {part.clause.kind}"
    words = {
        "has": f"{part.property}={key}",
        "of": f"{part.property} of {key}",
        "range": f"{part.property}{part.op}{key}",
    }
    return words.get(part.role, f"sentence about {key}")
