"""The recipe's settings for the certificate."""

from dataclasses import dataclass
from typing import Annotated, Literal

from questloom.records.evolves import Evolves
from questloom.transforms.facts.trust import Trust


@dataclass(frozen=True, kw_only=True)
class CertificateRules:
    """The recipe's settings for the certificate."""

    margin: Annotated[int, Evolves("filters", 1, 4, 1)] = 2
    """Minimum margin: the number of facts that must be missing from the store before another entity fits."""
    trust: Trust = Trust()
    languages: tuple[str, ...] = ("en",)
    """Languages whose names must not stand in a question, besides the question's own language."""
    min_answers_without_picture: int = 2
    """Minimum number of answers that remain possible for a solver who does not see the picture."""
    max_guess: float = 0.4
    """Maximum share of cases in which the best guess without the picture may be right."""
    min_hops: int = 2
    """Minimum number of effective hops, unless the question's own words have fewer."""
    stated: bool = True
    """Whether the page of one end of every claim must name the other end, because an agent reads
    pages and not claims. `Hop.stated` records whether the page also states the relation in known
    words; this record refuses nothing, since pages use more words than any table has."""
    bases: tuple[Literal["closed", "margin"], ...] = ("closed", "margin")
    """Bases of a certificate that the recipe accepts."""
