"""Rows of episodes: the ids that were played, bit for bit; the pictures that were shown, in order."""

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.records.episodes import EndReason
from questloom.train.rows.episode_rows import (
    drop_violations,
    pictures_shown,
    row_of_episode,
    row_of_segments,
)
from questloom.train.rows.packing import pack
from questloom.train.rows.row import RowError, RowFault, UnusableRow, check, hashes_of
from tests.agent import tiny
from tests.train.played import PICTURES, RENDER, ROPE, TOKENS, episode, reopened, row, segments


def stored_row(played, bank):
    return row_of_episode(played, bank, RENDER, TOKENS, picture_tokens=PICTURES, rope=ROPE)


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_ids_at_sampled_places_are_the_engines_whatever_they_spell(data):
    """Any ids but pictures': merges that no tokenizer makes, halves of characters, special tokens in the middle."""
    played, bank = episode(3)
    usable = sorted(set(range(len(TOKENS.tokenizer))) - PICTURES.never_sampled)
    turns = []
    for turn in played.turns:
        ids = tuple(data.draw(st.lists(st.sampled_from(usable), min_size=1, max_size=12)))
        turns.append(
            turn.replace(text=TOKENS.rendered(ids), token_ids=ids, logprobs=(-0.5,) * len(ids))
        )
    played = played.replace(turns=tuple(turns))
    made = stored_row(played, bank)
    check(made, PICTURES)
    assert [tuple(made.ids[b:e].tolist()) for b, e in made.turns] == [
        turn.token_ids for turn in turns
    ]


def test_sampled_spans_are_never_encoded_or_decoded(monkeypatch):
    played, bank = episode(4)
    want = stored_row(played, bank)
    calls = []

    class Spy(TokenRenderer):
        def policy(self, turn):
            before = len(calls)
            made = super().policy(turn)
            assert len(calls) == before
            return made

    spy = Spy(tiny.processor(), name="tiny")
    encode = type(spy.tokenizer).__call__
    monkeypatch.setattr(
        type(spy.tokenizer),
        "__call__",
        lambda self, *a, **k: (calls.append(a), encode(self, *a, **k))[1],
    )
    monkeypatch.setattr(type(spy.tokenizer), "decode", lambda *a, **k: pytest.fail("decoded"))
    made = row_of_episode(played, bank, RENDER, spy, picture_tokens=PICTURES, rope=ROPE)
    assert torch.equal(made.ids, want.ids) and calls


def test_a_stored_episode_gives_the_row_that_the_engine_had():
    played, bank = episode(5, task_pictures=2)
    live = row_of_segments(
        segments(played, bank), episode_id=played.id, tokens=PICTURES, rope=ROPE, policy_version=3
    )
    again = stored_row(type(played).from_row(played.to_row()), reopened(played))
    check(again, PICTURES)
    for name in ("ids", "loss_mask", "positions", "pixels", "grid_thw", "old_logp"):
        assert torch.equal(getattr(live, name), getattr(again, name)), name
    assert (live.turns, live.pictures, live.pixel_hashes) == (
        again.turns,
        again.pictures,
        again.pixel_hashes,
    )
    assert live.pictures == pictures_shown(played) and (
        live.policy_version,
        again.policy_version,
    ) == (3, -1)


def test_a_trailing_observation_is_left_out_with_its_pictures():
    played, bank = episode(4)
    ended = played.replace(turns=played.turns[:3], end=EndReason.CALLS)
    made = stored_row(ended, bank)
    check(made, PICTURES)
    assert len(made) == made.turns[-1][1] and len(made.turns) == 3
    assert made.pictures == pictures_shown(ended) and len(made.pictures) == len(bank) - 1


def test_another_file_in_the_bank_is_an_error_that_names_both():
    played, _ = episode(4)
    other = reopened(played, {played.images[1].sha256: tiny.picture(399)})
    with pytest.raises(RowError, match=played.images[1].sha256[:12]) as error:
        stored_row(played, other)
    assert other.images[1].sha256[:12] in str(error.value)


def test_another_picture_budget_than_the_engines_is_an_error_at_the_check():
    """The same files, seen at another size: the ids fit the pixels, the pixels are not those that the policy saw."""
    made = row(3)
    wider = row_of_segments(segments(*episode(3)), episode_id="e", tokens=PICTURES, rope=ROPE)
    assert made.pixel_hashes == wider.pixel_hashes
    moved = dataclasses.replace(made, pixels=made.pixels * 0.5)
    with pytest.raises(RowError, match="the engine had"):
        check(moved, PICTURES)
    check(
        dataclasses.replace(moved, pixel_hashes=hashes_of(moved.pixels, moved.grid_thw)), PICTURES
    )


@pytest.mark.parametrize("token", sorted(PICTURES.never_sampled))
def test_an_episode_that_drew_a_picture_token_is_flagged_and_excluded(token):
    played, bank = episode(3)
    drawn = played.turns[1].replace(token_ids=(token, *played.turns[1].token_ids[1:]))
    with pytest.raises(UnusableRow, match=f"turn 1 has the picture token {token}") as error:
        stored_row(played.replace(turns=(played.turns[0], drawn, played.turns[2])), bank)
    assert error.value.fault == RowFault.SAMPLED_PICTURE_TOKEN


def test_log_probabilities_stand_at_their_tokens_or_nowhere():
    played, bank = episode(3)
    made = stored_row(played, bank)
    said = [x for turn in played.turns for x in turn.logprobs]
    assert (
        torch.equal(made.old_logp[made.loss_mask], torch.tensor(said))
        and (made.old_logp[~made.loss_mask] == 0).all()
    )
    silent = played.replace(turns=(played.turns[0].replace(logprobs=()), *played.turns[1:]))
    assert stored_row(silent, bank).old_logp is None
    short = played.replace(turns=(played.turns[0].replace(logprobs=(-1.0,)), *played.turns[1:]))
    with pytest.raises(RowError, match="turn 0 has 1 log-probabilities"):
        stored_row(short, bank)


def slipped(played, *numbers):
    """The episode, had the strict check not understood some of its turns."""
    return played.replace(
        turns=tuple(
            turn.replace(violation="no_thought") if n in numbers else turn
            for n, turn in enumerate(played.turns)
        )
    )


def test_a_turn_that_broke_the_protocol_is_read_and_carries_no_loss_and_the_turns_after_it_do():
    played, bank = episode(4)
    made = stored_row(played, bank)
    for numbers in ((), (0,), (1,), (1, 2), (3,)):
        taught = drop_violations(made, slipped(played, *numbers))
        check(taught, PICTURES)
        assert torch.equal(taught.ids, made.ids) and taught.turns == made.turns
        assert [taught.loss_mask[begin:end].tolist() for begin, end in made.turns] == [
            [n not in numbers] * (e - b) for n, (b, e) in enumerate(made.turns)
        ]
        said = [
            i for n, turn in enumerate(played.turns) if n not in numbers for i in turn.token_ids
        ]
        assert pack([taught], PICTURES).labels.tolist() == said, "what the loss is of"


def test_the_row_of_another_episode_is_not_masked_by_this_ones_turns():
    with pytest.raises(RowError, match="3 turns in the row, 4 in the episode"):
        drop_violations(row(3), episode(4)[0])


def test_positions_are_those_that_the_model_makes_itself():
    for made in (row(3), row(3, task_pictures=3), row(2, task_pictures=0, tool_pictures=False)):
        ids = made.ids[None]
        kinds = ids.eq(PICTURES.image_id).int()
        grids = made.grid_thw if len(made.grid_thw) else None
        want, _ = tiny.model().model.get_rope_index(ids, kinds, image_grid_thw=grids)
        assert torch.equal(made.positions[1:], want[:, 0]) and torch.equal(
            made.positions[0], torch.arange(len(made))
        )
