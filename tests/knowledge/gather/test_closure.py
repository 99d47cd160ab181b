"""What an entity leads to, and how many members classes have once one of them was gathered whole."""

import pytest

from questloom.knowledge.gather.closure import (
    MAX_VALUES,
    Links,
    classes_above,
    links_of,
)
from questloom.knowledge.gather.dumps import stated_counts
from questloom.knowledge.gather.request import ClassCount

NOTHING = Links((), (), (), (), (), "", ())


def item(name):
    return {
        "snaktype": "value",
        "datavalue": {"value": {"entity-type": "item", "id": name}, "type": "wikibase-entityid"},
    }


def said(snak, rank="normal", **qualifiers):
    return {"mainsnak": snak, "rank": rank, "qualifiers": {p: [q] for p, q in qualifiers.items()}}


def amount(unit):
    return {"snaktype": "value", "datavalue": {"value": {"amount": "+3", "unit": unit}}}


def file(name):
    return {"snaktype": "value", "datavalue": {"value": name, "type": "string"}}


def test_an_entity_leads_to_its_values_classes_units_properties_article_and_best_picture():
    entity = {
        "claims": {
            "P31": [said(item("Q12"))],
            "P279": [said(item("Q13"))],
            "P84": [said(item("Q2")), said(item("Q3"), "deprecated"), said(item("Q2"))],
            "P137": [said({"snaktype": "somevalue"}), said(item("L7"))],
            "P2048": [said(amount("http://www.wikidata.org/entity/Q11573"), P459=amount("1"))],
            "P18": [said(file("old_one.jpg")), said(file("best one.jpg"), "preferred")],
            "P5555": [said(item("Q9"), "deprecated")],
        },
        "sitelinks": {"enwiki": {"title": "Tower"}, "dewiki": {"title": "Turm"}},
    }
    assert links_of(entity, "enwiki") == Links(
        classes=("Q12",),
        parents=("Q13",),
        values=("Q2",),
        units=("Q11573",),
        properties=("P31", "P279", "P84", "P137", "P2048", "P459", "P18"),
        article="Tower",
        pictures=("Best one.jpg",),
        sitelinks=2,
    )
    assert links_of({"claims": []}, "enwiki") == NOTHING


@pytest.mark.parametrize(
    ("links", "is_way"),
    [
        (NOTHING, True),
        (NOTHING._replace(values=tuple(map(str, range(MAX_VALUES)))), True),
        (NOTHING._replace(values=tuple(map(str, range(MAX_VALUES + 1)))), False),
        (NOTHING._replace(classes=("Q4167410",)), False),
    ],
    ids=["little", "much", "a hub", "a disambiguation page"],
)
def test_no_way_leads_through_hubs_and_a_wikis_own_things(links, is_way):
    assert links.is_way == is_way


def test_classes_above_end_where_subclasses_go_in_a_circle():
    links = {"Q1": NOTHING._replace(parents=("Q2",)), "Q2": NOTHING._replace(parents=("Q1", "Q3"))}
    assert classes_above(["Q1"], links) == {"Q1", "Q2", "Q3"}


def test_of_a_class_gathered_whole_the_classes_below_are_known_too_and_of_others_nothing():
    links = {
        "Q12": NOTHING._replace(parents=("Q10",)),
        "Q10": NOTHING._replace(parents=("Q1",)),
        **{f"Q10{n}": NOTHING._replace(classes=("Q12" if n < 2 else "Q10",)) for n in range(5)},
    }
    whole = {"Q10": ClassCount(members=5, listed=5)}
    assert stated_counts(whole, links) == {"Q10": 5, "Q12": 2}
    part = {"Q10": ClassCount(members=50, listed=5)}
    assert stated_counts(part, links) == {"Q10": 50}
