"""Guessing: what somebody can say who hears the question and does not see its picture.

The picture might show any thing of the class that the words name, so the words leave several answers open: with two of them one in two
guesses is right. And some answers are the commonest of their kind whatever is shown ("Northern Hemisphere", "mayor"): how common was
counted once, when the store was made (`PropertyProfile.num_commonest`).
"""
from dataclasses import dataclass

from records.form import ClaimClause, ClassClause, Compute, Form
from records.knowledge import PropertyProfile, Value
from transforms.certificate.execute import Binding, TooLarge, answers
from transforms.certificate.facts import Facts, classes_of
from transforms.certificate.said_class import said_class

MOST_ANSWERS = 5
"""So many answers are counted; more of them are no better for a guess than these."""
BETWEEN_TWO = ("earliest", "latest", "largest", "smallest")
"""Operations whose answer is one of the things that they compare."""
WEIGHT = 10
"""Subjects of a class that count as much as all other subjects of the property together: of three towns nobody learns what towns are like."""


@dataclass(frozen=True)
class Guess:
    """The answers that the words alone leave open, counted up to `MOST_ANSWERS`, and how often the best guess is right (1 where there is none)."""

    num_answers: int
    share: float


def guess(form: Form, facts: Facts, binding: Binding) -> Guess:
    """What the form leaves open where the picture says nothing."""
    number = num_answers_without_picture(form, facts, binding)
    share = 1 / number if number else 1.0
    return Guess(number, max(share if number < MOST_ANSWERS else 0.0, guess_of_kind(form, facts, binding)))


def guess_of_kind(form: Form, facts: Facts, binding: Binding) -> float:
    """How often the best guess is right by the kind of answer alone: one of those compared, or the commonest value of the relation that is asked."""
    compared = [1 / len(c.args) for c in form.of(Compute) if c.op in BETWEEN_TWO and c.out == form.ask.var]
    return max((*compared, *(commonest_share(facts, c.property, _subject(c, binding)) for c in form.of(ClaimClause) if c.object == form.ask.var)),
               default=0.0)


def num_answers_without_picture(form: Form, facts: Facts, binding: Binding) -> int:
    """How many answers the form has where the picture says nothing, counted up to `MOST_ANSWERS`; as many where there are too many to count."""
    anchor = form.anchor
    kind = said_class(facts, binding[anchor].entity)
    extra = () if not kind or any(isinstance(c, ClassClause) and c.var == anchor for c in form.clauses) else (ClassClause(var=anchor, class_id=kind),)
    try:
        return len(answers(Form(clauses=(*form.clauses, *extra), ask=form.ask), facts, {}, most=MOST_ANSWERS))
    except TooLarge:
        return MOST_ANSWERS


def commonest_share(facts: Facts, property: str, subject: str) -> float:
    """How often the commonest value of a property is right for things of the subject's classes, by the others of them that have one.

    The largest over its direct classes, each drawn towards all subjects by the weight of `WEIGHT` of them.
    """
    everywhere = _share(facts.profile(property), 0.0, 0)
    known = [p for c in classes_of(facts, subject) if (p := facts.profile(property, c)).num_subjects]
    return max((_share(p, everywhere, WEIGHT) for p in known), default=everywhere)


def _share(profile: PropertyProfile, believed: float, weight: int) -> float:
    others = profile.num_subjects - 1
    return (max(0, profile.num_commonest - 1) + weight * believed) / (others + weight) if others + weight > 0 else 0.0


def _subject(clause: ClaimClause, binding: Binding) -> str:
    return clause.subject.entity if isinstance(clause.subject, Value) else binding[clause.subject].entity
