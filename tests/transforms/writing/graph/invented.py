"""Forms over invented things, for the tests of wording. Classes, properties and units are the world's vocabulary."""

from questloom.knowledge.world import vocabulary
from questloom.records.form import (
    FUZZY_KINDS,
    Ask,
    ClaimClause,
    ClassClause,
    Clause,
    Compute,
    Form,
    Fuzzy,
    Image,
    Reads,
    Term,
)
from questloom.records.knowledge import Value, entity_value

CLASS = {
    **vocabulary.class_ids(),
    "plaque": "Q721747",
    "arch": "Q12277",
    "flag": "Q14660",
    "door": "Q36794",
    "window": "Q35473",
    "inscription": "Q1640824",
}
NAMED = {  # label: class
    "Karsk": "town",
    "Orla": "river",
    "Velm": "town",
    "Ansgar Hollin": "human",
    "Mirel Tavish": "human",
    "Brenn": "village",
    "Tor Academy of Arts": "art academy",
    "Hollin & Daughters": "shipyard",
    "Battle of Sarn": "battle",
    "War of the Two Crowns": "war",
    "The Grey Harbour": "painting",
    "Salt and Lanterns": "novel",
    "Ostmark Museum": "art museum",
    "Luneth Prize": "literary award",
    "Esk Mountains": "mountain range",
    "Varn": "lake",
    "Pellan": "island",
    "Merrow": "ship",
    "Order of the Heron": "order",
    "granite": "entity",
    "poet": "entity",
    "film director": "entity",
    "Kesselholm": "city",
    "Sarnian": "language",
    "University of Velm": "university",
    "Cape Orlen Light": "lighthouse",
    "oil paint": "entity",
    "Northern Light": "art movement",
    "Marsh & Loom": "publishing house",
    "red": "entity",
    "Tor Bridge": "arch bridge",
    "Elder Sound": "sea",
    "Ivo Mersk": "human",
    "Greymouth Regatta": "festival",
    "Ravel House": "museum",
    "naturalist": "entity",
    "Lindgrens": "family",
}
HAVE_ONLY = {"P170": ("painting",), "P885": ("river",), "P1101": ("castle", "tower")}
"""The only classes of which things have a property."""
IDS = {name: f"Q9{i:05d}" for i, name in enumerate(sorted(NAMED))}
UNIT = vocabulary.groups()["unit"]


class InventedWords:
    """The `WordSource` of the invented things."""

    def __init__(self) -> None:
        self._labels = {**vocabulary.labels(), **{q: name for name, q in IDS.items()}}
        self._classes = {IDS[name]: CLASS[c] for name, c in NAMED.items()}

    def label(self, entity_id: str, language: str) -> str:
        terms = vocabulary.properties()
        return (
            terms[entity_id].label if entity_id in terms else self._labels.get(entity_id, entity_id)
        )

    def datatype(self, property_id: str) -> str:
        terms = vocabulary.properties()
        return (
            terms[property_id].datatype
            if property_id in terms
            else {"P1314": "quantity"}.get(property_id, "wikibase-item")
        )

    def class_of(self, entity_id: str) -> str:
        return self._classes.get(entity_id, "")

    def superclasses(self, class_id: str) -> tuple[str, ...]:
        return vocabulary.ancestors(class_id)

    def may_have(self, class_id: str, property_id: str) -> bool:
        return class_id in {CLASS[c] for c in HAVE_ONLY.get(property_id, ())} or (
            property_id not in HAVE_ONLY
        )


def term(said: str) -> Term:
    """ "x1" is a variable, "1850" a year, "1850-05-03" a day, "30 metre" a quantity, "=text" a text, anything else a name."""
    if said[:1] in "xdha" and (said == "a" or said[1:].isdigit()):
        return said
    if said.isdigit() and len(said) == 4:
        return Value(kind="time", time=f"+{said}-00-00T00:00:00Z", precision=9)
    if len(said) == 10 and said[4] == "-":
        return Value(kind="time", time=f"+{said}T00:00:00Z", precision=11)
    if said.startswith("="):
        return Value(kind="string", text=said[1:])
    number, _, unit = said.partition(" ")
    if number.replace(".", "").isdigit():
        return Value(kind="quantity", number=float(number), unit=UNIT[unit] if unit else "")
    return Value(kind="entity", entity=IDS[said])


def form(ask: str, *clauses: str) -> Form:
    """A form from lines: "x0 P84 x1", "image x0", "x1 is town", "d1 < 1850", "a = difference h1 h2", "a = latest x1 x2 by d1 d2",
    "a reads P1684 plaque x0", "a exclusion P840 Velm", "a range P577 1931s" (the 1930s), "a arithmetic P577 x0 -12 P570",
    "a category P840 town", "a meta-attribute P840 town 2" or "K", "image x0 P41" (its flag);
    `ask` is "entity", "date year", "quantity metre" and so on, of the variable "a"."""
    kind, _, how = ask.partition(" ")
    made: list[Clause] = []
    for line in clauses:
        words = line.split(" ")
        match words:
            case ["image", var, *sign]:
                made.append(Image(var=var, sign="".join(sign)))
            case [var, "is", *rest]:
                made.append(ClassClause(var=var, class_id=CLASS[" ".join(rest)]))
            case [out, "=", op, one, other, *by]:
                args = term(one), term(other)
                made.append(Compute(out=out, op=op, args=args, keys=tuple(by[1:])))
            case [subject, clue, prop, *of] if clue in FUZZY_KINDS:
                made.append(_vague(clue, subject, prop, of))
            case [var, "reads", prop, *part, of]:
                made.append(
                    Reads(var=var, of=of, property=prop, part=CLASS[" ".join(part)] if part else "")
                )
            case _:
                left, prop, right = (
                    line.split(" P", 1)[0],
                    *("P" + line.split(" P", 1)[1]).split(" ", 1),
                )
                subject = term(left)
                made.append(ClaimClause(subject=subject, property=prop, object=term(right)))
    unit = UNIT.get(how, "") if kind == "quantity" else ""
    precision = how if kind == "date" or how == "day" else ""
    return Form(clauses=tuple(made), ask=Ask(var="a", type=kind, unit=unit, precision=precision))


def _vague(kind: str, subject: str, property: str, of: list[str]) -> Fuzzy:
    match kind, of:
        case "range", [decade]:
            told = {
                "object": Value(kind="time", time=f"+{decade[:4]}-00-00T00:00:00Z", precision=8)
            }
        case "arithmetic", [var, number, since]:
            told = {"object": var, "number": int(number), "since": since}
        case "meta-attribute", [*named, more]:
            name = {"number": int(more)} if more.isdigit() else {"initial": more}
            told = {"object": entity_value(CLASS[" ".join(named)]), **name}
        case "category", named:
            told = {"object": entity_value(CLASS[" ".join(named)])}
        case _, named:
            told = {"object": entity_value(IDS[" ".join(named)])}
    return Fuzzy(kind=kind, subject=subject, property=property, **told)


def classes(said: str) -> dict[str, str]:
    """ "x0 lighthouse, x1 human" as variable to class id."""
    return {
        part.split(" ", 1)[0]: CLASS[part.split(" ", 1)[1]] for part in said.split(", ") if part
    }


YEARS = {"d1": 1800, "d2": 1850}
"""Of the dates with which a form computes."""
CASES: list[tuple[str, str, tuple[str, ...]]] = [
    # (classes, what is asked, clauses)
    # one and two hops forward
    ("x0 lighthouse", "date year", ("image x0", "x0 P1619 a")),
    ("x0 lighthouse, a human", "entity", ("image x0", "x0 P84 a")),
    ("x0 lighthouse, x1 human, a town", "entity", ("image x0", "x0 P84 x1", "x1 P19 a")),
    ("x0 arch bridge, x1 human", "date year", ("image x0", "x0 P84 x1", "x1 P569 a")),
    ("x0 arch bridge, x1 human", "date day", ("image x0", "x0 P84 x1", "x1 P570 a")),
    ("x0 arch bridge, x1 river", "quantity kilometre", ("image x0", "x0 P177 x1", "x1 P2043 a")),
    ("x0 arch bridge, x1 river, a lake", "entity", ("image x0", "x0 P177 x1", "x1 P403 a")),
    ("x0 painting, x1 human, a art academy", "entity", ("image x0", "x0 P170 x1", "x1 P69 a")),
    ("x0 schooner, x1 shipyard, a human", "entity", ("image x0", "x0 P176 x1", "x1 P112 a")),
    ("x0 schooner, x1 city", "quantity metre", ("image x0", "x0 P504 x1", "x1 P2044 a")),
    ("x0 taxon, x1 human, a town", "entity", ("image x0", "x0 P61 x1", "x1 P20 a")),
    ("x0 novel, x1 human, a human", "entity", ("image x0", "x0 P50 x1", "x1 P1066 a")),
    ("x0 human, x1 human, a town", "entity", ("image x0", "x0 P1066 x1", "x1 P119 a")),
    ("x0 river, x1 mountain, a mountain range", "entity", ("image x0", "x0 P885 x1", "x1 P4552 a")),
    ("x0 church building, x1 human, a human", "entity", ("image x0", "x0 P825 x1", "x1 P26 a")),
    ("x0 monument, x1 battle", "date day", ("image x0", "x0 P547 x1", "x1 P585 a")),
    ("x0 organ, x1 human, a town", "entity", ("image x0", "x0 P176 x1", "x1 P19 a")),
    ("x0 mineral, x1 village, a district", "entity", ("image x0", "x0 P189 x1", "x1 P131 a")),
    ("x0 library, x1 human, a literary award", "entity", ("image x0", "x0 P138 x1", "x1 P166 a")),
    # inverse hops with descriptions
    (
        "x0 lighthouse, x1 human, x2 arch bridge",
        "quantity metre",
        ("image x0", "x0 P84 x1", "x2 P84 x1", "x2 P131 Karsk", "x2 P2043 a"),
    ),
    (
        "x0 lighthouse, x1 human, a arch bridge",
        "entity",
        ("image x0", "x0 P84 x1", "a P84 x1", "a P177 Orla"),
    ),
    (
        "x0 human, x1 painting, a art museum",
        "entity",
        ("image x0", "x1 P170 x0", "x1 P180 Pellan", "x1 P276 a"),
    ),
    (
        "x0 painting, x1 human, a painting",
        "entity",
        ("image x0", "x0 P170 x1", "a P170 x1", "a P571 1871", "a P276 Ostmark Museum"),
    ),
    (
        "x0 schooner, x1 shipyard, x2 clipper, a city",
        "entity",
        ("image x0", "x0 P176 x1", "x2 P176 x1", "x2 P571 1868", "x2 P504 a"),
    ),
    (
        "x0 human, x1 ship, a shipyard",
        "entity",
        ("image x0", "x1 P138 x0", "x1 P571 1902", "x1 P176 a"),
    ),
    # three and four hops
    (
        "x0 schooner, x1 shipyard, x2 human, a art academy",
        "entity",
        ("image x0", "x0 P176 x1", "x1 P112 x2", "x2 P69 a"),
    ),
    # what people like to know
    ("x0 lighthouse, x1 human, a disease", "entity", ("image x0", "x0 P84 x1", "x1 P509 a")),
    ("x0 painting, x1 human, a castle", "entity", ("image x0", "x0 P170 x1", "x1 P2632 a")),
    ("x0 arch bridge, x1 human, a human", "entity", ("image x0", "x0 P631 x1", "x1 P157 a")),
    ("x0 novel, x1 human", "string", ("image x0", "x0 P50 x1", "x1 P1449 a")),
    ("x0 painting, x1 family", "string", ("image x0", "x0 P1028 x1", "x1 P1451 a")),
    (
        "x0 town, x1 association football club, a animal",
        "entity",
        ("image x0", "x1 P159 x0", "x1 P822 a"),
    ),
    ("x0 castle, a film", "entity", ("image x0", "a is film", "a P915 x0")),
    ("x0 castle, a treaty", "entity", ("image x0", "a is treaty", "a P276 x0")),
    ("x0 theatre building, a opera", "entity", ("image x0", "a is opera", "a P4647 x0")),
    (
        "x0 observatory, x1 comet, a human",
        "entity",
        ("image x0", "x1 is comet", "x1 P65 x0", "x1 P61 a"),
    ),
    (
        "x0 lighthouse, x1 human, x2 biography, a human",
        "entity",
        ("image x0", "x0 P84 x1", "x2 is biography", "x2 P921 x1", "x2 P50 a"),
    ),
    (
        "x0 human, x1 statue, a town",
        "entity",
        ("image x0", "x1 is statue", "x1 P547 x0", "x1 P131 a"),
    ),
    (
        "x0 town, x1 treaty, a human",
        "entity",
        ("image x0", "x1 is treaty", "x1 P276 x0", "x1 P50 a"),
    ),
    # years between, and a year read on the picture
    (
        "x0 lighthouse, x1 human",
        "quantity",
        ("image x0", "x0 P84 x1", "x1 P570 d2", "d1 reads P1684 plaque x0", "a = difference d1 d2"),
    ),
    # texts, quantities, quirks
    ("x0 human, x1 painting", "string", ("image x0", "x1 P170 x0", "x1 P571 1866", "x1 P217 a")),
    (
        "x0 literary award, x1 human, a novel",
        "entity",
        ("image x0", "x0 P138 x1", "a P50 x1", "a P577 1911"),
    ),
    ("x0 museum, x1 human, a human", "entity", ("image x0", "x0 P112 x1", "x1 P26 a")),
    ("x0 museum, x1 business", "date year", ("image x0", "x0 P137 x1", "x1 P571 a")),
    ("x0 film, x2 novel, a human", "entity", ("image x0", "x0 P144 x2", "x2 P50 a")),
    (
        "x0 arch bridge, x1 human, x2 business, a city",
        "entity",
        ("image x0", "x0 P84 x1", "x1 P108 x2", "x2 P159 a"),
    ),
    (
        "x0 steam locomotive, x1 business, a human",
        "entity",
        ("image x0", "x0 P176 x1", "x1 P112 a", "a P69 University of Velm"),
    ),
    (
        "x0 opera, x1 human, x2 human, a town",
        "entity",
        ("image x0", "x0 P86 x1", "x1 P1066 x2", "x2 P19 a"),
    ),
    (
        "x0 church building, x1 human, x2 tower",
        "quantity",
        ("image x0", "x0 P84 x1", "x2 P84 x1", "x2 P131 Kesselholm", "x2 P1101 a"),
    ),
]
SEVERAL: list[tuple[str, str, tuple[str, ...]]] = [
    # Forms that one sentence cannot say well: too deep, or a verb behind a subject that is too heavy for it.
    ("x0 painting, x1 art museum", "date year", ("image x0", "x0 P276 x1", "x1 P571 a")),
    (
        "x0 human, x1 lighthouse",
        "date year",
        ("image x0", "x1 P84 x0", "x1 P131 Karsk", "x1 P1619 a"),
    ),
    (
        "x0 arch bridge, x1 river, x2 town",
        "date year",
        ("image x0", "x0 P177 x1", "x1 P885 x2", "x2 P571 a"),
    ),
    (
        "x0 mountain, x1 mountain range, x2 river",
        "quantity kilometre",
        ("image x0", "x0 P4552 x1", "x2 P885 x1", "x2 P403 Varn", "x2 P2043 a"),
    ),
    (
        "x0 taxon, x1 human, x2 university, x3 human, a town",
        "entity",
        ("image x0", "x0 P61 x1", "x1 P69 x2", "x2 P112 x3", "x3 P19 a"),
    ),
    (
        "x0 arch bridge, x1 human, x2 human, x3 church building",
        "date year",
        ("image x0", "x0 P84 x1", "x1 P22 x2", "x3 P84 x2", "x3 P131 Velm", "x3 P571 a"),
    ),
    (
        "x0 statue, x1 human, x2 battle, a town",
        "entity",
        ("image x0", "x0 P547 x1", "x1 P607 x2", "x2 P276 a"),
    ),
    (
        "x0 arch bridge, x1 human",
        "quantity",
        ("image x0", "x0 P84 x1", "x1 P569 d1", "x0 P571 d2", "a = difference d1 d2"),
    ),
    (
        "x0 battle, x1 human",
        "date day",
        ("image x0", "x0 P710 x1", "x1 P166 Order of the Heron", "x1 P570 a"),
    ),
    ("x0 taxon, x1 human, a taxon", "entity", ("image x0", "x0 P61 x1", "a P61 x1", "a P575 1877")),
    (
        "x0 castle, x1 town, a human",
        "entity",
        ("image x0", "x0 P131 x1", "a P19 x1", "a P166 Order of the Heron", "a P106 poet"),
    ),
    (
        "x0 lighthouse, x1 human, x2 human",
        "date year",
        ("image x0", "x0 P84 x1", "x2 P1066 x1", "x2 P19 Velm", "x2 P569 a"),
    ),
]
GENDERS = {"x0": "she", "x1": "he", "x2": "she", "x3": "he"}
REFUSED: list[tuple[str, str, tuple[str, ...]]] = [
    # A thing of no known kind, kin of kin, and two things related twice.
    (
        "x0 lighthouse, x1 human, x2 arch bridge, a lake",
        "entity",
        ("image x0", "x0 P84 x1", "x2 P84 x1", "x2 P131 Karsk", "x2 P177 x3", "x3 P403 a"),
    ),
    ("x0 human, x1 human, a human", "entity", ("image x0", "x0 P22 x1", "x1 P26 a")),
    (
        "x0 human, x1 painting, a town",
        "entity",
        ("image x0", "x1 P170 x0", "x1 P180 x0", "x1 P1071 a"),
    ),
]
