"""`questloom demo-train`: what it is given, what it tells, its page; and the whole of it, killed twice, at the smallest volume."""

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from questloom.files.parquet import write_records
from questloom.pipeline.cli import app, main
from questloom.pipeline.commands import demo_train
from questloom.pipeline.commands.demo_train import (
    BASE,
    LEARNED,
    TUNED,
    bars,
    held_out,
    run_demo_train,
    summary,
    training,
    values,
)
from questloom.pipeline.commands.demo_train_page import chosen, curve, measured, write_page
from questloom.pipeline.runners.run_log import VARIABLE
from questloom.records.episodes import Episode, ToolCall, ToolResult, Turn
from questloom.records.errors import QuestloomError
from questloom.records.identity import sha256_hex
from questloom.records.trajectories import AnswerVerdict, Trajectory
from tests.agent import tiny
from tests.pipeline.browser import CHROMIUM, Page
from tests.transforms.episodes.made import trajectory

PICTURE = tiny.picture(1)
SHOWN = sha256_hex(PICTURE)
HOSTILE = "<img src=x onerror=alert(1)></pre><script>alert(2)</script>"
ROOT = Path(__file__).parents[3]


def episode(number: int, right: bool, *, said: str = "Ada Lund") -> Trajectory:
    """A search and an answer."""
    call = Turn(
        text="…",
        thought=f"blue tower {said}",
        call=ToolCall(name="text_search", arguments={"query": said}),
        result=ToolResult(status="ok", text=f"[1] {said}"),
    )
    played = Episode(
        task_id=f"q{number}",
        rollout=0,
        engine="transformers",
        model="m",
        question=f"Who built tower {number}? {said}",
        turns=(call, Turn(text="…", thought="so", answer=said)),
        end="answered",
        answer=said,
    )
    return trajectory(
        played,
        verdict=AnswerVerdict(outcome="correct" if right else "wrong", by="rules"),
        image_id=SHOWN,
    )


def broken(number: int) -> Trajectory:
    """Nothing but a turn that keeps to no protocol."""
    played = Episode(
        task_id=f"q{number}",
        rollout=0,
        engine="transformers",
        model="m",
        question=f"Who built tower {number}?",
        turns=(
            Turn(
                text="gibberish",
                violation="no_thought",
                result=ToolResult(status="model_fault", text="not understood"),
            ),
        ),
        end="fatal",
    )
    return trajectory(
        played, verdict=AnswerVerdict(outcome="no_answer", by="rules"), image_id=SHOWN
    )


PLAYED = {
    BASE: [broken(n) for n in range(4)],
    TUNED: [episode(n, n > 2) for n in range(4)],
    LEARNED: [episode(n, n > 0, said=HOSTILE) for n in range(4)],
}
FIGURES = {"reward of GRPO's rollouts": [(1, 0.25), (2, 0.5), (3, 0.75)], "nothing": []}


@pytest.fixture
def page(tmp_path) -> Path:
    path = tmp_path / "run" / "pictures" / f"{SHOWN}.jpg"
    path.parent.mkdir(parents=True)
    path.write_bytes(PICTURE)
    return write_page(tmp_path, PLAYED, FIGURES)


def test_figures_are_shares_of_episodes_and_of_turns():
    assert measured(PLAYED[BASE]) == {"reward": 0, "valid turns": 0, "tool use": 0, "turns": 1}
    assert measured(PLAYED[LEARNED]) == {
        "reward": 0.75,
        "valid turns": 1,
        "tool use": 1,
        "turns": 2,
    }


def test_the_terminal_has_every_model_before_and_after_and_the_curve_of_the_reward():
    told = summary({name: measured(found) for name, found in PLAYED.items()}, [0.1, 0.9])
    assert told[0].split() == ["held-out", "questions", "base", "after", "SFT", "after", "GRPO"]
    assert [line.split()[-3:] for line in told if line.startswith(("reward  ", "valid turns"))] == [
        ["0.000", "0.250", "0.750"],
        ["0.000", "1.000", "1.000"],
    ]
    assert told[-1].endswith("0.100 ▁█ 0.900") and bars([1.0, 1.0]) == "▁▁"


def test_what_was_taught_comes_first_and_what_was_not_is_shown_too():
    shown = [some[LEARNED].question_id for some in chosen(PLAYED)]
    assert shown == ["q1", "q2", "q3", "q0"], "taught, right before and after, still wrong"


def test_models_that_played_other_questions_are_not_put_side_by_side():
    with pytest.raises(AssertionError, match="same questions"):
        chosen({**PLAYED, LEARNED: [episode(9, True)] * 4})


def test_a_curve_without_a_spread_is_a_line_and_one_of_hundreds_has_no_dots():
    assert (
        curve("c", [(1, 0.5), (2, 0.5)]).line == "28,136 392,136"
        and len(curve("c", [(1, 0.5), (2, 0.5)]).points) == 2
    )
    assert curve("c", [(n, n / 300) for n in range(300)]).points == ()


def test_nothing_that_a_policy_says_becomes_markup(page):
    text = page.read_text()
    assert "<script" not in text and "onerror=alert(1)>" not in text and "&lt;script&gt;" in text
    assert (
        text.count("<svg") == 1
        and all(f"<th>{name}</th>" in text for name in PLAYED)
        and "gibberish" in text
    )


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("width", [1300, 400])
def test_the_page_opens_from_a_file_without_an_error_and_fits_the_screen(page, width):
    with Page(width, 900) as browser:
        browser.open(page.as_uri())
        assert (
            browser.messages == [] and browser.run("document.documentElement.scrollWidth") <= width
        )
        assert browser.run(
            "[...document.images].every(image => image.complete && image.naturalWidth > 0)"
        )
        assert (
            browser.run("getComputedStyle(document.querySelector('.curves')).display") == "grid"
        ), "the style sheets are there"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--steps", "0"], "--steps"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "1000"], "--seed"),
        (["--workers", "-1"], "--workers"),
    ],
)
def test_a_value_out_of_range_is_refused(options, what, tmp_path):
    ran = CliRunner().invoke(app, ["demo-train", "--out", str(tmp_path / "demo"), *options])
    assert ran.exit_code == 2 and what in ran.output and not (tmp_path / "demo").exists()


@pytest.fixture
def refused(capfd, monkeypatch, tmp_path_factory) -> Callable[[Path], list[str]]:
    """What the real command line says of a folder that it refuses: at most two lines."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setenv(VARIABLE, str(tmp_path_factory.mktemp("log") / "command.log"))

    def run(out: Path) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["questloom", "demo-train", "--out", str(out)])
        with pytest.raises(SystemExit, match="2"):
            main()
        said = capfd.readouterr().err
        assert len(said.splitlines()) <= 2 and "Traceback" not in said, said
        return said.splitlines()

    return run


@pytest.mark.parametrize(
    ("there", "what"),
    [
        (
            {"settings.json": json.dumps({"run": {"seed": 6, "steps": 30}})},
            "holds another run: seed was 6 and is 5",
        ),
        (
            {"settings.json": json.dumps({"run": {"seed": 5, "steps": 3}})},
            "holds another run: steps was 3 and is 30",
        ),
        ({"notes.txt": "mine"}, "is not empty, and no run"),
    ],
)
def test_a_folder_of_something_else_is_one_message_and_stays_as_it_is(
    refused, there, what, tmp_path
):
    for name, text in there.items():
        (tmp_path / name).write_text(text)
    assert what in " ".join(refused(tmp_path))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == there


def test_a_file_in_the_place_of_the_folder_is_one_message(refused, tmp_path):
    (tmp_path / "demo").write_text("mine")
    assert "cannot be written" in " ".join(refused(tmp_path / "demo"))


@pytest.mark.slow
def test_a_trainer_that_breaks_off_ends_the_demo_with_its_name(monkeypatch, tmp_path):
    monkeypatch.setattr(demo_train, "prepare", lambda out, **about: (out / "run", out / "store"))
    with pytest.raises(
        QuestloomError,
        match=r"questloom.train.sft ended with exit code 2; the same command continues",
    ):
        run_demo_train(tmp_path / "demo", seed=5, steps=1, workers=1)


def test_what_was_trained_and_played_before_ends_in_words_and_a_page(monkeypatch, page):
    """Everything of the command but the training itself, which the slow test has."""
    out = page.parents[1]
    for name, found in PLAYED.items():
        write_records(out / "held_out" / f"{name.replace(' ', '_')}.parquet", Trajectory, found)
    for part, lines in (
        ("sft", [{"update": 1, "loss": 2.0}]),
        ("grpo", [{"update": 1, "reward": 0.25}, {"update": 2, "reward": 0.5}]),
    ):
        (out / part).mkdir()
        (out / part / "metrics.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    (out / "settings.json").write_text(json.dumps({"run": {"seed": 5, "steps": 2}}))
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(demo_train, "prepare", lambda out, **about: (out / "run", out / "store"))
    monkeypatch.setattr(demo_train, "training", lambda *arguments: asked.append(arguments))
    told = run_demo_train(out, seed=5, steps=2, workers=1)
    assert [arguments[0] for arguments in asked] == [
        "questloom.train.sft",
        "questloom.train.grpo",
    ] and "step.steps=2" in asked[1], "nothing was played again"
    assert (
        "0.250 ▁█ 0.500" in told
        and f"report    {page}" in told
        and "took      " in told
        and "held-out episodes" in told
    )
    assert "loss in fine-tuning" in page.read_text()


def test_a_module_gets_one_thread(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    (tmp_path / "says_threads.py").write_text(
        "import os, sys; open(sys.argv[1], 'w').write(os.environ['OMP_NUM_THREADS'])"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    training("says_threads", str(tmp_path / "said"))
    assert (tmp_path / "said").read_text() == "1"


def test_episodes_that_were_played_are_not_played_again(monkeypatch, tmp_path):
    write_records(tmp_path / "held_out" / "after_SFT.parquet", Trajectory, PLAYED[TUNED])
    monkeypatch.setattr(demo_train, "training", lambda *arguments: pytest.fail("played again"))
    assert held_out(tmp_path, TUNED, tmp_path, tmp_path, tmp_path) == PLAYED[TUNED]


def killed_once(folder: Path, name: str, seconds: float) -> None:
    """Starts the demo, waits for a file of its and some seconds more, and kills the command with all that it started."""
    running = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "questloom.pipeline.cli",
            "demo-train",
            "--out",
            str(folder),
            "--steps",
            "2",
        ],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 900
    while not (folder / name).exists():
        assert running.poll() is None and time.monotonic() < deadline, f"{name} did not come"
        time.sleep(0.2)
    time.sleep(seconds)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


@pytest.mark.slow
def test_the_whole_demo_killed_twice_ends_in_a_report_and_does_nothing_again(tmp_path):
    out = tmp_path / "demo"
    killed_once(out, "sft/checkpoints/update-000050", 3.0)
    killed_once(out, "grpo/episodes/journal", 2.0)
    command = [
        sys.executable,
        "-m",
        "questloom.pipeline.cli",
        "demo-train",
        "--out",
        str(out),
        "--steps",
        "2",
    ]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-3000:]
    fine_tuned = values(demo_train.read_metrics(out / "sft"), "loss")
    assert [update for update, _ in fine_tuned] == list(range(1, len(fine_tuned) + 1)), (
        "no update twice, none missing"
    )
    assert [update for update, _ in values(demo_train.read_metrics(out / "grpo"), "reward")] == [
        1,
        2,
    ]
    told = {
        line.split("  ")[0]: [float(x) for x in re.findall(r"\d\.\d{3}", line)]
        for line in ran.stdout.splitlines()
    }
    assert (
        told["valid turns"][0] < 0.1
        and told["valid turns"][1] > 0.8
        and told["reward"][0] == 0
        and told["reward"][1] > 0.15
    ), ran.stdout
    assert (
        "took      " in ran.stdout
        and (out / "report" / "index.html").is_file()
        and (out / "grpo" / "model" / "model.safetensors").is_file()
    )
    page = (out / "report" / "index.html").read_bytes()
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert again.returncode == 0 and (out / "report" / "index.html").read_bytes() == page
