"""The lexicon of the grammar: verb frames, whole phrases, nouns, roles, measures and names."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from benchmarks.truth_reader.world import Truth

Tokens = tuple[str, ...]
_TOKEN = re.compile(r"[“”]|[,.?:;](?=\s|$|”)|(?:(?![,.?:;](?:\s|$|”))[^\s“”])+")
AUXILIARY = {
    "was": "was",
    "were": "was",
    "is": "is",
    "are": "is",
    "did": "did",
    "do": "does",
    "does": "does",
}


def tokens(text: str) -> Tokens:
    """Splits a text into words and punctuation marks. A full stop or comma within a word or number
    does not split it.

    >>> tokens("Who wrote “St. Ivo”, 1,250 pages?")
    ('Who', 'wrote', '“', 'St', '.', 'Ivo', '”', ',', '1,250', 'pages', '?')
    """
    return tuple(_TOKEN.findall(text))


@dataclass
class Frame:
    """One verb: its finite forms, its forms in questions, and the meaning of the phrases that
    follow it.
    """

    finite: list[Tokens]
    turned: list[tuple[str, Tokens]]
    """The forms in questions, as (auxiliary, rest): "did … die", "was … born"."""
    bare: Tokens
    """The tokens of the participle that can stand alone after a noun; empty if the verb has no such
    participle.
    """
    obj: str = ""
    time: str = ""
    kind: str = ""
    """What the subject of "was done", or the object of "did", is; empty if it may be anything."""
    complements: dict[Tokens, str] = field(default_factory=dict)
    """The relation that each preposition expresses."""


class Trie:
    """Names or nouns, which are found by their tokens."""

    def __init__(self) -> None:
        self._next: dict[str, Trie] = {}
        self._here: str | None = None

    def add(self, key: Tokens, value: str) -> None:
        node = self
        for token in key:
            node = node._next.setdefault(token, Trie())
        node._here = value

    def found(self, text: Tokens, start: int) -> list[tuple[int, str]]:
        """All entries that begin at `start`, as (end, value). The longest entry comes first."""
        node, found = self, []
        for i in range(start, len(text) + 1):
            if node._here is not None:
                found.append((i, node._here))
            if i == len(text) or text[i] not in node._next:
                break
            node = node._next[text[i]]
        return found[::-1]


@cache
def data() -> dict:
    """The content of the file lexicon.yaml."""
    return yaml.load(
        (Path(__file__).parent / "lexicon.yaml").read_text(encoding="utf-8"), yaml.BaseLoader
    )  # all strings: YAML would read the word "on" as true


def plural(noun: str) -> str:
    """The plural of a noun: regular, or one of a few irregular plurals."""
    irregular = {
        "person": "people",
        "child": "children",
        "man": "men",
        "woman": "women",
        "species": "species",
        "work of art": "works of art",
    }
    if noun in irregular:
        return irregular[noun]
    if re.search(r"(s|x|z|ch|sh)$", noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def adjective(name: str) -> str:
    """The adjective of a style whose name ends in "-ism"; other names stay unchanged.

    >>> [adjective(f"Old {name}") for name in ("Neoclassicism", "Historicism", "Gothicism", "Cubism")]
    ['Old Neoclassical', 'Old Historicist', 'Old Gothic', 'Old Cubist']
    """
    for noun, said in (
        ("classicism", "classical"),
        ("historicism", "historicist"),
        ("icism", "ic"),
        ("ism", "ist"),
    ):
        if name.lower().endswith(noun):
            return name[: -len(noun) + 1] + said[1:]
    return name


class Lexicon:
    """All words and names that the grammar looks up. The lexicon is built once per world, because
    the names come from the world.
    """

    def __init__(self, truth: Truth) -> None:
        raw = data()
        self.frames = [_frame(dict(entry)) for entry in raw["verbs"]]
        self.phrases = [(tuple(text.split()), relation) for text, relation in raw["phrases"]]
        self.roles: dict[Tokens, str] = {tuple(k.split()): v for k, v in raw["roles"].items()}
        self.events: dict[Tokens, str] = {tuple(k.split()): v for k, v in raw["events"].items()}
        self.texts: dict[Tokens, str] = {tuple(k.split()): v for k, v in raw["texts"].items()}
        self.text_asks = [
            (tuple(ask.split()), properties) for ask, properties in raw["text_asks"].items()
        ]
        self.measures = raw["measures"]
        self.units: dict[Tokens, str] = {}
        for name, unit in raw["units"].items():
            self.units[tuple(name.split())] = self.units[tuple(plural(name).split())] = unit
        self.nouns, self.owners, self.plurals, self.names, self.adjectives, self.short = (
            Trie(),
            Trie(),
            Trie(),
            Trie(),
            Trie(),
            Trie(),
        )
        self.before = raw["before"]
        self.occupations = truth.occupations - set(raw["callings"])
        self.generic = set(raw["generic"])
        self.sexes = {word for word in raw["sexes"] if word not in raw["nouns"]}
        """The pronouns for people of one sex, without any nouns."""
        self.gaps = []
        for text, relation in raw["gaps"]:
            opening, closing = text.split(" {x} ")
            self.gaps.append((tuple(opening.split()), tuple(closing.split()), relation))
        self.whose = [(tuple(text.split()), relation) for text, relation in raw["whose"]]
        for noun in {
            *truth.class_labels,
            *truth.occupations,
            *raw["nouns"],
            *raw["callings"],
            *raw["roles"],
            *raw["taxa"],
        }:
            self.nouns.add(tuple(noun.split()), noun)
            self.owners.add(tuple(f"{noun}'s".split()), noun)
            self.plurals.add(tuple(plural(noun).split()), noun)
            # "that station" may refer to "the railway station"
            self.short.add((noun.split()[-1],), noun.split()[-1])
            self.owners.add((f"{noun.split()[-1]}'s",), noun.split()[-1])
            self.plurals.add((plural(noun.split()[-1]),), noun.split()[-1])
        for label in truth.by_label:
            self.names.add(tokens(label), label)
            if adjective(label) not in truth.by_label:
                self.adjectives.add(tokens(adjective(label)), label)
        self.by_first: dict[str, list[tuple[Frame, Tokens]]] = defaultdict(list)
        """The verb frames, by the first word of a finite form."""
        for frame in self.frames:
            for form in frame.finite:
                self.by_first[form[0]].append((frame, form))


def _frame(entry: dict) -> Frame:
    obj, time, kind = (entry.pop(key, "") for key in ("obj", "time", "kind"))
    if "be" in entry:
        rest = tuple(entry.pop("be").split())
        frame = Frame(
            [(aux, *rest) for aux in ("was", "is", "were", "are")],
            [(aux, rest) for aux in ("was", "is")],
            rest,
        )
    else:
        finite, base = entry.pop("do").split("/")
        forms = [tuple(finite.split())] + ([tuple(base.split())] if base != finite else [])
        frame = Frame(forms, [(aux, tuple(base.split())) for aux in ("did", "does")], ())
    frame.obj, frame.time, frame.kind = obj, time, kind
    frame.complements = {tuple(k.split()): v for k, v in entry.items()}
    return frame


@cache
def _kind_labels(noun: str) -> frozenset[str] | None:
    found = data()["nouns"].get(noun)
    return None if found == [] else frozenset(found or [noun])


def _is_in_group(truth: Truth, id_: str, group: str) -> bool:
    """Whether a taxon belongs to the group that has this label."""
    seen, todo = set[str](), [id_]
    while todo:
        above = todo.pop()
        if above in seen or above not in truth.things:
            continue
        seen.add(above)
        if truth.things[above].label == group:
            return above != id_
        todo += truth.things[above].items.get("P171", ())
    return False


def is_kind(truth: Truth, id_: str, noun: str) -> bool:
    """Whether a noun says what a thing is. The noun may name the thing's class, a superclass, or a
    person's occupation.
    """
    thing = truth.things[id_]
    calling = data()["callings"].get(noun)
    if calling:
        occupations = {truth.things[o].label for o in thing.items.get("P106", ())}
        return (
            bool(occupations & set(calling["occupations"]))
            or any(truth.into.get((p, id_)) for p in calling["by"].split())
            or (noun == "teacher" and bool(truth.into.get(("P1066", id_))))
        )
    if sex := data()["sexes"].get(noun):
        return sex in {truth.things[s].label for s in thing.items.get("P21", ())}
    if group := data()["taxa"].get(noun):
        return _is_in_group(truth, id_, group)
    if noun == "species":
        return "taxon" in thing.classes and "Q7432" in thing.items.get("P105", ())
    role = data()["roles"].get(noun)
    labels = _kind_labels(noun)
    if noun not in data()["nouns"] and role and noun not in truth.class_labels:
        return bool(truth.related(id_, role))
    if noun in truth.occupations and noun not in truth.class_labels:
        return noun in {truth.things[o].label for o in thing.items.get("P106", ())}
    return labels is None or bool(labels & thing.classes)
