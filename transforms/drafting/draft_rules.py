"""The recipe's settings for seeds and drafts. The defaults are the published numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge, Gt, Le, MinLen

from questloom.records.evolves import Evolves
from questloom.records.synthesis import ABILITIES, LEVELS, MAX_ANSWER_WORDS

Share = Annotated[float, Ge(0), Le(1)]
Weight = Annotated[float, Ge(0)]
DOMAINS = ("artifact", "building_or_place", "location", "organism", "other", "person")
if TYPE_CHECKING:
    Ability = str
    Domain = str
    Level = str
    Method = str
    SeedRule = str
else:  # a recipe's mapping with these keys refuses any other key
    Ability, Domain, Level = Literal[ABILITIES], Literal[DOMAINS], Literal[LEVELS]
    Method = Literal["paths", "injection", "exploration"]
    SeedRule = Literal["rare", "anchor", "linked", "pictured"]


@dataclass(frozen=True, kw_only=True)
class SeedRules:
    """Which entities may be seeds (entities of future questions), and how many are drawn (VSearcher
    A.2, OpenSearch-VL 3.1)."""

    count: Annotated[int, Gt(0)] = 1000
    """Number of seeds in the run. Each seed gives either one question or one rejection."""
    accepted: Annotated[int, Ge(0)] = 0
    """Number of questions that the run should keep; the weights of `levels` split this number.
    Questions beyond this number are dropped. 0 keeps all questions that pass the filters."""
    on_exhausted: Literal["keep", "error"] = "keep"
    """What happens if a level has too few questions for `accepted`: `keep` keeps them, `error`
    stops the run."""
    methods: Annotated[
        Mapping[Method, Weight], MinLen(1), Evolves("seeds", 0, 2, 0.5, keys=("paths", "injection"))
    ] = field(default_factory=lambda: {"paths": 1.0, "injection": 1.0})
    """Weight of each method of making questions."""
    rules: Annotated[
        Mapping[SeedRule, Weight], MinLen(1), Evolves("seeds", 0, 2, 0.5, keys=("rare", "anchor"))
    ] = field(default_factory=lambda: {"rare": 1.0, "anchor": 1.0})
    """Weight of each rule that selects seeds."""
    levels: Annotated[
        Mapping[Level, Weight],
        MinLen(1),
        Evolves("writer", 0, 1, 0.3, keys=("easy", "medium", "hard")),
    ] = field(default_factory=lambda: {"easy": 0.4, "medium": 0.3, "hard": 0.3})
    """Weight of each level of difficulty."""
    domains: Annotated[
        Mapping[Domain, Weight], Evolves("seeds", 0.25, 4, 0.75, keys=DOMAINS, absent=1.0)
    ] = field(default_factory=dict)
    """Weight of each coarse domain. A domain without an entry has
    the weight 1. A domain with the weight 0 gives no seeds."""
    readable: Annotated[float, Gt(0), Evolves("seeds", 1, 8, 1)] = 1.0
    """Weight of an entity if one of its pictures shows a year that can be read from close up. Other
    entities of the same domain have the weight 1."""
    abilities: Annotated[
        Mapping[Ability, Weight], MinLen(1), Evolves("seeds", 0, 2, 0.5, keys=ABILITIES)
    ] = field(default_factory=lambda: dict.fromkeys(ABILITIES, 1.0))
    """Weight of each ability that a question may demand, such as "perception+search". Only the
    method "exploration" uses these weights (ODE 3.1)."""
    per_entity: Annotated[int, Ge(1), Le(20)] = 1
    """Maximum number of seeds with the same entity and method."""
    ladders: bool = False
    """Whether each thing of the method "injection" gets a seed at every level. The questions of a
    thing then form a ladder: they have the same picture and the same answer, and each level hides
    more names."""
    rare_max_sitelinks: Annotated[int, Ge(0), Evolves("seeds", 0, 40, 5)] = 10
    """Rule "rare": maximum number of Wikipedias that have a page about the entity."""
    rare_min_statements: Annotated[int, Ge(0)] = 20
    """Rule "rare": minimum number of claims about the entity."""
    anchor_min_in_degree: Annotated[int, Ge(0)] = 50
    """Rule "anchor": minimum number of other things that link to the entity."""
    anchor_max_in_degree: Annotated[int, Ge(0)] = 10_000
    """Rule "anchor": maximum number of other things that link to the entity."""
    living_people: bool = False
    """Whether pictures may show people without a date of death."""
    exclude: tuple[str, ...] = ()
    """Files with ids of entities that must not be seeds, one id per line; for example the entities
    of benchmarks or of earlier rounds."""

    @property
    def ladder(self) -> tuple[str, ...]:
        """The levels of each ladder; none if the recipe asks for no ladders."""
        return tuple(sorted(n for n, w in self.levels.items() if w)) if self.ladders else ()


@dataclass(frozen=True, kw_only=True)
class ExploreRules:
    """How many claims about connected things a question uses, in the method "exploration" (ODE,
    arXiv 2605.10832, 3.1)."""

    claims: Annotated[Mapping[Level, int], Evolves("paths", 1, 5, 1)] = field(
        default_factory=lambda: {"easy": 2, "medium": 3, "hard": 4, "expert": 5, "benchmark": 5}
    )
    """For each level, the number of claims that a question needs. The claim that the question asks
    for counts too."""


@dataclass(frozen=True, kw_only=True)
class TextFactRules:
    """How many pages a model reads for facts that no claim states, so that a plan of the method
    "paths" can follow them. The model has the role `take_facts`."""

    pages: Annotated[int, Ge(0), Le(10)] = 0
    """Maximum number of pages that are read for each seed: the page of the seed's thing, and pages
    to which a first step may lead. 0 reads none. A page near several seeds is read once. Plans with
    such a fact need the basis "votes" in `certificate.bases`."""
    samples: Annotated[int, Ge(1), Le(9)] = 3
    """Number of replies for each page. A fact counts if more than half of them state it."""


@dataclass(frozen=True, kw_only=True)
class DraftRules:
    """The recipe's settings for making a draft from a seed."""

    hops: Annotated[Mapping[Level, int], Evolves("paths", 1, 6, 1)] = field(
        default_factory=lambda: {"easy": 2, "medium": 3, "hard": 4, "benchmark": 4}
    )
    """For each level, the number of steps from the picture to the thing that the question asks
    about. With 0, the question asks about the pictured thing itself."""
    rounds: Annotated[Mapping[Level, int], Evolves("paths", 1, 10, 1)] = field(
        default_factory=lambda: {"easy": 1, "medium": 3, "hard": 5, "benchmark": 10}
    )
    """For each level, the number of rounds of the method "injection"."""
    idle_rounds: bool = False
    """Whether the method "injection" may hide a name that the single answer does not need. The walk
    from the picture is needed in any case."""
    explore: ExploreRules = field(default_factory=ExploreRules)
    text_facts: TextFactRules = field(default_factory=TextFactRules)
    max_clauses: Annotated[int, Ge(1), Le(6), Evolves("writer", 1, 6, 1)] = 3
    """Maximum number of claims that describe one thing. The thing's class does not count, and
    neither does the step that leads to the thing."""
    fuzz: tuple[Literal["category", "range", "meta-attribute", "arithmetic", "exclusion"], ...] = ()
    """Kinds of vague clues that may replace exact clues: "in a village" in place of the village's
    name."""
    max_hub: Annotated[int, Ge(1)] = 10_000
    """Maximum number of links that may lead into an entity on the path (tau_hub)."""
    max_answer_words: Annotated[int, Ge(1)] = MAX_ANSWER_WORDS
    """Maximum number of words in an answer, for all writers. A seed of the rule "linked" needs at
    least one possible answer within this limit."""
    reverse_share: Annotated[Share, Evolves("paths", 0, 1, 0.2)] = 0.5
    """How often a step follows a claim backwards, if both directions are possible."""
    detail_share: Annotated[Share, Evolves("paths", 0, 1, 0.25)] = 0.2
    """Limits how many questions need a detail that is legible only from close up. This share times
    a factor in `planning/choice.py` is the maximum share of each of three kinds: questions that
    read their own picture, questions that continue from a later picture, and questions whose answer
    is in a later picture."""
    computation_share: Annotated[Share, Evolves("paths", 0, 1, 0.25)] = 0.2
    """Share of drafts for which a computation is tried."""
    own_page: bool = True
    """Whether the page of the pictured thing may state a draft's answer. The filter `image_search`
    may later drop a draft whose answer is on the page of the pictured thing."""
    max_words: Annotated[int, Ge(10)] = 110
    """Maximum number of words in a question."""
