"""An update of GRPO: what it is made of changes it, how it is dealt out does not, and nothing to learn from is no update."""

import copy
import dataclasses

import pytest
import torch

from questloom.train.credit.samples import DroppedWeight, Sample
from questloom.train.grpo.step_samples import Share, StepSample
from questloom.train.grpo.update import Learner, mini_batch
from questloom.train.loss.objective import EngineMismatch
from questloom.train.model.optimiser import adamw
from questloom.train.model.scorer import Scorer
from questloom.train.rows.row import Row, hashes_of
from questloom.train.run.parallel import World
from questloom.train.settings.grpo_settings import GrpoSettings, load_grpo_settings
from tests.agent import tiny
from tests.train.played import PICTURES, row
from tests.train.update import difference

AT = World("single", 0, 1, torch.device("cpu"))


def settings(*overrides: str) -> GrpoSettings:
    return load_grpo_settings(
        "grpo-tiny",
        [
            "data.max_tokens=900",
            "step.questions=4",
            "care.engine_kl=100.0",
            "optimiser.epsilon=1e-4",
            *overrides,
        ],
    )


def samples(rows: list[Row]) -> list[StepSample]:
    return [
        StepSample(number, Sample(each, advantage), 1.0)
        for number, (each, advantage) in enumerate(zip(rows, (1.5, -0.7, 0.4, -1.2), strict=True))
    ]


def rows() -> list[Row]:
    return [
        row(3, seed=1),
        row(2, seed=2, task_pictures=0, tool_pictures=False),
        row(4, seed=3),
        row(1, seed=4),
    ]


def learned(
    taught: list[StepSample],
    given: GrpoSettings,
    counted: tuple[tuple[int, DroppedWeight], ...] = (),
) -> tuple[dict[str, torch.Tensor], list[dict[str, float]]]:
    """How far each weight has gone, and the figures."""
    model = copy.deepcopy(tiny.model())
    scorer = Scorer(model)
    learner = Learner(scorer, adamw(scorer, given.optimiser), None, PICTURES, given, AT)
    figures = learner.learn(Share(tuple(taught), counted), 0)
    before = tiny.model().state_dict()
    return {name: tensor - before[name] for name, tensor in model.state_dict().items()}, figures


@pytest.mark.parametrize("micro_tokens", [0, 2000])
def test_a_pixel_of_a_picture_that_a_tool_brought_changes_the_update(micro_tokens):
    """In a conversation of four turns, alone and packed with others."""
    given = settings(f"step.micro_tokens={micro_tokens}")
    before, again = learned(samples(rows()), given)[0], learned(samples(rows()), given)[0]
    assert difference(before, again) == 0
    made = rows()
    pixels = made[2].pixels.clone()
    first = int(made[2].grid_thw[0].prod())
    pixels[first:] = pixels[first:] * 0.5 + 0.2  # the task's own picture stays
    made[2] = dataclasses.replace(
        made[2], pixels=pixels, pixel_hashes=hashes_of(pixels, made[2].grid_thw)
    )
    assert difference(before, learned(samples(made), given)[0]) > 1e-3


def test_micro_batches_do_not_change_an_update():
    one, figures = learned(samples(rows()), settings("step.micro_tokens=4000"))
    many, others = learned(samples(rows()), settings())
    assert difference(one, many) < 1e-4
    assert {
        name: figures[0][name] for name in ("loss", "labels", "rows", "entropy")
    } == pytest.approx(
        {name: others[0][name] for name in ("loss", "labels", "rows", "entropy")}, rel=1e-4
    )


def test_an_advantage_pushes_its_row_and_the_sign_says_where():
    given = settings("optimiser.lr=1e-3")
    only = row(2, seed=2)
    scores = Scorer(copy.deepcopy(tiny.model()))
    for advantage in (1.0, -1.0):
        model = copy.deepcopy(tiny.model())
        learner = Learner(Scorer(model), adamw(model, given.optimiser), None, PICTURES, given, AT)
        begun = dataclasses.replace(only, old_logp=_logp(scores, only))
        learner.learn(Share((StepSample(0, Sample(begun, advantage), 1.0),), ()), 0)
        moved = (_logp(Scorer(model), only) - _logp(scores, only)).sum().item()
        assert moved * advantage > 0.1


def _logp(scorer: Scorer, made: Row) -> torch.Tensor:
    from questloom.train.rows.packing import pack

    told = torch.zeros(len(made))
    with torch.no_grad():
        told[made.loss_mask] = scorer(pack([made], PICTURES)).logp
    return told


def test_mini_batches_go_by_the_questions_place_and_an_empty_one_is_skipped():
    given = settings("step.mini_questions=2", "step.refills=1")
    assert [mini_batch(number, given) for number in range(7)] == [0, 0, 1, 1, 0, 1, 0]
    _, figures = learned([each for each in samples(rows()) if each.number < 2], given)
    assert [figure["skipped"] for figure in figures] == [0.0, 1.0] and figures[1]["rows"] == 0
    same, _ = learned([], settings())
    assert all(not tensor.any() for tensor in same.values())


def test_rollouts_that_are_only_counted_divide_the_update_of_their_own_mini_batch_and_make_none_alone():
    given, counted = (
        settings("step.mini_questions=2"),
        ((0, DroppedWeight(1.0, 60)), (3, DroppedWeight(0.5, 80))),
    )
    _, figures = learned(samples(rows()), given, counted)
    _, plain = learned(samples(rows()), given)
    assert [figure["divisor"] for figure in figures] == [3.0, 2.5] and [
        figure["divisor"] for figure in plain
    ] == [2.0, 2.0]
    assert figures[0]["loss"] == pytest.approx(plain[0]["loss"] * 2 / 3) and figures[0][
        "grad_norm"
    ] == pytest.approx(plain[0]["grad_norm"] * 2 / 3, rel=1e-4)
    _, by_token = learned(samples(rows()), settings("objective.normaliser=token"), counted)
    assert by_token[0]["divisor"] == by_token[0]["labels"] + 60 + 40
    same, figures = learned([], given, counted)
    assert all(not tensor.any() for tensor in same.values()) and [
        figure["skipped"] for figure in figures
    ] == [1.0, 1.0]


def test_later_mini_batches_are_compared_with_the_trainer_at_the_sampling_weights():
    """With the engine's own log-probabilities far off, the correction is at its cap everywhere and the ratio of the first update is 1."""
    _, figures = learned(
        samples(rows()),
        settings("step.mini_questions=2", "objective.importance_cap=2.0", "optimiser.lr=1e-2"),
    )
    assert figures[0]["ratio"] == pytest.approx(1, abs=1e-6) and abs(figures[1]["ratio"] - 1) > 1e-3
    _, plain = learned(samples(rows()), settings())
    assert abs(plain[0]["ratio"] - 1) > 0.1, "without a correction the ratio is against the engine"


def test_an_engine_that_sampled_from_something_else_stops_the_run_before_the_weights_change():
    model = copy.deepcopy(tiny.model())
    given = settings("care.engine_kl=0.015")
    learner = Learner(Scorer(model), adamw(model, given.optimiser), None, PICTURES, given, AT)
    with pytest.raises(EngineMismatch, match="engine and trainer disagree"):
        learner.learn(Share(tuple(samples(rows())), ()), 0)
    assert all(
        torch.equal(tensor, tiny.model().state_dict()[name])
        for name, tensor in model.state_dict().items()
    )
