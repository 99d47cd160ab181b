"""Which walks no question can be asked over: lists, sentences about something else, circles."""

import pytest

from questloom.records.knowledge import Entity
from questloom.records.synthesis import Hop
from questloom.transforms.writing.llm.walks import askable_path


def askable(evidence, names=("Tolm", "Merren"), property_=""):
    entities = tuple(Entity(id=f"Q{n}", labels={"en": name}) for n, name in enumerate(names))
    hops = tuple(
        Hop(source=f"x{n}", target=f"x{n + 1}", property=property_, evidence=evidence)
        for n in range(len(names) - 1)
    )
    return askable_path(hops, entities, ("en",))


@pytest.mark.parametrize(
    "sentence",
    [
        "Tolm lies beside Merren.",
        "It borders Merren, Velm and Orb.",
        "The town was ruled from Merren.",
        "This bridge leads to Merren.",
        "His pupil was Ada Orm of Merren.",
        "The house of Orm ruled Tolm and Merren.",
    ],
)
def test_a_sentence_about_the_stop_that_it_starts_from_is_askable(sentence):
    assert askable(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Its neighbours are Merren, Velm, Orb, Kast, Lund, Paal and Ruun.",
        "It borders Merren, Velm, Orb, Kast, Lund, Paal and Ruun.",
        "Tolm borders Merren, Velm, Orb, Kast, Lund and Paal.",
        "* Merren",
    ],
)
def test_a_list_is_not_askable(sentence):
    assert not askable(sentence)


def test_a_name_of_several_words_is_one_name():
    assert askable(
        "Tolm honours Ada Orm Lind, Bo Kast, Saint Ovid of Merren, The Isle of Lund and Karl Brandt."
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "The Merren Prize went to her.",
        "Merren was founded later.",
        "The ship Merren sailed on the fourth day.",
        "The mayor of Velm came from Merren.",
        "These Merren coins are rare.",
    ],
)
def test_a_sentence_about_something_else_is_not_askable(sentence):
    assert askable(sentence) == (
        sentence.startswith("The ship")
    )  # "the ship" may be the stop itself: whether it is no rule can tell


def test_a_walk_that_comes_back_to_a_name_is_not_askable():
    assert askable("", ("Tolm", "Merren", "Orb"), "P131")
    assert not askable("", ("Tolm", "Merren", "Tolm"), "P131")
