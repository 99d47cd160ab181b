"""Paths (OpenSearch-VL 3.1): walk, canonical question, then every bridge described, the farthest first."""

from questloom.records.identity import chance
from questloom.records.knowledge import Entity
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Hop, Seed
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.margin import margin_of
from questloom.transforms.drafting.accept import Accept, binding_of
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.interest import by_interest
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.drafting.walk import walk
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.writer import Draft, Mention, Writer

MAX_CANONICAL = 4
"""Attributes of the last node that are tried before another walk."""


async def draft_by_path(
    seed: Seed,
    entity: Entity,
    facts: Lookups,
    writer: Writer,
    accept: Accept,
    rules: DraftRules,
    recipe_seed: int,
    trail: Trail,
) -> Draft | None:
    """A draft that leads from the seed's picture over `rules.hops[level]` steps to an attribute; None when all tries failed.

    The drafts of `rules.ranked` walks are put in the order of their interest before the first is described. The seeds of one
    thing take turns (`rules.take_turns`), or all of them would ask the same best question.
    """
    walked: set[tuple[str, ...]] = set()
    for start in range(0, rules.tries, rules.ranked):
        drafts: list[Draft] = []
        for attempt in range(start, min(start + rules.ranked, rules.tries)):
            found = walk(
                facts,
                entity,
                rules.hops[seed.level],
                rules,
                chance(recipe_seed, seed.id, f"walk{attempt}"),
            )
            if found is None:
                trail.add_reason(Reason.NO_PATH, "walk")
                continue
            hops, nodes = found
            stops = tuple(n.id for n in nodes)
            if stops in walked:
                continue  # a model is not asked twice about the same stops
            walked.add(stops)
            made = (
                await trail.attempt(nodes[-1].label(), writer.canonical_question(seed, hops, nodes))
                or []
            )
            if not made:
                trail.add_reason(Reason.NO_ANSWER, nodes[-1].label())
            drafts += made[:MAX_CANONICAL]
        ranked = by_interest(drafts, facts)
        turn = seed.index % len(ranked) if ranked and rules.take_turns else 0
        finished = await _first_finished(
            ranked[turn:] + ranked[:turn], seed, writer, accept, rules, recipe_seed, trail
        )
        if finished is not None:
            return finished
    return None


async def _first_finished(
    drafts: list[Draft],
    seed: Seed,
    writer: Writer,
    accept: Accept,
    rules: DraftRules,
    recipe_seed: int,
    trail: Trail,
) -> Draft | None:
    """The first draft that is accepted with its bridges described."""
    hopeless: set[tuple[Hop, ...]] = set()
    for draft in drafts:
        label = draft.bindings.get(draft.hops[-1].target, "") if draft.hops else draft.anchor
        if draft.hops in hopeless:
            continue
        if guessed := accept.guessed(draft):
            trail.add(guessed, label)
            continue
        described = await describe_bridges(draft, seed, writer, accept, rules, trail)
        if described is None:
            hopeless.add(draft.hops)  # the bridges are the same for every attribute of a walk
            continue
        if chance(recipe_seed, seed.id, "obfuscate").random() < rules.obfuscate_share:
            described = (
                await trail.attempt("obfuscate_answer", writer.obfuscate_answer(described, seed))
                or described
            )
        finished = await accept.finished(described, writer, seed)
        if isinstance(finished, Draft):
            return finished
        trail.add(finished, label)
    return None


async def describe_bridges(
    draft: Draft, seed: Seed, writer: Writer, accept: Accept, rules: DraftRules, trail: Trail
) -> Draft | None:
    """The draft with every node that its hop alone does not single out described, from the answer's side to the picture's."""
    needed = _undetermined(draft, accept)
    for var in _bridges(draft) if rules.rewrite_bridges else needed:
        mention = Mention(entity_id=draft.bindings[var], var=var)
        for fact in (
            await trail.attempt(mention.entity_id, writer.describe(draft, mention, seed)) or []
        )[: rules.drafts]:
            after = await trail.attempt(fact.text, writer.inject(draft, mention, (fact,), seed))
            if after is None:
                continue
            accepted = await accept.step(draft, after, var, writer, seed)
            if isinstance(accepted, Draft):
                draft = accepted
                break
            trail.add(accepted, fact.text)
        else:
            trail.add_reason(Reason.NO_DESCRIPTION, mention.entity_id)
            if var in needed:
                return None
    return draft


def _bridges(draft: Draft) -> list[str]:
    """Every stop between the picture and the answer, from the answer's side: OpenSearch-VL rewrites each, with or without a form."""
    return [hop.target for hop in reversed(draft.hops)]


def _undetermined(draft: Draft, accept: Accept) -> list[str]:
    if draft.form is None:
        return []
    binding = binding_of(draft.bindings)
    found = []
    for description in descriptions(draft.form, binding):
        if binding[description.var].kind == "entity" and draft.form.ask.var != description.var:
            margin = margin_of(
                accept.facts,
                description,
                binding[description.var],
                accept.rules.margin,
            )
            if margin.margin < accept.rules.margin:
                found.append(description.var)
    return found[::-1]
