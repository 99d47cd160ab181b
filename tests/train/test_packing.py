"""Packing: rows in one sequence score and teach exactly as each does alone, and only under the three conditions."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.train.model.scorer import Scorer
from questloom.train.rows.packing import micro_batches, pack
from questloom.train.rows.row import UnusableRow
from tests.agent import tiny
from tests.train.played import PICTURES, logits, row

ROWS = [
    row(2, seed=1),
    row(3, seed=2, task_pictures=0, tool_pictures=False),
    row(4, seed=3),
    row(1, seed=4, task_pictures=2),
]
MODEL = tiny.model()


def gradient(loss: torch.Tensor) -> dict[str, torch.Tensor | None]:
    names, parameters = zip(*MODEL.named_parameters(), strict=True)
    return dict(zip(names, torch.autograd.grad(loss, parameters, allow_unused=True), strict=True))


def alone(made) -> torch.Tensor:
    """Log-probabilities of a row's tokens in the loss, by transformers' own forward."""
    logp = logits(MODEL, made)[:-1].log_softmax(-1).gather(-1, made.ids[1:, None])[:, 0]
    return logp[made.loss_mask[1:]]


def test_packed_rows_score_as_each_alone():
    packed = pack(ROWS, PICTURES)
    scores = Scorer(MODEL)(packed)
    want = torch.cat([alone(made) for made in ROWS])
    assert scores.logp.shape == packed.labels.shape == want.shape
    assert (scores.logp - want).abs().max() < 1e-5
    entropies = [
        -(p.exp() * p).sum(-1)[m.loss_mask.roll(-1)]
        for m, p in ((m, logits(MODEL, m).log_softmax(-1)) for m in ROWS)
    ]
    assert (scores.entropy - torch.cat(entropies)).abs().max() < 1e-5


def test_packed_rows_teach_as_each_alone():
    packed = pack(ROWS, PICTURES)
    weights = torch.linspace(-1, 1, len(packed.labels))
    got = gradient((Scorer(MODEL)(packed).logp * weights).sum())
    want = gradient((torch.cat([alone(made) for made in ROWS]) * weights).sum())
    scale = max(w.abs().max() for w in want.values())
    for name, grad in got.items():
        assert (grad - want[name]).abs().max() < 1e-5 * scale, name


def test_each_of_the_three_conditions_is_needed():
    """What the scorer never does, and what it would cost."""
    packed = pack(ROWS[:2], PICTURES)
    want = torch.cat([alone(made) for made in ROWS[:2]])

    def error(**inputs) -> float:
        given = {
            "input_ids": packed.ids,
            "position_ids": packed.positions,
            "use_cache": False,
            "pixel_values": packed.pixels,
            "image_grid_thw": packed.grid_thw,
            **inputs,
        }
        logp = (
            MODEL(**given)
            .logits[0, packed.places]
            .log_softmax(-1)
            .gather(-1, packed.labels[:, None])[:, 0]
        )
        return (logp - want).abs().max().item()

    assert error() < 1e-5
    for omission in (
        {"use_cache": True},
        {"attention_mask": torch.ones_like(packed.ids)},
        {"position_ids": packed.positions[1:]},
    ):
        assert error(**omission) > 0.05, omission


def test_a_micro_batch_without_pictures_gives_every_parameter_a_gradient():
    text = [ROWS[1], row(2, seed=7, task_pictures=0, tool_pictures=False)]
    got = gradient(Scorer(MODEL)(pack(text, PICTURES)).logp.sum())
    want = gradient(torch.cat([alone(made) for made in text]).sum())
    assert sum(grad is None for grad in want.values()) > 30  # what FSDP would wait for
    scale = max(w.abs().max() for w in want.values() if w is not None)
    for name, grad in got.items():
        assert grad is not None, name
        assert (grad - (0 if want[name] is None else want[name])).abs().max() <= 1e-5 * scale, name
        assert want[name] is not None or not grad.any(), name


def test_a_micro_batch_without_rows_gives_every_parameter_a_gradient_of_zero():
    packed = pack([], PICTURES)
    assert packed.num_rows == 0 and len(packed.labels) == 0
    assert all(
        grad is not None and not grad.any()
        for grad in gradient(Scorer(MODEL)(packed).logp.sum()).values()
    )


def test_labels_know_their_row_and_their_old_log_probability():
    packed = pack(ROWS, PICTURES)
    assert packed.row.tolist() == [
        n for n, made in enumerate(ROWS) for _ in range(int(made.loss_mask.sum()))
    ]
    assert torch.equal(packed.old_logp, torch.cat([made.old_logp[made.loss_mask] for made in ROWS]))
    assert torch.equal(packed.labels, packed.ids[0, packed.places + 1])
    silent = pack([ROWS[0], type(ROWS[1])(**{**vars(ROWS[1]), "old_logp": None})], PICTURES)
    assert silent.old_logp is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=9), st.integers(0, 6), st.integers(0, 300))
def test_every_row_is_in_one_micro_batch_that_it_fits(which, at_least, more):
    rows = [ROWS[n] for n in which]
    most = max((len(made) for made in rows), default=1) + more
    made = micro_batches(rows, most, at_least=at_least)
    assert sorted(n for batch in made for n in batch) == list(range(len(rows)))
    assert all(sum(len(rows[n]) for n in batch) <= most for batch in made)
    assert len(made) >= at_least and all(made[: len(made) - at_least])


def test_a_row_longer_than_a_micro_batch_is_named():
    with pytest.raises(UnusableRow, match=f"{len(ROWS[2])} tokens in micro-batches of 20"):
        micro_batches([ROWS[2]], 20)


def test_activation_checkpointing_changes_no_gradient():
    packed = pack(ROWS, PICTURES)
    want = gradient(Scorer(MODEL)(packed).logp.sum())
    model = copy.deepcopy(MODEL).train()
    model.activation_checkpointing_enable({"use_reentrant": False})
    Scorer(model)(packed).logp.sum().backward()
    assert all(
        torch.allclose(parameter.grad, want[name], atol=1e-6)
        for name, parameter in model.named_parameters()
    )
