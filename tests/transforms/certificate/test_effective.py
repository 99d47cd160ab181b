"""Effective hops: what is sold as several steps and is one."""

import pytest

from questloom.records.form import Ask, ClaimClause, Compute, Form, Image
from questloom.records.knowledge import Entity, entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form, named_alike
from questloom.transforms.certificate.effective import (
    along,
    chain,
    composed,
    effective_hops,
    leads,
    skips_a_step,
)
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import crowd


def path(*steps, ask="entity"):
    """A form that leads from x0 over (property, reverse) steps to the last variable."""
    clauses = [Image(var="x0")]
    for i, (property, reverse) in enumerate(steps):
        ends = (f"x{i + 1}", f"x{i}") if reverse else (f"x{i}", f"x{i + 1}")
        clauses.append(ClaimClause(subject=ends[0], property=property, object=ends[1]))
    return Form(clauses=tuple(clauses), ask=Ask(var=f"x{len(steps)}", type=ask))


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ((("P22", False), ("P26", False)), 1),  # the person married to the father is the mother
        ((("P25", False), ("P26", False)), 1),
        (
            (("P40", True), ("P26", False)),
            1,
        ),  # the person who has x as a child, and that person's spouse
        ((("P22", False), ("P40", False)), 1),
        ((("P17", False), ("P36", False)), 1),  # the capital of the country
        ((("P131", False), ("P131", False)), 1),
        ((("P19", False), ("P17", False)), 1),
        ((("P84", False), ("P22", False), ("P26", False)), 2),
        ((("P84", False), ("P19", False)), 2),
        ((("P19", False), ("P131", False)), 2),
        ((("P26", False), ("P22", False)), 2),
        ((("P36", True), ("P131", False)), 2),
    ],
)
def test_relations_that_compose_count_as_one(steps, count):
    assert composed(steps) == count
    assert len(chain(path(*steps))) == len(steps)


def test_a_relation_told_backwards_is_its_opposite():
    assert along(("P802", True)) == ("P1066", False)
    assert along(("P802", False)) == ("P802", False)
    assert along(("P84", True)) == ("P84", True)


def test_there_is_no_chain_through_a_computation():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P569", object="a"),
            ClaimClause(subject="x0", property="P570", object="b"),
            Compute(out="n", op="difference", args=("a", "b")),
        ),
        ask=Ask(var="n", type="quantity"),
    )
    assert chain(form) == ()
    assert effective_hops(form, form, SmallFacts([]), {"x0": entity_value("Q1")}) == 2


def test_a_shorter_chain_of_other_claims_is_found_along_and_against_their_direction():
    facts = SmallFacts(
        [
            claim("Q1", "P84", "Q2"),
            claim("Q2", "P19", "Q3"),
            claim("Q1", "P131", "Q3"),
            claim("Q9", "P800", "Q1"),
            claim("Q1", "P31", "Q5"),
        ]
    )
    assert (
        leads(facts, "Q1", "Q3", 1) and leads(facts, "Q1", "Q9", 1) and leads(facts, "Q9", "Q3", 2)
    )
    assert not leads(facts, "Q9", "Q3", 1)
    assert not leads(facts, "Q1", "Q5", 2)


def test_a_chain_that_leads_to_other_things_too_is_no_shorter_question():
    facts = SmallFacts(
        [
            claim("Q1", "P47", "Q3"),
            claim("Q1", "P47", "Q4"),
            claim("Q3", "P36", "Q9"),
            claim("Q4", "P36", "Q9"),
            claim("Q3", "P138", "Q7"),
        ]
    )
    assert not leads(facts, "Q1", "Q3", 1)
    assert leads(facts, "Q1", "Q9", 2), "all that it leads through may be several"
    assert leads(facts, "Q1", "Q7", 2)


def test_nobody_goes_on_from_what_everything_leads_to():
    def workers(number: int) -> SmallFacts:
        towns = [
            claim("Qboss", "P108", "Qhub"),
            *(claim(f"Q1{i:02}", "P108", "Qhub") for i in range(number - 1)),
        ]
        return SmallFacts([*towns, claim("Qboss", "P19", "Qtown")])

    assert not leads(workers(21), "Qhub", "Qtown", 2)
    assert leads(workers(20), "Qhub", "Qtown", 2)


def test_a_shorter_chain_is_counted_and_refused_only_below_the_fewest_hops():
    steps = path(("P84", False), ("P19", False))
    facts = SmallFacts(
        [
            *crowd(),
            *(claim(f"Q2{i:03}", "P19", f"Q5{i:03}") for i in range(60)),
            claim("Q1003", "P131", "Q5003"),
            *(claim(f"Q5{i:03}", "P31", "Q515") for i in range(60)),
        ]
    )
    binding = {"x0": "Q1003", "x1": "Q2003", "x2": "Q5003"}

    def certify(**rules):
        return certify_form(
            steps,
            facts,
            {"x0": entity_value("Q1003")},
            binding,
            CertificateRules(stated=False, **rules),
        )

    found = certify()
    assert (
        isinstance(found, Refusal)
        and found.reason == Reason.COLLAPSES
        and found.evidence == {"nominal": 2, "effective": 1}
    )
    made = certify(min_hops=1)
    assert not isinstance(made, Refusal) and (made.nominal_hops, made.effective_hops) == (2, 1)


def test_what_composes_is_refused_whatever_the_fewest_hops():
    steps = path(("P22", False), ("P26", False))
    claims = [
        c
        for i in range(60)
        for c in (
            claim(f"Q1{i:03}", "P31", "Q5"),
            claim(f"Q1{i:03}", "P22", f"Q2{i:03}"),
            claim(f"Q2{i:03}", "P31", "Q5"),
            claim(f"Q2{i:03}", "P26", f"Q3{i:03}"),
            claim(f"Q3{i:03}", "P31", "Q5"),
        )
    ]
    found = certify_form(
        steps,
        SmallFacts(claims),
        {"x0": entity_value("Q1003")},
        {"x0": "Q1003", "x1": "Q2003", "x2": "Q3003"},
        CertificateRules(stated=False, min_hops=1),
    )
    assert (
        isinstance(found, Refusal)
        and found.reason == Reason.COLLAPSES
        and found.evidence == {"steps": 2, "composed": 1}
    )


def test_the_effective_hops_are_those_of_the_shortest_way():
    form = path(("P84", False), ("P19", False))
    binding = {"x0": entity_value("Q1"), "x1": entity_value("Q2"), "x2": entity_value("Q3")}
    claims = [claim("Q1", "P84", "Q2"), claim("Q2", "P19", "Q3")]
    assert effective_hops(form, form, SmallFacts(claims), binding) == 2
    assert (
        effective_hops(form, form, SmallFacts([*claims, claim("Q1", "P131", "Q3")]), binding) == 1
    )


def test_an_attribute_is_one_hop_more_than_the_way_to_its_thing():
    form = path(("P84", False), ("P22", False), ("P569", False), ask="date")
    binding = {
        "x0": entity_value("Q1"),
        "x1": entity_value("Q2"),
        "x2": entity_value("Q3"),
        "x3": year(1800),
    }
    claims = [claim("Q1", "P84", "Q2"), claim("Q2", "P22", "Q3"), claim("Q3", "P569", year(1800))]
    assert effective_hops(form, form, SmallFacts(claims), binding) == 3
    assert effective_hops(form, form, SmallFacts([*claims, claim("Q1", "P88", "Q3")]), binding) == 2


def test_an_answer_named_as_a_thing_on_the_way_collapses():
    form = path(("P19", False), ("P138", False))
    binding = {
        "x0": entity_value("Qx"),
        "x1": entity_value("Qtown"),
        "x2": entity_value("Qnamesake"),
    }

    def alike(town: str, namesake: str):
        entities = {
            "Qx": Entity(id="Qx", labels={"en": "Ivo"}),
            "Qtown": Entity(id="Qtown", labels={"en": town}),
            "Qnamesake": Entity(id="Qnamesake", labels={"en": namesake}),
        }
        return named_alike(
            form,
            SmallFacts(
                [claim("Qx", "P19", "Qtown"), claim("Qtown", "P138", "Qnamesake")], entities
            ),
            binding,
        )

    assert alike("Boston", "Boston") == ("Boston", "Boston")
    assert alike("New York City", "York") == ("York", "New York City")
    assert alike("Columbus", "Christopher Columbus")
    assert alike("Washington, D.C.", "George Washington") is None
    assert alike("St Ysolde's Church", "Saint Ysolde")
    assert alike("Saint", "Christopher Columbus") is None
    assert (
        named_alike(
            path(("P569", False), ask="date"),
            SmallFacts([]),
            {"x0": entity_value("Q1"), "x1": year(1800)},
        )
        is None
    )


def test_a_step_that_one_claim_skips_is_idle():
    """ "The family of this woman's teacher" donated a painting: it is her own family too."""
    claims = [claim("Q1", "P1066", "Q2"), claim("Q2", "P53", "Q3"), claim("Q4", "P1028", "Q3")]
    form = path(("P1066", False), ("P53", False), ("P1028", True))
    binding = {f"x{n}": entity_value(f"Q{n + 1}") for n in range(4)}

    def skips(*more):
        return skips_a_step(form, SmallFacts([*claims, *more]), binding)

    assert not skips()
    assert skips(claim("Q1", "P53", "Q3"))
    assert not skips(claim("Q1", "P53", "Q3"), claim("Q1", "P53", "Q9")), "of two families"
    assert not skips(claim("Q1", "P26", "Q2")), "a next step, not one beyond it"
    assert not skips(claim("Q3", "P112", "Q1"), claim("Q5", "P112", "Q1"), claim("Q3", "P31", "Q1"))
