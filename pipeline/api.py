"""Questloom's Python interface. The package `questloom` exports the names in this module. Each
function does what the command of the same name does.

Functions print nothing unless `progress=True`; notes go to the logger `questloom` at level INFO.
Functions raise `questloom.InputError` or another `questloom.QuestloomError`, and never end the
process. Heavy libraries are imported only when they are used.
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
    from questloom.pipeline.plan.plan_supply import PlanSupply
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
    """Prints nothing unless `progress` is true. If a library wraps an error of Questloom in its own
    error, Questloom's error is raised."""
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
    """Imports Beam without its warnings on stderr about optional packages, and without its change
    of the logging setup."""
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
    """Writes a fictional world as Wikimedia-format dumps and pictures, to try all functions on.

    >>> import questloom
    >>> questloom.make_world("another-world", articles=20, seed=3).pictures
    45

    Args:
        out: the folder to write: articles.xml.bz2, entities.json.bz2, images/.
        articles: the number of entities with an article.
        seed: selects the world; the same settings give the same bytes.
        gaps: 0, 1 or 2; how often the dump leaves out claims and items, as a multiple of the rate
            in real data.
        absent: share of entities that the dumps leave out.
        pictures: whether picture files are written.
        learning: writes the small world in which a tiny policy (the model that plays) can learn.
        workers: processes; 0 for one per processor.
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
    """Reads dumps and folders of pictures into a store. If the process is killed, the same call
    continues the work.

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
        articles: MediaWiki XML dumps, ZIM files, or rows of articles, local or on the Hugging Face
            Hub.
        entities: Wikidata JSON dumps, or rows of entities, local or on the Hugging Face Hub.
        images: folders of pictures with metadata.jsonl.
        popularity: a TSV file of sitelinks and page views by item.
        snapshot: the day on which claims must hold, YYYY-MM-DD; "" takes the date in a dump's name.
        languages: the languages to keep; () keeps all.
        keep_partial: keeps the readable part of damaged dumps.
        workers: processes; 0 for one per processor.
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
        InputError: there is no store, or the store is incomplete, damaged or has another version.
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
    """Forecasts a run: calls, tokens, money, hours and finished questions, each with a range.
    Without a pilot (a small trial run) the forecast costs nothing.

    >>> import questloom
    >>> made = questloom.plan(questloom.load_recipe("demo", ["seeds.count=40"]), "store")
    >>> made.asked, made.calls.high
    (40, 0.0)

    Args:
        recipe: the settings; `load_recipe` reads them.
        store: an ingested store.
        pilot: the number of seeds for a trial run in `out`; the real run later reuses the trial's
            replies.
        out: the run's folder, for a pilot.
        workers: processes that the run will have; 0 for one per processor.
        progress: shows bars on stderr.

    Raises:
        InputError: the store or a file of the recipe cannot be read, or the recipe configures a
            model role wrongly.
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


def plan_supply(
    recipe: Recipe, store: str | Path, lacking: str, *, progress: bool = False
) -> "PlanSupply":
    """Plans some seeds of a store without words, and writes into a file what the store lacks for
    more plans. Calls no model.

    Args:
        recipe: the settings; `load_recipe` reads them.
        store: an ingested store.
        lacking: the file to write, for `questloom gather --complete`.
        progress: shows a bar on stderr.

    Raises:
        InputError: the store cannot be read, it has no seeds, or the file cannot be written.
    """
    _load_beam()
    from questloom.files.opened import Opened
    from questloom.pipeline.plan.plan_supply import measure_supply
    from questloom.pipeline.runners.progress import staged

    with _called(progress), Opened() as opened, staged("plan") as moved:
        return measure_supply(recipe, str(store), lacking, opened, moved)


def synthesise(
    recipe: Recipe,
    store: str | Path,
    out: str | Path,
    *,
    workers: int = 1,
    runner: "RunnerOptions | None" = None,
    progress: bool = False,
) -> "Outcome":
    """The main job, which turns seeds (the items from which questions start) into certified
    questions, and writes a data set and a report. The function continues an unfinished run in
    `out`.

    >>> import questloom
    >>> recipe = questloom.load_recipe("small.yaml")
    >>> made = questloom.synthesise(recipe, "store", "run")
    >>> made.funnel.counts[-1].num_out, made.message
    (10, '')

    Args:
        recipe: the settings.
        store: an ingested store.
        out: the run's folder.
        workers: processes; 0 for one per processor.
        runner: where the job runs; None for this machine.
        progress: shows bars on stderr.

    Returns:
        The paths of the run's results. If the run waits for a provider or for budget, the function
        returns normally: the result's `exit_code` is not 0, and `message` says why.

    Raises:
        InputError: an input is wrong, or no entity of the store can be a seed. Wrong inputs are
            found before the job starts.
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
    """Lets a policy (the agent that answers) play a run's questions. The judges score answers and
    processes; the good trajectories go into data set and report.

    >>> import questloom
    >>> made = questloom.teach("run", "store", engine="oracle")
    >>> made.summary.funnel.by_stage["play"].num_out
    8

    Args:
        run: a finished run's folder.
        store: the store of the run.
        engine: oracle, openai, transformers or server; "" takes the engine of the recipe.
        rollouts: episodes per task; 0 takes the number in the recipe.
        policy: the name of the episodes' folder, RUN/episodes/POLICY. Only the episodes of
            `teacher` go into the data set.
        recipe: a recipe with the sections `teach`, `models` and `run`; "" for the run's own recipe.
        overrides: values for the recipe's keys, such as "teach.keep=2".
        workers: processes; 0 for one per processor.
        runner: where the job runs; None for this machine.
        progress: shows bars on stderr.

    Returns:
        A summary of the played episodes. If some episodes are still waiting, `exit_code` is not 0,
        and `summary.message` says why.

    Raises:
        InputError: an input is wrong; the error comes before the first episode.
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
    """Plays one episode: the engine of the recipe's section `teach` answers a question with tools that search a store.

    >>> import questloom
    >>> run = questloom.load_run("run")
    >>> first = run.questions[0]
    >>> episode = questloom.play(
    ...     first, store="store", recipe=run.recipe, picture=run.picture(first)
    ... )
    >>> episode.end, episode.answer == first.answer.text
    ('answered', True)

    Args:
        question: a question of a run, or a text.
        store: the store that the tools search.
        recipe: the run's recipe, or another recipe that configures the engine and its model.
        picture: a file, or its bytes. A question of a run must be given its own picture.
        watch: a function, called with the text of each turn and its observation; `print` shows them
            as they come.
        opened: keeps models loaded between calls (`questloom.files.opened.Opened`).

    Raises:
        InputError: the engine lacks a requirement, a tool is not available here, the picture cannot
            be read, or the oracle gets a question that is not of a run.
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
    """An episode as text: the question, each turn with its observation, and the end. The text of
    the episode is safe to print: it contains no terminal control codes.

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
    """Scores an agent on a benchmark or on a split of a run, with intervals. The same call
    continues an evaluation that was not finished.

    >>> import questloom
    >>> made = questloom.score("run", "scores", store="store", engine="oracle", split="sft/train")
    >>> made.scores[0]["strict"]["pass@k"]["1"]["value"]
    0.8

    Args:
        benchmark: a name (`questloom evaluate --list`), or a run's folder.
        out: the folder of evaluations; its tables show all evaluations in the folder.
        store: the store that the tools search; for a run, the run's own store.
        engine: openai, transformers or server, or oracle if the benchmark is a run; "" takes the
            engine of the recipe.
        modes: any of direct, image_search, text_search and agent.
        policy: the agent's name in tables; "" takes the name of its model.
        rollouts: attempts per question; 0 takes the number in the recipe.
        data: a local file or folder of the benchmark.
        pictures: the folder of the benchmark's pictures; "" takes the folder of its rows.
        download: fetches the benchmark from the Hugging Face Hub.
        subset: the name of a published subset.
        split: the split of a run.
        limit: takes only this number of questions from the start; 0 for all.
        partial: allows fewer questions than the benchmark has.
        against: data sets that the agent was trained on; the result lists the benchmark questions
            that these data sets contain.
        dialect: the format of the agent's tool calls and answers.
        prompt: the agent's own system message; "" takes Questloom's message.
        recipe: a recipe with the sections `teach`, `models` and `run`; "" for the run's own recipe.
        overrides: values for the recipe's keys, such as "teach.model=FOLDER".
        workers: processes; 0 for one per processor.
        progress: shows bars on stderr.

    Raises:
        InputError: an input is wrong; the error comes before the first episode.
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
