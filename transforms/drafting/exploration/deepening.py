"""Deepens a question once, with its answer fixed (ODE 3.1): the picture's thing is no longer shown, but found over a step from another that is."""

from dataclasses import replace

from questloom.records.form import Form, Image
from questloom.records.identity import chance
from questloom.records.synthesis import Hop, Rewrite
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.exploration.curating import repeats, step_clauses
from questloom.transforms.drafting.exploration.growing import Shown, links_from
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.evidence import EvidenceGraph, Link
from questloom.transforms.writing.form_edits import next_var
from questloom.transforms.writing.writer import Draft


def deeper(
    draft: Draft,
    graph: EvidenceGraph,
    facts: Lookups,
    rules: DraftRules,
    shown: Shown,
    recipe_seed: int,
    seed_id: str,
) -> list[Draft]:
    """The draft behind one more step each: from a pictured node of the graph first, then from a pictured neighbour that nobody explored."""
    anchor = facts.entity(draft.anchor)
    assert anchor is not None and draft.form is not None
    draw = chance(recipe_seed, seed_id, f"deepen:{anchor.id}")
    taken = frozenset(draft.bindings.values())
    # Steps lead both ways between most neighbours; those that lead here are asked of each of them.
    near = sorted(
        {k.target for k in links_from(facts, anchor, taken, rules)}
        | {k.source for k in graph.links if k.target == anchor.id} - taken
    )
    found = []
    for node in near:
        entity = facts.entity(node)
        if entity is None or not shown(node):
            continue
        links = links_from(facts, entity, frozenset({node}), rules)
        found += [
            k
            for k in links
            if k.target == anchor.id and not (draft.hops and repeats(k, draft.hops[0].property))
        ]
    found.sort(key=lambda k: (k.source not in graph.ids, -k.weight * draw.random(), k.source))
    return [_behind(draft, link, facts) for link in found]


def _behind(draft: Draft, link: Link, facts: Lookups) -> Draft:
    assert draft.form is not None
    new, old = next_var(draft.form), draft.form.anchor
    hop = Hop(source=new, target=old, property=link.property, reverse=link.reverse)
    kept = tuple(Image(var=new) if isinstance(c, Image) else c for c in draft.form.clauses)
    form = Form(clauses=(*kept, *step_clauses(facts, hop, link)), ask=draft.form.ask)
    step = Rewrite(
        round=len(draft.history) + 1,
        role="deepen",
        before=draft.text,
        after="",
        entity_id=link.target,
    )
    made = draft.rewritten(
        step,
        form=form,
        bindings={**draft.bindings, new: link.source},
        anchor=link.source,
        text="",
        anchor_phrase="",
    )
    return replace(made, hops=(hop, *draft.hops))
