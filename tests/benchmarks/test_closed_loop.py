"""The comparison of the loop with its controls: what arms share, and what is told of them."""

from benchmarks.closed_loop import ARMS, LEVELS, draw, shared_round, table
from questloom.files.opened import Opened
from questloom.pipeline.evolve.update import update
from questloom.records.share import Share
from tests.pipeline.evolve.made import a_loop, a_round


def test_a_control_takes_over_the_first_round_but_not_its_update(tmp_path):
    first, control = a_loop(tmp_path / "first"), a_loop(tmp_path / "control", control="static")
    source = a_round(first, 1, finding=("filters", "text_search"), parent=0)
    update(first, source, Opened())
    source.write("train", {"command": [], "model": "/first/model", "tasks": 8, "why": ""})
    shared_round(first, control)
    at = control.round(1)
    assert (
        at.read("verify") == source.read("verify")
        and at.read("train")["model"] == "/first/model"
        and not at.done("update")
    )
    update(control, at, Opened())
    assert (
        source.read("update")["edits"]
        and not at.read("update")["edits"]
        and at.recipe.evolve.control == "static"
    )
    before = at.read("update")
    shared_round(first, control)
    assert at.read("update") == before, "what has begun is left alone"


def test_a_loop_does_not_copy_itself(tmp_path):
    loop = a_loop(tmp_path)
    shared_round(loop, loop)
    assert not loop.rounds()


def exam(num: int) -> dict[str, Share]:
    return {level: Share(num, 10) for level in ("", *LEVELS)}


def test_the_table_tells_differences_within_seeds_and_the_figure_is_drawn(tmp_path):
    shares = {
        "static": [[0.5, 0.2], [0.6, 0.3]],
        "none": [[0.5, 0.4], [0.6, 0.5]],
        "random_edits": [[0.5, 0.1], [0.6, 0.3]],
    }
    after = {arm: [exam(num), exam(num + 1)] for arm, num in zip(ARMS, (4, 6, 5), strict=True)}
    made = table(shares, exam(3), after)
    at = made.index(next(line for line in made if line.startswith("good_match, round 2, none")))
    assert "0.450 ±" in made[at] and [
        line.split("±")[0].split()[-1] for line in made[at + 2 : at + 4]
    ] == ["0.200", "0.250"]
    assert any(
        line.startswith("held-out reward, hard, none") and line.split()[4] == "0.650"
        for line in made
    )
    assert "held-out reward before, all: 30.0% (3 of 10; 95 %: 10.8% to 60.3%)" in made
    draw(shares, exam(3), after, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
