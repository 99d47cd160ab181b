"""`questloom evaluate`: modes side by side, resume, identical scores from one cache, failed cases in the denominator, and what is refused."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.mock_endpoint import running
from questloom.agent.setup import engine_override_key
from questloom.eval.items import Attempt
from questloom.eval.modes import Mode
from questloom.files.opened import Opened
from questloom.models.picture_file import decode
from questloom.pipeline.cli import app
from questloom.pipeline.evaluate.benchmark_folder import BenchmarkRequest
from questloom.pipeline.evaluate.evaluate_run import Wanted, evaluate, evaluation_recipe
from questloom.pipeline.export.dataset import export_dataset
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError, ProviderFault
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from tests.agent import tiny
from tests.agent.small_provider import ScriptedEngine, answer
from tests.pipeline.export import finished_run as world
from tests.pipeline.export import taught as teacher
from tests.small_sandboxes import unconfined

QUESTIONS = (4, 10, 16, 22)
"""The run's benchmark."""
TOOLS = {"tools": {"tools": ["image_search", "text_search", "crop"], "max_new_pictures": 2}}


def run_of(made: Path, folder: Path) -> Path:
    """The run and its store, side by side."""
    shutil.copytree(made / "store", folder / "store")
    return teacher.copy_of(made, folder)


def number(conversation) -> int:
    return teacher.NUMBERS[conversation.task_id]


def policy(conversation) -> str:
    """Right after a crop; without tools right for one question of four; a turn out of format for question 22."""
    n, last = (
        number(conversation),
        conversation.exchanges[-1].turn if conversation.exchanges else None,
    )
    if n == 22:
        return "I do not know these tags."
    if "You have no tools" in str(conversation.opening[0].parts[0]):
        return answer(f"Answer {n}" if n == 4 else "somebody")
    if last is None:
        return teacher.call("crop", handle="<image:0>", box=[100, 100, 800, 800])
    return answer(
        f"Answer {n}"
        if last.call.name == "crop" or n < 11
        else "nobody, or perhaps Answer 16, or Answer 17"
    )


def played(
    run: Path,
    out: Path,
    say=policy,
    *,
    modes=tuple(Mode),
    opened: Opened | None = None,
    name: str = "tiny",
    **options,
):
    """Evaluates a scripted policy."""
    engine = ScriptedEngine(say)
    recipe = recipe_of(
        {
            "name": "e",
            "seed": 3,
            "run": {"shards": 2},
            "teach": {"engine": "openai", **TOOLS, **options.pop("teach", {})},
            "models": {
                "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
                "roles": {"agent": {"endpoint": "e", "model": "m"}},
            },
        },
        "test",
    )
    with opened or Opened() as shared:
        shared.put(engine_override_key("openai"), engine)
        made = evaluate(
            recipe,
            BenchmarkRequest(benchmark=str(run), **options.pop("asked", {})),
            Wanted(
                out=str(out), modes=modes, policy=name, store=str(run.parent / "store"), **options
            ),
            shared,
        )
    return made, engine


@pytest.fixture(scope="module")
def results(made, tmp_path_factory):
    """All four modes on the small run's benchmark, with its own data set as training data."""
    folder = tmp_path_factory.mktemp("evaluated")
    run = run_of(made, folder)
    with Opened() as opened:
        export_dataset(
            Job.at(teacher.settings(), run=str(run), store=str(folder / "store"), opened=opened)
        )
    made_, _ = played(run, folder / "out", against=(str(run / "dataset"),))
    return folder, made_


def by_mode(made) -> dict[str, dict]:
    return {scores["mode"]: scores for scores in made.scores}


def test_the_modes_show_what_the_tools_add_and_a_turn_out_of_format_stays_in_the_denominator(
    results,
):
    found = by_mode(results[1])
    assert {mode: scores["strict"]["pass@k"]["1"]["value"] for mode, scores in found.items()} == {
        "direct": 0.25,
        "image_search": 0.5,
        "text_search": 0.5,
        "agent": 0.75,
    }
    assert all(
        scores["attempts"] == 4 == sum(scores["strict"]["outcomes"].values()) and scores["whole"]
        for scores in found.values()
    )
    assert (
        found["agent"]["ends"] == {"answered": 3, "format": 1}
        and found["agent"]["strict"]["outcomes"]["no_answer"] == 1
    )
    assert found["direct"]["calls"]["mean"] == 0 and found["image_search"]["calls"]["by_tool"] == {
        "image_search": 4
    }


def test_the_lenient_judge_accepts_an_answer_among_others_and_the_strict_one_does_not(results):
    found = by_mode(results[1])["text_search"]
    assert (
        found["lenient"]["pass@k"]["1"]["value"] == 0.75 > found["strict"]["pass@k"]["1"]["value"]
    )


def test_what_is_in_the_training_data_is_told_with_every_score(results):
    for scores in results[1].scores:
        assert (
            scores["contamination"]["questions"] == 4 and scores["contamination"]["entities"] == 0
        )
        assert (
            scores["contamination"]["training_rows"] > 0
            and "pass@1 on clean questions" in scores["strict"]
        )


def test_tables_and_plot_hold_every_mode(results):
    out = results[0] / "out"
    rows = list(csv.DictReader((out / "scores.csv").open()))
    assert [row["mode"] for row in rows] == [
        "agent",
        "direct",
        "image_search",
        "text_search",
    ] and rows[0]["strict pass@1"].startswith("75.0 [")
    assert (out / "scores.md").read_text().count("| tiny |") == 4
    assert (
        "<td>tiny</td>" in (out / "scores.html").read_text()
        and decode((out / "calls.png").read_bytes()).width > 300
    )


def test_nothing_is_played_again_and_the_scores_files_are_the_same_bytes(results):
    folder, _ = results
    files = {p: p.read_bytes() for p in sorted((folder / "out").rglob("scores.json"))}
    _, engine = played(folder / "run", folder / "out", against=(str(folder / "run" / "dataset"),))
    assert engine.num_steps == 0 and len(files) == 4 and {p: p.read_bytes() for p in files} == files


def test_the_right_page_of_a_question_is_not_found_by_its_own_picture(results):
    folder = EpisodeFolder(str(results[0] / "out" / "run-benchmark" / "tiny" / "image_search"))
    for attempt in folder.read(folder.label("play"), "kept", Attempt):
        assert attempt.item.withheld and attempt.episode.turns[0].call.name == "image_search"


def test_pass_at_k_counts_all_attempts_and_an_unfinished_evaluation_says_so_and_goes_on(
    made, tmp_path
):
    run, broken = run_of(made, tmp_path), [True]

    def say(conversation):
        if number(conversation) == 4 and broken[0]:
            return ProviderFault("e", "the server is down", retryable=True)
        return answer(f"Answer {number(conversation)}" if conversation.rollout % 2 else "nobody")

    first, _ = played(run, tmp_path / "out", say, modes=(Mode.DIRECT,), teach={"rollouts": 4})
    scores = first.scores[0]
    assert (
        first.exit_code == 1
        and "Run the same command again" in first.message
        and not scores["whole"]
    )
    assert scores["strict"]["outcomes"]["not_played"] == 4 and scores["strict"]["pass@k"]["1"][
        "value"
    ] == pytest.approx(0.375)
    assert "unfinished" in (tmp_path / "out" / "scores.md").read_text()
    broken[0] = False
    second, engine = played(run, tmp_path / "out", say, modes=(Mode.DIRECT,), teach={"rollouts": 4})
    scores = second.scores[0]
    assert engine.num_steps == 4 and second.exit_code == 0 and scores["whole"]
    assert scores["strict"]["by_rollout"] == [0, 1, 0, 1] and scores["strict"]["pass@k"]["2"][
        "value"
    ] == pytest.approx(1 - 1 / 6, abs=1e-6)
    assert scores["strict"]["pass@k"]["4"]["value"] == 1


def test_a_policy_that_was_taught_by_the_brief_prompt_is_asked_by_it(made, tmp_path):
    heard = set()

    def say(conversation):
        heard.add(str(conversation.opening[0].parts[0]))
        return answer("nobody")

    played(
        run_of(made, tmp_path),
        tmp_path / "out",
        say,
        modes=(Mode.DIRECT, Mode.AGENT),
        teach={"tools": TOOLS["tools"] | {"brief": True}},
    )
    assert sorted(words.split("\n")[1:] for words in heard) == [
        [],
        ["text_search(query)", "image_search()", "crop(handle, box)"],
    ]


def test_two_runs_from_one_cache_of_an_endpoint_give_the_same_scores_files_and_ask_nothing_twice(
    made, tmp_path
):
    run = run_of(made, tmp_path)
    with running() as url:
        recipe = recipe_of(
            {
                "name": "e",
                "seed": 3,
                "run": {"shards": 2, "calls": str(tmp_path / "calls.sqlite")},
                "teach": {"engine": "openai", "rollouts": 2, "tools": {"tools": ["text_search"]}},
                "models": {
                    "endpoints": [
                        {
                            "name": "mock",
                            "base_url": url,
                            "prices": {"agent:2": {"tokens_in": 1.0, "tokens_out": 1.0}},
                        }
                    ],
                    "roles": {"agent": {"endpoint": "mock", "model": "agent:2"}},
                },
            },
            "test",
        )
        for out in ("one", "two"):
            with Opened() as opened:
                made_ = evaluate(
                    recipe,
                    BenchmarkRequest(benchmark=str(run)),
                    Wanted(
                        out=str(tmp_path / out), modes=(Mode.AGENT,), store=str(tmp_path / "store")
                    ),
                    opened,
                )
    one, two = (
        (tmp_path / out / "run-benchmark" / "agent_2" / "agent" / "scores.json").read_bytes()
        for out in ("one", "two")
    )
    assert one == two and json.loads(one)["cost"] > 0
    assert sum(line["num_calls"] for line in made_.cost) == 4 * 2 * 3


def outside_file(folder: Path) -> Path:
    """Twelve questions of WebWatcher's form, of which one names a picture by its address."""
    (folder / "pictures").mkdir(parents=True)
    lines = []
    for n in range(12):
        (folder / "pictures" / f"p{n}.png").write_bytes(tiny.picture(n, (80, 60)))
        name = f"https://somewhere.example/x/p{n}.png" if n == 3 else f"images/p{n}.png"
        lines.append(
            json.dumps(
                {
                    "question": f"Which bridge is number {n} here?",
                    "image_path": name,
                    "answers": [f"Bridge {n}", f"B{n}"],
                    "domain": "TV",
                }
            )
        )
    (folder / "bc_vl_level1.jsonl").write_text("\n".join(lines))
    return folder / "bc_vl_level1.jsonl"


def test_an_outside_benchmark_is_read_and_published_scores_stand_below_ours(made, tmp_path):
    path = outside_file(tmp_path / "data")
    recipe = recipe_of(
        {
            "name": "e",
            "run": {"shards": 2},
            "teach": {"engine": "openai"},
            "models": {
                "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
                "roles": {"agent": {"endpoint": "e", "model": "m"}},
            },
        },
        "test",
    )
    asked = BenchmarkRequest(
        benchmark="browsecomp_vl_1",
        data=str(path),
        pictures=str(tmp_path / "data" / "pictures"),
        partial=True,
    )
    with Opened() as opened:
        opened.put(
            engine_override_key("openai"),
            ScriptedEngine(lambda c: "<think>Seen.</think>It is Bridge 3."),
        )
        found = evaluate(
            recipe,
            asked,
            Wanted(out=str(tmp_path / "out"), modes=(Mode.DIRECT,), dialect="plain", policy="m"),
            opened,
        ).scores[0]
    assert (
        found["benchmark"]["partial"]
        and found["benchmark"]["read"] == 12
        and found["strict"]["outcomes"]["correct"] == 1
    )
    table = (tmp_path / "out" / "scores.md").read_text()
    assert (
        "12 partial" in table
        and "VSearcher-8B" in table
        and "published: OpenSearch-VL" in table
        and "not looked for" in table
    )


@pytest.mark.parametrize(
    ("asked", "wanted", "said"),
    [
        ({"benchmark": "mmsearch"}, {}, "nothing is fetched unless it is asked for"),
        ({"benchmark": "nowhere"}, {}, "neither a benchmark nor a run"),
        ({"benchmark": "mm_browsecomp", "download": True}, {}, "does not lie on the Hub"),
        (
            {"benchmark": "browsecomp_vl_1", "data": "DATA"},
            {},
            "199 questions by its statement, but 12 were read",
        ),
        ({"benchmark": "browsecomp_vl_1", "data": "DATA", "partial": True}, {}, "is not in"),
        (
            {"benchmark": "browsecomp_vl_1", "data": "DATA", "subset": "ode", "partial": True},
            {},
            "none that browsecomp_vl_1 has",
        ),
        ({}, {"modes": ()}, "--mode: is missing"),
        ({}, {"modes": (Mode.AGENT,), "store": ""}, "nothing to be searched"),
        ({}, {"modes": (Mode.AGENT,), "dialect": "plain"}, "has no tools"),
        ({}, {"dialect": "klingon"}, "is unknown"),
        ({}, {"policy": "../x"}, "no name for a folder"),
        ({"split": "rl/nothing"}, {}, "holds no certified question"),
        ({"data": "DATA"}, {}, "belongs to outside benchmarks"),
        ({}, {"against": ("EMPTY",)}, "holds no Parquet file"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_before_anything_is_played(
    made, tmp_path, asked, wanted, said
):
    run, path = run_of(made, tmp_path), outside_file(tmp_path / "data")
    (tmp_path / "empty").mkdir()
    words = {"DATA": str(path), "EMPTY": str(tmp_path / "empty")}
    asked = {"benchmark": str(run)} | {
        k: words.get(v, v) if isinstance(v, str) else v for k, v in asked.items()
    }
    wanted = {"modes": (Mode.DIRECT,), "store": str(tmp_path / "store"), "policy": "p"} | wanted
    wanted["against"] = [words.get(v, v) for v in wanted.get("against", ())]
    recipe = recipe_of(
        {
            "name": "e",
            "teach": {"engine": "openai", **TOOLS},
            "models": {
                "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
                "roles": {"agent": {"endpoint": "e", "model": "m"}},
            },
        },
        "test",
    )
    with Opened() as opened:
        opened.put(engine_override_key("openai"), ScriptedEngine(lambda c: pytest.fail("played")))
        with pytest.raises(InputError, match=said):
            evaluate(
                recipe,
                BenchmarkRequest(**asked),
                Wanted(out=str(tmp_path / "out"), **wanted),
                opened,
            )


def test_the_oracle_plays_runs_only_and_with_its_tools(made, tmp_path):
    run = run_of(made, tmp_path)
    recipe = recipe_of({"name": "e", "teach": {"engine": "oracle", **TOOLS}}, "test")
    for asked, mode, said in (
        (BenchmarkRequest(benchmark="mmsearch"), Mode.AGENT, "other benchmarks have none"),
        (BenchmarkRequest(benchmark=str(run)), Mode.DIRECT, "with tools"),
    ):
        with pytest.raises(InputError, match=said), Opened() as opened:
            evaluate(
                recipe,
                asked,
                Wanted(out=str(tmp_path / "out"), modes=(mode,), store=str(tmp_path / "store")),
                opened,
            )


def test_a_tool_that_cannot_be_had_here_and_other_settings_in_one_folder_are_refused(
    made, tmp_path
):
    run = run_of(made, tmp_path)
    with pytest.raises(InputError, match="python_interpreter: cannot be had"):
        played(
            run,
            tmp_path / "out",
            modes=(Mode.AGENT,),
            opened=unconfined(),
            teach={"tools": {"tools": ["python_interpreter"]}},
        )
    played(run, tmp_path / "out", modes=(Mode.DIRECT,))
    with pytest.raises(InputError, match="played with other settings"):
        played(run, tmp_path / "out", modes=(Mode.DIRECT,), teach={"rollouts": 2})
    played(run, tmp_path / "out2", modes=(Mode.DIRECT,), asked={"limit": 2})
    with pytest.raises(InputError, match="another reading"):
        played(run, tmp_path / "out2", modes=(Mode.DIRECT,), asked={"limit": 3})


def test_an_override_of_the_questions_is_refused(made, tmp_path):
    run = run_of(made, tmp_path)
    assert (
        evaluation_recipe(
            BenchmarkRequest(benchmark=str(run)), overrides=("teach.rollouts=3",)
        ).teach.rollouts
        == 3
    )
    with pytest.raises(InputError, match="nothing that an evaluation may set"):
        evaluation_recipe(BenchmarkRequest(benchmark=str(run)), overrides=("seeds.count=3",))


def test_help_teaches_and_the_list_shows_every_benchmark(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    said = " ".join(CliRunner().invoke(app, ["evaluate", "--help"]).stdout.split())
    for words in (
        "--benchmark",
        "Scores always count every question, also unanswered ones",
        "--against",
        "opensearch_vl",
        "the highest possible score",
        "--rollouts 4",
    ):
        assert words in said
    listed = CliRunner().invoke(app, ["evaluate", "--list"]).stdout
    assert (
        "mm_searchexam" in listed
        and "vsearcher 171" in listed
        and "no       the data set sensenova/HR-MMSearch" in listed
    )
    one = CliRunner().invoke(app, ["evaluate", "--list", "--benchmark", "mmsearch"]).stdout
    assert (
        one.startswith("mmsearch: ") and " published scores" in one and "mm_searchexam" not in one
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--out", "x"], "--benchmark"),
        (["--benchmark", "mmsearch"], "--out"),
        (["--list", "--benchmark", "mmsaerch"], "no benchmark that --list knows"),
        (["--benchmark", "mmsearch", "--out", "x", "--mode", "telepathy"], "telepathy"),
    ],
)
def test_a_command_that_lacks_something_says_what(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(app, ["evaluate", *arguments])
    assert isinstance(found.exception, InputError) and said in str(found.exception)


def test_the_worlds_benchmark_is_what_the_tests_take_it_for():
    assert (
        tuple(n for n in range(world.NUM_QUESTIONS) if world.split_of(n) == "benchmark")
        == QUESTIONS
    )
