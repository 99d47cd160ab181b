"""Small operations on forms (questions as queries). The operations replace a named constant by a
variable with a description."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from questloom.records.form import ClaimClause, Clause, Form, Fuzzy, Term
from questloom.records.knowledge import Value

KINSHIP = frozenset({"P22", "P25", "P26", "P40", "P3373", "P1038"})
SELF = "self"
"""The variable that stands for the described entity in the clauses of a description."""


def _swap(clause: Clause, old: Term, new: Term) -> Clause:
    changes: dict[str, Any] = {}
    for name, value in vars(clause).items():
        if name in ("args", "keys"):
            changes[name] = tuple(new if v == old else v for v in value)
        elif value == old and name in ("subject", "object", "left", "right", "var", "out", "of"):
            changes[name] = new
    return replace(clause, **changes)  # type: ignore[arg-type]


def constants(form: Form) -> tuple[str, ...]:
    """The ids of the entities that a form names, in order of appearance."""
    found = []
    for clause in form.clauses:
        if isinstance(clause, ClaimClause):
            for term in (clause.subject, clause.object):
                if isinstance(term, Value) and term.kind == "entity":
                    found.append(term.entity)
        elif isinstance(clause, Fuzzy) and clause.kind == "exclusion":
            assert isinstance(clause.object, Value)
            found.append(clause.object.entity)
    return tuple(dict.fromkeys(found))


def hide_constant(form: Form, entity_id: str, var: str, clauses: tuple[Clause, ...]) -> Form:
    """Replaces a named entity in the form by a variable. The clauses describe the variable, which
    they call `SELF`."""
    old = Value(kind="entity", entity=entity_id)
    kept = tuple(_swap(c, old, var) for c in form.clauses)
    return Form(clauses=(*kept, *(_swap(c, SELF, var) for c in clauses)), ask=form.ask)


def describe_variable(form: Form, var: str, clauses: tuple[Clause, ...]) -> Form:
    """Adds clauses about one variable to the form. The clauses call the variable `SELF`."""
    return Form(clauses=(*form.clauses, *(_swap(c, SELF, var) for c in clauses)), ask=form.ask)


def unsayable(claims: Sequence[ClaimClause]) -> tuple[str, ...]:
    """The faults of claims that no words can repair: two claims relate the same two variables, or
    two relations of kin meet ("the mother of her son").
    """
    found = []
    related = [
        frozenset((c.subject, c.object))
        for c in claims
        if isinstance(c.subject, str) and isinstance(c.object, str)
    ]
    if len(set(related)) < len(related):
        found.append("it says twice how two things are related")
    kin = [c for c in claims if c.property in KINSHIP]
    if any(_meet(one, two) for k, one in enumerate(kin) for two in kin[:k]):
        found.append("kinship by way of kin")
    return tuple(found)


def _meet(one: ClaimClause, two: ClaimClause) -> bool:
    """Whether two claims share a variable."""
    return any(
        isinstance(term, str) and term in (two.subject, two.object)
        for term in (one.subject, one.object)
    )
