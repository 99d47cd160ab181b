"""The tiny world with waters, mountains, films, children and a yard, for tests of single words."""

from pathlib import Path

from tiny_world import THINGS, plaque, thing, write_tiny_world

from benchmarks.truth_reader.reader import Reader
from benchmarks.truth_reader.world import Truth

MEN, WOMEN, PLAIN = ("P21", "Q6581097"), ("P21", "Q6581072"), ("P149", "Q301")


def some(id_: str, classes: str, label: str, *claims, year: str = "") -> dict:
    """A thing of the classes; if a year is given, its picture shows it."""
    name = f"{id_}.jpg"
    kind = "person" if classes == "person" else "taxon"
    said = thing(id_, kind, label, *claims, pictures=(name,))
    details = [plaque(name, year)] if year else []
    return {**said, "class_labels": classes.split(", "), "details": details}


def more(id_: str, *claims, year: str = "", among: list[dict] = THINGS) -> dict:
    """A thing of a world, of the tiny world unless told, with further claims, and a picture of its own."""
    old = next(t for t in among if t["id"] == id_)
    new = some(id_, "x", old["label"], *claims, year=year)
    kept = {"claims": old["claims"] + new["claims"], "pictures": old["pictures"] + new["pictures"]}
    return {**old, **kept, "details": old["details"] + new["details"]}


WORLD = [
    more("Q2", ("P53", "Q36")),
    more("Q4", ("P206", "Q5"), ("P1376", "Q6")),
    more("Q5", ("P885", "Q23")),
    more("Q10", ("P570", "time:+1861/9"), ("P26", "Q41"), ("P22", "Q42"), year="1852"),
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
         ("P570", "time:+1910/9"), ("P1066", "Q56")),
    some("Q36", "family", "Mersk family"),
    some("Q41", "person", "Knut Feld", MEN, ("P106", "Q43"), ("P53", "Q44"), ("P1066", "Q3"), ("P22", "Q45"),
         ("P570", "time:+1855/9")),
    some("Q42", "person", "Jon Runesen", MEN, ("P569", "time:+1760/9")),
    some("Q43", "occupation", "sailor"),
    some("Q44", "family", "Feld family"),
    some("Q45", "person", "Per Feld", MEN, ("P570", "time:+1830/9")),
    some("Q46", "church building", "St. Una", ("P88", "Q44"), ("P825", "Q47")),
    some("Q47", "saint", "Una"),
    some("Q48", "chapel", "Una Chapel", ("P825", "Q47"), ("P571", "time:+1700/9")),
    some("Q49", "church building", "St. Ulf", ("P88", "Q36"), ("P825", "Q50")),
    some("Q50", "saint", "Ulf"),
    some("Q51", "treaty", "Treaty of Karsk", ("P276", "Q4"), ("P585", "time:+1866/9")),
    some("Q52", "observatory", "Horn Observatory", ("P706", "Q23"), ("P571", "time:+1875/9")),
    some("Q53", "occupation", "geologist"),
    some("Q54", "person", "Gro Lund", WOMEN, ("P106", "Q53"), ("P108", "Q13"), ("P570", "time:+1890/9")),
    some("Q55", "mineral", "grolundite", ("P61", "Q54"), ("P575", "time:+1870/9")),
    some("Q56", "person", "Nils Berg", MEN, ("P108", "Q13"), ("P569", "time:+1820/9")),
    some("Q57", "occupation", "military officer"),
    some("Q58", "person", "Eli Vik", MEN, ("P106", "Q57"), ("P108", "Q34"), ("P570", "time:+1871/9")),
    some("Q59", "painting", "Noon", ("P170", "Q33"), ("P195", "Q13"), ("P571", "time:+1880/9")),
]  # fmt: skip


def read(folder: Path, *changed: dict) -> Reader:
    """A reader of the world in which some things are added or changed."""
    things = {t["id"]: t for t in (*THINGS, *WORLD, *changed)}
    return Reader(Truth(write_tiny_world(folder / "w", list(things.values()))))
