"""What the independent reader makes of questions about a world of a dozen things."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from tiny_world import THINGS, plaque, thing, write_tiny_world

from benchmarks.truth_reader.execution import matches
from benchmarks.truth_reader.judge import Finding, judge_text
from benchmarks.truth_reader.lexicon import tokens
from benchmarks.truth_reader.query import inverse
from benchmarks.truth_reader.reader import Reader
from benchmarks.truth_reader.world import Number, Text, Truth, literal_of

OLD, IVO, NORTH, STILL = (frozenset({f"{name}.jpg"}) for name in ("old", "ivo", "north", "still"))


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return Reader(Truth(write_tiny_world(tmp_path_factory.mktemp("world") / "w")))


QUESTIONS = [
    (
        "The architect of this bridge designed a lighthouse. On which date did it open?",
        OLD,
        (1870, 6, 1),
    ),
    (
        "An architect designed this bridge. A lighthouse was designed by that architect. On which date did that lighthouse open?",
        OLD,
        (1870, 6, 1),
    ),
    ("The bridge in this picture was designed by a man. Who trained the man?", OLD, "Q10"),
    ("Who designed the bridge in the picture?", OLD, "Q2"),
    ("Who was the father of the architect of the arch bridge shown here?", OLD, "Q3"),
    (
        "In which year was the lighthouse designed by the architect of the bridge in the picture built?",
        OLD,
        (1868,),
    ),
    (
        "Take the lighthouse that was designed by the person who designed the bridge in the image. How tall, in metres, is that lighthouse?",
        OLD,
        Number(35.0, "Q11573"),
    ),
    (
        "The bridge in the picture was designed by an architect who also designed a lighthouse. On which date did that lighthouse open?",
        OLD,
        (1870, 6, 1),
    ),
    (
        "The bridge shown here was designed by an architect whose father died in a town. In which year was that town founded?",
        OLD,
        (1610,),
    ),
    ("In which town was the architect of the bridge in the picture born?", OLD, "Q4"),
    ("In which town was the man born who designed this bridge?", OLD, "Q4"),
    ("In which year was the man born who designed this bridge?", OLD, (1812,)),
    ("Which river does the bridge in the picture cross?", OLD, "Q5"),
    (
        "How long, in kilometres, is the river crossed by the bridge in the picture?",
        OLD,
        Number(90.0, "Q828224"),
    ),
    ("Which town was the birthplace of the teacher of the person in the picture?", IVO, "Q9"),
    (
        "What is the area, in square kilometres, of the district that includes the town where the person shown here was born?",
        IVO,
        Number(325.0, "Q712226"),
    ),
    (
        "How many years lie between the year the bridge in the picture was built and the year given on the plaque on that bridge?",
        OLD,
        Number(1.0),
    ),
    (
        "How many full years passed between the birth and the death of the person in the image?",
        IVO,
        Number(67.0),
    ),
    ("What year is given on the plaque on the bridge in the picture?", OLD, (1851,)),
    ("Which year is written on the plaque of the bridge designed by this person?", IVO, (1851,)),
    ("Which year does the plaque of the bridge designed by this person give?", IVO, (1851,)),
    (
        "This person designed a bridge. The plaque of that bridge gives a year. How many years later did this person die?",
        IVO,
        Number(29.0),
    ),
    ("Which year can be read in the picture of the bridge designed by this person?", IVO, (1851,)),
    (
        "This person designed a bridge. How many years after the year on its plaque did this person die?",
        IVO,
        Number(29.0),
    ),
    (
        "This person designed a bridge. How many years after the year written in that bridge's picture did this person die?",
        IVO,
        Number(29.0),
    ),
    (
        "How many years after the year written in the picture of the bridge designed by this person did this person die?",
        IVO,
        Number(29.0),
    ),
    (
        "Which lighthouse was designed by the teacher of the architect of the lighthouse in the picture and is taller than that lighthouse?",
        NORTH,
        "Q8",
    ),
    (
        "Which of the two was built first: the lighthouse in the picture or the lighthouse designed by Runa Feld?",
        NORTH,
        "Q7",
    ),
    (
        "Compare the lighthouse in the picture with the lighthouse designed by Runa Feld. Who designed the one that is taller?",
        NORTH,
        "Q10",
    ),
    (
        "What is the difference in height, in metres, between the lighthouse shown here and the lighthouse designed by the teacher of its architect?",
        NORTH,
        Number(14.0, "Q11573"),
    ),
    (
        "What is the combined height, in metres, of the lighthouse shown here and the lighthouse built in 1890?",
        NORTH,
        Number(84.0, "Q11573"),
    ),
    (
        "How many times as tall as the lighthouse in the picture is the lighthouse built after 1880?",
        NORTH,
        Number(1.4),
    ),
    ("How many lighthouses were designed by the person in the picture?", IVO, Number(1.0)),
    (
        "On which date was the art museum whose collection includes the painting in the picture opened?",
        STILL,
        (1900, 2, 3),
    ),
    (
        "How long, in centimetres, does the species discovered by the person who painted the painting in the picture grow?",
        STILL,
        Number(31.0, "Q174728"),
    ),
    (
        "Consider the father of the person in the picture. In which year was the child of that father born?",
        IVO,
        (1812,),
    ),
    ("In which district will you find the lighthouse in the picture?", NORTH, "Q6"),
    ("What was the nickname of the architect of this bridge?", OLD, Text("Old Thunder")),
    ("What were the last words of the architect of this bridge?", OLD, Text("Sell the piano")),
    ("What did the architect of this bridge call his dog?", OLD, "Q4"),
    ("In which town was the man this bridge is named after born?", OLD, "Q4"),
    (
        "In what year was the lighthouse designed by the architect of this bridge built?",
        OLD,
        (1868,),
    ),
    ("On what date did the architect of this bridge die?", OLD, (1880, 5, 2)),
    ("How many kilometres long is the river crossed by this bridge?", OLD, Number(90.0, "Q828224")),
    (
        "What is the area of the district where this lighthouse stands, in square kilometres?",
        NORTH,
        Number(325.0, "Q712226"),
    ),
    (
        "How many years after this bridge was built did the architect of this bridge die?",
        OLD,
        Number(30.0),
    ),
    ("How many years before the architect of this bridge died was he born?", OLD, Number(68.0)),
    ("This bridge was designed by a man. In which town was his teacher born?", OLD, "Q9"),
    ("This bridge was designed by a man. In which town was his teacher's pupil born?", OLD, "Q4"),
    ("Which year is written on the portrait of the bridge designed by this person?", IVO, (1851,)),
    (
        "This person designed a bridge. How many years after the year on that bridge's portrait did this person die?",
        IVO,
        Number(29.0),
    ),
    ("How old did the architect of this bridge turn in the year on its plaque?", OLD, Number(39.0)),
    (
        "The plaque of this bridge gives a year. How old did its architect turn in that year?",
        OLD,
        Number(39.0),
    ),
    (
        "How old did the architect of this bridge turn in the year it was built?",
        OLD,
        Number(38.0),
    ),
    ("In which century was this bridge built?", OLD, (19,)),
    (
        "In which century was the lighthouse designed by the architect of this bridge built?",
        OLD,
        (19,),
    ),
    (
        "Consider the lighthouse that is taller than that bridge and was designed by the architect of the bridge in the picture. Who designed it?",
        OLD,
        None,
    ),
    ("Who trained this bridge's architect?", OLD, "Q10"),
    ("In which town was the architect of the lighthouse seen here born?", NORTH, "Q4"),
    ("Under whom did the namesake of the bridge pictured here study?", OLD, "Q10"),
    ("Who taught this bridge's namesake?", OLD, "Q10"),
    ("Which river flows beneath the bridge shown in this picture?", OLD, "Q5"),
    ("The bridge in this picture was designed by a man. Who trained him?", OLD, "Q10"),
    ("The lighthouse seen here was designed by a man. In which year was he born?", NORTH, (1812,)),
    ("This painting was painted by a woman. Which town was her birthplace?", STILL, "Q9"),
    ("Who designed the lighthouse that is in the same district as this one?", NORTH, "Q10"),
    ("Who drew up the plans for the Plain Style lighthouse in Low District?", OLD, "Q10"),
    ("Who drew up the plans for the 1868 lighthouse in Low District?", OLD, "Q2"),
    ("How long, in kilometres, is the river this bridge crosses?", OLD, Number(90.0, "Q828224")),
    (
        "What is the area, in square kilometres, of the district where this lighthouse is?",
        NORTH,
        Number(325.0, "Q712226"),
    ),
    ("Whose work is this painting?", STILL, "Q10"),
    ("Who painted this?", STILL, "Q10"),
    ("Who painted this picture?", STILL, "Q10"),
    ("Whose name does this bridge bear?", OLD, "Q2"),
    ("Who was the first to describe the Vell wren?", OLD, "Q10"),
    ("Who was born in the town of which nothing is said?", OLD, None),
    ("In which year was the place beyond all grammar whatever?", OLD, None),
]


@pytest.mark.parametrize(("text", "picture", "answer"), QUESTIONS)
def test_a_question_has_the_answer_that_a_person_finds_in_the_truth(reader, text, picture, answer):
    finding, reading = judge_text(reader, text, picture, answer)
    if answer is None:
        assert finding == Finding.UNREAD
    else:
        assert finding == Finding.GOOD, reading


def test_two_things_that_fit_the_words_make_the_certificate_false(tmp_path):
    second = thing("Q18", "lighthouse", "East Light", ("P84", "Q2"), ("P571", "time:+1871/9"))
    reader = Reader(Truth(write_tiny_world(tmp_path / "w", [*THINGS, second])))
    text = "In which year was the lighthouse designed by the architect of the bridge in the picture built?"
    assert judge_text(reader, text, OLD, (1868,))[0] == Finding.NOT_UNIQUE
    assert judge_text(reader, text, OLD, (1700,))[0] == Finding.WRONG


def test_a_name_that_two_people_bear_stands_for_both(reader):
    assert (
        judge_text(reader, "In which year was Ansgar Mersk born?", OLD, (1780,))[0]
        == Finding.NOT_UNIQUE
    )


def test_designed_by_means_ships_and_buildings_alike(tmp_path):
    ship = {
        **thing("Q18", "bridge", "Swift", ("P287", "Q2")),
        "class_labels": ["steamship", "ship"],
    }
    reader = Reader(Truth(write_tiny_world(tmp_path / "w", [*THINGS, ship])))
    assert (
        judge_text(
            reader, "Which steamship was designed by the person in the picture?", IVO, "Q18"
        )[0]
        == Finding.GOOD
    )


def test_a_genus_is_no_species(reader):
    text = "In which year was the species to which the species discovered by Runa Feld belongs discovered?"
    assert judge_text(reader, text, OLD, (1800,))[0] in (Finding.NONE, Finding.UNREAD)


def test_what_is_in_a_town_is_in_its_district(reader):
    text = "Which arch bridge is in Low District?"
    assert judge_text(reader, text, OLD, "Q1")[0] == Finding.GOOD
    assert judge_text(reader, text, OLD, "Q1", beyond=False)[0] == Finding.NONE


def test_behind_the_year_on_its_plaque_the_subject_says_what_its_means(tmp_path):
    """Not the bridge, whose plaque gives a year too."""
    things = [
        {**t, "details": [plaque("north.jpg", "1875")]} if t["label"] == "North Light" else t
        for t in THINGS
    ]
    reader = Reader(Truth(write_tiny_world(tmp_path / "w", things)))
    text = "This bridge was designed by a man who designed a lighthouse. How many years before the year on its plaque was that lighthouse built?"
    assert judge_text(reader, text, OLD, Number(7.0))[0] == Finding.GOOD


def test_one_other_is_not_the_one_spoken_of(reader):
    text = "The lighthouse in the picture is in a district that is also home to one other lighthouse. Who designed the other lighthouse?"
    assert judge_text(reader, text, NORTH, "Q10")[0] == Finding.GOOD


def test_the_same_as_stands_for_a_second_thing(reader):
    text = (
        "Who designed the lighthouse that is in the same district as the lighthouse in the picture?"
    )
    assert judge_text(reader, text, NORTH, "Q10")[0] == Finding.GOOD


@pytest.mark.parametrize(
    ("text", "picture", "answer"),
    [
        ("This bridge crosses a river. How many kilometres long is the river?", OLD, 90.0),
        ("This painting was painted by a person. Her picture shows a year. How many years later did she die?", STILL, None),
        ("Which bridge that crosses the Vell was built in 1850?", NORTH, "Q1"),
        ("A person designed this bridge. He also designed a lighthouse. Who designed the lighthouse?", OLD, "Q2"),
        ("Ivo Mersk's teacher painted this painting. In which town was Ivo Mersk's teacher born?", STILL, "Q9"),
        ("How many years older than the architect of this bridge was his teacher?", OLD, 22.0),
        ("This lighthouse lies in a district. How many square kilometres does the district cover?", NORTH, 325.0),
    ],
)  # fmt: skip
def test_what_the_graph_writer_says_is_understood(reader, text, picture, answer):
    finding, _ = judge_text(
        reader, text, picture, Number(answer) if isinstance(answer, float) else answer
    )
    assert finding == (Finding.NONE if answer is None else Finding.GOOD)


def test_the_thing_is_one_that_was_told_of(reader):
    text = "This bridge crosses a river. How many kilometres long is the lighthouse?"
    assert judge_text(reader, text, OLD, Number(90.0))[0] != Finding.GOOD


def test_she_means_the_subject_of_the_last_sentence(reader):
    """Not the architect, who may be a woman too."""
    text = "A woman trained the architect of this bridge. In which town was she born?"
    assert judge_text(reader, text, OLD, "Q9")[0] == Finding.GOOD
    man = "A man trained the architect of this bridge. In which town was he born?"
    assert judge_text(reader, man, OLD, "Q4")[0] != Finding.GOOD


def test_he_means_the_owner_of_the_portrait_in_the_sentence_before(tmp_path):
    """Not the man of this picture, who was mentioned last but one."""
    teacher = thing(
        "Q10",
        "person",
        "Runo Feld",
        ("P570", "time:+1861/9"),
        ("P21", "Q6581097"),
        pictures=("runo.jpg",),
        details=(plaque("runo.jpg", "1850"),),
    )
    things = [teacher if t["id"] == "Q10" else t for t in THINGS]
    reader = Reader(Truth(write_tiny_world(tmp_path / "w", things)))
    text = "A man trained this man. That other man's portrait bears a year. How many years later did he die?"
    finding, _ = judge_text(reader, text, IVO, Number(11.0))
    assert finding == Finding.GOOD


def test_a_third_thing_differs_from_both_before(reader):
    text = "This lighthouse is in a district. Another lighthouse is in the district. {} lighthouse is in the district. Who designed it?"
    assert judge_text(reader, text.format("A third"), NORTH, "Q10")[0] == Finding.NONE


def test_this_thing_is_of_the_kind_that_it_is_called(reader):
    assert judge_text(reader, "Who designed this bridge?", OLD, "Q2")[0] == Finding.GOOD
    assert judge_text(reader, "Who designed this lighthouse?", OLD, "Q2")[0] == Finding.NONE
    assert (
        judge_text(reader, "Who trained this lighthouse's architect?", OLD, "Q10")[0]
        == Finding.NONE
    )


def test_this_one_is_not_the_one_that_it_is_compared_with(reader):
    assert (
        judge_text(
            reader,
            "Who trained the architect of the lighthouse designed by the architect of this one?",
            NORTH,
            "Q10",
        )[0]
        == Finding.NONE
    )


def test_he_is_no_woman_and_she_no_man(reader):
    assert (
        judge_text(
            reader, "The bridge in this picture was designed by a man. Who trained her?", OLD, "Q10"
        )[0]
        == Finding.NONE
    )
    assert (
        judge_text(
            reader, "This painting was painted by a man. In which town was he born?", STILL, "Q9"
        )[0]
        == Finding.NONE
    )


def test_a_style_and_a_year_before_a_noun_hold_for_it(tmp_path, reader):
    text = "Who designed the Plain Style lighthouse in Low District?"
    assert (
        judge_text(reader, "Who designed the Plain Style lighthouse built in 1868?", OLD, "Q2")[0]
        == Finding.NONE
    )
    assert (
        judge_text(reader, "Who designed the 1870 lighthouse in Low District?", OLD, "Q2")[0]
        == Finding.GOOD
    )  # opened then
    second = thing(
        "Q18", "lighthouse", "East Light", ("P84", "Q2"), ("P149", "Q301"), ("P131", "Q6")
    )
    assert (
        judge_text(
            Reader(Truth(write_tiny_world(tmp_path / "w", [*THINGS, second]))), text, OLD, "Q10"
        )[0]
        == Finding.NOT_UNIQUE
    )


def test_whoever_is_named_after_a_thing_is_its_namesake_too(tmp_path):
    child = thing("Q18", "person", "Old Bridge", ("P138", "Q1"), ("P1066", "Q17"))
    reader = Reader(Truth(write_tiny_world(tmp_path / "w", [*THINGS, child])))
    assert (
        judge_text(reader, "Who trained this bridge's namesake?", OLD, "Q10")[0]
        == Finding.NOT_UNIQUE
    )


def test_a_plaque_on_another_picture_cannot_be_read(tmp_path):
    bridge = {
        **THINGS[0],
        "pictures": ["old.jpg", "back.jpg"],
        "details": [plaque("back.jpg", "1851")],
    }
    reader = Reader(Truth(write_tiny_world(tmp_path / "w", [bridge, *THINGS[1:]])))
    assert (
        judge_text(
            reader, "What year is given on the plaque on the bridge in the picture?", OLD, (1851,)
        )[0]
        == Finding.NONE
    )


def test_a_reading_that_leaves_a_noun_undetermined_is_not_held_against_a_question(reader):
    text = "Who was the father of the person who was taught by the person who painted the painting in the picture?"
    assert judge_text(reader, text, STILL, "Q3")[0] == Finding.GOOD


def test_tokens_keep_marks_within_words_and_numbers():
    assert tokens("Is “St. Ivo's, Karsk” 1,250.5 metres?") == (
        "Is",
        "“",
        "St",
        ".",
        "Ivo's",
        ",",
        "Karsk",
        "”",
        "1,250.5",
        "metres",
        "?",
    )


def test_values_are_read_from_their_keys():
    assert literal_of("time:+1832-05/10") == (1832, 5, 0)
    assert literal_of("time:-0044/9") == (-44, 0, 0)
    assert literal_of("time:+1800/7") is None
    assert literal_of("string::No. 5") == Text("No. 5")
    assert literal_of("coordinate:1,2") is None


def test_before_a_year_excludes_all_of_it():
    assert not matches((1832, 5, 1), "<", (1832, 0, 0))
    assert matches((1832, 5, 1), "=", (1832, 0, 0))
    assert matches((1831, 0, 0), "<", (1832, 0, 0))
    assert not matches(Number(3.0, "Q11573"), "=", Number(3.0, "Q3710"))


def test_a_relation_turned_twice_is_itself():
    for relation in (">P84 >P287", "@in", "@hq^", ">P403 <P974"):
        assert inverse(inverse(relation)) == relation
