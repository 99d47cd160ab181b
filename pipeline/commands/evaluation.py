"""The command line of `questloom evaluate`."""

from pathlib import Path
from typing import Annotated

import typer

from questloom.pipeline.commands.options import (
    Cache_,
    Json_,
    Set_,
    Workers_,
    show,
    with_cache,
)
from questloom.records.errors import InputError


def evaluate(
    benchmark: Annotated[
        str,
        typer.Option(
            help="A benchmark by name (--list shows them), one of your own package by module:BENCHMARK, or a run's folder, "
            "whose split `benchmark` is used."
        ),
    ] = "",
    listing: Annotated[
        bool,
        typer.Option(
            "--list",
            help="Shows every benchmark with size, licence, source and published subsets; with "
            "--benchmark NAME the details of that one, with its published scores.",
        ),
    ] = False,
    out: Annotated[
        str,
        typer.Option(
            help="Folder of evaluations. Several commands may share it; its tables compare all evaluations."
        ),
    ] = "",
    engine: Annotated[
        str,
        typer.Option(
            help="Who plays: openai (the endpoint of the role `agent`), transformers (a local model), server, or oracle "
            "(a script with the highest possible score, for runs only). Sets teach.engine."
        ),
    ] = "",
    mode: Annotated[
        list[str] | None,
        typer.Option(
            help="direct (no tools), image_search or text_search (one search before the answer), agent. "
            "May be repeated; default agent."
        ),
    ] = None,
    policy: Annotated[
        str, typer.Option(help="The agent's name in tables; default: its model's name.")
    ] = "",
    rollouts: Annotated[
        int, typer.Option(min=0, help="Attempts at each question, for pass@k. Sets teach.rollouts.")
    ] = 0,
    seed: Annotated[
        int, typer.Option(min=-1, help="Seed of every draw; default: the recipe's.")
    ] = -1,
    data: Annotated[
        str,
        typer.Option(
            help="The benchmark's file or folder on this machine (.jsonl, .json, .parquet, .tsv, .csv)."
        ),
    ] = "",
    pictures: Annotated[
        str,
        typer.Option(
            help="The folder of the benchmark's pictures; default: the folder of its rows."
        ),
    ] = "",
    download: Annotated[
        bool,
        typer.Option(
            "--download",
            help="Fetches the benchmark from the Hub. Without this option nothing is fetched.",
        ),
    ] = False,
    subset: Annotated[str, typer.Option(help="A published subset, as --list names it.")] = "",
    split: Annotated[
        str, typer.Option(help="Split of a run: benchmark, rl/validation, ….")
    ] = "benchmark",
    limit: Annotated[
        int,
        typer.Option(
            min=0, help="Asks only this number of questions from the start; tables say so."
        ),
    ] = 0,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="Accepts fewer questions than the benchmark should have; tables say so.",
        ),
    ] = False,
    store: Annotated[
        str, typer.Option(help="The store that the tools search; for a run, the run's own store.")
    ] = "",
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="A data set that the agent was trained on. Benchmark questions in it are reported "
            "with the scores. May be repeated."
        ),
    ] = None,
    dialect: Annotated[
        str,
        typer.Option(
            help="The format of the agent's turns: questloom, plain (no protocol), vsearcher, opensearch_vl."
        ),
    ] = "questloom",
    prompt: Annotated[
        Path | None,
        typer.Option(
            help="A file with the agent's own system message; default: Questloom's message for the dialect."
        ),
    ] = None,
    recipe: Annotated[
        str,
        typer.Option(
            help="A recipe with the sections `teach`, `models` and `run`; default: the run's own recipe."
        ),
    ] = "",
    overrides: Set_ = None,
    cache: Cache_ = "",
    workers: Workers_ = 1,
    as_json: Json_ = False,
) -> None:
    """Scores an agent on a benchmark, or on a run's own benchmark split, with intervals and
    published scores for comparison.

    First example: the oracle, a scripted agent, shows the highest score that is possible on a run.
    Second example: a model plays in three modes.

      questloom evaluate --benchmark RUN --store STORE --engine oracle --out results

      questloom evaluate --benchmark RUN --store STORE --engine transformers --set teach.model=FOLDER --mode direct --mode image_search --mode agent \
      --rollouts 4 --against RUN/dataset --out results

    A published benchmark, with an endpoint from my.yaml:

      questloom evaluate --benchmark mmsearch --data end2end.parquet --subset vsearcher --engine openai --recipe my.yaml --mode direct --out results

    Scores always count every question, also unanswered ones. The same command continues an
    unfinished evaluation; no episode is played twice, and no call is paid twice. OUT/scores.md,
    scores.csv, scores.html and calls.png show all evaluations in OUT.
    """
    from questloom.pipeline.api import score

    if listing:
        typer.echo(_listed(benchmark))
        return
    for name, value in (("--benchmark", benchmark), ("--out", out)):
        if not value:
            raise InputError(
                name,
                "is missing",
                "questloom evaluate --benchmark NAME|RUN --engine ENGINE --mode MODE --out DIR; --list shows the benchmarks.",
            )
    if prompt is not None and not prompt.is_file():
        raise InputError(
            f"--prompt {prompt}", "is no file", "Name a text file with the agent's system message."
        )
    made = score(
        benchmark,
        out,
        store=store,
        engine=engine,
        modes=mode or ("agent",),
        policy=policy,
        rollouts=rollouts,
        data=data,
        pictures=pictures,
        download=download,
        subset=subset,
        split=split,
        limit=limit,
        partial=partial,
        against=against or (),
        dialect=dialect,
        prompt=prompt.read_text(encoding="utf-8") if prompt else "",
        recipe=recipe,
        overrides=[*with_cache(overrides, cache), *([f"seed={seed}"] if seed >= 0 else [])],
        workers=workers,
        progress=True,
    )
    show(made.as_json(), as_json, made.as_text())
    raise typer.Exit(made.exit_code)


def _listed(benchmark: str) -> str:
    """A list of all benchmarks, or the details of one benchmark."""
    from questloom.eval.published import published_text
    from questloom.eval.statements import listing, statement_of, statements

    if not benchmark:
        return listing()
    if (statement := statement_of(benchmark)) is None:
        raise InputError(
            f"--benchmark {benchmark}",
            "is no benchmark that --list knows",
            f"Known: {', '.join(statements())}.",
        )
    published = published_text(benchmark) if benchmark in statements() else ""
    return f"{statement.as_text()}\n\n{published}".rstrip()
