"""Pixels reach the loss: one changed picture changes the answer's log-probability and the gradient, in SFT and GRPO, packed and not."""

import dataclasses

import pytest
import torch

from questloom.train.credit.samples import Sample
from questloom.train.loss.objective_rules import Objective
from questloom.train.model.scorer import Scorer
from questloom.train.rows.packing import pack
from questloom.train.rows.row import Row, RowError, check, hashes_of
from tests.agent import tiny
from tests.train.played import PICTURES, row
from tests.train.update import difference, gradient

MODEL = tiny.model()
LONG = row(10, seed=6, words=1)  # ten turns; the task's picture and five that tools made
BESIDE = row(2, seed=1)


def with_picture_changed(made: Row, number: int) -> Row:
    """The row with one picture a little brighter, as if it had been played with it."""
    counts = made.grid_thw.prod(-1).tolist()
    start = sum(counts[:number])
    pixels = made.pixels.clone()
    pixels[start : start + counts[number]] += 0.2
    return dataclasses.replace(made, pixels=pixels, pixel_hashes=hashes_of(pixels, made.grid_thw))


def answer_logp(made: Row, packed_with: list[Row]) -> torch.Tensor:
    packed = pack([*packed_with, made], PICTURES)
    begin, end = made.turns[-1]
    with torch.no_grad():
        return Scorer(MODEL)(packed).logp[packed.row == len(packed_with)][-(end - begin) :]


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("beside", [[], [BESIDE]], ids=["alone", "packed"])
def test_each_picture_of_ten_turns_changes_the_answers_log_probability(number, beside):
    assert len(LONG.grid_thw) == 6
    assert (
        answer_logp(with_picture_changed(LONG, number), beside) - answer_logp(LONG, beside)
    ).abs().max() > 1e-4


@pytest.mark.parametrize("objective", [None, Objective(normaliser="token")], ids=["sft", "grpo"])
@pytest.mark.parametrize("beside", [[], [Sample(BESIDE, -0.5)]], ids=["alone", "packed"])
def test_the_last_tool_made_picture_changes_the_gradient_of_the_answer(objective, beside):
    answer = LONG.masked(LONG.steps == 9)
    plain = gradient(MODEL, [[*beside, Sample(answer, 1.0)]], objective)
    changed = gradient(MODEL, [[*beside, Sample(with_picture_changed(answer, 5), 1.0)]], objective)
    assert difference(plain, changed) > 1e-4
    assert all(
        grad.any()
        for name, grad in plain.items()
        if "visual" in name and not name.endswith("k.bias")
    )  # the tower learns


def test_a_picture_never_changes_another_row_of_the_pack():
    before, after = (
        pack([made, BESIDE], PICTURES) for made in (LONG, with_picture_changed(LONG, 0))
    )
    with torch.no_grad():
        one, other = (Scorer(MODEL)(packed).logp[packed.row == 1] for packed in (before, after))
    assert (one - other).abs().max() < 1e-5


def test_pixels_lost_on_the_way_are_an_error_and_not_a_blind_update():
    lost = dataclasses.replace(
        LONG, pixels=LONG.pixels[:0], grid_thw=LONG.grid_thw[:0], pictures=(), pixel_hashes=()
    )
    with pytest.raises(RowError, match="6 pictures in the ids, 0 with pixels"):
        check(lost, PICTURES)
    blank = dataclasses.replace(LONG, pixels=torch.zeros_like(LONG.pixels))
    with pytest.raises(RowError, match="the engine had"):
        check(blank, PICTURES)
