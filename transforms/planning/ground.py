"""What planning goes by: the store and the rules, and a count of what was refused."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.seeds import may_be_shown
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.lacking import Lack


@dataclass(frozen=True)
class Ground:
    """What all planning looks up and goes by.

    Args:
        facts: the store.
        draft: the recipe's part on how seeds grow.
        certificate: its part on what is certain.
        recipe_seed: for every draw.
        min_views: pictures that a thing must have for one of them to be shown.
        living_people: whether people without a date of death may be shown.
    """

    facts: Lookups
    draft: DraftRules
    certificate: CertificateRules
    recipe_seed: int
    min_views: int = 1
    living_people: bool = False

    def may_be_shown(self, thing: str) -> bool:
        """Whether a question may show a picture of a thing. A recipe may exclude living people."""
        entity = self.facts.entity(thing)
        return entity is not None and may_be_shown(self.facts, entity, self.living_people)

    def is_pictured(self, thing: str) -> bool:
        """Whether a thing has as many pictures as one must have to be shown."""
        return len(self.facts.images_of(thing)) >= self.min_views


@dataclass
class Refusals:
    """How often each bound refused, so that a level without plans can say which one did most."""

    reasons: Counter[str] = field(default_factory=Counter)
    causes: list[Callable[[], tuple[Lack, ...]]] = field(default_factory=list, compare=False)
    """Each finds what the store would have to hold for what was refused."""

    def add(self, reason: Reason, lack: Callable[[], Lack | None] | None = None) -> None:
        """Counts a refusal.

        Args:
            reason: the bound.
            lack: finds what the store would have to hold. It is asked only where a seed has no plan: most have some.
        """
        self.reasons[reason.value] += 1
        if lack is not None:
            self.causes.append(lambda: tuple(filter(None, (lack(),))))

    @property
    def lacks(self) -> Counter[Lack]:
        """What the store would have to hold for what was refused, and how often."""
        return Counter(lack for cause in self.causes for lack in cause())
