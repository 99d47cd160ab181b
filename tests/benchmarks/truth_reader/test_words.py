"""Each construction of questions' English, in a true question and in one that the world makes
untrue: the tiny world with waters, mountains, films, children and a yard.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from tiny_world import THINGS, plaque, thing, write_tiny_world

from benchmarks.truth_reader.judge import Finding, judge_text
from benchmarks.truth_reader.reader import Reader
from benchmarks.truth_reader.world import Number, Truth

GOOD, NONE, UNREAD, WRONG = Finding.GOOD, Finding.NONE, Finding.UNREAD, Finding.WRONG
MEN, WOMEN, PLAIN = ("P21", "Q6581097"), ("P21", "Q6581072"), ("P149", "Q301")


def some(id_: str, classes: str, label: str, *claims, year: str = "") -> dict:
    """A thing of the classes; if a year is given, its picture shows it."""
    name = f"{id_}.jpg"
    kind = "person" if classes == "person" else "taxon"
    said = thing(id_, kind, label, *claims, pictures=(name,))
    details = [plaque(name, year)] if year else []
    return {**said, "class_labels": classes.split(", "), "details": details}


def more(id_: str, *claims, year: str = "") -> dict:
    """A thing of the tiny world with further claims, and a picture of its own."""
    old = next(t for t in THINGS if t["id"] == id_)
    new = some(id_, "x", old["label"], *claims, year=year)
    kept = {"claims": old["claims"] + new["claims"], "pictures": old["pictures"] + new["pictures"]}
    return {**old, **kept, "details": old["details"] + new["details"]}


WORLD = [
    more("Q2", ("P53", "Q36")),
    more("Q4", ("P206", "Q5"), ("P1376", "Q6")),
    more("Q5", ("P885", "Q23")),
    more("Q10", ("P570", "time:+1861/9"), year="1852"),
    more("Q11", ("P1071", "Q4")),
    more("Q13", year="1905"),
    more("Q14", ("P171", "Q26")),
    more("Q15", ("P189", "Q22")),
    some("Q20", "mountain", "Grey Horn", ("P206", "Q21")),
    some("Q21", "lake", "Lake Ilm", ("P4511", "quantity:97:Q11573")),
    some("Q22", "river", "Sarn", ("P885", "Q20"), ("P403", "Q5"), ("P2043", "quantity:18:Q828224")),
    some("Q23", "mountain", "Tall Horn"),
    some("Q24", "bridge", "Iron Bridge", ("P177", "Q5"), PLAIN, ("P1619", "time:+1878-12-09/11"),
         ("P88", "Q33"), year="1900"),
    some("Q25", "bridge", "Low Bridge", ("P177", "Q22"), PLAIN, ("P88", "Q33"), ("P84", "Q2")),
    some("Q26", "taxon", "bird"),
    some("Q27", "film", "The Dam", ("P577", "time:+1851/9"), ("P57", "Q33"), ("P2047", "quantity:89:Q7727")),
    some("Q28", "biography", "A Life", ("P577", "time:+1852/9")),
    some("Q29", "painting", "Harvest", ("P170", "Q10"), ("P195", "Q13"), ("P276", "Q13"), ("P1071", "Q4"),
         ("P180", "Q165"), ("P571", "time:+1833/9")),
    some("Q30", "painting", "Winter", ("P170", "Q17"), ("P276", "Q34"), ("P1071", "Q4")),
    some("Q31", "schooner, ship", "Swift", ("P176", "Q32")),
    some("Q32", "shipyard, business", "Karsk Yard", ("P112", "Q2"), ("P108", "Q34")),
    some("Q33", "person", "Ida Mersk", WOMEN, ("P22", "Q2"), ("P53", "Q36"), ("P569", "time:+1840-02-01/11"),
         ("P570", "time:+1900/9"), year="1899"),
    some("Q34", "museum", "Karsk Museum", ("P131", "Q4")),
    some("Q35", "person", "Olaf Mersk", MEN, ("P22", "Q2"), ("P569", "time:+1842-02-01/11"),
         ("P570", "time:+1910/9")),
    some("Q36", "family", "Mersk family"),
]  # fmt: skip


def read(folder: Path, *changed: dict) -> Reader:
    things = {t["id"]: t for t in (*THINGS, *WORLD, *changed)}
    return Reader(Truth(write_tiny_world(folder / "w", list(things.values()))))


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return read(tmp_path_factory.mktemp("world"))


WORDS = [
    # films and books that come out
    ("A film came out in the year given on this bridge's plaque. How many minutes does that film last?", "old", Number(89.0, "Q7727"), GOOD),
    ("A film came out in the year given on this bridge's plaque. How many minutes does that film last?", "Q24", Number(89.0, "Q7727"), NONE),
    ("Which biography came out in the year written on the portrait of this bird's discoverer?", "Q15", "Q28", GOOD),
    ("Which biography came out in the year written on this bird's discoverer's portrait?", "Q15", "Q28", GOOD),
    ("Which film came out in the year written on the portrait of this bird's discoverer?", "Q15", "Q27", NONE),
    # beside a lake, from both sides
    ("How many metres deep is the lake beside this mountain?", "Q20", Number(97.0, "Q11573"), GOOD),
    ("How many metres deep is the lake beside this mountain?", "Q23", Number(97.0, "Q11573"), NONE),
    ("Which lake lies beside the mountain where this river rises?", "Q22", "Q21", GOOD),
    ("Which mountain stands beside this lake?", "Q21", "Q20", GOOD),
    ("Which river rises on the mountain beside this lake?", "Q21", "Q22", GOOD),
    ("Which lake stands beside this mountain?", "Q20", "Q21", NONE),
    # across
    ("On what date did the Plain Style bridge across this river open?", "Q5", (1878, 12, 9), GOOD),
    ("On what date did the Plain Style bridge across this river open?", "Q22", (1878, 12, 9), NONE),
    ("A woman commissioned the Plain Style bridge across the same river as this bridge. On what date did that bridge open?", "old", (1878, 12, 9), GOOD),
    ("A woman commissioned the Plain Style bridge across the same river as this bridge. On what date did that bridge open?", "Q24", (1878, 12, 9), NONE),
    ("This bridge crosses a river. Which Plain Style bridge crosses that river?", "old", "Q24", GOOD),
    ("This bridge crosses a river. Which Plain Style bridge crosses that river?", "Q25", "Q24", WRONG),
    # sources and towns
    ("Which mountain is the source of the river where this bird was discovered?", "Q15", "Q20", GOOD),
    ("Which lake is the source of the river where this bird was discovered?", "Q15", "Q21", NONE),
    ("Which river flows past the birthplace of this bridge's architect?", "old", "Q5", GOOD),
    ("Which river flows past the birthplace of this bridge's architect?", "Q16", "Q5", NONE),
    # the first one
    ("This bridge crosses a river. Another river empties into the first one. On which mountain does the second river rise?", "old", "Q20", GOOD),
    ("This bridge crosses a river. Another river empties into the first one. On which mountain does the second river rise?", "Q25", "Q20", NONE),
    ("A bridge crosses this river. How many kilometres long is the first one?", "Q5", Number(90.0, "Q828224"), UNREAD),
    ("The Karsk Museum holds a painting. Which other painting made in the town where the first one was made shows the sea?", "old", "Q29", GOOD),
    ("The Karsk Museum holds a painting. Which other painting by the person who painted the first one shows the sea?", "old", "Q29", NONE),
    # without "other", only one painting was mentioned
    ("The Karsk Museum holds a painting. Which painting made in the town where the first one was made shows the sea?", "old", "Q29", UNREAD),
    # other, behind which
    ("Ida Mersk commissioned this bridge. Which other Plain Style bridge did she commission?", "Q25", "Q24", GOOD),
    ("Ida Mersk commissioned this bridge. Which other Plain Style bridge did she commission?", "old", "Q24", NONE),
    # also: a different thing
    ("A museum holds this painting. The museum also holds a painting by Runa Feld. In which year was that painting made?", "still", (1833,), GOOD),
    ("A museum holds this painting. The museum also holds a painting by Runa Feld. In which year was the second painting made?", "still", (1833,), GOOD),
    ("A museum holds this painting. The museum also holds a painting by Runa Feld. In which year was that painting made?", "Q29", (1833,), NONE),
    # years of one thing, and of a portrait
    ("This painting hangs in a museum. How many years passed between that museum's opening and the year on its plaque?", "still", Number(5.0), GOOD),
    ("This painting hangs in a museum. How many years lie between that museum's opening and the year on its plaque?", "still", Number(5.0), GOOD),
    ("This painting hangs in a museum. How many years passed between that museum's opening and the year on its plaque?", "Q30", Number(5.0), NONE),
    ("A museum holds this painting. The portrait of this painting's artist bears a year. How many years later did she die?", "still", Number(9.0), GOOD),
    ("A museum holds this painting. The portrait of this painting's artist bears a year. How many years later did he die?", "still", Number(9.0), NONE),
    # years before and after are not the same
    ("How many years before this bridge's architect was his teacher born?", "old", Number(22.0), GOOD),
    ("How many years after this bridge's architect was his teacher born?", "old", Number(22.0), NONE),
    ("How many years younger than the architect of this bridge was his teacher?", "old", Number(22.0), NONE),
    # one of several
    ("One of this man's daughters died in 1900. On what date was she born?", "ivo", (1840, 2, 1), GOOD),
    ("One of this man's daughters died in 1910. On what date was she born?", "ivo", (1842, 2, 1), NONE),
    ("One of this man's sons died in 1910. On what date was he born?", "ivo", (1842, 2, 1), GOOD),
    ("On what date was this man's daughter born?", "ivo", (1840, 2, 1), GOOD),
    # the yard behind its ship
    ("On what date did the founder of the shipyard that built this schooner die?", "Q31", (1880, 5, 2), GOOD),
    ("On what date did the founder of the shipyard that built this schooner die?", "Q32", (1880, 5, 2), NONE),
    # he is a person whom nothing calls a woman
    ("An architect came from this woman's family. How old did he turn in the year the lighthouse he designed was first lit?", "Q33", Number(58.0), GOOD),
    ("An architect came from this woman's family. How old did she turn in the year the lighthouse she designed was first lit?", "Q33", Number(58.0), NONE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "picture", "answer", "finding"), WORDS)
def test_words_hold_where_the_world_makes_them_true(reader, text, picture, answer, finding):
    found, reading = judge_text(reader, text, frozenset({f"{picture}.jpg"}), answer)
    assert found == finding, reading


@pytest.mark.parametrize(
    ("text", "picture", "answer", "second"),
    [
        ("Which mountain stands beside this lake?", "Q21", "Q20",
         some("Q40", "mountain", "Far Horn", ("P206", "Q21"))),
        ("Who designed the Plain Style bridge across this river?", "Q22", "Q2",
         some("Q40", "bridge", "New Bridge", ("P177", "Q22"), PLAIN, ("P84", "Q10"))),
        ("One of this man's daughters died in 1900. On what date was she born?", "ivo", (1840, 2, 1),
         some("Q40", "person", "Eva Mersk", WOMEN, ("P22", "Q2"), ("P569", "time:+1850-02-01/11"),
              ("P570", "time:+1900/9"))),
        ("A museum holds this painting. The museum also holds a painting by Runa Feld. In which year was that painting made?", "still", (1833,),
         some("Q40", "painting", "Spring", ("P170", "Q10"), ("P195", "Q13"), ("P571", "time:+1840/9"))),
    ],
)  # fmt: skip
def test_a_second_thing_that_fits_the_words_is_an_answer_too(
    tmp_path, text, picture, answer, second
):
    found, reading = judge_text(read(tmp_path, second), text, frozenset({f"{picture}.jpg"}), answer)
    assert found == Finding.NOT_UNIQUE, reading
