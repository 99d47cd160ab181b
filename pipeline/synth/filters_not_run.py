"""Lists the filters that a run will skip, with the reasons. The skipped filters are known before
the run starts. The terminal, the plan, the report and the card show the skipped filters. Each
question stores a verdict that is not a pass."""

from collections import defaultdict

from questloom.pipeline.synth.job import Job
from questloom.transforms.filters import registry
from questloom.transforms.filters.filter import OFF


def filters_not_run(job: Job) -> dict[str, str]:
    """The filters that the job's recipe and store rule out, each name with its reason."""
    settings = job.recipe.filters
    found = {each.name: OFF for each in registry.FILTERS if not each.is_on(settings)}
    for each in registry.FILTERS:
        if each.name not in found and (why := each.why_not(job)):
            found[each.name] = why
    return found


def describe_filters(job: Job) -> list[str]:
    """What the user reads about filters before a run: skipped filters with reason and fix, and
    notices of the other filters."""
    left_out, lines = filters_not_run(job), []
    for why in dict.fromkeys(left_out.values()):
        lines.append(
            f"not run: {', '.join(name for name in left_out if left_out[name] == why)} ({why})"
        )
    lines += dict.fromkeys(
        each.fix for each in registry.FILTERS if each.fix and left_out.get(each.name, OFF) != OFF
    )
    notices: dict[str, list[str]] = defaultdict(list)
    for each in registry.filters_of(job.recipe.filters):
        if each.name not in left_out and (line := each.notice(job)):
            notices[line].append(each.name)
    return [*lines, *(f"{', '.join(names)} {line}" for line, names in notices.items())]
