"""Random derivations of forms over invented things, for the tests of wording."""

import re

from questloom.records.identity import chance
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.sentences import structures, tell, things_of
from questloom.transforms.writing.graph.verbalise import verbalise
from tests.transforms.writing.graph import invented

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
HE = {"x0": "he", "x1": "he", "x2": "he"}


def words_of(kinds: str, ask: str, *clauses: str, genders=HE) -> FormWords:
    return FormWords(
        form=invented.form(ask, *clauses),
        names={},
        classes=invented.classes(kinds),
        genders=genders,
        years=invented.YEARS,
        facts=WORDS,
        language="en",
    )


def worded_texts(kinds: str, ask: str, *clauses: str, genders=HE, seeds: int = 30) -> set[str]:
    """What is said in the end, over many seeds; each without a problem."""
    found = set()
    for seed in range(seeds):
        worded = verbalise(
            invented.form(ask, *clauses),
            names={},
            classes=invented.classes(kinds),
            facts=WORDS,
            item_id="x",
            recipe_seed=seed,
            years=invented.YEARS,
            genders=genders,
        )
        assert not worded.problems, worded
        found.add(worded.text)
    return found


def told_once(words: FormWords, seed: int) -> tuple:
    """One derivation, in a division into sentences that the seed draws."""
    things, rng = things_of(words), chance(seed, "x", "tell")
    return tell(words, things, structures(things, rng)[0], rng)


def tellings(kinds: str, ask: str, *clauses: str, genders=HE, num: int = 60) -> list[tuple]:
    """Derivations as they come, good and bad."""
    words = words_of(kinds, ask, *clauses, genders=genders)
    return [told_once(words, s) for s in range(num)]


def good(*case, genders=HE, num: int = 200) -> set[str]:
    """The tellings of a form that no rule refuses, whether or not a lighter one exists."""
    return {
        text
        for text, telling in tellings(*case, genders=genders, num=num)
        if telling.cost < HOPELESS
    }


def cheapest(kinds: str, ask: str, clauses: tuple[str, ...], *said: str, **more) -> list[float]:
    """The lowest cost of the derivations that contain each of several expressions."""
    found = tellings(kinds, ask, *clauses, num=400, **more)
    return [min((t.cost for text, t in found if re.search(s, text)), default=99.0) for s in said]
