"""Supervised fine-tuning.

    python -m questloom.train.sft --config CONFIG --data DATA --model MODEL --out OUT

```
OUT/settings.json    the settings of the run; written first
    rows/            the documents, and the survey of their rows
    checkpoints/     the state that the run resumes from
    metrics.jsonl    tensorboard/  curves.png
    model/           the result for transformers and inference servers; with LoRA also adapter/, for peft
    result.json      counts and metrics; written last
```
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.files.parquet import write_whole
from questloom.records.errors import InputError, QuestloomError
from questloom.train.model.optimiser import adamw
from questloom.train.model.scorer import Scorer
from questloom.train.model.weights import (
    LoadedModel,
    count_parameters,
    export,
    load_model,
    load_processor,
)
from questloom.train.rows.row import PictureTokens, rope_of
from questloom.train.run.checkpoints import Checkpoints
from questloom.train.run.metrics import Metrics
from questloom.train.run.output_lock import (
    UNLOCKED,
    check_output,
    lock_output,
    once,
    place,
    remove_unlocked,
)
from questloom.train.run.parallel import World, world, wrap_policy
from questloom.train.run.self_check import check_on
from questloom.train.run.stopping import Stop, exit_code, stopping
from questloom.train.settings.settings_file import presets
from questloom.train.settings.training_settings import SftSettings, load_settings
from questloom.train.sft.data import (
    DOCUMENTS,
    SURVEY,
    Course,
    Documents,
    DroppedDocuments,
    RowMaker,
    Survey,
    check_apart,
    gather_survey,
    read_survey,
    survey_part,
    write_documents,
    write_survey,
)
from questloom.train.sft.data_sets import full_name
from questloom.train.sft.loop import Training, train
from questloom.train.sft.sources import check_sources, read_documents

HELP = f"""\
Supervised fine-tuning on kept episodes: next-token loss on what the policy said, never on what it read.

  python -m questloom.train.sft --config vsearcher --data RUN --model Qwen3-VL-8B-Thinking --out sft
  torchrun --nproc_per_node 8 -m questloom.train.sft --config vsearcher --set parallel.kind=fsdp …        eight GPUs, weights sharded
  accelerate launch --config_file fsdp.yaml -m questloom.train.sft --config vsearcher …                   the same by accelerate
  python -m questloom.train.sft --config tiny --data dialogues.json --model MODEL --out OUT --set batch.epochs=1

DATA is a run in which `questloom teach` played, a folder RUN/episodes/POLICY, a file or folder of dialogues in ShareGPT form (Parquet, JSON,
JSON lines), or one configuration of a data set, in a folder or on the Hub: RUN/dataset:sft, ORG/NAME:sft. --data may be given several times;
the same rows in two of them are refused.

Every row is made once before training. A row that cannot be learned from is left out and listed with its reason. After a kill at any point the same
command continues from the last checkpoint and ends with the same weights; SIGTERM writes one. OUT/model then plays as it is:
  questloom teach --run RUN --store STORE --policy sft --engine transformers --set teach.model=OUT/model

Presets: {", ".join(presets(grpo=False))} (train/presets/). Settings with their meaning: train/settings/training_settings.py.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line. Returns the exit code: 2 for wrong input, 1 for a run that stopped
    with a named error.
    """
    parser = argparse.ArgumentParser(
        prog="python -m questloom.train.sft",
        description=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", required=True, metavar="CONFIG", help="a file of settings, or a preset"
    )
    parser.add_argument(
        "--data",
        required=True,
        action="append",
        metavar="DATA",
        help="what is learned from; may be repeated",
    )
    parser.add_argument(
        "--validation",
        default=[],
        action="append",
        metavar="DATA",
        help="dialogues to measure the loss on; a run's episodes know their split themselves",
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
        help="a setting in place of the file's, e.g. optimiser.lr=2e-5",
    )
    given = parser.parse_args(arguments)
    try:
        sft(
            load_settings(given.config, given.set),
            data=given.data,
            validation=given.validation,
            model=given.model,
            out=Path(given.out),
        )
    except QuestloomError as error:
        print(error, file=sys.stderr)
        return exit_code(error)
    return 0


def sft(
    settings: SftSettings,
    *,
    data: Sequence[str],
    model: str,
    out: Path,
    validation: Sequence[str] = (),
) -> dict[str, Any]:
    """Fine-tunes a model, or continues an interrupted run. All ranks must call this function
    together.

    Args:
        data, validation: see `sources.read_documents`.
        model: folder of the model that is trained.
        out: folder of the training run.

    Returns:
        The contents of result.json.

    Raises:
        InputError: the input is wrong; nothing was trained.
        QuestloomError: the run stopped for the reason that the error states; the same call
            continues the run.
    """
    check_sources(data, validation)
    began_anew = not out.exists()
    with world(settings.parallel) as at:
        identity = _identity(settings, data, validation, model)
        once(at, lambda: check_output(out, identity))
        try:
            torch.manual_seed(settings.seed + at.rank)
            processor = load_processor(model, settings.data.max_pixels)
            tokens = TokenRenderer(processor, name=model)
            loaded = load_model(model, settings.weights, settings.seed)
            maker = RowMaker(
                tokens,
                picture_tokens=PictureTokens.of(loaded.model.config),
                rope=rope_of(loaded.model),
                settings=settings.data,
            )
            documents, survey = _rows(at, maker, data, validation, out)
            scorer = Scorer(loaded.model)
            once(at, lambda: _self_check(scorer, maker, documents, survey, settings, at))
            once(at, lambda: _begin(out, identity, settings))
        except BaseException:
            if at.first:
                remove_unlocked(out, began_anew)
            raise
        course = Course(
            survey.of("train"), settings.batch.rows, settings.batch.epochs, settings.seed
        )
        policy = wrap_policy(scorer, at, bf16=settings.weights.precision == "bf16")
        optimiser = adamw(policy, settings.optimiser)
        checkpoints = Checkpoints(out / "checkpoints", settings.keep.checkpoints)
        done = checkpoints.newest() or 0
        same = checkpoints.load(done, policy, optimiser, at) if done else True
        metrics = Metrics(out, course.updates, done) if at.first else None
        if metrics is not None:
            _tell(metrics, survey, loaded, settings, at, done, same)
        run = Training(policy, optimiser, documents, maker, settings, at)
        stop = Stop()
        with stopping(stop):
            train(
                run,
                course,
                survey.of("validation"),
                done=done,
                checkpoints=checkpoints,
                metrics=metrics,
                stop=stop,
            )
        export(
            policy,
            scorer,
            loaded,
            processor,
            source=model,
            out=out,
            bf16=settings.weights.precision == "bf16",
            writes=at.first,
        )
        result = {
            "rows": survey.figures(),
            "updates": course.updates,
            "ranks": at.size,
            "parallel": at.kind,
            "machine": at.machine,
            **count_parameters(loaded.model),
        }
        if metrics is not None:
            metrics.close()
            write_whole(out / "result.json", (json.dumps(result, indent=2) + "\n").encode())
            metrics.say(f"done: {out / 'model'}")
        at.wait()
    return result


def _identity(
    settings: SftSettings, data: Sequence[str], validation: Sequence[str], model: str
) -> dict[str, Any]:
    return {
        **settings.identity(),
        "data": [full_name(source) for source in data],
        "validation": [full_name(source) for source in validation],
        "model": place(model),
    }


def _rows(
    at: World, maker: RowMaker, data: Sequence[str], validation: Sequence[str], out: Path
) -> tuple[Documents, Survey]:
    """Stores the documents (conversations) on disk, and records the length and other figures of
    each row. Each rank makes the rows of some of the documents.

    The files of a new run lie in a hidden folder below OUT until all inputs have been checked.

    Raises:
        InputError: there is no row to learn from, or a row comes twice.
    """
    survey = at.gather(read_survey(out / "rows" / SURVEY) if at.first else None)[0]
    if survey is not None:
        return Documents(out / "rows" / DOCUMENTS), survey
    path, missing = out / UNLOCKED / DOCUMENTS, DroppedDocuments()

    def read() -> None:
        nonlocal missing
        missing = write_documents(path, read_documents(data, validation))

    once(at, read)
    documents = Documents(path)
    parts = at.gather(list(survey_part(documents, maker, at.rank, at.size)))
    survey = gather_survey([found for part in parts for found in part], at.gather(missing)[0])
    if not survey.of("train"):
        raise InputError(
            ", ".join(data),
            f"holds no row to train on: {survey.read} read, {len(survey.of('validation'))} for validation"
            + "".join(f"; {reason}" for reason in survey.reasons()),
            "Name data with rows for sft/train.",
        )
    once(at, lambda: check_apart(survey, documents))
    once(at, lambda: write_survey(path.with_name(SURVEY), survey))
    return documents, survey


def _begin(out: Path, identity: dict[str, Any], settings: SftSettings) -> None:
    """Makes OUT the folder of the run, and moves the documents into it."""
    lock_output(out, identity, settings.resolved())
    if (out / UNLOCKED).exists():
        shutil.rmtree(out / "rows", ignore_errors=True)
        (out / UNLOCKED).rename(out / "rows")


def _self_check(
    scorer: Scorer,
    maker: RowMaker,
    documents: Documents,
    survey: Survey,
    settings: SftSettings,
    at: World,
) -> None:
    """Tests the model on two short rows, which have pictures if the data has any such rows."""
    few = sorted(survey.used, key=lambda each: (each.pictures == 0, each.tokens))[:2]
    check_on(
        scorer,
        [maker.again(each, documents[each.number]) for each in few],
        maker.picture_tokens,
        settings.weights,
        at,
    )


def _tell(
    metrics: Metrics,
    survey: Survey,
    loaded: LoadedModel,
    settings: SftSettings,
    at: World,
    done: int,
    same: bool,
) -> None:
    """Prints in words what the run will do."""
    rows, found = survey.figures(), count_parameters(loaded.model)
    metrics.say(
        f"{rows['read']} rows read: {rows['train']} to train on, {rows['validation']} for validation, {sum(rows['left_out'].values())} left out"
    )
    for reason in survey.reasons():
        metrics.say(f"  {reason}")
    metrics.say(
        f"{rows['tokens']:,} tokens, {rows['labels']:,} in the loss, {rows['pictures']:,} pictures; {rows['shortened']} rows shortened; "
        + (
            f"{rows['slips']} turns that broke the protocol are out of the loss; "
            if rows["slips"]
            else ""
        )
        + ", ".join(f"{count} with {kind} ids" for kind, count in rows["ids"].items())
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
