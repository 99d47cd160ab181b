"""The draft stage: one seed in, one question out, or the commonest reason why not."""

from dataclasses import dataclass

from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import Plan, PlannedSeed, Preference
from questloom.records.synthesis import Question, Seed
from questloom.records.table import Json
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.exploration.exploring import Exploration
from questloom.transforms.drafting.injection import draft_by_injection
from questloom.transforms.drafting.interest import of_draft
from questloom.transforms.drafting.paths import draft_by_path
from questloom.transforms.drafting.seeds import EXPLORATION
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.stages.stage import Apply, reject
from questloom.transforms.writing.writer import Draft, Writer, WriterRejection

_NOTHING = {"paths": Reason.NO_PATH, EXPLORATION: Reason.NO_PLAN}
"""Why a seed gave nothing, where nothing was refused on the way."""


@dataclass(frozen=True, kw_only=True)
class Drafter:
    """Everything that the stage's function needs, opened once a process."""

    facts: Lookups
    writer: Writer
    accept: Accept
    exploration: Exploration | None
    """None where the writer words whole plans."""
    rules: DraftRules
    recipe_seed: int
    language: str
    word_filters: tuple[Apply, ...] = ()
    """Filters that need the words alone: a seed asks its next plan where one of them rejects."""

    async def __call__(
        self, planned: PlannedSeed, preference: Preference | None = None
    ) -> Question | Rejection:
        seed = planned.seed
        entity = self.facts.entity(seed.entity_id)
        assert entity is not None, "a seed comes from the store"
        trail = Trail()
        try:
            if planned.plans:
                draft = await self._planned(planned, preference, trail)
            elif seed.method == "paths":
                draft = await draft_by_path(
                    seed,
                    entity,
                    self.facts,
                    self.writer,
                    self.accept,
                    self.rules,
                    self.recipe_seed,
                    trail,
                )
            elif seed.method == EXPLORATION:
                assert self.exploration is not None, (
                    "the plan stage passes no exploration on without plans"
                )
                draft = await self.exploration.draft(seed, entity, trail)
            else:
                draft = await draft_by_injection(
                    seed, entity, self.writer, self.accept, self.rules, trail
                )
        except WriterRejection as refused:
            return reject(seed, refused.reason, refused.evidence)
        if draft is None:
            reason, evidence = trail.outcome(_NOTHING.get(seed.method, Reason.NO_ANSWER))
            return reject(seed, reason, evidence)
        if too_long := self._too_long(draft):
            return reject(seed, too_long.reason, too_long.evidence)
        return self._question(seed, draft, of_draft(draft, self.facts))

    async def _planned(
        self, planned: PlannedSeed, preference: Preference | None, trail: Trail
    ) -> Draft | None:
        """The first of a seed's plans, in the order chosen over all seeds, that can be put into words which no filter of words rejects."""
        assert preference is not None, "every seed with plans has an order"
        if not preference.order:
            trail.add_reason(Reason.NEAR_DUPLICATE, planned.seed.entity_id)
        for number in preference.order:
            plan = planned.plans[number]
            worded = await self.accept.worded(_draft(plan), self.writer, planned.seed)
            refused = (
                worded if isinstance(worded, Refusal) else self._filtered(planned.seed, worded)
            )
            if refused is None:
                assert isinstance(worded, Draft)
                return worded
            trail.add(refused, plan.answer.text)
        return None

    def _too_long(self, draft: Draft) -> Refusal | None:
        num, most = len(draft.text.split()), self.rules.max_words
        if num <= most:
            return None
        return Refusal(reason=Reason.NO_DESCRIPTION, evidence={"words": num, "most": most})

    def _filtered(self, seed: Seed, draft: Draft) -> Refusal | None:
        """Why a draft is too long, or one of the filters of words rejects it; None where neither."""
        if too_long := self._too_long(draft):
            return too_long
        question = self._question(seed, draft, 0.0)
        for decide in self.word_filters:
            decided = decide(question)
            if isinstance(decided, Rejection):
                assert isinstance(decided.evidence, dict)
                return Refusal(reason=Reason(decided.reason), evidence=decided.evidence)
        return None

    def _question(self, seed: Seed, draft: Draft, score: float) -> Question:
        return Question(
            seed_id=seed.id,
            seed_entity=seed.entity_id,
            method=seed.method,
            level=seed.level,
            domain=seed.domain,
            topic=seed.topic,
            text=draft.text,
            language=self.language,
            writer=self.writer.name,
            answer=draft.answer,
            form=Json(draft.form.to_json() if draft.form else None),
            bindings=dict(draft.bindings),
            hops=draft.hops,
            interest=score,
            anchor=draft.anchor,
            anchor_phrase=draft.anchor_phrase,
            history=draft.history,
            votes=Json(list(draft.votes) or None),
            explored=Json(draft.explored),
        )


def _draft(plan: Plan) -> Draft:
    """A plan as a writer is given it."""
    return Draft(
        text="",
        answer=plan.answer,
        form=plan.logical_form,
        bindings=plan.bindings,
        hops=tuple(hop for hop in plan.certificate.evidence if hop.source and hop.target),
        anchor=plan.anchor,
    )
