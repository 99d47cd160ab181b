"""What the pages of the world say: plain English, each list once, and the relation that the claim has."""

import re
from collections import Counter

import pytest

from questloom.knowledge.world.article_texts import pages
from questloom.knowledge.world.infobox_texts import infobox
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.phrases import FOLDER, plan_of
from questloom.knowledge.world.populate import make_part
from questloom.knowledge.world.prose import Prose

LINK = re.compile(r"\[\[(?:[^|\]]*\|)?([^\]]*)\]\]")


@pytest.fixture(scope="module")
def region() -> Part:
    return make_part(3, 1000, 1)


@pytest.fixture(scope="module")
def sentences(region: Part) -> dict[str, list[str]]:
    """The sentences of every article by the thing's id, links as their words."""
    prose = Prose(region)
    return {
        t.id: [LINK.sub(r"\1", s) for _, said in prose.sections(t) for s in said]
        for t in region.things.values()
        if t.article
    }


def test_verbs_agree_with_the_number_of_things_listed(
    region: Part, sentences: dict[str, list[str]]
) -> None:
    prose, seen = Prose(region), Counter()
    for thing in region.things.values():
        designed = prose.inbound.get(thing.id, {}).get("P287", [])
        for sentence in sentences.get(thing.id, ()):
            if match := re.search(r" (was|were) designed by (him|her)\.$", sentence):
                assert (match[1] == "was") == (len(designed) == 1), sentence
                seen[match[1]] += 1
    assert seen["was"] and seen["were"]


def test_a_choice_of_words_is_drawn_for_each_page_and_leaves_no_mark(
    sentences: dict[str, list[str]],
) -> None:
    told = [s for said in sentences.values() for s in said]
    assert not [s for s in told if re.search(r"\{(?!\{convert)[^{}]*[|/][^{}]*\}(?!\})", s)]
    habits = {s for s in told if " was known for " in s}
    assert len(habits) > 6, (
        "one fixed sentence would be found by every search with one of its words"
    )


def test_no_sentence_without_a_fact_stands_on_many_pages(sentences: dict[str, list[str]]) -> None:
    counts = Counter(s for said in sentences.values() for s in set(said) if "{{" not in s)
    most, times = counts.most_common(1)[0]
    assert times < 0.03 * len(sentences), most


def test_a_page_gives_a_list_once_and_names_each_thing_of_it_once(
    sentences: dict[str, list[str]],
) -> None:
    for said in sentences.values():
        assert sum("took part in " in s for s in said if s.split()[0] in ("He", "She")) <= 1, said
        designed = [
            s.split(" designed ")[1]
            for s in said
            if " also designed " in s or ("designed by" in s and " include " in s)
        ]
        assert len(designed) <= 1, designed


def test_things_of_one_name_in_a_list_are_told_apart_as_in_their_titles(region: Part) -> None:
    prose, rng = Prose(region), region.rng("test")
    same = Counter(t.label for t in region.things.values() if t.kind == "film")
    first, second, *_ = [
        t
        for t in region.things.values()
        if t.kind == "film" and same[t.label] > 1 and t.label == max(same, key=lambda k: same[k])
    ]
    said = LINK.sub(r"\1", prose._listed([first, second], region.region, rng))
    assert re.fullmatch(rf"{first.label} \(\d+ film\) and {second.label} \(\d+ film\)", said)
    assert "(" not in LINK.sub(r"\1", prose._listed([first], region.region, rng)), (
        "a name that stands alone needs no hint"
    )
    assert "(" in LINK.sub(r"\1", prose._listed([first], second, rng)), (
        "on the page of its namesake it does"
    )


def test_a_ship_without_a_page_is_named_with_its_kind_and_one_with_a_page_without(
    region: Part,
) -> None:
    prose, rng = Prose(region), region.rng("test")
    for ship in region.kind("ship"):
        said = LINK.sub(r"\1", prose.link(ship, rng))
        kind = region.label(ship.classes[0])
        assert (
            not said.startswith(f"the {kind} ")
            if ship.article
            else said == f"the {kind} {ship.label}"
        )


def test_first_and_second_given_name_differ(region: Part) -> None:
    names = [t.label.split() for t in region.kind("person")]
    assert sum(len(name) > 2 for name in names) > 20 and all(
        len(set(name)) == len(name) for name in names
    )


@pytest.mark.parametrize(
    "weak",
    [
        "due to {P84}",
        "building, by {P84}",
        "built by {P84}",
        "work of {P84}",
        "described by {P61}",
        "seen by {P61}",
        "found by {P61}",
        "belonged to {P1028}",
        "in its possession include {in:P1028}",
        "came from {P84.P19}",
        "paid for by {P88}",
    ],
)
def test_no_sentence_says_less_than_its_claim(weak: str) -> None:
    """A strict reader finds no designer in who rebuilt a thing, no discoverer in who described it, no donor in who had owned it."""
    assert not [
        path.name for path in FOLDER.glob("*.txt") if weak in path.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize(
    ("property_id", "relation"),
    [("P84", "design|architect|plans"), ("P61", "discover"), ("P1028", "g[ai]ve|donated")],
)
def test_each_phrasing_with_a_maker_alone_names_the_relation(
    property_id: str, relation: str
) -> None:
    for kind in (
        "lighthouse",
        "castle",
        "church",
        "museum",
        "tower",
        "species",
        "mineral",
        "sky",
        "painting",
    ):
        for line in (
            line
            for heading in plan_of(kind)
            if heading.title != "Architect"
            for line in heading.lines
        ):
            for phrasing in line.phrasings:
                if property_id in phrasing[1::2] and not any(
                    key.startswith(f"{property_id}.") for key in phrasing[1::2]
                ):
                    assert re.search(relation, "".join(phrasing[::2])), (kind, phrasing)


def test_infoboxes_count_units_in_the_plural_and_visitors_come_only_to_places_that_stand(
    region: Part,
) -> None:
    boxes = [infobox(region, film, "", "") for film in region.kind("film")]
    assert any("minutes\n" in box for box in boxes) and not any(
        re.search(r"\d minute\n", box) for box in boxes
    )
    tables = 0
    by_title = {t.title: t for t in region.things.values()}
    for page in pages(region):
        if "! Year !! Visitors" in page.text and page.title in by_title:
            tables += 1
            assert by_title[page.title].kind != "person"
            assert int(re.findall(r"\|-\n\| (\d+) \|\|", page.text)[0]) > by_title[page.title].start
    assert tables > 5
