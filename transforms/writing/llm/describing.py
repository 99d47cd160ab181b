"""What a description of an entity of a draft may say, and by which of its claims the certificate lets it be described."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from questloom.language.names_in_text import HUMAN, folded, leaked, names_of_entity
from questloom.records.form import Ask, ClaimClause, ClassClause, Clause, Form
from questloom.records.knowledge import Entity, entity_value
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.kinds import OCCUPATION, SEX
from questloom.transforms.writing.form_edits import constants
from questloom.transforms.writing.graph.verbalise import MAX_CLAIMS
from questloom.transforms.writing.llm.allowed_words import STEM
from questloom.transforms.writing.llm.draft_parts import described, pictured
from questloom.transforms.writing.llm.kind_clauses import with_kinds
from questloom.transforms.writing.llm.material import ClaimLine, Material, material, property_label
from questloom.transforms.writing.llm.mentions import taken_entities
from questloom.transforms.writing.llm.offers import Offer, offers, without_names
from questloom.transforms.writing.llm.precheck import Precheck
from questloom.transforms.writing.llm.relation_words import (
    LANGUAGE,
    RelationWords,
    relation_words,
    telling_words,
    tells_relation,
)
from questloom.transforms.writing.writer import Draft, Fact, Mention

FIELD = "P101"
"""Field of work: whom a question calls a botanist is not described by "botany"."""


@dataclass(frozen=True, kw_only=True)
class Describing:
    """The writer's view of the store.

    Args:
        store: the store.
        precheck: the certificate's judge.
        languages: whose names may not give a hidden thing away; labels are in the first.
        tries: the recipe's limit (`LlmRules`).
    """

    store: Any
    precheck: Precheck
    languages: tuple[str, ...]
    tries: int

    def material(self, entity: Entity, **limits: Any) -> Material:
        """The claims and sentences of an entity that the certificate can use; `limits` are those of `material`."""
        return self.precheck.offered(
            material(
                self.store,
                entity,
                self.languages[0],
                **limits,
            )
        )

    def select_material(self, draft: Draft, entity: Entity) -> Material:
        """Of an entity of a draft what neither says the answer nor gives a hidden name away."""
        taken = taken_entities(draft)
        shown = self.material(
            entity,
            avoid=(taken | {draft.answer.value.key()}) - {entity.id},
            without=(draft.answer.text, *draft.answer.aliases),
        )
        hidden = [
            e for e in map(self.store.entity, sorted({entity.id, *taken} - {""})) if e is not None
        ]
        shown = without_names(
            shown, tuple(n for e in hidden for n in names_of_entity(e, self.languages))
        )
        return replace(
            shown,
            claims=tuple(
                line
                for line in shown.claims
                if not self._says(draft, line) and not self._namesake(hidden, line)
            ),
        )

    def _namesake(self, hidden: Iterable[Entity], line: ClaimLine) -> bool:
        """Whether a claim leads to somebody whose surname a hidden thing bears: with Ada Orm the Orm family is named, and the Orm Prize."""
        other = self.store.entity(line.other)
        if other is None or HUMAN not in (*other.classes, *other.class_closure):
            return False
        return any(
            leaked(e.label(self.languages[0]), names_of_entity(other, self.languages))
            for e in hidden
        )

    def _says(self, draft: Draft, line: ClaimLine) -> bool:
        """Whether a question says a claim already, of this thing or of another stop: as a clause, or by a word for what somebody is."""
        clause = line.clause
        end = (
            None
            if not isinstance(clause, ClaimClause)
            else clause.subject
            if line.inverse
            else clause.object
        )
        said = draft.form.of(ClaimClause) if draft.form is not None else ()
        if end is not None and any(
            c.property == line.claim.property and end in (c.subject, c.object) for c in said
        ):
            return True
        value = (
            self.store.entity(line.value.entity)
            if line.claim.property in (SEX, OCCUPATION, FIELD) and not line.inverse
            else None
        )
        if value is not None and line.claim.property == FIELD:
            stems = {
                word[:STEM]
                for name in value.names(self.languages)
                for word in folded(name).split()
                if len(word) >= STEM
            }
            return any(word[:STEM] in stems for word in folded(draft.text).split())
        return value is not None and leaked(draft.text, value.names(self.languages)) is not None

    def refusal(
        self, draft: Draft, mention: Mention, clauses: tuple[Clause, ...], last: bool = False
    ) -> str:
        """Why the certificate would refuse a description, in words for a model; "" where it passes. After the `last` one the picture comes."""
        form, bindings, var = described(draft, mention, clauses)
        num_steps = (
            len(draft.hops) + sum(step.role in ("inject", "describe") for step in draft.history) + 1
        )
        if form is not None and len(form.of(ClaimClause)) > max(MAX_CLAIMS, num_steps + 1):
            return "with it the question says more than a reader keeps in mind: describe by fewer claims"
        told = (
            with_kinds(self.store, form, bindings, draft.text, var, self.languages[0])
            if form is not None
            else None
        )
        if refused := self.precheck.refusal(form, bindings, var, told):
            return refused
        taken = taken_entities(draft) | {mention.entity_id}
        shown = (
            [e for e in constants(form) if e not in taken and self.store.images_of(e)]
            if last and form is not None
            else []
        )
        if (
            last
            and form is not None
            and not any(self.precheck.certified(*pictured(form, bindings, e)) for e in shown)
        ):
            return "nothing that it names could be shown as a picture on which the answer depends: name another thing, or describe by what more things share"
        return ""

    def taken(self, draft: Draft, mention: Mention, fact: Fact, last: bool = False) -> Fact:
        """The fact with the clauses by which the certificate takes it: without the kind where its rivals cannot all be listed.

        Raises:
            ValueError: it takes neither, with the reason in words for a model.
        """
        for clauses in (
            fact.clauses,
            tuple(c for c in fact.clauses if not isinstance(c, ClassClause)),
        ):
            if clauses and not self.refusal(draft, mention, clauses, last):
                return replace(fact, clauses=clauses)
        raise ValueError(
            f"{fact.text!r} will not do: {self.refusal(draft, mention, fact.clauses, last)}"
        )

    def offers(
        self,
        draft: Draft,
        mention: Mention,
        shown: Material,
        needs_picture: bool = False,
        last: bool = False,
    ) -> tuple[Offer, ...]:
        """Sets of the claims shown by which the certificate would let the mention be described, each with something that can be shown where that is needed."""

        def wanted(line: ClaimLine) -> bool:
            end = line.claim.subject if line.inverse else line.claim.value.entity
            return not needs_picture or bool(end and self.store.images_of(end))

        def refused(clauses: tuple[Clause, ...]) -> str:
            return self.refusal(draft, mention, clauses, last)

        told = telling_words(draft.text) if self.languages[0] == LANGUAGE else ()
        asked = (
            [
                self._relation(c.property)
                for c in draft.form.of(ClaimClause)
                if c.object == draft.form.ask.var
            ]
            if draft.form is not None
            else []
        )
        verbs = [word for word in told if tells_relation(word, asked)]

        def same_verb(line: ClaimLine, words: Iterable[str]) -> bool:
            return any(
                tells_relation(word, [self._relation(line.claim.property)]) for word in words
            )

        return offers(
            self.store,
            shown,
            refused,
            most_tries=self.tries,
            wanted=wanted,
            late=lambda line: same_verb(line, told),
            never=lambda line: same_verb(line, verbs),
        )

    def _relation(self, property_id: str) -> RelationWords:
        return relation_words(property_id, property_label(self.store, property_id, LANGUAGE))

    def askable(self, entity: Entity, line: ClaimLine, last: bool = False) -> bool:
        """Whether a named thing can be described in a question for a claim of it: otherwise that question never gets a picture."""
        asked = ClaimClause(
            subject=entity_value(entity.id), property=line.claim.property, object="a"
        )
        draft = unanswered(
            line,
            form=Form(clauses=(asked,), ask=Ask(var="a", type="")),
            bindings={"a": line.claim.value.key()},
        )
        return any(self.growing(draft, {entity.id: entity.label(self.languages[0])}, last))

    def growing(self, draft: Draft, named: Mapping[str, str], last: bool = False) -> Iterator[str]:
        """Those of the things that a question names that can be described, by something that can be shown where no other one named can."""
        for entity_id, name in named.items():
            shown = self.select_material(draft, self.store.entity(entity_id))
            if shown.sentences or self.offers(
                draft,
                Mention(entity_id=entity_id, surface=name),
                shown,
                self.needs_picture(entity_id, named),
                last,
            ):
                yield entity_id

    def needs_picture(self, entity_id: str, named: Iterable[str]) -> bool:
        """Whether nothing else that a question names could become its picture."""
        return not any(self.store.images_of(e) for e in named if e != entity_id)

    def walkable(self, draft: Draft) -> bool:
        """Whether every stop of a path that its hop does not single out has claims that do: otherwise no question over it can be kept."""
        return all(
            not self.precheck.ambiguous(draft.form, draft.bindings, hop.target)
            or self.offers(
                draft,
                Mention(entity_id=draft.bindings[hop.target], var=hop.target),
                self.select_material(draft, self.store.entity(draft.bindings[hop.target])),
            )
            for hop in reversed(draft.hops)
        )


def unanswered(line: ClaimLine, **parts: Any) -> Draft:
    """A draft that asks for a claim's value and has no words yet."""
    return Draft(text="", answer=Answer(value=line.claim.value, text="", type=""), **parts)
