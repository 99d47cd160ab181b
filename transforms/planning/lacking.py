"""Finds the facts that a store lacks for a refused step or form (a question as a query). A user can
fetch all facts of the following kinds.

* members: the other members of a class. A description must single one thing out among all members
  of its class, whether the thing is asked for, lies in mid-chain, or has a hidden name.
* claims: a claim that some members of a class lack. Members without the claim may also fit the
  description.
* steps: any claim that leads on from a thing of the class. A walk (a chain of steps) ends at
  a thing that has no such claim.
* values: the things that claims of the class's members name. A walk cannot go on to a thing that
  the store does not hold.
"""

import re
from dataclasses import dataclass

from questloom.prompts.phrases import property_use
from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Claim, entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.fitting import matches_of
from questloom.transforms.certificate.margin import is_too_near, margin_of
from questloom.transforms.drafting.edges import MAX_REVERSE
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.form_edits import describe_variable
from questloom.transforms.writing.graph.clues import class_clause

_VALUE_GAP = re.compile(r"(P\d+)[=<>]")
"""Matches a missing fact of a rival in the certificate's notation ("P84=Q12"). A claim of the rival
itself would supply the missing fact."""

MEMBERS, CLAIMS, STEPS, VALUES = "members", "claims", "steps", "values"


@dataclass(frozen=True, order=True)
class Lack:
    """A kind of fact that a store lacks.

    Args:
        kind: "members", "claims", "steps" or "values".
        class_id: the class.
        property: for "claims", the property that some members lack; for "values", the property whose
            values are not in the store.
    """

    kind: str
    class_id: str
    property: str = ""

    def __str__(self) -> str:
        """The lack as text for a row: "members Q515", "claims Q515 P84"."""
        return f"{self.kind} {self.class_id} {self.property}".strip()

    @classmethod
    def from_row(cls, text: str) -> "Lack":
        """Reads the text that `str` writes."""
        return cls(*text.split())


def lack_behind(facts: Lookups, refusal: Refusal) -> tuple[Lack, ...]:
    """What the store lacks for a form without a certificate; () where no fact of a store would
    help.

    Args:
        facts: the store.
        refusal: the refusal that `certify_form` returned for the form.
    """
    evidence = refusal.evidence
    if refusal.reason == Reason.CLASS_INCOMPLETE:
        classes = (evidence["class"], *evidence.get("other_classes", ()))
        return tuple(Lack(MEMBERS, kind) for kind in classes)
    if refusal.reason != Reason.MARGIN_TOO_SMALL or not evidence["rival"]:
        return ()
    found = [m[1] for gap in evidence["rival"]["gaps"] if (m := _VALUE_GAP.match(gap))]
    kind = find_descriptor_class(facts, evidence["rival"]["entity_id"])
    return (Lack(CLAIMS, kind, found[0]),) if found and kind else ()


@remembered()
def lack_behind_step(
    facts: Lookups, source: str, property: str, target: str, margin: int
) -> tuple[Lack, ...]:
    """What the store lacks to single out the end of a reverse step; () where other things are known
    to fit too.

    Args:
        facts: the store.
        source: the thing at which the step starts, the claim's value.
        property: the relation.
        target: the thing at which the step ends, the claim's subject.
        margin: the number of missing facts against which the recipe guards.
    """
    entity = facts.entity(target)
    kind = class_clause(facts, entity) if entity is not None else None
    if kind is None:
        return ()
    if not nearly_complete(facts, kind.class_id):
        return (Lack(MEMBERS, kind.class_id),)
    step = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x1", property=property, object="x0")),
        ask=Ask(var="x1", type="entity"),
    )
    binding = {"x0": entity_value(source), "x1": entity_value(target)}
    told = descriptions(describe_variable(step, "x1", (kind,)), binding)
    description = next(d for d in told if d.var == "x1")
    beside = matches_of(facts, description.parts[0]) or ()
    if any(is_too_near(facts, e, description.parts, 1) for e in sorted({*beside} - {target})):
        return ()  # most often: the margin is 0, and the other rivals need no look
    measured = margin_of(facts, description, binding["x1"], margin)
    return (Lack(CLAIMS, kind.class_id, property),) if 0 < measured.margin < margin else ()


def lacks_at(facts: Lookups, thing: str) -> tuple[Lack, ...]:
    """What the store lacks for more steps from a thing: once for each claim into the thing, the
    class at the claim's other end if its members are not all known; once for each claim of the
    thing, the value if it is not in the store; and any step at all.

    Args:
        facts: the store.
        thing: the last thing of a walk (a chain of steps).
    """
    found = [Lack(MEMBERS, kind) for _, kind in _shut_steps(facts, thing)]
    kind = find_descriptor_class(facts, thing)
    leading = [c for c in facts.claims(thing) if kind and property_use(c.property).hop]
    if kind and not leading:
        found.append(Lack(STEPS, kind))
    named = (c for c in leading if c.best and c.value.kind == "entity")
    found += (Lack(VALUES, kind, c.property) for c in named if facts.entity(c.value.entity) is None)
    return tuple(sorted(found))


def lacks_to_reach(facts: Lookups, thing: str) -> tuple[Lack, ...]:
    """What the store lacks for reverse steps that end at a thing: members of the thing's class, once
    for each claim of the thing that such a step would follow.

    Args:
        facts: the store.
        thing: the asked thing, or a thing in mid-chain on the walk to the asked thing.
    """
    claims = (c for c in facts.claims(thing) if c.best and c.value.kind == "entity")
    return lack_to_describe(facts, thing) * sum(_may_be_reversed(c.property) for c in claims)


def lack_to_describe(facts: Lookups, thing: str) -> tuple[Lack, ...]:
    """What the store lacks to describe a thing among the members of its class; () if nothing.

    Args:
        facts: the store.
        thing: a thing whose name a form hides.
    """
    kind = find_descriptor_class(facts, thing)
    return () if not kind or nearly_complete(facts, kind) else (Lack(MEMBERS, kind),)


def lacks_to_meet(facts: Lookups, ends: tuple[str, ...]) -> tuple[Lack, ...]:
    """What the store lacks for two branches to meet: once for each thing that has claims to two of
    the branches' ends, the thing's class if its members are not all known.

    Args:
        facts: the store.
        ends: the last things of all branches, without duplicates.
    """
    met: dict[str, set[tuple[str, str]]] = {}
    kinds: dict[str, str] = {}
    for end in ends:
        for claim, kind in _shut_steps(facts, end):
            met.setdefault(claim.subject, set()).add((end, claim.property))
            kinds[claim.subject] = kind
    found = (
        Lack(MEMBERS, kinds[thing])
        for thing, ways in met.items()
        if len({end for end, _ in ways}) > 1 and len({property for _, property in ways}) > 1
    )
    return tuple(sorted(found))


@remembered()
def _shut_steps(facts: Lookups, thing: str) -> tuple[tuple[Claim, str], ...]:
    """The claims into a thing that give no reverse step because the members of the class at the
    other end are not all known; each claim with that class."""
    into = facts.claims_into(thing, limit=MAX_REVERSE)
    found: list[tuple[Claim, str]] = []
    for claim in into if len(into) < MAX_REVERSE else ():  # no walk goes on from a hub
        kind = find_descriptor_class(facts, claim.subject)
        if _may_be_reversed(claim.property) and kind and not nearly_complete(facts, kind):
            found.append((claim, kind))
    return tuple(found)


def _may_be_reversed(property: str) -> bool:
    use = property_use(property)
    return use.hop and not use.forward_only
