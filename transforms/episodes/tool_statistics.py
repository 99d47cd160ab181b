"""Counts how episodes use tools, and computes the distance of the counts from a reference."""

import json
import math
from collections import Counter
from collections.abc import Mapping

from questloom.agent.judges.steps import handles_in, steps
from questloom.agent.tools.toolbox import TOOLS
from questloom.files.locations import Location
from questloom.records.episodes import BankImage, Episode, ToolStatus
from questloom.records.errors import InputError
from questloom.records.trajectories import ToolStatistics

FINDING_TOOLS = frozenset(tool.name for tool in TOOLS if tool.finds)
"""Tools that find pictures, for example on a page. Every tool that is not listed here makes new
pictures."""


def is_made(image: BankImage) -> bool:
    """Whether a tool made the picture."""
    return image.origin != "task" and image.origin not in FINDING_TOOLS


def statistics_of(episode: Episode) -> ToolStatistics:
    """The tool statistics of one episode."""
    calls: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    came = {image.handle: image.call for image in episode.images}
    from_tools = {image.handle for image in episode.images if image.origin != "task"}
    made = {image.handle for image in episode.images if is_made(image)}
    with_handle, again = 0, set()
    for step in steps(episode):
        calls[step.name] += 1
        faults[step.name] += step.result.status != ToolStatus.OK
        named = {handle for handle in handles_in(step.arguments) if handle in came}
        with_handle += bool(named)
        again |= {handle for handle in named & from_tools if came[handle] < step.index}
    return ToolStatistics(
        num_turns=len(episode.turns),
        num_slips=sum(bool(turn.violation) for turn in episode.turns),
        num_calls=sum(calls.values()),
        calls_by_tool=dict(calls),
        faults_by_tool=dict(+faults),
        pictures_found=len(from_tools - made),
        pictures_made=len(made),
        handles_as_input=with_handle,
        tool_pictures_used_again=len(again),
        made_pictures_used_again=len(again & made),
    )


def distance(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """The Jensen-Shannon distance of two distributions, from 0 (equal) to 1 (nothing in common).
    The distributions are given as counts. The distance is the square root of the divergence in
    bits.

    The result is None where one distribution is empty. (Endres and Schindelin 2003 prove that the
    distance is a metric.)

    >>> distance({"visit": 2, "crop": 2}, {"crop": 30, "visit": 30}), distance({"visit": 1}, {"crop": 1})
    (0.0, 1.0)
    """
    sums = sum(one.values()), sum(other.values())
    if min(sums) <= 0:
        return None
    total = 0.0
    for key in sorted(one.keys() | other.keys()):
        p, q = one.get(key, 0.0) / sums[0], other.get(key, 0.0) / sums[1]
        middle = (p + q) / 2
        total += sum(x * math.log2(x / middle) for x in (p, q) if x > 0) / 2
    return round(math.sqrt(max(0.0, total)), 6)


def read_reference(path: Location) -> dict[str, dict[str, float]]:
    """The counts of a reference file: {"tools": {…}, "calls": {…}}.

    Raises:
        InputError: the file cannot be read, or contains anything but counts under "tools" and
            "calls".
    """
    fix = 'Write {"tools": {"visit": 40, …}, "calls": {"3": 12, …}}; either may be absent.'
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"teach.reference {path}", f"cannot be read as JSON ({error})", fix
        ) from error
    if not isinstance(data, dict) or not data or data.keys() - {"tools", "calls"}:
        raise InputError(f"teach.reference {path}", 'holds no object with "tools" or "calls"', fix)
    for name, counts in data.items():
        good = (
            isinstance(counts, dict)
            and counts
            and all(
                isinstance(n, int | float)
                and not isinstance(n, bool)
                and math.isfinite(n)
                and n >= 0
                for n in counts.values()
            )
        )
        if not good or not sum(counts.values()):
            raise InputError(f"teach.reference {path}, {name}", "holds no counts", fix)
    return data
