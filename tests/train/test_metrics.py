"""Figures of a run: none twice, none lost, for machines and for people."""

import io
import json

from questloom.train.run.metrics import Metrics, duration


def figures(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_figures_of_updates_that_a_kill_undid_are_dropped(tmp_path):
    first = Metrics(tmp_path, 10, stream=io.StringIO())
    for update in (1, 2, 3):
        first.note(update, loss=float(update))
    with open(tmp_path / "metrics.jsonl", "a") as out:
        out.write('{"update": 4, "lo')  # what a kill cuts
    Metrics(tmp_path, 10, done=2, stream=io.StringIO()).note(3, loss=9.0)
    assert figures(tmp_path) == [
        {"update": 1, "loss": 1.0},
        {"update": 2, "loss": 2.0},
        {"update": 3, "loss": 9.0},
    ]


def test_a_run_that_begins_anew_since_it_had_no_checkpoint_yet_has_no_figure_twice(tmp_path):
    for _ in range(2):
        Metrics(tmp_path, 10, stream=io.StringIO()).note(0, validation_loss=1.0)
    assert figures(tmp_path) == [{"update": 0, "validation_loss": 1.0}]


def test_progress_tells_rate_and_time_left(tmp_path):
    told = Metrics(tmp_path, 12, done=10, stream=io.StringIO())
    told.progress(11, epoch=0.5, loss=1.25, tokens_per_second=3412.0)
    assert (
        told.stream.getvalue()
        == "update 11/12 · epoch 0.50 · loss 1.2500 · 3,412 tokens/s · 0 s left\n"
    )
    assert (
        duration(59 * 60) == "59 min" and duration(89) == "89 s" and duration(7261) == "2 h 01 min"
    )


def test_curves_are_drawn_at_the_end_and_each_minute_before(tmp_path, monkeypatch):
    made = Metrics(tmp_path, 3, stream=io.StringIO())
    for update in (1, 2, 3):
        made.note(update, loss=3.0 / update, lr=0.1)
    made.close()
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG") and any(
        (tmp_path / "tensorboard").iterdir()
    )
    going = Metrics(tmp_path / "going", 3, stream=io.StringIO())
    going.note(1, loss=1.0)
    assert not (tmp_path / "going" / "curves.png").exists()
    monkeypatch.setattr("questloom.train.run.metrics.DRAW_SECONDS", 0.0)
    going.note(2, loss=1.0)
    assert (tmp_path / "going" / "curves.png").exists()
