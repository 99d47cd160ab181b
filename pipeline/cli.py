"""The command line. Progress goes to stderr, results to stdout. Exit codes: 0 success, 1 failure, 2
bad input, 3 budget used up, 130 stopped by Ctrl-C."""

import inspect
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from questloom.files.locations import check_locations
from questloom.pipeline.commands import training
from questloom.pipeline.commands.evaluation import evaluate
from questloom.pipeline.commands.options import (
    Cache_,
    Json_,
    Run_,
    Set_,
    Store_,
    Workers_,
    show,
    with_cache,
)
from questloom.pipeline.runners.run_log import (
    fault_message,
    is_log_written,
    known_cause,
    log_errors_to_file,
    log_path,
    note_fault,
)
from questloom.pipeline.runners.runner_flags import with_runner
from questloom.pipeline.runners.runner_kind import NothingRun, cpus
from questloom.records.errors import InputError, ProviderFault

if TYPE_CHECKING:
    from questloom.pipeline.runners.runner_options import RunnerOptions

DONE, FAILED, BAD_INPUT, BUDGET, STOPPED = 0, 1, 2, 3, 130
ORDER = {
    "Try it": ("demo", "demo-train", "demo-loop"),
    "Make questions, in this order": (
        "doctor",
        "gather",
        "ingest",
        "plan",
        "synth",
        "report",
        "audit",
        "publish",
    ),
    "Learn from questions": ("teach", "train", "evaluate", "chat", "evolve"),
    "More": ("settings", "recheck", "world"),
}
"""The commands in the order of work, as the help lists them."""


class _Commands(TyperGroup):
    """Lists the commands in the order of `ORDER`, each with the first sentence of its help. Lines
    of a docstring become whole paragraphs, which the terminal wraps; examples stay as they are."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for names in ORDER.values() for name in names]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            paragraphs = inspect.cleandoc(found.help or "").split("\n\n")
            told = [p if p.startswith(" ") else " ".join(p.split()) for p in paragraphs]
            found.help, found.short_help = "\n\n".join(told), told[0].split(". ")[0].rstrip(".")
            panel = next(panel for panel, names in ORDER.items() if cmd_name in names)
            found.rich_help_panel = panel  # type: ignore[attr-defined]
        return found


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Questions from Wikipedia, Wikidata and Commons that need a picture and a search to answer.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_WHERE_IN_BEAM = re.compile(r" \[while running '[^']*'\]")
"""The suffix that Beam adds to the first argument of an exception."""
BEAM = {"allow_extra_args": True, "ignore_unknown_options": True}


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for everything that the demo makes.")] = Path(
        "demo"
    ),
    articles: Annotated[int, typer.Option(min=50, help="Articles of the fictional world.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the world.")] = 7,
    recipe: Annotated[
        str,
        typer.Option(
            help="A YAML file, or a shipped recipe by name; default demo, or demo_without_python where this machine "
            "cannot confine code."
        ),
    ] = "",
    workers: Workers_ = 0,
) -> None:
    """Runs all steps on a small fictional world: no keys, no GPU, a few minutes.

    Writes a world, ingests it and runs the recipe `demo`. The oracle (a scripted agent) plays the
    questions with real tool calls. At the end the command builds the data set with trajectories,
    and the report. The same command continues a stopped demo.
    """
    check_locations(writes=[out])
    from questloom.pipeline.commands.demo import run_demo

    typer.echo(
        run_demo(out, articles=articles, seed=seed, workers=workers or cpus(), recipe_name=recipe)
    )


@app.command("demo-train")
def demo_train(
    out: Annotated[Path, typer.Option(help="Folder for everything that the demo makes.")] = Path(
        "demo-train"
    ),
    seed: Annotated[
        int, typer.Option(min=0, max=999, help="Seed of the world and of both trainings.")
    ] = 5,
    steps: Annotated[int, typer.Option(min=1, help="Steps of GRPO.")] = 30,
    workers: Workers_ = 0,
) -> None:
    """Shows training on a CPU in ten minutes: a tiny policy learns to look, search and answer.

    Writes the small learning world and lets the oracle (a scripted agent) play its questions.
    Fine-tunes the shipped tiny model on these episodes, then trains it with GRPO. Shows the model's
    behaviour before and after. The same command continues an unfinished demo.
    """
    check_locations(writes=[out])
    from questloom.pipeline.commands.demo_train import run_demo_train

    typer.echo(run_demo_train(out, seed=seed, steps=steps, workers=workers or cpus()))


@app.command("demo-loop")
def demo_loop(
    out: Annotated[Path, typer.Option(help="Folder for everything that the demo makes.")] = Path(
        "demo-loop"
    ),
    seed: Annotated[
        int, typer.Option(min=0, max=999, help="Seed of the world, the fine-tuning and the loop.")
    ] = 5,
    workers: Workers_ = 0,
) -> None:
    """Shows the closed loop on a CPU in twenty minutes: questions and policy change each other.

    Writes the small learning world and fine-tunes the shipped tiny model on episodes of the oracle
    (a scripted agent). Each of three rounds makes questions, plays each question four times,
    diagnoses the failures, edits the recipe and trains some steps of GRPO. A report of the loop
    ends the demo. The same command continues an unfinished demo.
    """
    check_locations(writes=[out])
    os.environ.setdefault(
        "OMP_NUM_THREADS", "1"
    )  # a tiny model on shared cores runs several times slower with one thread per core
    from questloom.pipeline.commands.demo_loop import run_demo_loop

    typer.echo(run_demo_loop(out, seed=seed, workers=workers or cpus()))


@app.command()
def world(
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    articles: Annotated[int, typer.Option(min=1)] = 1000,
    seed: Annotated[int, typer.Option(min=0)] = 7,
    gaps: Annotated[
        int,
        typer.Option(
            min=0, max=2, help="Hides claims and items at 0, 1 or 2 times the rate of real data."
        ),
    ] = 0,
    absent: Annotated[
        float,
        typer.Option(min=0, max=0.99, help="Share of entities that the dumps leave out entirely."),
    ] = 0.0,
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures")] = True,
    learning: Annotated[
        bool,
        typer.Option(
            "--learning",
            help="Writes the small world in which a tiny policy learns (480 articles cover all of it).",
        ),
    ] = False,
    workers: Workers_ = 0,
    as_json: Json_ = False,
) -> None:
    """Writes a fictional world as Wikimedia-format dumps and images."""
    from questloom.pipeline.api import make_world

    made = make_world(
        out,
        articles=articles,
        seed=seed,
        gaps=gaps,
        absent=absent,
        pictures=pictures,
        learning=learning,
        workers=workers,
        progress=True,
    )
    show(
        {"out": str(out), **vars(made)},
        as_json,
        f"{made.pages:,} pages, {made.entities:,} entities and {made.pictures:,} pictures in {out}",
    )


@app.command()
def gather(
    out: Annotated[
        Path, typer.Option(help="Folder of the dumps; files in it are not fetched again.")
    ],
    class_id: Annotated[
        str,
        typer.Option(
            "--class", help="Gather the members of this class, such as Q39715 (lighthouse)."
        ),
    ] = "",
    ids: Annotated[Path | None, typer.Option(help="Or a file of items, one id per line.")] = None,
    titles: Annotated[
        Path | None, typer.Option(help="Or a file of titles of articles, one per line.")
    ] = None,
    articles: Annotated[
        str, typer.Option(help="Or all articles of a dump, a ZIM file or a data set.")
    ] = "",
    category: Annotated[
        str,
        typer.Option(help="Or the articles of a category of the Wikipedia, such as Lighthouses."),
    ] = "",
    category_depth: Annotated[
        int,
        typer.Option(
            min=0,
            max=5,
            help="Number of steps from the category to subcategories whose articles count too.",
        ),
    ] = 2,
    sparql: Annotated[
        str, typer.Option(help="Or the items that a query selects: SELECT ?item WHERE { … }.")
    ] = "",
    complete: Annotated[
        Path | None,
        typer.Option(
            help="Adds what a run's lacking.tsv names, and what was missing, to a gathered folder."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, help="Largest number of anchors of the class, category or query.")
    ] = 500,
    depth: Annotated[
        int,
        typer.Option(
            min=0, max=3, help="Number of steps along claims, from an anchor (an item named above)."
        ),
    ] = 2,
    rivals: Annotated[
        str,
        typer.Option(help="all, or the most members to gather of one class."),
    ] = "2000",
    language: Annotated[str, typer.Option(help="The edition of Wikipedia.")] = "en",
    width: Annotated[
        int, typer.Option(help="Width of the pictures in pixels; Commons must offer it.")
    ] = 960,
    pictures: Annotated[
        Literal["all", "anchors"],
        typer.Option(
            help="Fetch pictures of all entities with an article, or only of the anchors."
        ),
    ] = "all",
    views: Annotated[
        int,
        typer.Option(
            min=0, max=20, help="Largest number of further pictures that depict an anchor."
        ),
    ] = 3,
    page_views: Annotated[
        bool,
        typer.Option(
            "--page-views/--no-page-views",
            help="Fetch how often the articles were viewed in the last 60 days.",
        ),
    ] = True,
    contact: Annotated[
        str, typer.Option(help="Your mail address or page, for the services; or QUESTLOOM_CONTACT.")
    ] = "",
    services: Annotated[
        str,
        typer.Option(help="One address for all services, instead of Wikimedia's."),
    ] = "",
    as_json: Json_ = False,
) -> None:
    """Gathers a slice of Wikidata, Wikipedia and Commons from the live services, as dumps that `ingest` reads.

      questloom gather --class Q39715 --limit 200 --out slice --contact you@example.org

    Shows a plan before the first request. The same command continues where it was stopped; a larger --limit fetches only what is new.
    """
    from questloom.knowledge.gather.request import MAX_CLASS, GatherRequest
    from questloom.pipeline.commands.gather import gather as gather_into
    from questloom.pipeline.commands.gather import (
        lines_of,
        summary_text,
        titles_of_articles,
        what_is_lacking,
    )

    if rivals != "all" and not rivals.isdecimal():
        raise InputError(f"--rivals {rivals}", "is neither all nor a number", "Write all, or 2000")
    if titles and articles:
        raise InputError("gather", "takes --titles or --articles", "Say which things are meant.")
    lacking, ways = what_is_lacking(complete)
    request = GatherRequest(
        class_id=class_id,
        ids=lines_of(ids, "--ids"),
        titles=titles_of_articles(articles, language) if articles else lines_of(titles, "--titles"),
        titles_option=f"--articles {articles}" if articles else "--titles",
        category=category.removeprefix("Category:"),
        category_depth=category_depth,
        page_views=page_views,
        query=sparql,
        lacking=lacking,
        ways=ways,
        limit=limit,
        depth=depth,
        rivals=MAX_CLASS if rivals == "all" else int(rivals),
        language=language,
        width=width,
        views=views,
        all_pictures=pictures == "all",
    )
    made = gather_into(request, out, base=services, contact=contact)
    show({k: v for k, v in made.items() if k != "revisions"}, as_json, summary_text(out, made))


@app.command(context_settings=BEAM)
@with_runner
def ingest(
    ctx: typer.Context,
    store: Annotated[str, typer.Option(help="Folder of the store to write.")],
    articles: Annotated[
        list[str] | None,
        typer.Option(
            help="MediaWiki XML dumps (.xml, .bz2), ZIM files, or data sets in the schema of structured-wikipedia "
            "(.parquet, .jsonl, hf://datasets/ORG/NAME/FOLDER)."
        ),
    ] = None,
    entities: Annotated[
        list[str] | None,
        typer.Option(
            help="Wikidata JSON dumps (.json, .gz, .bz2), or data sets with an entity a row (.parquet, .jsonl, hf://…)."
        ),
    ] = None,
    images: Annotated[
        list[str] | None,
        typer.Option(help="Folders of pictures with metadata.jsonl."),
    ] = None,
    popularity: Annotated[
        str,
        typer.Option(
            help="A TSV file of sitelinks and page views per item: how well known entities are, if the dumps do not "
            "tell."
        ),
    ] = "",
    snapshot: Annotated[
        str,
        typer.Option(
            help="YYYY-MM-DD: the day on which claims must hold. Default: the date in a dump's name."
        ),
    ] = "",
    language: Annotated[
        list[str] | None, typer.Option(help="Languages to keep; default all.")
    ] = None,
    keep_partial: Annotated[
        bool, typer.Option(help="Keep the readable part of damaged dumps.")
    ] = False,
    workers: Workers_ = 0,
    as_json: Json_ = False,
    *,
    runner: "RunnerOptions",
) -> None:
    """Reads dumps into a store."""
    from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
    from questloom.pipeline.runners.progress import staged

    options = IngestOptions(
        store=store,
        articles=tuple(articles or ()),
        entities=tuple(entities or ()),
        images=tuple(images or ()),
        popularity=popularity,
        snapshot=snapshot,
        languages=tuple(language or ()),
        keep_partial=keep_partial,
        workers=workers or cpus(),
        runner=runner,
    )
    with staged() as progress:
        made = run_ingest(options, progress)
    rows = {
        name: facts["rows"] if isinstance(facts, dict) else facts
        for name, facts in made.meta["tables"].items()
    }
    dropped = (
        ", ".join(f"{reason} {count:,}" for reason, count in made.reasons.items()) or "nothing"
    )
    text = f"{store}: {rows['articles']:,} articles, {rows['entities']:,} entities, {rows['claims']:,} claims, {rows['images']:,} pictures; dropped: {dropped}"
    stated = made.meta.get("popularity")
    if stated:
        text += f"\npopularity: {stated['met']:,} of {stated['rows']:,} rows are about things of the store"
    show(
        {
            "store": store,
            "rows": rows,
            "dropped": made.reasons,
            **({"popularity": stated} if stated else {}),
        },
        as_json,
        text,
    )


@app.command(context_settings=BEAM)
@with_runner
def synth(
    ctx: typer.Context,
    store: Store_,
    out: Annotated[
        str, typer.Option(help="The run's folder. An unfinished run in it is continued.")
    ],
    recipe: Annotated[str, typer.Option(help="A YAML file, or a shipped recipe by name.")] = "demo",
    overrides: Set_ = None,
    cache: Cache_ = "",
    workers: Workers_ = 0,
    as_json: Json_ = False,
    *,
    runner: "RunnerOptions",
) -> None:
    """The main job: seeds to certified questions, data set and report.

    The recipe key filters.custom names your own filters as module:Class. The section "Keep a part
    in your own package" of CONTRIBUTING.md explains these filters, and examples/ has one.
    """
    from questloom.pipeline.api import load_recipe, synthesise

    outcome = synthesise(
        load_recipe(recipe, with_cache(overrides, cache)),
        store,
        out,
        workers=workers,
        runner=runner,
        progress=True,
    )
    show(outcome.as_json(), as_json, outcome.as_text())
    raise typer.Exit(outcome.exit_code)


@app.command(context_settings=BEAM)
@with_runner
def teach(
    ctx: typer.Context,
    run: Run_,
    store: Store_,
    engine: Annotated[
        str,
        typer.Option(
            help="Who plays: oracle (a script that makes real tool calls; no model), openai (the endpoint "
            "of the role `agent`), transformers (a local model), server (an inference server of token ids). "
            "Sets teach.engine."
        ),
    ] = "",
    rollouts: Annotated[
        int, typer.Option(min=0, help="Number of episodes for each task. Sets teach.rollouts.")
    ] = 0,
    policy: Annotated[
        str,
        typer.Option(
            help="Name of the episodes' folder, RUN/episodes/POLICY. Only the episodes of `teacher` go into data set and report."
        ),
    ] = "teacher",
    recipe: Annotated[
        str,
        typer.Option(
            help="A recipe with the sections `teach`, `models` and `run`; default: the run's own recipe."
        ),
    ] = "",
    overrides: Set_ = None,
    cache: Cache_ = "",
    workers: Workers_ = 0,
    as_json: Json_ = False,
    *,
    runner: "RunnerOptions",
) -> None:
    """Teacher trajectories: plays a run's questions, judges answers and processes, and keeps the good trajectories.

    The episodes go to RUN/episodes/POLICY; the run's data set and report are built again with them.
    The same command continues an unfinished job: no episode is played twice, and no call is paid
    twice. The keys models.budget_money, models.budget_tokens and models.budget_calls limit the
    teacher's own calls. At the limit the command ends with exit code 3, and the remaining episodes
    wait.

    The recipe's section `teach` has further keys: uses (the questions to play: sft, rl), keep
    (trajectories per task), limits (calls, tokens, seconds, faults) and tools. The key `live`
    replaces the store by the web. The key `reference` names a JSON file of tool-call counts for
    comparison.
    """
    from questloom.pipeline import api

    made = api.teach(
        run,
        store,
        engine=engine,
        rollouts=rollouts,
        policy=policy,
        recipe=recipe,
        overrides=with_cache(overrides, cache),
        workers=workers,
        runner=runner,
        progress=True,
    )
    show(made.as_json(), as_json, made.as_text())
    raise typer.Exit(made.exit_code)


@app.command()
def evolve(
    out: Annotated[
        str,
        typer.Option(
            help="The loop's folder, on a local disk. An unfinished loop in it is continued."
        ),
    ],
    store: Annotated[str, typer.Option(help="The store; required to begin a loop.")] = "",
    recipe: Annotated[
        str,
        typer.Option(
            help="The first recipe, a YAML file or the name of a shipped one; required to begin a loop. Its section `evolve` sets the "
            "rest: rounds, tasks, rollouts, mode, policy, diagnoser, control, train."
        ),
    ] = "",
    number: Annotated[
        int, typer.Option("--round", min=0, help="With --step: the round of which one step runs.")
    ] = 0,
    step: Annotated[
        str, typer.Option(help="The step to run: forward, verify, diagnose, update or train.")
    ] = "",
    overrides: Set_ = None,
    workers: Workers_ = 0,
    as_json: Json_ = False,
) -> None:
    """The closed loop: the policy's failures change the questions of the next round. Each round
    makes a batch of questions, plays it, diagnoses failures, edits the recipe and trains the
    policy.

    The folder OUT/rounds/NN holds each round, with a script run.sh that repeats the round step by
    step. After a kill in any step, the same command continues with that step.
    """
    from questloom.files.opened import Opened
    from questloom.pipeline.evolve.loop import begin_loop, run_loop, run_step
    from questloom.pipeline.evolve.loop_folder import LoopFolder
    from questloom.pipeline.recipe import load_recipe

    loop = (
        begin_loop(out, load_recipe(recipe, tuple(overrides or ())), store)
        if recipe or store
        else LoopFolder(Path(out).absolute())
    )
    with Opened() as opened:
        if number or step:
            run_step(loop, number, step, opened, workers=workers or cpus())
            made = {"loop": str(loop.path), "round": number, "step": step}
        else:
            made = {
                "loop": str(loop.path),
                "report": run_loop(
                    loop,
                    opened,
                    workers=workers or cpus(),
                    say=lambda line: print(line, file=sys.stderr),
                ),
            }
    show(made, as_json, "\n".join(f"{name:<8}{value}" for name, value in made.items()))


@app.command()
def chat(
    store: Store_,
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    picture: Annotated[str, typer.Option(help="The picture that the question is about.")] = "",
    engine: Annotated[
        str,
        typer.Option(
            help="openai (the endpoint of the role `agent`), transformers or server. Sets teach.engine."
        ),
    ] = "openai",
    recipe: Annotated[
        str, typer.Option(help="A recipe with the sections `teach` and `models`.")
    ] = "demo",
    page: Annotated[
        bool, typer.Option("--page", help="Shows the episode on a local page, with its pictures.")
    ] = False,
    by_hand: Annotated[
        bool,
        typer.Option(
            "--by-hand",
            help="You play the question yourself, on a local page with a form for each tool.",
        ),
    ] = False,
    overrides: Set_ = None,
) -> None:
    """Asks an engine one question over a store and shows each turn: thought, call, observation, answer.

    With a model of your own: questloom chat --store STORE --picture tower.jpg --engine transformers --set teach.model=FOLDER "Who built this tower?"

    To see what a policy sees, play a question yourself: questloom chat --store STORE --picture tower.jpg --by-hand "Who built this tower?"
    """
    from questloom.files.opened import Opened
    from questloom.pipeline.commands.chat import chat as ask
    from questloom.pipeline.recipe import load_recipe

    with Opened() as opened:
        settings = load_recipe(recipe, (*(overrides or ()), f"teach.engine={json.dumps(engine)}"))
        episode = ask(
            settings,
            question,
            store=store,
            opened=opened,
            picture=picture,
            say=typer.echo,
            page=page,
            by_hand=by_hand,
        )
    raise typer.Exit(DONE if episode.end == "answered" else FAILED)


app.command()(evaluate)
app.add_typer(training.train, name="train")
app.add_typer(training.forecasts, name="plan")


@training.forecasts.callback()
def plan(
    ctx: typer.Context,
    store: Annotated[
        str, typer.Option("--store", help="An ingested store: a folder, s3://… or gs://….")
    ] = "",
    recipe: Annotated[str, typer.Option()] = "demo",
    overrides: Set_ = None,
    pilot: Annotated[
        int,
        typer.Option(
            min=0,
            help="Runs this number of seeds in --out first; the run then reuses their replies.",
        ),
    ] = 0,
    out: Annotated[str, typer.Option(help="The run's folder, for --pilot.")] = "",
    cache: Cache_ = "",
    workers: Workers_ = 0,
    loop: Annotated[
        bool,
        typer.Option(
            "--loop",
            help="Also forecasts a round of the closed loop, with the formula that gives it.",
        ),
    ] = False,
    lacking: Annotated[
        str,
        typer.Option(
            help="Also plans some seeds, tells which plans they have, and writes into this file what "
            "the store lacks, for gather --complete."
        ),
    ] = "",
    as_json: Json_ = False,
) -> None:
    """Forecasts a run of synth: calls, tokens, money, hours and finished questions, each with a
    range. Without --pilot the forecast costs nothing.

    `plan sft` and `plan grpo` forecast training.
    """
    if ctx.invoked_subcommand:
        return
    training.needs_store(store)
    from questloom.pipeline import api
    from questloom.pipeline.plan.round_forecast import round_forecast

    settings = api.load_recipe(recipe, with_cache(overrides, cache))
    made = api.plan(settings, store, pilot=pilot, out=out, workers=workers, progress=True)
    supply = api.plan_supply(settings, store, lacking, progress=True) if lacking else None
    show(
        made.as_json() | ({"supply": supply.as_json()} if supply else {}),
        as_json,
        "\n".join(
            [
                made.as_text(),
                *(["", round_forecast(settings, made).as_text()] if loop else []),
                *(["", supply.as_text()] if supply else []),
            ]
        ),
    )


@app.command()
def settings(
    beginning: Annotated[
        str,
        typer.Argument(
            metavar="[KEY]",
            help="Show only keys with this beginning, such as draft or teach.limits.",
        ),
    ] = "",
    of: Annotated[
        Literal["recipe", "train"],
        typer.Option(help="Which settings to show: those of a recipe, or those of both trainers."),
    ] = "recipe",
) -> None:
    """Lists every setting of a recipe or of the trainers: default, allowed values, and purpose.
    Without KEY the list is a Markdown page."""
    from questloom.pipeline.settings_reference import reference, settings_lines

    if not beginning:
        typer.echo(reference(of), nl=False)
        return
    found = settings_lines(of, beginning)
    if not found:
        raise InputError(
            f"settings {beginning}", "no key begins so", "`questloom settings` prints all."
        )
    typer.echo("\n".join(found))


@app.command()
def report(run: Run_) -> None:
    """Builds the HTML report of a run. The report opens from a file, without a server or network."""
    from questloom.pipeline.api import load_run

    typer.echo(load_run(run).report())


@app.command()
def audit(
    run: Run_,
    items: Annotated[int, typer.Option(min=1)] = 300,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    read: Annotated[str | None, typer.Option(help="A filled-in sheet (CSV) to read back.")] = None,
    as_json: Json_ = False,
) -> None:
    """Writes a sheet of random kept and rejected items for people to judge. From a filled-in sheet
    the command computes the precision with its interval."""
    from questloom.pipeline.commands.audit import read_sheet, write_sheet

    if read is None:
        typer.echo(write_sheet(run, items=items, seed=seed))
    else:
        result = read_sheet(read, key=f"{run}/audit/key.json")
        show(result.as_json(), as_json, str(result))


@app.command()
def recheck(run: Run_, store: Store_, as_json: Json_ = False) -> None:
    """Checks on a newer store whether the answer to each question of a run is still unique and
    unchanged. The command executes each question's certificate (the query that proves the answer)
    again.

    The command names the questions whose claims have changed. If claims have changed, the exit code
    is 1.
    """
    from questloom.pipeline.commands.recheck import recheck_run

    made = recheck_run(run, store)
    show(made.as_json(), as_json, made.as_text())
    raise typer.Exit(DONE if made.holds else FAILED)


@app.command()
def publish(
    to: Annotated[
        str, typer.Option(help="A folder, s3://…, gs://…, or hf://ORG/NAME (token in HF_TOKEN).")
    ],
    run: Annotated[
        str, typer.Option(help="The folder of the run whose data set is published.")
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            help="The --out folder of `questloom train`; its model is published with a card."
        ),
    ] = "",
    drop: Annotated[
        Path | None,
        typer.Option(
            help="--run: a file of pictures to leave out: Commons names or hashes, one per line."
        ),
    ] = None,
    scores: Annotated[
        str,
        typer.Option(help="--model: a folder of `questloom evaluate`; its scores go on the card."),
    ] = "",
    private: Annotated[
        bool,
        typer.Option("--private", help="Only the owners see a new repository on the Hub."),
    ] = False,
) -> None:
    """Uploads or copies a run's data set or a trained model. With --drop the data set is first
    rebuilt without some pictures.

      questloom publish --run RUN --to hf://my-lab/questions --private

      questloom publish --model grpo --scores results --to hf://my-lab/agent

    The same command continues an interrupted upload.
    """
    from questloom.pipeline.commands import publish as publishing

    if bool(run) == bool(model) or (model and drop) or (run and scores):
        raise InputError(
            "publish",
            "takes --run (with --drop) or --model (with --scores)",
            "Name one of the two.",
        )
    typer.echo(
        publishing.publish(run, to, drop=drop, private=private)
        if run
        else publishing.publish_model(model, to, scores=scores, private=private)
    )


@app.command(context_settings=BEAM)
@with_runner
def doctor(
    ctx: typer.Context,
    recipe: Annotated[
        str, typer.Option(help="Check also this recipe's models and endpoints.")
    ] = "",
    overrides: Set_ = None,
    folder: Annotated[
        list[str] | None,
        typer.Option(help="With --runner: a folder or bucket that the workers must share."),
    ] = None,
    as_json: Json_ = False,
    *,
    runner: "RunnerOptions",
) -> None:
    """Checks what is installed, reachable and configured. With --runner, doctor also checks whether
    a job can run on that runner."""
    from questloom.pipeline.commands.doctor import examine
    from questloom.pipeline.recipe import load_recipe
    from questloom.pipeline.runners.runner_checks import check_runner
    from questloom.pipeline.synth.needed_tools import tools_of_run
    from questloom.transforms.stages.run_folder import absolute

    settings = load_recipe(recipe, tuple(overrides or ())) if recipe else None
    tools = tools_of_run(settings) if settings else ()
    found = examine(settings, check_runner(runner, [absolute(f) for f in folder or ()], tools))
    show(found.as_json(), as_json, found.as_text())
    raise typer.Exit(DONE if found.healthy else FAILED)


def main() -> None:
    """Runs the command line. Every error becomes one message, which names a log with the details
    from Beam and the workers."""
    log_errors_to_file()
    try:
        app()
    except SystemExit as end:  # typer turns Ctrl-C into this exit
        if end.code == STOPPED:
            print("questloom: stopped; repeat the command to go on from here.", file=sys.stderr)
        raise
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # the reader of the output has gone; otherwise Python would complain at exit
        raise SystemExit(FAILED) from None
    except Exception as error:
        raise SystemExit(_told(error)) from None


def _told(error: Exception) -> int:
    """Prints one message about an error. Returns the exit code."""
    known = known_cause(error)
    if isinstance(known, InputError):
        message, code = f"{known.where}: {known.what}.\n  {known.fix}", BAD_INPUT
    elif isinstance(known, ProviderFault):
        message, code = (
            f"{known}.\n  Look at its address and the network; the same command continues from here.",
            FAILED,
        )
    elif known is not None:
        message, code = str(known), DONE if isinstance(known, NothingRun) else FAILED
    else:
        message, code = (
            f"{fault_message(error)}\n  This was not expected; please report it with the log.",
            FAILED,
        )
    # A worker creates the log when it starts. An error of ours with a cause in other code, such as
    # a missing module, then belongs into that log.
    behind = log_path().exists() and error.__cause__ is not None
    if (known is not error or behind) and not isinstance(known, NothingRun):
        note_fault(error)
    print(f"questloom: {_WHERE_IN_BEAM.sub('', message)}", file=sys.stderr)
    if is_log_written():
        print(f"  The log: {log_path()}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
