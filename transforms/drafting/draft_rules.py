"""The recipe's settings for seeds and drafts, with the published numbers as defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, MaxLen, MinLen

from questloom.records.evolves import Evolves
from questloom.records.synthesis import ABILITIES, MAX_ANSWER_WORDS

Share = Annotated[float, Ge(0), Le(1)]
Weight = Annotated[float, Ge(0)]
Weights = Annotated[Mapping[str, Weight], MinLen(1), MaxLen(50)]
DOMAINS = ("artifact", "building_or_place", "location", "organism", "other", "person")


@dataclass(frozen=True, kw_only=True)
class SeedRules:
    """Which entities may be seeds, and how many are drawn (VSearcher A.2, OpenSearch-VL 3.1)."""

    count: Annotated[int, Gt(0)] = 1000
    """Number of seeds in the run. Each seed ends as one question or one rejection."""
    accepted: Annotated[int, Ge(0)] = 0
    """Number of questions wanted in the end, split by the weights of `levels`. The quotas drop
    further questions. 0 keeps all questions that pass."""
    on_exhausted: Literal["keep", "error"] = "keep"
    """What to do if a level has fewer questions than `accepted` asks for: keep them, or stop the
    run with an error."""
    methods: Annotated[Weights, Evolves("seeds", 0, 2, 0.5, keys=("paths", "injection"))] = field(
        default_factory=lambda: {"paths": 1.0, "injection": 1.0}
    )
    """Weight of each method: "paths", "injection", "exploration"."""
    rules: Annotated[Weights, Evolves("seeds", 0, 2, 0.5, keys=("rare", "anchor"))] = field(
        default_factory=lambda: {"rare": 1.0, "anchor": 1.0}
    )
    """Weight of each rule: "rare", "anchor", "linked", "pictured"."""
    levels: Annotated[Weights, Evolves("writer", 0, 1, 0.3, keys=("easy", "medium", "hard"))] = (
        field(default_factory=lambda: {"easy": 0.4, "medium": 0.3, "hard": 0.3})
    )
    """Weight of each level: "easy", "medium", "hard", "expert", "benchmark"."""
    domains: Annotated[
        Mapping[str, Weight], Evolves("seeds", 0.25, 4, 0.75, keys=DOMAINS, absent=1.0)
    ] = field(default_factory=dict)
    """Weight of each coarse domain. A domain without an entry has weight 1; a domain with weight 0 gives no seeds."""
    readable: Annotated[float, Gt(0), Evolves("seeds", 1, 8, 1)] = 1.0
    """Weight of entities whose picture shows a year that is readable close up, relative to other
    entities of their domain."""
    abilities: Annotated[Weights, Evolves("seeds", 0, 2, 0.5, keys=ABILITIES)] = field(
        default_factory=lambda: dict.fromkeys(ABILITIES, 1.0)
    )
    """Weight of each ability profile. Only the exploration method plans for abilities (ODE 3.1)."""
    per_entity: Annotated[int, Ge(1), Le(20)] = 1
    """Maximum number of seeds of one entity and method."""
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
    """Files of entity ids to leave out, one id per line: benchmarks, earlier rounds."""


@dataclass(frozen=True, kw_only=True)
class ExploreRules:
    """How large a cluster of observations a question uses (ODE, arXiv 2605.10832, 3.1)."""

    claims: Annotated[Mapping[str, int], Evolves("paths", 1, 5, 1)] = field(
        default_factory=lambda: {"easy": 2, "medium": 3, "hard": 4, "expert": 5, "benchmark": 5}
    )
    """Claims that a question of each level needs, including the claim that it asks for."""


@dataclass(frozen=True, kw_only=True)
class DraftRules:
    """The recipe's settings for growing a seed into a draft."""

    hops: Annotated[Mapping[str, int], Evolves("paths", 1, 6, 1)] = field(
        default_factory=lambda: {"easy": 2, "medium": 3, "hard": 4, "benchmark": 4}
    )
    """Steps from the picture to the thing that the question asks about, by level. 0 asks about the
    pictured thing itself."""
    rounds: Annotated[Mapping[str, int], Evolves("paths", 1, 10, 1)] = field(
        default_factory=lambda: {"easy": 1, "medium": 3, "hard": 5, "benchmark": 10}
    )
    """Rounds of the injection method, by level."""
    explore: ExploreRules = field(default_factory=ExploreRules)
    max_clauses: Annotated[int, Ge(1), Le(6), Evolves("writer", 1, 6, 1)] = 3
    """Maximum number of claims in one description, without its class and the hop that leads to it."""
    fuzz: tuple[Literal["category", "range", "meta-attribute", "arithmetic", "exclusion"], ...] = ()
    """Kinds of vague clues that may replace exact clues: "in a village" for the village's name."""
    max_hub: Annotated[int, Ge(1)] = 10_000
    """Maximum number of links into an entity that a path may pass (tau_hub)."""
    max_answer_words: Annotated[int, Ge(1)] = MAX_ANSWER_WORDS
    """Maximum number of words of an answer, for all writers. A seed of rule "linked" needs at least
    one answer of this length."""
    reverse_share: Annotated[Share, Evolves("paths", 0, 1, 0.2)] = 0.5
    """How often a step goes against the direction of a claim, where both directions are possible."""
    detail_share: Annotated[Share, Evolves("paths", 0, 1, 0.25)] = 0.2
    """Share of questions that need a detail readable only close up. The share holds for details of
    the question's own picture, and again for details of a picture in mid-chain (of a thing that
    must be found first). A quarter of the share holds for a later picture that shows the answer."""
    computation_share: Annotated[Share, Evolves("paths", 0, 1, 0.25)] = 0.2
    """Share of drafts that try to need a computation."""
    own_page: bool = True
    """Whether a draft's answer may stand on the page of the pictured thing. The filter
    `image_search` may later drop a draft whose answer stands there."""
    max_words: Annotated[int, Ge(10)] = 110
    """Maximum number of words of a question."""
