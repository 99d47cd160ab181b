"""The stages of the main job, in order. A stage is added here and nowhere else."""

from collections.abc import Callable, Mapping

from questloom.pipeline.synth.filter_stages import (
    make_answer_in_question,
    make_duplicates,
    make_image_search,
    make_quotas,
    make_solvable,
    make_text_search,
    make_visible_text,
)
from questloom.pipeline.synth.filters_not_run import NotRun
from questloom.pipeline.synth.global_steps import (
    Loser,
    SplitDraw,
    Surplus,
    gather_losers,
    gather_splits,
    gather_surplus,
)
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import (
    make_certify,
    make_draft,
    make_enhance,
    make_pictures,
)
from questloom.pipeline.synth.solver_stages import NO_TOOLS, TEXT_ONLY
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question, Seed
from questloom.records.table import Record
from questloom.transforms.stages.stage import Apply, Side, Stage, in_order

NO_HINTS: Mapping[str, str] = {}


def synth_stages(job: Job, clip_hints: Mapping[str, str] = NO_HINTS) -> tuple[Stage, ...]:
    """The stages of a run.

    Args:
        job: a filter that its recipe switches off lets everything through, and says `not_run`.
        clip_hints: Beam's resource hints for the stages that run CLIP.
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
            hints=clip_hints if clip else NO_HINTS,
        )

    def switched(name: str, make: Callable[[Job], Apply], *, in_flight: int = 0) -> Stage:
        return stage(name, make if getattr(filters, name) else NotRun(name), in_flight=in_flight)

    return in_order(
        stage("seeds", None, takes=Seed, gives=Seed),
        stage("draft", make_draft, takes=Seed, in_flight=window),
        stage("pictures", make_pictures, in_flight=window, clip=True),
        stage("certify", make_certify),
        switched("answer_in_question", make_answer_in_question),
        stage("duplicates", make_duplicates, side=Side(record=Loser, gather=gather_losers)),
        switched("text_search", make_text_search),
        switched("image_search", make_image_search, in_flight=window),
        switched("text_only", TEXT_ONLY, in_flight=window),
        switched("no_tools", NO_TOOLS, in_flight=window),
        switched("solvable", make_solvable, in_flight=window),
        switched("visible_text", make_visible_text),
        stage("quotas", make_quotas, side=Side(record=Surplus, gather=gather_surplus)),
        stage("enhance", make_enhance, clip=True),
        stage("split", make_split, side=Side(record=SplitDraw, gather=gather_splits)),
    )


def make_split(job: Job) -> Apply:
    """The last stage's function: each question gets the split that was drawn for it."""

    def set_split(question: Question, draw: SplitDraw | None) -> Question | Rejection:
        assert draw is not None, "every question has a split drawn"
        return question.replace(split=draw.split)

    return set_split
