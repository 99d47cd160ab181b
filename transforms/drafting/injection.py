"""Injection (VSearcher 2.2): a simple question, then rounds that hide a named entity behind a fact, then the picture."""
from records.knowledge import Entity
from records.outcomes import Reason
from records.synthesis import Seed
from transforms.drafting.accept import Accept
from transforms.drafting.rules import DraftRules
from transforms.drafting.trail import Trail
from transforms.writing.protocol import Draft, Mention, Writer

MAX_STARTS = 4
MAX_MENTIONS = 3


async def draft_by_injection(seed: Seed, entity: Entity, writer: Writer, accept: Accept, rules: DraftRules, trail: Trail) -> Draft | None:
    """A draft after `rules.rounds[level]` injections with one mention shown as the picture; None when all tries failed."""
    starts = await writer.seed_question(seed, entity)
    if not starts:
        trail.add_reason(Reason.NO_ANSWER, entity.label())
    for start in starts[:MAX_STARTS]:
        draft: Draft | None = start
        for _ in range(rules.rounds[seed.level]):
            draft = await _inject_once(draft, seed, writer, accept, rules, trail)
            if draft is None:
                break
        if draft is None:
            continue
        for mention in await writer.pick_image_entity(draft, seed):
            shown = await writer.hide_entity(draft, mention, seed)
            finished = await accept.finished(shown, writer, seed)
            if isinstance(finished, Draft):
                return finished
            trail.add(finished, mention.surface)
        trail.add_reason(Reason.NO_PICTURE, draft.text)
    return None


async def _inject_once(draft: Draft, seed: Seed, writer: Writer, accept: Accept, rules: DraftRules, trail: Trail) -> Draft | None:
    for mention in (await writer.pick_entity(draft, seed))[:MAX_MENTIONS]:
        facts = await writer.take_fact(draft, mention, seed)
        if not facts:
            trail.add_reason(Reason.NO_FACT, mention.surface)
        for fact in facts[:rules.drafts]:
            after = await writer.inject(draft, mention, (fact,), seed)
            accepted = await accept.step(draft, after, _new_var(draft, after, mention), writer, seed)
            if isinstance(accepted, Draft):
                return accepted
            trail.add(accepted, fact.text)
    return None


def _new_var(before: Draft, after: Draft, mention: Mention) -> str:
    """The variable that the mention became, or "" where the step has no form."""
    return next((v for v in after.bindings if v not in before.bindings and after.bindings[v] == mention.entity_id), "")
