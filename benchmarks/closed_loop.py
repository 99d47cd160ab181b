"""The closed loop against its controls, at equal volume and compute, on the learning world with the tiny policy.

    python -m benchmarks.closed_loop OUT [--seeds 1 2] [--rounds 3] [--tasks 16] [--steps 6] [--questions 12] [--draw 96] [--policy MODEL]

Goes on where it was stopped, and prints the tables at the end.

Arms: `none` (diagnosed edits), `static` (no edit), `random_edits` (as many fields as the loop may edit, moved at random). All begin with the same recipe
and the same fine-tuned policy, draw as many seeds and tasks a round, play as many rollouts and train as many steps of as many questions and rollouts.
A seed is that of the draw of tasks and of GRPO. Two figures:

* share of good_match tasks by round: of the round's tasks, for the policy as it is then;
* held-out reward: 30 tasks, ten of each level, about things that no arm and no fine-tuning asked about; four rollouts each, before and after
  all rounds.
"""
import argparse
import dataclasses
import json
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.learning import interval
from files.opened import Opened
from files.parquet import write_whole
from pipeline.commands.demo_loop import RECIPE, loop_of, start
from pipeline.evolve.axes import balanced
from pipeline.evolve.loop import run_loop
from pipeline.evolve.loop_folder import LoopFolder
from pipeline.evolve.rollouts import read_rollouts
from pipeline.evolve.subset import questions_of, write_subset
from pipeline.evolve.verify import policy_settings
from pipeline.recipe import Recipe, load_recipe
from pipeline.synth.synth_job import run_synth
from pipeline.teach.teach_job import run_teach
from records.share import Share
from records.synthesis import Question
from transforms.episodes.episode_folder import EpisodeFolder
from transforms.stages.run_folder import RunFolder

WORLD_SEED, EXAM_SEED = 5, 999
ARMS = ("none", "static", "random_edits")
LEVELS = {"easy": 1.0, "medium": 1.0, "hard": 1.0}
NUM_EXAM, ROLLOUTS = 30, 4


def exam_of(out: Path, store: Path, known: Path) -> tuple[RunFolder, Path]:
    """The held-out tasks, and the file of the entities that no loop may ask about: theirs, and those of the fine-tuning."""
    folder, excluded = RunFolder(str((out / "exam").absolute())), out / "excluded.txt"
    if not excluded.is_file():
        made = RunFolder(str((out / "exam_drafts").absolute()))
        recipe = load_recipe(RECIPE, (f"seed={EXAM_SEED}", f"seeds.levels={json.dumps(LEVELS)}", "export.rl_share=1.0",
                                      f"seeds.exclude={json.dumps([str(known.absolute())])}"))
        with Opened() as opened:
            run_synth(recipe, store=str(store), out=made.path, opened=opened)
        chosen = balanced(questions_of(made), NUM_EXAM, levels=LEVELS, seed=EXAM_SEED)
        write_subset(made, folder, [q.id for q in chosen])
        write_whole(excluded, (known.read_text() + "".join(f"{e}\n" for e in sorted(_entities(chosen)))).encode())
    return folder, excluded


def _entities(questions: Sequence[Question]) -> set[str]:
    return {entity for q in questions for entity in (q.seed_entity, q.anchor) if entity}


def examined(exam: RunFolder, recipe: Recipe, model: str, name: str, store: Path) -> dict[str, Share]:
    """Right rollouts of a policy at the held-out tasks, of all ("") and by level."""
    settings = policy_settings(recipe, model)
    taken = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    play = dataclasses.replace(recipe, teach=dataclasses.replace(recipe.teach, **taken, rollouts=ROLLOUTS, uses=("sft", "rl"), keep=0))
    with Opened() as opened:
        run_teach(play, run=exam.path, store=str(store), opened=opened, policy=name)
    played = read_rollouts(EpisodeFolder.of(exam, name))
    questions = questions_of(exam)
    return {level: Share(sum(played[q.id].num_correct for q in questions if level in ("", q.level)),
                         sum(len(played[q.id].judged) for q in questions if level in ("", q.level))) for level in ("", *LEVELS)}


def good_match(loop: LoopFolder) -> list[Share]:
    """By round."""
    found = [at.read("verify")["good_match"] for at in loop.rounds()]
    return [Share(each["good"], each["judged"]) for each in found]


def line(name: str, by_seed: Sequence[float | None]) -> str:
    """Mean and Student's interval over seeds, then each seed."""
    had = [value for value in by_seed if value is not None]
    return f"{name:42} {interval(had) if had else 'nothing':>16}   {'  '.join('–' if v is None else f'{v:.3f}' for v in by_seed)}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=16)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--questions", type=int, default=12, help="of a step")
    parser.add_argument("--draw", type=int, default=96, help="seeds of a round")
    parser.add_argument("--policy", type=Path, help="the model that all arms begin with; by default the fine-tuned one")
    asked = parser.parse_args()
    tuned, store, known = start(asked.out, seed=WORLD_SEED, workers=1)
    policy = asked.policy or tuned
    exam, excluded = exam_of(asked.out, store, known)
    sets = (f"seeds.count={asked.draw}", f"evolve.rounds={asked.rounds}", f"evolve.tasks={asked.tasks}", "evolve.held_out=0",
            f"evolve.train.set=[step.steps={asked.steps}, step.questions={asked.questions}, evaluation.every=0]")
    loops: dict[str, list[LoopFolder]] = {arm: [] for arm in ARMS}
    exams: dict[str, list[dict[str, Share]]] = {arm: [] for arm in ("before", *ARMS)}
    for seed in asked.seeds:
        for arm in ARMS:
            loop = loop_of(asked.out / f"{arm}{seed}", policy, store, excluded, seed=seed, overrides=(*sets, f"evolve.control={arm}"))
            with Opened() as opened:
                run_loop(loop, opened)
            loops[arm].append(loop)
            if not exams["before"]:
                exams["before"].append(examined(exam, loop.recipe, "", "before", store))
            exams[arm].append(examined(exam, loop.recipe, loop.rounds()[-1].read("train")["model"], f"{arm}{seed}", store))
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}; {asked.rounds} rounds of {asked.tasks} tasks, {asked.steps} steps of GRPO on "
          f"{asked.questions} questions each; mean ± 95 % (Student), then seeds {asked.seeds}")
    for arm, found in loops.items():
        shares = [good_match(loop) for loop in found]
        for number in range(asked.rounds):
            print(line(f"good_match, round {number + 1}, {arm}", [each[number].value for each in shares]))
    for arm, results in exams.items():
        for level in ("", *LEVELS):
            print(line(f"held-out reward, {level or 'all'}, {arm}", [each[level].value for each in results]))
    for arm, found in loops.items():
        for loop, seed in zip(found, asked.seeds, strict=True):
            edits = [[f"{e['path']} {e['before']} → {e['after']}" for e in at.read("update")["edits"]] for at in loop.rounds()]
            print(f"{arm}, seed {seed}: tasks {[len(at.read('verify')['tasks']) for at in loop.rounds()]}, edits {edits}")


if __name__ == "__main__":
    main()
