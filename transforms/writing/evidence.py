"""What is seen and said of things, and what follows from two observations that belong together."""

from dataclasses import dataclass

from questloom.records.knowledge import Value


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One value of a node: of a claim, or of a detail of its picture."""

    node: str
    property: str
    value: Value
    part: str = ""
    """Of a detail, as `questloom.records.knowledge.Detail` names it."""
    seen: bool = False
    """Whether it is to be seen on the picture."""


@dataclass(frozen=True, kw_only=True)
class Reasoning:
    """What follows from two observations that belong together."""

    op: str
    """Of `questloom.records.form.OPERATIONS`."""
    first: Observation
    second: Observation
    result: Value
    """A number, or for earliest, latest, largest and smallest the node that wins."""
