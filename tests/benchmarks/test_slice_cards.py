"""Stand-in cards: which things of a slice get one, and that each card is another and depicts its thing only."""

import bz2
import gzip
import json

from PIL import Image

from benchmarks.slice_cards import with_article, write_cards
from benchmarks.wikimedia_world import World
from questloom.transforms.pictures.simple import MAX_FLAT_COLOURS, MIN_TONES, statistics
from tests.benchmarks.items import thing

HEAD = "<mediawiki>\n  <siteinfo><dbname>enwiki</dbname></siteinfo>\n"


def test_things_with_an_article_get_a_card_and_people_only_if_they_are_dead(tmp_path):
    things = [
        thing(1, "Q515"),
        thing(2, "Q515", page=False),
        thing(3, "Q5"),
        thing(4, "Q5", dead=True),
    ]
    with gzip.open(tmp_path / "entities.json.gz", "wt") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, things)) + "\n]\n")
    pages = "".join(f"  <page>\n    <title>Page {n}</title>\n  </page>\n" for n in (1, 3, 4))
    (tmp_path / "articles.xml.bz2").write_bytes(bz2.compress(f"{HEAD}{pages}</mediawiki>".encode()))
    world = World.read([tmp_path / "entities.json.gz"], [tmp_path / "articles.xml.bz2"], [])
    assert sorted(with_article(world, 9, seed=0)) == ["Q1", "Q4"]
    assert len(with_article(world, 1, seed=0)) == 1


def test_each_card_is_another_and_depicts_one_thing_and_passes_as_a_picture(tmp_path):
    write_cards(["Q1", "Q4"], tmp_path / "cards")
    rows = [json.loads(line) for line in (tmp_path / "cards" / "metadata.jsonl").open()]
    depicted = [row["mediainfo"]["statements"]["P180"] for row in rows]
    assert [[c["mainsnak"]["datavalue"]["value"]["id"] for c in said] for said in depicted] == [
        ["Q1"],
        ["Q4"],
    ]
    cards = [(tmp_path / "cards" / row["title"].removeprefix("File:")) for row in rows]
    assert cards[0].read_bytes() != cards[1].read_bytes()
    for path in cards:
        found = statistics(Image.open(path))
        assert found["colours"] > MAX_FLAT_COLOURS and found["tones"] > MIN_TONES
