"""The popularity prior: a solver without a model, for `text_only` and `no_tools` where no endpoint is configured.

It stands in for what models know by heart: all claims of entities that many Wikipedias have an article about, and
nothing of any other. It is documented as a stand-in: it neither reads nor guesses.
"""
from dataclasses import dataclass

from records.form import ClaimClause, ClassClause, Clause, Compare, Compute, Form, Image, Term, variables
from records.knowledge import Article, Claim, Entity, ImageAsset, PropertyInfo, PropertyProfile
from records.synthesis import Question, Verdict
from records.table import Json
from transforms.certificate.description import distances
from transforms.certificate.execute import Binding, TooLarge, answers, resolve
from transforms.certificate.facts import Facts

SOLVER = "popularity_prior"


@dataclass(frozen=True)
class KnownFacts:
    """A store as the prior knows it: entities below the threshold have no claims."""

    facts: Facts
    min_sitelinks: int

    def known(self, entity_id: str) -> bool:
        """Whether enough Wikipedias have an article about the entity."""
        entity = self.facts.entity(entity_id)
        return entity is not None and entity.num_sitelinks >= self.min_sitelinks

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

    def references(self) -> tuple[int, int]:
        return self.facts.references()

    def stated_members(self, class_id: str) -> int | None:
        return self.facts.stated_members(class_id)

    def property(self, property_id: str) -> PropertyInfo | None:
        return self.facts.property(property_id)

    def profile(self, property_id: str, class_id: str = "") -> PropertyProfile:
        return self.facts.profile(property_id, class_id)


def known_part(form: Form, binding: Binding, known: KnownFacts) -> Form | None:
    """The clauses of a form that the prior knows to hold as they are meant and that hang together with what is asked.

    A clause that it does not know is of no use to it, and does not hinder it either: one solving route is enough. What
    is read close up on a picture, or stands only in an article, is not known by heart. None where nothing known tells
    of the answer.
    """

    def is_known(term: Term) -> bool:
        value = resolve(term, binding)
        return value is not None and value.kind == "entity" and known.known(value.entity)

    kept: list[Clause] = [c for c in form.clauses if (isinstance(c, ClaimClause) and is_known(c.subject))
                          or (isinstance(c, ClassClause) and is_known(c.var))]
    told = {v for c in kept for v in variables(c)}
    for clause in form.clauses:
        if isinstance(clause, Compute) and set(variables(clause)) - {clause.out} <= told:
            kept.append(clause)
            told.add(clause.out)
        elif isinstance(clause, Compare) and set(variables(clause)) <= told:
            kept.append(clause)
    near = distances(Form(clauses=tuple(kept), ask=form.ask))
    kept = [c for c in form.clauses if isinstance(c, Image) or (c in kept and set(variables(c)) <= set(near))]
    return Form(clauses=tuple(kept), ask=form.ask) if form.ask.var in told else None


def popularity_prior(question: Question, facts: Facts, binding: Binding, *, name: str, sees_picture: bool, min_sitelinks: int) -> Verdict:
    """`text_only` or `no_tools` by the prior: passes unless it comes to exactly one answer, which is then the right one.

    Args:
        question: with its form; one without a form passes, and the evidence says so.
        facts: the store.
        binding: the intended value of each variable.
        name: "text_only" or "no_tools".
        sees_picture: whether it is shown the picture, and so knows its entity if that is known at all.
        min_sitelinks: fewest sitelinks of an entity that it knows.
    """
    known = KnownFacts(facts, min_sitelinks)
    form = question.logical_form
    part = known_part(form, binding, known) if form is not None else None
    solutions: tuple = ()
    outcome = "no_form" if form is None else "answer_unknown"
    if part is not None:
        anchor = part.anchor
        given = {anchor: binding[anchor]} if sees_picture and known.known(binding[anchor].entity) else {}
        try:
            solutions = answers(part, known, given)
            outcome = "answered" if len(solutions) == 1 else "several" if solutions else "no_route"
        except (TooLarge, KeyError):
            outcome = "no_route"
    right = outcome == "answered" and solutions[0].key() == question.answer.value.key()
    return Verdict(filter=name, passed=not right, solver=SOLVER, num_samples=1, num_correct=int(right),
                   evidence=Json({"outcome": outcome, "min_sitelinks": min_sitelinks, "sees_picture": sees_picture}))
