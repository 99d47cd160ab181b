"""Finds the steps of a plan. A step follows a claim from one thing to the next. A step needs a
description that singles out the next thing. A *reverse step* goes from the value of a claim to its
subject."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from random import Random

from questloom.records.form import Ask, ClaimClause, ClassClause, Clause, Form
from questloom.records.identity import chance
from questloom.records.knowledge import Entity, Value, entity_value
from questloom.transforms.certificate.description import Description, Part
from questloom.transforms.certificate.effective import Step
from questloom.transforms.certificate.evidence import claim_of, is_named
from questloom.transforms.certificate.fitting import constants_of, num_fitting
from questloom.transforms.certificate.margin import is_too_near, margin_of
from questloom.transforms.drafting.edges import Edge, edges
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.planning.ground import Ground
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.form_edits import SELF, describe_variable
from questloom.transforms.writing.graph.clues import by_weight, class_clause, clue_clauses
from questloom.transforms.writing.graph.expected_fit import ExpectedFit

MAX_DESCRIPTORS = 3
"""Maximum number of descriptors of one thing that are kept. More descriptors would only repeat the
same facts in other combinations."""
MAX_CLUES = 2
"""Maximum number of claims in one descriptor. With three claims for one thing, a sentence would
give more clues than the steps that the solver must take."""
MAX_TRIED = 24
"""Maximum number of descriptors that are tested on the store for each number of claims."""


@dataclass(frozen=True)
class Descriptor:
    """Clauses about the variable `SELF`, which stands for a thing. Together with the step that
    leads to the thing, the clauses single the thing out."""

    clauses: tuple[Clause, ...]
    ends: frozenset[str]
    """Ids and value keys in the clauses."""


@remembered()
def steps_from(
    facts: Lookups, thing: str, max_hub: int, stated: bool, to: str = ""
) -> tuple[Edge, ...]:
    """The steps that a plan may take from a thing, in a fixed order. If `stated` is true, the page
    of one end of a step must name the other end. If `to` is given, only steps to that thing are
    included."""
    entity = facts.entity(thing)
    if entity is None:
        return ()
    found = edges(facts, entity, frozenset({thing}), max_hub, to)
    return tuple(e for e in found if not stated or _is_said(facts, thing, e))


def _is_said(facts: Lookups, thing: str, edge: Edge) -> bool:
    ends = (edge.target, thing) if edge.reverse else (thing, edge.target)
    clause = ClaimClause(
        subject=entity_value(ends[0]), property=edge.property, object=entity_value(ends[1])
    )
    return is_stated(facts, clause, thing)


def shuffle_by_weight(
    found: Iterable[Edge], reverse_share: float, draw: Random, *, back: bool = False
) -> list[Edge]:
    """Orders steps at random, so that relations with a larger weight tend to come first. The order
    starts with one step of each relation, and the second steps of relations follow.

    The relation "pupil" of a teacher with forty pupils is therefore not chosen forty times as
    often.

    Args:
        found: the steps to order.
        reverse_share: the share of calls of this function that put the reverse steps first. 0
            leaves out all reverse steps, 1 leaves out all other steps.
        draw: random generator for the order.
        back: whether the steps are given in the opposite direction, as steps away from the thing to
            reach.
    """
    reverse_first = draw.random() < reverse_share
    by_relation: dict[Step, list[Edge]] = {}
    for edge in found:
        is_against = edge.reverse != back
        if reverse_share == (0 if is_against else 1):
            continue
        by_relation.setdefault((edge.property, edge.reverse), []).append(edge)
    keyed = []
    for relation in sorted(by_relation):
        same = by_relation[relation]
        draw.shuffle(same)
        rank = -(draw.random() ** (1.0 / max(same[0].weight, 1e-6)))
        comes_first = (relation[1] != back) == reverse_first
        keyed += [
            (number, not comes_first, rank, relation, edge) for number, edge in enumerate(same)
        ]
    return [edge for *_, edge in sorted(keyed, key=lambda k: k[:4])]


def separating_class(
    facts: Lookups, source: str, property: str, target: str, var: str
) -> tuple[ClassClause, ...]:
    """The class of the thing at the end of a forward step. The class is needed only if the property
    has several values, such as a county and a state: the class "county" then tells which is
    meant."""
    if single_value(facts, source, property) is not None:
        return ()
    return (ClassClause(var=var, class_id=find_descriptor_class(facts, target)),)


def describe_step_end(
    at: Ground, source: str, property: str, target: str
) -> tuple[Descriptor, ...]:
    """The descriptors that single out the thing at the end of a reverse step. A descriptor is the
    thing's class with up to two clues.

    Args:
        at: the store, and the rules for planning.
        source: the thing from which the step starts. The descriptor must not single out the end
            without the step from the source.
        property: the relation.
        target: the end of the step, which is the subject of the claim.

    Returns:
        At most `MAX_DESCRIPTORS` descriptors, the shortest first.
    """
    return _describe_step_end(
        at.facts,
        source,
        property,
        target,
        at.certificate.margin,
        at.draft.max_clauses,
        at.certificate.stated,
        at.recipe_seed,
    )


@remembered()
def _describe_step_end(
    facts: Lookups,
    source: str,
    property: str,
    target: str,
    margin: int,
    max_clauses: int,
    stated: bool,
    recipe_seed: int,
) -> tuple[Descriptor, ...]:
    entity = facts.entity(target)
    kind = class_clause(facts, entity) if entity is not None else None
    if entity is None or kind is None or not nearly_complete(facts, kind.class_id):
        return ()
    clues = shuffled_clues(
        facts,
        entity,
        frozenset({source, target}),
        frozenset({property}),
        stated,
        recipe_seed,
        f"{source}:{property}:{target}",
    )
    fits = ExpectedFit(
        facts,
        facts.num_members(kind.class_id),
        facts.num_subjects(property, source),
    )
    test = _EndTest(facts, source, property, target, kind, margin)
    sets = clue_sets(clues, min(MAX_CLUES, max_clauses))
    found = (s for s in sets if (not s or fits(s)) and test.singles_out(s))
    return tuple(Descriptor((kind, *s), ids_in(s)) for s in islice(found, MAX_DESCRIPTORS))


def clue_sets(clues: list[Clause], most: int) -> Iterator[tuple[Clause, ...]]:
    """Gives sets of clues: first no clue (the class alone), then single clues, then pairs of clues
    with different relations."""
    yield ()
    for size in range(1, most + 1):
        tried = 0
        for chosen in combinations(clues, size):
            if len({c.property for c in chosen}) == size:  # type: ignore[union-attr]
                yield chosen
                tried += 1
                if tried == MAX_TRIED:
                    break


class _EndTest:
    """Tests whether clues single out the end of one reverse step. Things that fitted earlier clues
    besides the intended thing (rivals) are tried first.

    Args:
        facts: the store.
        source: the thing at which the step starts.
        property: the relation.
        target: the thing at which the step ends.
        kind: the class of the end, as a clause about `SELF`.
        margin: minimum number of facts that the store would have to lack before another thing could
            fit.
    """

    def __init__(
        self,
        facts: Lookups,
        source: str,
        property: str,
        target: str,
        kind: ClassClause,
        margin: int,
    ) -> None:
        self._facts, self._margin = facts, margin
        self._least = facts.trust.least_margin(margin)
        self._end = entity_value(target)
        step = ClaimClause(subject="x1", property=property, object="x0")
        self._always = (
            Part(role="has", clause=step, property=property, value=entity_value(source)),
            Part(role="kind", clause=ClassClause(var="x1", class_id=kind.class_id)),
        )
        self._parts: dict[Clause, Part] = {}
        self._near: list[str] = []
        """Rivals (other things) that earlier clues did not exclude; the newest comes first."""
        self._idle: set[Clause] = set()
        """Clues that single out the end of the step even without the step; a descriptor with one of
        the clues is refused."""

    def _part(self, clue: Clause) -> Part:
        if clue not in self._parts:
            assert isinstance(clue, ClaimClause) and isinstance(clue.object, Value)
            said = ClaimClause(subject="x1", property=clue.property, object=clue.object)
            self._parts[clue] = Part(
                role="has", clause=said, property=clue.property, value=clue.object
            )
        return self._parts[clue]

    def singles_out(self, clues: tuple[Clause, ...]) -> bool:
        """Whether the class and the clues single out the end of the step with the required margin.
        The class and the clues must not single out the end without the step. At least one of the
        things that the clues name must be needed to single out the end."""
        if self._idle.intersection(clues):
            return False
        facts, parts = self._facts, (*self._always, *map(self._part, clues))
        if any(is_too_near(facts, rival, parts, self._least) for rival in self._near):
            return False
        description = Description(var="x1", parts=parts, predecessors=("x0",))
        if num_fitting(facts, description, "x0") == 1:
            self._idle.update(clues if len(clues) == 1 else ())
            return False
        measured = margin_of(facts, description, self._end, self._margin, exact=False)
        if measured.margin < self._least:
            if measured.nearest is not None:
                self._near.insert(0, measured.nearest.entity_id)
            return False
        named = tuple(dict.fromkeys(constants_of(description)))
        return not named or any(num_fitting(facts, description, end) != 1 for end in named)


def ids_in(clauses: tuple[Clause, ...]) -> frozenset[str]:
    """The ids and value keys of the things and values that clauses name."""
    terms = (t for c in clauses if isinstance(c, ClaimClause) for t in (c.subject, c.object))
    return frozenset(t.key() for t in terms if not isinstance(t, str))


def shuffled_clues(
    facts: Lookups,
    entity: Entity,
    avoid: frozenset[str],
    taken: frozenset[str],
    stated: bool,
    recipe_seed: int,
    place: str,
) -> list[Clause]:
    """The clauses that can help to describe a thing. Relations with a larger weight tend to come
    first. Every call of this function gives the same order."""
    draw = chance(recipe_seed, place, "descriptors")
    weighted = clue_clauses(facts, entity, avoid, "", taken)
    said = _stated_clues(facts, entity.id) if stated else None
    return [c for c in by_weight(weighted, draw) if said is None or c in said]


@remembered()
def _stated_clues(facts: Lookups, thing: str) -> frozenset[Clause]:
    """The clues of a thing that a page states: the page of the thing names the value, or the page
    of the value names the thing."""
    entity = facts.entity(thing)
    clues = clue_clauses(facts, entity, frozenset(), "", frozenset()) if entity else []
    return frozenset(c for _, c in clues if is_stated(facts, c, thing))


def is_stated(facts: Lookups, clause: Clause, thing: str) -> bool:
    """Whether the page of one end of a clause names the other end. The variable `SELF` in the
    clause stands for the given thing."""
    if not isinstance(clause, ClaimClause):
        return True
    claim = claim_of(facts, clause, {SELF: entity_value(thing)})
    return claim is not None and is_named(facts, claim)


def in_words(clauses: tuple[Clause, ...], var: str) -> tuple[Clause, ...]:
    """The clauses of a descriptor with a variable in place of `SELF`."""
    empty = Form(clauses=(), ask=Ask(var=var, type="entity"))
    return describe_variable(empty, var, clauses).clauses
