"""Fuzzing replaces a clue with a name or a year by a vaguer clue. The certificate must still hold,
and the cheapest solution must not get cheaper.

* category: "set in Karsk" becomes "set in a port".
* meta-attribute: "set in Port Karsk" becomes "set in a town with a two-word name".
* exclusion: "set in Karsk" becomes "not set in Velm", if the only rival is set in Velm.
* range: "published in 1862" becomes "published in the 1860s".
* arithmetic: "published in 1862" becomes "published twelve years after its author was born".

A solver can search for a name or year in the question's words, but not for a vague description of a
name or year (FORT-Searcher, arXiv 2606.12087). The fuzzy rewriting of OpenSearch-VL (3.1) is the
kind "category". All kinds of vague clues keep three conditions: the answer stays the same, only one
thing fits, and no hidden name appears.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice
from random import Random

from questloom.knowledge.dates import PRECISIONS, coarsened
from questloom.language.names_in_text import HUMAN
from questloom.prompts.phrases import property_phrase, variants, verb_forms
from questloom.records.form import ClaimClause, Clause, Form, Fuzzy, variables
from questloom.records.identity import chance
from questloom.records.knowledge import Value, entity_value, value_of_key
from questloom.records.plan import Plan
from questloom.records.table import Json
from questloom.transforms.certificate.certify import Refusal, certify_form, given_by_picture
from questloom.transforms.certificate.description import descriptions, distances
from questloom.transforms.certificate.evidence import is_named
from questloom.transforms.certificate.execute import Binding, binding_of, only_answer
from questloom.transforms.certificate.fitting import fitting
from questloom.transforms.certificate.margin import margins
from questloom.transforms.certificate.singled_out import is_singled_out
from questloom.transforms.facts.askable import has_common_class
from questloom.transforms.facts.century import CENTURY, NEAR_TURN
from questloom.transforms.facts.fuzzy import (
    count_candidates,
    fits,
    has_name,
    names,
    num_members_with,
)
from questloom.transforms.facts.indexed import is_instance
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import best_values
from questloom.transforms.planning.finish import is_compared, is_needed_whole, whole_years_agree
from questloom.transforms.planning.ground import Ground
from questloom.transforms.planning.route import find_route
from questloom.transforms.planning.steps import is_stated
from questloom.transforms.writing.graph.clues import attributes, clue_clauses

MAX_FUZZED = 2
"""Maximum number of vague clues in a question. A question with more vague clues would say nothing
definite."""
MAX_TRIED = 60
"""Maximum number of replacements of one clue that are tested on the store."""
MAX_RIVALS = 4
"""Maximum number of things that one exclusion may rule out."""
LEAST_NAMED = 5
"""Minimum number of things of a class with the same kind of name, such as a two-word name. With
fewer things, a list of names would give the thing away."""
MAX_NAME_WORDS = 4
LONGEST = 60
"""Maximum number of years that a question counts from one date to another."""
_PLAIN_NAME = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*")
"""A name whose number of words is clear: no hyphen, no apostrophe, no "St."."""
_ARTICLES = ("a", "an", "the")


def fuzz(at: Ground, plan: Plan) -> Plan:
    """Makes the exact clues of a plan vaguer, one after the other. After each change, the plan must
    get a new certificate, and its route must not be cheaper than before.

    Args:
        at: the store, and the rules for planning. `draft.fuzz` lists the kinds of vague clues that
            may be used.
        plan: a plan with a certificate.

    Returns:
        The plan with vaguer clues, or the plan itself if no change is possible.
        `Certificate.fuzzed` states how many things each vague clue fits.
    """
    if not at.draft.fuzz:
        return plan
    draw = chance(at.recipe_seed, plan.anchor, f"fuzz:{plan.answer.value.key()}:{plan.shape}")
    for clause in plan.logical_form.clauses:
        room = MAX_FUZZED - len(plan.certificate.fuzzed)
        found = (
            certify_fuzzed(at, plan, clause, v) for v in _in_place(at, plan, clause, room, draw)
        )
        plan = next((p for p in found if p is not None), plan)
    return plan


def _in_place(
    at: Ground, plan: Plan, clause: Clause, room: int, draw: Random
) -> Iterator[tuple[Fuzzy, ...]]:
    """Gives vague clues that can replace a clue and still single out the same thing. Single vague
    clues come first, then pairs. The kinds of clues come in random order."""
    kinds: list[str] = list(at.draft.fuzz)
    draw.shuffle(kinds)
    found = [f for f in vaguer(at, plan, clause) if f.kind in kinds]
    found.sort(key=lambda f: kinds.index(f.kind))
    sets = (s for n in range(1, room + 1) for s in combinations(found, n))
    told = (s for s in sets if len({f.property for f in s}) == len(s))
    yield from (s for s in islice(told, MAX_TRIED) if _singles_out(at, plan, clause, s))


def _replaced(plan: Plan, clause: Clause, vague: tuple[Fuzzy, ...]) -> Form:
    form = plan.logical_form
    kept = [c for old in form.clauses for c in (vague if old == clause else (old,))]
    return Form(clauses=tuple(kept), ask=form.ask)


def _singles_out(at: Ground, plan: Plan, clause: Clause, vague: tuple[Fuzzy, ...]) -> bool:
    """Whether the vague clues single out the thing of the replaced clue with the required margin.
    The certificate makes the same test at a higher cost."""
    form, binding = _replaced(plan, clause, vague), binding_of(plan.bindings)
    told = next(d for d in descriptions(form, binding) if d.var == vague[0].subject)
    return is_singled_out(at.facts, told, binding[told.var], at.certificate.margin)


def certify_fuzzed(at: Ground, plan: Plan, clause: Clause, vague: tuple[Fuzzy, ...]) -> Plan | None:
    """The plan with vague clues in place of one exact clue.

    Returns:
        The new plan. None if the certificate refuses the new plan, or if the route gets cheaper.
        The result is also None if a vague clue is not needed, or does not fit more things than the
        exact clue.
    """
    form, binding = plan.logical_form, binding_of(plan.bindings)
    fuzzed = _replaced(plan, clause, vague)
    if not _same_depths(form, fuzzed):
        return None
    given = given_by_picture(fuzzed, binding)
    made = certify_form(fuzzed, at.facts, given, plan.bindings, at.certificate)
    if isinstance(made, Refusal) or not is_needed_whole(fuzzed, made):
        return None
    assert isinstance(clause, ClaimClause)
    least = num_members_with(at.facts, form, clause, binding)
    for each in vague:
        counted = count_candidates(at.facts, fuzzed, each, binding)
        if counted is None or counted.after <= max(counted.before, least):
            return None
        if _is_idle(at, fuzzed, each, binding):
            return None
    route = find_route(fuzzed, binding, at.facts)
    if route.calls < plan.route.calls:
        return None
    return plan.replace(form=Json(fuzzed.to_json()), certificate=made, route=route)


def _same_depths(form: Form, fuzzed: Form) -> bool:
    """Whether the distance from the asked variable is unchanged for every thing except the pictured
    thing. The writer sorts things by their distance from the asked variable."""
    before, after = distances(form), distances(fuzzed)
    return all(after[v] == depth for v, depth in before.items() if v != form.anchor)


def _is_idle(at: Ground, form: Form, vague: Fuzzy, binding: Binding) -> bool:
    """Whether the vague clause is not needed: the form singles out its answer with the required
    margin even without the clause."""
    rest = form.without(vague)
    required = at.facts.trust.least_margin(at.certificate.margin)
    return only_answer(rest, at.facts, given_by_picture(rest, binding)) is not None and all(
        m.margin >= required for m in margins(rest, at.facts, binding, at.certificate.margin)
    )


# ---------------------------------------------------------------- what can be said vaguely


def vaguer(at: Ground, plan: Plan, clause: Clause) -> list[Fuzzy]:
    """All vague clues that may replace a clue. Vague clues come from the clue's own relation and
    from other relations of its thing. The list is empty if the clause is not a clue."""
    form = plan.logical_form
    if not (
        isinstance(clause, ClaimClause)
        and isinstance(clause.subject, str)
        and isinstance(clause.object, Value)
        and clause.subject != form.anchor
    ):
        return []
    thing = at.facts.entity(plan.bindings[clause.subject])
    assert thing is not None, "what is described is in the store"
    told = {
        c.property
        for c in form.clauses
        if isinstance(c, ClaimClause | Fuzzy)
        and clause.subject in (c.subject, c.object)
        and c != clause
    }
    avoid = frozenset(plan.bindings.values())
    asked = next((c.property for c in form.of(ClaimClause) if c.object == form.ask.var), "")
    others = [
        ClaimClause(subject=clause.subject, property=c.property, object=c.object)
        for _, c in clue_clauses(at.facts, thing, avoid, asked, frozenset(told | {clause.property}))
        if isinstance(c, ClaimClause)
        and (not at.certificate.stated or is_stated(at.facts, c, thing.id))
    ]
    clues = [c for c in (clause, *others) if c.property not in told and _is_sayable(c.property)]
    found = [vague for clue in clues for vague in _of_clue(at, plan, clause, clue)]
    things = binding_of(plan.bindings)
    return [v for v in found if fits(at.facts, v, thing.id, things.get(str(v.object)))]


def _of_clue(at: Ground, plan: Plan, clause: ClaimClause, clue: ClaimClause) -> Iterator[Fuzzy]:
    assert isinstance(clue.object, Value)
    if clue.object.kind == "entity":
        yield from _like(at.facts, clue, clue.object.entity)
        yield from _exclusions(at, plan, clause, clue.property)
    elif clue.object.kind == "time":
        yield from _ranges(clue, clue.object)
        yield from _years_from(at, plan, clue)


def _is_sayable(property: str) -> bool:
    """Whether a relation can be worded with a vague value. The relation needs a sentence about the
    thing in which the value is not an adjective ("Gothic") and not a bare noun ("a poet")."""
    phrases = variants(property_phrase(property))
    return all(
        not p.adjective
        and not any(f.other == "a" for f in p.say)
        and any(f.subject == "s" for f in p.frames(verb_forms()))
        for p in phrases
    )


def _like(facts: Facts, clause: ClaimClause, thing: str) -> Iterator[Fuzzy]:
    """Vague clues that state the class of a thing, or something about its name. People are left
    out, since "a person" says nothing, and nearly every person's name has several words."""
    entity, kind = facts.entity(thing), find_descriptor_class(facts, thing)
    if (
        entity is None
        or HUMAN in (*entity.classes, *entity.class_closure)
        or not has_common_class(facts, thing)
        or not is_instance(facts, thing, kind)
    ):
        return
    said = Fuzzy(
        kind="category",
        subject=str(clause.subject),
        property=clause.property,
        object=entity_value(kind),
    )
    yield said
    called = names(facts, entity)
    if not called or not all(map(_is_plain, called)):
        return
    number, initial = len(called[0].split()), called[0][0].upper()
    found = [replace(said, kind="meta-attribute", initial=initial)]
    if 1 < number <= MAX_NAME_WORDS:
        found.insert(0, replace(said, kind="meta-attribute", number=number))
    for vague in found:
        if all(has_name(n, vague) for n in called) and _is_common_name(facts, kind, vague):
            yield vague


def _is_plain(name: str) -> bool:
    return bool(_PLAIN_NAME.fullmatch(name)) and name.split()[0].lower() not in _ARTICLES


def _is_common_name(facts: Facts, class_id: str, vague: Fuzzy) -> bool:
    """Whether enough members of the class have a name of the kind that the vague clue states. With
    too few members, a list of their names would give the thing away."""
    members = (facts.entity(m) for m in facts.members(class_id))
    named = (e for e in members if e and any(has_name(n, vague) for n in names(facts, e)))
    return sum(1 for _ in zip(range(LEAST_NAMED), named, strict=False)) == LEAST_NAMED


def _exclusions(at: Ground, plan: Plan, clause: ClaimClause, property: str) -> Iterator[Fuzzy]:
    """Clues of the kind "exclusion". If the other clauses leave a few rivals, and all rivals have
    the same value, the vague clue says that the intended thing does not have this value."""
    form, binding = _replaced(plan, clause, ()), binding_of(plan.bindings)
    var = str(clause.subject)
    # Who may have a second value may have that one.
    if single_value(at.facts, binding[var].entity, property) is None:
        return
    told = next((d for d in descriptions(form, binding) if d.var == var), None)
    found = fitting(at.facts, told, most=MAX_RIVALS + 2) if told is not None else None
    rivals = [f for f in found or () if f != binding[var].entity]
    if not 1 <= len(rivals) <= MAX_RIVALS:
        return
    shared = set.intersection(
        *({v.entity for v in best_values(at.facts, r, property)} for r in rivals)
    )
    hidden = {v.entity for v in binding.values()}
    for thing in sorted(shared - hidden - {""}):
        entity = at.facts.entity(thing)
        # A name that is another thing's title says not which one is meant.
        if entity and at.facts.entity_of_title(entity.label(at.facts.language)) in (None, thing):
            yield Fuzzy(
                kind="exclusion",
                subject=str(clause.subject),
                property=property,
                object=entity_value(thing),
            )


def _ranges(clause: ClaimClause, value: Value) -> Iterator[Fuzzy]:
    """Clues that state the century or the decade of a year. A year at the edge of a century or
    decade is left out, since sources differ by a year or two."""
    year = value.year
    if year is None or year < 0:
        return
    spans = []
    if NEAR_TURN <= year % 100 <= 100 - NEAR_TURN:
        spans.append(CENTURY)
    if 1 <= year % 10 <= 8:
        spans.append("decade")
    for span in spans:
        yield Fuzzy(
            kind="range",
            subject=str(clause.subject),
            property=clause.property,
            # by its key, a period is the same for every year in it
            object=value_of_key(coarsened(value, PRECISIONS[span]).key()),
        )


def _years_from(at: Ground, plan: Plan, clause: ClaimClause) -> Iterator[Fuzzy]:
    """Clues that state the number of years between two dates: the clue's date and a date of the
    previous thing on the path. Dates from which people would not count are left out."""
    form, var = plan.logical_form, str(clause.subject)
    depth = distances(form)
    tied = {t for c in form.of(ClaimClause) if var in (c.subject, c.object) for t in variables(c)}
    for start in sorted(t for t in tied if depth[t] > depth[var]):
        is_sign = start == form.anchor and form.sign
        if not is_sign and is_compared(at.facts, form, plan.bindings, start, var):
            yield from _counted_from(at, plan, clause, start)


def _counted_from(at: Ground, plan: Plan, clause: ClaimClause, start: str) -> Iterator[Fuzzy]:
    one, dated = (at.facts.entity(plan.bindings[v]) for v in (start, str(clause.subject)))
    assert one is not None and dated is not None, "what is compared is in the store"
    people = HUMAN in one.classes and HUMAN in dated.classes
    dates = best_values(at.facts, dated.id, clause.property)
    last = dates[0].year if len(dates) == 1 else None
    if last is None:
        return
    avoid = frozenset(plan.bindings.values())
    for _, claim, _ in attributes(at.facts, one, at.draft.max_answer_words, avoid):
        first = claim.value
        # Of two people births are compared, or deaths.
        if first.year is None or (people and claim.property != clause.property):
            continue
        number = last - first.year
        is_told = not at.certificate.stated or is_named(at.facts, claim)
        if 0 < abs(number) <= LONGEST and is_told and whole_years_agree(first, dates[0]):
            yield Fuzzy(
                kind="arithmetic",
                subject=str(clause.subject),
                property=clause.property,
                object=start,
                number=number,
                since=claim.property,
            )
