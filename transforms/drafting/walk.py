"""The constrained random walk of OpenSearch-VL (3.1): from the seed over claims, no hub, no node twice."""

from random import Random
from typing import Any

from questloom.records.knowledge import Entity, entity_value
from questloom.records.synthesis import Hop
from questloom.transforms.certificate.evidence import sentence_for
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.edges import Edge, edges, text_edges
from questloom.transforms.facts.lookups import Facts, Lookups


def walk(
    facts: Lookups, start: Entity, length: int, rules: DraftRules, chance: Random
) -> tuple[tuple[Hop, ...], tuple[Entity, ...]] | None:
    """One walk of `length` steps, as hops over the variables x0 … xh and their entities; None where it gets stuck."""
    nodes, hops = [start], list[Hop]()
    for step in range(length):
        avoid = frozenset(n.id for n in nodes) | frozenset(c for n in nodes for c in n.classes)
        choices = edges(facts, nodes[-1], avoid, rules.max_hub)
        if rules.text_hops:
            choices += text_edges(
                facts, nodes[-1], avoid | {e.target for e in choices}, rules.max_hub
            )
        choices = [e for e in choices if not (hops and e.repeats(hops[-1].property))]
        edge = pick(choices, rules.reverse_share, chance)
        if edge is None:
            return None
        target = facts.entity(edge.target)
        assert target is not None
        place = {} if edge.property else _sentence(facts, nodes[-1], target)
        hops.append(
            Hop(
                source=f"x{step}",
                target=f"x{step + 1}",
                property=edge.property,
                reverse=edge.reverse,
                **place,
            )
        )
        nodes.append(target)
    return tuple(hops), tuple(nodes)


def _sentence(facts: Facts, entity: Entity, target: Entity) -> dict[str, Any]:
    """The sentence that links to the target, as fields of a hop."""
    article = facts.article(entity.id)
    found = sentence_for(article, facts, entity_value(target.id))
    assert article is not None and found is not None, "the edge comes from a link"
    return {
        "evidence": found[3],
        "revision": article.revision,
        "article_id": article.id,
        "section": found[0],
        "start": found[1],
        "end": found[2],
    }


def pick(choices: list[Edge], reverse_share: float, chance: Random) -> Edge | None:
    """An edge at random: first the direction, then the property by weight, then the target.

    The property is drawn before the target, so that a node with forty pupils is not left by that relation forty times
    as often.
    """
    directions = {d: [e for e in choices if e.reverse == d] for d in (False, True)}
    if not choices:
        return None
    reverse = (
        chance.random() < reverse_share
        if directions[True] and directions[False]
        else bool(directions[True])
    )
    weights: dict[str, float] = {}
    for edge in directions[reverse]:
        weights[edge.property] = edge.weight
    properties = sorted(weights)
    chosen = chance.choices(properties, [weights[p] for p in properties])[0]
    return chance.choice([e for e in directions[reverse] if e.property == chosen])
