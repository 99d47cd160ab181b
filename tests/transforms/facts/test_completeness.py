"""Rivals that the store does not hold: what is known of them, and what is refused because of them."""

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form
from questloom.transforms.facts.completeness import nearly_complete, share_held
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import HUMAN, LIGHTHOUSE, crowd

FORWARD = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x1", property="P569", object="a"),
    ),
    ask=Ask(var="a", type="date", precision="year"),
)


@pytest.mark.parametrize(
    ("references", "complete"),
    [
        ((1000, 1000), True),
        ((900, 1000), True),
        ((899, 1000), False),
        ((199, 199), False),
        ((0, 0), False),
    ],
)
def test_a_class_is_nearly_complete_where_the_store_holds_what_its_pages_name_and_they_name_enough(
    references, complete
):
    assert (
        nearly_complete(Lookups(SmallFacts(crowd(), references=references)), LIGHTHOUSE) == complete
    )


def test_a_stated_number_of_members_says_more_than_the_pages():
    half, nearly = (
        SmallFacts(crowd(60), references=(0, 0), class_counts={LIGHTHOUSE: number})
        for number in (120, 64)
    )
    assert share_held(half, LIGHTHOUSE) == 0.5
    assert not nearly_complete(Lookups(half), LIGHTHOUSE)
    assert nearly_complete(Lookups(nearly), LIGHTHOUSE)
    assert not nearly_complete(Lookups(nearly), HUMAN)
    assert not nearly_complete(
        Lookups(SmallFacts(crowd(60), class_counts={LIGHTHOUSE: 120})), LIGHTHOUSE
    )
    assert share_held(SmallFacts(crowd(60), class_counts={LIGHTHOUSE: 40}), LIGHTHOUSE) == 1.0


def test_a_closed_world_lacks_nothing():
    assert nearly_complete(
        Lookups(SmallFacts(crowd(), references=(0, 0)), Trust(complete=True)), LIGHTHOUSE
    )


def certified(form, references, **more):
    facts = SmallFacts(crowd(), references=references)
    binding = {
        "x0": "Q1003",
        "x1": "Q2003",
        "a": next(c.value.key() for c in facts.claims("Q2003") if c.property == "P569"),
        **more,
    }
    return certify_form(
        form, facts, {"x0": entity_value("Q1003")}, binding, CertificateRules(stated=False)
    )


def test_a_hop_against_the_claims_is_refused_where_the_class_may_lack_members():
    by_two = Form(
        clauses=(
            *FORWARD.clauses[:2],
            ClaimClause(subject="x2", property="P1066", object="x1"),
            ClassClause(var="x2", class_id=HUMAN),
            ClaimClause(subject="x2", property="P569", object="a"),
        ),
        ask=FORWARD.ask,
    )
    pupils = [claim(f"Q2{i:03}", "P1066", f"Q2{(i - 1) % 60:03}") for i in range(60)]
    binding = {"x0": "Q1003", "x1": "Q2003", "x2": "Q2004", "a": year(1664).key()}

    def certify(references):
        return certify_form(
            by_two,
            SmallFacts([*crowd(), *pupils], references=references),
            {"x0": entity_value("Q1003")},
            binding,
            CertificateRules(stated=False),
        )

    found = certify((0, 0))
    assert (
        isinstance(found, Refusal)
        and found.reason == Reason.CLASS_INCOMPLETE
        and found.evidence == {"var": "x2", "class": HUMAN}
    )
    assert not isinstance(certify((1000, 1000)), Refusal)


def test_a_chain_of_functional_hops_forward_needs_no_complete_class():
    assert not isinstance(certified(FORWARD, (0, 0)), Refusal)


def test_where_every_missing_fact_is_false_a_margin_of_one_is_enough():
    assert Trust(complete=True).least_margin(3) == 1 and Trust().least_margin(3) == 3
