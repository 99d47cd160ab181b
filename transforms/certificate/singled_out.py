"""Decides whether a description singles out its thing, for planning. The certificate asks the same
of a whole form, and also needs the exact margin."""

from questloom.records.knowledge import Value
from questloom.transforms.certificate.description import Description
from questloom.transforms.certificate.margin import margin_of
from questloom.transforms.facts.lookups import Lookups


def is_singled_out(
    facts: Lookups, description: Description, intended: Value, required: int
) -> bool:
    """Whether a description fits the intended thing only, with the required margin.

    Args:
        facts: the store.
        description: the variable and the parts that describe it.
        intended: the thing that the variable should be.
        required: the recipe's minimum margin, a number of facts that the store would have to lack
            before another thing could fit.
    """
    measured = margin_of(facts, description, intended, required, exact=False)
    return measured.margin >= facts.trust.least_margin(required)
