"""What the demo shows at its end: always the same question of a run, where everything is, and what it took."""

import re

import pytest

from questloom.pipeline.commands.demo_end import Clock, example, places_text
from questloom.records.synthesis import Certificate
from tests.transforms.episodes.made import question


def kept(
    index: int,
    *,
    level="medium",
    split="sft/train",
    basis="margin",
    margin=2,
    text="Who built the tower in the picture?",
):
    return question(index, split).replace(
        level=level, text=text, certificate=Certificate(basis=basis, margin=margin)
    )


@pytest.mark.parametrize(
    "better", [dict(margin=5), dict(basis="closed", margin=-1), dict(text="Who built it?")]
)
def test_the_widest_margin_is_shown_and_among_equals_the_shortest(better):
    chosen = kept(1, **better)
    assert example([kept(0), chosen, kept(2)]) == example([chosen, kept(2), kept(0)]) == chosen


@pytest.mark.parametrize(
    "worse", [dict(level="easy"), dict(level="hard"), dict(split="rl/validation")]
)
def test_a_wide_margin_does_not_bring_in_another_level_or_a_question_kept_for_measuring(worse):
    assert example([kept(0), kept(1, margin=9, **worse)]) == kept(0)


def test_where_no_question_of_the_medium_level_was_kept_another_is_shown():
    assert example([kept(0, level="hard")]) == kept(0, level="hard")


def test_where_nothing_was_kept_nothing_is_shown():
    assert example([]) is None


def test_a_run_without_a_data_set_says_why_and_names_none():
    text = places_text("", "run/report/index.html", "Stopped at the budget")
    assert (
        "load_dataset" not in text
        and text.splitlines()[0].endswith("run/report/index.html")
        and text.endswith("Stopped at the budget")
    )


def test_the_machine_s_part_is_told_in_numbers():
    said = Clock().as_text(2)
    assert re.fullmatch(
        r"It took \d+ s on 2 of \d+ cores, \d+ s of processor time, and at most \d+\.\d GB of memory in one process\.",
        said,
    ), said
