"""The claims that a question may follow from one thing to the next."""

from dataclasses import dataclass

from questloom.prompts.phrases import property_use
from questloom.records.knowledge import Claim, Entity
from questloom.transforms.facts.askable import leads_to_kind
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.said_class import find_descriptor_class

MAX_REVERSE = 200
"""Maximum number of claims that lead into a thing and are examined. A thing with more such claims
is a hub, and no path goes through it."""


@dataclass(frozen=True, kw_only=True)
class Edge:
    """One step of a path, over a claim to the thing `target`. The step follows the claim from
    subject to object, or backwards."""

    property: str
    target: str
    reverse: bool
    weight: float

    def repeats(self, property: str) -> bool:
        """Whether this step is of the same kind as a step along `property`."""
        step = property_use(self.property).step
        return bool(step) and step == property_use(property).step


def _claims_into(facts: Lookups, thing: str, of: str) -> tuple[Claim, ...]:
    """The claims that lead into a thing. If `of` is given, only the claims whose subject is `of`.
    The result is empty if many claims lead into the thing (a hub)."""
    own = tuple(c for c in facts.claims(of) if c.best and c.value.entity == thing) if of else ()
    if of and not own:
        return ()  # most neighbours: theirs are not looked up
    into = facts.claims_into(thing, limit=MAX_REVERSE)
    return () if len(into) == MAX_REVERSE else own or into


def edges(
    facts: Lookups, entity: Entity, avoid: frozenset[str], max_hub: int, to: str = ""
) -> list[Edge]:
    """The steps that a path may take from an entity, in a fixed order. If `to` is given, only the
    steps to the entity `to`.

    A forward step uses only properties with one value: "the architect of …" must be one person,
    "the county of …" one county. A backward step leads to a thing that a description must single
    out. The store must therefore hold nearly all members of the thing's class.
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
