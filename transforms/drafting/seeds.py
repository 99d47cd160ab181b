"""Selects seeds (entities of future questions) by rules: rare entities (VSearcher A.2), anchors
(OpenSearch-VL 3.1), or any entity with a picture. The seeds are spread over domains."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from questloom.prompts.phrases import property_use
from questloom.records.identity import priority
from questloom.records.knowledge import Article, Entity, ImageAsset
from questloom.records.synthesis import Seed
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.edges import MAX_REVERSE
from questloom.transforms.drafting.schedule import Cell, by_weight, drawn, in_turn
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.readings import year_readings
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.signs import pictures_meant
from questloom.transforms.facts.values import best_values
from questloom.transforms.pictures.choose import showable
from questloom.transforms.pictures.picture_rules import PictureRules
from questloom.transforms.writing.graph.clues import answerable

HUMAN = "Q5"
EXPLORATION = "exploration"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A possible seed: an entity with the group to which it belongs and its rank in a random
    order."""

    stratum: tuple[str, str]
    """(method, rule): the seeds of each such pair are spread over domains."""
    group: str
    """The domain, with a star if a picture of the entity shows a year that can be read. For the
    method "exploration", the group is the cell of the schedule (topic, ability and level)."""
    rank: str
    seed: Seed


def is_rare(entity: Entity, article: Article | None, rules: SeedRules) -> bool:
    """VSearcher's rule: the entity has an article, few sitelinks, many statements and a picture,
    and is not a human."""
    return (
        article is not None
        and entity.num_sitelinks <= rules.rare_max_sitelinks
        and entity.num_statements >= rules.rare_min_statements
        and bool(entity.picture_files)
        and HUMAN not in entity.class_closure
    )


def is_anchor(
    entity: Entity, article: Article | None, images: Sequence[ImageAsset], rules: SeedRules
) -> bool:
    """OpenSearch-VL's rule: the entity has an infobox, a picture that may be shown, and neither too
    few nor too many incoming links."""
    return (
        article is not None
        and bool(article.infobox)
        and rules.anchor_min_in_degree <= entity.in_degree <= rules.anchor_max_in_degree
        and bool(images)
    )


def is_linked(
    facts: Lookups,
    entity: Entity,
    living_people: bool,
    max_answer_words: int,
) -> bool:
    """Whether a question about the entity can have a short answer, and another thing's picture can
    stand for the entity.

    Another thing's picture can stand for the entity if the entity is that thing's only value of
    some property.
    """
    into = facts.claims_into(entity.id, limit=MAX_REVERSE)
    shown = [
        c for c in into if c.best and property_use(c.property).hop and facts.images_of(c.subject)
    ]
    return any(
        single_value(facts, c.subject, c.property, find_descriptor_class(facts, entity.id))
        == c.value
        and (e := facts.entity(c.subject)) is not None
        and may_be_shown(facts, e, living_people)
        for c in shown
    ) and bool(answerable(facts, entity, max_answer_words, frozenset()))


def may_be_shown(facts: Facts, entity: Entity, living_people: bool) -> bool:
    """Whether a question may show pictures of an entity. Only people can be excluded. By default, a
    question may not show people who were alive on the snapshot's date."""
    if living_people or HUMAN not in entity.class_closure:
        return True
    return bool(best_values(facts, entity.id, "P570"))


def bears_another_name(facts: Facts, entity: Entity) -> bool:
    """Whether the entity's name, as the title of an article, means another thing of the same kind.
    The pictures and dates of an entity with a shared name may belong to the other thing.

    For example, Wikidata gives the congressman Zachary Taylor a portrait of President Zachary
    Taylor.
    """
    other = facts.entity_of_title(entity.label(facts.language))
    return other not in (None, entity.id) and find_descriptor_class(
        facts, other
    ) == find_descriptor_class(facts, entity.id)


def candidates(
    entity: Entity,
    facts: Lookups,
    rules: SeedRules,
    pictures: PictureRules,
    recipe_seed: int,
    max_answer_words: int,
) -> Iterator[Candidate]:
    """All seeds that an entity could give, one for each rule, method and index, each with a random
    rank.

    `max_answer_words` is the maximum number of words in an answer, for the rule `linked`.
    """
    images = showable(pictures_meant(facts, entity.id), pictures)
    fitting = _fitting(entity, facts, rules, images, max_answer_words)
    if isinstance(fitting, str):
        return
    group = entity.domain + (
        "*" if rules.readable != 1.0 and year_readings(facts, entity.id) else ""
    )
    # A path and an exploration start at the seed's own picture.
    for method in sorted(
        m for m, weight in rules.methods.items() if weight and (images or m == "injection")
    ):
        for index in range(rules.per_entity):
            if method == EXPLORATION:
                yield from _explored(entity, facts, rules, recipe_seed, index, fitting)
                continue
            ladder = rules.ladder if method == "injection" else ()
            levels = ladder or (_level(rules, recipe_seed, entity.id, method, index),)
            for rule, level in product(fitting, levels):
                seed = Seed(
                    entity_id=entity.id,
                    method=method,
                    rule=rule,
                    level=level,
                    domain=entity.domain,
                    topic=entity.topic,
                    index=index,
                )
                # The seeds of a ladder share a rank, so they are drawn together.
                drawn_by = f"{entity.id}:{index}" if ladder else seed.id
                yield Candidate(
                    stratum=(method, rule),
                    group=group,
                    rank=priority(recipe_seed, drawn_by, "seeds"),
                    seed=seed,
                )


def _explored(
    entity: Entity, facts: Facts, rules: SeedRules, recipe_seed: int, index: int, fitting: list[str]
) -> Iterator[Candidate]:
    """The seeds of an entity for the method "exploration", with the number `index`: one seed for
    each rule that the entity fits. `schedule.py` draws the ability and the level of the seeds."""
    place = drawn(facts, entity, rules, recipe_seed, f"{entity.id}:{EXPLORATION}:{index}")
    if place is None:
        return
    ability, level = place
    for rule in fitting:
        seed = Seed(
            entity_id=entity.id,
            method=EXPLORATION,
            rule=rule,
            level=level,
            domain=entity.domain,
            topic=entity.topic,
            ability=ability,
            index=index,
        )
        yield Candidate(
            stratum=(EXPLORATION, rule),
            group=f"{entity.topic or entity.domain}/{ability}/{level}",
            rank=priority(recipe_seed, seed.id, "seeds"),
            seed=seed,
        )


def _fitting(
    entity: Entity,
    facts: Lookups,
    rules: SeedRules,
    images: Sequence[ImageAsset],
    max_answer_words: int,
) -> list[str] | str:
    """The rules of the recipe that an entity fits, sorted; or, if it fits none, the reason in
    words. A rule with the weight 0 is left out, so it gets no seeds."""
    if rules.domains.get(entity.domain) == 0:
        return "are of a domain that the recipe leaves out"
    if not entity.classes:
        return "have no class (P31)"
    if not may_be_shown(facts, entity, rules.living_people):
        return "are people without a date of death"
    if bears_another_name(facts, entity):
        return "bear the name of a better known thing of their kind"
    article = facts.article(entity.id)
    fits = {
        "rare": is_rare(entity, article, rules),
        "anchor": is_anchor(entity, article, images, rules),
        # Our own rule, for stores without articles: any entity with a picture that may be shown.
        "pictured": bool(images),
        # Our own rule, for injection where few things have a picture: an entity that is the only
        # value of some pictured thing's property.
        "linked": bool(rules.rules.get("linked"))
        and is_linked(facts, entity, rules.living_people, max_answer_words),
    }
    wanted = sorted(r for r, weight in rules.rules.items() if weight)
    return [r for r in wanted if fits.get(r)] or f"fit none of the rules ({', '.join(wanted)})"


def obstacles(
    entities: Iterable[Entity],
    facts: Lookups,
    rules: SeedRules,
    pictures: PictureRules,
    max_answer_words: int,
) -> dict[str, int]:
    """Why entities cannot be seeds: each reason in words, with the number of entities. `candidates`
    applies the same rules."""
    fitting = (
        _fitting(e, facts, rules, showable(pictures_meant(facts, e.id), pictures), max_answer_words)
        for e in entities
    )
    found = Counter(why for why in fitting if isinstance(why, str))
    return dict(sorted(found.items()))


def _level(rules: SeedRules, recipe_seed: int, entity_id: str, method: str, index: int) -> str:
    """The level of an entity's seed number `index` for a method, drawn by weight."""
    return by_weight(rules.levels, recipe_seed, f"{entity_id}:{method}:{index}", "level")


def choose(found: list[Candidate], rules: SeedRules) -> list[Seed]:
    """Chooses the seeds of a run. Each pair of method and rule has a quota. A quota is shared among
    domains by their weights; within a domain, the seeds with the smallest ranks are chosen.

    An entity that fits several rules is drawn only once for each method and index. If a quota has
    too few candidates, candidates of the other pairs fill it.
    """
    weights = {
        (m, r): rules.methods[m] * rules.rules[r] for m in rules.methods for r in rules.rules
    }
    share = rules.count / (sum(weights.values()) or 1.0)
    taken: dict[str, Candidate] = {}
    leftover: list[Candidate] = []
    for stratum in sorted(weights):
        mine = [c for c in found if c.stratum == stratum and c.seed.id not in taken]
        quota = round(weights[stratum] * share)
        order = (
            _by_cell(mine, rules, quota) if stratum[0] == EXPLORATION else _by_domain(mine, rules)
        )
        taken.update((c.seed.id, c) for c in order[:quota])
        leftover.extend(order[quota:])
    for candidate in sorted(leftover, key=lambda c: (c.rank, c.seed.id)):
        if len(taken) >= rules.count:
            break
        taken.setdefault(candidate.seed.id, candidate)
    return sorted((c.seed for c in taken.values()), key=lambda s: s.id)


def _by_cell(found: list[Candidate], rules: SeedRules, most: int) -> list[Candidate]:
    """The candidates in the order of the schedule; after them the candidates that the schedule does
    not take."""
    queues: dict[Cell, deque[Candidate]] = {}
    for candidate in sorted(found, key=lambda c: (c.rank, c.seed.id)):
        queues.setdefault(Cell(*candidate.group.split("/")), deque()).append(candidate)
    supply = {cell: len(queue) for cell, queue in queues.items()}
    taken = [queues[cell].popleft() for cell in in_turn(supply, rules, most)]
    return [*taken, *(c for cell in sorted(queues) for c in queues[cell])]


def _by_domain(found: list[Candidate], rules: SeedRules) -> list[Candidate]:
    """The candidates in an order that keeps the domains' weights, however many are taken from the
    front."""
    queues = {
        g: sorted((c for c in found if c.group == g), key=lambda c: (c.rank, c.seed.id))
        for g in {c.group for c in found}
    }
    weight = {g: _weight(g, rules) for g in queues}
    keyed = [
        ((i + 1) / weight[g], g, c) for g, queue in queues.items() for i, c in enumerate(queue)
    ]
    return [c for _, _, c in sorted(keyed, key=lambda k: (k[0], k[1], k[2].rank))]


def _weight(group: str, rules: SeedRules) -> float:
    return rules.domains.get(group.rstrip("*"), 1.0) * (
        rules.readable if group.endswith("*") else 1.0
    )
