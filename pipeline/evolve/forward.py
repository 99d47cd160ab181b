"""The first step of a round. The first step makes a run with the round's recipe, and chooses a
batch of new questions over all topics, abilities and levels."""

import dataclasses
from collections.abc import Iterable, Sequence

from questloom.files.opened import Opened
from questloom.files.parquet import write_whole
from questloom.language.names_in_text import folded
from questloom.pipeline.evolve.axes import balanced, counts
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.spending import calls_of
from questloom.pipeline.evolve.subset import questions_of, write_subset
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.settings import FilterRules
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import QuestloomError
from questloom.records.synthesis import Question
from questloom.transforms.filters.duplicate_losers import duplicate_keys
from questloom.transforms.filters.near_duplicates import alike


def forward(
    loop: LoopFolder, at: RoundFolder, opened: Opened, *, workers: int, held_out: bool = False
) -> None:
    """Makes and chooses the round's tasks.

    Raises:
        QuestloomError: some items wait for a provider or for budget. The same command continues the
            work.
    """
    rules = loop.recipe.evolve
    before = [
        task
        for each in (loop.rounds() if held_out else loop.rounds(before=at.number))
        for task in questions_of(each.batch)
    ]
    write_whole(
        at.path / "exclude.txt", "".join(f"{i}\n" for i in sorted(_entities(before))).encode()
    )
    recipe = round_recipe(
        loop, at, seed=loop.seed_of("held out" if held_out else f"round {at.number}")
    )
    funnel = run_synth(recipe, store=loop.store, out=at.synth.path, opened=opened, workers=workers)
    code, message = funnel.verdict(
        max_error_share=recipe.run.max_error_share, num_items=funnel.counts[0].num_out
    )
    if code:
        raise QuestloomError(message)
    made = questions_of(at.synth)
    repeated = repeats(made, before, recipe.filters)
    fresh = [q for q in made if q.id not in repeated]
    asked = rules.held_out if held_out else rules.tasks
    chosen = balanced(fresh, asked, levels=recipe.seeds.levels, seed=recipe.seed)
    write_subset(at.synth, at.batch, [q.id for q in chosen])
    at.write(
        "forward",
        {
            "asked": asked,
            "seeds": funnel.counts[0].num_out,
            "kept": len(made),
            "repeats": repeated,
            "tasks": sorted(q.id for q in chosen),
            "axes": counts(chosen),
            "funnel": {
                stage: count["rejected"]
                for stage, count in funnel.as_json().items()
                if count["rejected"]
            },
        },
    )


def round_recipe(loop: LoopFolder, at: RoundFolder, *, seed: int) -> Recipe:
    """The recipe for the round's run. This recipe has its own random seed and uses the loop's cache
    of calls. The recipe excludes the entities of earlier tasks, and assigns all questions to one
    use (SFT or RL)."""
    recipe = at.recipe
    return dataclasses.replace(
        recipe,
        seed=seed,
        run=dataclasses.replace(recipe.run, calls=str(calls_of(loop, recipe))),
        seeds=dataclasses.replace(
            recipe.seeds, exclude=(*recipe.seeds.exclude, str(at.path.absolute() / "exclude.txt"))
        ),
        export=dataclasses.replace(
            recipe.export,
            benchmark_share=0.0,
            shares={"train": 1.0},
            rl_share=1.0 if loop.recipe.evolve.mode == "rl" else 0.0,
        ),
    )


def _entities(tasks: Iterable[Question]) -> set[str]:
    return {entity for task in tasks for entity in (task.seed_entity, task.anchor) if entity}


def repeats(
    made: Sequence[Question], before: Sequence[Question], filters: FilterRules
) -> dict[str, str]:
    """The new questions that repeat a question of an earlier round: a dict from the id of the new
    question to the id of the earlier question. A question counts as repeated if it has the anchor
    (the pictured entity) or the picture of an earlier question. If the recipe drops duplicates, a
    question with the same key or a similar wording counts as repeated too."""

    def named(task: Question) -> list[str]:
        words = duplicate_keys(task) if filters.duplicates else ()
        return [
            *words,
            *([f"anchor:{task.anchor}"] if task.anchor else []),
            f"source:{task.source_image_id}",
        ]

    keys = {key: task.id for task in before for key in named(task)}
    found: dict[str, str] = {}
    for question in made:
        earlier = next((keys[key] for key in named(question) if key in keys), None)
        if earlier:
            found[question.id] = earlier
    if not filters.duplicates:
        return dict(sorted(found.items()))
    texts = [("0", task.id, folded(task.text).strip()) for task in before] + [
        ("1", q.id, folded(q.text).strip()) for q in made if q.id not in found
    ]
    found.update(
        (loser[1], winner[1])
        for loser, winner in alike(texts, filters.near_duplicate_similarity)
        if (loser[0], winner[0]) == ("1", "0")
    )
    return dict(sorted(found.items()))
