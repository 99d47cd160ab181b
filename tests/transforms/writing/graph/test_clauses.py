"""Single rules of clauses, noun phrases and references back, each with a case that it accepts and one that it refuses."""

import importlib.util
from pathlib import Path

import pytest

from questloom.language.frames import Frame
from questloom.records.identity import chance
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.lints import PER_WORD
from questloom.transforms.writing.graph.noun_phrases import NounPhrases
from questloom.transforms.writing.graph.pronouns import PICTURE, UNSEXED
from questloom.transforms.writing.graph.questions import WHOSE, _filled
from questloom.transforms.writing.graph.references import BY_CLAIM, ends_of
from questloom.transforms.writing.graph.sentences import tell, things_of
from questloom.transforms.writing.graph.telling import Telling

_spec = importlib.util.spec_from_file_location("invented", Path(__file__).parent / "invented.py")
invented = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(invented)


def words_of(kinds: str, *clauses: str, ask: str = "entity", genders=None) -> FormWords:
    return FormWords(
        form=invented.form(ask, "image x0", *clauses),
        names={},
        classes=invented.classes(kinds),
        genders=genders or {},
        years=invented.YEARS,
        facts=invented.InventedWords(),
        language="en",
    )


def phrases(kinds: str, *clauses: str, make=NounPhrases, **more):
    return make(words_of(kinds, *clauses, **more), chance(1, "x", "clauses"))


DESIGNED = ("x0 tower, x1 human, a town", "x0 P84 x1", "x1 P19 a")


@pytest.mark.parametrize(
    ("sentence", "end", "cost"),
    [
        ("{s} has {o} as its capital", "that town", 1.5),
        ("{s} has {o} as its capital", "that other town", 1.5),
        ("{s} has {o} as its capital", "the town of kings", HOPELESS),
        ("{s} has {o} as its capital", "it", 3.0),
        ("{s} stands in {o}", "the town of kings", 0.0),
        ("{s} stands in {o}", "it", 0.0),
    ],
)
def test_three_words_at_most_stand_before_the_rest_of_a_sentence(sentence, end, cost):
    at = phrases(*DESIGNED)
    at.weigh_before_rest(Frame.parse(sentence), end)
    assert at.cost == cost


def test_a_claim_that_no_sentence_tells_of_its_end_is_hopeless():
    at = phrases(*DESIGNED)
    assert at.frame(0, subject="q") == at.frames(0)[0] and at.cost == HOPELESS
    assert at.frame(0, subject="o").subject == "o" and at.cost == HOPELESS


def test_after_a_sentence_about_a_year_a_thing_is_dated_by_that_year():
    clauses = "x9 reads P1684 plaque x0", "a P571 x9"
    at = phrases("x0 tower, a schooner", *clauses)
    reads = at.form_words.reads["x9"]
    assert at.in_year(reads).startswith("in the year given on ")
    at.told_years.add("x9")
    assert at.in_year(reads) == "in that year" and at.read_year(reads) == "that year"


@pytest.mark.parametrize(("sex", "own"), [("he", "his"), ("she", "her"), ("", "their")])
def test_what_belongs_to_somebody_is_his_or_hers_where_the_sex_is_known(sex, own):
    at = phrases(*DESIGNED, genders={"x1": sex})
    assert at.own("x1") == own
    assert at.own(invented.term("Ivo Mersk")) == "their"


@pytest.mark.parametrize(
    ("name", "said", "short"),
    [
        ("Ivo Mersk", "Ivo Mersk", True),
        ("Karsk", "Karsk", True),
        ("Orla", "the Orla", False),
        ("poet", "poet", False),
        ("x0", "this tower", True),
        ("x0", "that tower", True),
        ("x0", "this one", False),
        ("x0", "this tower's flag", False),
        ("x0", "the tower", False),
        ("x1", "the architect", True),
        ("x1", "the old architect", False),
        ("x1", "a man", False),
    ],
)
def test_an_s_belongs_to_named_people_and_towns_and_to_what_is_pointed_at(name, said, short):
    at = phrases(*DESIGNED)
    assert at._takes_possessive(invented.term(name), said) is short


@pytest.mark.parametrize(
    ("head", "value", "said"),
    [
        ("the tower", "1871", "the 1871 tower"),
        ("a tower", "1871", "an 1871 tower"),
        ("an abbey", "1901", "a 1901 abbey"),
        ("which tower", "1871", "which 1871 tower"),
        ("the other tower", "1871", "the other 1871 tower"),
        ("another tower", "1871", "another 1871 tower"),
    ],
)
def test_a_year_stands_before_its_noun_and_behind_other(head, value, said):
    at = phrases(*DESIGNED)
    assert at.with_adjective(head, invented.term(value)).replace("the other", "the other") == said


@pytest.mark.parametrize(
    ("head", "said"),
    [("the man", "the poet"), ("a man", "a poet"), ("another man", "a poet")],
)
def test_an_occupation_stands_in_place_of_man(head, said):
    at = phrases(*DESIGNED)
    assert at._with_noun(head, "x1", invented.term("poet")) == said and at.works == {"x1": "poet"}


@pytest.mark.parametrize(
    ("head", "reduced", "relative", "said", "cost"),
    [
        ("the tower", [], {}, "the tower", 0.0),
        ("the tower", ["in Velm"], {}, "the tower in Velm", 0.0),
        ("the tower", ["built here", "in Velm"], {}, "the tower in Velm built here", 0.0),
        ("the man", ["born in Velm", "born in 1847"], {}, "the man born in Velm in 1847", 0.0),
        ("the man", ["from Velm", "by Orm"], {}, "the man from Velm by Orm", 3.0),
        ("the man", ["in the very old town"], {"who": ["ate"]}, "the man in the very old town who ate", 9.0),
        ("the man", ["in this town"], {"who": ["ate"]}, "the man in this town who ate", 5.0),
        ("the man", ["in one very old town"], {"who": ["ate"]}, "the man in one very old town who ate", 4.0),
        ("the man", ["in one old town"], {"who": ["ate"]}, "the man in one old town who ate", 0.0),
        ("the art", ["by her"], {"that": ["lasts"]}, "the art by her that lasts", 10.0),
        ("the art", ["by her"], {}, "the art by her", 0.0),
        ("the art", ["by the man", "held here"], {}, "the art by the man held here", HOPELESS + 5.0),
        ("the man", ["inspired by Orm"], {"who": ["ate"]}, "the man inspired by Orm who ate", 5.0),
        ("the man", ["inspired by Orm"], {"to whom": ["it went"]}, "the man inspired by Orm to whom it went", 0.0),
        ("the man", [], {"who": ["ate"], "whom": ["we like"]}, "the man who ate whom we like", 4.0),
        ("the man", [], {"who": ["is old", "is"]}, "the man who is and is old", 0.0),
        ("the art", ["by the same man as the king"], {"that": ["lasts"]}, "the art by the same man as the king that lasts", HOPELESS + 9.0),
    ],
)  # fmt: skip
def test_short_clauses_come_first_and_none_may_belong_to_another_noun(
    head, reduced, relative, said, cost
):
    at = phrases(*DESIGNED)
    assert (at._joined(head, reduced, relative), at.cost) == (said, cost)


# ---------------------------------------------------------------- references back


def telling(kinds: str, *clauses: str, **more) -> Telling:
    return phrases(kinds, *clauses, make=Telling, **more)


WOMEN = ("x0 tower, x1 human, x2 human, a town", "x0 P84 x1", "x1 P737 x2", "x2 P19 a")


@pytest.mark.parametrize(
    ("noun", "sex", "sexed"),
    [("woman", "she", True), ("woman", "he", False), ("wife", "she", True), ("architect", "she", False),
     ("tall man", "he", True), ("", "he", False)],
)  # fmt: skip
def test_a_noun_tells_the_sex_of_somebody(noun, sex, sexed):
    at = telling(*WOMEN)
    at.introduced["x1"] = noun
    assert at._is_sexed("x1", sex) is sexed


@pytest.mark.parametrize(
    ("term", "pronoun", "may"),
    [
        ("x1", "she", True),
        ("x1", "he", False),
        ("x1", "it", False),
        ("x2", "he", True),
        ("x2", "she", True),
        ("x2", "it", False),
        ("x0", "it", True),
        ("x0", "he", False),
        ("Karsk", "it", True),
        ("Ivo Mersk", "she", True),
        ("Ivo Mersk", "it", False),
        ("1871", "it", False),
        ("30 metre", "it", False),
    ],
)
def test_a_pronoun_may_mean_whom_or_what_it_fits_and_no_date(term, pronoun, may):
    at = telling(*WOMEN, genders={"x1": "she"})
    assert at._may_be(invented.term(term), pronoun) is may


def test_a_year_in_a_picture_is_never_it():
    at = telling("x0 tower, a schooner", "x9 reads P1684 plaque x0", "a P571 x9")
    assert not at._may_be("x9", "it")


@pytest.mark.parametrize(
    ("before", "mentioned", "subjects", "rival"),
    [
        ([], [], set(), False),
        (["x1"], [], {""}, False),
        (["x2"], [], set(), True),
        ([], ["x2"], set(), True),
        ([], [], {"x2"}, True),
        (["x0"], ["x0"], {"x0"}, False),
    ],
)
def test_anybody_near_or_an_earlier_subject_is_a_rival_of_her(before, mentioned, subjects, rival):
    at = telling(*WOMEN, genders={"x1": "she"})
    at._before, at._mentioned, at._subjects = before, mentioned, subjects
    assert at._has_rival("x1", "she") is rival


@pytest.mark.parametrize(
    ("noun", "of_any"), [("architect", True), ("woman", False), ("man", False), ("", False)]
)
def test_an_architect_may_be_of_any_sex(noun, of_any):
    at = telling(*WOMEN)
    at.introduced.update(x1=noun, x0="architect")
    assert at._is_of_any_sex("x1") is of_any
    assert not at._is_of_any_sex("x0"), "a thing"
    assert not at._is_of_any_sex(invented.term("Ivo Mersk")), "a name"


def test_this_museum_is_clear_and_one_of_two_rivers_or_a_person_is_not():
    at = telling("x0 museum, x1 river, x2 river, x3 human", "x0 P84 x3", "x1 P403 x2", "x2 P19 a")
    at.introduced.update(x1="river", x3="man")
    clear = {v: at._is_clear(v) for v in ("x0", "x1", "x2", "x3")}
    assert clear == {"x0": True, "x1": True, "x2": False, "x3": False}
    assert at._is_clear(invented.term("Karsk"))
    at.introduced["x2"] = "river"
    assert not at._is_clear("x1")


@pytest.mark.parametrize(
    ("third", "sex", "found"),
    [("father", "he", True), ("father", "she", False), ("man", "he", False)],
)
def test_a_third_man_is_somebody_of_another_noun_and_the_same_sex(third, sex, found):
    at = telling(*WOMEN, genders={"x1": "he", "x2": sex})
    at.introduced.update(x1="man", x2=third)
    assert at._has_third("x1", ["x1", *(["x2"] if third == "man" else [])]) is found


@pytest.mark.parametrize(
    ("kind", "known", "var", "factor"),
    [
        ("district", "x1", "x2", 4.0),
        ("town", "x1", "x2", 0.7),
        ("human", "x1", "x2", 1.0),
        ("town", "x0", "x1", 1.0),
        ("painting", "x1", "x2", 0.0),
    ],
)
def test_a_sentence_that_announces_a_district_says_least(kind, known, var, factor):
    at = telling(f"x0 tower, x1 {kind}, x2 {kind}", "x0 P131 x1", "x1 P131 x2", "x2 P19 a")
    assert at._emptiness(var, "o", known, Frame.parse("{s} is in {o}")) == factor


def test_only_a_place_or_a_district_that_another_thing_lies_in_says_little():
    at = telling("x0 tower, x1 town, x2 district", "x0 P131 x1", "x1 P131 x2", "x2 P19 a")
    assert at._emptiness("x2", "o", "x1", Frame.parse("{s} was built in {o}")) == 0.7
    assert at._emptiness("x2", "s", "x1", Frame.parse("{s} was built in {o}")) == 0.0


@pytest.mark.parametrize(
    ("others", "said", "extra"), [(0, "a river", 0.0), (1, "another river", 1.5)]
)
def test_the_second_river_is_another_one(others, said, extra):
    at = telling("x0 tower, x1 river, x2 river", "x0 P206 x1", "x2 P403 x1", "x2 P19 a")
    at.introduced.update({"x1": "river"} if others else {})
    assert at._first_named("x2") == said and at.cost == extra
    assert at._now_another == ("river" if others else "")
    assert at._apart == ({"x2"} if others else set())


@pytest.mark.parametrize(
    ("known", "var", "one"), [("x1", "x3", True), ("x0", "x3", False), ("x3", "x3", False)]
)
def test_the_text_has_connected_a_museum_with_a_painting(known, var, one):
    at = telling("x0 painting, x1 museum, x2 painting", "x0 P276 x1", "x2 P276 x1", "x2 P170 a")
    at.introduced.update(x0="painting", x1="museum")
    at.used = {0}
    assert at._has_one(known, "painting") is one
    at._saying = {0}
    assert not at._has_one(known, "painting"), "the sentence itself says so"


NEAR = ("x0 library, x1 human, x2 human, x3 museum", "x0 P84 x1", "x1 P737 x2", "x2 P108 x3")
ALL = {"x0": "library", "x1": "woman", "x3": "museum"}


@pytest.mark.parametrize(
    ("var", "genders", "introduced", "state", "said"),
    [
        # of whom the sentence before was, and nobody else is near
        ("x1", {"x1": "she"}, ALL, {"_before": ["x1"], "_topic": "x1"}, "she"),
        ("x1", {}, ALL, {"_before": ["x1"], "_topic": "x1"}, ""),
        ("x1", {"x1": "she"}, ALL, {"_topic": "x1"}, ""),
        # another woman, whom a sentence has mentioned
        ("x1", {"x1": "she", "x2": "she"}, ALL, {"_before": ["x1", "x2"], "_topic": "x1"}, ""),
        ("x1", {"x1": "she", "x2": "he"}, ALL, {"_before": ["x1", "x2"], "_topic": "x1"}, "she"),
        ("x1", {"x1": "she"}, ALL, {"_before": ["x1", "x2"], "_topic": "x1"}, ""),
        # the second of two women needs that the text has known her before
        ("x1", {"x1": "she", "x2": "she"}, {**ALL, "x2": "woman"},
         {"_before": ["x1"], "_topic": "x1", "_known_before": frozenset({"x1"})}, "she"),
        ("x1", {"x1": "she", "x2": "she"}, {**ALL, "x2": "woman"}, {"_before": ["x1"], "_topic": "x1"}, ""),
        # not the subject: anybody whom the text has introduced may be meant
        ("x1", {"x1": "she"}, ALL, {"_before": ["x1"]}, "she"),
        ("x1", {"x1": "she", "x2": "she"}, {**ALL, "x2": "architect"}, {"_before": ["x1"]}, ""),
        ("x1", {"x1": "she", "x2": "he"}, {**ALL, "x2": "architect"}, {"_before": ["x1"]}, ""),
        ("x1", {"x1": "she", "x2": "he"}, {**ALL, "x2": "husband"}, {"_before": ["x1"]}, "she"),
        # it: in a statement the pictured thing is "this library", in the question it may be it
        ("x3", {}, ALL, {"_before": ["x3"]}, "it"),
        ("x3", {}, ALL, {"_before": ["x3"], "asking": True}, ""),
        ("x3", {}, ALL, {"_before": ["x0", "x3"]}, ""),
        ("x3", {}, ALL, {"_mentioned": ["x3"], "asking": True}, "it"),
        ("x3", {}, ALL, {"_before": ["x0"], "_mentioned": ["x3"]}, "it"),
        ("x3", {}, ALL, {"_mentioned": ["x3", "x0"]}, ""),
        ("x1", {"x1": "she", "x2": "she"}, ALL, {"_before": ["x2"], "_mentioned": ["x1"]}, ""),
    ],
)  # fmt: skip
def test_a_pronoun_is_said_where_only_one_can_be_meant(var, genders, introduced, state, said):
    at = telling(*NEAR, "x3 P112 a", genders=genders)
    at.introduced.update(introduced)
    for name, value in state.items():
        setattr(at, name, value)
    assert at._pronoun(var) == said and at.cost == 0.0


def test_she_costs_where_no_noun_has_said_that_she_is_a_woman():
    at = telling(*NEAR, "x3 P112 a", genders={"x1": "she"})
    at.introduced["x1"], at._before = "architect", ["x1"]
    assert at._pronoun("x1") == "she" and at.cost == UNSEXED


def test_with_two_things_to_refer_back_to_that_becomes_the():
    at = telling(*NEAR, "x3 P112 a")
    at.introduced.update(x0="library", x3="museum", x1="man", x2="man")
    assert at.with_the("That library is in that museum.") == "The library is in the museum."
    assert at.with_the("That library is old.") == "That library is old."
    assert at.with_the("That man saw that museum.") == "That man saw that museum."


@pytest.mark.parametrize(
    ("asking", "rival", "may"),
    [(False, "x3", True), (True, "x3", False), (True, "x1", True), (True, PICTURE, True), (True, "x9", True)],
)  # fmt: skip
def test_who_painted_it_is_asked_of_no_museum(monkeypatch, asking, rival, may):
    at = telling(
        "x0 town, x1 painting, x3 museum, a human", "x1 P1071 x0", "x1 P276 x3", "x1 P170 a"
    )
    painting = at.form_words.class_id("x1")
    monkeypatch.setattr(
        type(at.form_words.facts), "may_have", lambda self, kind, p: (kind, p) == (painting, "P170")
    )
    at.asking = asking
    assert at._may_be_asked("x1", rival) is may
    assert at._may_be_asked("x0", rival), "nothing is asked of the town"


def test_the_ends_of_a_claim_beside_a_thing():
    claim = words_of("x1 river, x2 river", "x1 P403 x2", "x2 P19 a").claims[0]
    assert ends_of(claim, "x1") == (None, "x2") and ends_of(claim, "x2") == ("x1", None)


BRIDGES = (
    "x0 human, x1 arch bridge, x2 arch bridge, x3 river",
    "x1 P177 x3",
    "x2 P177 x3",
    "x2 P84 x0",
    "x2 P131 a",
)


@pytest.mark.parametrize(
    ("claims", "noun"),
    [([1], "other arch bridge"), ([2], "arch bridge"), ([1, 2], "arch bridge")],
)
def test_the_other_bridge_is_one_of_which_the_same_is_told(claims, noun):
    at = telling(*BRIDGES)
    at.introduced.update(x0="man", x1="arch bridge", x3="river")
    told = [(i, "s") for i in claims]
    assert at.definite_kind("x2", "arch bridge", told) == noun
    assert at._apart == ({"x2"} if "other" in noun else set())
    at = telling(*BRIDGES)
    at.introduced.update(x0="man", x1="arch bridge", x3="river")
    assert at.kind_in_question("x2", "arch bridge", told) == noun
    assert at._now_another == ("bridge" if "other" in noun else "")


@pytest.mark.parametrize(
    ("another", "beside", "said"),
    [("painting", {}, "the first one"), ("", {}, "that painting"), ("museum", {}, "that painting")],
)
def test_beside_another_painting_the_earlier_one_is_the_first_one(another, beside, said):
    at = telling("x0 town, x1 painting, x2 painting", "x1 P1071 x0", "x2 P1071 x0", "x2 P170 a")
    at.introduced.update(x0="town", x1="painting", **beside)
    at._before, at._now_another = ["x0", "x1"], another
    assert at._reference("x1", False) == said


def test_how_high_it_is_may_be_asked_of_anything(monkeypatch):
    monkeypatch.setattr(invented.InventedWords, "may_have", lambda self, kind, p: False)
    clauses = "x0 town, x1 painting, x3 museum, a district", "x1 P1071 x0", "x1 P276 x3"
    for asked, may in (("x1 P170 a", False), ("x1 P131 a", True)):
        at = telling(*clauses, asked)
        at.asking = True
        assert at._may_be_asked("x1", "x3") is may


@pytest.mark.parametrize(("things", "beside", "long"), [(5, 5, False), (6, 5, True), (6, 4, False)])
def test_a_puzzle_of_six_things_and_six_claims_beside_the_asked_one_is_long(things, beside, long):
    towns = [f"x{n} P47 x{n + 1}" for n in range(things - 1)]
    more = [f"x0 P{n} Karsk" for n in range(131, 131 + beside + 1 - len(towns))]
    kinds = ", ".join(f"x{n} town" for n in range(things))
    at = telling(kinds, *towns, *more, f"x{things - 1} P571 a", ask="date")
    assert at._is_long is long and len(at._ordinals) == (3 if long else 2)


def test_a_long_puzzle_goes_back_to_the_first_of_two_by_what_it_has_said_of_it():
    kinds = "x0 art museum, x1 painting, x2 painting, x3 human, x4 town, x5 river, x6 lake"
    clauses = ("x1 P276 x0", "x1 P170 x3", "x2 P170 x3", "x2 P1071 x4", "x4 P206 x5", "x5 P403 x6")
    found = {}
    for seed in range(30):
        at = telling(kinds, *clauses, "x1 P571 a", ask="date")
        at.introduced.update(x0="art museum", x1="painting", x2="painting")
        at._before, at.used, at.asking = ["x2", "x1"], {*range(6)}, True
        at.rng = chance(seed, "x", "back")
        said = at._reference("x1", False)
        found[said] = at.cost
    assert all(text.startswith("the painting ") and "this museum" in text for text in found)
    assert found["the painting in this museum"] == BY_CLAIM


@pytest.mark.parametrize(
    ("shown", "owned", "cost"),
    [
        ("heron", "this heron's wife", 0.0),
        ("grey heron", "this grey heron's wife", 1.0),
        ("old grey heron", "this old grey heron's wife", 1.0),
        ("very old grey heron", "the wife of this very old grey heron", 0.0),
        ("grey heron us", "the wife of this grey heron us", 0.0),
    ],
)
def test_four_words_at_most_own_something(shown, owned, cost):
    at = phrases(*DESIGNED)
    at.form_words.seen = shown
    at.used = {0}
    before = PER_WORD * (len(shown.split()) - 1)
    assert at.possessor("x0", "wife") == owned and at.cost + before == pytest.approx(cost)


@pytest.mark.parametrize(
    ("shown", "template", "cost"),
    [
        ("old grey heron", "Whose work is {s}?", WHOSE / 2),
        ("very old grey heron", "Whose work is {s}?", WHOSE),
        ("very old grey heron", "Who made {s}?", 0.0),
    ],
)
def test_whose_work_is_no_question_about_many_words(shown, template, cost):
    at = phrases(*DESIGNED)
    at.form_words.seen = shown
    at.used = {0}
    before = PER_WORD * (len(shown.split()) - 1)
    assert _filled(at, template, "x0") == template.replace("{s}", f"this {shown}")
    assert at.cost + before == pytest.approx(cost)


@pytest.mark.parametrize(
    ("kinds", "link", "called", "noun"),
    [
        ("x0 district, x1 town", "x0 P36 x1", "the capital of ", "town"),
        ("x0 district", "x0 P36 x1", "the capital of ", "capital"),
        ("x0 tower, x1 human", "x0 P84 x1", "the architect of ", "architect"),
        ("x0 river, x1 river", "x1 P403 x0", "the tributary of ", "tributary"),
    ],
)
def test_a_capital_is_a_town_when_it_is_mentioned_again_and_an_architect_one(
    kinds, link, called, noun
):
    found = set()
    for seed in range(30):
        at = NounPhrases(words_of(kinds, link, "x1 P571 a", ask="date"), chance(seed, "x", "end"))
        if at.noun_phrase("x1").startswith(called):
            found.add(at.introduced["x1"])
    assert found == {noun}


def test_a_claim_that_gets_a_sentence_describes_nothing():
    words = words_of(*DESIGNED)
    _, told = tell(words, things_of(words), frozenset(), chance(1, "x", "held"))
    assert told.held == {0}
    _, told = tell(words, things_of(words), frozenset({"x1"}), chance(1, "x", "held"))
    assert told.held == set()
