"""Rows: every check refuses what it should, with what and where; cuts take whole turns, whole pictures and their pixels."""

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.records.errors import InputError
from questloom.train.rows.row import (
    Row,
    RowError,
    RowFault,
    UnusableRow,
    check,
    cut,
    drop_tail,
    hashes_of,
    rope_of,
    shorten,
)
from tests.train.played import END, PICTURES, ROPE, row

MADE = row(4)


def changed(**parts) -> Row:
    return dataclasses.replace(MADE, **parts)


def with_id(place: int, token: int) -> Row:
    ids = MADE.ids.clone()
    ids[place] = token
    return changed(ids=ids)


def with_logp(value: float) -> Row:
    logp = MADE.old_logp.clone()
    logp[MADE.turns[1][0] + 2] = value
    return changed(old_logp=logp)


def test_a_row_as_it_was_played_passes_every_check():
    for made in (
        MADE,
        row(1),
        row(3, task_pictures=0, tool_pictures=False),
        row(5, task_pictures=3),
        changed(old_logp=None),
    ):
        check(made, PICTURES)


def test_pictures_are_counted_from_the_models_config():
    assert PICTURES.merge == 2 and PICTURES.pixel_dim == 3 * 2 * 16 * 16 == MADE.pixels.shape[1]
    assert len(PICTURES.never_sampled) == 4 and PICTURES.image_id in PICTURES.never_sampled
    assert PICTURES.num_tokens(torch.tensor([[1, 4, 6], [1, 2, 2]])) == [6, 1]


def test_steps_follow_the_turns_and_their_observations():
    steps = MADE.steps
    assert steps[0] == -1 and steps[-1] == 3
    for number, (begin, end) in enumerate(MADE.turns):
        assert (steps[begin:end] == number).all() and steps[begin - 1] == number - 1
    assert torch.equal(
        MADE.loss_mask,
        torch.stack(
            [(torch.arange(len(MADE)) >= b) & (torch.arange(len(MADE)) < e) for b, e in MADE.turns]
        ).any(0),
    )


FIRST = int(MADE.ids.eq(PICTURES.image_id).nonzero()[0])


@pytest.mark.parametrize(
    ("broken", "fault", "told"),
    [
        (with_id(FIRST, 300), RowFault.PICTURE_TOKENS, "picture 0 has"),
        (
            with_id(3, PICTURES.image_id),
            RowFault.PICTURE_TOKENS,
            "4 pictures in the ids, 3 with pixels",
        ),
        (
            changed(grid_thw=MADE.grid_thw[:1], pixels=MADE.pixels[: int(MADE.grid_thw[0].prod())]),
            RowFault.PICTURE_TOKENS,
            "picture 1 has .* no merged",
        ),
        (changed(pixels=MADE.pixels[:-1]), RowFault.PIXELS, "patches of pixels"),
        (
            changed(pixels=MADE.pixels[:0], grid_thw=MADE.grid_thw[:0]),
            RowFault.PICTURE_TOKENS,
            "no merged patches",
        ),
        (changed(pixels=MADE.pixels + 1e-3), RowFault.PIXEL_HASH, "picture 0 has the pixels"),
        (changed(pixel_hashes=MADE.pixel_hashes[:1]), RowFault.PIXEL_HASH, "1 hashes of pixels"),
        (changed(pictures=MADE.pictures[:1]), RowFault.PIXEL_HASH, "1 hashes of files"),
        (changed(positions=MADE.positions[:, :-1]), RowFault.SHAPE, "positions has the shape"),
        (changed(positions=MADE.positions[1:]), RowFault.SHAPE, r"positions has the shape \(3, "),
        (changed(positions=MADE.positions + 1), RowFault.SHAPE, "do not count 0, 1, 2"),
        (changed(loss_mask=MADE.loss_mask[:-1]), RowFault.SHAPE, "loss_mask"),
        (changed(old_logp=MADE.old_logp[:-1]), RowFault.SHAPE, "old_logp"),
        (
            changed(loss_mask=torch.ones(len(MADE), dtype=torch.bool)),
            RowFault.SHAPE,
            "token 0 is in the loss",
        ),
        (changed(turns=((0, 3),)), RowFault.SHAPE, "first of all"),
        (changed(turns=MADE.turns[::-1]), RowFault.SHAPE, "out of order"),
    ],
)
def test_what_does_not_belong_together_ends_the_run_with_what_and_where(broken, fault, told):
    with pytest.raises(RowError, match=told) as error:
        check(broken, PICTURES)
    assert error.value.fault == fault and not isinstance(error.value, UnusableRow)
    assert MADE.episode_id in str(error.value)


@pytest.mark.parametrize(
    ("broken", "fault", "told"),
    [
        (
            with_id(MADE.turns[1][0], PICTURES.image_id),
            RowFault.SAMPLED_PICTURE_TOKEN,
            "turn 1 has the picture token",
        ),
        (with_id(MADE.turns[0][0], PICTURES.framing[0]), RowFault.SAMPLED_PICTURE_TOKEN, "turn 0"),
        (with_logp(float("nan")), RowFault.LOGPROB, "turn 1 has the log-probability nan"),
        (with_logp(-float("inf")), RowFault.LOGPROB, "-inf"),
        (with_logp(0.5), RowFault.LOGPROB, "0.5"),
        (
            changed(turns=(), loss_mask=torch.zeros(len(MADE), dtype=torch.bool)),
            RowFault.NO_POLICY_TOKENS,
            "said nothing",
        ),
    ],
)
def test_what_cannot_be_learned_from_is_data_that_leaves_with_a_reason(broken, fault, told):
    with pytest.raises(UnusableRow, match=told) as error:
        check(broken, PICTURES)
    assert error.value.fault == fault


def test_a_model_without_mrope_is_refused():
    with pytest.raises(InputError, match="no mrope"):
        rope_of(type("Other", (), {"config": type("Config", (), {"model_type": "other"})})())


def test_two_pictures_that_changed_places_are_noticed_though_the_counts_fit():
    made = row(2, task_pictures=2)
    first = int(made.grid_thw[0].prod())
    assert made.grid_thw[0].tolist() == made.grid_thw[1].tolist()
    exchanged = dataclasses.replace(
        made,
        pixels=torch.cat(
            [made.pixels[first : 2 * first], made.pixels[:first], made.pixels[2 * first :]]
        ),
    )
    with pytest.raises(RowError, match="picture 0 has the pixels"):
        check(exchanged, PICTURES)


def test_the_hash_of_pixels_tells_grid_and_kind_of_number_apart():
    pixels = torch.arange(24.0).view(4, 6)
    assert hashes_of(pixels, torch.tensor([[1, 2, 2]])) != hashes_of(
        pixels, torch.tensor([[1, 4, 1]])
    )
    assert hashes_of(pixels, torch.tensor([[1, 2, 2]])) != hashes_of(
        pixels.bfloat16(), torch.tensor([[1, 2, 2]])
    )
    assert (
        hashes_of(pixels, torch.tensor([[1, 2, 1], [1, 1, 2]]))[1]
        == hashes_of(pixels[2:], torch.tensor([[1, 1, 2]]))[0]
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(1, len(MADE)))
def test_a_cut_anywhere_never_leaves_a_part_of_a_picture(length):
    inside = length < len(MADE) and MADE.ids[length - 1] == PICTURES.image_id == MADE.ids[length]
    if inside:
        with pytest.raises(ValueError, match="through a picture"):
            cut(MADE, length, PICTURES)
        return
    made = cut(MADE, length, PICTURES)
    assert torch.equal(made.ids, MADE.ids[:length]) and len(made.pixels) == int(
        made.grid_thw.prod(-1).sum()
    )
    if made.turns:
        check(made, PICTURES)
    assert torch.equal(made.positions, ROPE(made.ids, made.grid_thw))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, len(MADE) + 10))
def test_shortening_keeps_whole_turns_and_their_pictures_or_says_that_none_fits(most):
    if most < MADE.turns[0][1]:
        with pytest.raises(UnusableRow, match="the limit is"):
            shorten(MADE, most, PICTURES)
        return
    made = shorten(MADE, most, PICTURES)
    check(made, PICTURES)
    assert len(made) <= most and made.ids[-1] == END
    assert made.turns == tuple(turn for turn in MADE.turns if turn[1] <= most)


def test_what_follows_the_last_token_in_the_loss_is_left_out():
    first = MADE.masked(MADE.steps == 0)
    made = drop_tail(first, PICTURES)
    assert (
        len(made) == MADE.turns[0][1]
        and torch.equal(made.loss_mask, first.loss_mask[: len(made)])
        and len(made.grid_thw) == 1
    )
    check(made, PICTURES)
    nothing = MADE.masked(MADE.steps > 9)
    assert drop_tail(nothing, PICTURES) is nothing


def test_a_mask_takes_tokens_out_and_never_in():
    assert torch.equal(
        MADE.masked(torch.ones(len(MADE), dtype=torch.bool)).loss_mask, MADE.loss_mask
    )
    assert MADE.masked(MADE.steps < 1).loss_mask.sum() == MADE.turns[0][1] - MADE.turns[0][0]
