"""Where a path may go: over what, how far, and where not."""

import pytest

from questloom.records.knowledge import Article, Entity, Link, Section
from questloom.transforms.drafting.edges import MAX_REVERSE, Edge, edges
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import LIGHTHOUSE, crowd

NOWHERE = frozenset[str]()


def found(
    facts: SmallFacts,
    entity: str = "Q1003",
    avoid=NOWHERE,
    max_hub: int = 100,
    trust: Trust = Trust(),
) -> set[tuple[str, str, bool]]:
    return {
        (e.property, e.target, e.reverse)
        for e in edges(Lookups(facts, trust), facts.entity(entity), avoid, max_hub)
    }


def test_a_functional_claim_leads_forward_and_back():
    facts = SmallFacts(crowd())
    assert ("P84", "Q2003", False) in found(facts)
    assert ("P84", "Q1003", True) in found(facts, "Q2003")


def test_the_steps_to_one_thing_are_those_of_all_steps_that_end_there():
    more = [claim("Q1004", "P84", "Q2003"), claim("Q2003", "P138", "Q1003")]
    facts = Lookups(SmallFacts([*crowd(), *more]))
    for one, other in (("Q1003", "Q2003"), ("Q2003", "Q1003"), ("Q1003", "Q2009")):
        whole = edges(facts, facts.entity(one), NOWHERE, 100)
        assert edges(facts, facts.entity(one), NOWHERE, 100, other) == [
            e for e in whole if e.target == other
        ]
    assert edges(facts, facts.entity("Q2003"), NOWHERE, 100, "Q1003")


def test_no_step_leads_back_from_a_hub_to_one_of_its_things_either():
    pupils = [claim(f"Q6{i:03}", "P84", "Q2003") for i in range(MAX_REVERSE)]
    facts = Lookups(SmallFacts([*crowd(), *pupils]))
    assert not edges(facts, facts.entity("Q2003"), NOWHERE, 10_000, "Q1003")


def test_nothing_leads_forward_over_what_has_many_values_or_two_here():
    many = [claim(f"Q1{i:03}", "P166", f"Q3{j:03}") for i in range(60) for j in range(3)]
    assert not any(p == "P166" and not back for p, _, back in found(SmallFacts([*crowd(), *many])))
    assert ("P84", "Q2003", False) not in found(
        SmallFacts([*crowd(300), claim("Q1003", "P84", "Q2004")])
    )


@pytest.mark.parametrize(
    ("property", "why"),
    [
        ("P102", "volatile"),
        ("P27", "trivial"),
        ("P1343", "never"),
        ("P99999", "unknown"),
        ("P186", "no hop"),
    ],
)
def test_nothing_leads_over_a_property_that_the_table_does_not_give_as_a_hop(property, why):
    claims = [claim(f"Q1{i:03}", property, f"Q3{i:03}") for i in range(60)]
    assert not any(p == property for p, _, _ in found(SmallFacts([*crowd(), *claims])))


def test_no_step_leads_from_somebody_to_the_county_where_they_were_born_but_to_the_town():
    born = [
        c
        for i in range(60)
        for c in (
            claim(f"Q2{i:03}", "P19", f"Q3{i:03}"),
            claim(f"Q3{i:03}", "P31", "Q28575" if i % 2 else "Q515"),
        )
    ]
    facts = SmallFacts([*crowd(), *born])
    assert ("P19", "Q3002", False) in found(facts, "Q2002") and (
        "P19",
        "Q3003",
        False,
    ) not in found(facts, "Q2003")


def test_what_is_avoided_and_what_is_a_hub_is_not_gone_to():
    facts = SmallFacts(crowd())
    assert ("P84", "Q2003", False) not in found(facts, avoid=frozenset({"Q2003"}))
    facts.entities["Q2003"] = facts.entities["Q2003"].replace(in_degree=100)
    assert ("P84", "Q2003", False) in found(facts, max_hub=100)
    assert ("P84", "Q2003", False) not in found(facts, max_hub=99)
    for in_degree in (100, 101):
        facts.entities["Q1003"] = facts.entities["Q1003"].replace(in_degree=in_degree)
        assert (("P84", "Q1003", True) in found(facts, "Q2003", max_hub=100)) == (in_degree == 100)


def test_a_claim_that_is_not_best_leads_nowhere():
    facts = SmallFacts(
        [*crowd(), claim("Q1998", "P31", LIGHTHOUSE), claim("Q1998", "P84", "Q2003", best=False)]
    )
    assert ("P84", "Q2003", False) not in found(facts, "Q1998")


def test_no_step_goes_back_against_claims_where_the_class_may_lack_members():
    facts = SmallFacts(crowd(), references=(0, 0))
    assert found(facts, "Q2003") == set()
    assert ("P84", "Q1003", True) in found(
        SmallFacts(crowd(), references=(0, 0), class_counts={LIGHTHOUSE: 60}), "Q2003"
    )
    assert ("P84", "Q2003", False) in found(facts)


def test_a_node_with_too_many_claims_into_it_is_not_left_against_them():
    claims = [
        c
        for i in range(200)
        for c in (claim(f"Q4{i:03}", "P31", LIGHTHOUSE), claim(f"Q4{i:03}", "P84", "Qbusy"))
    ]
    assert not found(SmallFacts([*crowd(), *claims]), "Qbusy")
    assert found(SmallFacts([*crowd(), *claims[2:]]), "Qbusy")


def test_no_step_leads_from_a_place_to_one_of_those_who_were_born_there():
    facts = SmallFacts(
        [*crowd(), *(claim(f"Q2{i:03}", p, f"Q1{i:03}") for i in range(60) for p in ("P19", "P88"))]
    )
    assert {
        e.property
        for e in edges(Lookups(facts), facts.entity("Q1003"), frozenset(), 100)
        if e.reverse
    } == {"P88"}


def test_steps_that_are_more_of_the_same_repeat():
    step = Edge(property="P22", target="Q1", reverse=False, weight=1.0)
    assert step.repeats("P25") and not step.repeats("P84")
    assert not Edge(property="P84", target="Q1", reverse=False, weight=1.0).repeats("P84")


def linking(*links: tuple[str, str]) -> SmallFacts:
    articles = {
        "Q1": Article(
            wiki="enwiki",
            title="One",
            page_id=1,
            revision=1,
            sections=(Section(title="", level=1, text="x"),),
            links=tuple(
                Link(target=t, anchor=words, section=0, sentence_start=0, sentence_end=1)
                for t, words in links
            ),
        )
    }
    articles |= {
        q: Article(wiki="enwiki", title=t, page_id=2, revision=1)
        for q, t in (("Q2", "Two"), ("Q3", "Three"))
    }
    return SmallFacts(
        [claim("Q1", "P569", year(1800))],
        {q: Entity(id=q, labels={"en": q}) for q in ("Q1", "Q2", "Q3")},
        articles,
    )
