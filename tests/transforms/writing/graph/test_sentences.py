"""Forms in several sentences: what is announced, how it is referred back to, and what each rule refuses."""

import re

import pytest

from questloom.prompts.phrases import language_data
from questloom.records.form import ClaimClause
from questloom.records.identity import chance
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.lints import problems
from questloom.transforms.writing.graph.references import RIVAL
from questloom.transforms.writing.graph.sentences import (
    PER_SENTENCE,
    structures,
    things_of,
)
from questloom.transforms.writing.graph.telling import Telling
from questloom.transforms.writing.graph.verbalise import verbalise
from tests.transforms.writing.graph import invented
from tests.transforms.writing.graph.derivations import (
    cheapest,
    good,
    tellings,
    told_once,
    worded_texts,
    words_of,
)

WORDS = invented.InventedWords()

TREE = (
    "x0 human, x1 human, x2 lighthouse, x3 district, x4 mountain, x5 river, x6 arch bridge",
    "date year",
    "image x0",
    "x0 P1066 x1",
    "x2 P84 x1",
    "x2 P206 Elder Sound",
    "x2 P131 x3",
    "x4 P131 x3",
    "x5 P885 x4",
    "x6 P177 x5",
    "x6 P131 Karsk",
    "x2 P1619 a",
)
MEET = (
    "x0 arch bridge, x1 river, x2 human, x3 mineral",
    "entity",
    "image x0",
    "x0 P177 x1",
    "x0 P84 x2",
    "a P189 x1",
    "a P61 x2",
)
PUPILS = (
    "x0 human, x1 human, a town",
    "entity",
    "image x0",
    "x1 P1066 x0",
    "x1 P69 University of Velm",
    "x1 P166 Luneth Prize",
    "x1 P19 a",
)
RIVERS = (
    "x0 arch bridge, x1 river, x2 river, x3 mountain",
    "quantity metre",
    "image x0",
    "x0 P177 x1",
    "x2 P403 x1",
    "x2 P885 x3",
    "x3 P610 x4",
    "x3 P2044 a",
)


def test_things_are_told_from_the_picture_to_the_question_and_what_lies_beside_comes_between():
    things = things_of(words_of(*TREE))
    assert [t.var for t in things] == ["x0", "x1", "x2", "x3", "x4", "x5", "x6"]
    assert [t.var for t in things if not t.on_way] == ["x3", "x4", "x5", "x6"]
    assert [t.parent for t in things] == ["", "x0", "x1", "x2", "x3", "x4", "x5"]


def test_where_two_branches_meet_both_are_told_before():
    things = things_of(words_of(*MEET))
    assert {t.var for t in things} == {"x0", "x1", "x2"}, "what is asked for is not announced"
    assert all(t.on_way for t in things)


def test_a_deep_tree_is_told_in_short_sentences_and_says_everything():
    for text in worded_texts(*TREE, seeds=8):
        sentences = re.split(r"(?<=[.?]) ", text)
        assert 4 <= len(sentences) <= 10, text
        assert all(len(s.split()) <= 20 for s in sentences), text
        assert text.endswith("?") and text.count("?") == 1
        for said in ("the Elder Sound", "Karsk", "mountain", "river", "bridge", "district"):
            assert said.removeprefix("the ") in text, (said, text)


def test_each_clause_introduces_one_thing_at_most():
    new = re.compile(r"\b(?:an?|another) (?:arch )?(?:lighthouse|district|mountain|river|bridge)\b")
    for text, telling in tellings(*TREE):
        if telling.cost < 60:
            for clause in re.split(r"(?<=[.?]) | that | where | (?=on an? )", text):
                assert len(new.findall(clause)) <= 1, text


def test_of_several_pupils_one_is_told_of():
    said = worded_texts(*PUPILS, seeds=30)
    assert any(re.search(r"One of this man's pupils |A pupil of this man ", t) for t in said), said
    assert not any("This man's pupil " in text for text in said), said


def test_a_second_river_is_another_one_and_the_first_is_not_that_river_any_more(monkeypatch):
    monkeypatch.setitem(language_data("en"), "of_kind", {})  # else it is a tributary
    clauses = [c for c in RIVERS if "P610" not in c]
    said = {text for text, _ in tellings(*clauses, num=200) if "nother river" in text}
    assert said
    for text in said:
        assert "that river" not in text.partition("nother river")[2], text


def test_a_pronoun_is_said_only_where_one_thing_can_be_meant():
    kinds = "x0 human, x1 human, x2 human"
    clauses = ("image x0", "x0 P1066 x1", "x1 P1066 x2", "x2 P166 Luneth Prize", "x2 P19 a")
    for text, _ in tellings(kinds, "entity", *clauses, num=120):
        first, *rest = re.split(r"(?<=[.?]) ", text)
        if re.match(r"(?:This man|Another man|A man) \w+ (?:under )?(?:this|another) man", first):
            assert not re.match(r"He ", rest[0]), text


def test_of_the_asked_thing_nothing_is_said_that_it_could_be_mistaken_for():
    kinds = "x0 human, x1 cathedral, a painting"
    clauses = (
        "image x0",
        "x0 P119 x1",
        "x1 P131 x2",
        "a is painting",
        "a P1071 x2",
        "a P276 Ostmark Museum",
    )
    for text in worded_texts(kinds + ", x2 town", "entity", *clauses):
        assert not re.search(r"Which painting .*\bwhere it\b", text), text


@pytest.mark.parametrize("made", ["P131", "P1071"])
def test_a_described_thing_stands_never_before_the_rest_of_the_sentence(made):
    """Never "Which district has the town where this painting was made as its capital?"."""
    kinds, clauses = "x0 painting, x1 town, a district", ("image x0", f"x0 {made} x1", "a P36 x1")
    found = list(tellings(kinds, "entity", *clauses, "a is district", num=80))
    for text, telling in found:
        long = re.search(r"has (?:\w+ ){4,}as its capital", text)
        assert not long or telling.cost >= HOPELESS, text
    light = [text for text, telling in found if telling.cost < HOPELESS]
    assert any("has that town as its capital" in text for text in light), "its capital, not its own"


def test_after_a_word_about_the_pictured_church_the_second_church_is_the_other_one():
    words = words_of(
        "x0 cathedral, x1 human, x2 cathedral",
        "date year",
        "image x0",
        "x0 P84 x1",
        "x1 P119 x2",
        "x2 P1619 a",
    )
    telling = Telling(words, chance(1, "x", "other"))
    telling.introduced.update(x0="cathedral", x2="cathedral")
    telling._before = ["x1", "x2"]
    assert telling._reference("x2", False) != "the other cathedral"
    telling._before = ["x0"]
    assert telling._reference("x2", False) == "the other cathedral"


def test_a_wife_is_a_wife_where_she_is_known_to_be_a_woman():
    clauses = ("image x0", "x0 P84 x1", "x1 P26 x2", "x2 P166 Luneth Prize", "x2 P19 a")
    kinds = "x0 lighthouse, x1 human, x2 human, a town"
    known = worded_texts(kinds, "entity", *clauses, genders={"x1": "he", "x2": "she"})
    assert any("wife" in text for text in known) and not any("spouse" in t for t in known), known
    other = worded_texts(kinds, "entity", *clauses, genders={})
    assert not any("wife" in text or "husband" in text for text in other), other


def test_no_sentence_says_that_somebody_has_what_everybody_has():
    clauses = ("image x0", "x0 P53 x1", "x2 P1028 x1", "x2 P276 Ostmark Museum", "x2 P571 1866")
    said = worded_texts("x0 human, x1 family, x2 painting", "date year", *clauses, "x2 P577 a")
    assert not any(re.match(r"This man (?:belonged to|came from) a family\.", t) for t in said), (
        said
    )


def test_a_thing_of_no_known_kind_is_not_announced():
    worded = verbalise(
        invented.form("entity", "image x0", "x0 P177 x1", "x1 P403 x2", "x2 P131 a"),
        names={},
        classes=invented.classes("x0 arch bridge"),
        facts=WORDS,
        item_id="x",
        recipe_seed=0,
    )
    assert worded.problems, worded


@pytest.mark.parametrize("case", [TREE, MEET, PUPILS])
def test_a_telling_uses_every_claim_once(case):
    words = words_of(*case)
    claims = len(words.form.of(ClaimClause))
    for text, telling in tellings(*case):
        if telling.cost < 60 and not problems(text):
            assert len(telling.used) == claims, text


def test_the_same_seed_tells_the_same_and_others_differ():
    words = words_of(*TREE)
    one, two = (told_once(words, 3)[0] for _ in range(2))
    assert one == two
    assert len({text for text, _ in tellings(*TREE, num=20)}) > 10


@pytest.mark.parametrize(
    "case",
    [
        (
            "x0 human, x1 opera, x2 human, a human",
            "entity",
            "image x0",
            "x1 P86 x0",
            "x1 P825 x2",
            "x2 P26 a",
        ),
        (
            "x0 human, x1 art museum, x2 organ, a human",
            "entity",
            "image x0",
            "x0 P108 x1",
            "x2 P276 x1",
            "x2 P176 a",
        ),
    ],
)
def test_a_clause_before_that_keeps_its_pronoun(case):
    """ "The man that opera is dedicated to" reads as "that man"."""
    for text in good(*case):
        assert not re.search(r"\b(?:man|organ) that (?:opera|museum)\b", text), text


@pytest.mark.parametrize("tie", ["P1028", "P1071"])
def test_another_thing_is_not_said_to_share_what_it_alone_has(tie):
    kinds = f"x0 painting, x1 {'family' if tie == 'P1028' else 'town'}, x2 painting, a human"
    clauses = ("image x0", f"x0 {tie} x1", f"x2 {tie} x1", "x2 P276 Ostmark Museum", "x2 P170 a")
    said = good(kinds, "entity", *clauses)
    assert any("nother painting" in text for text in said)
    for text in said:
        assert not re.search(r"nother painting (?:\w+ )?(?:in|at|by) the Ostmark", text), text


def test_it_is_not_said_of_one_of_two_things_that_were_told_of():
    clauses = ("image x0", "x0 P276 x1", "x1 P138 x2", "x2 P119 x3", "x3 P1619 a")
    kinds = "x0 painting, x1 art museum, x2 human, x3 cathedral"
    for text in good(kinds, "date year", *clauses):
        *before, asked = re.split(r"(?<=\.) ", text)
        if "museum" in " ".join(before).lower() and before:
            assert not re.search(r"\bit\b", asked), text


def test_she_is_not_said_of_one_of_two_women():
    clauses = ("image x0", "x0 P737 x1", "x2 P737 x1", "x2 P108 Ostmark Museum", "x2 P19 a")
    she = {"x0": "she", "x1": "he", "x2": "she"}
    for text in good("x0 human, x1 human, x2 human", "entity", *clauses, genders=she):
        *before, asked = re.split(r"(?<=\.) ", text)
        if before and "nother woman" in before[-1]:
            assert " she " not in asked, text


def test_a_relation_is_not_the_same_as_the_first_one():
    clauses = ("image x0", "x1 P1071 x0", "x1 P1028 x2", "x3 P1028 x2", "x3 P170 a")
    for text in good("x0 town, x1 painting, x2 family, x3 painting, a human", "entity", *clauses):
        assert "as the first one" not in text, text


def test_no_work_is_announced_as_by_somebody_where_he_can_have_made_it():
    clauses = ("image x0", "x1 P921 x0", "x1 P50 x2", "x3 P50 x2", "x3 P577 a")
    for text in worded_texts("x0 human, x1 biography, x2 human, x3 novel", "date year", *clauses):
        assert not re.match(r"A novel is by", text), text


def test_a_sentence_that_is_tried_and_not_taken_leaves_no_year_behind():
    telling = Telling(words_of(*MEET), chance(0, "x", "told"))
    telling.forked().told_years.add("r")
    assert not telling.told_years


def test_the_other_thing_is_described_by_what_both_share():
    clauses = ("image x0", "x0 P276 x1", "x2 P276 x1", "x2 P170 Ivo Mersk", "x2 P2048 a")
    said = good("x0 painting, x1 art museum, x2 painting", "quantity metre", *clauses)
    for text in said:
        assert not re.search(r"\bother painting (?:by|that|made|painted)\b", text), text


def test_nobody_is_compared_with_a_pronoun():
    clauses = ("image x0", "x0 P84 x1", "x2 P1066 x1", "x1 P737 x3", "x2 P737 x3", "x2 P19 a")
    kinds = "x0 lighthouse, x1 human, x2 human, x3 human, a town"
    for text in good(kinds, "entity", *clauses, genders={"x1": "she", "x2": "he", "x3": "he"}):
        assert not re.search(r"\bthe same \w+ as (?:her|him|it)\b", text), text


def test_the_question_asks_for_the_other_one_only_of_what_it_has_told_of_the_first():
    film = ("image x0", "x1 P915 x0", "x1 P57 x2", "x2 P22 x3", "a P57 x3", "a is film")
    kinds = "x0 windmill, x1 film, x2 human, x3 human, a film"
    said = good(kinds, "entity", *film, genders={"x2": "she", "x3": "he"})
    assert said and not any("other film" in text for text in said)
    bridge = ("image x0", "x1 P206 x0", "x2 P840 x1", "x2 P577 1931", "a P840 x1", "a is film")
    said = good("x0 river, x1 town, x2 film, a film", "entity", *bridge)
    told = [text for text in said if "1931" in text.partition("Which")[0]]
    assert told and all("hich other film" in text for text in told)


def test_in_a_question_it_may_also_be_the_pictured_thing():
    clauses = (
        "image x0", "x0 P112 x1", "x1 P119 x2", "d1 reads P1684 plaque x2", "x2 P1619 d2",
        "a = difference d1 d2",
    )  # fmt: skip
    said = good("x0 library, x1 human, x2 chapel", "quantity", *clauses, genders={"x1": "he"})
    asked = {text.rpartition(". ")[2] for text in said}
    assert asked and not any(re.search(r"\bit\b", q) and "chapel" not in q for q in asked), asked


def test_a_director_is_not_told_to_have_worked_as_a_film_director():
    film = ("image x0", "x0 P287 x1", "x2 P22 x1", "x2 P106 film director", "a P57 x2", "a is film")
    kinds = "x0 steam locomotive, x1 human, x2 human, a film"
    said = good(kinds, "entity", *film, genders={"x1": "he", "x2": "she"})
    assert said and not any(re.search(r"\b[Aa] director\b", t) for t in said), said


DONATED = ("image x0", "x0 P1028 x1", "x2 P1028 x1", "x2 P276 Ostmark Museum", "x2 P170 a")


def test_what_is_said_again_is_said_with_also():
    said = good("x0 painting, x1 family, x2 painting, a human", "entity", *DONATED)
    again = re.compile(r"\bfamily (?:that donated this painting )?(also )?donated another painting")
    found = [m for text in said if (m := again.search(text))]
    assert found and all(m[1] for m in found), said
    assert not any(re.search(r"nother painting was also", text) for text in said), said


def test_also_stands_only_where_the_same_was_said_before():
    clauses = ("image x0", "x0 P84 x1", "x1 P1066 x2", "x2 P166 Luneth Prize", "x2 P19 a")
    for text in good("x0 lighthouse, x1 human, x2 human, a town", "entity", *clauses):
        assert " also " not in text, text


def test_she_is_not_said_where_the_architect_is_a_woman_too():
    clauses = ("image x0", "x0 P84 x1", "x1 P737 x2", "x2 P19 a")
    kinds = "x0 lighthouse, x1 human, x2 human, a town"
    begins = re.compile(r"A woman influenced the architect of this lighthouse\. .* was (.*) born\?")
    for architect, woman in (("she", "that woman"), ("he", "she")):
        said = good(kinds, "entity", *clauses, genders={"x1": architect, "x2": "she"})
        called = {m[1] for text in said if (m := begins.match(text))}
        assert woman in called and called <= {"that woman", woman}, (architect, called)
        for text in said:  # here the architect is the subject
            if re.match(r"The architect of this lighthouse was influenced by a woman", text):
                assert not re.search(r"\b(?:she|her)\b", text), text


def test_a_statement_about_the_last_word_of_another_is_joined_to_it():
    clauses = ("image x0", "x0 P180 x1", "x1 P20 x2", "x2 P206 a")
    kinds = "x0 painting, x1 human, x2 town, a river"
    said = good(kinds, "entity", *clauses, genders={"x1": "she"})
    assert any("a woman who died in a town." in text for text in said), said
    assert not any(re.search(r"a woman\. (?:She|That woman)", text) for text in said), said


def test_she_is_not_said_after_a_joined_statement_about_one_of_two_women():
    clauses = ("image x0", "x0 P737 x1", "x1 P108 Ostmark Museum", "x1 P19 a")
    said = good(
        "x0 human, x1 human, a town", "entity", *clauses, genders={"x0": "she", "x1": "she"}
    )
    assert not any(re.search(r"another woman who .* was she", text) for text in said), said


def test_also_is_said_of_two_relations_with_one_verb():
    clauses = ("image x0", "x0 P287 x1", "x2 P84 x1", "x2 P2043 a")
    said = good("x0 locomotive, x1 human, x2 bridge", "quantity", *clauses, genders={"x1": "he"})
    again = re.compile(r"(?:He|designer of this locomotive) (also )?designed a bridge")
    found = [m for text in said if (m := again.search(text))]
    assert found and all(m[1] for m in found), said


def test_other_is_said_only_of_what_both_things_share():
    """A reader took "which other painting in the museum" for a claim about the first painting."""
    clauses = ("image x0", "x0 P84 x1", "x1 P19 x2", "x3 P1071 x2", "x3 P1028 x4", "a P1028 x4")
    kinds = "x0 lighthouse, x1 human, x2 town, x3 painting, x4 family, a painting"
    for text in good(kinds, "entity", *clauses, "a P276 Ostmark Museum"):
        assert not re.search(r"hich other painting (?:in|held|owned|that hangs)", text), text
    said = good(kinds, "entity", *clauses)
    assert any("hich other painting" in text for text in said), said


def test_no_question_goes_back_to_the_first_of_two():
    clauses = ("image x0", "x0 P170 x1", "x2 P170 x1", "x2 P276 x3", "x4 P276 x3",
               "x4 P1071 Velm", "x2 P571 a")  # fmt: skip
    kinds = "x0 lighthouse, x1 human, x2 painting, x3 art museum, x4 painting"
    for text in good(kinds, "date", *clauses):
        assert "the first painting" not in text.split(". ")[-1], text


def test_no_years_pass_up_to_the_year_on_a_portrait():
    seen = ("image x0", "x0 P287 x1", "x1 P569 d1", "d2 reads P1684 inscription x1")
    lit = ("image x0", "x0 P84 x1", "x1 P569 d1", "x0 P1619 d2")
    cases = (
        (
            "x0 windmill, x1 human",
            seen,
            "How many years separate the birth of .* from the year on ",
        ),
        ("x0 cathedral, x1 human", lit, "How many years (?:after|before) .* (?:born|open)"),
    )
    for kinds, clauses, way in cases:
        texts = worded_texts(kinds, "quantity", *clauses, "a = difference d1 d2")
        assert all(re.search(way, text) for text in texts), texts


def test_two_things_referred_back_to_take_the():
    clauses = ("image x0", "x0 P1071 x1", "x2 P159 x1", "x3 P176 x2", "x2 P571 d1", "x3 P729 d2")
    said = good(
        "x0 painting, x1 town, x2 shipyard, x3 ship", "quantity", *clauses, "a = difference d1 d2"
    )
    assert any("after the shipyard's founding did the ship" in text for text in said), said
    for text in said:
        assert len(re.findall(r"\bthat (?:ship|shipyard)\b", text.split(". ")[-1])) < 2, text


def test_it_stands_for_what_alone_can_have_the_asked_relation():
    """Nobody painted a museum; but a church opens as a museum does."""
    clauses = ("image x0", "x0 P53 x1", "x2 P1028 x1", "x2 P276 Ostmark Museum", "x2 P170 a")
    said = good("x0 human, x1 family, x2 painting, a human", "entity", *clauses)
    assert any(text.endswith("Who painted it?") for text in said), said
    clauses = ("image x0", "x0 P276 x1", "x2 P825 x3", "x1 P825 x3", "x2 P1619 a")
    said = good("x0 organ, x1 church building, x2 church building, x3 human", "date", *clauses)
    assert said and not any(re.search(r"\bit\b", text) for text in said), said


def test_somebody_known_comes_before_the_museum_that_employed_her():
    clauses = ("image x0", "x0 P170 x1", "x1 P108 x2", "x2 P112 x3", "x3 P19 a")
    kinds = "x0 painting, x1 human, x2 art museum, x3 human, a town"
    cost = {"A museum employed the artist": 99.0, "The artist of this painting worked": 99.0}
    for text, telling in tellings(kinds, "entity", *clauses, num=400):
        for begin in (b for b in cost if text.startswith(b)):
            cost[begin] = min(cost[begin], telling.cost)
    backward, natural = cost.values()
    assert natural + 2 < backward < 99, cost


def test_no_question_asks_which_painting_is_by_her():
    clauses = ("image x0", "x0 P737 x1", "x1 P19 x2", "a P170 x1", "a P1071 x2")
    kinds = "x0 human, x1 human, x2 town, a painting"
    cost = {r"painting by [\w ]+ was made": 99.0, r"painting [\w ]*is by ": 99.0}
    for text, telling in tellings(kinds, "entity", *clauses, num=400):
        for asked in (a for a in cost if re.search(a, text)):
            cost[asked] = min(cost[asked], telling.cost)
    natural, weak = cost.values()
    assert natural + 5 < weak < 99, cost


def test_it_is_no_capital_of_a_district():
    clauses = ("image x0", "x0 P737 x1", "x1 P19 x2", "a P36 x2")
    kinds = "x0 human, x1 human, x2 town, a district"
    cost = {"has it as its capital": 99.0, "has that town as its capital": 99.0}
    for text, telling in tellings(kinds, "entity", *clauses, num=400):
        for said in (s for s in cost if s in text):
            cost[said] = min(cost[said], telling.cost)
    pronoun, noun = cost.values()
    assert noun < pronoun < 99, cost


def test_a_round_year_stands_before_no_noun():
    """ "The 2000 painting" is read as a number of paintings."""
    for year, told in (("1871", True), ("2000", False)):
        clauses = ("image x0", "x0 P276 x1", "x2 P276 x1", f"x2 P571 {year}", "x2 P170 a")
        said = good("x0 painting, x1 art museum, x2 painting, a human", "entity", *clauses)
        assert any(f"{year} painting" in text for text in said) is told, said


def test_it_is_not_said_of_a_theatre_where_the_picture_was_mentioned():
    clauses = ("image x0", "x0 P108 x1", "x1 P88 x2", "x2 P570 d2", "d1 reads P1684 inscription x0",
               "a = difference d1 d2")  # fmt: skip
    for text in good("x0 human, x1 theatre building, x2 human", "quantity", *clauses):
        assert not re.search(r"this picture .*\bit\?", text), text


def test_of_three_of_a_kind_one_is_the_other():
    clauses = ("image x0", "x0 P737 x1", "x1 P737 x2", "x2 P108 x3", "x3 P112 a")
    kinds = "x0 human, x1 human, x2 human, x3 art museum, a human"
    worded = verbalise(
        invented.form("entity", *clauses),
        names={},
        classes=invented.classes(kinds),
        facts=WORDS,
        item_id="x",
        recipe_seed=1,
        genders=dict.fromkeys(("x0", "x1", "x2"), "she"),
    )
    # Not "the woman who influenced the woman who influenced this woman", or "the other … that other".
    last = worded.text.split(". ")[-1]
    assert not worded.problems and worded.text.count("other") == 1, worded
    assert "this woman" not in last, worded


def test_a_year_in_a_picture_stands_in_the_question_that_counts_to_another_thing():
    clauses = (
        "image x0", "x0 P84 x1", "x1 P119 x2", "x2 P1619 d2", "d1 reads P1684 plaque x0",
        "a = difference d1 d2",
    )  # fmt: skip
    for text in worded_texts("x0 lighthouse, x1 human, x2 cathedral", "quantity", *clauses):
        assert "gives a year" not in text, text


def test_her_fathers_teacher_is_not_the_teacher_of_her_father():
    clauses = ("image x0", "x0 P61 x1", "x1 P22 x2", "x2 P1066 x3", "x3 P19 a")
    kinds = "x0 taxon, x1 human, x2 human, x3 human, a town"
    said = worded_texts(kinds, "entity", *clauses, genders={"x1": "she", "x2": "he", "x3": "he"})
    assert any("her father's teacher" in text for text in said), said
    assert not any(re.search(r"teacher of (?:her|his) father\b", text) for text in said), said


def test_no_question_begins_with_a_year_where_another_beginning_is_as_good():
    clauses = (
        "image x0", "x0 P84 x1", "x1 P570 d2", "d1 reads P1684 inscription x1",
        "a = difference d1 d2",
    )  # fmt: skip
    for text in worded_texts("x0 lighthouse, x1 human", "quantity", *clauses):
        assert not re.match(r"(?:A year|The picture of)\b", text), text


def test_after_a_sentence_about_a_year_the_question_counts_from_it():
    clauses = (
        "image x0", "x0 P84 x1", "x1 P119 x2", "d1 reads P1684 plaque x2", "x2 P1619 d2",
        "a = difference d1 d2",
    )  # fmt: skip
    said = good("x0 library, x1 human, x2 chapel", "quantity", *clauses)
    told = [text for text in said if " gives a year." in text]
    assert told and all(re.search(r" is that year|years (?:earlier|later)", t) for t in told), told
    assert not any("years before that year" in text for text in said), said


def test_nothing_is_said_to_be_by_somebody_beside_another_fact():
    clauses = ("image x0", "x1 P170 x0", "x1 P276 Ostmark Museum", "x1 P571 a")
    for text in worded_texts("x0 human, x1 painting", "date year", *clauses):
        assert not re.search(r"\b(?:is|and is|that is) by this man", text), text


def test_a_name_that_was_clear_is_left_where_a_third_thing_comes():
    rivers = (
        "x0 river, x1 river, x2 river, x3 town",
        "quantity kilometre",
        "image x0",
        "x0 P403 x1",
        "x2 P403 x1",
        "x3 P206 x2",
        "x3 P131 Karsk",
        "x2 P2043 a",
    )
    for text in good(*rivers):
        _, _, after = text.partition("A town lies on the third river")
        assert not re.search(r"\b(?:that|the other) river\b", after), text
        assert "lies on the third river is in Karsk" not in text, text


def test_she_is_not_said_beside_somebody_else_of_the_same_sentence():
    """ "How many years before the architect did she die?": the architect may be a woman."""
    clauses = (
        "image x0", "x0 P84 x1", "x1 P737 x2", "x1 P570 d1", "x2 P570 d2", "a = difference d1 d2",
    )  # fmt: skip
    she = {"x1": "she", "x2": "she"}
    said = good("x0 lighthouse, x1 human, x2 human", "quantity", *clauses, genders=she)
    assert any(text.startswith("A woman influenced") for text in said), said
    for text in said:
        assert not re.search(r"\b(?:before|after) the architect did she\b", text), text


def test_no_short_clause_about_a_person_stands_behind_the_verb():
    clauses = ("image x0", "x0 P84 x1", "x1 P737 x2", "x2 P20 a")
    kinds, genders = "x0 lighthouse, x1 human, x2 human, a town", {"x1": "she", "x2": "she"}
    said = worded_texts(kinds, "entity", *clauses, genders=genders)
    whole = "In which town did the woman who influenced this lighthouse's architect die?"
    assert whole in said and not any("woman die who" in text for text in said), said
    married = (*clauses[:3], "x2 P26 a")
    for text in worded_texts(kinds.replace("town", "human"), "entity", *married, genders=genders):
        assert "marry who" not in text, text


CHURCH = ("image x0", "x0 P84 x1", "x2 P84 x1", "x2 P1619 d1", "d2 reads P1684 plaque x2")


def test_a_year_on_its_own_plaque_is_counted_without_a_sentence_of_its_own():
    kinds, clauses = "x0 human, x1 cathedral", ("image x0", "x0 P119 x1", *CHURCH[3:])
    clauses = tuple(c.replace("x2", "x1") for c in clauses)
    told = tellings(kinds, "quantity", *clauses, "a = difference d1 d2", num=300)
    text, _ = min(told, key=lambda t: t[1].cost)
    assert re.search(r"separate the opening of the cathedral .* from the year on its plaque", text)


def test_its_plaque_is_said_only_where_nothing_else_has_a_plaque():
    kinds = "x0 lighthouse, x1 human, x2 cathedral"
    made = worded_texts(kinds, "quantity", *CHURCH, "a = difference d1 d2", genders={"x1": "she"})
    for text in made:
        assert not re.search(r"its plaque (?:was|did)", text), text
    assert any("that cathedral's opening from the year on its plaque" in t for t in made), made


def test_a_question_of_one_sentence_goes_one_level_deeper_than_a_statement():
    clauses = ("image x0", "x0 P1071 x1", "x2 P840 x1", "x2 P110 x3", "x3 P737 a")
    kinds = "x0 painting, x1 town, x2 novel, x3 human, a human"
    asked = (
        r"Who influenced the \w+ (?:of|who illustrated) the novel .* where this painting was made\?"
    )
    made = worded_texts(kinds, "entity", *clauses, genders={"x3": "she", "a": "she"})
    assert any(re.fullmatch(asked, text) for text in made), made
    for text, telling in tellings(kinds, "entity", *clauses):
        assert telling.cost > HOPELESS or not re.fullmatch(asked, text), text


def test_all_divisions_into_sentences_are_drawn_and_none_twice():
    things = things_of(words_of(*MEET))
    drawn = structures(things, chance(1, "x", "tell"))
    assert set(drawn) == {
        frozenset(),
        frozenset({"x1"}),
        frozenset({"x2"}),
        frozenset({"x1", "x2"}),
    }
    assert len(drawn) == 4
    many = things_of(words_of(*TREE))
    assert len(set(structures(many, chance(1, "x", "tell")))) == 32


def test_each_further_sentence_costs_more_than_the_one_before():
    words = words_of(*TREE)
    by_number: dict[int, float] = {}
    for seed in range(60):
        text, telling = told_once(words, seed)
        sentences = re.split(r"(?<=[.?]) ", text)
        rest = telling.cost - PER_SENTENCE * (len(sentences) - 1) * len(sentences) / 2
        by_number[len(sentences)] = min(rest, by_number.get(len(sentences), rest))
    assert all(rest > 0 for rest in by_number.values()), by_number


def test_an_owner_who_is_known_owns_the_portrait_in_the_question():
    clauses = ("image x0", "x0 P825 x1", "x1 P26 x2", "a reads P1684 inscription x2")
    kinds, genders = "x0 novel, x1 human, x2 human", {"x1": "she", "x2": "he"}
    for text in worded_texts(kinds, "date year", *clauses, genders=genders):
        assert not re.search(r"portrait of (?:him|her|that|the man she)", text), text


def test_that_other_man_is_not_said_beside_a_third_man():
    clauses = ("image x0", "x0 P22 x1", "x1 P53 x2", "x3 P53 x2", "x3 P106 Pellan", "x3 P569 a")
    genders = {"x0": "he", "x1": "he", "x3": "he"}
    told = tellings(
        "x0 human, x1 human, x2 family, x3 human", "date year", *clauses, num=200, genders=genders
    )
    beside = [t.cost for text, t in told if "father" in text and "that other man" in text]
    assert beside and min(beside) > min(t.cost for _, t in told) + RIVAL / 2


@pytest.mark.parametrize(("kind", "apart"), [("mineral", True), ("cathedral", False)])
def test_writing_stands_in_the_picture_of_a_mineral_and_on_a_church(kind: str, apart: bool):
    clauses = ("image x0", "x1 P138 x0", "a reads P1684 inscription x1")
    for text in worded_texts(f"x0 human, x1 {kind}", "monolingual", *clauses):
        assert bool(re.search(r"in (?:the|its) picture", text)) == apart, text


def test_where_joins_what_happened_in_a_place_and_not_what_was_done_with_a_thing_there():
    signed = ("image x0", "x1 P915 x0", "x1 P840 x2", "x3 P276 x2", "x3 is treaty", "x3 P585 a")
    kinds = "x0 lighthouse, x1 film, x2 town, x3 treaty"
    said = {text for text, _ in tellings(kinds, "date", *signed, num=150)}
    assert any("in a town where a treaty was signed" in text for text in said), said
    given = ("image x0", "x0 P84 x1", "x1 P108 x2", "x3 P276 x2", "x3 P1028 x4", "x3 P2048 a")
    kinds = "x0 lighthouse, x1 human, x2 art museum, x3 painting, x4 family"
    for text, _ in tellings(kinds, "quantity metre", *given, num=150):
        assert "museum where a family" not in text, text


def test_somebody_of_unknown_sex_is_the_same_person_in_what_is_told_and_the_person_in_the_question():
    clauses = ("image x0", "x0 P84 x1", "x2 P84 x1", "x2 P131 a")
    kinds = "x0 tower, x1 human, x2 cathedral, a town"
    told = {text for text, _ in tellings(kinds, "entity", *clauses, genders={})}
    more = [text for text, _ in tellings(kinds, "entity", *clauses, genders={}, num=400)]
    assert any(". The same person also designed a cathedral." in text for text in more), more
    assert any(text.endswith("designed by the person stand?") for text in more), more
    for text in told:
        assert not re.search(r"[.] The person|the same person", text), text


def test_a_statement_calls_no_thing_the_only_one_of_its_family():
    clauses = ("image x0", "x0 P170 x1", "x1 P53 x2", "x3 P53 x2", "x3 P20 x4", "x5 P840 x4",
               "x5 P57 a")  # fmt: skip
    kinds = "x0 painting, x1 human, x2 family, x3 human, x4 town, x5 film, a human"
    texts = [t for t, _ in tellings(kinds, "entity", *clauses, genders={"x3": "she"}, num=400)]
    assert any("A woman from " in t for t in texts)
    assert not any(re.search(r"[Tt]he woman (?:from|who)[^?]*\.", t) for t in texts)


def test_nobody_says_first_that_a_town_lies_in_a_district():
    clauses = ("image x0", "x0 P287 x1", "x1 P20 x2", "x2 P131 x3", "x3 P2046 a")
    kinds = "x0 windmill, x1 human, x2 town, x3 district"
    plain, empty = cheapest(kinds, "quantity", clauses, "the district where", "in a district")
    assert plain + 2 < empty < 99, (plain, empty)


def test_after_a_year_in_a_picture_the_years_are_counted_back_to_a_birth():
    clauses = ("image x0", "x0 P84 x1", "x1 P569 d1", "d2 reads P1684 inscription x1",
               "a = difference d1 d2")  # fmt: skip
    texts = [t for t, _ in tellings("x0 lighthouse, x1 human", "quantity", *clauses, num=400)]
    assert any(re.search("bears a year. How many years earlier was .* born", t) for t in texts)
    assert not any("is that year" in t for t in texts)


def test_a_person_of_unknown_sex_is_not_announced():
    clauses = ("image x0", "x0 P84 x1", "x1 P737 x2", "x2 P737 x3", "x3 P26 a")
    kinds = "x0 lighthouse, x1 human, x2 human, x3 human, a human"
    genders = {"x1": "he", "x3": "she"}
    said = cheapest(kinds, "entity", clauses, "the person who", "same person", genders=genders)
    assert said[0] + 2 < said[1] < 99, said


def test_that_painting_is_one_that_was_named_in_between_only_where_the_sentence_is_about_it():
    clauses = ("image x0", "x0 P1028 x1", "x2 P1028 x1", "x2 P276 x3", "The Grey Harbour P276 x3",
               "x2 P2048 a")  # fmt: skip
    kinds = "x0 painting, x1 family, x2 painting, x3 art museum"
    texts = [t for t, told in tellings(kinds, "quantity metre", *clauses, num=400)
             if told.cost < HOPELESS and "“The Grey Harbour”. " in t]  # fmt: skip
    about = re.compile("(?:^|[.] )(?:A|Another|That) painting[^.]*Harbour”[.] [^?]* that painting")
    said = [t for t in texts if re.search("Harbour”[^?]* that painting", t)]
    assert len(texts) > len(said) > 0 and all(about.search(t) for t in said), said


def test_the_same_saint_needs_a_church_that_has_one():
    clauses = ("image x0", "x0 P119 x1", "x1 P825 x2", "x3 P825 x2", "x3 P2048 a")
    kinds = "x0 human, x1 church building, x2 human, x3 church building"
    told = [t for t, _ in tellings(kinds, "quantity metre", *clauses, num=400)]
    same = [t for t in told if "the same saint" in t]
    assert same and all("the same saint as" in t or " a saint. " in t for t in same), same


def test_where_somebody_is_buried_reads_better_than_what_holds_the_grave():
    clauses = ("image x0", "x0 P119 x1", "x1 P84 x2", "x2 P26 a")
    kinds = "x0 human, x1 church building, x2 human, a human"
    where, holds = cheapest(kinds, "entity", clauses, "where this", "that holds the grave")
    assert where < holds < 99, (where, holds)


def test_a_verb_of_two_sentences_costs_more():
    clauses = ("image x0", "x0 P170 x1", "x1 P1066 x2", "x2 P1066 a")
    kinds, she = "x0 painting, x1 human, x2 human, a human", {"x1": "he", "x2": "she"}
    said = "A woman taught .* Who trained her", "A woman taught .* Who taught her"
    once, twice = cheapest(kinds, "entity", clauses, *said, genders=she)
    assert once + 0.5 < twice < 99, (once, twice)


def test_whom_a_church_is_dedicated_to_is_a_saint():
    clauses = ("image x0", "x0 P119 x1", "x1 P825 x2", "x3 P825 x2", "x3 P2048 a")
    kinds = "x0 human, x1 church building, x2 human, x3 church building"
    told = [
        t for t, _ in tellings(kinds, "quantity metre", *clauses, genders={"x2": "she"}, num=400)
    ]
    assert any("dedicated to a saint. " in t and "to the same saint" in t for t in told)
    assert not any(re.search("dedicated to (?:a woman|her)", t) for t in told), told


def test_a_style_stands_before_its_noun():
    clauses = ("image x0", "x0 P84 x1", "x2 P84 x1", "x2 P149 Northern Light", "x2 P1619 a")
    kinds = "x0 library, x1 human, x2 lighthouse"
    before, behind = cheapest(
        kinds, "date", clauses, "Northern Light lighthouse", "that is in the Northern Light style"
    )
    assert before + 1 < behind < 99, (before, behind)


def test_one_sentence_names_the_town_where_somebody_died():
    clauses = ("image x0", "x0 P84 x1", "x1 P20 x2", "a P840 x2")
    kinds = "x0 library, x1 human, x2 town, a novel"
    where, apart = cheapest(kinds, "entity", clauses, "is set in the town where", "died in a town")
    assert where < apart < 99, (where, apart)


def test_no_family_died_and_no_museum_is_where_it_donated():
    clauses = ("image x0", "x0 P1028 x1", "x2 P53 x1", "x2 P20 Velm", "x2 P19 a")
    kinds = "x0 painting, x1 family, x2 human, a town"
    said = "died in Velm", "that donated this painting and died"
    plain, family = cheapest(kinds, "entity", clauses, *said, genders={"x2": "she"})
    assert plain + 2 < family, (plain, family)
    clauses = (
        "image x0",
        "x0 P53 x1",
        "x2 P1028 x1",
        "x2 P276 Ostmark Museum",
        "x2 P170 x3",
        "x3 P26 a",
    )
    kinds = "x0 human, x1 family, x2 painting, x3 human, a human"
    said = "that hangs in the Ostmark", "family donated a painting in the"
    clear, inside = cheapest(kinds, "entity", clauses, *said)
    assert clear < inside < 99, (clear, inside)


def test_his_pupil_was_not_influenced_by_himself():
    clauses = ("image x0", "x1 P1066 x0", "x0 P737 x2", "x1 P737 x2", "x1 P26 a")
    kinds = "x0 human, x1 human, x2 human, a human"
    texts = [t for t, told in tellings(kinds, "entity", *clauses, num=400) if told.cost < HOPELESS]
    assert texts and not any("his pupil who" in t and "him" in t for t in texts), texts


def test_no_pronoun_may_mean_who_is_asked_for():
    clauses = ("image x0", "x0 P170 x1", "a P1066 x1", "x1 P737 x2", "a P737 x2")
    told = tellings("x0 painting, x1 human, x2 human, a human", "entity", *clauses,
                     genders={"x1": "she", "x2": "he", "a": "she"}, num=400)  # fmt: skip
    asked = [t.split(". ")[-1] for t, telling in told if telling.cost < HOPELESS]
    assert asked and not any(re.search(r"\bher\b", text) for text in asked), asked


def test_a_participle_is_said_once():
    clauses = ("image x0", "x0 P1066 x1", "x1 P19 Velm", "x1 P569 1847", "x2 P88 x1", "x2 P1619 a")
    texts = [
        t for t, _ in tellings("x0 human, x1 human, x2 church building", "date", *clauses, num=400)
    ]
    assert any("born in Velm in 1847" in t or "born in 1847 in Velm" in t for t in texts)
    assert not any("born in Velm and born" in t or "born in 1847 and born" in t for t in texts)


def test_an_orchestra_has_a_home_town():
    clauses = ("image x0", "x0 P108 x1", "x1 P159 x2", "a P840 x2")
    texts = good("x0 human, x1 orchestra, x2 town, a novel", "entity", *clauses)
    assert any("the home town of the orchestra" in text for text in texts), texts
    assert not any("has a home town" in text for text in texts), texts


def test_one_sentence_may_say_two_facts_of_somebody():
    clauses = ("image x0", "x0 P1028 x1", "x2 P53 x1", "x2 P69 University of Velm", "x2 P20 Karsk",
               "x2 P737 a")  # fmt: skip
    kinds = "x0 painting, x1 family, x2 human, a human"
    said = (
        r"A (?:man from|member of) the family[^.]* and died in Karsk\. ",
        r"A (?:man came from|member of) the family[^.]*\. He",
    )
    one, two = cheapest(kinds, "entity", clauses, *said, genders={"x2": "he"})
    assert one < two < 99, (one, two)


def test_her_teacher_is_nobody_else_s():
    clauses = ("image x0", "x0 P84 x1", "x1 P1066 x2", "x1 P569 d1", "x2 P569 d2",
               "a = difference d1 d2")  # fmt: skip
    she = {"x1": "she", "x2": "she"}
    texts = worded_texts("x0 cathedral, x1 human, x2 human", "quantity year", *clauses, genders=she)
    assert any("than this cathedral's architect was her teacher?" in text for text in texts), texts


def test_what_was_done_is_said_once():
    clauses = (
        "image x0",
        "x0 P177 x1",
        "x1 P885 x2",
        "x3 P189 x2",
        "x3 P61 Ivo Mersk",
        "x3 P575 a",
    )
    kinds = "x0 arch bridge, x1 river, x2 mountain, x3 mineral"
    texts = [
        t for t, told in tellings(kinds, "date year", *clauses, num=400) if told.cost < HOPELESS
    ]
    assert any(t.endswith("did Ivo Mersk discover a mineral on that mountain?") for t in texts)
    clauses = (*clauses[:3], "x3 P825 x2", "x3 P575 a")
    texts = [
        t for t, told in tellings(kinds, "date year", *clauses, num=400) if told.cost < HOPELESS
    ]
    assert texts and not any("was a mineral" in t.split(". ")[-1] for t in texts), texts


def test_what_a_name_does_not_single_out_is_no_the():
    clauses = ("image x0", "x0 P84 x1", "x2 P84 x1", "x2 P88 Ivo Mersk", "x2 P177 x3", "x3 P610 a")
    kinds = "x0 church building, x1 human, x2 arch bridge, x3 river"
    texts = [t for t, _ in tellings(kinds, "entity", *clauses, num=400)]
    assert any(re.search(r"\ban arch bridge [^.]*Ivo Mersk", t) for t in texts), texts


def test_a_clause_may_not_seem_to_be_about_somebody_named():
    clauses = ("image x0", "x0 P195 x1", "x2 P737 Ivo Mersk", "x2 P108 x1", "x2 P22 x3", "x3 P26 a")
    kinds = "x0 painting, x1 art museum, x2 human, x3 human, a human"
    said = "employed a man in", "Ivo Mersk who worked"
    clear, unclear = cheapest(kinds, "entity", clauses, *said)
    assert clear + 9 < unclear < 99, (clear, unclear)


def test_nobody_is_the_other_one_of_another_relation():
    clauses = ("image x0", "x0 P108 x1", "x1 P88 x2", "x2 P26 a")
    kinds, he = "x0 human, x1 art museum, x2 human, a human", {"x0": "he", "x2": "he"}
    texts = [t for t, _ in tellings(kinds, "entity", *clauses, genders=he, num=400)]
    assert any("the man who commissioned that museum" in t for t in texts), texts
    assert not any("other man who" in t for t in texts), texts


def test_a_unit_stands_before_a_long_description():
    clauses = ("image x0", "x0 P287 x1", "x1 P20 x2", "x2 P131 x3", "x3 P2046 a")
    kinds = "x0 windmill, x1 human, x2 town, x3 district"
    texts = [t for t, _ in tellings(kinds, "quantity square kilometre", *clauses, num=400)]
    asked = [t for t in texts if "What is the area" in t]
    assert any(", in square kilometres, of the district where" in t for t in asked), asked
    assert not any(re.search("where [^?]*, in square kilometres", t) for t in asked), asked


def test_an_opera_is_composed():
    clauses = ("image x0", "x1 P825 x0", "x1 P571 a")
    texts = worded_texts("x0 human, x1 opera", "date", *clauses, seeds=8)
    assert texts and not any("into being" in text for text in texts), texts


def test_a_district_does_not_have_a_town_as_its_capital():
    clauses = ("image x0", "x0 P1071 x1", "x1 P1376 x2", "x2 P2046 a")
    kinds = "x0 painting, x1 town, x2 district"
    said = good(kinds, "quantity square kilometre", *clauses)
    assert said and not any(re.search("a town [^.]* has as its capital", t) for t in said), said


def test_a_museum_also_holds_a_painting_only_beside_one_that_the_text_has_put_there():
    clauses = (
        "image x0",
        "x0 P170 x1",
        "x1 P108 x2",
        "x3 P276 x2",
        "x3 P170 Ivo Mersk",
        "x3 P2048 a",
    )
    kinds = "x0 painting, x1 human, x2 art museum, x3 painting"
    told = tellings(kinds, "quantity metre", *clauses, num=400)
    texts = [t for t, telling in told if telling.cost < HOPELESS]
    assert texts and not any("museum also h" in t or "also hangs" in t for t in texts), texts
    there = ("image x0", "x0 P276 x2", "x3 P276 x2", "x3 P170 Ivo Mersk", "x3 P2048 a")
    told = tellings(kinds, "quantity metre", *there, num=400)
    assert any(
        "also houses a painting by Ivo Mersk" in t for t, telling in told if telling.cost < HOPELESS
    )


def test_measures_and_places_do_not_say_what_it_is():
    """ "How high is it?" may be about the ship, for a reader."""
    clauses = ("image x0", "x0 P176 x1", "x1 P159 x2", "x3 P1071 x2", "x3 P2048 a")
    kinds = "x0 ship, x1 shipyard, x2 town, x3 painting"
    said = good(kinds, "quantity metre", *clauses)
    assert said and not any(re.search(r"\bit\?$", text) for text in said), said


def test_three_verbs_do_not_meet():
    clauses = ("image x0", "x0 P108 x1", "x1 P1619 d1", "x1 P112 x2", "x2 P570 d2")
    kinds = "x0 human, x1 art museum, x2 human"
    noun, verb = cheapest(
        kinds, "quantity", (*clauses, "a = difference d1 d2"), "the opening of", "opened did"
    )
    assert noun + 2 < verb, (noun, verb)


def test_what_somebody_made_somewhere_names_the_maker_last():
    clauses = ("image x0", "x1 P170 x0", "x1 P1071 Velm", "x1 P195 x2", "x2 P571 a")
    kinds = "x0 human, x1 painting, x2 art museum"
    said = good(kinds, "date", *clauses, genders={"x0": "he"})
    assert any("painting made in Velm by this man" in text for text in said), said
    assert not any("by this man made" in text for text in said), said


def test_that_man_is_nobody_of_the_same_sentence():
    clauses = ("image x0", "x0 P108 x1", "x1 P84 x2", "x2 P1066 x3", "x2 P570 d1", "x3 P570 d2",
               "a = difference d1 d2")  # fmt: skip
    men = {"x0": "he", "x2": "he", "x3": "he"}
    role, man = cheapest(
        "x0 human, x1 museum, x2 human, x3 human",
        "quantity",
        clauses,
        "the architect's teacher",
        "that other man's teacher",
        genders=men,
    )
    assert role < man < 99, (role, man)


def test_no_verb_follows_the_preposition_of_another():
    clauses = ("image x0", "x0 P138 x1", "x1 P22 x2", "x1 P569 d1", "x2 P569 d2")
    kinds, men = "x0 arch bridge, x1 human, x2 human", {"x1": "he", "x2": "he"}
    behind, apart = cheapest(
        kinds,
        "quantity",
        (*clauses, "a = difference d1 d2"),
        "after was his",
        "than him",
        genders=men,
    )
    assert apart < behind, (apart, behind)


def test_a_birth_of_the_founder_of_a_thing_is_separated_from_its_founding():
    clauses = ("image x0", "x0 P88 x3", "x3 P108 x1", "x1 P112 x2", "x2 P569 d1", "x1 P571 d2")
    kinds, sexes = "x0 arch bridge, x1 shipyard, x2 human, x3 human", {"x3": "she", "x2": "she"}
    said = good(kinds, "quantity", *clauses, "a = difference d1 d2", genders=sexes)
    end = " separate the founding of that shipyard from the birth of its founder?"
    assert any(text.endswith(end) for text in said), said
    assert not any("after its founder's birth" in text for text in said), said
    assert not any(re.search(r"that shipyard's founder (?:was born )?was it", t) for t in said), (
        said
    )


def test_a_member_of_a_family_is_called_so_only_with_the_family():
    clauses = ("image x0", "x0 P1028 x1", "x2 P53 x1", "x2 P69 University of Velm", "x2 P19 a")
    said = good(
        "x0 painting, x1 family, x2 human, a town", "entity", *clauses, genders={"x2": "he"}
    )
    assert any("A member of the family that" in text for text in said), said
    assert not any(re.search(r"[Tt](?:he|hat) member(?! of)|'s member", t) for t in said), said


def test_him_is_nobody_whose_sex_is_unsaid():
    clauses = ("image x0", "x0 P110 x1", "x1 P737 x2", "x2 P737 x3", "x3 P737 a")
    kinds, sexes = "x0 novel, x1 human, x2 human, x3 human, a human", {"x2": "she", "x3": "he"}
    said = r"illustrator\. .* him\?", "that woman"
    him, that = cheapest(kinds, "entity", clauses, *said, genders={**sexes, "x1": "she"})
    assert that < him < 99, (him, that)


def test_no_fact_is_said_twice():
    clauses = ("image x0", "x0 P1028 x1", "x2 P53 x1", "x2 P570 1940", "x2 P19 a")
    kinds = "x0 painting, x1 family, x2 human, a town"
    texts = {t for t, _ in tellings(kinds, "entity", *clauses, genders={"x2": "he"}, num=400)}
    assert any("A member of" in text for text in texts), texts
    assert not [text for text in texts if text.count("1940") > 1]


def test_where_something_named_is_is_one_place():
    clauses = ("image x0", "x0 P195 x1", "The Grey Harbour P195 x1", "x1 P571 a")
    texts = {t for t, _ in tellings("x0 painting, x1 art museum", "date", *clauses, num=400)}
    assert any("the museum where “The Grey" in text for text in texts), texts
    assert not any("a museum where “The Grey Harbour” is" in text for text in texts), texts
    assert not any(re.search(r"where [A-Z](?:he|his|er|t|ts)\b", text) for text in texts)
