"""The part of the world that is real: Wikidata's ids and English labels of classes, properties and everyday values."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class PropertyTerm:
    """A real property: its datatype in the dump, its constraints (s: single value, b: single best
    value, d: distinct values), and its English label and aliases."""

    id: str
    datatype: str
    constraints: str
    label: str
    aliases: tuple[str, ...]


def _lines(name: str) -> list[list[str]]:
    return [
        line.split("|")
        for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]


@cache
def of_country() -> frozenset[str]:
    """The Wikidata ids that only the large fictional world (the country) uses; the small learning
    world does not use them. In each data file, these ids stand below a marker line."""
    found = set[str]()
    for name in ("classes.txt", "properties.txt", "terms.txt"):
        _, _, below = (FOLDER / name).read_text(encoding="utf-8").partition("# Only the country")
        found.update(line.split("|")[name == "terms.txt"] for line in below.splitlines()[1:])
    return frozenset(found)


@cache
def class_parents() -> dict[str, tuple[str, ...]]:
    """A dict from each class id to the class's direct superclasses."""
    return {
        cls: tuple(p for p in parents.split(",") if p) for cls, _, parents in _lines("classes.txt")
    }


@cache
def ancestors(class_id: str) -> tuple[str, ...]:
    """A class and all its superclasses, nearest first."""
    found = [class_id]
    for cls in found:
        found.extend(p for p in class_parents().get(cls, ()) if p not in found)
    return tuple(found)


@cache
def groups() -> dict[str, dict[str, str]]:
    """The everyday values by group ("stone", "colour", …). For each group, a dict from the English label of a value to
    its id."""
    found: dict[str, dict[str, str]] = {}
    for group, qid, label, *_ in _lines("terms.txt"):
        found.setdefault(group, {})[label] = qid
    return found


@cache
def classes_of_terms() -> dict[str, str]:
    """A dict from each everyday value that has its own class (a disease, an animal) to the class id."""
    return {qid: cls[0] for _, qid, _, *cls in _lines("terms.txt") if cls}


@cache
def labels() -> dict[str, str]:
    """The English labels of all real items that the fictional world uses."""
    found = {qid: label for group in groups().values() for label, qid in group.items()}
    found.update((cls, label) for cls, label, _ in _lines("classes.txt"))
    return found


@cache
def class_ids() -> dict[str, str]:
    """A dict from the English label of each class to the class id."""
    return {label: cls for cls, label, _ in _lines("classes.txt")}


@cache
def properties() -> dict[str, PropertyTerm]:
    """All real properties that the fictional world uses, by id."""
    return {
        pid: PropertyTerm(
            pid, datatype, constraints, label, tuple(a for a in aliases.split(";") if a)
        )
        for pid, datatype, constraints, label, aliases in _lines("properties.txt")
    }
