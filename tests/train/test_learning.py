"""Whole updates on the tiny model: SFT learns an answer that only the picture tells, GRPO moves rollouts apart until the clip holds them."""

import copy
import dataclasses

import torch

from questloom.train.credit.samples import Sample, loss_inputs
from questloom.train.loss.normalise import sum_over_ranks
from questloom.train.loss.objective import clip_masks, count, loss_sum
from questloom.train.loss.objective_rules import Objective
from questloom.train.model.scorer import Scorer
from questloom.train.rows.packing import pack
from questloom.train.rows.row import Row, hashes_of
from tests.agent import tiny
from tests.train.played import END, PICTURES, TOKENS, row
from tests.train.update import backward

ASKED = row(1, task_pictures=1)
BEGIN = ASKED.turns[0][0]


def answered(brightness: float, answer: str) -> Row:
    """The same question about a picture that is dark or bright."""
    said = torch.tensor([*TOKENS.tokenizer(answer)["input_ids"], END])
    ids = torch.cat([ASKED.ids[:BEGIN], said])
    line = ASKED.positions[:, BEGIN : BEGIN + 1] + torch.arange(len(said))
    pixels = torch.full_like(ASKED.pixels, brightness)
    return dataclasses.replace(
        ASKED,
        ids=ids,
        loss_mask=torch.arange(len(ids)) >= BEGIN,
        turns=((BEGIN, len(ids)),),
        pixels=pixels,
        positions=torch.cat([ASKED.positions[:, :BEGIN], line], dim=1),
        pixel_hashes=hashes_of(pixels, ASKED.grid_thw),
        old_logp=None,
    )


def logps(scorer: Scorer, rows: list[Row]) -> torch.Tensor:
    """Of whole answers: (R,)."""
    packed = pack(rows, PICTURES)
    with torch.no_grad():
        return torch.zeros(len(rows)).index_add(0, packed.row, scorer(packed).logp)


def test_sft_learns_an_answer_that_only_the_picture_tells():
    scorer = Scorer(copy.deepcopy(tiny.model()))
    optimizer = torch.optim.AdamW(scorer.parameters(), lr=3e-3)
    taught = [Sample(answered(-1.0, "dark"), 0.0), Sample(answered(1.0, "bright"), 0.0)]
    losses = []
    for _ in range(40):
        losses.append(backward(scorer, [taught], None))
        optimizer.step()
        optimizer.zero_grad()
    right = logps(scorer, [answered(-1.0, "dark"), answered(1.0, "bright")])
    wrong = logps(scorer, [answered(1.0, "dark"), answered(-1.0, "bright")])
    assert losses[-1] < 0.1 * losses[0] and (right > wrong + 2).all(), (losses[-1], right, wrong)


def test_grpo_moves_rollouts_apart_until_the_clip_holds_them():
    scorer = Scorer(copy.deepcopy(tiny.model()))
    optimizer = torch.optim.SGD(scorer.parameters(), lr=0.02)
    rows = [answered(-1.0, "dark"), answered(-1.0, "night")]
    taught = [Sample(rows[0], 1.0), Sample(rows[1], -1.0)]
    packed = pack(rows, PICTURES)
    advantage, weights = loss_inputs(taught, packed)
    objective = Objective()
    agreed = sum_over_ranks(count(packed.row, weights, objective))
    with torch.no_grad():
        engine = scorer(packed).logp
    before, held = logps(scorer, rows), []
    for _ in range(40):
        logp = scorer(packed).logp
        agreed.share(
            loss_sum(
                objective,
                logp=logp,
                engine_logp=engine,
                advantage=advantage,
                row=packed.row,
                row_weights=weights,
            )
        ).backward()
        held.append(
            torch.stack(clip_masks(logp, engine, advantage, objective)).any(0).float().mean().item()
        )
        optimizer.step()
        optimizer.zero_grad()
    after = logps(scorer, rows)
    assert after[0] > before[0] + 0.3 and after[1] < before[1] - 0.3
    assert held[0] == 0 and max(held) > 0.5
