"""The popularity prior: a solver without a model, for F5 and F6 where no endpoint is configured.

It stands in for what models know by heart: all claims of entities that many Wikipedias have an article about, and
nothing of any other. It is documented as a stand-in: it neither reads nor guesses.
"""
from dataclasses import dataclass

from records.form import ClaimClause, ClassClause, Compare, Compute, Form, Image, Reads, SentenceClause
from records.knowledge import Article, Claim, Entity, ImageAsset, PropertyInfo, PropertyProfile
from records.synthesis import Question, Verdict
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

    def subjects(self, property: str, value_key: str, *, limit: int = 10_000) -> tuple[str, ...]:
        return tuple(s for s in self.facts.subjects(property, value_key, limit=limit) if self.known(s))

    def num_subjects(self, property: str, value_key: str) -> int:
        return self.facts.num_subjects(property, value_key)

    def members(self, class_id: str, *, limit: int = 10_000) -> tuple[str, ...]:
        return tuple(m for m in self.facts.members(class_id, limit=limit) if self.known(m))

    def num_members(self, class_id: str) -> int:
        return self.facts.num_members(class_id)

    def article(self, entity_id: str) -> Article | None:
        return None

    def images_of(self, entity_id: str) -> tuple[ImageAsset, ...]:
        return ()

    def property(self, property_id: str) -> PropertyInfo | None:
        return self.facts.property(property_id)

    def profile(self, property_id: str, class_id: str = "") -> PropertyProfile:
        return self.facts.profile(property_id, class_id)


def known_part(form: Form, binding: Binding, known: KnownFacts) -> Form | None:
    """The clauses of a form that the prior knows to hold as they are meant; None where the answer is not among them.

    A clause that it does not know is of no use to it, and does not hinder it either: one solving route is enough.
    """

    def entities(*terms) -> list[str]:
        values = [resolve(t, binding) for t in terms]
        return [v.entity for v in values if v is not None and v.kind == "entity"]

    kept = []
    for clause in form.clauses:
        match clause:
            case Image():
                kept.append(clause)
            case ClaimClause() if any(known.known(e) for e in entities(clause.subject)):
                kept.append(clause)
            case ClassClause() if any(known.known(e) for e in entities(clause.var)):
                kept.append(clause)
            case Compare() | Compute():
                kept.append(clause)
            case Reads() | SentenceClause():
                pass  # what is read close up on a picture, or only in an article, is not known by heart
    part = Form(clauses=tuple(kept), ask=form.ask)
    defined = {v for c in kept for v in ((c.out,) if isinstance(c, Compute) else _terms(c))}
    return part if form.ask.var in defined else None


def _terms(clause) -> tuple[str, ...]:
    if isinstance(clause, ClaimClause):
        return tuple(t for t in (clause.subject, clause.object) if isinstance(t, str))
    return (clause.var,) if isinstance(clause, Image | ClassClause) else ()


def popularity_prior(question: Question, facts: Facts, binding: Binding, *, name: str, sees_picture: bool, min_sitelinks: int) -> Verdict:
    """F5 or F6 by the prior: passes unless it comes to exactly one answer, which is then the right one.

    Args:
        question: with its form; one without a form passes, and the evidence says so.
        facts: the store.
        binding: the intended value of each variable.
        name: "F5" or "F6".
        sees_picture: whether it is shown the picture, and so knows its entity if that is known at all.
        min_sitelinks: fewest sitelinks of an entity that it knows.
    """
    known = KnownFacts(facts, min_sitelinks)
    form = question.logical_form
    part = known_part(form, binding, known) if form is not None else None
    found: tuple = ()
    outcome = "no_form" if form is None else "answer_unknown"
    if part is not None:
        anchor = part.anchor
        given = {anchor: binding[anchor]} if sees_picture and known.known(binding[anchor].entity) else {}
        try:
            found = answers(part, known, given, most=2)
            outcome = "answered" if len(found) == 1 else "several" if found else "no_route"
        except (TooLarge, KeyError):
            outcome = "no_route"
    right = outcome == "answered" and found[0].key() == question.answer.value.key()
    return Verdict(filter=name, passed=not right, solver=SOLVER, num_samples=1, num_correct=int(right),
                   evidence={"outcome": outcome, "min_sitelinks": min_sitelinks, "sees_picture": sees_picture})
