"""Guessing: what somebody can say who hears the question and does not see its picture.

The picture might show any thing of the class that the words name. Each gives the form an answer, or none; the share of the
commonest answer among them is how often the best guess is right.
"""
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from records.form import Form
from records.knowledge import entity_value
from transforms.certificate.execute import Binding, TooLarge, answers
from transforms.certificate.facts import Facts
from transforms.certificate.said_class import said_class

MAX_LOOKED_AT = 1_000
MAX_ANSWERING = 200
"""Things of the class that are put in the picture's place, and those among them that give an answer: enough for a share."""


@dataclass(frozen=True)
class Guess:
    """The answers that the words alone leave open: how many different ones, and the share of the commonest (1 where there is none)."""

    num_answers: int
    share: float


def guess(form: Form, facts: Facts, binding: Binding) -> Guess:
    """What the form leaves open where the picture says nothing: the same for all pictures of the class."""
    return _guess(form, facts, said_class(facts, binding[form.anchor].entity))


@lru_cache(maxsize=4096)
def _guess(form: Form, facts: Facts, class_id: str) -> Guess:
    found: Counter[str] = Counter()
    num_answering = 0
    for member in facts.members(class_id, limit=MAX_LOOKED_AT):
        try:
            given = answers(form, facts, {form.anchor: entity_value(member)}, most=2)
        except TooLarge:
            continue
        found.update(v.key() for v in given)
        num_answering += bool(given)
        if num_answering == MAX_ANSWERING:
            break
    return Guess(len(found), max(found.values()) / num_answering if found else 1.0)
