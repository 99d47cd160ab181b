"""The learning world: the same by its seed, each look once, names that tell nothing, and pages and pictures in the country's formats."""

import json

import pytest

from questloom.knowledge.world.learning import (
    COLOURS,
    KINDS,
    MOST_ARTICLES,
    NUMBERS,
    learning_pages,
    make_learning_part,
)
from questloom.knowledge.world.pictures.draw import draw
from questloom.knowledge.world.write import write_world
from questloom.records.errors import InputError


def looks(part):
    return [
        (t.look["colour"], t.kind, t.look["number"]) for t in part.things.values() if t.pictures
    ]


def test_at_its_size_every_combination_of_colour_kind_and_number_is_one_thing():
    found = looks(make_learning_part(3, 480))
    assert sorted(found) == sorted((c, k, n) for c in COLOURS for k in KINDS for n in NUMBERS)


def test_worlds_of_two_seeds_call_the_same_look_by_other_names():
    one, two = (
        {
            (t.look["colour"], t.kind, t.look["number"]): t.label
            for t in make_learning_part(seed, 480).things.values()
            if t.pictures
        }
        for seed in (3, 4)
    )
    assert sum(one[look] == two[look] for look in one) < 10


def test_no_two_things_share_a_name():
    labels = [t.label for t in make_learning_part(3, MOST_ARTICLES).things.values()]
    assert len(set(labels)) == len(labels) == MOST_ARTICLES


def test_pages_have_one_to_four_lines_and_link_only_to_pages():
    pages = learning_pages(make_learning_part(3, 60))
    titles = {p.title for p in pages}
    for page in pages:
        said = [
            line
            for line in page.text.split("\n")
            if line and not line.startswith(("[[File:", "=="))
        ]
        assert 1 <= len(said) <= 4
        assert all(
            link.split("]]")[0] in titles
            for link in page.text.split("[[")[1:]
            if not link.startswith("File:")
        )


def test_a_picture_shows_its_colour_and_changes_with_it():
    part = make_learning_part(3, 60)
    thing = next(t for t in part.things.values() if t.pictures)
    before = draw(3, thing, thing.pictures[0])
    assert (before.width, before.height) == (64, 64) and before.data == draw(
        3, thing, thing.pictures[0]
    ).data
    thing.look["colour"] = next(c for c in COLOURS if c != thing.look["colour"])
    assert draw(3, thing, thing.pictures[0]).data != before.data


def test_the_same_seed_writes_the_same_world(tmp_path):
    first, second = (
        write_world(tmp_path / name, articles=24, seed=9, learning=True, workers=1) for name in "ab"
    )
    assert first.digests == second.digests and first.pictures == 19
    assert json.loads((tmp_path / "a" / "world.json").read_text())["learning"] is True


def test_more_things_than_names_are_refused(tmp_path):
    with pytest.raises(InputError, match=f"between 8 and {MOST_ARTICLES}"):
        write_world(tmp_path / "w", articles=MOST_ARTICLES + 1, seed=1, learning=True)
