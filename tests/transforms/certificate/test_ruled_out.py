"""What may be left out of a large class without a look, each case the smallest that shows one rule."""

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form
from questloom.records.knowledge import Entity, Value, entity_value, value_of_key
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.fitting import matches_of
from questloom.transforms.certificate.part_status import status
from questloom.transforms.certificate.ruled_out import FEW, possible_matches
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import LIGHTHOUSE, crowd

KIND = ClassClause(var="v", class_id=LIGHTHOUSE)
BASE = [*crowd(2 * FEW), claim("Q1999", "P31", LIGHTHOUSE)]


def left(claims: list, *more, listing: int = 0, trust: Trust = Trust(), **known) -> set[str]:
    """What `possible_matches` leaves of one part; nothing that another part leaves in is missing."""
    facts = Lookups(SmallFacts(claims, **known), trust)
    form = Form(clauses=(KIND, *more), ask=Ask(var="v", type="entity"))
    parts = list(descriptions(form, {"v": entity_value("Q1000")})[0].parts)
    found = possible_matches(facts, parts[listing], parts)
    for thing in set(matches_of(facts, parts[listing]) or ()).difference(found):
        assert "contradicted" in [status(facts, thing, part) for part in parts]
    return set(found)


def has(property: str, value: str | Value) -> ClaimClause:
    known = entity_value(value) if isinstance(value, str) else value
    return ClaimClause(subject="v", property=property, object=known)


@pytest.mark.parametrize(
    "said",
    [[], [claim("Q1999", "P84", Value(kind="somevalue"))], [claim("Q1999", "P84", "Q2000")]],
    ids=["nothing", "unknown", "the same"],
)
def test_only_a_member_that_names_another_thing_is_left_out(said):
    assert left([*BASE, *said], has("P84", "Q2000")) == {"Q1000", "Q1999"}
    assert left([*BASE, claim("Q1999", "P84", "Q2001")], has("P84", "Q2000")) == {"Q1000"}


def test_a_namesake_stays():
    named = {q: Entity(id=q, labels={"en": "Ivo Mersk"}) for q in ("Q2000", "Q2001")}
    assert left(BASE, has("P84", "Q2000"), entities=named) == {"Q1000", "Q1001", "Q1999"}


def test_what_lies_inside_or_around_the_named_place_stays():
    sea, island, bay = "Q91", "Q92", "Q93"
    places = [claim(island, "P706", sea), claim(bay, "P706", island)]
    at = [claim(f"Q1{n:03}", "P276", f"Q3{n:03}") for n in range(3, 2 * FEW)]
    at += [claim(f"Q100{n}", "P276", place) for n, place in enumerate((sea, island, bay))]
    claims = [*crowd(2 * FEW), *places, *at]
    for place in (sea, island, bay):
        assert left(claims, has("P276", place)) == {"Q1000", "Q1001", "Q1002"}


def test_nothing_is_left_out_by_a_property_with_several_values_or_in_a_small_class():
    awarded = [claim(f"Q1{n:03}", "P166", f"Q4{m}") for n in range(2 * FEW) for m in range(2)]
    assert len(left([*BASE, *awarded], has("P166", "Q40"))) == 2 * FEW + 1
    assert len(left(crowd(FEW), has("P84", "Q2000"))) == FEW


def test_things_of_another_kind_are_left_out_of_what_shares_a_value():
    same = [claim(q, "P571", year(1832)) for q in ("Q1999", *(f"Q2{n:03}" for n in range(2 * FEW)))]
    opened = has("P571", value_of_key(year(1832).key()))
    found = left([*BASE, *same], has("P84", "Q2000"), opened, listing=2)
    assert "Q1999" in found and not any(q.startswith("Q2") for q in found)
