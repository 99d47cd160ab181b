from collections import Counter

import pytest

from questloom.models.picture_ops import perspective_correct
from questloom.transforms.enhancement.degrade import TOOLS, Degradation, degrade, draw, is_chosen
from questloom.transforms.enhancement.enhancement_rules import EnhancementRules
from questloom.transforms.enhancement.repair import repair
from tests.models.pictures import scene

IDS = [f"{i:032x}" for i in range(3000)]


def test_the_share_is_met_and_each_question_is_drawn_by_its_id_alone():
    chosen = [q for q in IDS if is_chosen(q, 1, 0.1)]
    assert 250 < len(chosen) < 350
    assert chosen != [q for q in IDS if is_chosen(q, 2, 0.1)]
    assert not any(is_chosen(q, 1, 0.0) for q in IDS)
    assert all(is_chosen(q, 1, 1.0) for q in IDS)


def test_kinds_come_in_equal_parts_and_severity_within_the_recipes_range():
    rules = EnhancementRules(blur=(0.2, 0.3), down_sampling=(0.5, 0.5), perspective=(0.9, 1.0))
    drawn = [draw(q, 1, rules) for q in IDS[:600]]
    assert all(150 < n < 250 for n in Counter(d.kind for d in drawn).values())
    for d in drawn:
        low, high = getattr(rules, d.kind)
        assert low <= d.severity <= high
        assert d.tool == TOOLS[d.kind]
    assert drawn == [draw(q, 1, rules) for q in IDS[:600]]


def test_a_question_that_reads_a_detail_is_tilted_only():
    assert {draw(q, 1, EnhancementRules(), reads=True).kind for q in IDS[:50]} == {"perspective"}


def test_published_kinds_are_the_default_and_others_are_drawn_where_a_recipe_names_them():
    published = {draw(q, 1, EnhancementRules()).kind for q in IDS[:90]}
    assert published == {"blur", "down_sampling", "perspective"}
    mine = EnhancementRules(kinds=("mirrored", "upside_down"))
    assert {draw(q, 1, mine).kind for q in IDS[:90]} == {"mirrored", "upside_down"}


@pytest.mark.parametrize("kind", ["turned_left", "turned_right", "upside_down", "mirrored"])
def test_a_turned_or_mirrored_picture_is_set_upright_pixel_by_pixel(kind):
    picture, degradation = scene(3), Degradation(kind, 1.0)
    worse = degrade(picture, degradation)
    quarter = kind in ("turned_left", "turned_right")
    assert worse.size == (picture.size[::-1] if quarter else picture.size)
    assert repair(worse, degradation).tobytes() == picture.tobytes()


@pytest.mark.parametrize("kind", sorted(TOOLS))
def test_degrading_is_reproducible_and_the_paired_tool_has_an_effect(kind):
    rules = EnhancementRules(kinds=(kind,))
    degradation = draw(IDS[0], 1, rules)
    worse = degrade(scene(3), degradation)
    assert worse.tobytes() == degrade(scene(3), degradation).tobytes()
    assert worse.tobytes() != scene(3).tobytes()
    assert repair(worse, degradation) is not None


def test_every_drawn_perspective_is_found_again():
    drawn = [
        d for d in (draw(q, 1, EnhancementRules()) for q in IDS[:90]) if d.kind == "perspective"
    ]
    found = [perspective_correct(degrade(scene(i), d)) is not None for i, d in enumerate(drawn)]
    assert sum(found) >= 0.95 * len(found)
