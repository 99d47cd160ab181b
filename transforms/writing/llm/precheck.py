"""What the certificate will say of claims, asked before a model is: which may be asked for, and which describe a thing.

A prompt that asks for what the check refuses costs a call and a seed. Without the recipe's judge (tests, tools) nothing is held back.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from questloom.language.names_in_text import folded, leaked, names_of_entity
from questloom.prompts.phrases import property_use
from questloom.records.form import Ask, ClaimClause, Clause, Form
from questloom.records.knowledge import Entity, Value, entity_value, value_of_key
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Certificate
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, unclear_names
from questloom.transforms.certificate.evidence import is_named, unstated
from questloom.transforms.certificate.execute import TooLarge
from questloom.transforms.certificate.guess import guess_of_kind
from questloom.transforms.certificate.stating import statement_of
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.values import is_volatile
from questloom.transforms.writing.form_edits import SELF
from questloom.transforms.writing.graph.clues import answerable
from questloom.transforms.writing.llm.kind_clauses import find_descriptor
from questloom.transforms.writing.llm.material import NO_PAGE, ClaimLine, Material

INCEPTION = "P571"
PAGE_ONLY = ("P509", "P1619")
"""Asked for only where a page tells it: sources guess at what people of long ago died of, and differ in what counts as an opening (a first burial, a rite)."""
DOUBTED = ("P1480", "P5102")
"""Qualifiers by which a source doubts its own claim: sourcing circumstances ("circa", "presumably") and nature of statement."""
MIN_SHARED = 4
"""Letters of a word by which one name gives another away."""


class Judge(Protocol):
    """What `questloom.transforms.drafting.accept.Accept` gives: it stands above the writers and is handed down."""

    @property
    def facts(self) -> Lookups: ...
    @property
    def rules(self) -> CertificateRules: ...
    def described(self, form: Form, bindings: dict[str, str], var: str) -> Refusal | None: ...
    def idle(self, form: Form, bindings: dict[str, str], var: str) -> Refusal | None: ...
    def hopeless(self, form: Form, bindings: dict[str, str]) -> Refusal | None: ...
    def whole(self, form: Form, bindings: dict[str, str]) -> Certificate | Refusal: ...


@dataclass(frozen=True)
class Precheck:
    """The certificate's judge in the writer's hands.

    Args:
        store: the store.
        accept: the judge with the recipe's rules, or None to hold nothing back.
        language: of labels.
        max_answer_words: of what is asked for.
    """

    store: Any
    accept: Judge | None
    language: str
    max_answer_words: int

    @property
    def takes_votes(self) -> bool:
        """Whether the recipe accepts what no claim says; where it does not, no sentence is offered."""
        return self.accept is None or "votes" in self.accept.rules.bases

    def offered(self, shown: Material) -> Material:
        """The material less what could only be refused: claims that no page states, claims of a thing
        whose name others have, too, sentences where no claim would stand behind them."""
        if self.accept is None:
            return shown
        claims = tuple(
            c
            for c in shown.claims
            if c.claim.property == "P31"
            or (
                self._usable(c)
                and self._clear(c)
                and (not self.accept.rules.stated or is_named(self.store, c.claim))
            )
        )
        return replace(shown, claims=claims, sentences=shown.sentences if self.takes_votes else ())

    def _clear(self, line: ClaimLine) -> bool:
        """Whether the thing that a claim is one of, where a description would name it, is meant by its name."""
        return not line.inverse or not unclear_names(
            Form(clauses=(line.clause,), ask=Ask(var=SELF, type="")), self.store
        )

    def _usable(self, line: ClaimLine) -> bool:
        use = property_use(line.claim.property)
        # A thing came into being on its day of inception; of what began on another day only a page tells.
        told = line.page != NO_PAGE or line.claim.property == INCEPTION
        return (use.clue or use.answer) and told and not is_volatile(self.store, line.claim)

    def _sure(self, entity: Entity, line: ClaimLine) -> bool:
        """Whether a claim is no conjecture, no date of which no page says what happened then, and no value that the thing's own name tells."""
        if any(q.property in DOUBTED for q in line.claim.qualifiers) or line.page == NO_PAGE:
            return False
        if line.claim.property in PAGE_ONLY and statement_of(self.store, line.claim) is None:
            return False
        return line.value.kind != "entity" or not self._named_alike(entity, line.value.entity)

    def _named_alike(self, entity: Entity, other_id: str) -> bool:
        """Whether one of two names stands in the other, or they share a word that is none for a kind: "New York City" and "York", Pueblo and Pueblo County."""
        other, languages = self.store.entity(other_id), tuple(dict.fromkeys((self.language, "en")))
        if other is None:
            return False
        kinds = {
            word
            for e in (entity, other)
            for word in folded(find_descriptor(self.store, e.id, self.language)).split()
        }
        words = [
            {w for w in folded(e.label(self.language)).split() if len(w) >= MIN_SHARED} - kinds
            for e in (entity, other)
        ]
        pairs = ((entity, other), (other, entity))
        return bool(words[0] & words[1]) or any(
            leaked(a.label(self.language), names_of_entity(b, languages)) for a, b in pairs
        )

    def askable(
        self,
        entity: Entity,
        shown: Material,
        draft: Callable[[ClaimLine], tuple[Form, dict[str, str]]] | None = None,
    ) -> tuple[int, ...]:
        """The numbers of the claims whose value may be the answer: one value, functional, stable, short, and not to be had without the picture.

        `draft` gives form and bindings of a question for a claim, where the picture is known already.
        """
        lines = list(enumerate(shown.claims, start=1))
        if self.accept is None:
            return tuple(n for n, line in lines if not line.inverse)
        found = answerable(self.accept.facts, entity, self.max_answer_words, frozenset())
        ids = {claim.id for _, claim, _ in found}
        num_values = Counter(
            p
            for p, _ in {
                (c.claim.property, c.claim.value.key()) for c in shown.claims if not c.inverse
            }
        )
        free = [
            (n, line)
            for n, line in lines
            if line.claim.id in ids
            and not line.inverse
            and num_values[line.claim.property] == 1
            and self._told(entity, line)
            and self._sure(entity, line)
        ]
        # Born and died in one place: of two such answers the first will do.
        once = list(
            {
                line.claim.value.key(): (n, line)
                for n, line in reversed(free)
                if line.value == line.claim.value
            }.values()
        )
        kept = {line.claim.id for _, line in once}
        return tuple(
            n
            for n, line in free
            if line.claim.id in kept and (draft is None or not self.accept.hopeless(*draft(line)))
        )

    def _told(self, entity: Entity, line: ClaimLine) -> bool:
        """Whether a claim's value is not the one that anybody would guess for a thing of the kind."""
        assert self.accept is not None
        asked = ClaimClause(
            subject=entity_value(entity.id), property=line.claim.property, object="a"
        )
        share = guess_of_kind(
            Form(clauses=(asked,), ask=Ask(var="a", type="")), self.store, {"a": line.claim.value}
        )
        return share <= self.accept.rules.max_guess

    def ambiguous(self, form: Form | None, bindings: dict[str, str], var: str) -> bool:
        """Whether what a form says of a variable leaves room for others, so that it has to be described further."""
        if self.accept is None or form is None:
            return False
        try:
            refused = self.accept.described(form, bindings, var)
        except TooLarge:
            return True
        return refused is not None and refused.reason is not Reason.DECORATION

    def refusal(
        self, form: Form | None, bindings: dict[str, str], var: str, told: Form | None = None
    ) -> str:
        """Why the description of a variable would be refused, in words for a model; "" where it passes or nothing can tell.

        `told` is the form with the kinds that the words tell besides: by them the thing must not be found without the picture.
        """
        if self.accept is None or form is None:
            return ""
        if unclear := unclear_names(form, self.store):
            return f'"{unclear[0]}" is the name of several things'
        try:
            if self.accept.rules.stated and unstated(
                form, self.store, {v: value_of_key(key) for v, key in bindings.items()}
            ):
                return "no page says it"
            refused = self.accept.described(form, bindings, var) or self.accept.idle(
                told or form, bindings, var
            )
        except TooLarge:
            return "too many things fit it"
        refused = refused or (self.accept.hopeless(told or form, bindings) if form.anchor else None)
        return self._words(refused, bindings) if refused else ""

    def certified(self, form: Form | None, bindings: dict[str, str]) -> bool:
        """Whether a question of this form, with its picture, gets a certificate as it stands; also where nothing can tell."""
        return (
            self.accept is None
            or form is None
            or isinstance(self.accept.whole(form, bindings), Certificate)
        )

    def _words(self, refused: Refusal, bindings: dict[str, str]) -> str:
        if refused.reason in (Reason.PICTURE_NOT_NEEDED, Reason.GUESSABLE):
            return "with it the answer can be found without the picture: describe by what more things share"
        if refused.reason is Reason.COLLAPSES or (
            "ends" not in refused.evidence and refused.reason is Reason.DECORATION
        ):
            return "with it a part of the way to the answer need not be gone: describe by what more things share"
        if refused.reason is Reason.DECORATION:
            ends = [
                self.store.label(bindings.get(end, end), self.language)
                for end in refused.evidence["ends"]
            ]
            return (
                f"it fits one thing even for somebody who does not know {' and '.join(ends)}, "
                "so nobody has to find that first: describe it by what several things share"
            )
        rival = refused.evidence.get("rival")
        if rival:
            return f"{self.store.label(rival['entity_id'], self.language)} fits it, too, or may where the data have gaps: join another claim"
        return "too many things fit it, or may where the data have gaps: join another claim"

    def spoken(self, form: Form, entity_id: str, lines: Iterable[ClaimLine]) -> Form:
        """The form with claims of a named thing that the question states beside what it asks."""
        extra: list[Clause] = []
        for line in lines:
            clause = line.clause
            if isinstance(clause, ClaimClause):
                extra.append(
                    ClaimClause(
                        subject=Value(kind="entity", entity=entity_id),
                        property=clause.property,
                        object=clause.object,
                    )
                )
        return Form(clauses=(*form.clauses, *extra), ask=form.ask)
