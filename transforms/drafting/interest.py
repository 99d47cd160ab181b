"""How much a reader might want to know the answer. This score picks the best of a seed's drafts.

The score decides which draft comes first, and never drops a draft. `docs/measured.md` compares the
score with marks by readers.
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
"""Two scores count as equal if their difference is no larger than this number."""
COMPUTED = 0.2
"""The interest of an answer that is the number of years between two dates."""
IN_A_ROW = 0.5
"""Factor on the interest of the asked relation if the path goes from person to person, since few
readers care for the parents or teachers of unknown people."""
EASY_LINKS = 2
"""Number of claims that a question may follow without losing points for it. The claim that the
question asks for counts too."""
PER_LINK, PER_NAME, BY_CHANCE, GIVEN_AWAY = 1.0, 1.0, 1.2, 0.8
"""The points that a question loses for four faults: a claim too many, a thing named only to single
out another thing, two things that only share a place or maker, and a name that contains the
answer."""
TELLING_WORD = 4
"""A word with fewer letters is ignored when two names are compared."""
WELL_KNOWN = 64
"""A thing counts as well known if this many things link to it, or this many language editions have
an article on it."""


def interest(form: Form, facts: Facts, binding: Binding) -> float:
    """A score from 1 to 5. The score rates the asked relation, how rare the answer is, how
    different it is from the pictured thing, how varied the path is, and how well known its things
    are.

    Args:
        form: the logical form of a finished draft.
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
    """All things of the form; the pictured thing comes first."""
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
    """How different the pictured thing and the last thing are: 1 for another domain, 0.5 for
    another class only, else 0."""
    first, last = stops[0], stops[-1]
    if first.domain != last.domain:
        return 1.0
    return 0.5 * (find_descriptor_class(facts, first.id) != find_descriptor_class(facts, last.id))


def _burden(form: Form, facts: Facts, binding: Binding) -> float:
    """The points that a question loses for its faults. The faults are too many claims, things named
    only to single out others, things that are connected by chance, and names that contain the
    answer."""
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
    """Whether two things only share a place or a maker, like a river and a mineral on the same
    mountain."""
    if one.object != other.object or one.object in (form.anchor, form.ask.var):
        return False
    place = facts.entity(binding[str(one.object)].entity)
    return one.property == other.property or (place is not None and place.domain == "location")


def _given_away(form: Form, facts: Facts, binding: Binding) -> bool:
    """Whether a thing on the path has the answer in its name. For example, the name of St Perran's
    Church tells to whom the church is dedicated. The result is false if the question asks after
    whom the thing is named."""
    asked = [c.property for c in form.of(ClaimClause) if form.ask.var in (c.subject, c.object)]
    labels = {
        v: entity.label(facts.language)
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
    """How varied the path is: whether its relations say much, and whether its things are of
    different classes. For example, a path from a town to a district to a town is not varied."""
    claims = form.of(ClaimClause)
    # Where the question asks for the subject of a claim ("Which film was shot at this castle?"),
    # the claim's relation belongs to the path.
    relations = [
        property_use(c.property).weight
        for c in claims
        if c.subject == form.ask.var or form.ask.var not in (c.subject, c.object)
    ]
    different = len({find_descriptor_class(facts, e.id) for e in stops}) / max(3, len(stops))
    return different * sum(relations) / len(relations) if relations else 0.0


def _people(facts: Facts, claim: ClaimClause, binding: Binding) -> bool:
    """Whether both the subject and the object of a claim are people."""
    ends = [binding[t] if isinstance(t, str) else t for t in (claim.subject, claim.object)]
    return all(
        v.kind == "entity" and (e := facts.entity(v.entity)) and e.domain == "person" for v in ends
    )


def _known(entity: Entity) -> float:
    """How well known a thing is, from 0 to 1; computed from its language editions and the number of
    links to it."""
    return min(1.0, log2(1 + max(entity.num_sitelinks, entity.in_degree)) / log2(1 + WELL_KNOWN))
