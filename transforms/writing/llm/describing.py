"""What a description of an entity of a draft may say, and by which of its claims the certificate lets it be described."""
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from records.form import Clause
from records.knowledge import Entity
from records.synthesis import Answer
from transforms.certificate.leak import names_of_entity
from transforms.writing.form_edits import constants
from transforms.writing.llm.draft_parts import described, pictured
from transforms.writing.llm.material import ClaimLine, Material, material
from transforms.writing.llm.mentions import taken_entities
from transforms.writing.llm.offers import Offer, offers, without_names
from transforms.writing.llm.precheck import Precheck
from transforms.writing.writer import Draft, Mention


@dataclass(frozen=True, kw_only=True)
class Describing:
    """The writer's view of the store.

    Args:
        store: the store.
        precheck: the certificate's judge.
        languages: whose names may not give a hidden thing away; labels are in the first.
        max_claims, max_sentences, tries: the recipe's limits (`LlmRules`).
    """

    store: Any
    precheck: Precheck
    languages: tuple[str, ...]
    max_claims: int
    max_sentences: int
    tries: int

    def material(self, entity: Entity, **limits: Any) -> Material:
        """The claims and sentences of an entity that the certificate can use; `limits` are those of `material`."""
        return self.precheck.offered(material(self.store, entity, self.languages[0], max_claims=self.max_claims, max_sentences=self.max_sentences, **limits))

    def told(self, draft: Draft, entity: Entity) -> Material:
        """Of an entity of a draft what neither says the answer nor gives a hidden name away."""
        taken = taken_entities(draft)
        shown = self.material(entity, avoid=(taken | {draft.answer.value.key()}) - {entity.id}, without=(draft.answer.text, *draft.answer.aliases))
        hidden = [self.store.entity(e) for e in sorted({entity.id, *taken} - {""})]
        return without_names(shown, tuple(n for e in hidden if e is not None for n in names_of_entity(e, self.languages)))

    def refusal(self, draft: Draft, mention: Mention, clauses: tuple[Clause, ...], last: bool = False) -> str:
        """Why the certificate would refuse a description, in words for a model; "" where it passes. After the `last` one the picture comes."""
        form, bindings, var = described(draft, mention, clauses)
        if refused := self.precheck.refusal(form, bindings, var):
            return refused
        taken = taken_entities(draft) | {mention.entity_id}
        shown = [e for e in constants(form) if e not in taken and self.store.images_of(e)] if last and form is not None else []
        if last and form is not None and not any(self.precheck.certified(*pictured(form, bindings, e)) for e in shown):
            return "nothing that it names could be shown as a picture on which the answer depends: name another thing, or describe by what more things share"
        return ""

    def offers(self, draft: Draft, mention: Mention, shown: Material, wanted: Callable[[ClaimLine], bool] = lambda line: True,
               last: bool = False) -> tuple[Offer, ...]:
        """Sets of the claims shown by which the certificate would let the mention be described; `wanted` says which claims a set needs one of."""
        def refused(clauses: tuple[Clause, ...]) -> str:
            return self.refusal(draft, mention, clauses, last)

        return offers(self.store, shown, refused, most_tries=self.tries, wanted=wanted)

    def walkable(self, draft: Draft) -> bool:
        """Whether every stop of a path that its hop does not single out has claims that do: otherwise no question over it can be kept."""
        return all(not self.precheck.ambiguous(draft.form, draft.bindings, hop.target) or self.offers(
            draft, Mention(entity_id=draft.bindings[hop.target], var=hop.target), self.told(draft, self.store.entity(draft.bindings[hop.target])))
            for hop in reversed(draft.hops))


def unanswered(line: ClaimLine, **parts: Any) -> Draft:
    """A draft that asks for a claim's value and has no words yet."""
    return Draft(text="", answer=Answer(value=line.claim.value, text="", type=""), **parts)
