"""Trains with GRPO: in each step, the policy plays rollouts and learns from them.

    python -m questloom.train.grpo --config CONFIG --run RUN --store STORE --model MODEL --out OUT

```
OUT/settings.json    the settings of the run; written first
    episodes/        prompt, pictures, journals of unfinished episodes; the rollouts of some steps, for reading
    replay/          every step's rows and metrics (`grpo/step_files.py`)
    held_out/        evaluations, one file each
    checkpoints/     the state that the run resumes from
    metrics.jsonl    tensorboard/  curves.png
    calls.sqlite     replies and ledger of judges and readers, if there are any
    model/           the result for transformers and inference servers; with LoRA also adapter/, for peft
    result.json      counts and metrics; written last
```
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from questloom.agent.judges.answer import ROLE as ANSWER_ROLE
from questloom.agent.judges.answer import AnswerJudge
from questloom.agent.judges.query import MEASURED
from questloom.agent.judges.query import ROLE as QUERY_ROLE
from questloom.agent.setup import (
    PlayPlace,
    check_client,
    open_toolbox,
    opened_store,
    prompt_renderer,
)
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.renderer import Renderer, task_handles
from questloom.files.opened import Opened
from questloom.files.parquet import write_whole
from questloom.files.settings_files import settings_of
from questloom.models.model_settings import ModelSettings
from questloom.records.episodes import Turn
from questloom.records.errors import InputError, QuestloomError
from questloom.train.grpo.held_out import held_out_questions
from questloom.train.grpo.loop import Training, train
from questloom.train.grpo.setup import Model, episode_files, load, trainer_of
from questloom.train.grpo.step_play import StepPlay
from questloom.train.grpo.step_samples import CallTags
from questloom.train.model.scorer import Scorer
from questloom.train.model.weights import LoadedModel, count_parameters, export
from questloom.train.rollouts.actor import Actor
from questloom.train.rollouts.policy_engine import OwnWeights, PolicyPlayers, Weights
from questloom.train.rollouts.questions import (
    QuestionCourse,
    Questions,
    StepQuestion,
    read_questions,
    teacher_tools,
)
from questloom.train.rollouts.server_weights import ServerWeights
from questloom.train.rows.episode_rows import row_of_segments
from questloom.train.rows.row import Row
from questloom.train.run.metrics import Metrics
from questloom.train.run.output_lock import check_output, lock_output, once, place, together
from questloom.train.run.parallel import World, world
from questloom.train.run.self_check import check_on
from questloom.train.run.stopping import Stop, exit_code, stopping
from questloom.train.settings.grpo_settings import GrpoSettings, load_grpo_settings
from questloom.train.settings.settings_file import presets
from questloom.transforms.stages.run_folder import RunFolder, absolute

HELP = f"""\
GRPO: the model plays questions of a run with real tool calls, several rollouts each, and learns from which of them went well.

  python -m questloom.train.grpo --config grpo-vsearcher --run RUN --store STORE --model sft/model --out grpo
  torchrun --nproc_per_node 8 -m questloom.train.grpo --config grpo-vsearcher --questions RUN …          eight GPUs; weights sharded by --set parallel.kind=fsdp
  accelerate launch --config_file fsdp2.yaml -m questloom.train.grpo --config grpo-vsearcher …             the same by accelerate
  python -m questloom.train.grpo --config grpo-tiny --run RUN --store STORE --model MODEL --out OUT --set step.steps=5

RUN is a finished run (questloom synth) with questions of the splits rl/train and rl/validation, STORE the store that it was made from. The policy
has the tools of RUN's teacher, unless the settings name others (play.tools).

Every rollout of every step is trained on, or left out for a reason that is counted. After a kill at any point the same command continues: what was played
is not played again, no row is learned from twice, and the weights become those of an unbroken run; SIGTERM writes a checkpoint first. OUT/model
then plays as it is:
  questloom teach --run RUN --store STORE --policy grpo --engine transformers --set teach.model=OUT/model
An update can be run again: python -m questloom.train.grpo.replay OUT --update 12

Presets: {", ".join(presets(grpo=True))} (train/presets/). Settings with their meaning: train/settings/grpo_settings.py, train/settings/training_settings.py.
"""
CURVES = (
    "reward",
    "accuracy",
    "query",
    f"query_{MEASURED}",
    "held_out/pass_rate",
    "valid_turns",
    "tool_use",
    "all_wrong",
    "recovery",
    "fatal",
    "turns",
    "new_tokens",
    "entropy",
    "engine_kl",
    "kl",
    "grad_norm",
    "played_tokens_per_second",
    "trained_tokens_per_second",
    "peak_memory_gb",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line. The exit code is 2 for wrong input, and 1 if the run stopped with a
    named error.
    """
    parser = argparse.ArgumentParser(
        prog="python -m questloom.train.grpo",
        description=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", required=True, metavar="CONFIG", help="a file of settings, or a preset"
    )
    parser.add_argument(
        "--run",
        "--questions",
        dest="run",
        required=True,
        metavar="RUN",
        help="a finished run, whose questions for reinforcement learning "
        "are played; --questions where torchrun starts this, which takes --run for its own --run-path",
    )
    parser.add_argument(
        "--store", required=True, metavar="STORE", help="the store that the run was made from"
    )
    parser.add_argument(
        "--model", required=True, metavar="FOLDER", help="an image-text model of transformers"
    )
    parser.add_argument(
        "--out",
        required=True,
        metavar="FOLDER",
        help="where everything is written; an existing run is resumed",
    )
    parser.add_argument(
        "--set",
        default=[],
        action="append",
        metavar="KEY=VALUE",
        help="a setting in place of the file's, e.g. optimiser.lr=2e-6",
    )
    given = parser.parse_args(arguments)
    try:
        settings = load_grpo_settings(
            given.config, given.set, teacher_tools(RunFolder(absolute(given.run)))
        )
        grpo(settings, run=given.run, store=given.store, model=given.model, out=Path(given.out))
    except QuestloomError as error:
        print(error, file=sys.stderr)
        return exit_code(error)
    return 0


def grpo(settings: GrpoSettings, *, run: str, store: str, model: str, out: Path) -> dict[str, Any]:
    """Trains with GRPO, or continues an interrupted run. All ranks must call this function
    together.

    Args:
        run: folder of the run whose questions are played.
        store: folder of the store that the policy searches.
        model: folder of the model that is trained.
        out: folder of the training run.

    Returns:
        The contents of result.json.

    Raises:
        InputError: the input is wrong; nothing was trained.
        QuestloomError: the run stopped for the reason that the error states. The same call
            continues the run.
    """
    with world(settings.parallel) as at, Opened() as opened:
        questions = together(at, lambda: _questions(run, store, opened))
        course = together(
            at, lambda: QuestionCourse(questions.train, settings.step.questions, settings.seed)
        )
        identity = {
            **settings.identity(),
            "questions": place(run),
            "store": place(store),
            "model": place(model),
        }
        once(at, lambda: check_output(out, identity))
        made = load(model, settings, at)
        models = together(at, lambda: settings.models or questions.models)
        play_at = PlayPlace(
            absolute(store), lambda: out / "calls.sqlite", models, opened, settings.seed
        )
        tags = (
            together(at, lambda: _tags(made))
            if settings.axpo is not None and settings.axpo.resample != "question"
            else None
        )
        together(at, lambda: _check_play(settings, play_at))
        probes = [
            _probe(
                each, questions, prompt_renderer(settings.play, made.tokens.special_tokens), made
            )
            for each in course.of(0)[:2]
        ]
        once(
            at,
            lambda: check_on(
                Scorer(made.loaded.model), probes, made.rows.picture_tokens, settings.weights, at
            ),
        )
        once(at, lambda: lock_output(out, identity, settings.resolved()))
        stop = Stop()
        actor = together(at, lambda: _actor(settings, questions, models, play_at, out, stop))

        def write(folder: Path) -> None:
            export(
                trainer.policy,
                trainer.scorer,
                made.loaded,
                made.processor,
                source=model,
                out=folder,
                bf16=settings.weights.precision == "bf16",
                writes=at.first,
            )

        weights = _weights(settings, made, play_at, write, out, at)
        players = together(
            at,
            lambda: PolicyPlayers(
                weights, settings.play, settings.evaluation, play_at, settings.seed
            ),
        )
        playing = players.playing
        once(
            at,
            lambda: actor.files.write_prompt(
                playing.toolbox.schemas(),
                max_calls=settings.play.limits.calls,
                handles=settings.play.tools.handles,
                brief=settings.play.tools.brief,
                special_tokens=playing.special_tokens,
            ),
        )
        trainer = trainer_of(made, settings, out, at)
        training = Training(
            StepPlay(actor, players, course, made.rows, trainer.steps, tags, settings, at),
            trainer.learner,
            held_out_questions(questions.validation, settings.evaluation)
            if settings.evaluation.every
            else [],
            out / "held_out",
        )
        done = trainer.checkpoints.newest() or 0
        same = (
            trainer.checkpoints.load(done, trainer.policy, trainer.learner.optimiser, at)
            if done
            else True
        )
        metrics = Metrics(out, settings.updates, done, CURVES) if at.first else None
        if metrics is not None:
            _tell(metrics, training, questions, made.loaded, settings, at, done, same)
            for line in _told_of_play(settings, actor, questions):
                metrics.say(line)
        try:
            with stopping(stop):
                train(training, done=done, checkpoints=trainer.checkpoints, metrics=metrics)
        finally:
            weights.close()
        write(out)
        result = {
            "questions": {"train": len(questions.train), "validation": len(questions.validation)},
            "steps": settings.step.steps,
            "updates": settings.updates,
            "judges": {"answer": actor.answer_by, "query": actor.query_by},
            "ranks": at.size,
            "parallel": at.kind,
            "machine": at.machine,
            **count_parameters(made.loaded.model),
        }
        if metrics is not None:
            metrics.close()
            write_whole(out / "result.json", (json.dumps(result, indent=2) + "\n").encode())
            metrics.say(f"done: {out / 'model'}")
        at.wait()
    return result


def _questions(run: str, store: str, opened: Opened) -> Questions:
    return read_questions(
        RunFolder(absolute(run)), opened_store(absolute(store), opened).meta["digest"]
    )


def _weights(
    settings: GrpoSettings,
    made: Model,
    play_at: PlayPlace,
    write: Callable[[Path], None],
    out: Path,
    at: World,
) -> Weights:
    if settings.play.server is not None and settings.play.engine == "server":
        return ServerWeights(
            settings.play.server, made.tokens, play_at.caller, write, out / "weights", at
        )
    return OwnWeights(
        made.loaded.model, made.tokens, settings.weights, at, at_once=settings.step.at_once
    )


def _check_play(settings: GrpoSettings, at: PlayPlace) -> None:
    """Checks that tools and judges have what they need, before anything is written.

    Raises:
        InputError: see `check_client` and `open_toolbox`.
    """
    check_client(at.models, at.calls())
    open_toolbox(settings.play, dataclasses.replace(at, calls=lambda: ":memory:"))


def _actor(
    settings: GrpoSettings,
    questions: Questions,
    models: ModelSettings,
    at: PlayPlace,
    out: Path,
    stop: Stop,
) -> Actor:
    answers = AnswerJudge(
        client=at.client("answer") if models.judged_by_model(ANSWER_ROLE) else None
    )
    queries = at.client("query") if models.judged_by_model(QUERY_ROLE) else None
    return Actor(
        questions.run,
        questions.withhold_own,
        episode_files(out),
        answers,
        queries,
        settings.reward.alpha < 1,
        settings.step.at_once,
        stop,
    )


def _probe(asked: StepQuestion, questions: Questions, renderer: Renderer, made: Model) -> Row:
    """A row (question and made-up answer) on which the model is tested."""
    bank = ImageBank()
    bank.add(questions.run.read_picture(asked.question.image_id), origin="task")
    opening = renderer.opening(asked.question.text, bank, task_handles(bank))
    segments = made.tokens.segments(
        Conversation(task_id=asked.question.id, rollout=0, opening=opening)
    )
    said = made.tokens.policy(
        Turn(text="<think>\nIt is shown.\n</think>\n\n<answer>It is.</answer>")
    )
    return row_of_segments(
        [*segments, said],
        episode_id=asked.question.id,
        tokens=made.rows.picture_tokens,
        rope=made.rows.rope,
    )


def _tags(made: Model) -> CallTags:
    """The token ids of the tags that open and close a tool call.

    Raises:
        InputError: the tokenizer needs more than one token for a tag.
    """
    found = [
        made.tokens.tokenizer(tag, add_special_tokens=False)["input_ids"]
        for tag in ("<tool_call>", "</tool_call>")
    ]
    if any(len(ids) != 1 for ids in found):
        raise InputError(
            f"--model {made.folder}",
            "has no token of its own for <tool_call>, where AXPO's prefixes end",
            "Take a model that has, or set axpo=null.",
        )
    return CallTags(found[0][0], found[1][0])


def _tell(
    metrics: Metrics,
    training: Training,
    questions: Questions,
    loaded: LoadedModel,
    settings: GrpoSettings,
    at: World,
    done: int,
    same: bool,
) -> None:
    """Prints in words what the run will do."""
    step, found = settings.step, count_parameters(loaded.model)
    metrics.say(
        f"{len(questions.train)} questions to train on, {len(training.held_out)} held out of {len(questions.validation)}; {step.steps} steps of "
        f"{step.questions} questions × {step.rollouts} rollouts, {step.updates} update{'s' * (step.updates > 1)} each"
    )
    metrics.say(
        f"{found['trained']:,} of {found['parameters']:,} parameters trained in {settings.weights.precision}, {at.size} × {at.device.type} ({at.kind})"
    )
    if done:
        metrics.say(
            f"resumes after update {done}"
            + (
                ""
                if same
                else "; another number of ranks wrote it, so dropout continues from other random numbers"
            )
        )


def _told_of_play(settings: GrpoSettings, actor: Actor, questions: Questions) -> list[str]:
    """Describes in words which tools the policy uses and how rollouts are rewarded."""
    tools, reward = settings.play.tools, settings.reward
    taught = settings_of(ToolSettings, teacher_tools(questions.run), questions.run.path)
    other = [
        field.name
        for field in dataclasses.fields(ToolSettings)
        if getattr(tools, field.name) != getattr(taught, field.name)
    ]
    lines = [
        f"tools: {', '.join(tools.tools)}, with{'out' * (not tools.handles)} handles; "
        + (
            f"the run's teacher had others ({', '.join(other)})"
            if other
            else "as the run's teacher had them"
        )
    ]
    if reward.alpha == 1:
        return [*lines, f"reward: right answers (by {actor.answer_by})"]
    by = (
        "measured from the run in place of a judge, since no model has the role judge_retrieval"
        if actor.query_by == MEASURED
        else f"by {actor.query_by}"
    )
    return [
        *lines,
        f"reward: {reward.alpha:g} × right answers (by {actor.answer_by}) + {1 - reward.alpha:.3g} × r_query ({by})",
    ]
