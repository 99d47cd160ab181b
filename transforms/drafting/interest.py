"""How much somebody might like to know the answer: the score by which the best of a seed's drafts is kept.

It orders drafts and is no measure of a reader's mind; `docs/measured.md` says how readers' marks go with it.
"""

from math import log2

from questloom.language.names_in_text import folded
from questloom.prompts.phrases import property_use
from questloom.records.form import ClaimClause, Compute, Form
from questloom.records.knowledge import Entity, Value
from questloom.transforms.certificate.execute import Binding
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.writing.answers import telling

LEAST, MOST = 1.0, 5.0
ALIKE = 0.5
"""So far apart two scores may be that still count as one."""
COMPUTED = 0.2
"""How telling a number of years between two dates is."""
IN_A_ROW = 0.5
"""What is left of it where the way goes from person to person: parents and teachers of people whom nobody knows."""
EASY_LINKS = 2
"""Claims that a question may pass at no cost, the one that is asked for included."""
PER_LINK, PER_NAME, BY_CHANCE, GIVEN_AWAY = 1.0, 1.0, 1.2, 0.8
"""What each further claim takes off; each that only tells two things apart; a place or a maker that two things share by chance; a name that says the answer."""
TELLING_WORD = 4
"""Letters from which a word of a name counts as one that others would not share."""
WELL_KNOWN = 64
"""Links in, or editions with an article, from which a thing counts as well known."""


def interest(form: Form, facts: Facts, binding: Binding) -> float:
    """A score from 1 to 5: what is asked, how rare the answer is, how far it lies from the picture, the turns of the way, and how known its stops are.

    Args:
        form: of a finished draft.
        facts: the store.
        binding: the intended value of every variable.
    """
    asked = next((c for c in form.of(ClaimClause) if form.ask.var in (c.subject, c.object)), None)
    if asked is None:
        told, rarity = COMPUTED, 0.5
    else:
        forward = asked.object == form.ask.var
        value = binding[form.ask.var]
        told = telling(asked.property, value) if forward else property_use(asked.property).weight
        rarity = (
            1 / (1 + log2(max(1, facts.num_subjects(asked.property, value.key()))))
            if forward
            else 1.0
        )
    if form.of(Compute):
        told = min(told, COMPUTED)
    stops = [
        entity
        for entity in (facts.entity(v.entity) for v in _along(form, binding))
        if entity is not None
    ]
    known = sum(_known(e) for e in stops) / len(stops)
    if any(
        _people(facts, c, binding)
        for c in form.of(ClaimClause)
        if form.ask.var not in (c.subject, c.object)
    ):
        told *= IN_A_ROW
    score = LEAST + (MOST - LEAST) * (
        0.5 * told
        + 0.05 * rarity
        + 0.1 * _distance(facts, stops)
        + 0.25 * _way(form, facts, stops)
        + 0.1 * known
    )
    return max(LEAST, score - _burden(form, facts, binding))


def _along(form: Form, binding: Binding) -> list[Value]:
    """The things of the form, the picture's first."""
    found = [
        binding[v]
        for v in dict.fromkeys(
            [
                form.anchor,
                *(
                    t
                    for c in form.of(ClaimClause)
                    for t in (c.subject, c.object)
                    if isinstance(t, str)
                ),
            ]
        )
    ]
    return [v for v in found if v.kind == "entity"]


def _distance(facts: Facts, stops: list[Entity]) -> float:
    """How different in kind the picture's thing and the last one are: 1 of another domain, 0.5 of another class."""
    first, last = stops[0], stops[-1]
    if first.domain != last.domain:
        return 1.0
    return 0.5 * (find_descriptor_class(facts, first.id) != find_descriptor_class(facts, last.id))


def _burden(form: Form, facts: Facts, binding: Binding) -> float:
    """What makes a question tiresome: too many links, named things that only tell others apart, chance, names that say the answer."""
    claims = form.of(ClaimClause)
    linked = [c for c in claims if isinstance(c.subject, str) and isinstance(c.object, str)]
    by_chance = any(
        _meet_by_chance(one, other, form, facts, binding)
        for k, one in enumerate(linked)
        for other in linked[:k]
    )
    named = sum(
        isinstance(t, Value) and t.kind == "entity" for c in claims for t in (c.subject, c.object)
    )
    return (
        PER_LINK * max(0, len(linked) - EASY_LINKS)
        + PER_NAME * named
        + BY_CHANCE * by_chance
        + GIVEN_AWAY * _given_away(form, facts, binding)
    )


def _meet_by_chance(
    one: ClaimClause, other: ClaimClause, form: Form, facts: Facts, binding: Binding
) -> bool:
    """Whether two things have no more to do with each other than the same place, or the same maker: the river and the mineral of a mountain."""
    if one.object != other.object or one.object in (form.anchor, form.ask.var):
        return False
    place = facts.entity(binding[str(one.object)].entity)
    return one.property == other.property or (place is not None and place.domain == "location")


def _given_away(form: Form, facts: Facts, binding: Binding) -> bool:
    """Whether a thing on the way bears the answer's name: who has found St Perran's Church knows to whom it is dedicated. Of namesakes just that is asked."""
    asked = [c.property for c in form.of(ClaimClause) if form.ask.var in (c.subject, c.object)]
    labels = {
        v: entity.label()
        for v, value in binding.items()
        if value.kind == "entity" and (entity := facts.entity(value.entity))
    }
    words = {
        v: {w.removesuffix("s") for w in folded(label).split() if len(w) >= TELLING_WORD}
        for v, label in labels.items()
    }
    answer = words.pop(form.ask.var, set())
    return "P138" not in asked and any(answer & theirs for theirs in words.values())


def _way(form: Form, facts: Facts, stops: list[Entity]) -> float:
    """How unexpected the way is: telling relations, between things of different classes (from town to district to town there is no turn)."""
    claims = form.of(ClaimClause)
    # Where the thing that a claim is about is asked ("Which film was shot at this castle?"), its relation is the way.
    relations = [
        property_use(c.property).weight
        for c in claims
        if c.subject == form.ask.var or form.ask.var not in (c.subject, c.object)
    ]
    different = len({find_descriptor_class(facts, e.id) for e in stops}) / max(3, len(stops))
    return different * sum(relations) / len(relations) if relations else 0.0


def _people(facts: Facts, claim: ClaimClause, binding: Binding) -> bool:
    """Whether both ends of a claim are people."""
    ends = [binding[t] if isinstance(t, str) else t for t in (claim.subject, claim.object)]
    return all(
        v.kind == "entity" and (e := facts.entity(v.entity)) and e.domain == "person" for v in ends
    )


def _known(entity: Entity) -> float:
    """How well known a thing is, 0 to 1, by its editions and links in."""
    return min(1.0, log2(1 + max(entity.num_sitelinks, entity.in_degree)) / log2(1 + WELL_KNOWN))
