"""Each construction of questions' English, in a true question and in one that the world makes
untrue: the tiny world with waters, mountains, films, children and a yard.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from wide_world import MEN, PLAIN, WOMEN, read, some

from benchmarks.truth_reader.judge import Finding, judge_text
from benchmarks.truth_reader.world import Number

GOOD, NONE, UNREAD, WRONG = Finding.GOOD, Finding.NONE, Finding.UNREAD, Finding.WRONG


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
    # the deaths of two: "her" is the first of them
    ("How many years passed between the deaths of the teacher of this bridge's architect and her husband?", "old", Number(6.0), GOOD),
    ("How many years passed between the deaths of the teacher of this bridge's architect and his wife?", "old", Number(6.0), NONE),
    ("How many years passed between the deaths of this bridge's architect and her husband?", "old", Number(6.0), NONE),
    ("How many years passed between the births of the woman who trained this bridge's architect and her father?", "old", Number(30.0), GOOD),
    ("How many years passed between the births of the woman who commissioned this bridge and her father?", "Q24", Number(28.0), GOOD),
    ("How many years passed between the births of the woman who commissioned this bridge and her father?", "old", Number(30.0), NONE),
    ("How many years passed between the deaths of the teacher of this bridge's architect and her father?", "old", Number(30.0), NONE),
    # "his" before its noun
    ("How many years after her husband did this painting's artist die?", "still", Number(6.0), GOOD),
    ("How many years before her husband did this painting's artist die?", "still", Number(6.0), NONE),
    ("By how many years did this painting's artist outlive her husband?", "still", Number(6.0), GOOD),
    ("By how many years did the husband of this painting's artist outlive her?", "still", Number(6.0), NONE),
    ("How many years after his wife did this painting's artist die?", "still", Number(6.0), NONE),
    ("How many years after her father was this man's teacher born?", "ivo", Number(30.0), GOOD),
    ("How many years after his father was this man's teacher born?", "ivo", Number(30.0), NONE),
    ("How many years younger than her father was this bridge's architect?", "old", Number(32.0), NONE),
    ("How many years younger than his father was this bridge's architect?", "old", Number(32.0), GOOD),
    ("A woman trained this man. How many years after his father was she born?", "ivo", Number(10.0), GOOD),
    ("A woman trained this man. How many years after her father was he born?", "ivo", Number(52.0), GOOD),
    ("A woman trained this man. How many years after her father was this man born?", "ivo", Number(52.0), GOOD),
    # not this man's father, though the other man has none
    ("A man trained this man. How many years after his father was that other man born?", "Q35", Number(8.0), NONE),
    ("A man taught this sailor. How many years after his father did the sailor die?", "Q41", Number(25.0), GOOD),
    # occupations
    ("A sailor came from the family that commissioned this church. How many years after his father did the sailor die?", "Q46", Number(25.0), GOOD),
    ("A sailor came from the family that commissioned this church. How many years after her father did the sailor die?", "Q46", Number(25.0), NONE),
    ("A sailor came from the family that commissioned this church. How many years after his father did the sailor die?", "Q49", Number(25.0), NONE),
    ("Who trained the sailor from the family that commissioned this church?", "Q46", "Q3", GOOD),
    ("Who trained the geologist from the family that commissioned this church?", "Q46", "Q3", NONE),
    ("The geologist employed by the same museum as this man discovered a mineral. "
     "How many years passed between the discovery of that mineral and her death?", "Q56", Number(20.0), GOOD),
    ("The geologist employed by the same museum as this man discovered a mineral. "
     "How many years passed between the discovery of that mineral and his death?", "Q56", Number(20.0), NONE),
    ("The sailor employed by the same museum as this man discovered a mineral. "
     "How many years passed between the discovery of that mineral and her death?", "Q56", Number(20.0), NONE),
    ("This painting hangs in a museum. Which geologist worked for that museum?", "still", "Q54", GOOD),
    ("This painting hangs in a museum. Which geologist worked for that museum?", "Q30", "Q54", NONE),
    ("This painting hangs in a museum. A military officer worked for that museum. In which year did he die?", "Q30", (1871,), GOOD),
    ("This painting hangs in a museum. A military officer worked for that museum. In which year did he die?", "still", (1871,), NONE),
    ("A sailor came from the family that commissioned this church. In which year did the sailor's father die?", "Q46", (1830,), GOOD),
    ("A sailor came from the family that commissioned this church. In which year did the sailor's mother die?", "Q46", (1830,), NONE),
    # there is
    ("This man was born in a town. There is a museum in that town. Which military officer worked for it?", "ivo", "Q58", GOOD),
    ("This man was born in a town. There is a church in that town. Which military officer worked for it?", "ivo", "Q58", NONE),
    # "that" is the year just told
    ("This woman directed a film. "
     "The portrait of that film's director bears a year. How many years after the birth of the director is that?", "Q33", Number(59.0), GOOD),
    ("This woman directed a film. "
     "The portrait of that film's director bears a year. How many years after the director's birth is that year?", "Q33", Number(59.0), GOOD),
    ("This woman directed a film. "
     "The portrait of that film's director bears a year. How many years before the birth of the director is that?", "Q33", Number(59.0), NONE),
    ("This woman directed a film. The portrait of that film's director bears a year. How many years before her death is that?", "Q33", Number(1.0), GOOD),
    ("This woman directed a film. How many years after the birth of the director is that?", "Q33", Number(59.0), UNREAD),
    # where a treaty was signed, where an observatory stands
    ("This man was born in a town where a treaty was signed. In which year was that treaty signed?", "ivo", (1866,), GOOD),
    ("This painting was made by a woman who was born in a town where a treaty was signed. In which year was that treaty signed?", "still", (1866,), NONE),
    ("This river rises on a mountain where an observatory stands. "
     "How many years passed between that observatory's construction and the death of Ivo Mersk?", "Q5", Number(5.0), GOOD),
    ("This river rises on a mountain where an observatory stands. "
     "How many years passed between that observatory's construction and the death of Ivo Mersk?", "Q22", Number(5.0), NONE),
    # the same as of a thing before
    ("This church was commissioned by a family. A chapel is dedicated to the same saint. In which year was that chapel built?", "Q46", (1700,), GOOD),
    ("This church was commissioned by a family. A chapel is dedicated to the same saint. In which year was that chapel built?", "Q49", (1700,), NONE),
    ("This painting hangs in a museum. A painting by the same artist shows the sea. In which year was that painting made?", "still", (1833,), GOOD),
    ("This painting hangs in a museum. A painting by the same artist shows the sea. In which year was that painting made?", "Q30", (1833,), NONE),
    ("This painting hangs in a museum. A painting by the same artist shows the sea. In which year was that painting made?", "Q29", (1833,), NONE),
    ("Which painting made in the same town as this one shows the sea?", "Q30", "Q29", GOOD),
    ("Which painting made in the same town as this one shows the sea?", "Q29", "Q29", NONE),
    # tributaries, paintings kept in a museum, two years
    ("The river beneath this bridge has a tributary. On which mountain does the tributary rise?", "old", "Q20", GOOD),
    ("The river beneath this bridge has a tributary. On which mountain does the tributary rise?", "Q25", "Q20", NONE),
    ("A painting by this woman is in the Orla Museum. In which year was that painting made?", "Q33", (1880,), GOOD),
    ("A painting by this woman is in the Karsk Museum. In which year was that painting made?", "Q33", (1880,), NONE),
    ("A woman painted this painting. "
     "The painting hangs in a museum. How many years passed between her birth and the opening of that museum?", "still", Number(110.0), GOOD),
    ("A woman painted this painting. "
     "The painting hangs in a museum. How many years passed between his birth and the opening of that museum?", "still", Number(110.0), NONE),
    # years that separate one from the other
    ("This painting hangs in a museum. How many years separate that museum's opening from the year on its plaque?", "still", Number(5.0), GOOD),
    ("This painting hangs in a museum. How many years separate that museum's opening from the year on its plaque?", "Q30", Number(5.0), NONE),
    ("How many years separate the birth of this painting's artist from the year on her portrait?", "still", Number(62.0), GOOD),
    ("How many years separate the birth of this painting's artist from the year on his portrait?", "still", Number(62.0), NONE),
    ("How many years separate the births of the woman who trained this bridge's architect and her father?", "old", Number(30.0), GOOD),
    ("How many years separate the births of the woman who trained this bridge's architect and his father?", "old", Number(30.0), WRONG),
    # somebody's occupation, family and commission
    ("This man worked for a museum. A woman worked for that museum. She was a geologist. In which year did she die?", "Q56", (1890,), GOOD),
    ("This man worked for a museum. A woman worked for that museum. She was a sailor. In which year did she die?", "Q56", (1890,), NONE),
    ("This man worked for a museum. A woman worked for that museum. She was a museum. In which year did she die?", "Q56", (1890,), UNREAD),
    ("A woman from this man's family died in 1900. On what date was she born?", "ivo", (1840, 2, 1), GOOD),
    ("A woman from this man's family died in 1910. On what date was she born?", "ivo", (1840, 2, 1), NONE),
    ("This church was commissioned by a family. Which sailor came from that family?", "Q46", "Q41", GOOD),
    ("This church was commissioned by a family. Which geologist came from that family?", "Q46", "Q41", NONE),
    ("A Plain Style bridge crosses this river. On what date was the woman who commissioned that bridge born?", "Q22", (1840, 2, 1), GOOD),
    ("A Plain Style bridge crosses this river. On what date was the man who commissioned that bridge born?", "Q22", (1840, 2, 1), NONE),
    ("Which painting in the Orla Museum was painted by this woman?", "Q33", "Q59", GOOD),
    ("Which painting in the Karsk Museum was painted by this woman?", "Q33", "Q59", NONE),
    # he is a person whom nothing calls a woman
    ("An architect came from this woman's family. How old did he turn in the year the lighthouse he designed was first lit?", "Q33", Number(58.0), GOOD),
    ("An architect came from this woman's family. How old did she turn in the year the lighthouse she designed was first lit?", "Q33", Number(58.0), NONE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "picture", "answer", "finding"), WORDS)
def test_words_hold_where_the_world_makes_them_true(reader, text, picture, answer, finding):
    found, reading = judge_text(reader, text, frozenset({f"{picture}.jpg"}), answer)
    assert found == finding, reading


def test_her_may_mean_either_of_two_women(tmp_path):
    widow = [("P26", "Q60"), WOMEN, ("P569", "time:+1812/9"), ("P570", "time:+1880/9")]
    architect = some("Q2", "person", "Iva Mersk", ("P1066", "Q10"), *widow)
    husband = some("Q60", "person", "Tor Mersk", MEN, ("P570", "time:+1850/9"))
    text = "How many years passed between the deaths of the teacher of this bridge's architect and her husband?"
    found, _ = judge_text(
        read(tmp_path, architect, husband), text, frozenset({"old.jpg"}), Number(6.0)
    )
    assert found == Finding.AMBIGUOUS


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
