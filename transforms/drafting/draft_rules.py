"""The recipe's settings of seeds and drafts, with the published numbers as defaults."""

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
    """Seeds of the run; each ends as one question or one rejection."""
    accepted: Annotated[int, Ge(0)] = 0
    """Questions that are wanted in the end, by the weights of `levels`; what passes beyond that is dropped by the quotas. 0: all that pass."""
    on_exhausted: Literal["keep", "error"] = "keep"
    """Where fewer than `accepted` come out of a level: keep them, or stop the run with an error."""
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
    """Weight of each coarse domain; one that is not named has weight 1, and of one with weight 0 there is no seed."""
    readable: Annotated[float, Gt(0), Evolves("seeds", 1, 8, 1)] = 1.0
    """Weight of entities whose picture shows a year that can be read close up, against the others of their domain."""
    abilities: Annotated[Weights, Evolves("seeds", 0, 2, 0.5, keys=ABILITIES)] = field(
        default_factory=lambda: dict.fromkeys(ABILITIES, 1.0)
    )
    """Weight of each ability profile; only exploration plans for them (ODE 3.1)."""
    per_entity: Annotated[int, Ge(1), Le(20)] = 1
    """Most seeds of one entity and method."""
    rare_max_sitelinks: Annotated[int, Ge(0), Evolves("seeds", 0, 40, 5)] = 10
    """Rule "rare": at most so many Wikipedias have a page."""
    rare_min_statements: Annotated[int, Ge(0)] = 20
    """Rule "rare": at least so many claims."""
    anchor_min_in_degree: Annotated[int, Ge(0)] = 50
    """Rule "anchor": at least so many other things link to it."""
    anchor_max_in_degree: Annotated[int, Ge(0)] = 10_000
    """Rule "anchor": at most so many."""
    living_people: bool = False
    """Whether people without a date of death may be shown on pictures."""
    exclude: tuple[str, ...] = ()
    """Files of entity ids, one a line: benchmarks, earlier rounds."""


@dataclass(frozen=True, kw_only=True)
class ExploreRules:
    """How large a cluster of observations a question takes (ODE, arXiv 2605.10832, 3.1)."""

    claims: Annotated[Mapping[str, int], Evolves("paths", 1, 5, 1)] = field(
        default_factory=lambda: {"easy": 2, "medium": 3, "hard": 4, "expert": 5, "benchmark": 5}
    )
    """Claims that a question of a level needs, the one that is asked for included."""


@dataclass(frozen=True, kw_only=True)
class DraftRules:
    """How a seed grows into a draft."""

    hops: Annotated[Mapping[str, int], Evolves("paths", 1, 6, 1)] = field(
        default_factory=lambda: {"easy": 2, "medium": 3, "hard": 4, "benchmark": 4}
    )
    """Steps of a path from the picture to the thing of which something is asked; 0 asks of the pictured thing itself."""
    rounds: Annotated[Mapping[str, int], Evolves("paths", 1, 10, 1)] = field(
        default_factory=lambda: {"easy": 1, "medium": 3, "hard": 5, "benchmark": 10}
    )
    """Rounds of injection, by level."""
    explore: ExploreRules = field(default_factory=ExploreRules)
    max_clauses: Annotated[int, Ge(1), Le(6), Evolves("writer", 1, 6, 1)] = 3
    """Claims in one description, its class and the hop that leads to it not counted."""
    fuzz: tuple[Literal["category", "range", "meta-attribute", "arithmetic", "exclusion"], ...] = ()
    """Kinds of vague clues ("in a port" for a town's name) that take the place of exact ones where the certificate still holds."""
    max_hub: Annotated[int, Ge(1)] = 10_000
    """No walk passes an entity with more links in (tau_hub)."""
    max_answer_words: Annotated[int, Ge(1)] = MAX_ANSWER_WORDS
    """Of every answer that is asked for, by whichever writer; a seed of rule "linked" has one to ask for."""
    reverse_share: Annotated[Share, Evolves("paths", 0, 1, 0.2)] = 0.5
    """How often a step goes against the direction of a claim, where both ways exist."""
    detail_share: Annotated[Share, Evolves("paths", 0, 1, 0.25)] = 0.2
    """Questions that need a detail readable only close up: so many of their own picture, and so many of a picture in mid-chain (of a thing
    that has to be found); a quarter as many of a later picture that says the answer."""
    computation_share: Annotated[Share, Evolves("paths", 0, 1, 0.25)] = 0.2
    """Drafts that try to need a computation."""
    own_page: bool = True
    """Whether a draft's answer may stand on the page of its picture's thing; such drafts fall by `image_search` later, if that is asked."""
    max_words: Annotated[int, Ge(10)] = 110
    """Words of a question, at most."""
