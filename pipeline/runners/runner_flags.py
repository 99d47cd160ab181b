"""The command-line options for the runner, in one place for all commands that use them."""

import functools
import inspect
import os
from collections.abc import Callable
from typing import Annotated, Any

import typer

from questloom.pipeline.runners.runner_kind import RunnerKind

PANEL = "Where it runs"
FLAGS: dict[str, tuple[Any, Any]] = {
    "runner": (
        Annotated[
            RunnerKind,
            typer.Option(
                "--runner",
                help="In process, on a Flink cluster, or on Dataflow. Further options pass "
                "to Beam as they are (--project=… --temp_location=…).",
                rich_help_panel=PANEL,
            ),
        ],
        RunnerKind.LOCAL,
    ),
    "flink_master": (
        Annotated[
            str,
            typer.Option(
                help="The job manager's REST interface, HOST:PORT.", rich_help_panel=PANEL
            ),
        ],
        "localhost:8081",
    ),
    "job_server_jar": (
        Annotated[
            str,
            typer.Option(
                help="Beam's job server for the cluster's Flink; default: the published one, "
                "which Beam downloads.",
                rich_help_panel=PANEL,
            ),
        ],
        "",
    ),
    "environment": (
        Annotated[
            str,
            typer.Option(
                help="The Python workers of Flink's task managers: HOST:PORT of a worker pool "
                "(python -m questloom.pipeline.runners.worker_pool), or `loopback`: this process, on one machine.",
                rich_help_panel=PANEL,
            ),
        ],
        "loopback",
    ),
    "parallelism": (
        Annotated[
            int,
            typer.Option(
                min=0, help="Flink slots to take; 0 for all that are free.", rich_help_panel=PANEL
            ),
        ],
        0,
    ),
    "stall_minutes": (
        Annotated[
            float,
            typer.Option(
                min=0.05,
                help="Minutes without progress after which a cluster's job is cancelled.",
                rich_help_panel=PANEL,
            ),
        ],
        60.0,
    ),
    "probe_seconds": (
        Annotated[
            float,
            typer.Option(
                min=0,
                help="Time limit of the tiny job that tests the cluster first; 0 skips it.",
                rich_help_panel=PANEL,
            ),
        ],
        50.0,
    ),
    "gpu": (
        Annotated[
            str,
            typer.Option(
                help="With dataflow: an accelerator for the stages that run CLIP "
                "(type:nvidia-l4;count:1;install-nvidia-driver).",
                rich_help_panel=PANEL,
            ),
        ],
        "",
    ),
}
"""For each command-line option of the runner, the type and the default of the command's
parameter."""


def with_runner(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command all the options of `FLAGS`. The command receives these options as a single
    parameter `runner: RunnerOptions`.

    All other arguments in the command's `typer.Context` are passed on to Beam.
    """
    own = inspect.signature(command)
    added = [
        inspect.Parameter(
            name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind
        )
        for name, (kind, default) in FLAGS.items()
    ]

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:
        flags = {name: given.pop(name) for name in FLAGS}
        ctx = given["ctx"]
        own = [name for option in ctx.command.params for name in option.opts]
        return command(**given, runner=_options(flags, tuple(ctx.args), own))

    parameters = [p for name, p in own.parameters.items() if name != "runner"]
    wrapped.__signature__ = own.replace(parameters=[*parameters, *added])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {
        **{n: a for n, a in command.__annotations__.items() if n != "runner"},
        **{n: kind for n, (kind, _) in FLAGS.items()},
    }
    return wrapped


def _options(flags: dict[str, Any], further: tuple[str, ...], own: list[str]) -> Any:
    from questloom.pipeline.runners.runner_options import RunnerOptions, check_arguments

    check_arguments(flags["runner"], further, own)
    jar = flags["job_server_jar"]
    flags["job_server_jar"] = os.path.abspath(jar) if jar and "://" not in jar else jar
    return RunnerOptions(kind=flags.pop("runner"), beam_args=further, **flags)
