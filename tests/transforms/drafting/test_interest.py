"""Which of several questions somebody would rather have answered."""

from dataclasses import replace
from math import log2

import pytest

from questloom.prompts.phrases import property_use
from questloom.records.form import Ask, ClaimClause, Compute, Form, Image
from questloom.records.knowledge import Entity, Value, entity_value
from questloom.transforms.drafting.interest import (
    ALIKE,
    BY_CHANCE,
    GIVEN_AWAY,
    LEAST,
    MOST,
    PER_LINK,
    PER_NAME,
    interest,
)
from tests.small_facts import SmallFacts, claim, year

BRIDGE, ARCHITECT, TOWN, OTHER = "Q1", "Q2", "Q3", "Q4"
ENTITIES = {
    BRIDGE: Entity(id=BRIDGE, labels={"en": "B"}, domain="building_or_place", classes=("Q12280",)),
    ARCHITECT: Entity(id=ARCHITECT, labels={"en": "A"}, domain="person", classes=("Q5",)),
    TOWN: Entity(id=TOWN, labels={"en": "T"}, domain="location", classes=("Q3957",)),
    OTHER: Entity(id=OTHER, labels={"en": "O"}, domain="building_or_place", classes=("Q12280",)),
}
AREA = Value(kind="quantity", number=9.0, unit="Q712226")
CLAIMS = [
    claim(BRIDGE, "P84", ARCHITECT),
    claim(ARCHITECT, "P1066", "Q9"),
    claim(ARCHITECT, "P569", year(1800)),
    claim(BRIDGE, "P131", TOWN),
    claim(TOWN, "P2046", AREA),
    claim(TOWN, "P571", year(1300)),
    claim(OTHER, "P84", "Q8"),
    claim(BRIDGE, "P571", year(1850)),
]


def _asks(property: str, value: Value, *way: tuple[str, str]) -> tuple[Form, dict[str, Value]]:
    """A form over hops (property, thing) that asks for a property of the last thing, and its binding."""
    clauses = [
        Image(var="x0"),
        *(
            ClaimClause(subject=f"x{i}", property=p, object=f"x{i + 1}")
            for i, (p, _) in enumerate(way)
        ),
    ]
    form = Form(
        clauses=(*clauses, ClaimClause(subject=f"x{len(way)}", property=property, object="a")),
        ask=Ask(var="a", type=value.kind),
    )
    return form, {
        "x0": entity_value(BRIDGE),
        **{f"x{i + 1}": entity_value(t) for i, (_, t) in enumerate(way)},
        "a": value,
    }


def _score(*asked, facts: SmallFacts | None = None) -> float:
    form, binding = _asks(*asked)
    return interest(form, facts or SmallFacts(CLAIMS, dict(ENTITIES)), binding)


def test_a_name_is_worth_more_than_a_year_and_a_year_more_than_an_area():
    teacher = _score("P1066", entity_value("Q9"), ("P84", ARCHITECT))
    birth = _score("P569", year(1800), ("P84", ARCHITECT))
    area = _score("P2046", AREA, ("P131", TOWN))
    assert 5 >= teacher > birth > area >= 1


def test_a_score_worked_by_hand():
    used = {p: property_use(p).weight for p in ("P84", "P569")}
    # A year is 0.3 of a name; nobody else was born then; of another domain; two classes of three; nothing is known of either.
    by_hand = 1 + 4 * (
        0.5 * 0.3 * used["P569"] + 0.05 * 1 + 0.1 * 1 + 0.25 * used["P84"] * 2 / 3 + 0.1 * 0
    )
    assert _score("P569", year(1800), ("P84", ARCHITECT)) == pytest.approx(by_hand)
    area = 1 + 4 * (
        0.5 * 0.3 * property_use("P2046").weight
        + 0.05 * 1
        + 0.1 * 1
        + 0.25 * property_use("P131").weight * 2 / 3
        + 0.1 * 0
    )
    assert _score("P2046", AREA, ("P131", TOWN)) == pytest.approx(area), (
        "a size is told as a year is"
    )
    twins = SmallFacts([*CLAIMS, claim("Q77", "P569", year(1800))], dict(ENTITIES))
    assert _score("P569", year(1800), ("P84", ARCHITECT), facts=twins) == pytest.approx(
        by_hand - 4 * 0.05 * 0.5
    )


def _by_hand(
    telling: float, rarity: float, distance: float, way: float, known: float = 0.0
) -> float:
    return 1 + 4 * (0.5 * telling + 0.05 * rarity + 0.1 * distance + 0.25 * way + 0.1 * known)


def _weight(*properties: str) -> float:
    """The mean weight of relations."""
    return sum(property_use(p).weight for p in properties) / len(properties)


def test_what_is_asked_of_the_picture_itself_has_no_way_and_no_more_than_its_kind():
    assert _score("P84", entity_value(ARCHITECT)) == pytest.approx(
        _by_hand(_weight("P84"), 1, 1, 0)
    )
    motto = Value(kind="monolingual", text="Ever on", language="en")
    assert _score("P84", motto) == pytest.approx(_by_hand(0.9 * _weight("P84"), 1, 0, 0))
    assert _score("P84", Value(kind="string", text="Vell")) == pytest.approx(
        _by_hand(0.9 * _weight("P84"), 1, 0, 0)
    )


def test_a_thing_of_the_same_class_lies_no_way_off_and_one_of_another_class_of_its_domain_half_of_it():
    for classes, distance in ((("Q12280",), 0.0), (("Q16970",), 0.5)):
        facts = SmallFacts([], {**ENTITIES, OTHER: ENTITIES[OTHER].replace(classes=classes)})
        assert _score("P138", entity_value(OTHER), facts=facts) == pytest.approx(
            _by_hand(_weight("P138"), 1, distance, 0)
        )


@pytest.mark.parametrize(
    ("sitelinks", "in_degree", "known"),
    [(0, 7, 3 / log2(65)), (7, 1, 3 / log2(65)), (0, 64, 1.0), (100, 0, 1.0)],
)
def test_how_known_a_thing_is_goes_by_its_links_or_editions_up_to_sixty_four(
    sitelinks, in_degree, known
):
    architect = ENTITIES[ARCHITECT].replace(
        in_degree=in_degree, sitelinks={f"w{n}wiki": "A" for n in range(sitelinks)}
    )
    facts = SmallFacts([], {**ENTITIES, ARCHITECT: architect})
    assert _score("P84", entity_value(ARCHITECT), facts=facts) == pytest.approx(
        _by_hand(_weight("P84"), 1, 1, 0, known / 2)
    )


def test_from_person_to_person_half_of_what_is_asked_is_left():
    facts = SmallFacts(
        [],
        {**ENTITIES, "Q9": Entity(id="Q9", labels={"en": "N"}, domain="person", classes=("Q5",))},
    )
    taught = _by_hand(0.5 * 0.3 * _weight("P569"), 1, 1, 2 / 3 * _weight("P84", "P1066"))
    assert _score(
        "P569", year(1801), ("P84", ARCHITECT), ("P1066", "Q9"), facts=facts
    ) == pytest.approx(taught - PER_LINK)


def test_years_between_are_worked_by_hand_too():
    form, binding = _asks("P569", year(1800), ("P84", ARCHITECT))
    counted = Form(
        clauses=(
            *form.clauses,
            ClaimClause(subject="x0", property="P571", object="b"),
            Compute(out="n", op="difference", args=("b", "a")),
        ),
        ask=Ask(var="n", type="quantity"),
    )
    score = interest(
        counted,
        SmallFacts(CLAIMS, dict(ENTITIES)),
        {**binding, "b": year(1850), "n": Value(kind="quantity", number=50.0)},
    )
    assert score == pytest.approx(
        _by_hand(0.2, 0.5, 1, 2 / 3 * _weight("P84", "P569", "P571")) - PER_LINK
    )


def test_what_each_burden_takes_off():
    assert (LEAST, MOST, PER_LINK, PER_NAME, BY_CHANCE, GIVEN_AWAY) == (
        1.0,
        5.0,
        1.0,
        1.0,
        1.2,
        0.8,
    )


def test_a_common_answer_is_worth_less():
    many = [claim(f"Q5{i:02}", "P1066", "Q9") for i in range(40)]
    asked = ("P1066", entity_value("Q9"), ("P84", ARCHITECT))
    assert _score(*asked, facts=SmallFacts([*CLAIMS, *many], dict(ENTITIES))) < _score(*asked)


def test_what_is_well_known_and_far_in_kind_is_worth_more():
    asked = ("P84", entity_value("Q8"), ("P84", ARCHITECT))
    known = {**ENTITIES, ARCHITECT: ENTITIES[ARCHITECT].replace(in_degree=60)}
    assert _score(*asked, facts=SmallFacts(CLAIMS, known)) > _score(*asked)
    near = {
        **ENTITIES,
        ARCHITECT: ENTITIES[ARCHITECT].replace(domain="building_or_place", classes=("Q12280",)),
    }
    claims = [c for c in CLAIMS if c.subject != ARCHITECT]
    assert _score(*asked, facts=SmallFacts(claims, near)) < _score(
        *asked, facts=SmallFacts(claims, dict(ENTITIES))
    )


def test_years_between_are_worth_little():
    form, binding = _asks("P569", year(1800), ("P84", ARCHITECT))
    counted = Form(
        clauses=(
            *form.clauses,
            ClaimClause(subject="x0", property="P571", object="b"),
            Compute(out="n", op="difference", args=("b", "a")),
        ),
        ask=Ask(var="n", type="quantity"),
    )
    facts = SmallFacts(CLAIMS, dict(ENTITIES))
    assert (
        interest(
            counted, facts, {**binding, "b": year(1850), "n": Value(kind="quantity", number=50.0)}
        )
        < interest(form, facts, binding) + 0.5
    )


def test_a_way_from_person_to_person_is_worth_less():
    facts = SmallFacts(
        [*CLAIMS, claim("Q9", "P19", TOWN)],
        {**ENTITIES, "Q9": Entity(id="Q9", labels={"en": "T"}, domain="person", classes=("Q5",))},
    )
    asked = ("P19", entity_value(TOWN))
    teacher = _score(*asked, ("P84", ARCHITECT), ("P1066", "Q9"), facts=facts)
    assert teacher < _score(*asked, ("P84", ARCHITECT), facts=facts)


def _over(*claims: ClaimClause, ask: str, **things: str) -> float:
    """The score of claims over named variables, all of them bound to things."""
    form = Form(clauses=(Image(var="x0"), *claims), ask=Ask(var=ask, type="entity"))
    entities = {
        **ENTITIES,
        "Q6": Entity(
            id="Q6",
            labels={"en": "St Perran's Church"},
            domain="building_or_place",
            classes=("Q16970",),
        ),
        "Q7": Entity(id="Q7", labels={"en": "Saint Perran"}, domain="person", classes=("Q5",)),
        "Q8": Entity(
            id="Q8", labels={"en": "Larkspur Rovers"}, domain="other", classes=("Q476028",)
        ),
        "Q10": Entity(id="Q10", labels={"en": "Odran Vell"}, domain="person", classes=("Q5",)),
    }
    return interest(
        form, SmallFacts([], entities), {var: entity_value(thing) for var, thing in things.items()}
    )


def _says(subject: str, property: str, value: str | Value) -> ClaimClause:
    return ClaimClause(subject=subject, property=property, object=value)


def test_a_third_link_is_worth_less_than_it_tells():
    two = _over(
        _says("x0", "P84", "x1"), _says("x1", "P509", "a"), ask="a", x0=BRIDGE, x1=ARCHITECT, a="Q8"
    )
    three = _over(
        _says("x0", "P84", "x1"),
        _says("x1", "P157", "x2"),
        _says("x2", "P509", "a"),
        ask="a",
        x0=BRIDGE,
        x1=ARCHITECT,
        x2="Q10",
        a="Q8",
    )
    assert three <= two - PER_LINK


def test_two_things_that_only_share_a_place_are_worth_less():
    club = _says("x2", "P159", "x1"), _says("x2", "P112", "a")
    shared = _over(
        _says("x0", "P19", "x1"), *club, ask="a", x0=ARCHITECT, x1=TOWN, x2="Q8", a="Q10"
    )
    shown = _over(
        _says("x2", "P159", "x0"), _says("x2", "P112", "a"), ask="a", x0=TOWN, x2="Q8", a="Q10"
    )
    asked = _over(
        _says("x0", "P84", "x1"), _says("x1", "P19", "a"), ask="a", x0=BRIDGE, x1=ARCHITECT, a=TOWN
    )
    assert shared < min(shown, asked) - BY_CHANCE + 0.5, (
        "the place itself may be shown, or asked for"
    )


def test_two_things_that_only_share_a_maker_are_worth_less():
    shared = _over(
        _says("x0", "P84", "x1"),
        _says("x2", "P84", "x1"),
        _says("x2", "P88", "a"),
        ask="a",
        x0=BRIDGE,
        x1=ARCHITECT,
        x2=OTHER,
        a="Q10",
    )
    other = _over(
        _says("x0", "P631", "x1"),
        _says("x2", "P84", "x1"),
        _says("x2", "P88", "a"),
        ask="a",
        x0=BRIDGE,
        x1=ARCHITECT,
        x2=OTHER,
        a="Q10",
    )
    assert shared <= other - BY_CHANCE + 0.5


def test_a_named_thing_that_only_tells_others_apart_is_worth_less_and_is_no_link():
    plain = (_says("x1", "P84", "x0"), _says("x1", "P88", "a"))
    bound = {"x0": ARCHITECT, "x1": BRIDGE, "a": "Q10"}
    way = 4 * 0.25 * 2 / 3
    assert _over(*plain, ask="a", **bound) == pytest.approx(
        _by_hand(_weight("P88"), 1, 0, 2 / 3 * _weight("P84"))
    )
    for named, properties in (
        ((_says("x1", "P825", entity_value("Q7")),), ("P84", "P825")),
        ((_says(entity_value("Q7"), "P112", "x1"),), ("P84", "P112")),
    ):
        lost = PER_NAME - way * (_weight(*properties) - _weight("P84"))
        assert _over(*plain, *named, ask="a", **bound) == pytest.approx(
            _over(*plain, ask="a", **bound) - lost
        )


def test_links_over_one_relation_to_different_things_do_not_meet_by_chance_nor_those_that_meet_in_what_is_shown_or_asked():
    row = (_says("x0", "P1299", "x1"), _says("x1", "P1299", "x2"), _says("x2", "P19", "a"))
    bound = {"x0": BRIDGE, "x1": "Q8", "x2": OTHER, "a": TOWN}
    way = _weight("P1299", "P1299") * 3 / 4
    assert _over(*row, ask="a", **bound) == pytest.approx(
        max(1, _by_hand(_weight("P19"), 1, 1, way) - PER_LINK)
    )
    for ends in (
        (_says("x1", "P84", "x0"), _says("x2", "P84", "x0"), _says("x2", "P88", "a")),
        (_says("x0", "P84", "a"), _says("x1", "P84", "a")),
    ):
        apart = [replace(c, property="P631") if k == 1 else c for k, c in enumerate(ends)]
        things = {"x0": ARCHITECT, "x1": BRIDGE, "x2": OTHER, "a": "Q10"}
        same, other = (_over(*clauses, ask="a", **things) for clauses in (ends, apart))
        assert abs(same - other) < BY_CHANCE / 2, "no chance is taken off"


def test_a_thing_whose_name_says_the_answer_is_worth_less_but_of_a_namesake_just_that_is_asked():
    given = _over(
        _says("x0", "P119", "x1"), _says("x1", "P825", "a"), ask="a", x0=ARCHITECT, x1="Q6", a="Q7"
    )
    hidden = _over(
        _says("x0", "P119", "x1"), _says("x1", "P825", "a"), ask="a", x0=ARCHITECT, x1="Q6", a="Q10"
    )
    assert given <= hidden - GIVEN_AWAY + 0.1
    named = [
        _over(
            _says("x0", "P84", "x1"),
            _says("x1", "P138", "a"),
            ask="a",
            x0=BRIDGE,
            x1="Q6",
            a=answer,
        )
        for answer in ("Q7", "Q10")
    ]
    assert named[0] == named[1]


@pytest.mark.parametrize(("answer", "given"), [("Odran", True), ("Abel", True), ("Abe", False)])
def test_a_word_of_four_letters_says_a_name_and_a_shorter_one_does_not(answer, given):
    def score(bridge: str) -> float:
        entities = {
            **ENTITIES,
            BRIDGE: ENTITIES[BRIDGE].replace(labels={"en": bridge}),
            ARCHITECT: ENTITIES[ARCHITECT].replace(labels={"en": answer}),
        }
        return _score("P84", entity_value(ARCHITECT), facts=SmallFacts([], entities))

    assert score("Long Bridge") - score(f"{answer} Bridge") == pytest.approx(
        GIVEN_AWAY if given else 0.0
    )


def test_two_things_of_one_year_meet_by_chance_only_where_it_is_the_same_relation():
    def score(property: str) -> float:
        clauses = (
            Image(var="x0"),
            _says("x0", "P571", "y"),
            _says("x1", property, "y"),
            _says("x1", "P84", "a"),
        )
        binding = {
            "x0": entity_value(BRIDGE),
            "x1": entity_value(OTHER),
            "y": year(1850),
            "a": entity_value(ARCHITECT),
        }
        return interest(
            Form(clauses=clauses, ask=Ask(var="a", type="entity")),
            SmallFacts(CLAIMS, dict(ENTITIES)),
            binding,
        )

    same, other = _weight("P571"), _weight("P571", "P1619")
    assert score("P1619") - score("P571") == pytest.approx(
        BY_CHANCE + 4 * 0.25 * 2 / 3 * (other - same)
    )


def test_the_thing_that_a_claim_is_about_may_be_asked_for_and_its_relation_is_the_way():
    film = _over(_says("a", "P915", "x0"), ask="a", x0=BRIDGE, a="Q8")
    assert film == pytest.approx(_by_hand(_weight("P915"), 1, 1, 2 / 3 * _weight("P915")))
    assert film > _over(_says("x0", "P915", "a"), ask="a", x0=BRIDGE, a="Q8")


def test_a_question_at_the_very_bottom_has_a_score():
    assert _score("P2046", AREA, *[("P131", TOWN)] * 12) == LEAST, "no score is lower"


def test_a_rarer_year_is_worth_less_than_makes_two_scores_differ():
    facts = SmallFacts(
        [*CLAIMS, *(claim(f"Q7{n}", "P569", year(1801)) for n in range(40))], dict(ENTITIES)
    )
    common, rare = (_score("P569", year(n), ("P84", ARCHITECT), facts=facts) for n in (1801, 1800))
    assert 0 < rare - common < ALIKE == 0.5
