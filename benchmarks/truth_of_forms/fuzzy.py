"""Whether the truth agrees with a fuzzy clause about a thing."""

from benchmarks.truth_of_forms.world import World, span
from questloom.records.form import Fuzzy


def is_like(world: World, clause: Fuzzy, subject: str, other: str) -> bool:
    """Whether at least one value of the thing agrees with the clause. For an exclusion, the thing
    must have a value, and none of its values may be excluded.

    Args:
        world: the truth of the world.
        clause: the fuzzy clause.
        subject: the thing that the clause is about.
        other: the meaning of `clause.object`: a class, a period, an excluded value, or the thing
            from whose date years are counted.

    Raises:
        ValueError: the kind of the clause is unknown here.
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
