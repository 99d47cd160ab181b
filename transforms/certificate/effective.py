"""Effective hops: the smallest number of claims that really lead from the picture to the asked
variable.

The words of a question state several relations. A solver may need fewer relations than the words
state, for two reasons. First, two relations may be one: "the person married to the father" is the
mother. Second, a chain of other claims may lead to the same answer, and to nothing else, in fewer
steps. If two relations are one, the question is refused. If there is a shorter chain, the number of
hops is that of the shorter chain. A question is refused if its chain has fewer hops than the recipe
demands. A shorter chain alone is no reason to refuse a question: in a dense store, some chain leads
from nearly everything to everything.
"""

from math import inf

from questloom.records.form import Ask, ClaimClause, Compute, Form, SentenceClause
from questloom.transforms.certificate.description import distances
from questloom.transforms.certificate.evidence import num_hops
from questloom.transforms.certificate.execute import Binding
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.remembered import remembered

Step = tuple[str, bool]
"""A property id, and whether the step follows the property against its direction."""
NARROW = 20
"""Maximum number of claims that may lead into a thing, if a chain follows one of them backwards.
Backward steps from an occupation or a country would lead to nobody in particular."""
UNTOLD = frozenset({"P31", "P279", "P21"})
"""Properties that connect nearly everything with everything (class, superclass, sex)."""
_INVERSE = {
    "P22": "P40",
    "P25": "P40",
    "P40": "P22",
    "P26": "P26",
    "P3373": "P3373",
    "P1066": "P802",
    "P802": "P1066",
    "P184": "P185",
    "P185": "P184",
    "P36": "P1376",
    "P1376": "P36",
    "P150": "P131",
    "P527": "P361",
    "P355": "P749",
}
"""Inverse properties. Each pair states the same relation in opposite directions. For "child", the
inverse here is only "father", not "mother"."""
_AROUND = ("P131", "P361", "P706", "P17", "P30")
_COMPOSED = {
    ("P22", "P26"),
    ("P25", "P26"),  # the mother, the father
    ("P22", "P40"),
    ("P25", "P40"),
    ("P3373", "P3373"),  # a sibling
    ("P3373", "P22"),
    ("P3373", "P25"),
    ("P26", "P40"),
    ("P40", "P22"),
    ("P40", "P25"),  # a parent, a child, oneself or the spouse
    ("P17", "P36"),
    ("P27", "P36"),
    ("P131", "P36"),  # the capital of the place where it is
    *((one, two) for one in _AROUND for two in _AROUND),
    *((one, two) for one in ("P19", "P20", "P119", "P159", "P276") for two in ("P17", "P30")),
}
"""Pairs of steps for which people have a single word: "father's wife" is "mother"."""


def along(step: Step) -> Step:
    """A step, written in the direction in which people usually state the relation.

    >>> along(("P40", True)), along(("P84", True))
    (('P22', False), ('P84', True))
    """
    property, reverse = step
    return (_INVERSE[property], False) if reverse and property in _INVERSE else step


def composed(steps: tuple[Step, ...]) -> int:
    """The number of relations in a chain of steps. Two steps count as one relation if people have a
    single word for both together, as "mother" for "father's wife".

    >>> composed((("P22", False), ("P26", False))), composed((("P84", False), ("P19", False)))
    (1, 2)
    """
    told = [along(s) for s in steps]
    count, at = 0, 0
    while at < len(told):
        pair = told[at : at + 2]
        at += 2 if tuple(p for p, reverse in pair if not reverse) in _COMPOSED else 1
        count += 1
    return count


def chain(form: Form) -> tuple[Step, ...]:
    """The steps from the pictured thing to the asked variable, in order; () if a computation lies
    on the way.

    If a solver must read a detail in a later picture, the reading counts as a step. Such a step has
    the property of the detail. A step that only a sentence states has the property "".
    """
    depth, at, steps = distances(form), form.anchor, list[Step]()
    if form.of(Compute):
        return ()
    while at != form.ask.var:
        if read := next((c for c in form.later_reads if (c.of, c.var) == (at, form.ask.var)), None):
            return (*steps, (read.property, False))
        step = next(
            (
                (c, c.subject != at)
                for c in (*form.of(ClaimClause), *form.of(SentenceClause))
                for other in [
                    c.object if c.subject == at else c.subject if c.object == at else None
                ]
                if isinstance(other, str) and depth.get(other, inf) < depth[at]
            ),
            None,
        )
        if step is None:
            return ()
        clause, reverse = step
        steps.append((getattr(clause, "property", ""), reverse))
        at = clause.subject if reverse else clause.object  # type: ignore[assignment]
    return tuple(steps)


@remembered(4096)
def _onward(facts: Facts, node: str) -> dict[Step, frozenset[str]]:
    """The things to which one step from a node leads, for each property and direction."""
    found: dict[Step, set[str]] = {}
    for claim in facts.claims(node):
        if claim.best and claim.value.kind == "entity" and claim.property not in UNTOLD:
            found.setdefault((claim.property, False), set()).add(claim.value.entity)
    into = facts.claims_into(node, limit=NARROW + 1)
    for claim in into if len(into) <= NARROW else ():
        if claim.property not in UNTOLD:
            found.setdefault((claim.property, True), set()).add(claim.subject)
    return {step: frozenset(there) for step, there in found.items()}


def leads(facts: Facts, start: str, target: str, steps: int) -> bool:
    """Whether some chain of exactly `steps` steps leads from one thing to the other, and to no
    third thing. A chain of this kind would make a shorter question with the same answer."""
    return target in alone(facts, start, steps)


def alone(facts: Facts, start: str, steps: int) -> frozenset[str]:
    """Things to which some chain of exactly `steps` steps leads, without leading to anything
    else."""
    return frozenset(
        next(iter(nodes)) for nodes in _reached(facts, start, steps) if len(nodes) == 1
    )


@remembered(4096)
def _reached(facts: Facts, start: str, steps: int) -> frozenset[frozenset[str]]:
    """For each chain of exactly `steps` steps, the set of things to which it leads. A chain that
    leads to too many things is not continued."""
    if not steps:
        return frozenset({frozenset({start})})
    reached = set()
    for nodes in _reached(facts, start, steps - 1):
        if len(nodes) > NARROW:
            continue
        onward = [_onward(facts, node) for node in sorted(nodes)]
        for step in {step for ways in onward for step in ways}:
            reached.add(frozenset().union(*(ways.get(step, frozenset()) for ways in onward)))
    return frozenset(reached)


def skips_a_step(form: Form, facts: Facts, binding: Binding) -> bool:
    """Whether one claim leads from a thing of the form to another that is at least two steps
    further on the way, and to nothing else. "The family of this woman's teacher" is idle where it is
    her own family: to readers, the step to her teacher does no work.

    Args:
        form: the question's form.
        facts: the store.
        binding: the intended value of every variable.
    """
    to_ask = distances(form)
    behind = distances(Form(clauses=form.clauses, ask=Ask(var=form.anchor, type="entity")))
    things = {v: binding[v].entity for v in to_ask if v in behind and binding[v].kind == "entity"}
    return any(
        behind[later] >= behind[one] + 2
        and to_ask[later] < to_ask[one]
        and leads(facts, things[one], things[later], 1)
        for one in things
        for later in things
    )


def effective_hops(form: Form, part: Form, facts: Facts, binding: Binding) -> int:
    """The smallest number of hops that lead to the asked variable. The result is never larger than
    the number of hops in the needed part of the form.

    Args:
        form: the question's form.
        part: the part of the form that is needed for the single answer.
        facts: the store.
        binding: the intended value of every variable.
    """
    found = num_hops(part)
    steps = chain(form)
    if not steps:
        return found
    found = min(found, composed(steps))
    asked = binding[form.ask.var]
    literal = asked.kind != "entity"
    target = (
        asked
        if not literal
        else next(
            binding[end]
            for end, var in (
                *((c.subject, c.object) for c in form.of(ClaimClause)),
                *((c.of, c.var) for c in form.later_reads),
            )
            if var == form.ask.var and isinstance(end, str)
        )
    )
    for length in range(1, found - literal):
        if leads(facts, binding[form.anchor].entity, target.entity, length):
            return length + literal
    return found
