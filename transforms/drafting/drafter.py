"""The draft stage: one seed in, one question out, or the commonest reason why not."""
from contextlib import aclosing
from dataclasses import dataclass

from records.outcomes import Reason, Rejection
from records.synthesis import Question, Seed
from records.table import Json
from transforms.certificate.facts import Facts
from transforms.drafting.accept import Accept, binding_of
from transforms.drafting.draft_rules import DraftRules
from transforms.drafting.injection import draft_by_injection
from transforms.drafting.interest import interest
from transforms.drafting.paths import draft_by_path
from transforms.drafting.trail import Trail
from transforms.stages.stage import reject
from transforms.writing.writer import Draft, Writer, WriterRejection


@dataclass(frozen=True, kw_only=True)
class Drafter:
    """Everything that the stage's function needs, opened once a process."""

    facts: Facts
    writer: Writer
    accept: Accept
    rules: DraftRules
    recipe_seed: int
    language: str

    async def __call__(self, seed: Seed) -> Question | Rejection:
        entity = self.facts.entity(seed.entity_id)
        assert entity is not None, "a seed comes from the store"
        trail = Trail()
        if seed.method == "paths":
            drafts = draft_by_path(seed, entity, self.facts, self.writer, self.accept, self.rules, self.recipe_seed, trail)
        else:
            drafts = draft_by_injection(seed, entity, self.writer, self.accept, self.rules, trail)
        found: list[Draft] = []
        try:
            async with aclosing(drafts):
                async for finished in drafts:
                    found.append(finished)
                    if len(found) == self.rules.ranked:
                        break
        except WriterRejection as refused:
            if not found:
                return reject(seed, refused.reason, refused.evidence)
        draft = max(found, key=self._interest, default=None)
        if draft is not None and draft.form and self._interest(draft) < self.rules.least_interest:
            return reject(seed, Reason.DULL, {"interest": round(self._interest(draft), 2), "question": draft.text})
        if draft is None:
            reason, evidence = trail.outcome(Reason.NO_PATH if seed.method == "paths" else Reason.NO_ANSWER)
            return reject(seed, reason, evidence)
        if len(draft.text.split()) > self.rules.max_words:
            return reject(seed, Reason.NO_DESCRIPTION, {"words": len(draft.text.split()), "most": self.rules.max_words})
        return self._question(seed, draft)

    def _interest(self, draft: Draft) -> float:
        """The draft's score; 0 where it has no form to take one from."""
        return interest(draft.form, self.facts, binding_of(draft.bindings)) if draft.form else 0.0

    def _question(self, seed: Seed, draft: Draft) -> Question:
        return Question(seed_id=seed.id, seed_entity=seed.entity_id, method=seed.method, level=seed.level, domain=seed.domain,
                        topic=seed.topic, text=draft.text, language=self.language, writer=self.writer.name, answer=draft.answer,
                        form=Json(draft.form.to_json() if draft.form else None), bindings=dict(draft.bindings), hops=draft.hops,
                        interest=round(self._interest(draft), 2), anchor=draft.anchor, anchor_phrase=draft.anchor_phrase, history=draft.history,
                        votes=Json(list(draft.votes) or None))
