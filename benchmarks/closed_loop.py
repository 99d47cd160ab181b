"""Compares the closed loop with two controls in a small fictional world. The loop and the controls
get equal numbers of tasks, rollouts (attempts) and training steps.

    python -m benchmarks.closed_loop OUT [--seeds 1 2 3 4 5] [--rounds 3] [--tasks 14] [--steps 5] [--questions 12] [--draw 96] [--warm-up 16]

The closed loop makes questions, diagnoses whether they suit the policy (the trained model), edits
the recipe for questions, and trains the policy. An interrupted script continues when started again.
After each seed, the script prints the tables and draws OUT/closed_loop.png.

The three compared variants are called arms. In the arm `none`, the loop edits the recipe as its
diagnosis proposes. The control `static` edits nothing. The control `random_edits` changes random
fields of the recipe, as many as the loop may edit. All arms begin with the same recipe and the same
policy. In each round, all arms use equally many seeds (starting things), tasks, rollouts (attempts)
and training steps. The random seed sets the choice of tasks and the randomness of GRPO. With the
same seed, all arms share the questions, rollouts, diagnosis and training of round 1. The arms
change the recipe differently after round 1, so their policies differ from round 2 on.

At the start, the recipe is too easy for the policy on purpose. After fine-tuning, `--warm-up` GRPO
steps train the policy on easy, medium and hard questions. The loop then begins with the demo's
recipe, which makes only easy and medium questions. If the recipe suited the policy, the diagnosis
would find nothing to edit, and the loop would equal the static control.

Two figures are reported:

* the share of `good_match` tasks in each round (tasks whose difficulty suits the policy at that
  time);
* the reward on 30 held-out tasks, before and after all rounds. The held-out tasks are ten of each
  level, and the policy tries each task four times. No question on which the policy is trained asks
  about the things in held-out tasks.
"""

import argparse
import dataclasses
import json
import platform
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.learning import T95, interval
from questloom.files.opened import Opened
from questloom.files.parquet import write_whole
from questloom.pipeline.commands.demo_loop import RECIPE, loop_of, start
from questloom.pipeline.evolve.axes import balanced
from questloom.pipeline.evolve.loop import run_loop, run_step
from questloom.pipeline.evolve.loop_folder import FILES, STEPS, LoopFolder, RoundFolder
from questloom.pipeline.evolve.rollouts import read_rollouts
from questloom.pipeline.evolve.subset import questions_of, write_subset
from questloom.pipeline.evolve.verify import policy_settings
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.synth.synth_job import run_synth
from questloom.pipeline.teach.teach_job import run_teach
from questloom.records.share import Share
from questloom.records.synthesis import Question
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder

WORLD_SEED, EXAM_SEED, WARM_UP_SEED = 5, 999, 500
ARMS = ("static", "none", "random_edits")
"""The names of the arms (variants), in the order in which they run."""
LEVELS = {"easy": 1.0, "medium": 1.0, "hard": 1.0}
"""The weight of each level of difficulty in the exam (the held-out tasks) and in the warm-up
round."""
NUM_EXAM, ROLLOUTS, NUM_WARM_UP = 30, 4, 40
Exam = Mapping[str, Share]
"""The share of right answers on held-out tasks, by level. The key "" has the share over all levels
together."""


def exam_of(out: Path, store: Path, known: Path) -> tuple[RunFolder, Path]:
    """Makes the held-out tasks, and a file of entities that no loop may ask about. The file lists
    the entities in the held-out tasks and in the fine-tuning data.
    """
    folder, excluded = RunFolder(str((out / "exam").absolute())), out / "excluded.txt"
    if not excluded.is_file():
        made = RunFolder(str((out / "exam_drafts").absolute()))
        recipe = load_recipe(
            RECIPE,
            (
                f"seed={EXAM_SEED}",
                f"seeds.levels={json.dumps(LEVELS)}",
                "export.rl_share=1.0",
                f"seeds.exclude={json.dumps([str(known.absolute())])}",
            ),
        )
        with Opened() as opened:
            run_synth(recipe, store=str(store), out=made.path, opened=opened)
        chosen = balanced(questions_of(made), NUM_EXAM, levels=LEVELS, seed=EXAM_SEED)
        write_subset(made, folder, [q.id for q in chosen])
        _write_entities(excluded, known, chosen)
    return folder, excluded


def warmed_up(
    out: Path, policy: Path, store: Path, excluded: Path, steps: int
) -> tuple[Path, Path]:
    """Trains the policy in one long round on all levels. Returns the policy, and the file of all
    entities that questions have asked about so far.
    """
    loop = loop_of(
        out / "warm_up",
        policy,
        store,
        excluded,
        seed=WARM_UP_SEED,
        overrides=(
            f"seeds.levels={json.dumps(LEVELS)}",
            f"evolve.tasks={NUM_WARM_UP}",
            "evolve.rounds=1",
            "evolve.held_out=0",
            "evolve.control=static",
            f"evolve.train.set=[step.steps={steps}, evaluation.every=0]",
        ),
    )
    with Opened() as opened:
        for step in STEPS:
            run_step(loop, 1, step, opened)
    asked = out / "asked.txt"
    _write_entities(asked, excluded, questions_of(loop.round(1).batch))
    return Path(loop.round(1).read("train")["model"]), asked


def _write_entities(path: Path, known: Path, asked: Sequence[Question]) -> None:
    """Writes a file of entities: those of another file, and those that the given questions ask
    about."""
    entities = {entity for q in asked for entity in (q.seed_entity, q.anchor) if entity}
    write_whole(path, (known.read_text() + "".join(f"{e}\n" for e in sorted(entities))).encode())


def shared_round(first: LoopFolder, loop: LoopFolder) -> None:
    """Copies the first round of another loop into a new loop, except for the edits after the round.
    If the new loop already has rounds, nothing is changed.

    Raises:
        InputError: an earlier version of the program made the other loop, and this version would
            choose its later tasks differently.
    """
    if loop.rounds() or first.path == loop.path:
        return
    first.check_version()
    source, made = first.round(1), RoundFolder(loop.path / "rounds" / "copied")
    shutil.rmtree(made.path, ignore_errors=True)  # an interrupted copy
    shutil.copytree(
        source.path,
        made.path,
        ignore=shutil.ignore_patterns(FILES["update"], "run.sh", "train"),
        symlinks=True,
    )
    made.begin(loop.recipe, model=source.model, parent=source.parent)
    made.path.rename(loop.round(1).path)


def examined(exam: RunFolder, recipe: Recipe, model: str, name: str, store: Path) -> Exam:
    """Lets a policy (a trained model) answer the held-out tasks."""
    settings = policy_settings(recipe, model)
    taken = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    play = dataclasses.replace(
        recipe,
        teach=dataclasses.replace(
            recipe.teach, **taken, rollouts=ROLLOUTS, uses=("sft", "rl"), keep=0
        ),
    )
    with Opened() as opened:
        run_teach(play, run=exam.path, store=str(store), opened=opened, policy=name)
    played = read_rollouts(EpisodeFolder.of(exam, name))
    questions = questions_of(exam)
    return {
        level: Share(
            sum(played[q.id].num_correct for q in questions if level in ("", q.level)),
            sum(len(played[q.id].judged) for q in questions if level in ("", q.level)),
        )
        for level in ("", *LEVELS)
    }


def good_match(loop: LoopFolder) -> list[float]:
    """The share of good_match tasks (tasks that suit the policy) in each round; 0 for a round
    without judged tasks."""
    found = [at.read("verify")["good_match"] for at in loop.rounds()]
    return [each["good"] / each["judged"] if each["judged"] else 0.0 for each in found]


def line(name: str, by_seed: Sequence[float]) -> str:
    """Formats the mean over seeds with its Student's t interval, followed by the value of each
    seed."""
    return f"{name:44} {interval(by_seed):>16}   {'  '.join(f'{v:.3f}' for v in by_seed)}"


def table(
    shares: Mapping[str, Sequence[Sequence[float]]],
    before: Exam,
    after: Mapping[str, Sequence[Exam]],
) -> list[str]:
    """Makes the table. There is a line for each figure and arm, then a line for the difference
    between the arm `none` and each control. Each difference compares arms with the same seed.

    Args:
        shares: share of good_match tasks (tasks that suit the policy) by arm, seed and round.
        before: exam results of the policy with which all arms begin.
        after: exam results at the end, by arm and seed.
    """
    figures = {
        f"good_match, round {n + 1}": {
            arm: [each[n] for each in found] for arm, found in shares.items()
        }
        for n in range(len(shares[ARMS[0]][0]))
    }
    later = {arm: [float(np.mean(each[1:])) for each in found] for arm, found in shares.items()}
    figures |= {"good_match, rounds after the first": later} if len(shares[ARMS[0]][0]) > 1 else {}
    figures |= {
        f"held-out reward, {level or 'all'}": {
            arm: [each[level].value or 0.0 for each in found] for arm, found in after.items()
        }
        for level in ("", *LEVELS)
    }
    made = [f"held-out reward before, {level or 'all'}: {share}" for level, share in before.items()]
    for name, arms in figures.items():
        made += [line(f"{name}, {arm}", found) for arm, found in arms.items()]
        made += [
            line(
                f"  diagnosed more than {arm}",
                [a - b for a, b in zip(arms["none"], arms[arm], strict=True)],
            )
            for arm in ARMS
            if arm != "none"
        ]
    return made


def draw(
    shares: Mapping[str, Sequence[Sequence[float]]],
    before: Exam,
    after: Mapping[str, Sequence[Exam]],
    path: Path,
) -> None:
    """Plots the share of good_match tasks by round, and the held-out reward by level. The plots
    show means over seeds with Student's t intervals.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4))
    left, right = figure.subplots(1, 2, sharey=True)
    for place, (arm, name) in enumerate(
        {"static": "static", "none": "diagnosed", "random_edits": "random edits"}.items()
    ):
        shift = 0.06 * (place - 1)
        by_round = np.array(shares[arm])
        left.errorbar(
            np.arange(by_round.shape[1]) + 1 + shift,
            by_round.mean(axis=0),
            _half(by_round),
            marker="o",
            capsize=3,
            label=name,
            color=f"C{place}",
        )
        by_level = np.array(
            [[each[level].value or 0.0 for level in ("", *LEVELS)] for each in after[arm]]
        )
        right.bar(
            np.arange(len(LEVELS) + 1) + 0.25 * (place - 1),
            by_level.mean(axis=0),
            0.25,
            yerr=_half(by_level),
            capsize=3,
            color=f"C{place}",
        )
    for place, level in enumerate(("", *LEVELS)):
        right.hlines(
            before[level].value or 0.0,
            place - 0.4,
            place + 0.4,
            color="black",
            linestyle="--",
            label="before" if not place else None,
        )
    left.set(
        xlabel="round",
        xticks=range(1, len(shares[ARMS[0]][0]) + 1),
        title="share of good_match tasks",
        ylim=(0, 1),
    )
    right.set(
        xticks=range(len(LEVELS) + 1),
        xticklabels=["all", *LEVELS],
        title="held-out reward after all rounds",
    )
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def _half(by_seed: np.ndarray) -> np.ndarray:
    """Half the width of Student's t interval over the seeds (the first axis of the array); 0 for
    one seed."""
    num = len(by_seed)
    return (
        T95[num] * by_seed.std(axis=0, ddof=1) / num**0.5 if num > 1 else np.zeros(by_seed.shape[1])
    )


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=14)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--questions", type=int, default=12, help="of a step")
    parser.add_argument("--draw", type=int, default=96, help="seeds of a round")
    parser.add_argument("--warm-up", type=int, default=16, help="steps of GRPO before all rounds")
    asked = parser.parse_args()
    tuned, store, known = start(asked.out, seed=WORLD_SEED, workers=1)
    exam, excluded = exam_of(asked.out, store, known)
    policy, known = warmed_up(asked.out, tuned, store, excluded, asked.warm_up)
    sets = (
        f"seeds.count={asked.draw}",
        f"evolve.rounds={asked.rounds}",
        f"evolve.tasks={asked.tasks}",
        "evolve.held_out=0",
        f"evolve.train.set=[step.steps={asked.steps}, step.questions={asked.questions}, evaluation.every=0]",
    )
    loops: dict[str, list[LoopFolder]] = {arm: [] for arm in ARMS}
    after: dict[str, list[Exam]] = {arm: [] for arm in ARMS}
    for seed in asked.seeds:
        for arm in ARMS:
            loop = loop_of(
                asked.out / f"{arm}{seed}",
                policy,
                store,
                known,
                seed=seed,
                overrides=(*sets, f"evolve.control={arm}"),
            )
            shared_round(loops[ARMS[0]][-1] if arm != ARMS[0] else loop, loop)
            with Opened() as opened:
                run_loop(loop, opened)
            loops[arm].append(loop)
            after[arm].append(
                examined(
                    exam,
                    loop.recipe,
                    loop.rounds()[-1].read("train")["model"],
                    f"{arm}{seed}",
                    store,
                )
            )
        before = examined(exam, loops[ARMS[0]][0].recipe, "", "before", store)
        shares = {arm: [good_match(loop) for loop in found] for arm, found in loops.items()}
        draw(shares, before, after, asked.out / "closed_loop.png")
        print(
            f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}; after {asked.warm_up} steps, {asked.rounds} rounds of {asked.tasks} tasks and "
            f"{asked.steps} steps of {asked.questions} questions; mean ± 95 % (Student), then seeds {asked.seeds[: len(loops[ARMS[0]])]}"
        )
        print("\n".join(table(shares, before, after)))
        for arm in ARMS:
            edits = [
                [f"{e['path']} {e['before']} → {e['after']}" for e in at.read("update")["edits"]]
                for at in loops[arm][-1].rounds()
            ]
            tags = [
                {tag: n for tag, n in at.read("verify")["tags"].items() if n}
                for at in loops[arm][-1].rounds()
            ]
            print(f"{arm}, seed {seed}: tags {tags}, edits {edits}", flush=True)


if __name__ == "__main__":
    main()
