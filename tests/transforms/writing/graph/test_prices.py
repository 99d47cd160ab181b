"""What each wording costs. `prices.txt` holds the wordings that are drawn of short forms, each with its price, the cheapest first.

Readers' verdicts set the prices: where two wordings say the same, the one that reads worse costs more, so that it is not taken.
After a deliberate change, read the new lines and write them with `QUESTLOOM_WRITE_GOLDENS=1 pytest <this file>`.
"""

import importlib.util
import os
from pathlib import Path

from questloom.records.identity import chance
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.lints import weigh
from questloom.transforms.writing.graph.noun_phrases import NounPhrases
from questloom.transforms.writing.graph.sentences import structures, tell, things_of
from questloom.transforms.writing.graph.verbalise import _derive

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("invented", HERE / "invented.py")
invented = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(invented)
PRICES = HERE / "prices.txt"
DRAWN, SHOWN = 60, 8
"""How many wordings are drawn of each form, and how many of them the file shows."""
SHE_AND_HE = {"x0": "he", "x1": "she", "x2": "he"}

SENTENCES = [
    ("x0 lighthouse, a human", "entity", "x0 P84 a"),
    ("x0 human, a town", "entity", "x0 P19 a"),
    ("x0 river", "quantity kilometre", "x0 P2043 a"),
    ("x0 cathedral, a human", "entity", "x0 P825 a"),
    ("x0 arch bridge, x1 river, a mountain", "entity", "x0 P177 x1", "x1 P885 a"),
    ("x0 lighthouse, x1 human, x2 human, a town", "entity", "x0 P84 x1", "x2 P737 x1", "x2 P19 a"),
    ("x0 library, x1 town, a district", "entity", "x0 P131 x1", "x1 P131 a"),
    ("x0 museum, x1 painting, a human", "entity", "x1 P276 x0", "x1 P571 1871", "x1 P170 a"),
    ("x0 human, x1 painting, a town", "entity", "x1 P170 x0", "x1 P195 Ravel House", "x1 P1071 a"),
    ("x0 human, x1 human, a town", "entity", "x1 P22 x0", "x1 P166 Luneth Prize", "x1 P19 a"),
    ("x0 painting, x1 human, a town", "entity", "x0 P170 x1", "x1 P19 a", "x1 P106 poet"),
    ("x0 town, a district", "entity", "a P36 x0"),
    ("x0 cathedral, x1 human, a novel", "entity", "x0 P138 x1", "a P50 x1", "a P577 1911"),
    ("x0 cathedral", "date year", "x0 P1619 a", "x0 P84 Ivo Mersk"),
    ("x0 bridge, a river", "entity", "x0 P177 a", "x0 P131 Karsk"),
    ("x0 human, x1 novel", "string", "x1 P50 x0", "x1 P840 Karsk", "a reads P1684 inscription x1"),
    ("x0 tower, x1 human", "date year", "x0 P84 x1", "a reads P1684 inscription x1"),
    ("x0 museum, x1 painting, a human", "entity", "x1 P276 x0", "x1 P571 1900", "x1 P170 a"),
    ("x0 association football club, x1 human, a town", "entity", "x0 P138 x1", "x1 P19 a"),
    ("x0 association football club, x1 human, a town", "entity", "x0 P112 x1", "x1 P19 a"),
    ("x0 town, x1 river, a mountain", "entity", "x0 P206 x1", "x1 P885 a"),
    (
        "x0 mineral, x1 lake, x2 mountain",
        "quantity metre",
        "x0 P189 x1",
        "x1 P706 x2",
        "x2 P2044 a",
    ),
    ("x0 painting, x1 human, a town", "entity", "x0 P170 x1", "Ostmark Museum P112 x1", "x1 P19 a"),
    (
        "x0 human, x1 human, a town",
        "entity",
        "x0 P1066 x1",
        "Ivo Mersk P1066 x1",
        "x1 P166 Luneth Prize",
        "x1 P166 Order of the Heron",
        "x1 P19 a",
    ),
    ("x0 lighthouse, x1 human, a dog", "entity", "x0 P84 x1", "x1 P1429 a"),
    ("x0 town, a cathedral", "entity", "a P131 x0", "a P149 Northern Light", "a P84 Ivo Mersk"),
    (
        "x0 cathedral, x1 human, a cathedral",
        "entity",
        "x0 P84 x1",
        "a P84 x1",
        "a P149 Northern Light",
    ),
    ("x0 art museum, a human", "entity", "a P108 x0", "a P106 poet"),
    ("x0 art museum, a human", "entity", "a P108 x0", "a P737 Ivo Mersk", "a P26 Mirel Tavish"),
    ("x0 lake, x1 mineral", "date year", "x1 P189 x0", "x1 P61 Ivo Mersk", "x1 P575 a"),
    ("x0 town, x1 district", "quantity square kilometre", "x0 P131 x1", "x1 P2046 a"),
    (
        "x0 human, x1 biography, a human",
        "entity",
        "x1 is biography",
        "x1 P921 x0",
        "x1 P577 1911",
        "x1 P50 a",
    ),
    ("x0 castle", "quantity", "a reads P1114 arch x0"),
    ("x0 lighthouse, x1 human", "string", "x0 P84 x1", "a reads P1684 inscription x1"),
    ("x0 novel", "string", "a reads P1684 inscription x0"),
    ("x0 tower", "string", "a reads P1684 plaque x0"),
    ("x0 arch bridge", "string", "a reads P1684 plaque x0"),
    ("x0 lighthouse", "entity", "a reads P462 flag x0"),
    (
        "x0 lighthouse, x1 schooner",
        "entity",
        "x9 reads P1684 plaque x0",
        "a P571 x9",
        "a is schooner",
    ),
    ("x0 district, x1 town, a human", "entity", "image x0 P41", "x0 P36 x1", "x1 P138 a"),
    ("x0 district, a town", "entity", "image x0 P41", "x0 P36 a"),
    ("x0 painting, a human", "entity", "x0 P170 a"),
    ("x0 human, a film", "entity", "a P57 x0", "a category P840 village"),
    ("x0 human, a film", "entity", "a P57 x0", "a exclusion P840 Velm"),
    (
        "x0 human, x1 cathedral",
        "date year",
        "x1 P84 x0",
        "x1 exclusion P131 Karsk",
        "x1 meta-attribute P131 town K",
        "x1 P1619 a",
    ),
    ("x0 human, a film", "entity", "a P57 x0", "a arithmetic P577 x0 -1 P570"),
    ("x0 human, a film", "entity", "a P57 x0", "a range P577 1930s"),
]
TOWERS, NOVELS = (
    f"x0 {kind}, x1 human, x2 {kind}, x9 {kind}, a town" for kind in ("tower", "novel")
)
COUNTED = [
    ("x0 lighthouse, x1 human", "quantity", "x0 P84 x1", "x1 P569 d1", "x0 P1619 d2", "a = difference d1 d2"),
    ("x0 human, x1 human", "quantity", "x0 P1066 x1", "x0 P570 d2", "x1 P570 d1", "a = difference d1 d2"),
    ("x0 human, x1 human", "quantity", "x0 P1066 x1", "x0 P569 d2", "x1 P569 d1", "a = difference d1 d2"),
    ("x0 cathedral, x1 human", "quantity", "x0 P84 x1", "x1 P570 d2", "d1 reads P1684 plaque x0", "a = difference d1 d2"),
    ("x0 painting, x1 human, x2 human", "quantity", "x0 P170 x1", "x2 P737 x1", "x1 P570 d1", "x2 P570 d2", "a = difference d1 d2"),
    ("x0 tower, x1 human, x2 tower", "quantity", "x0 P84 x1", "x2 P84 x1", "x0 P2048 d1", "x2 P2048 d2", "a = ratio d2 d1"),
    ("x0 cathedral", "quantity", "x0 P1619 d2", "d1 reads P1684 plaque x0", "a = difference d1 d2"),
    ("x0 tower, x1 human, x2 tower", "quantity metre", "x0 P84 x1", "x2 P84 x1", "x0 P2048 d1", "x2 P2048 d2", "a = difference d1 d2"),
    (TOWERS, "entity", "x0 P84 x1", "x2 P84 x1", "x0 P2048 d1", "x2 P2048 d2", "x9 = largest x0 x2 by d1 d2", "x9 P131 a"),
    (TOWERS, "entity", "x0 P84 x1", "x2 P84 x1", "x0 P1619 d1", "x2 P1619 d2", "x9 = latest x0 x2 by d1 d2", "x9 P131 a"),
    ("x0 human, x1 human, x9 human, a town", "entity", "x0 P1066 x1", "x0 P570 d1", "x1 P570 d2", "x9 = earliest x0 x1 by d1 d2", "x9 P20 a"),
    ("x0 human, x1 human, x9 human, a town", "entity", "x0 P1066 x1", "x0 P569 d1", "x1 P569 d2", "x9 = earliest x0 x1 by d1 d2", "x9 P20 a"),
    (NOVELS, "entity", "x0 P50 x1", "x2 P50 x1", "x0 P577 d1", "x2 P577 d2", "x9 = earliest x0 x2 by d1 d2", "x9 P840 a"),
    ("x0 tower", "quantity", "d1 reads P1684 plaque x0", "a = difference d1 1900"),
    ("x0 tower, x1 human", "quantity", "x0 P84 x1", "d2 reads P1684 inscription x1", "a = difference d2 1800"),
    ("x0 human, x1 arch bridge", "quantity", "x1 P84 x0", "x0 P570 d2", "x1 P1619 d1", "a = difference d1 d2"),
    ("x0 human, x1 arch bridge", "quantity", "x1 P84 x0", "x0 P570 d1", "x1 P1619 d2", "a = difference d1 d2"),
    ("x0 arch bridge, x1 human", "quantity", "x0 P84 x1", "x1 P570 d2", "d1 reads P1684 plaque x0", "a = difference d1 d2"),
    ("x0 human", "quantity", "x0 P570 d1", "d2 reads P1684 inscription x0", "a = difference d1 d2"),
    ("x0 human, x1 human, x2 arch bridge, x3 human", "quantity", "x0 P1066 x1", "x2 P84 x1", "x2 P88 x3", "x2 P1619 d1", "x3 P570 d2", "a = difference d1 d2"),
]  # fmt: skip
PAINTINGS = "x0 painting, x1 painting, x2 painting, x3 art museum, x4 town, x5 human, x6 river"
DISTRICT = "x0 human, x1 human, x2 lighthouse, x3 district, x4 mountain, x5 river, x6 arch bridge"
PEOPLE = "x0 human, x1 human, x2 human, x3 art museum, x4 painting, x5 human, x6 human, a town"
LONG = [
    (PAINTINGS, "date", "x0 P276 x3", "x1 P276 x3", "x1 P170 x5", "x2 P170 x5", "x2 P1071 x4", "x4 P206 x6", "x6 P403 Elder Sound", "x1 P571 a"),
    (DISTRICT, "date", "x0 P1066 x1", "x2 P84 x1", "x2 P206 Elder Sound", "x2 P131 x3", "x4 P131 x3", "x5 P885 x4", "x6 P177 x5", "x6 P131 Velm", "x2 P1619 a"),
    (PEOPLE, "entity", "x0 P737 x1", "x1 P737 x2", "x2 P108 x3", "x4 P276 x3", "The Grey Harbour P276 x3", "x4 P170 x5", "x5 P1066 x6", "x6 P19 a"),
]  # fmt: skip
TOLD = [
    ("x0 lighthouse, x1 human, a town", "entity", "x0 P84 x1", "x1 P19 a"),
    ("x0 novel, x1 human, x2 human, a town", "entity", "x0 P50 x1", "x1 P26 x2", "x2 P19 a"),
    ("x0 painting, x1 art museum, x2 painting", "date year", "x0 P276 x1", "x2 P276 x1", "x2 P170 Ivo Mersk", "x2 P571 a"),
    ("x0 human, x1 human, a town", "entity", "x1 P1066 x0", "x1 P166 Luneth Prize", "x1 P19 a"),
    ("x0 arch bridge, x1 river, x2 river", "quantity kilometre", "x0 P177 x1", "x2 P403 x1", "x2 P2043 a"),
    ("x0 schooner, x1 shipyard, x2 human, a town", "entity", "x0 P176 x1", "x1 P112 x2", "x2 P20 a"),
    ("x0 library, x1 human, x2 chapel", "quantity", "x0 P84 x1", "x1 P119 x2", "d1 reads P1684 plaque x2", "x2 P1619 d2", "a = difference d1 d2"),
    ("x0 lighthouse, x1 human", "quantity", "x0 P84 x1", "x1 P569 d1", "d2 reads P1684 inscription x1", "a = difference d1 d2"),
    ("x0 painting, x1 human, x2 painting, a town", "entity", "x0 P170 x1", "x2 P170 x1", "x2 P276 Ostmark Museum", "x2 P1071 a"),
    ("x0 human, x1 human, x2 human, a town", "entity", "x1 P737 x0", "x2 P1066 x1", "x2 P19 a"),
    ("x0 tower, x1 human, x2 tower", "date year", "x0 P84 x1", "x2 P84 x1", "x2 P131 Karsk", "x2 P1619 a"),
    ("x0 human, x1 novel, x2 town, a district", "entity", "x1 P50 x0", "x1 P577 1911", "x1 P840 x2", "x2 P131 a"),
    ("x0 painting, x1 human, x2 art museum, a human", "entity", "x0 P170 x1", "x1 P108 x2", "x2 P112 a"),
    ("x0 human, x1 family, a castle", "entity", "x0 P53 x1", "x1 P1028 Salt and Lanterns", "a P127 x1"),
    ("x0 human, x2 human, x3 human", "quantity", "x2 P1066 x0", "x2 P22 x3", "x2 P570 d1", "x3 P570 d2", "a = difference d1 d2"),
    ("x0 lighthouse, x1 human, x2 painting", "date year", "x0 P84 x1", "x2 P170 x1", "x2 P1071 Velm", "x2 P571 a"),
    ("x0 library, x1 human, a human", "entity", "x1 P108 x0", "x1 P737 Ivo Mersk", "x1 P26 a"),
    ("x0 painting, x1 art museum", "date year", "x0 P276 x1", "The Grey Harbour P276 x1", "x1 P571 a"),
    ("x0 river, x1 town, x2 district", "quantity", "x1 P206 x0", "x1 P131 x2", "x2 P2046 a"),
    ("x0 human, x1 chapel, x2 human, x3 cathedral", "date year", "x0 P119 x1", "x1 P825 x2", "x3 P825 x2", "x3 P149 Northern Light", "x3 P1619 a"),
    ("x0 tower, x1 human, x2 human, a town", "entity", "x0 P84 x1", "x1 P1066 x2", "x2 P166 Luneth Prize", "x2 P19 a"),
    ("x0 novel, x1 human, a town", "entity", "x0 P50 x1", "x1 P166 Luneth Prize", "x1 P69 University of Velm", "x1 P19 a"),
    ("x0 human, x1 human, a town", "entity", "x0 P737 x1", "x1 P106 naturalist", "x1 P19 Velm", "x1 P20 a"),
    ("x0 painting, x1 town, x2 district", "quantity square kilometre", "x0 P1071 x1", "x1 P1376 x2", "x2 P2046 a"),
    ("x0 painting, x1 human, x2 painting, a art museum", "entity", "x0 P170 x1", "x2 P170 x1", "x2 range P571 1860s", "x2 exclusion P1071 Velm", "x2 P276 a"),
    ("x0 novel, x1 human, a novel", "entity", "x0 P50 x1", "a P50 x1", "a arithmetic P577 x1 3 P570"),
    ("x0 arch bridge, x1 river, x2 human, a mineral", "entity", "x0 P177 x1", "x0 P84 x2", "a P189 x1", "a P61 x2"),
    ("x0 human, x1 film, x2 town, x3 treaty", "date", "x1 P57 x0", "x1 P840 x2", "x3 P276 x2", "x3 P585 a"),
    ("x0 human, x1 human, x2 cathedral", "date", "x1 P22 x0", "x1 P1066 Ivo Mersk", "x2 P84 x1", "x2 P1619 a"),
    ("x0 human, x1 cathedral", "quantity", "x1 P84 x0", "x1 P1619 d2", "d1 reads P1684 plaque x1", "a = difference d1 d2"),
    ("x0 tower, x1 human, x2 human", "quantity", "x0 P84 x1", "x1 P1066 x2", "x2 P569 d1", "x1 P570 d2", "a = difference d1 d2"),
    ("x0 human, x1 human, x2 family, x3 human", "date year", "x0 P22 x1", "x1 P53 x2", "x3 P53 x2", "x3 P106 poet", "x3 P569 a"),
]  # fmt: skip


def words_of(kinds: str, ask: str, *clauses: str) -> FormWords:
    return FormWords(
        form=invented.form(
            ask, *([] if clauses[0].startswith("image") else ["image x0"]), *clauses
        ),
        names={},
        classes=invented.classes(kinds),
        genders=SHE_AND_HE,
        years=invented.YEARS,
        facts=invented.InventedWords(),
        language="en",
    )


def sentences(words: FormWords) -> dict[str, float]:
    """The wordings as one sentence with their prices."""
    found: dict[str, float] = {}
    for seed in range(DRAWN):
        phrases = NounPhrases(words, chance(seed, "x", "one"))
        text = _derive(phrases)
        assert phrases.used <= {*range(len(words.claims))}
        assert not phrases._depth and phrases.anchor_phrase.lower() in text.lower()
        if len(phrases.used) == len(words.claims):
            assert phrases.anchor_phrase or phrases.cost >= HOPELESS, text
            cost = phrases.cost + weigh(text)
            found[text] = min(found.get(text, cost), cost)
    return found


def tellings(words: FormWords) -> dict[str, float]:
    """The wordings in several sentences with their prices."""
    found: dict[str, float] = {}
    for seed in range(DRAWN):
        things, rng = things_of(words), chance(seed, "x", "tell")
        divisions = structures(things, rng)
        text, telling = tell(words, things, divisions[0], rng)
        assert not telling._depth and telling.anchor_phrase.lower() in text.lower()
        if len(telling.used) == len(words.claims):
            assert telling.anchor_phrase or telling.cost >= HOPELESS, text
            found[text] = min(found.get(text, telling.cost), telling.cost)
    return found


def prices(found: dict[str, float]) -> str:
    kept = sorted((cost, text) for text, cost in found.items() if cost < HOPELESS)
    hopeless = sum(cost >= HOPELESS for cost in found.values())
    shown = "".join(f"{cost:7.1f}  {text}\n" for cost, text in kept[:SHOWN])
    rest = f", {len(kept) - SHOWN} more for {sum(cost for cost, _ in kept[SHOWN:]):.1f} together"
    return f"{shown}{hopeless} hopeless{rest * (len(kept) > SHOWN)}\n"


def test_what_reads_worse_costs_more():
    text = ""
    for draw, forms in ((sentences, SENTENCES + COUNTED), (tellings, TOLD + LONG)):
        text += "".join(
            f"{' ; '.join(clauses)} ? {ask}\n{prices(draw(words_of(kinds, ask, *clauses)))}"
            for kinds, ask, *clauses in forms
        )
    if os.environ.get("QUESTLOOM_WRITE_GOLDENS"):
        PRICES.write_text(text, encoding="utf-8")
    assert text == PRICES.read_text(encoding="utf-8")
