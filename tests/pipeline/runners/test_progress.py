"""Progress where stderr is no terminal: a first line, then one every ten seconds, and what is to stay."""

import io
import time

import pytest
from rich.console import Console

from questloom.pipeline.runners import progress
from questloom.pipeline.runners.progress import STEPS, counting, staged, watching
from questloom.transforms.ingest.ingest_graph import STAGES


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.3)


def test_a_job_that_is_watched_gives_a_line_now_and_then_and_its_news_once(capsys):
    news = iter([["8 seeds chosen"]])
    with watching("synth", 4, lambda: (1, "writing questions"), news=lambda: next(news, [])):
        time.sleep(0.8)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["synth: 8 seeds chosen", "synth: writing questions"]
    assert 2 <= lines.count("synth: writing questions") <= 4, (
        "a line each look would drown the terminal"
    )


def test_units_without_words_are_counted(capsys):
    with watching("embed pictures", 4, lambda: (1, "")):
        time.sleep(0.1)
    assert capsys.readouterr().err == "embed pictures: 1 of 4\n"


def test_the_last_look_comes_after_the_job_has_ended(capsys):
    done = [0]
    with watching(
        "synth", 4, lambda: (done[0], ""), news=lambda: ["all done"] if done[0] == 4 else []
    ):
        done[0] = 4
    assert "synth: all done" in capsys.readouterr().err


def test_a_job_that_breaks_off_is_not_looked_at_again():
    def done() -> tuple[int, str]:
        raise AssertionError("its files may be the fault")

    with pytest.raises(OSError, match="disk"), watching("synth", 4, done, slow=True):
        raise OSError("disk")


def test_steps_are_told_in_words_when_they_begin(capsys):
    with staged("store") as show:
        show("read", 0, 3)
        show("read", 1, 3)
        show("index", 1, 1)
    assert capsys.readouterr().err.splitlines() == [
        "store: reading the dumps, 0 of 3",
        "store: sorting out who is who, 1 of 1",
    ]


def test_every_step_of_ingest_has_words():
    assert set(STAGES) <= set(STEPS)


def test_nothing_is_shown_of_a_count_that_never_begins(capsys):
    with counting("embed pictures"):
        pass
    assert capsys.readouterr().err == ""


def test_what_comes_before_the_first_count_does_not_lengthen_the_time_that_is_left(
    capsys, monkeypatch
):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with counting("embed pictures") as show:
        for seconds, done in ((60.0, 16), (70.0, 116), (80.0, 216)):  # a minute to load the model
            now[0] = seconds
            show(done, 316)
    assert capsys.readouterr().err.splitlines() == [
        "embed pictures: 16 of 316",
        "embed pictures: 116 of 316, about 20 s left",
        "embed pictures: 216 of 316, about 10 s left",
    ]


def test_in_a_narrow_terminal_words_wrap_and_are_not_cut(monkeypatch):
    words = "trying to answer without tools, 329 of 558 questions done, 329 kept so far"
    shown = progress._Shown("synth")
    shown.show(1, 2, words)
    console = Console(width=80, file=io.StringIO())
    console.print(shown.bars.get_renderable())
    assert "…" not in console.file.getvalue() and "kept so far" in console.file.getvalue()
