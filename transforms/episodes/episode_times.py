"""Separates an episode from its measured times, so that the episode's bytes do not depend on the speed of play."""

from questloom.records.episodes import Episode, Turn
from questloom.records.trajectories import EpisodeTimes


def timeless(episode: Episode) -> tuple[Episode, EpisodeTimes]:
    """Splits an episode in two: the episode without times, costs of tools and marks of cached
    results, and a record of the removed values."""
    results = [turn.result for turn in episode.turns]
    times = EpisodeTimes(
        episode_id=episode.id,
        seconds=episode.seconds,
        turn_seconds=tuple(turn.seconds for turn in episode.turns),
        tool_seconds=tuple(result.seconds if result else 0.0 for result in results),
        tool_cost=tuple(result.cost if result else 0.0 for result in results),
        cached=tuple(bool(result and result.cached) for result in results),
    )
    turns = tuple(_timeless(turn) for turn in episode.turns)
    return episode.replace(turns=turns, seconds=0.0, cost=sum(turn.cost for turn in turns)), times


def _timeless(turn: Turn) -> Turn:
    result = turn.result.replace(seconds=0.0, cost=0.0, cached=False) if turn.result else None
    return turn.replace(seconds=0.0, result=result)
