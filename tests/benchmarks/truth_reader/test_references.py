"""What words that refer back mean: "its", "she", "the painting in that museum", "the same saint".
Each rule has a question that it makes true and one that it still refuses.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from tiny_world import THINGS as TINY
from wide_world import MEN, WOMEN, WORLD, more, read, some

from benchmarks.truth_reader.judge import Finding, judge_text
from benchmarks.truth_reader.query import Related
from benchmarks.truth_reader.world import Number

GOOD, NONE, UNREAD, WRONG = Finding.GOOD, Finding.NONE, Finding.UNREAD, Finding.WRONG
AMBIGUOUS, NOT_UNIQUE = Finding.AMBIGUOUS, Finding.NOT_UNIQUE

BIRTH = "How many years passed between the birth of {} and its {}?"
SAME_RIVER = "A Plain Style bridge crosses the same river as this one. "
NOON = "A museum houses a painting by this woman. "
TWO = "A painting by this woman is in a museum. A painting by Runa Feld is in that museum. "
EMPLOYED = "A man trained this man. That other man worked for a museum. "
SHE = "A woman was influenced by this woman. That other woman was trained by a woman. "
GEOLOGIST = "A geologist worked for the same museum as this man's mother. "
ARCHES = "This arch bridge crosses a river. Another arch bridge crosses that river. "

INTO = "The river crossed by this bridge empties into {} river. "
CAPITAL = "The home town of this shipyard is the capital of a district. "
MOTHER = "This man's mother was born in 1810. {}In which year did the geologist who worked for the museum that employed her die?"
NAMESAKE = "This schooner is named after a man. "
ULF = "A chapel dedicated to the same saint as this church is in a town. "
YARD = "A schooner was built by a shipyard founded by this man. "


def grown(id_: str, *claims, year: str = "") -> dict:
    """A thing of the wide world with further claims, and a picture of its own."""
    return more(id_, *claims, year=year, among=WORLD + TINY)


THINGS = [
    some("Q60", "bridge", "Ford Bridge", ("P177", "Q22")),
    grown("Q25", ("P571", "time:+1862/9")),
    some("Q61", "person", "Una Vik", WOMEN, ("P737", "Q33"), ("P1066", "Q10"), ("P22", "Q3"), ("P569", "time:+1850/9")),
    some("Q62", "person", "Arne Dahl", MEN, ("P108", "Q13"), ("P569", "time:+1825/9"), ("P27", "Q68")),
    grown("Q35", ("P25", "Q63")),
    some("Q63", "person", "Liv Mersk", WOMEN, ("P108", "Q13"), ("P569", "time:+1810/9")),
    grown("Q54", ("P569", "time:+1850/9"), year="1888"),
    some("Q64", "flood", "Sarn flood", ("P276", "Q22"), ("P1120", "quantity:62:")),
    some("Q65", "island", "Ilm Holm"),
    some("Q66", "shipwreck", "Loss of the Swift", ("P276", "Q65")),
    some("Q67", "mountain range", "The Horns"),
    grown("Q20", ("P4552", "Q67")),
    grown("Q27", ("P915", "Q65")),
    grown("Q28", ("P921", "Q58"), ("P50", "Q41")),
    some("Q75", "chapel", "Ulf Chapel", ("P131", "Q4"), ("P825", "Q50")),
    some("Q74", "schooner, ship", "Eli", ("P138", "Q58"), ("P84", "Q2")),
    grown("Q32", ("P159", "Q4"), ("P571", "time:+1860/9")),
    some("Q68", "sovereign state", "Norland"),
    grown("Q2", ("P27", "Q68")),
    grown("Q10", ("P27", "Q68")),
    some("Q69", "arch bridge, bridge", "High Bridge", ("P177", "Q5"), ("P84", "Q10")),
    grown("Q22", ("P469", "Q21")),
    grown("Q6", ("P36", "Q4")),
    grown("Q55", ("P189", "Q23")),
    grown("Q30", ("P571", "time:+1801/9")),
    some("Q70", "museum", "Sarn Museum", ("P84", "Q2")),
    some("Q71", "painting", "Dusk", ("P170", "Q41"), ("P195", "Q70"), ("P1071", "Q9")),
    some("Q72", "person", "Tuva Lie", WOMEN, ("P106", "Q53"), ("P108", "Q34"), ("P570", "time:+1899/9")),
    grown("Q31", ("P729", "time:+1866/9")),
    some("Q73", "art movement", "Vell School"),
    grown("Q41", ("P135", "Q73")),
]  # fmt: skip


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return read(tmp_path_factory.mktemp("world"), *THINGS)


WORDS = [
    # "its" after "that bridge" is that bridge's, not this one's
    (SAME_RIVER + "How many years passed between the opening of that bridge and the year on its plaque?", "old", Number(22.0), GOOD),
    (SAME_RIVER + "How many years passed between the opening of that bridge and the year on its plaque?", "old", Number(27.0), WRONG),
    (SAME_RIVER + BIRTH.format("that bridge's architect", "construction"), "Q60", Number(50.0), GOOD),
    (SAME_RIVER + BIRTH.format("that bridge's architect", "construction"), "Q24", Number(38.0), NONE),
    # a river has no construction; of two bridges, "its" is that of the subject
    ("This river is crossed by a Plain Style bridge. " + BIRTH.format("Runa Feld", "construction"), "Q22", Number(72.0), GOOD),
    ("This river rises on a mountain. " + BIRTH.format("Runa Feld", "construction"), "Q22", Number(72.0), NONE),
    ("A bridge crosses the same river as this one. " + BIRTH.format("Runa Feld", "construction"), "Q60", Number(72.0), GOOD),
    # "the painting in that museum" is the one told of, if one is; the museum has three
    (NOON + "In which year was the painting in that museum made?", "Q33", (1880,), GOOD),
    ("This man worked for a museum. In which year was the painting in that museum made?", "Q56", (1880,), NOT_UNIQUE),
    (NOON + "In which year was the painting in that museum that shows the sea made?", "Q33", (1833,), GOOD),
    (NOON + "In which year was the painting in that museum that shows the sea made?", "Q33", (1880,), WRONG),
    # two were told of with the same claim
    (TWO + "In which year was the painting in that museum made?", "Q33", (1833,), AMBIGUOUS),
    (TWO + "In which year was the painting in that museum made?", "Q33", (1880,), WRONG),
    (TWO + "In which year was the painting by this woman made?", "Q33", (1880,), GOOD),
    # a clause behind the verb belongs to the description; two men worked there
    (EMPLOYED + "In which year was the man born who worked for that museum?", "Q35", (1820,), GOOD),
    (EMPLOYED + "In which year was the man born who worked for the Orla Museum?", "Q35", (1820,), NOT_UNIQUE),
    # "she" is the subject of the sentence before, if the subject is a woman; "her" may be either
    (SHE + "In which year was she born?", "Q33", (1850,), GOOD),
    (SHE + "In which year was she born?", "Q33", (1790,), WRONG),
    (SHE + "In which year was her father born?", "Q33", (1760,), AMBIGUOUS),
    ("A woman trained this man. In which year was he born?", "ivo", (1812,), GOOD),
    (GEOLOGIST + "The geologist's portrait bears a year. How many years earlier was she born?", "Q35", Number(38.0), GOOD),
    (GEOLOGIST + "The geologist's portrait bears a year. How many years earlier was she born?", "Q35", Number(78.0), WRONG),
    (GEOLOGIST + "The geologist's portrait bears a year. How many years earlier was he born?", "Q35", Number(38.0), NONE),
    # "the second bridge" is an arch bridge too
    (ARCHES + "Who trained the architect of the first bridge?", "old", "Q10", GOOD),
    (ARCHES + "Who designed the second bridge?", "old", "Q10", GOOD),
    (ARCHES + "Who designed the third bridge?", "old", "Q10", UNREAD),
    # "that other river" is the one called "another river"
    (INTO.format("another") + "On which mountain does that other river rise?", "Q25", "Q23", GOOD),
    (INTO.format("another") + "On which mountain does that other river rise?", "Q25", "Q20", WRONG),
    (INTO.format("another") + "On which mountain does that other river rise?", "old", "Q23", NONE),
    (INTO.format("a") + "On which mountain does that other river rise?", "Q25", "Q23", AMBIGUOUS),
    # "it" is what can be so; of two such things it is the subject
    ("This bird was discovered at a river. On which mountain does it rise?", "Q15", "Q20", GOOD),
    ("This bird was discovered at a river. In which district is it?", "Q15", "Q6", NONE),
    (INTO.format("a") + "On which mountain does it rise?", "Q25", "Q20", GOOD),
    (INTO.format("a") + "On which mountain does it rise?", "Q25", "Q23", WRONG),
    ("This museum houses a painting made in Orla. Who painted it?", "Q70", "Q41", GOOD),
    ("This museum houses a painting made in Karsk. Who painted it?", "Q70", "Q41", NONE),
    # a museum is somebody's work too, a river is deep, and a town covers an area
    ("This museum houses a painting made in Orla. Whose work is it?", "Q70", "Q41", WRONG),
    ("This river flows through a lake. How many metres deep is that lake?", "Q22", Number(97.0, "Q11573"), GOOD),
    ("This river flows through a lake. How many metres deep is it?", "Q22", Number(97.0, "Q11573"), NONE),
    (CAPITAL + "How many square kilometres does that district cover?", "Q32", Number(325.0, "Q712226"), GOOD),
    (CAPITAL + "How many square kilometres does it cover?", "Q32", Number(325.0, "Q712226"), NONE),
    # a river may flow past a chapel
    (ULF + "Which river flows past that town?", "Q49", "Q5", GOOD),
    (ULF + "Which river flows past it?", "Q49", "Q5", NONE),
    # after "she", nobody says twice that the geologist worked there: "her" is the mother
    (MOTHER.format("She worked for a museum. "), "Q35", (1890,), GOOD),
    (MOTHER.format("She worked for a museum. "), "Q33", (1890,), NONE),
    (MOTHER.format(""), "Q35", (1890,), AMBIGUOUS),
    # "the shipyard" and "the schooner" were told of
    (YARD + "How many years after the shipyard's founding did the schooner enter service?", "ivo", Number(6.0), GOOD),
    (YARD + "How many years before the shipyard's founding did the schooner enter service?", "ivo", Number(6.0), NONE),
    (YARD + "How many years after the shipyard's founding did the schooner enter service?", "Q56", Number(6.0), NONE),
    (YARD + "How many years after the shipyard's founding did the schooner go into service?", "ivo", Number(6.0), GOOD),
    (YARD + "How many years after the shipyard's founding did the schooner go out of service?", "ivo", Number(6.0), UNREAD),
    ("A chapel bears a dedication to this church's saint. In which year was that chapel built?", "Q46", (1700,), GOOD),
    ("A chapel bears a dedication to this church's saint. In which year was that chapel built?", "Q49", (1700,), NONE),
    # nobody's biography is named by its author; a schooner has an architect, and he no biography
    (NAMESAKE + "How many years after his biography's publication did its author die?", "Q74", Number(3.0), GOOD),
    (NAMESAKE + "How many years after her biography's publication did its author die?", "Q74", Number(3.0), NONE),
    (NAMESAKE + "How many years after his biography's publication did its architect die?", "Q74", Number(28.0), NONE),
    # movements, and a year behind its bridge
    ("A sailor belonged to the Vell School. In which year did he die?", "old", (1855,), GOOD),
    ("A geologist belonged to the Vell School. In which year did he die?", "old", (1855,), NONE),
    ("To which artistic movement did this man belong?", "Q41", "Q73", GOOD),
    ("To which artistic movement did this man belong?", "Q56", "Q73", NONE),
    ("A woman commissioned a bridge built in 1862. Which river does that bridge cross?", "Q33", "Q22", GOOD),
    ("A man commissioned a bridge built in 1862. Which river does that bridge cross?", "Q33", "Q22", NONE),
    # from one family, or from one country
    ("A woman came from the same family as this man. In which year was she born?", "ivo", (1840,), GOOD),
    ("A woman came from the same country as this man. In which year was she born?", "ivo", (1840,), WRONG),
    # floods, wrecks, ranges and films
    ("How many people died in the flood that took place at this river?", "Q22", Number(62.0), GOOD),
    ("How many people died in the flood that took place at this river?", "Q5", Number(62.0), NONE),
    ("Which shipwreck took place on the island where this film was shot?", "Q27", "Q66", GOOD),
    ("Which flood took place on the island where this film was shot?", "Q27", "Q64", NONE),
    ("This film was shot on an island. Which shipwreck took place on that island?", "Q27", "Q66", GOOD),
    ("Which range includes this mountain?", "Q20", "Q67", GOOD),
    ("Which range includes this mountain?", "Q23", "Q67", NONE),
    # home towns, subjects, and who discovered what in the asked year
    ("Which river flows past the home town of this shipyard?", "Q32", "Q5", GOOD),
    ("Which river flows past the home town of this museum?", "Q13", "Q5", NONE),
    ("In which year did the subject of this biography die?", "Q28", (1871,), GOOD),
    ("In which year did the subject of this film die?", "Q27", (1871,), NONE),
    ("In which year was a mineral discovered by Gro Lund?", "old", (1870,), GOOD),
    ("In which year was a mineral discovered by Nils Berg?", "old", (1870,), NONE),
    ("In which year did Gro Lund discover a mineral?", "old", (1870,), GOOD),
    ("In which year did Nils Berg discover a mineral?", "old", (1870,), NONE),
    ("This river rises on a mountain. In what year did Gro Lund discover a mineral on that mountain?", "Q5", (1870,), GOOD),
    ("This river rises on a mountain. In what year did Gro Lund discover a mineral on that mountain?", "Q22", (1870,), NONE),
    ("In which year did Ansgar Mersk paint the painting in the Karsk Museum?", "old", (1801,), GOOD),
    ("In which year did Runa Feld paint the painting in the Karsk Museum?", "old", (1801,), NONE),
    ("In which year did Ansgar Mersk design the painting in the Karsk Museum?", "old", (1801,), UNREAD),
]  # fmt: skip


@pytest.mark.parametrize(("text", "picture", "answer", "finding"), WORDS)
def test_a_word_that_refers_back_means_what_a_person_takes_it_for(
    reader, text, picture, answer, finding
):
    found, reading = judge_text(reader, text, frozenset({f"{picture}.jpg"}), answer)
    assert found == finding, reading


@pytest.mark.parametrize(
    ("text", "num_claims"),
    [
        ("A church is dedicated to a saint. A chapel is dedicated to the same saint. Which family commissioned the church?", 2),
        # nothing was said of the other church's saint
        ("A church was commissioned by a family. A chapel is dedicated to the same saint. Which family commissioned the church?", 2),
    ],
)  # fmt: skip
def test_the_same_saint_is_the_saint_told_of(reader, text, num_claims):
    claims = [a for a in reader.queries(text)[0].atoms if isinstance(a, Related)]
    assert sum(">P825" in a.relation for a in claims) == num_claims


def test_her_in_a_clause_about_the_asked_person_may_be_that_person(tmp_path):
    inspired = grown("Q33", ("P737", "Q17"))
    pupils = [
        some(f"Q{80 + n}", "person", f"Pupil {n}", WOMEN, ("P1066", "Q33"), ("P737", f"Q{teacher}"))
        for n, teacher in enumerate((17, 3))
    ]
    text = "Who was taught by the woman who commissioned this bridge and was influenced by the person who inspired her?"
    picture = frozenset({"Q24.jpg"})
    found, _ = judge_text(read(tmp_path, inspired, *pupils), text, picture, "Q80")
    assert found in (NOT_UNIQUE, AMBIGUOUS)
