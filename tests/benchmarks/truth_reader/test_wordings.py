"""Wordings that leave a noun out or say it in another way: "flows into another", "in the Salt Gothic
style", "the work painted in Velm". Each rule has a question that it makes true and one that it
still refuses.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from tiny_world import THINGS as TINY
from wide_world import WORLD, more, read, some

from benchmarks.truth_reader.judge import Finding, judge_text
from benchmarks.truth_reader.world import Number, Text

GOOD, NONE, UNREAD, WRONG = Finding.GOOD, Finding.NONE, Finding.UNREAD, Finding.WRONG
NOT_UNIQUE = Finding.NOT_UNIQUE

INTO = "The river crossed by this bridge empties into another. "
SPANS = "This bridge spans a river that flows into another. "
RISES = "The river spanned by this bridge flows into another that rises on {} Horn. "
WORK = "A work painted in the same town as this one hangs in the Karsk Museum. "
OTHER = "A work by this woman hangs in the Orla Museum. Another work by her was painted in Karsk in 1833. "
THEATRE = "A member of this man's family died in 1900. "
SEPARATE = "How many years separate the {} from the {}?"
KM = "Q828224"
PAINTING = {"class_labels": ["painting", "work of art"]}


def grown(id_: str, *claims, year: str = "") -> dict:
    """A thing of the wide world with further claims, and a picture of its own."""
    return more(id_, *claims, year=year, among=WORLD + TINY)


THINGS = [
    some("Q60", "architectural style", "Northern Neoclassicism"),
    some("Q61", "architectural style", "Modernism"),
    grown("Q16", ("P149", "Q60"), ("P177", "Q22"), ("P88", "Q33")),
    some("Q62", "lighthouse", "West Light", ("P149", "Q60"), ("P571", "time:+1801/9"), ("P131", "Q6")),
    some("Q63", "lighthouse", "East Light", ("P149", "Q61"), ("P571", "time:+1802/9"), ("P131", "Q6")),
    some("Q64", "statue, sculpture, work of art", "The Miner", ("P170", "Q10"), ("P1071", "Q4"), ("P571", "time:+1833/9"),
         ("P276", "Q34"), year="1834"),
    {**grown("Q29", ("P2048", "quantity:44:Q174728")), **PAINTING},
    {**grown("Q30", year="1707"), **PAINTING},
    grown("Q13", ("P112", "Q54"), ("P571", "time:+1899/9")),
    grown("Q54", ("P569", "time:+1850/9")),
    some("Q65", "library", "Karsk Library", ("P112", "Q2"), ("P571", "time:+1862/9")),
    some("Q66", "novel, written work", "The Weir", ("P110", "Q33"), ("P577", "time:+1870/9"), ("P50", "Q2")),
    some("Q67", "theatre building", "Old Theatre", ("P1619", "time:+1860/9"), year="1871"),
    grown("Q33", ("P108", "Q67"), ("P19", "Q4")),
    grown("Q6", ("P36", "Q4")),
]  # fmt: skip


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return read(tmp_path_factory.mktemp("world"), *THINGS)


WORDS = [
    # "another" is another river: that of the verb's subject or head
    (INTO + "How many kilometres long is that other river?", "Q25", Number(90.0, KM), GOOD),
    (INTO + "How many kilometres long is that other river?", "Q25", Number(18.0, KM), WRONG),
    (INTO + "How many kilometres long is that other river?", "old", Number(90.0, KM), NONE),
    (INTO + "How many metres long is that other bridge?", "Q25", Number(120.0, "Q11573"), UNREAD),
    (SPANS + "Which bridge across that other river was designed by Ivo Mersk?", "Q25", "Q1", GOOD),
    (SPANS + "Which bridge across that other river was designed by Ivo Mersk?", "Q25", "Q25", WRONG),
    (SPANS + "Which bridge across that other river was designed by Ivo Mersk?", "old", "Q1", NONE),
    (RISES.format("Tall") + "How many kilometres long is that other river?", "Q25", Number(90.0, KM), GOOD),
    (RISES.format("Grey") + "How many kilometres long is that other river?", "Q25", Number(90.0, KM), NONE),
    # no verb's subject or head stands before the word
    ("Another was designed by Ivo Mersk. Which river does that other bridge cross?", "old", "Q22", UNREAD),
    # another woman is not this one
    ("This woman was born in a town. Another woman trained a man. In which year did he die?", "Q33", (1880,), GOOD),
    ("This woman was born in a town. Another woman trained a man. In which year did he die?", "Q10", (1880,), NONE),
    # styles
    ("In which year was the lighthouse in the Plain Style style built?", "old", (1890,), GOOD),
    ("In which year was the lighthouse in the 1890 style built?", "old", (1890,), UNREAD),
    ("Which lighthouse is in the Northern Neoclassical style?", "old", "Q62", GOOD),
    ("Which lighthouse is in the Northern Neoclassicism style?", "old", "Q62", GOOD),
    ("Which lighthouse is in the Modernist style?", "old", "Q62", WRONG),
    ("Which Modernist lighthouse is in the Low District?", "old", "Q63", GOOD),
    ("Which Northern Modernist lighthouse is in the Low District?", "old", "Q63", UNREAD),
    ("Which lighthouse was built in 1801 in the Northern Neoclassical style?", "old", "Q62", GOOD),
    ("Which lighthouse was built in 1802 in the Northern Neoclassical style?", "old", "Q62", NONE),
    ("Who commissioned a bridge in the Northern Neoclassical style?", "old", "Q33", GOOD),
    ("Who commissioned a bridge in the Modernist style?", "old", "Q33", NONE),
    ("Who designed the Northern Neoclassical bridge across this river?", "Q22", "Q17", GOOD),
    ("Who designed the Northern Neoclassical bridge across this river?", "Q5", "Q17", NONE),
    # a work that was painted is a painting, no statue
    ("Which work was painted in Karsk in 1833?", "old", "Q29", GOOD),
    ("Which work was made in Karsk in 1833?", "old", "Q29", NOT_UNIQUE),
    ("Which statue was painted in Karsk in 1833?", "old", "Q64", NONE),
    ("How many centimetres high is the work painted in Karsk by this woman?", "Q10", Number(44.0, "Q174728"), GOOD),
    ("How many centimetres high is the work painted in Karsk by this woman?", "Q33", Number(44.0, "Q174728"), NONE),
    (WORK + "What is written on that painting's plaque?", "Q29", Text("1707"), GOOD),
    (WORK + "What is written on that painting's plaque?", "Q59", Text("1707"), NONE),
    (WORK + "What is written on that statue's plaque?", "Q29", Text("1834"), NONE),
    ("This painting is by a woman. Another work by her was painted in Karsk. In which year was that painting made?", "still", (1833,), GOOD),
    ("This painting is by a woman. Another work by her was painted in Karsk. In which year was that painting made?", "Q29", (1833,), NONE),
    # "another work" that was painted is the other painting
    (OTHER + "In which year was that other painting made?", "Q10", (1833,), GOOD),
    (OTHER + "In which year was that other painting made?", "Q33", (1833,), NONE),
    ("In which year was the work in the Karsk Museum painted?", "old", (1833,), NONE),
    ("In which year was the work in the Karsk Museum made?", "old", (1833,), GOOD),
    # "its" is that of the thing whose event was named first
    ("A library was founded by this man. " + SEPARATE.format("founding of that library", "birth of its founder"), "ivo", Number(50.0), GOOD),
    ("A library was founded by this man. " + SEPARATE.format("founding of that library", "birth of its architect"), "ivo", Number(50.0), NONE),
    (SEPARATE.format("opening of the museum where this painting hangs", "birth of its founder"), "still", Number(50.0), GOOD),
    (SEPARATE.format("opening of the museum where this painting hangs", "birth of its founder"), "Q30", Number(50.0), NONE),
    # unless that thing cannot have it: no museum has a painter
    (SEPARATE.format("opening of the museum where this painting hangs", "birth of its painter"), "still", Number(110.0), GOOD),
    ("This man wrote a novel. " + SEPARATE.format("publication of that novel", "birth of its illustrator"), "ivo", Number(30.0), GOOD),
    ("This man wrote a novel. " + SEPARATE.format("publication of that novel", "birth of its publisher"), "ivo", Number(30.0), NONE),
    (THEATRE + SEPARATE.format("opening of the theatre that employed her", "year on its plaque"), "ivo", Number(11.0), GOOD),
    (THEATRE + SEPARATE.format("opening of the museum that employed her", "year on its plaque"), "ivo", Number(11.0), NONE),
    (THEATRE + SEPARATE.format("opening of the theatre that employed her", "year on her plaque"), "ivo", Number(11.0), WRONG),
    # the capital behind its district
    ("This man was born in a town. Of which district is that town the capital?", "ivo", "Q6", GOOD),
    ("This woman was born in a town. Of which district is that town the capital?", "Q10", "Q6", NONE),
    ("This man was born in a town. Of which district is it the capital?", "ivo", "Q6", GOOD),
    ("This man was born in a town. Of which town is it the capital?", "ivo", "Q6", NONE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "picture", "answer", "finding"), WORDS)
def test_a_wording_means_what_a_person_takes_it_for(reader, text, picture, answer, finding):
    found, reading = judge_text(reader, text, frozenset({f"{picture}.jpg"}), answer)
    assert found == finding, reading
