"""By which figure the prior knows things, and when none can tell."""

import pytest

from questloom.records.knowledge import Entity, Popularity
from questloom.transforms.filters.fame import Fame, fame_of

LEAST = {"sitelinks": 50, "page_views": 1_000, "in_degree": 100}


def thing(
    number: int,
    *,
    links: int = 0,
    stated: int | None = None,
    views: int | None = None,
    in_degree: int = 0,
) -> Entity:
    popularity = (
        None if stated is None and views is None else Popularity(sitelinks=stated, page_views=views)
    )
    return Entity(
        id=f"Q{number}",
        sitelinks={f"w{n}wiki": "x" for n in range(links)},
        in_degree=in_degree,
        popularity=popularity,
    )


def test_a_store_of_one_wikis_titles_cannot_tell_and_says_what_it_has():
    why = fame_of([thing(n, links=n % 2, in_degree=n % 5) for n in range(1_200)], LEAST)
    assert why == (
        "of 1,200 things of the store none has 50 sitelinks (the most is 1); no page views are stated; "
        "none has 100 links from other pages (the most is 4)"
    )


@pytest.mark.parametrize(
    ("things", "expected"),
    [
        ([thing(1, links=50), thing(2, links=49)], Fame(figure="sitelinks", least=50)),
        (
            [thing(1, stated=50), thing(2, links=1)],
            Fame(figure="sitelinks", least=50, partial=True),
        ),
        (
            [thing(1, stated=49, views=1_000), thing(2, views=999)],
            Fame(figure="page_views", least=1_000, partial=True),
        ),
        (
            [thing(1, links=1, in_degree=100), thing(2, links=1, in_degree=99)],
            Fame(figure="in_degree", least=100),
        ),
        (
            [thing(1, links=60, in_degree=200, views=5_000), thing(2)],
            Fame(figure="sitelinks", least=50),
        ),
    ],
)
def test_the_first_figure_that_some_reach_and_others_do_not_is_taken(things, expected):
    assert fame_of(things, LEAST) == expected


def test_a_figure_that_all_things_reach_tells_nothing_either():
    why = fame_of([thing(n, links=50, views=1_000, in_degree=100) for n in range(3)], LEAST)
    assert (
        why
        == "of 3 things of the store all have 50 sitelinks or more; all have 1,000 page views or more; all have 100 links from other pages or more"
    )
    assert fame_of([], LEAST) == "the store has no things"


def test_a_thing_is_known_from_the_number_on():
    assert (
        Fame(figure="in_degree", least=5).knows(thing(1, in_degree=5)) is True
        and Fame(figure="in_degree", least=5).knows(thing(1, in_degree=4)) is False
    )
    assert Fame(figure="sitelinks", least=2).knows(thing(1, links=1)) is False


def test_a_thing_of_which_the_file_states_nothing_is_neither_known_nor_unknown():
    fame = Fame(figure="sitelinks", least=2, partial=True)
    assert fame.knows(thing(1, links=1)) is None and fame.knows(thing(1, links=1, views=7)) is None
    assert (
        fame.knows(thing(1, links=2)) is True
        and fame.knows(thing(1, stated=1)) is False
        and fame.knows(thing(1, stated=0)) is False
    )
    views = Fame(figure="page_views", least=10, partial=True)
    assert [views.knows(thing(1, views=v)) for v in (10, 9, 0, None)] == [True, False, False, None]


def test_the_larger_of_what_the_dump_names_and_what_is_stated_is_the_number_of_sitelinks():
    assert [thing(1, links=3, stated=n).num_sitelinks for n in (None, 0, 2, 3, 9)] == [
        3,
        3,
        3,
        3,
        9,
    ]
