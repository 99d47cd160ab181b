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
    """The minimum margin: how many facts the store would have to lack before another entity could
    fit."""
    trust: Trust = Trust()
    languages: tuple[str, ...] = ("en",)
    """The question must not contain names of hidden things in these languages. Names in the
    question's own language are never allowed."""
    min_answers_without_picture: int = 2
    """Minimum number of answers that are possible for somebody who does not see the picture."""
    max_guess: float = 0.4
    """Maximum probability that the best guess without the picture is right."""
    min_hops: int = 2
    """Minimum number of hops (claims from picture to answer) that a solver really needs. A question
    whose words state fewer hops must need all of them."""
    stated: bool = True
    """Whether a page must support each claim: the subject's page must name the object, or the other
    way round. Agents read pages, not claims. `Hop.stated` also records whether a page states the
    relation in known words. If no page states a relation in known words, the question is not
    refused, because no table lists all the words that pages use."""
    bases: tuple[Literal["closed", "margin", "votes"], ...] = ("closed", "margin")
    """The bases of a certificate that the recipe accepts: "closed" (the store is complete),
    "margin", or "votes" (some step rests on replies of a model that read a page; see
    `draft.text_facts`)."""
