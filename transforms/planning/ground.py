"""Defines what all parts of planning need: the store, the rules, and a count of refusals."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from questloom.records.outcomes import Reason
from questloom.records.plan import TextFact
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.seeds import may_be_shown
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.signs import pictures_meant
from questloom.transforms.pictures.choose import num_views
from questloom.transforms.planning.lacking import Lack
from questloom.transforms.remembered import remembered


@dataclass(frozen=True)
class Ground:
    """The store that planning reads, and the rules that it obeys.

    Args:
        facts: the store.
        draft: the recipe's settings for growing seeds.
        certificate: the recipe's settings for certificates.
        recipe_seed: seed of every random draw.
        min_views: minimum number of different pictures that a thing must have before a question may
            show one of them.
        living_people: whether a question may show people without a date of death.
        text_facts: facts that only pages state, by the thing whose page states them.
        ladder: the levels of a ladder, if the recipe asks for ladders: each tree then gives one
            question at each of these levels.
    """

    facts: Lookups
    draft: DraftRules
    certificate: CertificateRules
    recipe_seed: int
    min_views: int = 1
    living_people: bool = False
    text_facts: Mapping[str, tuple[TextFact, ...]] = field(default_factory=dict, compare=False)
    ladder: tuple[str, ...] = ()

    def may_be_shown(self, thing: str) -> bool:
        """Whether a question may show a picture of a thing. A recipe may exclude living people."""
        entity = self.facts.entity(thing)
        return entity is not None and may_be_shown(self.facts, entity, self.living_people)

    def is_pictured(self, thing: str) -> bool:
        """Whether a thing has enough different pictures for a question to show one of them."""
        return not self.min_views or different_views(self.facts, thing) >= self.min_views


@remembered()
def different_views(facts: Lookups, thing: str) -> int:
    """The number of different pictures of a thing. Its signs (flag, logo) count only if no picture
    shows the thing itself."""
    return num_views(pictures_meant(facts, thing))


@dataclass
class Refusals:
    """Counts how often each bound (a rule for growing plans) refused a plan. If a difficulty level
    has no plans, the message names the commonest refusal."""

    reasons: Counter[str] = field(default_factory=Counter)
    causes: list[Callable[[], tuple[Lack, ...]]] = field(default_factory=list, compare=False)
    """For each refused item, a function that finds what the store lacks for the item."""

    def add(self, reason: Reason, lacks: Callable[[], tuple[Lack, ...]] | None = None) -> None:
        """Counts a refusal.

        Args:
            reason: the bound that refused.
            lacks: finds what the store lacks. The function is called only if a seed has no plan.
        """
        self.reasons[reason.value] += 1
        if lacks is not None:
            self.causes.append(lacks)

    @property
    def lacks(self) -> Counter[Lack]:
        """What the store lacks, each with the number of refused steps and forms that needed it."""
        return Counter(lack for cause in self.causes for lack in cause())
