"""Finds the facts that a store lacks for a refused step or form (a question as a query). A user can
fetch all facts of the following kinds.

* members: the other members of a class. A description must single one thing out among all members
  of its class.
* claims: a claim that some members of a class lack. Members without the claim may also fit the
  description.
* steps: any claim that leads on from a thing of the class. A walk (a chain of steps) ends at
  a thing that has no such claim.
"""

import re
from dataclasses import dataclass

from questloom.prompts.phrases import property_use
from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.margin import margin_of
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

MEMBERS, CLAIMS, STEPS = "members", "claims", "steps"


@dataclass(frozen=True, order=True)
class Lack:
    """A kind of fact that a store lacks.

    Args:
        kind: "members", "claims" or "steps".
        class_id: the class.
        property: for "claims", the property that some members lack.
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


def lack_behind(facts: Lookups, refusal: Refusal) -> Lack | None:
    """What the store lacks for a form that got no certificate; None where no further fact would
    help.

    Args:
        facts: the store.
        refusal: the refusal that `certify_form` returned for the form.
    """
    evidence = refusal.evidence
    if refusal.reason == Reason.CLASS_INCOMPLETE:
        return Lack(MEMBERS, evidence["class"])
    if refusal.reason != Reason.MARGIN_TOO_SMALL or not evidence["rival"]:
        return None
    found = [m[1] for gap in evidence["rival"]["gaps"] if (m := _VALUE_GAP.match(gap))]
    kind = find_descriptor_class(facts, evidence["rival"]["entity_id"])
    return Lack(CLAIMS, kind, found[0]) if found and kind else None


@remembered()
def lack_behind_step(
    facts: Lookups, source: str, property: str, target: str, margin: int
) -> Lack | None:
    """What the store lacks to single out the end of a reverse step (from a value to the subject of
    its claim). None where other things are known to fit too.

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
        return None
    if not nearly_complete(facts, kind.class_id):
        return Lack(MEMBERS, kind.class_id)
    step = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x1", property=property, object="x0")),
        ask=Ask(var="x1", type="entity"),
    )
    binding = {"x0": entity_value(source), "x1": entity_value(target)}
    told = descriptions(describe_variable(step, "x1", (kind,)), binding)
    description = next(d for d in told if d.var == "x1")
    measured = margin_of(facts, description, binding["x1"], margin)
    return Lack(CLAIMS, kind.class_id, property) if 0 < measured.margin < margin else None


@remembered()
def lacks_at(facts: Lookups, thing: str) -> tuple[Lack, ...]:
    """What the store lacks for more steps from a thing. The store may lack members of classes whose
    claims lead to the thing, or any claim that leads on from it.

    Args:
        facts: the store.
        thing: the last thing of a walk (a chain of steps).
    """
    found = set()
    for claim in facts.claims_into(thing, limit=MAX_REVERSE):
        use, kind = property_use(claim.property), find_descriptor_class(facts, claim.subject)
        if use.hop and not use.forward_only and kind and not nearly_complete(facts, kind):
            found.add(Lack(MEMBERS, kind))
    kind = find_descriptor_class(facts, thing)
    if kind and not any(property_use(c.property).hop for c in facts.claims(thing)):
        found.add(Lack(STEPS, kind))
    return tuple(sorted(found))
