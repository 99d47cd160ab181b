"""What the oracle reads where a page names a thing in a list, in other words, or under a name that
two things have."""

import pytest

from questloom.agent.oracle.observation_reading import (
    Line,
    Literal,
    PageRead,
    Thing,
    candidates,
    names_in,
    subjects,
)
from questloom.agent.oracle.puzzle import Fact, Kind, Puzzle
from questloom.agent.oracle.relation_words import Relation
from questloom.agent.oracle.solver import SURE, Solver
from questloom.agent.oracle.speech import (
    MOST_WAYS,
    Observation,
    answer_of,
    is_kind,
    is_other_parent,
    stated,
    words_for,
)
from tests.agent.oracle.scripted import ALL, told

FOUND_AT = Relation(property="P189", label="location of discovery")
DIED = Relation(property="P570", label="date of death", datatype="time")
AUTHOR = Relation(property="P50", label="author")


def page(*sentences: str, title: str = "Velm", links: tuple[str, ...] = ()) -> PageRead:
    return PageRead(
        title,
        f"https://w/{title}",
        sentences=[Line(s, 1) for s in sentences],
        links={name: f"https://w/{name}" for name in links},
        visited=True,
    )


def puzzle(*facts: Fact, **more) -> Puzzle:
    return Puzzle(
        **{
            "pictured": "x",
            "pictured_as": "the river in the picture",
            "facts": facts,
            "ask": "a",
            "ask_type": "entity",
            **more,
        }
    )


def test_the_name_of_a_species_goes_on_in_lower_case():
    river = page(
        "Velm tern, Lund's hawk moth and Rista goby were discovered here.", links=("Velm",)
    )
    names = [c.value.title for c in subjects(river, FOUND_AT, species=True)]
    assert names == ["Velm tern", "Lund's hawk moth", "Rista goby"]
    assert "Rista goby" not in [c.value.title for c in subjects(river, FOUND_AT)]


def test_a_species_of_which_two_pages_speak_is_found_though_it_has_no_page():
    asked = puzzle(
        Fact(subject="a", relation=FOUND_AT, object="x"),
        kinds=(Kind(var="a", words=("taxon",)),),
    )
    ended, _ = told(
        Solver(asked, 20, ALL),
        {
            "image_search": Observation(True, "[1] Velm\nURL: https://w/Velm", (), 0),
            "w/Velm": Observation(
                True,
                "Velm\nURL: https://w/Velm\n\nVelm is a river.\nRista goby was discovered here.",
                (0,),
                0,
            ),
        },
    )
    assert ended.answer == "Rista goby"


@pytest.mark.parametrize(
    ("property", "kind", "said"),
    [
        ("P276", "treaty", "was signed in Velm"),
        ("P276", "painting", "hangs in Velm"),
        ("P276", "coin", "is kept in Velm"),
    ],
)
def test_a_search_says_a_relation_as_pages_of_such_things_do(property, kind, said):
    fact = Fact(subject="y", relation=Relation(property=property, label="location"), object="x")
    asked = puzzle(fact, kinds=(Kind(var="y", words=(kind,)),))
    assert stated(fact, Thing("Velm"), asked) == said


def test_a_treaty_may_be_called_a_peace():
    assert (
        is_kind(page("Peace of Velm was signed in Rista.", title="Peace of Velm"), ("treaty",)) > 0
    )
    assert is_kind(page("Velm United plays in Rista.", title="Velm United"), ("treaty",)) < 0


def test_who_is_called_she_is_no_father_and_who_is_called_he_no_mother():
    father, mother = (
        Relation(property=p, label=n) for p, n in (("P22", "father"), ("P25", "mother"))
    )
    woman = page("Ada Lund was a poet.", "Her children included Ivo Lund.", title="Ada Lund")
    man = page("Ivo Lund was a poet.", "He was the parent of Ada Lund.", title="Ivo Lund")
    assert is_other_parent(woman, father) and not is_other_parent(woman, mother)
    assert is_other_parent(man, mother) and not is_other_parent(man, father)
    assert not is_other_parent(woman, AUTHOR)


def test_a_year_is_no_sure_answer_where_the_day_is_asked():
    fact = Fact(subject="x", relation=DIED, object="a")
    solver = Solver(puzzle(fact, ask_type="date", precision="day"), 20, ALL)
    life = "Ada Lund (1800–1870) was a poet."
    (year,) = solver._values(page(life, title="Ada Lund"), fact)
    assert year.value == Literal("1870", 1870) and year.score < SURE
    told_day = solver._values(page(life, "She died on 5 May 1870.", title="Ada Lund"), fact)
    assert (told_day[0].value.day, told_day[0].score >= SURE) == (5, True)
    solver = Solver(puzzle(fact, ask_type="date", precision="year"), 20, ALL)
    assert solver._values(page(life, title="Ada Lund"), fact)[0].score >= SURE


def test_a_town_from_which_somebody_came_is_no_family():
    family = Relation(property="P53", label="family")
    lund = page("Lund came from Velm.", title="Ada Lund", links=("Velm",))
    assert all(c.score < SURE for c in candidates(lund, family, kind="thing"))
    lund = page("Lund was born in Velm into the Mond family.", title="Ada Lund", links=("Velm",))
    assert candidates(lund, family, kind="thing")[0].value.title == "Mond family"


def test_a_number_of_things_is_answered_without_the_words_behind_it():
    lives = Literal("11 lives", number=11, unit="live")
    assert answer_of(puzzle(ask_type="quantity"), lives) == "11"
    assert (
        answer_of(puzzle(ask_type="quantity", unit="metre"), Literal("11", number=11)) == "11 metre"
    )


def test_some_of_a_family_are_not_part_of_its_name():
    line = "Members of the Lund family include Ada Lund."
    assert names_in(line, page(line))[0][1].title == "Lund family"


def test_where_one_way_to_say_a_relation_finds_nothing_others_are_searched():
    ways = words_for(Relation(property="P22", label="father"))
    assert 1 < len(ways) <= MOST_WAYS and ways[0].startswith("father ")
    fact = Fact(subject="x", relation=Relation(property="P22", label="father"), object="a")
    ended, steps = told(
        Solver(puzzle(fact), 20, ALL),
        {
            "image_search": Observation(True, "[1] Ada Lund\nURL: https://w/Ada", (), 0),
            "w/Ada": Observation(
                True, "Ada Lund\nURL: https://w/Ada\n\nAda Lund (1800–1870) was a poet.", (0,), 0
            ),
            f"Ada Lund {ways[-1]}": Observation(
                True, "[1] Ivo Lund\nURL: https://w/Ivo\nHe was the parent of Ada Lund.", (), 0
            ),
        },
    )
    assert ended.answer == "Ivo Lund", [s.arguments for s in steps]


@pytest.mark.parametrize(
    ("listed", "answer"), [(True, "Salt Road"), (False, "I could not find the answer.")]
)
def test_a_work_without_a_page_is_an_answer_though_a_namesake_has_one(listed, answer):
    """Only if a page lists the work: a name that a search brought up is none."""
    asked = puzzle(
        Fact(subject="a", relation=AUTHOR, object="x"), kinds=(Kind(var="a", words=("novel",)),)
    )
    wrote = "\nLund wrote the novel Salt Road." if listed else ""
    ended, _ = told(
        Solver(asked, 20, ALL),
        {
            "image_search": Observation(True, "[1] Ada Lund\nURL: https://w/Ada", (), 0),
            "w/Ada": Observation(
                True,
                f"Ada Lund\nURL: https://w/Ada\n\nAda Lund (1800–1870) was a poet.{wrote}",
                (0,),
                0,
            ),
            "'url': 'Salt Road'": Observation(
                True,
                "Salt Road (Mond)\nURL: https://w/Mond\nauthor: Ilse Mond\n\nSalt Road is a novel.",
                (),
                0,
            ),
        },
    )
    assert ended.answer == answer
