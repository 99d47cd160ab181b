"""Makes a whole part of the world. Things to which other things refer are made first. Names, ranks
and articles are made last."""

from questloom.knowledge.world.curiosities import make_curiosities
from questloom.knowledge.world.events import make_events
from questloom.knowledge.world.industry import make_industry
from questloom.knowledge.world.lives import make_lives
from questloom.knowledge.world.nation import make_nation
from questloom.knowledge.world.nature import make_nature
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.people import make_people
from questloom.knowledge.world.pictures.plan import plan_pictures
from questloom.knowledge.world.polish import polish
from questloom.knowledge.world.second import add_second_order
from questloom.knowledge.world.settlements import make_places
from questloom.knowledge.world.structures import make_structures
from questloom.knowledge.world.works import make_works

PART_ARTICLES = 1000
"""Number of articles per region; a world of N articles has about N / 1000 regions and one nation."""
NATION_ARTICLES = 60


def part_sizes(articles: int) -> list[int]:
    """The number of articles in each part, nation first; the numbers add up to `articles`."""
    nation = min(NATION_ARTICLES, articles // 4)
    left = articles - nation
    regions = max(1, round(left / PART_ARTICLES))
    return [nation, *(left // regions + (i < left % regions) for i in range(regions))]


def make_part(seed: int, articles: int, number: int, nation: Part | None = None) -> Part:
    """Makes one complete part of the world from its number.

    Args:
        seed: seed of the world.
        articles: number of articles of the whole world, which decides the number of parts.
        number: number of the part: 0 for the nation, 1… for the regions.
        nation: part 0, if the caller has made it already.
    """
    sizes = part_sizes(articles)
    if number and nation is None:
        nation = make_part(seed, articles, 0)
    part = Part(seed, number, len(sizes), sizes[number], nation)
    if number == 0:
        make_nation(part)
    else:
        for make in (
            make_places,
            make_people,
            make_structures,
            make_works,
            make_nature,
            make_industry,
            make_events,
            make_lives,
            make_curiosities,
        ):
            make(part)
    add_second_order(part)
    polish(part)
    plan_pictures(part)
    return part
