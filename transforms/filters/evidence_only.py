"""`solvable` without a model: a solver must reach the answer from the evidence alone.

Without a model, the form (the question as a query) is executed over the certificate's own claims
alone. The execution fails where the evidence has a fault: a claim of a step is missing, the picture
does not show a detail, or the answer depends on something else.
"""

from collections.abc import Iterable, Iterator

from questloom.knowledge.dates import index_keys, keys_overlap
from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    ImageAsset,
    PropertyInfo,
    PropertyProfile,
    value_of_key,
)
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict, not_run
from questloom.transforms.certificate.certify import given_by_picture
from questloom.transforms.certificate.execute import answers, binding_of
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.stages.stage import reject
from questloom.transforms.writing.form_edits import constants


class EvidenceFacts:
    """A store with only the given nodes and claims. Classes and pictures come from the whole
    store."""

    def __init__(self, facts: Facts, nodes: Iterable[str], claims: Iterable[Claim]) -> None:
        self._facts = facts
        self._nodes = sorted(nodes)
        self._claims: dict[str, list[Claim]] = {}
        for claim in sorted(claims, key=lambda c: c.id):
            self._claims.setdefault(claim.subject, []).append(claim)

    @property
    def edition(self) -> str:
        return self._facts.edition

    @property
    def language(self) -> str:
        return self._facts.language

    def claims(self, subject: str) -> tuple[Claim, ...]:
        return tuple(self._claims.get(subject, ()))

    def claims_into(self, entity_id: str, **limit: int) -> tuple[Claim, ...]:
        return ()

    def subjects(self, property: str, value_key: str, **limit: int) -> tuple[str, ...]:
        claims = (c for found in self._claims.values() for c in found if c.property == property)
        fitting = (
            c for c in claims if any(keys_overlap(value_key, key) for key in index_keys(c.value))
        )
        return tuple(sorted({c.subject for c in fitting}))

    def num_subjects(self, property: str, value_key: str) -> int:
        return len(self.subjects(property, value_key))

    def subjects_by_value(self, property: str) -> Iterator[tuple[str, list[str]]]:
        claims = (c for found in self._claims.values() for c in found if c.property == property)
        pairs = sorted({(key, c.subject) for c in claims for key in index_keys(c.value)})
        return ((key, [subject]) for key, subject in pairs)

    def members(self, class_id: str, **limit: int) -> tuple[str, ...]:
        return tuple(
            e
            for e in self._nodes
            if (found := self._facts.entity(e))
            and class_id in (*found.class_closure, *found.classes)
        )

    def num_members(self, class_id: str) -> int:
        return len(self.members(class_id))

    def entity(self, entity_id: str) -> Entity | None:
        return self._facts.entity(entity_id)

    def article(self, entity_id: str) -> Article | None:
        return None

    def entity_of_title(self, title: str) -> str | None:
        return None

    def images_of(self, entity_id: str) -> tuple[ImageAsset, ...]:
        return self._facts.images_of(entity_id)

    def is_pictured(self, entity_id: str) -> bool:
        return self._facts.is_pictured(entity_id)

    def references(self) -> tuple[int, int]:
        return self._facts.references()

    def stated_members(self, class_id: str) -> int | None:
        return self._facts.stated_members(class_id)

    def property(self, property_id: str) -> PropertyInfo | None:
        return self._facts.property(property_id)

    def profile(self, property_id: str, class_id: str = "") -> PropertyProfile:
        return self._facts.profile(property_id, class_id)


def solvable(question: Question, facts: Facts) -> Question | Rejection:
    """The question with its verdict, or a rejection with the answer that the evidence gives instead."""
    form = question.logical_form
    if form is None or question.certificate is None:
        return question.with_verdict(
            not_run("solvable", "the question has no form that could be executed")
        )
    wanted = {h.claim_id for h in question.certificate.evidence}
    nodes = {v.entity for v in binding_of(question.bindings).values() if v.kind == "entity"} | set(
        constants(form)
    )
    nodes |= {value_of_key(f.value).entity for f in question.certificate.fuzzed} - {""}
    claims = [c for node in sorted(nodes) for c in facts.claims(node) if c.id in wanted]
    given = given_by_picture(form, binding_of(question.bindings))
    pictured = {
        d.property
        for i in facts.images_of(question.anchor)
        if i.id == question.source_image_id
        for d in i.details
    }
    if any(r.property not in pictured for r in form.shown_reads):
        return reject(
            question, Reason.NOT_SOLVABLE, {"what": "the chosen picture does not show the detail"}
        )
    found = tuple(v.key() for v in answers(form, EvidenceFacts(facts, nodes, claims), given))
    if found != (question.answer.value.key(),):
        return reject(question, Reason.NOT_SOLVABLE, {"found": list(found)})
    return question.with_verdict(
        Verdict(
            filter="solvable",
            passed=True,
            solver="evidence_execution",
            num_samples=1,
            num_correct=1,
        )
    )
