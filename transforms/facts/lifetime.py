"""Checks whether the store's claims about a person agree with the dates of birth and death.

Sources sometimes merge two people with the same name, so that a general dies seventy years after
his war. The store's own claims show errors in the dates of a life. The events of a life have an
order, and spouses or teachers were alive at the same time.
"""

from math import inf

from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.values import best_values
from questloom.transforms.remembered import remembered

BIRTH, DEATH = "P569", "P570"
LONGEST = 115
"""Longest plausible life in years."""
_TOGETHER = ("P26", "P184", "P185", "P451", "P802", "P1066")
"""Relations between people who were alive at the same time: spouses, teachers, pupils."""
_WITHIN = ("P607", "P1344")
"""Properties for events that take place during a person's life."""
_AFTER_BIRTH, _AFTER_DEATH, _BEFORE_DEATH = ("P2031", "P2032", "P4602"), ("P4602",), ("P2031",)
"""Properties with the years of a person's work or burial."""


@remembered()
def contradicted(facts: Facts, person: str) -> bool:
    """Whether some claim of the store contradicts the dates of birth and death. For example, the
    death comes before the birth, or before a war in which the person fought."""
    first, last = _years(facts, person, (BIRTH,)), _years(facts, person, (DEATH,))
    born, died = max(first, default=-inf), min(last, default=inf)
    if first and last and not 0 <= died - born <= LONGEST:
        return True
    if any(y < born for y in _years(facts, person, _AFTER_BIRTH)) or any(
        y > died for y in _years(facts, person, _BEFORE_DEATH)
    ):
        return True
    if last and any(y < died for y in _years(facts, person, _AFTER_DEATH)):
        return True
    spans = [
        *((("P580", "P585"), ("P582", "P585"), e) for e in _things(facts, person, _WITHIN)),
        *(((BIRTH,), (DEATH,), e) for e in _things(facts, person, _TOGETHER)),
    ]
    return any(
        min(_years(facts, e, start), default=born) > died
        or max(_years(facts, e, end), default=died) < born
        for start, end, e in spans
    )


def _things(facts: Facts, subject: str, properties: tuple[str, ...]) -> set[str]:
    return {
        v.entity for p in properties for v in best_values(facts, subject, p) if v.kind == "entity"
    }


def _years(facts: Facts, subject: str, properties: tuple[str, ...]) -> list[int]:
    return [
        v.year
        for p in properties
        for v in best_values(facts, subject, p)
        if v.kind == "time" and v.year is not None
    ]
