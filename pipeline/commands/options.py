"""Options and output functions that several commands share."""

import json
from typing import Annotated, Any

import typer

Json_ = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Store_ = Annotated[
    str, typer.Option("--store", help="An ingested store: a folder, s3://… or gs://….")
]
Run_ = Annotated[
    str,
    typer.Option(
        "--run", help="A run's folder. Every folder or dump may also be s3://… or gs://…."
    ),
]
Workers_ = Annotated[
    int,
    typer.Option(
        "--workers",
        min=0,
        max=256,
        help="Worker processes on this machine; 0: one for each processor.",
    ),
]
Set_ = Annotated[
    list[str] | None,
    typer.Option("--set", help="Overrides a recipe key: --set seeds.count=200. May be repeated."),
]
Cache_ = Annotated[
    str,
    typer.Option(
        "--cache",
        help="Where replies, spend and pace are stored: redis://HOST:PORT/DB for several machines (password in "
        "QUESTLOOM_REDIS_PASSWORD), or a file; default RUN/calls.sqlite. Sets run.calls.",
    ),
]


def with_cache(overrides: list[str] | None, cache: str) -> tuple[str, ...]:
    """The recipe's overrides, with `--cache` added as the recipe key `run.calls`."""
    return (*(overrides or ()), *([f"run.calls={json.dumps(cache)}"] if cache else []))


def show(result: dict[str, Any], as_json: bool, text: str) -> None:
    """Prints a result on stdout, for people or for programs."""
    typer.echo(json.dumps(result, ensure_ascii=False, indent=2) if as_json else text)
