"""How an evidence graph grows, and where it stops."""

import asyncio

import pytest

from questloom.transforms.drafting.draft_rules import DraftRules, ExploreRules
from questloom.transforms.drafting.exploration.growing import grown
from questloom.transforms.writing.evidence import EvidenceGraph
from tests.transforms.drafting.exploration.by_chance import ChanceExplorer
from tests.transforms.drafting.exploration.made import COAST, seed


def grow(shown=lambda e: True, **explore) -> EvidenceGraph:
    rules = DraftRules(explore=ExploreRules(**explore))
    return asyncio.run(grown(seed(), COAST.entity("Q1003"), COAST, rules, ChanceExplorer(1), shown))


def test_a_graph_holds_the_seed_and_what_is_found_around_it():
    made = grow()
    assert made.nodes[0].id == "Q1003" and made.ids == {"Q1003", "Q2003", "Q3003", "Q4003"}
    assert all(n.found_from in made.ids for n in made.nodes[1:])


@pytest.mark.parametrize("anchors", [1, 2])
def test_a_graph_has_no_more_anchors_than_the_recipe_says(anchors):
    assert len(grow(anchors=anchors).nodes) == anchors + 1


def test_a_phase_finds_no_more_nodes_than_the_recipe_says():
    made = grow(nodes_per_phase=1)
    assert max(sum(n.found_from == at.id for n in made.nodes) for at in made.nodes) == 1


def test_below_the_share_of_pictured_nodes_those_with_a_picture_come_first():
    def only_the_town(entity_id: str) -> bool:
        return entity_id in ("Q3003",)

    assert {
        n.id for n in grow(only_the_town, anchors=2, nodes_per_phase=1, image_ratio=1.0).nodes
    } == {"Q1003", "Q2003", "Q3003"}
    assert [
        n.pictured for n in grow(only_the_town, anchors=2, nodes_per_phase=1, image_ratio=1.0).nodes
    ] == [False, False, True]


def test_the_links_of_a_graph_are_all_that_hold_between_its_nodes():
    made = grow()
    assert {(k.source, k.property, k.target) for k in made.links} >= {
        ("Q1003", "P84", "Q2003"),
        ("Q4003", "P84", "Q2003"),
        ("Q2003", "P84", "Q4003"),
    }
    assert all({k.source, k.target} <= made.ids for k in made.links)


def test_a_seed_from_which_nothing_leads_stays_alone():
    rules = DraftRules(max_hub=100)
    alone = asyncio.run(
        grown(seed(), COAST.entity("Q39715"), COAST, rules, ChanceExplorer(1), lambda e: True)
    )
    assert len(alone.nodes) == 1 and not alone.links


def test_the_same_seed_grows_the_same_graph_and_its_json_is_small():
    assert grow() == grow()
    told = grow().to_json()
    assert set(told) == {"nodes", "links", "perceptions", "reasonings"} and len(str(told)) < 2_000


def test_where_things_are_to_be_compared_a_second_one_of_a_kind_comes_before_others():
    def second(reasons: bool) -> set[str]:
        rules = DraftRules(explore=ExploreRules(anchors=2, nodes_per_phase=1))
        return {
            n.id
            for number in range(8)
            for n in asyncio.run(
                grown(
                    seed().replace(index=number),
                    COAST.entity("Q1003"),
                    COAST,
                    rules,
                    ChanceExplorer(1),
                    lambda e: True,
                    reasons=reasons,
                )
            ).nodes[2:]
        }

    assert second(reasons=True) == {"Q4003"} and second(reasons=False) == {"Q3003", "Q4003"}
