"""The table of what each part of making questions is worth: every arm changes its recipe, and arms are told apart by what came of them."""

import pytest

from benchmarks.ablations import PARTS, SHORTCUTS, WITHOUT_HANDLES, Arm, arm_of, line, made, played
from questloom.pipeline.recipe import load_recipe
from questloom.records.share import Share
from questloom.records.synthesis import Seed
from questloom.transforms.planning.planner import plans_of
from tests.pipeline.small_world import LEAN, small_recipe, small_store
from tests.transforms.planning import coast


@pytest.mark.parametrize("name", [name for name in PARTS if name != "whole"])
def test_an_arm_takes_its_part_away_from_the_demos_recipe_and_changes_nothing_else(name):
    whole, arm = load_recipe("demo").resolved(), load_recipe("demo", PARTS[name]).resolved()
    changed = {part for part in whole if whole[part] != arm[part]}
    assert changed == {setting.partition(".")[0] for setting in PARTS[name]}
    assert whole["seeds"] == arm["seeds"], "all arms draw the same seeds"


def test_a_filter_that_an_arm_has_not_is_left_open_in_its_row():
    arm = Arm(Share(8, 10), {"text_search": Share(2, 8)}, 6, Share(6, 6), 4.25, Share(0, 6))
    cells = line("made", arm).strip("| ").split(" | ")
    assert (
        cells[:2] == ["made", "0.80 (0.49–0.94)"]
        and cells[2].startswith("0.25")
        and cells[3:5] == ["–", "–"]
        and cells[5] == "6"
        and cells[7] == "4.2"
    )
    assert len(cells) == len(SHORTCUTS) + 6


def test_the_arm_of_fuzzing_says_vaguely_what_the_whole_recipe_says_exactly():
    seed = Seed(
        entity_id=coast.lighthouse(3), method="paths", rule="rare", level="easy", domain="other"
    )
    found = []
    for arm in ("whole", "fuzz"):
        kinds = load_recipe("demo", PARTS[arm]).draft.fuzz
        at = coast.ground(fuzz=kinds)
        found.append(plans_of(at, seed).plans)
    whole, fuzzed = found
    assert not any(p.certificate.fuzzed for p in whole)
    changed = [p for p in fuzzed if p.certificate.fuzzed]
    assert changed and {p.answer.text for p in changed} <= {p.answer.text for p in whole}
    assert all(f.after > f.before for p in changed for f in p.certificate.fuzzed)


@pytest.mark.slow
def test_the_same_questions_are_played_with_and_without_numbered_pictures(tmp_path):
    store = small_store(tmp_path, articles=200)
    recipe = small_recipe(
        filters={**LEAN, "no_tools": True},
        enhancement={"share": 0.0},  # in so small a world one search finds nearly everything
        seeds={
            "count": 24,
            "levels": {"easy": 1.0},
            "rare_min_statements": 4,
            "anchor_min_in_degree": 1,
        },
    )
    run, funnel = made(recipe, store, tmp_path / "whole")
    arm = arm_of(recipe, funnel, *played(run, store, "teacher"))
    assert 0 < arm.kept <= arm.drafted.num_good <= arm.drafted.num == 24 and set(arm.shortcuts) == {
        "no_tools"
    }
    assert (
        arm.solved.num == arm.kept
        and arm.solved.num_good
        and arm.calls > 1
        and arm.unfit.num >= arm.solved.num_good
    )
    hidden, _, _ = played(run, store, WITHOUT_HANDLES, "teach.tools.handles=false")
    assert hidden.num == arm.solved.num and hidden.num_good <= arm.solved.num_good
    again, same = made(recipe, store, tmp_path / "whole")
    assert arm_of(recipe, same, *played(again, store, "teacher")) == arm, (
        "an arm that stands is told, not run"
    )
