"""Lets a local model play held-out questions of a run. Rules judge its answers. The training demo shows
the share of right answers before and after training. The demo starts this command in a separate
process, because torch keeps the number of threads with which a process began.

```
python -m questloom.pipeline.commands.held_out_play MODEL RUN STORE FILE [QUESTIONS]
```
"""

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from questloom.agent.judges.answer import judge_by_rules
from questloom.agent.play.player import Task
from questloom.agent.play_settings import PlaySettings
from questloom.agent.setup import PlayPlace, open_player
from questloom.files.opened import Opened
from questloom.files.parquet import write_records
from questloom.models.model_settings import ModelSettings
from questloom.pipeline.recipe import load_recipe
from questloom.records.episodes import Episode, Outcome
from questloom.records.synthesis import Question
from questloom.records.trajectories import Trajectory
from questloom.train.grpo.step_play import trajectory_of
from questloom.train.rollouts.scored import has_call
from questloom.transforms.stages.run_folder import RunFolder

SPLIT, RECIPE = "rl/validation", "learning"


def held_out_questions(run: str, split: str = SPLIT) -> list[Question]:
    """The kept questions of a split, by id."""
    folder = RunFolder(run)
    found = folder.read(folder.label("split"), "kept", Question)
    return sorted((q for q in found if q.split == split), key=lambda q: q.id)


def settings_for(model: str, recipe: str = RECIPE) -> PlaySettings:
    """The settings for a local model that plays the recipe's questions at temperature 1."""
    return replace(
        load_recipe(recipe).teach,
        engine="transformers",
        model=model,
        temperature=1.0,
        top_p=1.0,
        device="cpu",
    )


def play(
    settings: PlaySettings,
    run: str,
    store: str,
    questions: Sequence[Question],
    *,
    rollouts: int = 1,
    shown: Callable[[bytes], bytes] = bytes,
    seed: int = 0,
) -> list[Trajectory]:
    """Plays questions of a run and lets the rules judge the answers.

    Args:
        shown: changes a question's picture before the model sees it.
    """
    folder = RunFolder(run)
    by_id = {q.id: q for q in questions}

    async def played(opened: Opened) -> list[Episode]:
        made = open_player(
            settings, PlayPlace(store, lambda: Path(":memory:"), ModelSettings(), opened, seed)
        )
        tasks = []
        for question in questions:
            made.begin(question)
            tasks.append(
                Task(
                    task_id=question.id,
                    question=question.text,
                    pictures=(shown(folder.read_picture(question.image_id)),),
                )
            )
        return [episode async for episode in made.player.play_all(tasks, rollouts=rollouts)]

    with Opened() as opened:
        episodes = asyncio.run(played(opened))
    return [
        trajectory_of(q, e, judge_by_rules(q.answer, e.answer, question=q.text))
        for e in episodes
        for q in (by_id[e.task_id],)
    ]


def is_right(trajectory: Trajectory) -> bool:
    """Whether the trajectory's answer was judged right."""
    return trajectory.verdict is not None and trajectory.verdict.outcome == Outcome.CORRECT


def success(played: Sequence[Trajectory]) -> float:
    """The share of episodes whose answer was judged right. The demo shows this share as the
    reward."""
    return sum(map(is_right, played)) / len(played) if played else float("nan")


def valid_turns(played: Iterable[Trajectory]) -> float:
    """The share of turns that follow the protocol."""
    turns = [turn for p in played for turn in p.episode.turns]
    return sum(not turn.violation for turn in turns) / max(1, len(turns))


def tool_use(played: Sequence[Trajectory]) -> float:
    """The share of episodes with at least one tool call."""
    return sum(has_call(p.episode) for p in played) / len(played) if played else float("nan")


def main(arguments: Sequence[str]) -> None:
    """Runs the command line."""
    model, run, store, file, *number = arguments
    questions = held_out_questions(run)[: int(number[0]) if number else None]
    found = play(settings_for(model), run, store, questions)
    write_records(
        Path(file), Trajectory, sorted(found, key=lambda trajectory: trajectory.question_id)
    )


if __name__ == "__main__":
    main(sys.argv[1:])
