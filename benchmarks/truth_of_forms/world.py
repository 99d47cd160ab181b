"""The truth of the invented world, indexed by subject and by value. The object also holds the
claims in the world's published dump.

Values are stored as keys, in the same notation as in truth.jsonl.
"""

import bz2
import json
from collections import defaultdict
from functools import cached_property
from pathlib import Path

from questloom.knowledge.world import vocabulary
from questloom.records.knowledge import Value, value_of_key

AROUND = ("P131", "P276", "P706")
CLIMBS = {
    "P279": ("P279",),
    "P361": ("P361", "P131"),
    **dict.fromkeys((*AROUND, "P19", "P20", "P159"), AROUND),
}
"""For each property, the properties that lead from its value to what contains the value, as from a
town to its district.
"""
Span = tuple[tuple[int, int, int], tuple[int, int, int]]


def span(key: str) -> Span | None:
    """Returns the first and the last day that a time's key may mean, as (year, month, day). Returns
    None for other values.

    >>> span("time:+1832-05/10"), span("time:+1832/9")
    (((1832, 5, 1), (1832, 5, 31)), ((1832, 1, 1), (1832, 12, 31)))
    """
    if not key.startswith("time:"):
        return None
    value = value_of_key(key)
    year, month, day = value.gregorian
    if value.precision >= 9:
        return (year, month or 1, day or 1), (year, month or 12, day or 31)
    return (year, 1, 1), (year + 10 ** (9 - value.precision) - 1, 12, 31)


def same(left: str, right: str) -> bool:
    """Whether two values agree. Values agree if their keys are equal or their times overlap.
    Numbers agree if they have the same unit and the same first eight digits.
    """
    first, second = span(left), span(right)
    if first and second:
        return first[0] <= second[1] and second[0] <= first[1]
    if left.startswith("quantity:") and right.startswith("quantity:"):
        (_, a, unit), (_, b, other) = left.split(":"), right.split(":")
        return unit == other and abs(float(a) - float(b)) <= 1e-8 * max(1.0, abs(float(b)))
    return left == right


class World:
    """Everything that is true of the invented world, including the claims that its dump leaves
    out.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.claims: dict[tuple[str, str], list[str]] = defaultdict(list)
        """For each subject and property, the keys of the best values. If the property begins with
        "told:", only an article states the relation.
        """
        self.subjects: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        """The subjects by property and by the value's key."""
        self.labels: dict[str, str] = {}
        self.details: dict[str, list[dict]] = {}
        self.articles: dict[str, str] = {}
        with open(folder / "truth.jsonl", encoding="utf-8") as lines:
            for line in lines:
                self._add(json.loads(line))

    def _add(self, row: dict) -> None:
        self.labels[row["id"]] = row["label"]
        self.details[row["id"]] = row["details"]
        if row["article"]:
            self.articles[row["article"]] = row["id"]
        best = [(p, key, label) for p, key, label, best in row["claims"] if best]
        for prop, key, label in (*best, *((f"told:{r}", k, text) for r, k, text in row["told"])):
            if key not in ("somevalue", "novalue") and key not in self.claims[row["id"], prop]:
                self.claims[row["id"], prop].append(key)
                self.subjects[prop][key].append(row["id"])
                self.labels.setdefault(key, label)

    def id_of(self, key: str) -> str:
        """Replaces an id that the store made from an article, such as "enwiki:Title", by the
        thing's own id. Other keys stay unchanged.
        """
        wiki, colon, title = key.partition(":")
        return self.articles.get(title, key) if colon and wiki.endswith("wiki") else key

    def values(self, subject: str, property: str) -> list[str]:
        """The best values that a subject has for a property. A coarse time does not count if a more
        exact time is known.
        """
        found = self.claims.get((subject, property), [])
        return [
            k
            for k in found
            if not any(len(o) > len(k) and span(k) and span(o) and same(k, o) for o in found)
        ]

    def holds(self, subject: str, property: str, value: str) -> bool:
        """Whether the truth states a value, or a more exact value within it."""
        found = self.values(subject, property)
        return any(same(v, value) for v in found) or any(
            value in self.around(v, property) for v in found
        )

    def around(self, place: str, property: str) -> set[str]:
        """All values that contain a value of a property. The set is empty for properties whose
        values do not contain each other.
        """
        found: set[str] = set()
        waiting = [place]
        while waiting:
            one = waiting.pop()
            more = {
                v for p in CLIMBS.get(property, ()) for v in self.claims.get((one, p), ())
            } - found
            found |= more
            waiting.extend(more)
        return found

    def with_value(self, property: str, value: str) -> list[str]:
        """The subjects that have the value according to the truth."""
        return sorted(
            {
                s
                for key, found in self.subjects[property].items()
                if same(key, value) or value in self.around(key, property)
                for s in found
            }
        )

    def classes(self, id_: str) -> set[str]:
        """All classes of a thing, including their superclasses."""
        own = list(self.claims.get((id_, "P31"), ()))
        if id_ in vocabulary.classes_of_terms():
            own.append(vocabulary.classes_of_terms()[id_])
        return {above for c in own for above in vocabulary.ancestors(c)}

    @cached_property
    def members(self) -> dict[str, list[str]]:
        """All members of each class."""
        found: dict[str, list[str]] = defaultdict(list)
        for id_ in sorted({*self.labels, *vocabulary.classes_of_terms()}):
            for above in self.classes(id_):
                found[above].append(id_)
        return found

    @cached_property
    def published(self) -> dict[str, set[tuple[str, str]]]:
        """For each item in the dump, the (property, key) pairs that the dump states."""
        found: dict[str, set[tuple[str, str]]] = {}
        with bz2.open(self.folder / "entities.json.bz2", "rt", encoding="utf-8") as lines:
            for line in lines:
                if line.strip() in ("[", "]", ""):
                    continue
                item = json.loads(line.strip().rstrip(","))
                found[item["id"]] = {
                    (prop, key)
                    for prop, said in (item.get("claims") or {}).items()
                    for s in said
                    if (key := _key(s["mainsnak"]))
                }
        return found

    def hidden(self, subject: str, property: str, value: str) -> str:
        """Why a true claim is missing from the dump: "absent thing" or "gap"; "" if the dump has
        the claim.
        """
        if subject not in self.published:
            return "absent thing"
        said = {k for p, k in self.published[subject] if p == property}
        true = [v for v in self.values(subject, property) if same(v, value)] or [
            v for v in self.values(subject, property) if value in self.around(v, property)
        ]
        return "" if any(same(k, v) for k in said for v in true) else "gap"


def _key(snak: dict) -> str:
    data = snak.get("datavalue")
    if data is None:
        return ""
    match data["type"]:
        case "wikibase-entityid":
            return data["value"]["id"]
        case "time":
            given = data["value"]
            return Value(kind="time", time=given["time"], precision=given["precision"]).key()
        case "quantity":
            unit = data["value"]["unit"].rpartition("/")[2]
            number = float(data["value"]["amount"])
            return Value(kind="quantity", number=number, unit="" if unit == "1" else unit).key()
        case "monolingualtext":
            return f"monolingual:{data['value']['language']}:{data['value']['text']}"
        case "string":
            return f"string::{data['value']}"
        case _:
            return ""
