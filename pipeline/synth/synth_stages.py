"""Lists the stages of the main job in their order. The stages include the filters of
`transforms/filters/registry.py`, and the custom filters that the recipe names."""

from collections.abc import Callable, Mapping

from questloom.pipeline.synth.global_steps import SplitDraw, gather_splits
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import (
    make_certify,
    make_draft,
    make_enhance,
    make_pictures,
    make_plan,
    make_text_facts,
)
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.plan import PlannedSeed, Preference, ReadSeed
from questloom.records.registry import check_names
from questloom.records.synthesis import Question, Seed
from questloom.records.table import Record
from questloom.transforms.filters import registry
from questloom.transforms.filters.custom import KEY
from questloom.transforms.filters.filter import Filter, NotRun
from questloom.transforms.planning.choice_side import gather_preferences
from questloom.transforms.stages.stage import Apply, Side, Stage, in_order

TEXT_FACTS = "text_facts"
NO_HINTS: Mapping[str, str] = {}
NO_REASONS: Mapping[str, str] = {}


def synth_stages(job: Job, clip_hints: Mapping[str, str] = NO_HINTS) -> tuple[Stage, ...]:
    """The stages of a run.

    Args:
        job: the run's job. If the recipe switches a filter off, the filter lets every question pass
            with the verdict `not_run`.
        clip_hints: hints for Beam about the machine (such as a GPU), for the stages that run CLIP.

    Raises:
        InputError: a custom filter cannot be imported, or has the name of another stage.
    """
    filters, window, fingerprint = (
        job.recipe.filters,
        job.recipe.run.in_flight,
        job.recipe.fingerprint,
    )

    def stage(
        name: str,
        make: Callable[[Job], Apply] | None,
        *,
        takes: type[Record] = Question,
        gives: type[Record] = Question,
        in_flight: int = 0,
        side: Side | None = None,
        doing: str = "",
        reasons: Mapping[str, str] = NO_REASONS,
        clip: bool = False,
    ) -> Stage:
        return Stage(
            name=name,
            takes=takes,
            gives=gives,
            make=make,
            fingerprint=fingerprint,
            in_flight=in_flight,
            side=side,
            doing=doing,
            reasons=reasons,
            hints=clip_hints if clip else NO_HINTS,
        )

    def of_filter(each: Filter) -> Stage:
        return stage(
            each.name,
            each.apply if each.is_on(filters) else NotRun(each.name),
            in_flight=0 if each.coroutine == "never" else window,
            side=each.side() if each.side else None,
            doing=each.doing,
            reasons=each.reasons,
        )

    reads = job.recipe.draft.text_facts.pages > 0
    stages = (
        stage("seeds", None, takes=Seed, gives=Seed),
        *(
            (stage(TEXT_FACTS, make_text_facts, takes=Seed, gives=ReadSeed, in_flight=window),)
            if reads
            else ()
        ),
        stage("plan", make_plan, takes=ReadSeed if reads else Seed, gives=PlannedSeed),
        stage(
            "draft",
            make_draft,
            takes=PlannedSeed,
            in_flight=window,
            side=Side(record=Preference, gather=gather_preferences),
        ),
        stage("pictures", make_pictures, in_flight=window, clip=True),
        stage("certify", make_certify),
        *map(of_filter, registry.filters_of(filters)),
        stage("enhance", make_enhance, clip=True),
        stage("split", make_split, side=Side(record=SplitDraw, gather=gather_splits)),
    )
    try:
        check_names("two stages have the name", (each.name for each in stages))
    except ValueError as error:
        raise InputError(
            f"{KEY}: {', '.join(filters.custom)}", str(error), "Rename the class."
        ) from error
    return in_order(*stages)


def make_split(job: Job) -> Apply:
    """What the last stage does with each question. The stage gives the question the split that was
    chosen for it."""

    def set_split(question: Question, draw: SplitDraw | None) -> Question | Rejection:
        assert draw is not None, "every question has a split drawn"
        return question.replace(split=draw.split)

    return set_split
