"""The draft stage: turns a seed (an entity) with its plans into a question in words.

If no plan gives a question, the seed is rejected. The rejection states the reason that occurred
most often.
"""

from collections import Counter
from dataclasses import dataclass

from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import Plan, PlannedSeed, Preference
from questloom.records.synthesis import Question, Seed
from questloom.records.table import Json
from questloom.transforms.certificate.certify import Refusal, hidden_nodes
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.certificate.leak import find_leak
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.stages.stage import Apply, reject
from questloom.transforms.writing.writer import Reader, Vote, Wording, Writer, WriterRejection

MAX_EXAMPLES = 3
"""Maximum number of refused plans that a seed's rejection shows in full."""


@dataclass(frozen=True, kw_only=True)
class Drafter:
    """Makes a question of a seed and its plans. Each process opens one drafter."""

    facts: Lookups
    writer: Writer
    reader: Reader | None = None
    """The reader that checks whether a question's words mean the plan; None if code made the words
    from the logical form."""
    rules: DraftRules
    languages: tuple[str, ...] = ("en",)
    """Languages in which the question must not name hidden things."""
    language: str
    word_filters: tuple[Apply, ...] = ()
    """Filters that look only at the words. If such a filter rejects a plan's words, the seed's next
    plan is tried."""

    async def __call__(
        self, planned: PlannedSeed, preference: Preference | None = None
    ) -> Question | Rejection:
        """Tries the plans of a seed in the order that `preference` states."""
        assert preference is not None, "every seed with plans has an order"
        seed = planned.seed
        if not preference.order:
            return reject(seed, Reason.NEAR_DUPLICATE, {"tried": {}, "examples": []})
        refused = list[tuple[Plan, Refusal]]()
        for number in preference.order[: self.writer.most_plans]:
            plan = planned.plans[number]
            made = await self._worded(plan, seed)
            if isinstance(made, Question):
                return made
            refused.append((plan, made))
        counts = Counter(refusal.reason.value for _, refusal in refused)
        commonest = min(counts, key=lambda reason: (-counts[reason], reason))
        examples = [
            {"what": plan.answer.text, "reason": r.reason.value, "evidence": r.evidence}
            for plan, r in refused[:MAX_EXAMPLES]
        ]
        return reject(
            seed, Reason(commonest), {"tried": dict(sorted(counts.items())), "examples": examples}
        )

    async def _worded(self, plan: Plan, seed: Seed) -> Question | Refusal:
        """Turns a plan into a question. Checks without cost run first; the reader comes last."""
        wording = await self.writer.word(plan, seed.id)
        if isinstance(wording, Refusal):
            return wording
        refused = self._leak(plan, wording) or self._too_long(wording)
        question = self._question(seed, plan, wording)
        if refused := refused or self._filtered(question):
            return refused
        if self.reader is None:
            return question
        try:
            votes = await self.reader.read(plan, wording, seed.id)
        except WriterRejection as error:
            return Refusal(reason=error.reason, evidence=error.evidence)
        return _read_back(question, votes)

    def _leak(self, plan: Plan, wording: Wording) -> Refusal | None:
        """A refusal if the words name a hidden thing or the answer; else None."""
        leak = find_leak(
            self.facts,
            {"question": wording.text},
            hidden_nodes(binding_of(plan.bindings)),
            plan.answer,
            self.languages,
        )
        return Refusal(reason=Reason.LEAK, evidence=leak) if leak else None

    def _too_long(self, wording: Wording) -> Refusal | None:
        num, most = len(wording.text.split()), self.rules.max_words
        if num <= most:
            return None
        return Refusal(reason=Reason.NO_DESCRIPTION, evidence={"words": num, "most": most})

    def _filtered(self, question: Question) -> Refusal | None:
        """A refusal if a word filter rejects the question; else None."""
        for decide in self.word_filters:
            decided = decide(question)
            if isinstance(decided, Rejection):
                assert isinstance(decided.evidence, dict)
                return Refusal(reason=Reason(decided.reason), evidence=decided.evidence)
        return None

    def _question(self, seed: Seed, plan: Plan, wording: Wording) -> Question:
        return Question(
            seed_id=seed.id,
            seed_entity=seed.entity_id,
            method=seed.method,
            level=seed.level,
            domain=seed.domain,
            topic=seed.topic,
            text=wording.text,
            language=self.language,
            writer=self.writer.name,
            answer=plan.answer,
            form=plan.form,
            bindings=dict(plan.bindings),
            hops=tuple(hop for hop in plan.certificate.evidence if hop.source and hop.target),
            interest=plan.interest,
            anchor=plan.anchor,
            anchor_phrase=wording.anchor_phrase,
        )


def _read_back(question: Question, votes: list[Vote]) -> Question | Refusal:
    """The question with the votes of its readers; or a refusal if a reader took the words for a
    question other than the form."""
    against = [v for v in votes if not v.holds]
    if against or not votes:
        return Refusal(
            reason=Reason.WORDS_DIFFER,
            evidence={
                "votes": len(votes),
                "against": len(against),
                "question": question.text,
                "other": [v.other for v in against],
                "why": [v.why for v in against],
            },
        )
    found = [
        {"check": "words", "step": 0, "holds": v.holds, "why": v.why, "rival": v.other}
        for v in votes
    ]
    return question.replace(votes=Json(found))
