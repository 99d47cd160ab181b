"""The edges of the graph for paths: the claims that a question may follow."""

from dataclasses import dataclass

from questloom.prompts.phrases import property_use
from questloom.records.knowledge import Claim, Entity
from questloom.transforms.facts.askable import leads_to_kind
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.said_class import find_descriptor_class

MAX_REVERSE = 200
"""Maximum number of claims into a node that are examined. A node with more claims counts as a hub."""


@dataclass(frozen=True, kw_only=True)
class Edge:
    """One step of a path: to `target`, over a claim, along or against the claim's direction."""

    property: str
    target: str
    reverse: bool
    weight: float

    def repeats(self, property: str) -> bool:
        """Whether this step repeats the kind of a step over `property` just before it."""
        step = property_use(self.property).step
        return bool(step) and step == property_use(property).step


def _claims_into(facts: Lookups, thing: str, of: str) -> tuple[Claim, ...]:
    """The claims into a thing, or only those of the thing `of`; none if the first thing is a hub."""
    own = tuple(c for c in facts.claims(of) if c.best and c.value.entity == thing) if of else ()
    if of and not own:
        return ()  # most neighbours: theirs are not looked up
    into = facts.claims_into(thing, limit=MAX_REVERSE)
    return () if len(into) == MAX_REVERSE else own or into


def edges(
    facts: Lookups, entity: Entity, avoid: frozenset[str], max_hub: int, to: str = ""
) -> list[Edge]:
    """The steps over claims that a path may take from an entity, in a fixed order. With `to`, only the steps to that thing.

    Forward steps use only functional properties ("the architect of …" must be one person, "the
    county of …" one county). A reverse step leads to a node that a description must single out, so
    the store must hold nearly all members of the node's class.
    """
    found = []
    for claim in facts.claims(entity.id):
        use = property_use(claim.property)
        if (
            not (claim.best and claim.value.kind == "entity" and use.hop)
            or claim.value.entity in avoid
            or (to and claim.value.entity != to)
        ):
            continue
        target = facts.entity(claim.value.entity)
        if (
            target is None
            or target.in_degree > max_hub
            or not leads_to_kind(facts, claim.property, target.id)
        ):
            continue
        if (
            single_value(facts, entity.id, claim.property, find_descriptor_class(facts, target.id))
            == claim.value
        ):
            found.append(
                Edge(property=claim.property, target=target.id, reverse=False, weight=use.weight)
            )
    for claim in _claims_into(facts, entity.id, to):
        use = property_use(claim.property)
        source = facts.entity(claim.subject)
        if (
            use.hop
            and not use.forward_only
            and source is not None
            and source.id not in avoid
            and source.classes
            and source.in_degree <= max_hub
            and nearly_complete(facts, find_descriptor_class(facts, source.id))
        ):
            found.append(
                Edge(property=claim.property, target=source.id, reverse=True, weight=use.weight)
            )
    return sorted(
        {(e.property, e.target, e.reverse): e for e in found}.values(),
        key=lambda e: (e.property, e.target, e.reverse),
    )
