"""Tries wrong answers of policies and teachers in the question's formal query. A rival is another
possible answer. If a rival satisfies the query, the question has two right answers and is
broken."""

from collections.abc import Iterable
from dataclasses import dataclass

from questloom.knowledge.store.store import Store
from questloom.records.synthesis import Question
from questloom.transforms.certificate.certify import given_by_picture, rival_fits
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.filters.rivals import rival_keys


@dataclass(frozen=True)
class FittingRival:
    """A wrong answer that satisfies the question's formal query."""

    said: str
    key: str
    passed_by: str
    """The checks that let the broken question pass: its certificate (the proof that only one answer
    fits), and the solver filters that were switched off."""


def fitting_rival(question: Question, wrong: Iterable[str], store: Store) -> FittingRival | None:
    """Of the wrong answers, the first one in alphabetical order that the question's formal query
    also accepts."""
    form = question.logical_form
    if form is None:
        return None
    given = given_by_picture(form, binding_of(question.bindings))
    for said in sorted(set(wrong)):
        for key in rival_keys(store, question.answer, said, question.language):
            if rival_fits(question, store, given, key):
                return FittingRival(said, key, _passed_by(question))
    return None


def _passed_by(question: Question) -> str:
    certificate = question.certificate
    basis = (
        f"certify (basis {certificate.basis}, margin {certificate.margin})"
        if certificate
        else "certify (no certificate)"
    )
    off = [v.filter for v in question.verdicts if v.solver in ("not_run", "popularity_prior")]
    return f"{basis}; no model answered at {', '.join(off)}" if off else basis
