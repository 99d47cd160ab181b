"""Whether the truth says that a thing is as a fuzzy clause says, by keys and labels."""

from benchmarks.truth_of_forms.world import World, span
from questloom.records.form import Fuzzy


def is_like(world: World, clause: Fuzzy, subject: str, other: str) -> bool:
    """Whether some value of the thing is as the clause says; of an exclusion, whether it has a value and none that is left out.

    Args:
        world: what is true.
        clause: what is said.
        subject: the thing.
        other: what `clause.object` stands for: a class, a period, what is left out, or the thing from whose date the years are counted.

    Raises:
        ValueError: a kind of clause that is not known here.
    """
    values = world.values(subject, clause.property)
    if clause.kind == "exclusion":
        around = [{v, *world.around(v, clause.property)} for v in values]
        return bool(values) and not any(other in near for near in around)
    return any(_value_is_like(world, clause, v, other) for v in values)


def _value_is_like(world: World, clause: Fuzzy, value: str, other: str) -> bool:
    if clause.kind in ("category", "meta-attribute"):
        near = [value, *sorted(world.around(value, clause.property))]
        return any(other in world.classes(v) and _is_named(world, clause, v) for v in near)
    dates = span(value)
    if dates is None:
        return False
    if clause.kind == "range":
        period = span(other)
        assert period is not None, "a range is a period"
        # A century begins with the year that ends in 1.
        late = int(other.endswith("/7"))
        first, last = period[0][0] + late, period[1][0] + late
        return first <= dates[0][0] and dates[1][0] <= last
    if clause.kind == "arithmetic":
        starts = [span(v) for v in world.values(other, clause.since)]
        return any(s is not None and dates[0][0] - s[0][0] == clause.number for s in starts)
    raise ValueError(f"unknown fuzzy clause {clause.kind!r}")


def _is_named(world: World, clause: Fuzzy, thing: str) -> bool:
    name = world.labels.get(thing, "")
    if clause.initial:
        return name.startswith(clause.initial)
    return not clause.number or len(name.split(" ")) == clause.number
