"""Makes rows (episodes as tensors) by joining token ids in the same order as the engine that played
the episodes.

Of all files of the trainer, only this file uses the agent's turns and prompts. Token ids that a
policy sampled stay unchanged. A teacher behind an API gives only text, which the renderer turns
into ids, turn by turn.
"""

from collections.abc import Sequence

import torch

from questloom.agent.play.episode_files import StoredBank
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.renderer import Exchange, Renderer, task_handles
from questloom.agent.turns.token_renderer import Segment, TokenRenderer
from questloom.records.episodes import Episode
from questloom.train.rows.row import (
    PictureTokens,
    Rope,
    Row,
    RowError,
    RowFault,
    check_sampled,
    hashes_of,
)


def row_of_segments(
    segments: Sequence[Segment],
    *,
    episode_id: str,
    tokens: PictureTokens,
    rope: Rope,
    policy_version: int = -1,
) -> Row:
    """Makes a row (tensors) from the parts (segments) of a conversation that was played with token
    ids.

    Args:
        segments: the parts of the conversation in order, the prompt first. An observation at the
            end, which no turn follows, is left out.
        policy_version: number of updates that the sampling weights have had.

    Raises:
        UnusableRow: the policy sampled a picture token.
        RowError: a picture has tokens but no pixels, or a segment has more or fewer
            log-probabilities than ids.
    """
    last = max(
        (n for n, segment in enumerate(segments) if segment.kind == "policy"),
        default=len(segments) - 1,
    )
    segments = segments[: last + 1]
    ids = torch.tensor([i for segment in segments for i in segment.ids], dtype=torch.long)  # (T,)
    mask = torch.zeros(len(ids), dtype=torch.bool)
    logp = torch.zeros(len(ids))
    turns, place = [], 0
    for segment in segments:
        end = place + len(segment.ids)
        if segment.kind == "policy" and segment.ids:
            turns.append((place, end))
            mask[place:end] = True
            if segment.logprobs:
                if len(segment.logprobs) != len(segment.ids):
                    raise RowError(
                        RowFault.SHAPE,
                        episode_id,
                        f"turn {len(turns) - 1} has {len(segment.logprobs)} log-probabilities "
                        f"for {len(segment.ids)} ids",
                    )
                logp[place:end] = torch.tensor(segment.logprobs)
        place = end
    check_sampled(ids, turns, tokens, episode_id)
    told = all(segment.logprobs for segment in segments if segment.kind == "policy" and segment.ids)
    seen = [segment.inputs for segment in segments if segment.inputs]
    pixels = (
        torch.cat([inputs["pixel_values"] for inputs in seen])
        if seen
        else torch.zeros(0, tokens.pixel_dim)
    )
    grids = (
        torch.cat([inputs["image_grid_thw"] for inputs in seen])
        if seen
        else torch.zeros(0, 3, dtype=torch.long)
    )
    if len(grids) != (named := sum(len(segment.pictures) for segment in segments)):
        raise RowError(
            RowFault.PICTURE_TOKENS,
            episode_id,
            f"{named} pictures in the segments, {len(grids)} grids from the processor",
        )
    return Row(
        episode_id=episode_id,
        ids=ids,
        loss_mask=mask,
        turns=tuple(turns),
        positions=rope(ids, grids),
        pixels=pixels,
        grid_thw=grids,
        pictures=tuple(sha for segment in segments for sha in segment.pictures),
        pixel_hashes=hashes_of(pixels, grids),
        old_logp=logp if told else None,
        policy_version=policy_version,
    )


def segments_of_episode(
    episode: Episode, bank: ImageBank | StoredBank, renderer: Renderer, tokens: TokenRenderer
) -> list[Segment]:
    """The parts (segments) of a finished episode's conversation, with the same ids and pixels as in
    the engine.

    Args:
        bank: the episode's pictures, restored from records and files.
        renderer: the renderer with the episode's prompt.
        tokens: the renderer that makes token ids for the trained model.
    """
    exchanges = [
        Exchange(turn, renderer.observation(index, turn.result, bank))
        for index, turn in enumerate(episode.turns)
        if turn.result
    ]
    conversation = Conversation(
        task_id=episode.task_id,
        rollout=episode.rollout,
        exchanges=tuple(exchanges),
        opening=renderer.opening(episode.question, bank, task_handles(bank)),
    )
    segments = tokens.segments(conversation)
    return (
        [*segments, tokens.policy(episode.turns[-1])]
        if len(exchanges) < len(episode.turns)
        else segments
    )


def row_of_episode(
    episode: Episode,
    bank: ImageBank | StoredBank,
    renderer: Renderer,
    tokens: TokenRenderer,
    *,
    picture_tokens: PictureTokens,
    rope: Rope,
    policy_version: int = -1,
) -> Row:
    """Makes the row of a stored episode, for SFT, or for GRPO on an episode from a journal.

    Args:
        episode, bank, renderer, tokens: see `segments_of_episode`.
        picture_tokens, rope, policy_version: see `row_of_segments`.

    Raises:
        RowError: the rendered pictures differ from those that the episode showed, or come in
            another order.
    """
    row = row_of_segments(
        segments_of_episode(episode, bank, renderer, tokens),
        episode_id=episode.id,
        tokens=picture_tokens,
        rope=rope,
        policy_version=policy_version,
    )
    shown = pictures_shown(episode)
    if row.pictures != shown:
        raise RowError(
            RowFault.PIXEL_HASH,
            episode.id,
            f"the row shows the files {_short(row.pictures)}, the episode showed {_short(shown)}",
        )
    return row


def drop_violations(row: Row, episode: Episode) -> Row:
    """Takes the turns that broke the agent's protocol out of a row's loss.

    The model still reads these turns before later turns, but it does not learn to imitate them.
    """
    slips = torch.tensor([bool(turn.violation) for turn in episode.turns])
    if len(slips) != len(row.turns):
        raise RowError(
            RowFault.SHAPE,
            row.episode_id,
            f"{len(row.turns)} turns in the row, {len(slips)} in the episode",
        )
    return row.masked(~slips[row.steps.clamp(min=0)])


def _short(hashes: Sequence[str]) -> str:
    return ", ".join(sha[:12] for sha in hashes) or "none"


def pictures_shown(episode: Episode) -> tuple[str, ...]:
    """The sha256 of the pictures before an episode's last turn: first the task's pictures, then the
    pictures of each call.
    """
    by_handle = {image.handle: image for image in episode.images}
    shown = [image.sha256 for image in episode.images if image.origin == "task"]
    for index, turn in enumerate(episode.turns[:-1]):
        handles = dict.fromkeys(turn.result.images) if turn.result else {}
        shown += [by_handle[handle].sha256 for handle in handles if by_handle[handle].call == index]
    return tuple(shown)
