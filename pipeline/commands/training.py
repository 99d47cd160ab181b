"""`questloom train sft|grpo` runs the trainers' command lines. `questloom plan sft|grpo` forecasts
the cost of a training."""

import importlib
import json
from collections.abc import Sequence
from typing import Annotated

import typer

from questloom.files.extras import require
from questloom.pipeline.commands.options import Json_
from questloom.records.errors import InputError

THROUGH = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
HELP = """\
Trains a vision-language agent: sft on kept episodes, then grpo on rewards. Further arguments go to the trainer; `train sft --help` shows its own help.

\b
One process:
  questloom train sft --config vsearcher --data RUN --model MODEL --out OUT
Several GPUs: a launcher starts the trainer itself, once per GPU (docs/training.md):
  torchrun --nproc_per_node 8 -m questloom.train.sft --config vsearcher ... --set parallel.kind=fsdp --set parallel.processes=8
  accelerate launch --config_file fsdp2.yaml -m questloom.train.sft --config vsearcher ... --set parallel.processes=8
A forecast of its cost:
  questloom plan sft --run RUN --model MODEL --gpus 8
"""

train = typer.Typer(no_args_is_help=True, help=HELP)
forecasts = typer.Typer(invoke_without_command=True)

Run_ = Annotated[
    str,
    typer.Option(
        "--run",
        help="A run with kept episodes, whose rows are counted. Or give --rows, --tokens and --labels.",
    ),
]
Policy_ = Annotated[str, typer.Option("--policy", help="The policy that played the episodes.")]
Model_ = Annotated[
    str, typer.Option("--model", help="A model's folder, or qwen3-vl-2b, -4b, -8b, -32b.")
]
Rows_ = Annotated[int, typer.Option("--rows", min=0, help="Without --run: the number of rows.")]
Tokens_ = Annotated[
    int, typer.Option("--tokens", min=0, help="Without --run: tokens of a row, including pictures.")
]
Labels_ = Annotated[
    int,
    typer.Option("--labels", min=0, help="Without --run: tokens of a row that the policy wrote."),
]
Pictures_ = Annotated[
    int, typer.Option("--pictures", min=0, help="Without --run: pictures of a row.")
]
Config_ = Annotated[
    str,
    typer.Option("--config", help="A file of settings of questloom.train.sft, or a preset."),
]
GrpoConfig_ = Annotated[
    str,
    typer.Option("--config", help="A file of settings of questloom.train.grpo, or a preset."),
]
Set_ = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Overrides a setting of the file: --set weights.lora.rank=64. May be repeated.",
    ),
]
Gpus_ = Annotated[
    int, typer.Option("--gpus", min=1, help="Number of GPUs; several share the weights (FSDP2).")
]
GpuMemory_ = Annotated[float, typer.Option("--gpu-memory", min=1, help="Memory of one GPU in GB.")]
GpuPeak_ = Annotated[
    float, typer.Option("--gpu-peak", min=1, help="Peak of one GPU in TFLOP/s, bf16, dense.")
]
Mfu_ = Annotated[
    float,
    typer.Option("--mfu", min=0.01, max=1, help="Assumed share of the peak, if no pace is given."),
]
Pace_ = Annotated[
    float,
    typer.Option(
        "--training-pace",
        min=0,
        help="Measured tokens per second and GPU (metrics.jsonl: tokens_per_second ÷ GPUs; for "
        "GRPO trained_tokens_per_second ÷ GPUs).",
    ),
]


@train.command(
    "sft", context_settings=THROUGH, help="Supervised fine-tuning on kept episodes or dialogues."
)
def train_sft(ctx: typer.Context) -> None:
    raise typer.Exit(handed_through("questloom.train.sft", ctx.args))


@train.command(
    "grpo", context_settings=THROUGH, help="Reinforcement learning on a run's questions."
)
def train_grpo(ctx: typer.Context) -> None:
    raise typer.Exit(handed_through("questloom.train.grpo", ctx.args))


def handed_through(module: str, arguments: Sequence[str]) -> int:
    """Runs a trainer's command line. Torch is imported only here.

    Raises:
        InputError: the packages for training are not installed.
    """
    require("train", "questloom train")
    code: int = importlib.import_module(f"{module}.command").main(list(arguments))
    return code


@forecasts.command("sft")
def plan_sft(
    model: Model_,
    run: Run_ = "",
    policy: Policy_ = "teacher",
    rows: Rows_ = 0,
    tokens: Tokens_ = 0,
    labels: Labels_ = 0,
    pictures: Pictures_ = 0,
    config: Config_ = "vsearcher",
    overrides: Set_ = None,
    gpus: Gpus_ = 1,
    gpu_memory: GpuMemory_ = 80.0,
    gpu_peak: GpuPeak_ = 989.0,
    mfu: Mfu_ = 0.3,
    training_pace: Pace_ = 0.0,
    as_json: Json_ = False,
) -> None:
    """Forecasts a fine-tuning: rows, tokens, updates, memory per GPU, GPU hours.

    questloom plan sft --run RUN --model qwen3-vl-8b --config vsearcher --gpus 8
    """
    from questloom.pipeline.plan import train_forecast as plan
    from questloom.train.forecast import Gpu, forecast_sft
    from questloom.train.model.shape import shape_of
    from questloom.train.settings.training_settings import load_settings

    settings, shape = load_settings(config, overrides or ()), shape_of(model)
    gpu = Gpu(memory=gpu_memory * 1e9, peak=gpu_peak * 1e12, mfu=mfu)
    lengths = (
        plan.lengths_of(run, policy, only_sft=True, max_pixels=settings.data.max_pixels)
        if run
        else plan.lengths_of_counts(rows, tokens, labels, pictures, settings.data.max_pixels)
    )
    found = forecast_sft(
        shape,
        settings.weights,
        lengths,
        max_tokens=settings.data.max_tokens,
        micro_tokens=settings.micro_tokens,
        update_rows=settings.batch.rows,
        epochs=settings.batch.epochs,
        gpus=gpus,
        gpu=gpu,
        measured=training_pace or None,
    )
    typer.echo(
        json.dumps(plan.as_json(found), indent=2)
        if as_json
        else plan.sft_text(found, shape, gpu, settings.name)
    )


@forecasts.command("grpo")
def plan_grpo(
    model: Model_,
    run: Run_ = "",
    policy: Policy_ = "teacher",
    rows: Rows_ = 1,
    tokens: Tokens_ = 0,
    labels: Labels_ = 0,
    pictures: Pictures_ = 0,
    config: GrpoConfig_ = "grpo-vsearcher",
    overrides: Set_ = None,
    gpus: Gpus_ = 1,
    gpu_memory: GpuMemory_ = 80.0,
    gpu_peak: GpuPeak_ = 989.0,
    mfu: Mfu_ = 0.3,
    training_pace: Pace_ = 0.0,
    sampling_pace: Annotated[
        float,
        typer.Option(
            min=0,
            help="Measured sampled tokens per second and GPU (metrics.jsonl: "
            "played_tokens_per_second ÷ GPUs); 0 to estimate.",
        ),
    ] = 0.0,
    as_json: Json_ = False,
) -> None:
    """Forecasts GRPO: rollouts, sampled and trained tokens, memory per GPU, GPU hours.

    The settings file CONFIG sets the numbers of steps, questions and rollouts, the length of a row,
    and the weights that are trained. `questloom.train.grpo` reads the same file. The lengths of the
    texts come from the episodes that a run has kept, or from the options. The forecast leaves out
    four things: the episodes that replace useless ones, the continuations of AXPO, the questions
    held out for measuring, and the time spent on waiting for tools and judges.

    questloom plan grpo --run RUN --model qwen3-vl-8b --gpus 8 --config grpo-vsearcher --set step.steps=200
    """
    from questloom.pipeline.plan import train_forecast as plan
    from questloom.train.forecast import Gpu, forecast_grpo
    from questloom.train.model.shape import shape_of
    from questloom.train.settings.grpo_settings import load_grpo_settings

    settings, shape = load_grpo_settings(config, overrides or ()), shape_of(model)
    step, gpu = settings.step, Gpu(memory=gpu_memory * 1e9, peak=gpu_peak * 1e12, mfu=mfu)
    lengths = (
        plan.lengths_of(run, policy, only_sft=False, max_pixels=settings.data.max_pixels)
        if run
        else plan.lengths_of_counts(rows, tokens, labels, pictures, settings.data.max_pixels)
    )
    found = forecast_grpo(
        shape,
        settings.weights,
        lengths,
        max_tokens=settings.data.max_tokens,
        micro_tokens=settings.micro_tokens,
        steps=step.steps,
        questions=step.questions,
        rollouts=step.rollouts,
        at_once=step.at_once,
        gpus=gpus,
        gpu=gpu,
        measured=training_pace or None,
        measured_decode=sampling_pace or None,
    )
    typer.echo(
        json.dumps(plan.as_json(found), indent=2)
        if as_json
        else plan.grpo_text(found, shape, gpu, settings.name, step.questions, step.rollouts)
    )


def needs_store(store: str) -> None:
    """Refuses `questloom plan` without a store or a trainer's name.

    Raises:
        InputError: the command has neither a store nor a trainer's name.
    """
    if not store:
        raise InputError(
            "plan",
            "has nothing to forecast",
            "Name a store (--store) for synth, or `plan sft` or `plan grpo` for training.",
        )
