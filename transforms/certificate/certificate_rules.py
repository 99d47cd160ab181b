"""What a recipe says of the certificate."""

from dataclasses import dataclass
from typing import Annotated, Literal

from questloom.records.evolves import Evolves
from questloom.transforms.facts.trust import Trust


@dataclass(frozen=True, kw_only=True)
class CertificateRules:
    """The recipe's part of the certificate."""

    margin: Annotated[int, Evolves("filters", 1, 4, 1)] = 2
    """Facts that would have to be missing from the store before another entity fitted, at least."""
    trust: Trust = Trust()
    languages: tuple[str, ...] = ("en",)
    """Languages whose names must not be in a question, beside its own."""
    min_answers_without_picture: int = 2
    """Answers that the question must leave open for who does not see the picture, at least."""
    max_guess: float = 0.4
    """How often the best guess without the picture may be right."""
    min_hops: int = 2
    """Fewest effective hops, where the question's own are not fewer."""
    stated: bool = True
    """Whether of every claim one end's page must also name the other end: an agent reads pages, not claims. Whether it says the relation too, in words
    that are known, is recorded hop by hop (`Hop.stated`) and refuses nothing: pages say things in more ways than any table has."""
    bases: tuple[Literal["closed", "margin"], ...] = ("closed", "margin")
    """Bases that are accepted."""
