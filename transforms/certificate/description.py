"""How the clauses of a logical form identify each variable. Variables near the picture and the
named things are identified first, and the asked variable last.

The form is a tree, and the asked variable is its root. A variable is described by the clauses that
connect it to terms farther from the root. The terms farthest from the root are identified first:

```
picture -> x0 --P84--> x1 <--P1066-- x2 --P569--> a (asked)
```

In this example, the hop from x0 identifies x1, and the claim about x1 identifies x2.
"""

from dataclasses import dataclass
from functools import cached_property

from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Clause,
    Compare,
    Compute,
    Form,
    Fuzzy,
    Image,
    Reads,
    SentenceClause,
    variables,
)
from questloom.records.knowledge import Value
from questloom.transforms.certificate.execute import Binding, resolve


@dataclass(frozen=True, kw_only=True)
class Part:
    """One clause of a variable's description; the other end of the clause is known.

    `role` is one of these:

    * "has": the variable is the claim's subject.
    * "of": the variable is the claim's object.
    * "kind": the clause states the variable's class.
    * "range": the clause compares a value of the variable with a known value.
    * "fuzzy": the clause says vaguely what a value of the variable is like.
    * "sentence": only a sentence connects the variable with the known end.
    """

    role: str
    clause: Clause
    property: str = ""
    value: Value | None = None
    """The known end: the claim's object ("has"), the claim's subject ("of"), the value to compare
    with ("range"), or the thing that describes the value ("fuzzy")."""
    op: str = ""
    own_side_left: bool = True

    @cached_property
    def _hash(self) -> int:
        return hash((self.role, self.clause, self.property, self.value, self.op))

    def __hash__(self) -> int:
        return self._hash  # kept: hundreds of rivals are held against one part


@dataclass(frozen=True, kw_only=True)
class Description:
    """A variable with the clauses (parts) that identify it. `predecessors` are the variables among
    the known ends of these clauses."""

    var: str
    parts: tuple[Part, ...]
    predecessors: tuple[str, ...] = ()


def distances(form: Form) -> dict[str, int]:
    """How many clauses each variable is away from the asked variable. A variable is left out if no
    chain of clauses connects it to the asked variable."""
    found, level = {form.ask.var: 0}, [form.ask.var]
    tied = [variables(clause) for clause in form.clauses]
    while level:
        following = []
        for names in tied:
            for name in names:
                if name in level:
                    for other in names:
                        if other not in found:
                            found[other] = found[name] + 1
                            following.append(other)
        level = following
    return found


def descriptions(form: Form, binding: Binding) -> tuple[Description, ...]:
    """The descriptions of the variables, starting with the farthest from the asked variable. The
    pictured thing and details read in pictures need no description.

    Args:
        form: the logical form. Clauses must connect all variables of the form to the asked
            variable.
        binding: the intended value of every variable.
    """
    depth = distances(form)
    given = {form.anchor, *(r.var for r in form.of(Reads))}
    computed = {c.out for c in form.of(Compute)}
    left = sorted((v for v in depth if v not in given), key=lambda v: (-depth[v], v))
    known = set(given)
    found = []
    while left:
        # Of two compared things, one may be found through the other, by way of a third thing
        # farther out than both.
        var = next(
            (
                v
                for v in left
                if v in computed
                or any(p.role != "kind" for p in _parts(form, v, known, binding)[0])
            ),
            left[0],
        )
        left.remove(var)
        if var in computed:
            known.add(var)
            continue
        parts, before = _parts(form, var, known, binding)
        if _only_compared(form, var):
            continue  # a value of its entity alone, described there as a range
        found.append(Description(var=var, parts=parts, predecessors=before))
        known.add(var)
    return tuple(found)


def _only_compared(form: Form, var: str) -> bool:
    """Whether a variable is a value that only a comparison uses: the height in "taller than 30
    m"."""
    if not form.of(Compare):
        return False
    users = [c for c in form.clauses if var in variables(c)]
    return (
        form.ask.var != var
        and any(isinstance(c, Compare) for c in users)
        and not any(isinstance(c, Compute) for c in users)
        and sum(isinstance(c, ClaimClause) for c in users) == 1
    )


def _parts(
    form: Form, var: str, known: set[str], binding: Binding
) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    parts: list[Part] = []
    before: list[str] = []

    def end(term) -> Value | None:
        if isinstance(term, str):
            if term in known:
                before.append(term)
                return binding[term]
            return None
        return term

    for clause in form.clauses:
        match clause:
            case ClassClause() if clause.var == var:
                parts.append(Part(role="kind", clause=clause))
            case ClaimClause() if clause.subject == var:
                value = end(clause.object)
                if value is not None:
                    parts.append(
                        Part(role="has", clause=clause, property=clause.property, value=value)
                    )
                elif isinstance(clause.object, str) and _only_compared(form, clause.object):
                    parts.extend(_ranges(form, clause, known, binding))
            case ClaimClause() if clause.object == var:
                subject = end(clause.subject)
                if subject is not None:
                    parts.append(
                        Part(role="of", clause=clause, property=clause.property, value=subject)
                    )
            case Fuzzy() if clause.subject == var:
                known_end = end(clause.object)
                if known_end is not None:
                    parts.append(
                        Part(
                            role="fuzzy",
                            clause=clause,
                            property=clause.property,
                            value=known_end,
                        )
                    )
            case SentenceClause() if var in (clause.subject, clause.object):
                other = end(clause.object if clause.subject == var else clause.subject)
                if other is not None:
                    parts.append(Part(role="sentence", clause=clause, value=other))
    return tuple(parts), tuple(dict.fromkeys(before))


def _ranges(form: Form, claim: ClaimClause, known: set[str], binding: Binding) -> list[Part]:
    found = []
    for compare in form.of(Compare):
        for own, other, left in (
            (compare.left, compare.right, True),
            (compare.right, compare.left, False),
        ):
            if own == claim.object and (not isinstance(other, str) or other in known):
                found.append(
                    Part(
                        role="range",
                        clause=compare,
                        property=claim.property,
                        value=resolve(other, binding),
                        op=compare.op,
                        own_side_left=left,
                    )
                )
    return found


def connected(form: Form) -> bool:
    """Whether clauses connect the asked variable with everything else: the pictured thing and all
    other clauses."""
    depth = distances(form)
    return form.anchor in depth and all(
        v in depth for c in form.clauses if not isinstance(c, Image) for v in variables(c)
    )
