"""The Python interface; `questloom` gives its names. Each function is what the command does once its line is parsed.

Functions are quiet unless `progress=True`; notes go to the logger `questloom` at level INFO. They raise `questloom.InputError` and other
`questloom.QuestloomError`, and never end the process. Nothing heavy is imported before it is used.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.run import Run, run_at
from questloom.records.errors import InputError, QuestloomError

if TYPE_CHECKING:
    from questloom.files.opened import Opened
    from questloom.knowledge.store.store import Store
    from questloom.knowledge.world.write import WorldSummary
    from questloom.pipeline.evaluate.evaluate_run import Evaluated
    from questloom.pipeline.export.run_end import Outcome
    from questloom.pipeline.ingest.store_job import IngestSummary
    from questloom.pipeline.plan.forecast import Forecast
    from questloom.pipeline.runners.runner_options import RunnerOptions
    from questloom.pipeline.teach.teach_end import TeachOutcome
    from questloom.records.episodes import Episode
    from questloom.records.synthesis import Question

__all__ = [
    "InputError",
    "QuestloomError",
    "Recipe",
    "Run",
    "ingest",
    "load_recipe",
    "load_run",
    "make_world",
    "open_store",
    "plan",
    "play",
    "render_episode",
    "score",
    "synthesise",
    "teach",
]


@contextmanager
def _called(progress: bool = False) -> Iterator[None]:
    """Quiet unless asked; what a library raised of an error of ours is raised as ours."""
    from questloom.pipeline.runners.progress import quiet
    from questloom.pipeline.runners.run_log import known_cause, note_known

    with nullcontext() if progress else quiet():
        try:
            yield
        except QuestloomError:
            raise
        except Exception as error:
            known = known_cause(error)
            if known is None:
                raise
            note_known(error)
            raise known from error


def _load_beam() -> None:
    """Imports Beam, which else warns on stderr of what it does not find, and sets up logging in the user's place."""
    silent = logging.NullHandler()
    logging.getLogger().addHandler(silent)
    try:
        import apache_beam  # noqa: F401
    finally:
        logging.getLogger().removeHandler(silent)


def _workers(workers: int) -> int:
    from questloom.pipeline.runners.runner_kind import cpus

    return workers or cpus()


def make_world(
    out: str | Path,
    *,
    articles: int = 1000,
    seed: int = 7,
    gaps: int = 0,
    absent: float = 0.0,
    pictures: bool = True,
    learning: bool = False,
    workers: int = 1,
    progress: bool = False,
) -> "WorldSummary":
    """Writes a fictional world as Wikimedia-format dumps and pictures: something to try everything on.

    >>> import questloom
    >>> questloom.make_world("another-world", articles=20, seed=3).pictures
    45

    Args:
        out: the folder to write: articles.xml.bz2, entities.json.bz2, images/.
        articles: how many things have an article.
        seed: which world; the same settings give the same bytes.
        gaps: hides claims and items at 0, 1 or 2 times the rates of real tables.
        absent: share of all things of which the dumps have nothing.
        pictures: whether picture files are written.
        learning: the small world in which a tiny policy learns.
        workers: processes; 0 for one a processor.
        progress: shows bars on stderr.

    Raises:
        InputError: a setting is out of range, or the folder holds something else.
    """
    from questloom.knowledge.world.write import write_world
    from questloom.pipeline.runners.progress import staged

    with _called(progress), staged() as moved:
        return write_world(
            Path(out),
            articles=articles,
            seed=seed,
            gaps=gaps,
            absent=absent,
            pictures=pictures,
            learning=learning,
            workers=_workers(workers),
            progress=moved,
        )


def ingest(
    store: str | Path,
    *,
    articles: Sequence[str] = (),
    entities: Sequence[str] = (),
    images: Sequence[str] = (),
    popularity: str = "",
    snapshot: str = "",
    languages: Sequence[str] = (),
    keep_partial: bool = False,
    workers: int = 1,
    progress: bool = False,
) -> "IngestSummary":
    """Reads dumps and folders of pictures into a store; killed, the same call goes on.

    >>> import questloom
    >>> made = questloom.ingest(
    ...     "another-store",
    ...     entities=["world/entities.json.bz2"],
    ...     images=["world/images"],
    ...     snapshot="2026-01-01",
    ... )
    >>> made.meta["tables"]["images"]["rows"]
    113

    Args:
        store: the folder to write.
        articles: MediaWiki XML dumps, ZIM files, or rows of articles, local or on the Hub.
        entities: Wikidata JSON dumps, or rows of entities, local or on the Hub.
        images: folders of pictures with metadata.jsonl.
        popularity: a TSV file of sitelinks and page views by item.
        snapshot: YYYY-MM-DD, the day as of which claims count; "" takes the date in a dump's name.
        languages: those to keep; () keeps all.
        keep_partial: keeps what can be read of damaged dumps.
        workers: processes; 0 for one a processor.
        progress: shows bars on stderr.

    Raises:
        InputError: an input is missing or damaged, or the folder holds another store.
    """
    _load_beam()
    from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
    from questloom.pipeline.runners.progress import staged

    options = IngestOptions(
        store=str(store),
        articles=tuple(articles),
        entities=tuple(entities),
        images=tuple(images),
        popularity=popularity,
        snapshot=snapshot,
        languages=tuple(languages),
        keep_partial=keep_partial,
        workers=_workers(workers),
    )
    with _called(progress), staged() as moved:
        return run_ingest(options, moved)


def open_store(path: str | Path) -> "Store":
    """Opens an ingested store: entities, claims, articles and pictures by id.

    >>> import questloom
    >>> store = questloom.open_store("store")
    >>> store.num_rows("entities"), store.label("Q101401")
    (508, 'bell')

    Raises:
        InputError: no store is there, or it is half-built, damaged or of another version.
    """
    from questloom.knowledge.store.store import Store

    with _called():
        return Store.open(str(path))


def plan(
    recipe: Recipe,
    store: str | Path,
    *,
    pilot: int = 0,
    out: str = "",
    workers: int = 1,
    progress: bool = False,
) -> "Forecast":
    """What a run will take and give: calls, tokens, money, hours and survivors, each with a range. Spends nothing without a pilot.

    >>> import questloom
    >>> made = questloom.plan(questloom.load_recipe("demo", ["seeds.count=40"]), "store")
    >>> made.asked, made.calls.high
    (40, 0.0)

    Args:
        recipe: the settings; `load_recipe` reads them.
        store: an ingested store.
        pilot: so many seeds are run first in `out`; their replies serve the run.
        out: the run's folder, for a pilot.
        workers: processes that the run will have; 0 for one a processor.
        progress: shows bars on stderr.

    Raises:
        InputError: the store or a file of the recipe cannot be read, or a role is not configured well.
    """
    _load_beam()
    from questloom.files.opened import Opened
    from questloom.pipeline.plan import forecast

    with _called(progress), Opened() as opened:
        return forecast(
            recipe,
            store=str(store),
            opened=opened,
            pilot=pilot,
            out=out,
            workers=_workers(workers),
        )


def synthesise(
    recipe: Recipe,
    store: str | Path,
    out: str | Path,
    *,
    workers: int = 1,
    runner: "RunnerOptions | None" = None,
    progress: bool = False,
) -> "Outcome":
    """The main job: seeds to certified questions, data set and report. An unfinished run in `out` is continued.

    >>> import questloom
    >>> recipe = questloom.load_recipe("small.yaml")
    >>> made = questloom.synthesise(recipe, "store", "run")
    >>> made.funnel.counts[-1].num_out, made.message
    (14, '')

    Args:
        recipe: the settings.
        store: an ingested store.
        out: the run's folder.
        workers: processes; 0 for one a processor.
        runner: where it runs; None for this machine.
        progress: shows bars on stderr.

    Returns:
        Where everything is. A run that waits for a provider or for budget is no error: `exit_code` is not 0, and `message` says why.

    Raises:
        InputError: before work starts; or nothing in the store can be a seed.
    """
    _load_beam()
    from questloom.files.opened import Opened
    from questloom.pipeline.export.run_end import finish_run
    from questloom.pipeline.runners.runner_options import LOCAL
    from questloom.pipeline.synth.job import Job
    from questloom.pipeline.synth.synth_job import run_synth

    started = time.time()
    with _called(progress), Opened() as opened:
        funnel = run_synth(
            recipe,
            store=str(store),
            out=str(out),
            opened=opened,
            workers=_workers(workers),
            runner=runner or LOCAL,
        )
        job = Job.at(recipe, run=str(out), store=str(store), opened=opened)
        return finish_run(job, funnel, started=started)


def teach(
    run: str | Path,
    store: str | Path,
    *,
    engine: str = "",
    rollouts: int = 0,
    policy: str = "teacher",
    recipe: str = "",
    overrides: Sequence[str] = (),
    workers: int = 1,
    runner: "RunnerOptions | None" = None,
    progress: bool = False,
) -> "TeachOutcome":
    """Plays a run's questions, judges answers and processes, keeps the good trajectories, and builds data set and report with them.

    >>> import questloom
    >>> made = questloom.teach("run", "store", engine="oracle")
    >>> made.summary.funnel.by_stage["play"].num_out
    10

    Args:
        run: a finished run's folder.
        store: the store that it was made from.
        engine: oracle, openai, transformers or server; "" for the recipe's.
        rollouts: episodes a task; 0 for the recipe's.
        policy: names the episodes' folder, RUN/episodes/POLICY; `teacher`'s reach the data set.
        recipe: a recipe whose sections `teach`, `models` and `run` are taken; "" for the run's own.
        overrides: of its keys, as "teach.keep=2".
        workers: processes; 0 for one a processor.
        runner: where it runs; None for this machine.
        progress: shows bars on stderr.

    Returns:
        What was played. Where something waits, `exit_code` is not 0, and `summary.message` says why.

    Raises:
        InputError: before anything is played.
    """
    _load_beam()
    from questloom.files.opened import Opened
    from questloom.pipeline.plan.teach_forecast import forecast_line
    from questloom.pipeline.runners.progress import say
    from questloom.pipeline.runners.runner_options import LOCAL
    from questloom.pipeline.teach.teach_end import finish_teach
    from questloom.pipeline.teach.teach_job import recipe_for, run_teach

    sets = [
        *overrides,
        *([f"teach.engine={json.dumps(engine)}"] if engine else []),
        *([f"teach.rollouts={rollouts}"] if rollouts else []),
    ]
    with _called(progress), Opened() as opened:
        settings = recipe_for(str(run), recipe, sets)
        if line := forecast_line(settings, str(run)):
            say(line)
        summary = run_teach(
            settings,
            run=str(run),
            store=str(store),
            opened=opened,
            policy=policy,
            workers=_workers(workers),
            runner=runner or LOCAL,
        )
        return finish_teach(str(run), store=str(store), summary=summary, opened=opened)


def load_run(path: str | Path) -> Run:
    """Opens a run's folder to read its questions, rejections and episodes.

    >>> import questloom
    >>> questloom.load_run("run").recipe.name
    'small'

    Raises:
        InputError: the folder holds no run.
    """
    with _called():
        return run_at(str(path))


def play(
    question: "Question | str",
    *,
    store: str | Path,
    recipe: Recipe,
    picture: str | Path | bytes = "",
    watch: Callable[[str], None] | None = None,
    opened: "Opened | None" = None,
) -> "Episode":
    """Plays one episode: the engine of the recipe's section `teach` answers a question over a store with its tools.

    >>> import questloom
    >>> run = questloom.load_run("run")
    >>> first = run.questions[0]
    >>> episode = questloom.play(
    ...     first, store="store", recipe=run.recipe, picture=run.picture(first)
    ... )
    >>> episode.end, episode.answer == first.answer.text
    ('answered', True)

    Args:
        question: of a run, or words.
        store: the store that its tools search.
        recipe: of the run, or one with the engine and its model.
        picture: a file, or its bytes; a run's question needs its own.
        watch: given each turn, and what it observed, as text; `print` shows them as they come.
        opened: keeps models open between calls (`questloom.files.opened.Opened`).

    Raises:
        InputError: the engine lacks something, a tool cannot be had here, the picture cannot be read, or the oracle is asked something new.
    """
    _load_beam()
    from questloom.files.opened import Opened
    from questloom.pipeline.teach.one_episode import play_one, spoken

    with _called(), nullcontext(opened) if opened is not None else Opened() as held:
        return play_one(
            recipe,
            question,
            store=str(store),
            opened=held,
            picture=picture,
            engine_of=lambda made: spoken(made.player.engine, watch or (lambda text: None)),
        )


def render_episode(episode: "Episode") -> str:
    """An episode as text: the question, each turn with what it observed, and the end. Safe to print: nothing in it commands a terminal.

    >>> import questloom
    >>> text = questloom.render_episode(questloom.load_run("run").episodes()[0])
    >>> "── turn 1 ──" in text, "══ answer:" in text
    (True, True)
    """
    from questloom.pipeline.teach.episode_text import episode_text

    return episode_text(episode)


def score(
    benchmark: str | Path,
    out: str | Path,
    *,
    store: str | Path = "",
    engine: str = "",
    modes: Sequence[str] = ("agent",),
    policy: str = "",
    rollouts: int = 0,
    data: str = "",
    pictures: str = "",
    download: bool = False,
    subset: str = "",
    split: str = "benchmark",
    limit: int = 0,
    partial: bool = False,
    against: Sequence[str] = (),
    dialect: str = "questloom",
    prompt: str = "",
    recipe: str = "",
    overrides: Sequence[str] = (),
    workers: int = 1,
    progress: bool = False,
) -> "Evaluated":
    """Scores an agent on a benchmark or on a split of a run, with intervals. An unfinished evaluation is continued.

    >>> import questloom
    >>> made = questloom.score("run", "scores", store="store", engine="oracle", split="sft/train")
    >>> made.scores[0]["strict"]["pass@k"]["1"]["value"]
    0.625

    Args:
        benchmark: a name (`questloom evaluate --list`), or a run's folder.
        out: the folder of evaluations; its tables show all that it holds.
        store: what the tools search; for a run its own.
        engine: openai, transformers, server, or oracle for runs; "" for the recipe's.
        modes: of direct, image_search, text_search and agent.
        policy: names the agent in tables; "" for its model's name.
        rollouts: attempts a question; 0 for the recipe's.
        data: the benchmark's file or folder here.
        pictures: the folder of its pictures; "" for where the rows are.
        download: fetches it from the Hub.
        subset: a published subset.
        split: of a run.
        limit: the first so many questions; 0 for all.
        partial: takes fewer questions than the benchmark has.
        against: data sets that the agent was trained on; what of the benchmark is in them is reported.
        dialect: how the agent speaks.
        prompt: the agent's own system message; "" for ours.
        recipe: whose sections `teach`, `models` and `run` are taken; "" for the run's.
        overrides: of its keys, as "teach.model=FOLDER".
        workers: processes; 0 for one a processor.
        progress: shows bars on stderr.

    Raises:
        InputError: before anything is played.
    """
    _load_beam()
    from questloom.eval.modes import Mode
    from questloom.files.opened import Opened
    from questloom.pipeline.evaluate.benchmark_folder import BenchmarkRequest
    from questloom.pipeline.evaluate.evaluate_run import Wanted, evaluate, evaluation_recipe

    unknown = next((m for m in modes if m not in list(Mode)), None)
    if unknown is not None:
        raise InputError(f"--mode {unknown}", "is unknown", f"Known: {', '.join(Mode)}.")
    request = BenchmarkRequest(
        benchmark=str(benchmark),
        data=data,
        pictures=pictures,
        download=download,
        subset=subset,
        split=split,
        limit=limit,
        partial=partial,
    )
    sets = [
        *overrides,
        *([f"teach.engine={json.dumps(engine)}"] if engine else []),
        *([f"teach.rollouts={rollouts}"] if rollouts else []),
    ]
    wanted = Wanted(
        out=str(out),
        modes=tuple(dict.fromkeys(Mode(m) for m in modes)),
        policy=policy,
        dialect=dialect,
        store=str(store) if store else "",
        prompt=prompt,
        against=tuple(against),
        workers=_workers(workers),
    )
    with _called(progress), Opened() as opened:
        return evaluate(evaluation_recipe(request, recipe, sets), request, wanted, opened)
