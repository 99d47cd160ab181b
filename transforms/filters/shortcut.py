"""`shortcut`: the shortcut solver, which has picture, words and tools only, must not answer the question."""

from dataclasses import dataclass

from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.filters.filter import Filter, FilterJob, InLoop, Switch
from questloom.transforms.stages.stage import Apply, reject

NAME = "shortcut"


def make_shortcut(job: FilterJob) -> Apply:
    """The filter of a process. The solver plays under its own settings, whatever teacher the recipe names, and asks no model."""
    import dataclasses

    from questloom.agent.judges.answer import judge_by_rules
    from questloom.agent.play.player import Task
    from questloom.agent.play_settings import PlaySettings
    from questloom.agent.setup import open_player
    from questloom.agent.tool_settings import ToolSettings
    from questloom.models.model_settings import ModelSettings
    from questloom.records.episodes import Outcome

    recipe = job.recipe
    settings = PlaySettings(
        engine="shortcut", tools=ToolSettings(tools=("text_search", "image_search", "visit"))
    )
    place = dataclasses.replace(job.place, models=ModelSettings(clip=recipe.models.clip))
    player = open_player(settings, place).player

    async def play(question: Question) -> Question | Rejection:
        withheld = {question.source_image_id} if recipe.pictures.withhold_own else set()
        episode = await player.play(
            Task(
                task_id=question.id,
                question=question.text,
                withheld_pictures=frozenset(withheld),
                pictures=(job.run.picture(question.image_id).read_bytes(),),
            )
        )
        judged = judge_by_rules(
            question.answer, episode.answer, question=question.text, language=question.language
        )
        num_calls = sum(turn.call is not None for turn in episode.turns)
        if judged.outcome is Outcome.CORRECT:
            return reject(
                question, Reason.SHORTCUT_SOLVED, {"said": episode.answer, "calls": num_calls}
            )
        return question.with_verdict(
            Verdict(filter=NAME, passed=True, solver=NAME, num_samples=1, num_correct=0)
        )

    return play


@dataclass(frozen=True, kw_only=True)
class ShortcutRules:
    """Its switch."""

    shortcut: Switch = False
    """Whether the shortcut solver plays, and what it answers is rejected. It reads English."""


SHORTCUT = Filter(
    name=NAME,
    help="The shortcut solver does not answer it.",
    doing="letting the shortcut solver play",
    reasons={
        Reason.SHORTCUT_SOLVED: "A cheap search without the question's form finds the answer."
    },
    settings=ShortcutRules,
    seconds=(0.1, 0.5, 3.0),
    coroutine="always",
    in_loop=InLoop(),
    make=make_shortcut,
)
