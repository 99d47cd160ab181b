"""The recipe's settings for the certificate (the proof that a question has one answer and needs its
picture)."""

from dataclasses import dataclass
from typing import Annotated, Literal

from questloom.records.evolves import Evolves
from questloom.transforms.facts.trust import Trust


@dataclass(frozen=True, kw_only=True)
class CertificateRules:
    """The recipe's settings for the certificate."""

    margin: Annotated[int, Evolves("filters", 1, 4, 1)] = 2
    """Minimum margin. The margin is the number of facts that the store would have to lack before
    another entity could fit."""
    trust: Trust = Trust()
    languages: tuple[str, ...] = ("en",)
    """Languages whose names for hidden things must not stand in a question. The question's own
    language always counts too."""
    min_answers_without_picture: int = 2
    """Minimum number of answers that are possible for somebody who does not see the picture."""
    max_guess: float = 0.4
    """Maximum probability that the best guess without the picture is right."""
    min_hops: int = 2
    """Minimum number of hops (claims from picture to answer) that a solver really needs. A question
    whose words have fewer hops needs only that many."""
    stated: bool = True
    """Whether each claim must be named on a page: the page of its subject must name its object, or
    the other way round. An agent reads pages and not claims. `Hop.stated` also records whether a
    page states the relation in known words. No question is refused for this, because pages use more
    words than any table has."""
    bases: tuple[Literal["closed", "margin"], ...] = ("closed", "margin")
    """The bases of a certificate that the recipe accepts: "closed" (the store is complete) or
    "margin"."""
