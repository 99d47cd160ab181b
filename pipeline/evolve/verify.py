"""The second step of a round: the policy plays each task several times, and the results decide the
task's tag."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from questloom.agent.play_settings import PlaySettings
from questloom.files.opened import Opened
from questloom.pipeline.evolve.axes import axes_of
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.probes import probe
from questloom.pipeline.evolve.rivals import FittingRival, fitting_rival
from questloom.pipeline.evolve.rollouts import Played, Rollout, read_rollouts, strategy_of
from questloom.pipeline.evolve.subset import questions_of, write_subset
from questloom.pipeline.evolve.tags import SOUND, Evidence, Tag, TeacherResult, tag_of
from questloom.pipeline.evolve.task_row import RowRival, TaskRow, row_as_json
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.teach.play_job import PlayJob
from questloom.pipeline.teach.teach_job import run_teach
from questloom.records.errors import QuestloomError
from questloom.records.outcomes import Reason
from questloom.records.share import Share
from questloom.records.synthesis import Question
from questloom.transforms.episodes.episode_folder import TEACHER, EpisodeFolder
from questloom.transforms.episodes.episode_rules import TeachRules
from questloom.transforms.stages.run_folder import RunFolder

POLICY = "policy"


def policy_of(recipe: Recipe) -> str:
    """The name of the folder in which `verify` writes its rollouts. In mode "rl" the name differs
    from the teacher's, because `questloom.train.sft` would learn from any rollouts in the teacher's
    folder."""
    return TEACHER if recipe.evolve.mode == "sft" else POLICY


def policy_settings(recipe: Recipe, model: str) -> PlaySettings:
    """The settings with which the policy plays. In mode "sft" the policy is the teacher itself. In
    mode "rl" the policy plays with the model that the loop trained last."""
    rules = recipe.evolve
    if rules.mode == "sft":
        return recipe.teach
    chosen = rules.policy or recipe.teach
    return dataclasses.replace(chosen, model=model) if model else chosen


def solver_settings(recipe: Recipe) -> PlaySettings:
    """Names who tries the tasks that the policy fails: the teacher, or the oracle (a scripted
    agent) if the teacher is the policy."""
    if recipe.evolve.mode == "rl":
        return recipe.teach
    return PlaySettings(tools=recipe.teach.tools, limits=recipe.teach.limits)


def verify(loop: LoopFolder, at: RoundFolder, opened: Opened, *, workers: int) -> None:
    """Plays all tasks, continues failed rollouts and asks the teacher. Then the function tries
    wrong answers in the questions' formal queries, and tags every task.

    Raises:
        QuestloomError: some items wait for a provider or for budget. The same command continues the
            work.
    """
    first, recipe = loop.recipe, at.as_run
    rules, policy = first.evolve, policy_of(first)
    questions = questions_of(at.batch)
    play = play_batch(
        at, policy_settings(first, at.model), rules.rollouts, policy, loop.store, opened, workers
    )
    played = read_rollouts(EpisodeFolder.of(at.batch, policy))
    missed = [
        (q, played.get(q.id, Played())) for q in questions if _unsolved(played.get(q.id, Played()))
    ]
    job = PlayJob(
        run=at.batch,
        store_path=loop.store,
        recipe=play,
        opened=opened,
        out=EpisodeFolder.of(at.batch, policy),
        questions="",
    )
    probes = probe(job, missed, continuations=rules.probes, folder=at.path / "probes")
    hopeless = [q.id for q, _ in missed if not any(r.solved for r in probes.get(q.id, ()))]
    solved_by = _ask_teacher(loop, at, recipe, hopeless, opened, workers)
    rows = list[TaskRow]()
    for question in questions:
        tried = played.get(question.id, Played())
        again, teacher = probes.get(question.id, ()), solved_by.get(question.id, Played())
        wrong = [
            r.said
            for r in (*tried.rollouts, *again, *teacher.rollouts)
            if r.outcome == Reason.WRONG_ANSWER_GIVEN.value and r.said
        ]
        rows.append(
            task_row(
                question,
                tried,
                again,
                teacher,
                fitting_rival(question, wrong, job.store),
                too_easy=rules.too_easy,
            )
        )
    at.write("verify", {"tasks": [row_as_json(row) for row in rows], **summary(rows)})


def play_batch(
    at: RoundFolder,
    settings: PlaySettings,
    rollouts: int,
    policy: str,
    store: str,
    opened: Opened,
    workers: int,
) -> Recipe:
    """Plays a round's batch of tasks, and writes the episodes into the policy's folder. Returns the
    recipe with which the tasks were played.

    Raises:
        QuestloomError: some items wait for a provider or for budget. The same call continues the
            work.
    """
    play = _playing(at.as_run, settings, rollouts)
    _play(play, at.batch, policy, store, opened, workers)
    return play


def _playing(recipe: Recipe, settings: PlaySettings, rollouts: int) -> Recipe:
    taken = {f.name: getattr(settings, f.name) for f in dataclasses.fields(PlaySettings)}
    teach: TeachRules = dataclasses.replace(
        recipe.teach, **taken, rollouts=rollouts, uses=("sft", "rl"), keep=0
    )
    return dataclasses.replace(recipe, teach=teach)


def _play(
    recipe: Recipe, run: RunFolder, policy: str, store: str, opened: Opened, workers: int
) -> None:
    made = run_teach(
        recipe, run=run.path, store=store, opened=opened, policy=policy, workers=workers
    )
    if made.exit_code:
        raise QuestloomError(made.message)


def _unsolved(tried: Played) -> bool:
    """Whether a failed rollout of the task should be continued. A failed rollout is continued if no
    rollout solved the task, and if a provider was not the reason."""
    failed = [r for r in tried.rollouts if not r.solved]
    return (
        bool(tried.judged)
        and not tried.num_correct
        and 2 * sum(r.by_provider for r in failed) < len(failed)
    )


def _ask_teacher(
    loop: LoopFolder,
    at: RoundFolder,
    recipe: Recipe,
    ids: Sequence[str],
    opened: Opened,
    workers: int,
) -> dict[str, Played]:
    """Lets the teacher, or the oracle (a scripted agent), play the tasks that the policy never
    solved."""
    if not ids:
        return {}
    write_subset(at.batch, at.unsolved, ids)
    _play(
        _playing(recipe, solver_settings(loop.recipe), loop.recipe.evolve.teacher_rollouts),
        at.unsolved,
        TEACHER,
        loop.store,
        opened,
        workers,
    )
    return read_rollouts(EpisodeFolder.of(at.unsolved))


def task_row(
    question: Question,
    tried: Played,
    again: Sequence[Rollout],
    teacher: Played,
    rival: FittingRival | None,
    *,
    too_easy: float,
) -> TaskRow:
    """A task's row of `verify.json`."""
    failed = [r for r in tried.rollouts if not r.solved]
    passed = Share(tried.num_correct, len(tried.judged))
    recovered = sum(r.solved for r in again)
    asked = (
        TeacherResult.NOT
        if not teacher.rollouts
        else TeacherResult.SOLVED
        if teacher.num_correct
        else TeacherResult.PROVIDER
        if all(r.by_provider for r in teacher.rollouts)
        else TeacherResult.FAILED
    )
    tag, cause = tag_of(
        Evidence(
            passed=passed,
            num_failed=len(failed),
            num_by_provider=sum(r.by_provider for r in failed),
            num_recovered=recovered,
            teacher=asked,
            rival=rival.said if rival else "",
            contradicted=tried.contradicted,
        ),
        too_easy=too_easy,
    )
    best = [r for r in tried.rollouts if r.solved]
    axes, done = axes_of(question), behaviour(tried.rollouts)
    return TaskRow(
        id=question.id,
        question=question.text,
        answer=question.answer.text,
        domain=axes["domain"],
        profile=axes["profile"],
        level=axes["level"],
        method=question.method,
        needs_detail=question.needs_detail,
        needs_computation=question.needs_computation,
        enhanced=question.enhancement is not None,
        tag=tag,
        cause=cause,
        correct=passed.num_good,
        judged=passed.num,
        rate=passed.value,
        interval=list(passed.interval),
        by_provider=sum(r.by_provider for r in failed),
        probes=len(again),
        recovered=recovered,
        teacher=asked,
        rival=RowRival(rival.said, rival.key, rival.passed_by) if rival else None,
        outcomes=dict(sorted(Counter(r.outcome for r in tried.rollouts).items())),
        wrong=sorted(
            {
                r.said
                for r in tried.rollouts
                if r.outcome == Reason.WRONG_ANSWER_GIVEN.value and r.said
            }
        )[:8],
        chains=[list(r.chain) for r in tried.rollouts],
        chain_outcomes=[r.outcome for r in tried.rollouts],
        chain_answers=[r.said for r in tried.rollouts],
        solved_chains=[list(r.chain) for r in best],
        unfit=sum(bool(r.process) for r in best),
        dynamic_pictures=done["dynamic_pictures"],
        calls_with_picture=done["calls_with_picture"],
        secondary_use=done["secondary_use"],
        calls=done["calls"],
        faults=done["faults"],
    )


def behaviour(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """Measures of behaviour from ODE, as means over rollouts. Three numbers are about pictures:
    pictures that tools returned, calls with a picture as argument, and returned pictures that a
    later call used. The result also holds the mean number of calls, and the share of calls that
    failed."""

    def mean(name: str) -> float:
        return round(fmean(getattr(r.statistics, name) for r in rollouts), 4) if rollouts else 0.0

    calls = sum(r.statistics.num_calls for r in rollouts)
    faults = sum(sum(r.statistics.faults_by_tool.values()) for r in rollouts)
    return {
        "dynamic_pictures": round(mean("pictures_found") + mean("pictures_made"), 4),
        "calls_with_picture": mean("handles_as_input"),
        "secondary_use": mean("tool_pictures_used_again"),
        "calls": mean("num_calls"),
        "faults": round(faults / calls, 4) if calls else 0.0,
    }


def summary(rows: Sequence[TaskRow]) -> dict[str, Any]:
    """A round's summary. The summary holds the share of each tag, the pass rate and the behaviour.
    Tasks that a provider spoiled do not count in the pass rate and the behaviour.

    The summary also says how varied the rollouts with calls are: the share of distinct chains of
    calls (ODE's tool-chain diversity, section 3.4), and the share of distinct strategies (see
    `rollouts.KINDS`)."""
    tags = Counter(row.tag for row in rows)
    measured = [row for row in rows if row.tag is not Tag.INFRA_FAILURE]
    chains = [tuple(chain) for row in measured for chain in row.chains if chain]
    return {
        "tags": {tag.value: tags[tag] for tag in Tag},
        "sound": sum(tags[tag] for tag in SOUND),
        "pass_rate": Share(
            sum(r.correct for r in measured), sum(r.judged for r in measured)
        ).as_json(),
        "good_match": Share(tags[Tag.GOOD_MATCH], len(measured)).as_json(),
        "behaviour": {
            "dynamic_pictures": _mean([r.dynamic_pictures for r in measured]),
            "calls_with_picture": _mean([r.calls_with_picture for r in measured]),
            "secondary_use": _mean([r.secondary_use for r in measured]),
            "calls": _mean([r.calls for r in measured]),
            "chain_diversity": _distinct(chains),
            "strategy_diversity": _distinct([strategy_of(chain) for chain in chains]),
        },
    }


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), 4) if values else 0.0


def _distinct(found: Sequence[tuple[str, ...]]) -> float:
    return round(len(set(found)) / len(found), 4) if found else 0.0
