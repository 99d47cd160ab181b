"""Turns the true statements about a thing into paragraphs of wikitext.

A phrasing is a sentence with placeholders:

* `{P84}` gives the linked values of P84; `{P84.P19}` gives the P19 of these values.
* `{in:P84}` and `{in:P170:painting}` list the things that refer to the subject.
* `{t:keeper}` is a relation that only the article states; `{in:t:keeper}` is its reverse.
* A suffix changes the form of a value: `:plain` (no links), `:year`, `:in` ("in 1873", "on 4 May
  1873"), `:q:P585` (the year in the first statement's qualifier).
* The placeholders for words about the subject are `{NAME}`, `{noun}`, `{a_noun}`, `{it}`, `{It}`,
  `{its}`, `{Its}`, `{it_obj}`, `{Last}`, `{country}`, `{lifespan}`, `{a_occupation}`, `{group}`,
  `{medium}`.
* `{was/were}` agrees with the number of listed things.
* `{early|late}` is a random choice for each page.

A page prints each list only once.
"""

import random

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.phrases import plan_of
from questloom.knowledge.world.readable import article_for, hint, mention, unit_words
from questloom.language.english import MONTHS
from questloom.records.knowledge import Value

COUNTABLE = frozenset(
    qid
    for group in ("thing", "mascot")
    for name, qid in vocabulary.groups()[group].items()
    if name not in ("sea", "Moon", "Sun")
)
"""Everyday values that take an article in a sentence, such as "a scarf" in a picture."""
LISTED = 6
"""Maximum number of things that a list in a sentence names."""
SAME_LIST = {"P1344": "in:P710"}
"""Maps a property to the placeholder that prints the same list. P1344 ("participant in") and
`in:P710` (things with the subject as "participant") both list the events of a person.
"""
KINDS_UNSAID = frozenset(["ship", "locomotive", "music", "book"])
"""Kinds of things whose class is stated neither by the name nor by other sentences. If a thing of
one of these kinds has no page, its class is put before its name."""


class Prose:
    """Writes the sentences of one part of the world.

    Args:
        part: a complete part.
    """

    def __init__(self, part: Part) -> None:
        self.part = part
        self.inbound: dict[str, dict[str, list[Thing]]] = {}
        for thing in part.things.values():
            for statement in thing.statements:
                if statement.value.kind == "entity" and statement.rank != "deprecated":
                    self._point(statement.value.entity, statement.property, thing)
            for key, value in thing.told.items():
                if value.kind == "entity":
                    self._point(value.entity, f"t:{key}", thing)

    def _point(self, target: str, relation: str, source: Thing) -> None:
        for key in (relation, f"{relation}:{source.kind}"):
            sources = self.inbound.setdefault(target, {}).setdefault(key, [])
            if source not in sources:
                sources.append(source)

    def sections(self, thing: Thing) -> list[tuple[str, list[str]]]:
        """The title and sentences of each section of an article; the first section has the title "lead"."""
        rng = self.part.rng(f"prose-{thing.id}")
        found = []
        told: set[tuple[str, str]] = set()
        for heading in plan_of(thing.kind):
            sentences = []
            for line in heading.lines:
                if rng.random() >= line.share:
                    continue
                phrasings = list(line.phrasings)
                rng.shuffle(phrasings)
                for phrasing in phrasings:
                    lists = [self._reached(thing, piece) for piece in phrasing[1::2]]
                    text = "" if told.intersection(lists) else self._fill(thing, phrasing, rng)
                    if text:
                        told.update(key for key in lists if key[1].startswith("in:"))
                        sentences.append(text)
                        break
            if sentences or heading.title == "lead":
                found.append((heading.title, sentences))
        return found

    def _fill(self, thing: Thing, phrasing: tuple[str, ...], rng: random.Random) -> str:
        words = []
        for i, piece in enumerate(phrasing):
            if i % 2:
                piece = (
                    self._choice(thing, phrasing, piece, rng)
                    if "|" in piece or "/" in piece
                    else self.value(thing, piece, rng)
                )
                if not piece:
                    return ""
            words.append(piece)
        text = "".join(words)
        return (text[:1].upper() + text[1:]) if text[:2] != "[[" else _capital_link(text)

    def _choice(
        self, thing: Thing, phrasing: tuple[str, ...], choices: str, rng: random.Random
    ) -> str:
        """Chooses one of several words, or the singular or plural. Chooses the plural if the
        phrasing's reverse lists name several things. If the phrasing has no reverse list, the
        number of its values decides between singular and plural."""
        if "|" in choices:
            return rng.choice(choices.split("|"))
        keys = [key for key in phrasing[1::2] if "/" not in key and "|" not in key]
        keys = [key for key in keys if "in:" in key] or [key for key in keys if key[0] == "P"]
        one, many = choices.split("/")
        return one if sum(self._number(thing, key) for key in keys) == 1 else many

    def _number(self, thing: Thing, key: str, asker: Thing | None = None) -> int:
        """The number of things that a placeholder lists."""
        first, _, rest = key.partition(".")
        if rest:
            step = self.part.find(thing.first(first))
            return self._number(step, rest, thing) if step else 0
        return (
            len(self._inbound(thing, key, asker))
            if key.startswith("in:")
            else len(thing.values(key.split(":")[0]))
        )

    def _reached(self, thing: Thing, key: str) -> tuple[str, str]:
        """The thing and the relation whose list a placeholder prints. Placeholders with the same thing and relation
        print the same list."""
        first, _, rest = key.partition(".")
        if rest and key[0] in "Pt":
            step = next((v.entity for v in self._values(thing, first)), "")
            other = self.part.find(step)
            return self._reached(other, rest) if other else ("", key)
        return thing.id, SAME_LIST.get(key, key)

    def _inbound(self, thing: Thing, key: str, asker: Thing | None) -> list[Thing]:
        return [
            t
            for t in self.inbound.get(thing.id, {}).get(key[3:], [])
            if t is not thing and t is not asker
        ]

    def value(self, thing: Thing, key: str, rng: random.Random, asker: Thing | None = None) -> str:
        """The text for one placeholder; "" if the thing has no value for it. The thing `asker` is
        left out of lists."""
        if key[0] != "P" and not key.startswith(("t:", "in:")):
            return self._word(thing, key)
        first, _, rest = key.partition(".")
        if rest:
            steps = [
                self.part.find(v.entity) for v in self._values(thing, first) if v.kind == "entity"
            ]
            return next(
                (
                    text
                    for step in steps[:1]
                    if step and (text := self.value(step, rest, rng, thing))
                ),
                "",
            )
        if key.startswith("in:"):
            things = self._inbound(thing, key, asker)
            return self._listed(
                sorted(rng.sample(things, min(LISTED, len(things))), key=lambda t: t.id),
                asker or thing,
                rng,
            )
        name, *how = (
            key.split(":")
            if not key.startswith("t:")
            else [":".join(key.split(":")[:2]), *key.split(":")[2:]]
        )
        if how[:1] == ["q"]:
            qualifiers = [
                q
                for s in thing.statements
                if s.property == name and s.rank != "deprecated"
                for q in s.qualifiers
                if q.property == how[1]
            ][-1:]
            return str(qualifiers[0].value.year) if qualifiers else ""
        values = self._values(thing, name)
        if not values:
            return ""
        if how and how[0] in ("year", "in"):
            return spoken_time(values[0], how[0])
        if values[0].kind == "entity" and len(values) > LISTED:
            values = rng.sample(values, LISTED)
        things = [other for v in values if (other := self.part.find(v.entity))]
        if how != ["plain"] and len(things) == len(values):
            return self._listed(things, asker or thing, rng)
        return joined([self.say(v, rng, plain=how == ["plain"]) for v in values])

    def _listed(self, things: list[Thing], subject: Thing, rng: random.Random) -> str:
        """Several things as a list in a sentence. If another thing or the page's subject has the
        same name, the hint from the thing's title is added to the name."""
        names = [mention(t) for t in (*things, subject)]
        hints = [hint(t) if names.count(mention(t)) > 1 else "" for t in things]
        return joined(
            [
                self.link(t, rng) + (f" ({said})" if said else "")
                for t, said in zip(things, hints, strict=True)
            ]
        )

    def _values(self, thing: Thing, name: str) -> list[Value]:
        if name.startswith("t:"):
            return [thing.told[name[2:]]] if name[2:] in thing.told else []
        return thing.values(name)

    def say(self, value: Value, rng: random.Random, *, plain: bool = False) -> str:
        """One value in words, for a sentence."""
        match value.kind:
            case "entity":
                other = self.part.find(value.entity)
                if other is None:
                    label = self.part.label(value.entity)
                    return article_for(label) if value.entity in COUNTABLE else label
                return mention(other) if plain else self.link(other, rng)
            case "time":
                return spoken_time(value, "in").split(" ", 1)[1]
            case "quantity":
                return unit_words(value, rng)
            case _:
                return value.text

    def link(self, thing: Thing, rng: random.Random) -> str:
        """A wikilink to a thing's article in one of the usual forms. A thing without an article is mostly named in
        plain words, sometimes as a red link."""
        words = mention(thing)
        article, name = ("the ", words[4:]) if words.startswith("the ") else ("", words)
        if not thing.article and thing.kind in KINDS_UNSAID:
            article = f"the {self.part.label(thing.classes[0])} "
        if not thing.article and rng.random() < 0.88:
            return article + name
        if thing.look.get("redirects") and rng.random() < 0.12:
            return f"{article}[[{rng.choice(thing.look['redirects'])}|{name}]]"
        if thing.title == name:
            return f"{article}[[{name}]]"
        return f"{article}[[{thing.title}|{name}]]"

    def _word(self, thing: Thing, key: str) -> str:
        noun = self.part.label(thing.classes[0])
        subject = (
            "she"
            if thing.kind == "ship" or (thing.kind == "person" and thing.woman)
            else "he"
            if thing.kind == "person"
            else "it"
        )
        possessive = {"she": "her", "he": "his", "it": "its"}[subject]
        match key:
            case "NAME":
                bold = f"'''{mention(thing).removeprefix('the ')}'''"
                return ("the " if mention(thing).startswith("the ") else "") + bold
            case "name":
                return thing.label
            case "noun":
                return noun
            case "a_noun":
                return article_for(noun)
            case "it" | "It":
                return subject if key == "it" else subject.capitalize()
            case "its" | "Its":
                return possessive if key == "its" else possessive.capitalize()
            case "it_obj":
                return {"she": "her", "he": "him", "it": "it"}[subject]
            case "Last":
                return thing.surname
            case "country":
                country = self.part.nation.region
                return (
                    f"[[{country.title}]]"
                    if self.part.rng(f"country-{thing.id}").random() < 0.6
                    else country.label
                )
            case "lifespan":
                return (
                    f"{thing.start}–{thing.end}" if thing.values("P570") else f"born {thing.start}"
                )
            case "a_occupation":
                return article_for(thing.look.get("occupation", "citizen"))
            case "medium":
                return " on ".join(self.part.label(v.entity) for v in thing.values("P186"))
            case "group":
                return group_noun(thing)
        raise AssertionError(key)


def group_noun(thing: Thing) -> str:
    """The everyday word for the group to which a species or genus belongs: "fish", or "butterfly" for Lepidoptera."""
    return {"Lepidoptera": "butterfly"}.get(thing.look["group"], thing.look["group"])


def joined(words: list[str]) -> str:
    """Joins words into a list for a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def spoken_time(value: Value, how: str) -> str:
    """A time as "1873", "in 1873" or "on 4 May 1873"."""
    if value.kind != "time" or value.year is None:
        return ""
    if how == "year":
        return str(value.year)
    if value.precision < 11:
        return f"in {value.year}"
    return f"on {int(value.time[9:11])} {MONTHS[int(value.time[6:8]) - 1]} {value.year}"


def _capital_link(text: str) -> str:
    """Capitalises a sentence that begins with a link in lower case."""
    end = text.index("]]")
    inner = text[2:end]
    target, bar, words = inner.partition("|")
    return (
        f"[[{target}{bar}{words[:1].upper()}{words[1:]}" + text[end:]
        if bar
        else f"[[{target[:1].upper()}{target[1:]}" + text[end:]
    )
