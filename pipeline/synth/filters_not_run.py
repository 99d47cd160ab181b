"""Lists the filters that a run will skip, each with the reason. The program knows before the run
starts which filters will be skipped. The terminal, the forecast, the report and the data set's card
list the skipped filters. For a skipped filter, each question stores a verdict that is not a pass.
"""

from collections import defaultdict

from questloom.pipeline.synth.job import Job
from questloom.transforms.filters import registry
from questloom.transforms.filters.filter import OFF


def filters_not_run(job: Job) -> dict[str, str]:
    """The filters that cannot run with this recipe and this store, each with the reason."""
    settings = job.recipe.filters
    found = {each.name: OFF for each in registry.FILTERS if not each.is_on(settings)}
    for each in registry.FILTERS:
        if each.name not in found and (why := each.why_not(job)):
            found[each.name] = why
    return found


def describe_filters(job: Job) -> list[str]:
    """What the user reads about filters before a run. For each skipped filter, the text gives the
    reason and the remedy. A filter that runs may add a notice of its own."""
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
