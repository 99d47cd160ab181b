"""Where a path may go: over what, how far, and where not."""

import random

import pytest
from questloom.transforms.drafting.walk import pick, walk

from questloom.records.knowledge import Article, Entity, Link, Section, entity_value
from questloom.transforms.certificate.evidence import sentence_for
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.edges import Edge, edges, text_edges
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


def chained(length: int) -> SmallFacts:
    """Things in a row over a functional property, with as many rows as make it functional."""
    rows = [
        claim(f"Q{row}{i}", "P84", f"Q{row}{i + 1}")
        for row in range(60, 120)
        for i in range(length)
    ]
    return SmallFacts(
        rows,
        {
            f"Q{row}{i}": Entity(id=f"Q{row}{i}", labels={"en": f"{row} {i}"})
            for row in range(60, 120)
            for i in range(length + 1)
        },
    )


def test_a_walk_has_its_length_and_meets_no_node_twice():
    facts = chained(3)
    hops, nodes = walk(
        Lookups(facts), facts.entity("Q600"), 3, DraftRules(reverse_share=0.0), random.Random(1)
    )
    assert [n.id for n in nodes] == ["Q600", "Q601", "Q602", "Q603"]
    assert [(h.source, h.target, h.reverse) for h in hops] == [
        ("x0", "x1", False),
        ("x1", "x2", False),
        ("x2", "x3", False),
    ]
    assert (
        walk(
            Lookups(facts), facts.entity("Q600"), 4, DraftRules(reverse_share=0.0), random.Random(1)
        )
        is None
    )


def test_a_walk_never_turns_back_to_where_it_was():
    claims = [*crowd(), *(claim(f"Q2{i:03}", "P19", f"Q1{i:03}") for i in range(60))]
    facts = SmallFacts(claims)
    for seed in range(20):
        made = walk(Lookups(facts), facts.entity("Q1003"), 2, DraftRules(), random.Random(seed))
        assert made is None or len({n.id for n in made[1]}) == 3


def test_a_walk_does_not_repeat_a_kind_of_step():
    claims = [
        c
        for i in range(60)
        for c in (claim(f"Qa{i}", "P22", f"Qb{i}"), claim(f"Qb{i}", "P25", f"Qc{i}"))
    ]
    facts = SmallFacts(claims)
    assert walk(Lookups(facts), facts.entity("Qa1"), 1, DraftRules(), random.Random(1)) is not None
    assert walk(Lookups(facts), facts.entity("Qa1"), 2, DraftRules(), random.Random(1)) is None


def test_the_property_is_drawn_before_the_target_and_the_direction_before_both():
    choices = [Edge(property="P802", target=f"Q{i}", reverse=False, weight=1.0) for i in range(40)]
    choices += [
        Edge(property="P84", target="Q99", reverse=False, weight=1.0),
        Edge(property="P50", target="Q98", reverse=True, weight=1.0),
    ]
    drawn = [pick(choices, 0.5, random.Random(i)) for i in range(400)]
    assert 150 < sum(e.reverse for e in drawn) < 250
    assert 60 < sum(e.property == "P84" for e in drawn) < 140
    assert pick([], 0.5, random.Random(1)) is None
    assert not any(pick(choices, 0.0, random.Random(i)).reverse for i in range(50))
    assert pick(choices[-1:], 0.0, random.Random(1)).reverse, (
        "where only one direction is there it is taken"
    )


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


def test_a_link_within_a_categorys_name_leads_nowhere():
    facts = linking(("Two", "Two"))
    page = facts.articles["Q1"]
    broken = page.replace(
        sections=(Section(title="", level=1, text="category:Towers of Two"),),
        links=(page.links[0].replace(sentence_end=22),),
    )
    facts.articles["Q1"] = broken
    assert (
        text_edges(facts, facts.entity("Q1"), NOWHERE, 10) == []
        and sentence_for(broken, facts, entity_value("Q2")) is None
    )
    facts.articles["Q1"] = broken.replace(
        sections=(Section(title="", level=1, text="It stands beside Two."),)
    )
    assert [e.target for e in text_edges(facts, facts.entity("Q1"), NOWHERE, 10)] == ["Q2"]


def test_a_link_leads_on_where_its_words_are_a_name_and_its_target_is_no_hub_nor_avoided():
    facts = linking(("Two", "Two"), ("Three", "brick"), ("Nowhere", "Nowhere"))
    assert [e.target for e in text_edges(facts, facts.entity("Q1"), NOWHERE, 10)] == ["Q2"]
    assert not text_edges(facts, facts.entity("Q1"), frozenset({"Q2"}), 10)
    for in_degree, edges_there in (
        (10, [Edge(property="", target="Q2", reverse=False, weight=1.0)]),
        (11, []),
    ):
        facts.entities["Q2"] = facts.entities["Q2"].replace(in_degree=in_degree)
        assert text_edges(facts, facts.entity("Q1"), NOWHERE, 10) == edges_there


@pytest.mark.parametrize(
    ("words", "leads"),
    [("Three", True), ("the Three", False), ("iThree", False), ("三", True), ("3", True)],
)
def test_the_first_letter_of_a_links_words_tells_a_name_where_a_script_has_capitals(words, leads):
    facts = linking(("Three", words))
    assert [e.target for e in text_edges(facts, facts.entity("Q1"), NOWHERE, 10)] == ["Q3"] * leads
