"""Grows an evidence graph from a seed: phase by phase, around one node at a time, until it has the recipe's number of anchors."""

from collections.abc import Callable

from questloom.records.knowledge import Entity
from questloom.records.synthesis import Seed
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.edges import edges
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.writing.evidence import EvidenceGraph, Link, Node
from questloom.transforms.writing.explorer import Explorer

Shown = Callable[[str], bool]
"""Whether an entity has a picture that may be a question's."""


def links_from(
    facts: Lookups, entity: Entity, avoid: frozenset[str], rules: DraftRules
) -> list[Link]:
    """The steps that a question may take from an entity, as links."""
    return [
        Link(
            source=entity.id,
            target=e.target,
            property=e.property,
            reverse=e.reverse,
            weight=e.weight,
        )
        for e in edges(facts, entity, avoid, rules.max_hub)
    ]


async def grown(
    seed: Seed,
    entity: Entity,
    facts: Lookups,
    rules: DraftRules,
    explorer: Explorer,
    shown: Shown,
    reasons: bool = False,
) -> EvidenceGraph:
    """The explored nodes and the links between them.

    Phases look by turns around the node found last and the one found first, so that the graph reaches far and is no chain. While too few nodes have a
    picture, only those with one are offered, where there are any; where the question is to compare (`reasons`), a second thing of a kind comes before others.
    """
    nodes, done = [Node(id=entity.id, pictured=shown(entity.id))], set[str]()
    graph = EvidenceGraph(nodes=tuple(nodes))
    newest = True
    while len(nodes) <= rules.explore.anchors and (
        waiting := [n for n in nodes if n.id not in done]
    ):
        at = facts.entity(waiting[-1 if newest else 0].id)
        assert at is not None, "edges lead to entities of the store"
        done.add(at.id)
        newest = not newest
        avoid = frozenset(n.id for n in nodes) | frozenset(at.classes)
        offered = links_from(facts, at, avoid, rules)
        if sum(n.pictured for n in nodes) < rules.explore.image_ratio * (len(nodes) + 1):
            offered = [link for link in offered if shown(link.target)] or offered
        kinds = _kinds(nodes, facts)
        if reasons and len(set(kinds)) == len(kinds):
            offered = [
                link for link in offered if find_descriptor_class(facts, link.target) in kinds
            ] or offered
        most = min(rules.explore.nodes_per_phase, rules.explore.anchors + 1 - len(nodes))
        chosen = await explorer.explore(seed, graph, offered, most) if offered else []
        nodes += [
            Node(id=link.target, pictured=shown(link.target), found_from=at.id) for link in chosen
        ]
        graph = EvidenceGraph(nodes=tuple(nodes))
    return EvidenceGraph(nodes=tuple(nodes), links=_between(graph, facts, rules))


def _kinds(nodes: list[Node], facts: Facts) -> list[str]:
    """The classes of the nodes that are no people: of two people one seldom asks who was the elder."""
    return [
        find_descriptor_class(facts, n.id)
        for n in nodes
        if (entity := facts.entity(n.id)) and entity.domain != "person"
    ]


def _between(graph: EvidenceGraph, facts: Lookups, rules: DraftRules) -> tuple[Link, ...]:
    """All steps between the nodes of a graph, also those by which none was found: what hangs together is a cluster, not a tree."""
    found = []
    for node in graph.nodes:
        entity = facts.entity(node.id)
        assert entity is not None
        found += [
            link
            for link in links_from(facts, entity, frozenset({node.id}), rules)
            if link.target in graph.ids
        ]
    return tuple(found)
