"""Injection (VSearcher 2.2): a simple question, then rounds that hide a named entity behind a fact, then the picture."""

from collections.abc import AsyncIterator

from questloom.records.knowledge import Entity
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Seed
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.writing.writer import Draft, Mention, Writer

MAX_STARTS = 4
MAX_MENTIONS = 3
MAX_FINISHED = 8
"""Drafts with all their rounds that are tried with a picture, over all starts."""


async def draft_by_injection(
    seed: Seed, entity: Entity, writer: Writer, accept: Accept, rules: DraftRules, trail: Trail
) -> Draft | None:
    """A draft after `rules.rounds[level]` injections with one mention shown as the picture; None when all tries failed."""
    starts = (
        await trail.attempt(
            "seed_question", writer.seed_question(seed, entity, rules.rounds[seed.level] == 1)
        )
        or []
    )
    if not starts:
        trail.add_reason(Reason.NO_ANSWER, entity.label())
    num_grown = 0
    for start in starts[:MAX_STARTS]:
        # What no rewriting can mend must not cost its rounds: a start without a form is voted on before it grows.
        accepted = accept.guessed(start) or (
            start if start.form is not None else await accept.voted(None, start, writer, seed)
        )
        if not isinstance(accepted, Draft):
            trail.add(accepted, start.text)
            continue
        start = accepted
        async for draft in _grown(
            start, rules.rounds[seed.level], seed, writer, accept, rules, trail
        ):
            mentions = (
                await trail.attempt("pick_image_entity", writer.pick_image_entity(draft, seed))
                or []
            )
            if not mentions:
                trail.add_reason(Reason.NO_PICTURE, entity.label())
            for mention in mentions:
                shown = await trail.attempt(
                    mention.surface, writer.hide_entity(draft, mention, seed)
                )
                if shown is None:
                    continue
                finished = await accept.finished(shown, writer, seed)
                if isinstance(finished, Draft):
                    return finished
                trail.add(finished, mention.surface)
            num_grown += 1
            if num_grown == MAX_FINISHED:
                return None
    return None


async def _grown(
    draft: Draft,
    rounds: int,
    seed: Seed,
    writer: Writer,
    accept: Accept,
    rules: DraftRules,
    trail: Trail,
) -> AsyncIterator[Draft]:
    """The drafts that so many rounds of injection make of a draft, depth first, at most `rules.alternatives` ways a round."""
    if rounds == 0:
        yield draft
        return
    num_ways = 0
    mentions = (
        await trail.attempt("pick_entity", writer.pick_entity(draft, seed, rounds == 1)) or []
    )
    if not mentions:
        trail.add_reason(Reason.NO_FACT, draft.text)
    for mention in mentions[:MAX_MENTIONS]:
        facts = (
            await trail.attempt(
                mention.surface, writer.take_fact(draft, mention, seed, rounds == 1)
            )
            or []
        )
        if not facts:
            trail.add_reason(Reason.NO_FACT, mention.surface)
        for fact in facts[: rules.drafts]:
            after = await trail.attempt(fact.text, writer.inject(draft, mention, (fact,), seed))
            if after is None:
                continue
            accepted = await accept.step(
                draft, after, _new_var(draft, after, mention), writer, seed
            )
            if isinstance(accepted, Draft):
                async for grown in _grown(accepted, rounds - 1, seed, writer, accept, rules, trail):
                    yield grown
                num_ways += 1
                if num_ways == rules.alternatives:
                    return
            else:
                trail.add(accepted, fact.text)


def _new_var(before: Draft, after: Draft, mention: Mention) -> str:
    """The variable that the mention became, or "" where the step has no form."""
    return next(
        (
            v
            for v in after.bindings
            if v not in before.bindings and after.bindings[v] == mention.entity_id
        ),
        "",
    )
