"""The random walk: no node twice, no class of a node, no hub, no relation of the same kind twice; directions, properties and targets drawn in that order."""

from collections import Counter
from random import Random

import pytest

from questloom.records.knowledge import Article, Link, Section
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.drafting.walk import pick, walk
from questloom.transforms.facts.lookups import Lookups
from tests.small_facts import SmallFacts, claim
from tests.transforms.certificate.lighthouses import crowd

ALONG = DraftRules(reverse_share=0.0)
BORN = [
    c
    for i in range(60)
    for c in (claim(f"Q2{i:03}", "P19", f"Q3{i:03}"), claim(f"Q3{i:03}", "P31", "Q515"))
]


def walked(
    facts: SmallFacts, length: int, rules: DraftRules = ALONG, seed: int = 1, start: str = "Q1007"
):
    found = walk(Lookups(facts), facts.entity(start), length, rules, Random(seed))
    return found and (
        [(h.source, h.property, h.reverse, h.target) for h in found[0]],
        [n.id for n in found[1]],
    )


def test_a_walk_gives_its_hops_over_variables_and_its_nodes():
    assert walked(SmallFacts([*crowd(), *BORN]), 2) == (
        [("x0", "P84", False, "x1"), ("x1", "P19", False, "x2")],
        ["Q1007", "Q2007", "Q3007"],
    )
    assert walked(SmallFacts(crowd()), 0) == ([], ["Q1007"])


def test_a_walk_that_gets_stuck_is_none():
    assert walked(SmallFacts(crowd()), 3) is None


def test_no_walk_comes_back_to_a_node_or_passes_the_class_of_one():
    back = [claim(f"Q2{i:03}", "P19", f"Q1{i:03}") for i in range(60)]
    assert walked(SmallFacts([*crowd(), *back]), 2) is None
    to_class = [claim(f"Q2{i:03}", "P19", "Q39715") for i in range(60)]
    assert walked(SmallFacts([*crowd(), *to_class]), 2) is None


def test_two_steps_of_one_kind_do_not_follow_each_other():
    child = [claim(f"Q2{i:03}", "P22", f"Q3{i:03}") for i in range(60)] + [
        claim(f"Q3{i:03}", "P25", f"Q4{i:03}") for i in range(60)
    ]
    persons = [claim(f"Q{k}{i:03}", "P31", "Q5") for k in (3, 4) for i in range(60)]
    facts = SmallFacts([*crowd(), *child, *persons])
    assert walked(facts, 2) and walked(facts, 3) is None


def test_a_link_is_a_step_only_where_the_recipe_says_so_and_holds_its_sentence():
    page = Article(
        wiki="enwiki",
        title="Q1007",
        page_id=7,
        revision=5,
        entity_id="Q1007",
        sections=(Section(title="", level=1, text="Old. It lies near Hallow."),),
        links=(
            Link(target="Hallow", anchor="Hallow", section=0, sentence_start=5, sentence_end=25),
        ),
    )
    hallow = Article(wiki="enwiki", title="Hallow", page_id=8, revision=1, entity_id="Q77")
    facts = SmallFacts(
        [claim("Q1007", "P31", "Q39715"), claim("Q77", "P31", "Q515")],
        articles={"Q1007": page, "Q77": hallow},
    )
    assert walked(facts, 1) is None
    hops, _ = walk(Lookups(facts), facts.entity("Q1007"), 1, DraftRules(text_hops=True), Random(1))
    assert [
        (h.property, h.target, h.evidence, h.revision, h.section, h.start, h.end) for h in hops
    ] == [("", "x1", "It lies near Hallow.", 5, 0, 5, 25)]
    assert hops[0].article_id == page.id


def edge(property: str, target: str, reverse: bool = False, weight: float = 1.0) -> Edge:
    return Edge(property=property, target=target, reverse=reverse, weight=weight)


def drawn(choices: list[Edge], reverse_share: float, times: int = 600) -> Counter:
    chance = Random(4)
    return Counter(
        (e.property, e.target) for e in (pick(choices, reverse_share, chance) for _ in range(times))
    )


def test_where_both_directions_are_there_the_recipes_share_decides_else_the_one_that_is():
    both = [edge("P84", "Q1"), edge("P19", "Q2", reverse=True)]
    assert 120 < drawn(both, 0.3)["P19", "Q2"] < 240
    assert drawn(both, 0.0) == {("P84", "Q1"): 600} and drawn(both, 1.0) == {("P19", "Q2"): 600}
    assert drawn(both[:1], 1.0) == {("P84", "Q1"): 600} and drawn(both[1:], 0.0) == {
        ("P19", "Q2"): 600
    }
    assert pick([], 0.5, Random(1)) is None


def test_a_property_is_drawn_by_its_weight_and_not_by_how_many_targets_it_has():
    many = [edge("P1066", f"Q{i}") for i in range(40)]
    assert 240 < drawn([*many, edge("P84", "Q99")], 0.0)["P84", "Q99"] < 360
    assert 400 < drawn([*many, edge("P84", "Q99", weight=3.0)], 0.0)["P84", "Q99"] < 500
    assert len(drawn(many, 0.0)) > 30


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_is_the_same_for_the_same_chance(seed):
    facts = SmallFacts([*crowd(), *BORN])
    assert walked(facts, 2, DraftRules(), seed) == walked(facts, 2, DraftRules(), seed)
