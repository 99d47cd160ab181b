"""How the learning run counts turns: before the first that broke the protocol, and behind it."""

from benchmarks.learning import count_valid_turns
from questloom.records.episodes import Episode, Turn
from tests.transforms.episodes.made import trajectory


def played(marks: str):
    """An episode, a letter a turn: "x" for one that broke the protocol."""
    turns = tuple(Turn(text="…", violation="no_thought" if mark == "x" else "") for mark in marks)
    return trajectory(
        Episode(task_id="q", rollout=0, engine="e", model="m", question="?", turns=turns)
    )


def test_the_first_invalid_turn_counts_as_one_before_and_all_behind_it_as_after():
    assert count_valid_turns([played("ooo"), played("oxo"), played("xxo")]) == {
        False: (4, 6),
        True: (2, 3),
    }
    assert count_valid_turns([played("ooo")]) == {
        False: (3, 3),
        True: (0, 0),
    } and count_valid_turns([]) == {False: (0, 0), True: (0, 0)}
