"""The popularity prior: a solver that needs no model. The filters `text_only` and `no_tools` use
the prior where no model is configured.

The prior imitates the knowledge of models: it knows all claims of well-known entities (`fame.py`),
and no claims of other entities. The prior is weaker than a model, since it cannot read or guess.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Clause,
    Compare,
    Compute,
    Form,
    Fuzzy,
    Image,
    Term,
    variables,
)
from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    ImageAsset,
    PropertyInfo,
    PropertyProfile,
)
from questloom.records.synthesis import Question, Verdict, not_run
from questloom.records.table import Json
from questloom.transforms.certificate.description import distances
from questloom.transforms.certificate.execute import Binding, TooLarge, answers, resolve
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.filters.fame import FIGURES, Fame

SOLVER = "popularity_prior"


@dataclass(frozen=True)
class KnownFacts:
    """A store as the prior knows it: entities that are not well known have no claims."""

    facts: Facts
    fame: Fame
    granted: frozenset[str] = frozenset()
    """Entities that count as known without regard to their fame."""

    def known(self, entity_id: str) -> bool:
        """Whether the entity is known by heart."""
        entity = self.facts.entity(entity_id)
        return entity is not None and (entity_id in self.granted or self.fame.knows(entity) is True)

    @property
    def edition(self) -> str:
        return self.facts.edition

    @property
    def language(self) -> str:
        return self.facts.language

    def entity(self, entity_id: str) -> Entity | None:
        return self.facts.entity(entity_id) if self.known(entity_id) else None

    def claims(self, subject: str) -> tuple[Claim, ...]:
        return self.facts.claims(subject) if self.known(subject) else ()

    def claims_into(self, entity_id: str, **limit: int) -> tuple[Claim, ...]:
        return ()

    def subjects(self, property: str, value_key: str, **limit: int) -> tuple[str, ...]:
        return tuple(s for s in self.facts.subjects(property, value_key, **limit) if self.known(s))

    def num_subjects(self, property: str, value_key: str) -> int:
        return self.facts.num_subjects(property, value_key)

    def subjects_by_value(self, property: str) -> Iterator[tuple[str, list[str]]]:
        for key, subjects in self.facts.subjects_by_value(property):
            yield key, [s for s in subjects if self.known(s)]

    def members(self, class_id: str, **limit: int) -> tuple[str, ...]:
        return tuple(m for m in self.facts.members(class_id, **limit) if self.known(m))

    def num_members(self, class_id: str) -> int:
        return self.facts.num_members(class_id)

    def article(self, entity_id: str) -> Article | None:
        return None

    def entity_of_title(self, title: str) -> str | None:
        return None

    def images_of(self, entity_id: str) -> tuple[ImageAsset, ...]:
        return ()

    def is_pictured(self, entity_id: str) -> bool:
        return False

    def references(self) -> tuple[int, int]:
        return self.facts.references()

    def stated_members(self, class_id: str) -> int | None:
        return self.facts.stated_members(class_id)

    def property(self, property_id: str) -> PropertyInfo | None:
        return self.facts.property(property_id)

    def profile(self, property_id: str, class_id: str = "") -> PropertyProfile:
        return self.facts.profile(property_id, class_id)


def known_part(form: Form, binding: Binding, known: KnownFacts) -> Form | None:
    """The part of a logical form that the prior can use: the clauses that the prior knows to be
    true for the intended values, if they connect to the asked variable.

    The prior ignores clauses that it does not know, since one route to the answer is enough. The
    prior knows no details of pictures and no facts that only an article states. The result is None
    where no known clause leads to the answer.
    """

    def is_known(term: Term) -> bool:
        value = resolve(term, binding)
        return value is not None and value.kind == "entity" and known.known(value.entity)

    kept: list[Clause] = [
        c
        for c in form.clauses
        if (isinstance(c, ClaimClause) and is_known(c.subject))
        or (isinstance(c, ClassClause) and is_known(c.var))
        or (isinstance(c, Fuzzy) and all(map(is_known, variables(c))))
    ]
    told = {v for c in kept for v in variables(c)}
    for clause in form.clauses:
        if isinstance(clause, Compute) and set(variables(clause)) - {clause.out} <= told:
            kept.append(clause)
            told.add(clause.out)
        elif isinstance(clause, Compare) and set(variables(clause)) <= told:
            kept.append(clause)
    near = distances(Form(clauses=tuple(kept), ask=form.ask))
    kept = [
        c
        for c in form.clauses
        if isinstance(c, Image) or (c in kept and set(variables(c)) <= set(near))
    ]
    return Form(clauses=tuple(kept), ask=form.ask) if form.ask.var in told else None


def popularity_prior(
    question: Question, facts: Facts, binding: Binding, *, name: str, sees_picture: bool, fame: Fame
) -> Verdict:
    """The verdict of the prior for `text_only` or `no_tools`. A question fails only if the prior
    reaches exactly one answer, and this answer is right.

    If the fame of some things is missing, the filter decides twice: as if all these things were
    known, and as if none were known. If the two decisions differ, the verdict is `not_run`.

    Args:
        question: the question with its form. A question without a form gets the verdict `not_run`.
        facts: the store.
        binding: the intended value of each variable.
        name: "text_only" or "no_tools".
        sees_picture: whether the prior sees the picture. A prior that sees the picture recognises
            the pictured entity if the entity is well known.
        fame: decides which entities the prior knows.
    """
    form = question.logical_form
    if form is None:
        return not_run(name, "the question has no form that could be executed")
    entities = [
        e
        for v in binding.values()
        if v.kind == "entity" and (e := facts.entity(v.entity)) is not None
    ]
    unstated = frozenset(e.id for e in entities if fame.knows(e) is None)
    outcome, right = _answered(question, form, binding, KnownFacts(facts, fame), sees_picture)
    if (
        unstated
        and _answered(question, form, binding, KnownFacts(facts, fame, unstated), sees_picture)[1]
        != right
    ):
        return not_run(
            name, f"no {FIGURES[fame.figure]} are stated of {', '.join(sorted(unstated))}"
        )
    return Verdict(
        filter=name,
        passed=not right,
        solver=SOLVER,
        num_samples=1,
        num_correct=int(right),
        evidence=Json(
            {"outcome": outcome, f"min_{fame.figure}": fame.least, "sees_picture": sees_picture}
        ),
    )


def _answered(
    question: Question, form: Form, binding: Binding, known: KnownFacts, sees_picture: bool
) -> tuple[str, bool]:
    """The prior's result in one word, and whether the prior reaches the right answer and no
    other."""
    part = known_part(form, binding, known)
    if part is None:
        return "answer_unknown", False
    anchor = part.anchor
    given = (
        {anchor: binding[anchor]} if sees_picture and known.known(binding[anchor].entity) else {}
    )
    try:
        solutions = answers(part, known, given)
    except (TooLarge, KeyError):
        return "no_route", False
    if len(solutions) != 1:
        return "several" if solutions else "no_route", False
    return "answered", solutions[0].key() == question.answer.value.key()
