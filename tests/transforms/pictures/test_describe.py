import pytest

from questloom.records.knowledge import Claim, Detail, Entity, ImageAsset, Value, entity_value
from questloom.transforms.pictures.describe import article, looks_of, noun_of, plural
from tests.small_facts import SmallFacts

NAMES = {
    "L": "Holm Light",
    "Q39715": "lighthouse",
    "red": "red",
    "white": "white",
    "granite": "granite",
    "arch": "arch",
    "flag": "flag",
    "P": "Quiet Bay",
    "Q3305213": "painting",
    "boat": "boat",
    "apple": "apple",
    "H": "Ann Holm",
    "Q5": "human",
}


def claim(subject: str, property: str, value: str | Value, **fields) -> Claim:
    return Claim(
        subject=subject,
        property=property,
        value=value if isinstance(value, Value) else entity_value(value),
        **fields,
    )


def store(*claims: Claim, images=()) -> SmallFacts:
    return SmallFacts(
        list(claims),
        {e: Entity(id=e, labels={"en": n}) for e, n in NAMES.items()},
        images={"L": tuple(images)},
    )


def picture(image_id: str, *details: Detail, depicts: str = "L") -> ImageAsset:
    return ImageAsset(
        id=image_id,
        file="x.jpg",
        mime="image/jpeg",
        width=1,
        height=1,
        num_bytes=1,
        depicts=(depicts,),
        details=details,
    )


LIGHT = (
    claim("L", "P31", "Q39715"),
    claim("L", "P462", "white"),
    claim("L", "P462", "red"),
    claim("L", "P186", "granite"),
)


def test_class_colours_and_material_are_told_and_the_name_is_not():
    text = looks_of(store(*LIGHT), "L").text()
    assert text == "a red and white lighthouse of granite"
    assert "Holm" not in text


def test_deprecated_claims_are_not_told():
    facts = store(*LIGHT[:2], claim("L", "P462", "red", rank="deprecated", best=False))
    assert looks_of(facts, "L").text() == "a white lighthouse"


def test_details_of_other_pictures_are_told_but_not_of_the_one_to_be_judged():
    three = Detail(
        property="P1114", value=Value(kind="quantity", number=3.0), part="arch", part_label="arch"
    )
    red = Detail(property="P462", value=entity_value("red"), part="flag", part_label="flag")
    text = Detail(
        property="P1684",
        value=Value(kind="monolingual", text="HOLM LIGHT"),
        part="plaque",
        part_label="plaque",
    )
    facts = store(
        LIGHT[0],
        images=[
            picture("i1", three, text),
            picture("i2", red),
            picture("i3", red, depicts="other"),
        ],
    )
    assert looks_of(facts, "L").text() == "a lighthouse with a red flag and three arches"
    assert looks_of(facts, "L", without_picture="i1").text() == "a lighthouse with a red flag"
    assert looks_of(facts, "L", without_picture="i2").text() == "a lighthouse with three arches"


def test_a_painting_tells_what_it_shows_and_a_person_what_sex():
    facts = store(
        claim("P", "P31", "Q3305213"),
        claim("P", "P180", "boat"),
        claim("P", "P180", "apple"),
        claim("H", "P31", "Q5"),
        claim("H", "P21", "Q6581072"),
    )
    assert looks_of(facts, "P").text() == "a painting showing an apple and a boat"
    assert looks_of(facts, "H").text() == "a person"
    facts.entities["Q6581072"] = Entity(id="Q6581072", labels={"en": "female"})
    assert looks_of(facts, "H").text() == "a woman"


def test_a_depicted_person_or_building_is_told_by_its_kind_and_not_by_its_name():
    facts = store(
        *LIGHT,
        claim("P", "P31", "Q3305213"),
        claim("P", "P186", "oil paint"),
        claim("P", "P180", "L"),
        claim("P", "P180", "boat"),
        claim("P", "P136", "marine art"),
    )
    assert looks_of(facts, "P").text() == "a marine art painting showing a boat and a lighthouse"


def test_an_organism_is_told_by_the_group_that_people_have_a_word_for():
    facts = store(
        claim("species", "P31", "Q16521"),
        claim("species", "P171", "genus"),
        claim("genus", "P171", "Q5113"),
        claim("species", "P462", "red"),
        claim("lost", "P31", "Q16521"),
        claim("lost", "P171", "lost"),
    )
    assert looks_of(facts, "species").text() == "a red bird"
    assert looks_of(facts, "lost").text() == "an organism"


def test_an_unknown_entity_is_a_thing():
    assert looks_of(SmallFacts([]), "nowhere").text() == "a thing"


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("arch", "arches"),
        ("brush", "brushes"),
        ("box", "boxes"),
        ("waltz", "waltzes"),
        ("bus", "buses"),
        ("window", "windows"),
        ("gallery", "galleries"),
        ("bay", "bays"),
    ],
)
def test_a_plural_is_regular(noun, many):
    assert plural(noun) == many


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Arch", "an"),
        ("oak", "an"),
        ("unit", "a"),
        ("European", "a"),
        ("one arm", "a"),
        ("tower", "a"),
    ],
)
def test_an_article_goes_by_the_first_letter(words, found):
    assert article(words) == found


def counted(number: float) -> str:
    detail = Detail(property="P1114", value=Value(kind="quantity", number=number), part="arch")
    return (
        looks_of(store(LIGHT[0], images=[picture("i1", detail)]), "L")
        .text()
        .removeprefix("a lighthouse")
        .removeprefix(" with ")
    )


def test_counts_are_in_words_from_two_to_twelve_and_one_has_an_article():
    assert [counted(n) for n in (1, 13, 0, 2.5)] == ["an arch", "13 arches", "", "2.5 arches"]
    words = (
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    )
    assert [counted(n) for n in range(2, 13)] == [f"{word} arches" for word in words]


def test_storeys_are_told_and_a_part_without_a_name_is_not():
    assert (
        looks_of(
            store(LIGHT[0], claim("L", "P1101", Value(kind="quantity", number=3.0))), "L"
        ).text()
        == "a lighthouse with three storeys"
    )
    nameless = Detail(property="P1114", value=Value(kind="quantity", number=3.0))
    colourless = Detail(
        property="P462", value=Value(kind="string", text="red"), part="flag", part_label="flag"
    )
    assert (
        looks_of(store(LIGHT[0], images=[picture("i1", nameless, colourless)]), "L").text()
        == "a lighthouse"
    )


def test_a_person_is_a_man_or_a_woman_where_the_sex_is_one_of_the_two():
    def named(*sexes: str) -> str:
        facts = store(claim("H", "P31", "Q5"), *(claim("H", "P21", s) for s in sexes))
        facts.entities |= {
            "m": Entity(id="m", labels={"en": "male"}),
            "f": Entity(id="f", labels={"en": "female"}),
        }
        return noun_of(facts, "H")

    assert [named("m"), named("f"), named("m", "f"), named()] == [
        "man",
        "woman",
        "person",
        "person",
    ]


def test_the_first_class_by_its_id_names_a_thing_and_a_class_itself_and_several_things_are_listed():
    assert (
        noun_of(store(claim("L", "P31", "arch"), claim("L", "P31", "flag")), "L") == "arch"
        and noun_of(store(), "boat") == "boat"
    )
    assert (
        looks_of(store(*LIGHT, *(claim("L", "P186", m) for m in ("arch", "boat"))), "L")
        .text()
        .endswith("of arch, boat and granite")
    )


def test_a_group_is_looked_for_at_most_forty_ranks_up():
    def up(steps: int) -> str:
        ranks = [claim(f"t{i}", "P171", f"t{i + 1}") for i in range(steps - 1)]
        return noun_of(
            store(claim("t0", "P31", "Q16521"), *ranks, claim(f"t{steps - 1}", "P171", "Q5113")),
            "t0",
        )

    assert (up(39), up(40)) == ("bird", "organism")
