"""Decides whether a step of a draft is accepted: by the certificate's margin where it has a form, by models' votes where it has none.

A form proves a form: the words of a writer that does not compose them from it are read back against it, by models too.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from questloom.language.names_in_text import leaked
from questloom.records.form import Form
from questloom.records.knowledge import value_of_key
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Certificate, Seed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import (
    Refusal,
    certify_form,
    given_by_picture,
    hidden_nodes,
    misshapen,
    needed_of,
    too_near,
)
from questloom.transforms.certificate.description import Description, descriptions
from questloom.transforms.certificate.evidence import unstated
from questloom.transforms.certificate.execute import Binding
from questloom.transforms.certificate.guess import guess_of_kind
from questloom.transforms.certificate.leak import answer_names, find_leak
from questloom.transforms.certificate.margin import constants_of, margin_of, num_fitting
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.writer import Draft, Vote, Writer, WriterRejection

_AGAINST = {
    "unique": Reason.NOT_UNIQUE,
    "invariant": Reason.ANSWER_CHANGED,
    "picture": Reason.PICTURE_NOT_NEEDED,
}


def binding_of(bindings: dict[str, str]) -> Binding:
    """The values that a draft's or question's bindings name."""
    return {var: value_of_key(key) for var, key in bindings.items()}


@dataclass(frozen=True)
class Accept:
    """The judge of steps and drafts, with the store and the recipe's rules."""

    facts: Lookups
    rules: CertificateRules
    own_page: bool = True
    """Whether the answer may stand on the page of the picture's thing (`DraftRules.own_page`)."""

    def described(self, form: Form, bindings: dict[str, str], var: str) -> Refusal | None:
        """Whether one variable's description has the margin; the nodes around it are taken as known."""
        binding = binding_of(bindings)
        for description in descriptions(form, binding):
            if description.var == var:
                margin = margin_of(
                    self.facts,
                    description,
                    binding[var],
                    self.rules.margin,
                    exact=False,
                )
                if margin.margin < (1 if self.facts.trust.complete else self.rules.margin):
                    return too_near(margin)
                return self._idle(description)
        return Refusal(reason=Reason.NO_DESCRIPTION, evidence={"var": var})

    def idle(self, form: Form, bindings: dict[str, str], var: str) -> Refusal | None:
        """Whether one variable's description does without what it is described by, whatever its margin."""
        return next(
            (self._idle(d) for d in descriptions(form, binding_of(bindings)) if d.var == var), None
        )

    def _idle(self, description: Description) -> Refusal | None:
        """A refusal where the description does not need the node before it, or none of the entities that it names.

        One of those will be the next node of the chain, or the picture.
        """
        ends = description.predecessors or tuple(dict.fromkeys(constants_of(description)))
        idle = [end for end in ends if num_fitting(self.facts, description, end) == 1]
        if idle and (description.predecessors or len(idle) == len(ends)):
            return Refusal(
                reason=Reason.DECORATION, evidence={"var": description.var, "ends": idle}
            )
        return None

    def whole(self, form: Form, bindings: dict[str, str]) -> Certificate | Refusal:
        """What the certificate says of a question of this form, whatever its words."""
        return certify_form(
            form, self.facts, given_by_picture(form, binding_of(bindings)), bindings, self.rules
        )

    def hopeless(self, form: Form, bindings: dict[str, str]) -> Refusal | None:
        """A refusal that no further description of a stop could mend: a step that no page states, or a way or a picture that is not needed."""
        binding = binding_of(bindings)
        if self.rules.stated and (missing := unstated(form, self.facts, binding)):
            return Refusal(reason=Reason.NOT_STATED, evidence={"claims": [c.id for c in missing]})
        found = misshapen(form) or needed_of(form, self.facts, binding, self.rules)
        return found if isinstance(found, Refusal) else None

    def guessed(self, draft: Draft) -> Refusal | None:
        """A refusal where what is asked has an answer that is the commonest of its kind: no description mends that."""
        share = (
            guess_of_kind(draft.form, self.facts, binding_of(draft.bindings)) if draft.form else 0.0
        )
        return (
            Refusal(reason=Reason.GUESSABLE, evidence={"share": round(share, 3)})
            if share > self.rules.max_guess
            else None
        )

    def no_leak(self, draft: Draft) -> Refusal | None:
        """Whether the words name a hidden node or the answer."""
        leak = find_leak(
            self.facts,
            {"question": draft.text},
            hidden_nodes(binding_of(draft.bindings)),
            draft.answer,
            self.rules.languages,
        )
        return Refusal(reason=Reason.LEAK, evidence=leak) if leak else None

    def _on_own_page(self, draft: Draft) -> Refusal | None:
        """A refusal where the page of what the picture shows states the answer: whoever finds the page needs to go no further."""
        article = self.facts.article(draft.anchor)
        if self.own_page or article is None:
            return None
        names = answer_names(self.facts, draft.answer, self.rules.languages)
        texts = [*(s.text for s in article.sections), *(f.text for f in article.infobox)]
        said = next((name for text in texts if (name := leaked(text, names))), None)
        return (
            Refusal(
                reason=Reason.IMAGE_SEARCH_SHORTCUT,
                evidence={"title": article.title, "found": said},
            )
            if said
            else None
        )

    async def step(
        self, before: Draft, after: Draft, var: str, writer: Writer, seed: Seed
    ) -> Draft | Refusal:
        """The draft, if the rewriting step keeps the question unique and its answer the same.

        A step with a form is judged by the form, and one reader confirms that its words say it: what is wrong now would cost all steps to come.
        """
        if after.form is not None and var:
            refused = self.described(after.form, after.bindings, var)
            return refused or await self._read_back(after, writer, seed, num=1)
        leak = self.no_leak(after)
        return leak or await self.voted(before, after, writer, seed)

    async def _read_back(
        self, draft: Draft, writer: Writer, seed: Seed, *, num: int = 0
    ) -> Draft | Refusal:
        """The draft with the votes that its words say what its form says; as it is, where the writer composes its words from the form."""
        try:
            votes = await writer.check_words(draft, seed, num)
        except WriterRejection as refused:
            return Refusal(reason=refused.reason, evidence=refused.evidence)
        if votes is None:
            return draft
        if (leak := self.no_leak(draft)) is not None:
            return leak
        against = [v for v in votes if not v.holds]
        if against or not votes:
            return Refusal(
                reason=Reason.WORDS_DIFFER,
                evidence={
                    "votes": len(votes),
                    "against": len(against),
                    "question": draft.text,
                    "other": [v.other for v in against],
                    "why": [v.why for v in against],
                },
            )
        found = [
            {
                "check": "words",
                "step": len(draft.history),
                "holds": v.holds,
                "why": v.why,
                "rival": v.other,
            }
            for v in votes
        ]
        return replace(draft, votes=(*draft.votes, *found))

    async def worded(self, draft: Draft, writer: Writer, seed: Seed) -> Draft | Refusal:
        """An accepted draft in words, if they are fit for readers, name nothing that is hidden, and say what the form says."""
        worded = await writer.word(draft, seed)
        if worded is None:
            return Refusal(
                reason=Reason.NO_WORDING,
                evidence={"form": draft.form.to_json() if draft.form else None},
            )
        return self.no_leak(worded) or await self._read_back(worded, writer, seed)

    async def voted(
        self, before: Draft | None, after: Draft, writer: Writer, seed: Seed
    ) -> Draft | Refusal:
        """The draft with models' votes, for a step that no claims support; only where the recipe accepts that basis.

        Uniqueness is asked first: a step that fails it need not be compared with the draft before it.
        """
        if "votes" not in self.rules.bases:
            return Refusal(reason=Reason.WEAK_BASIS, evidence={"basis": "votes"})
        found = list(after.votes)
        checks: dict[str, Callable[[], Awaitable[list[Vote]]]] = {
            "unique": lambda: writer.check_unique(after, seed)
        }
        if before is not None:
            checks["invariant"] = lambda: writer.check_invariant(before, after, seed)
        if after.anchor and (before is None or not before.anchor):
            checks["picture"] = lambda: writer.check_picture(after, seed)
        for check, ask in checks.items():
            try:
                votes = await ask()
            except WriterRejection as refused:
                return Refusal(reason=refused.reason, evidence=refused.evidence)
            against = [v for v in votes if not v.holds]
            if against or not votes:
                reason = _AGAINST[check]
                return Refusal(
                    reason=reason,
                    evidence={
                        "votes": len(votes),
                        "against": len(against),
                        "question": after.text,
                        "other": [v.other for v in against],
                        "why": [v.why for v in against],
                    },
                )
            found += [
                {
                    "check": check,
                    "step": len(after.history),
                    "holds": v.holds,
                    "why": v.why,
                    "rival": v.other,
                }
                for v in votes
            ]
        return replace(after, votes=tuple(found))

    async def finished(self, draft: Draft, writer: Writer, seed: Seed) -> Draft | Refusal:
        """The worded draft, if it would get a certificate; without a form, the draft that votes accept."""
        if draft.form is None:
            hidden = (
                draft.earlier[-1]
                if draft.history and draft.history[-1].role == "hide_entity"
                else None
            )
            voted = self.no_leak(draft) or await self.voted(hidden, draft, writer, seed)
            return (
                voted if isinstance(voted, Refusal) else await self._read_back(voted, writer, seed)
            )
        if near := self._on_own_page(draft):
            return near
        made = self.whole(draft.form, draft.bindings)
        return made if isinstance(made, Refusal) else await self.worded(draft, writer, seed)
