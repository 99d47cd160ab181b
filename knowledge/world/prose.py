"""Turns what is true of a thing into paragraphs of wikitext.

Placeholders of a phrasing: {P84} linked values; {P84.P19} values of the value; {in:P84} or {in:P170:painting} what refers to
the thing; {t:keeper} what only the article tells, {in:t:river} the reverse; suffixes :plain (no links), :year, :in ("in
1873", "on 4 May 1873"), :q:P585 (the year in the first statement's qualifier); {NAME}, {noun}, {a_noun}, {it}, {It},
{its}, {Its}, {it_obj}, {Last}, {country}, {lifespan}, {a_occupation}, {group}, {medium}.
"""
import random

from knowledge.world import vocabulary
from knowledge.world.model import Thing
from knowledge.world.part import Part
from knowledge.world.phrases import plan_of
from knowledge.world.readable import MONTHS, article_for, mention, unit_words
from records.knowledge import Value

COUNTABLE = frozenset(qid for group in ("thing", "mascot") for name, qid in vocabulary.groups()[group].items() if name not in ("sea", "Moon", "Sun"))
"""Everyday things of which there is one in a picture or on a scarf."""
LISTED = 6
"""How many things a list in a sentence names at most."""


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
        """Titles and sentences of an article's sections; the lead has the title "lead"."""
        rng = self.part.rng(f"prose-{thing.id}")
        found = []
        for heading in plan_of(thing.kind):
            sentences = []
            for line in heading.lines:
                if rng.random() >= line.share:
                    continue
                phrasings = list(line.phrasings)
                rng.shuffle(phrasings)
                for phrasing in phrasings:
                    text = self._fill(thing, phrasing, rng)
                    if text:
                        sentences.append(text)
                        break
            if sentences or heading.title == "lead":
                found.append((heading.title, sentences))
        return found

    def _fill(self, thing: Thing, phrasing: tuple[str, ...], rng: random.Random) -> str:
        words = []
        for i, piece in enumerate(phrasing):
            if i % 2:
                piece = self.value(thing, piece, rng)
                if not piece:
                    return ""
            words.append(piece)
        text = "".join(words)
        return (text[:1].upper() + text[1:]) if text[:2] != "[[" else _capital_link(text)

    def value(self, thing: Thing, key: str, rng: random.Random, asker: Thing | None = None) -> str:
        """The text of one placeholder, or "" where the thing has no such value; a list leaves out the one who asks."""
        if key[0] != "P" and not key.startswith(("t:", "in:")):
            return self._word(thing, key)
        first, _, rest = key.partition(".")
        if rest:
            steps = [self.part.find(v.entity) for v in self._values(thing, first) if v.kind == "entity"]
            return next((text for step in steps[:1] if step and (text := self.value(step, rest, rng, thing))), "")
        if key.startswith("in:"):
            things = [t for t in self.inbound.get(thing.id, {}).get(key[3:], []) if t is not thing and t is not asker]
            shown = sorted(rng.sample(things, min(LISTED, len(things))), key=lambda t: t.id)
            return joined([self.link(t, rng) for t in shown])
        name, *how = key.split(":") if not key.startswith("t:") else [":".join(key.split(":")[:2]), *key.split(":")[2:]]
        if how[:1] == ["q"]:
            qualifiers = [q for s in thing.statements if s.property == name and s.rank != "deprecated" for q in s.qualifiers
                          if q.property == how[1]][-1:]
            return str(qualifiers[0].value.year) if qualifiers else ""
        values = self._values(thing, name)
        if not values:
            return ""
        if how and how[0] in ("year", "in"):
            return spoken_time(values[0], how[0])
        if values[0].kind == "entity" and len(values) > LISTED:
            values = rng.sample(values, LISTED)
        return joined([self.say(v, rng, plain=how == ["plain"]) for v in values])

    def _values(self, thing: Thing, name: str) -> list[Value]:
        if name.startswith("t:"):
            return [thing.told[name[2:]]] if name[2:] in thing.told else []
        return thing.values(name)

    def say(self, value: Value, rng: random.Random, *, plain: bool = False) -> str:
        """One value in a sentence."""
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
        """A wikilink to a thing's article, in one of the usual forms; plain words where it has none and none is wanted."""
        words = mention(thing)
        if not thing.article and rng.random() < .88:
            return words
        article, name = ("the ", words[4:]) if words.startswith("the ") else ("", words)
        if thing.look.get("redirects") and rng.random() < .12:
            return f"{article}[[{rng.choice(thing.look['redirects'])}|{name}]]"
        if thing.title == name:
            return f"{article}[[{name}]]"
        return f"{article}[[{thing.title}|{name}]]"

    def _word(self, thing: Thing, key: str) -> str:
        noun = self.part.label(thing.classes[0])
        subject = "she" if thing.kind == "ship" or (thing.kind == "person" and thing.woman) else "he" if thing.kind == "person" else "it"
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
                return f"[[{country.title}]]" if self.part.rng(f"country-{thing.id}").random() < .6 else country.label
            case "lifespan":
                return f"{thing.start}–{thing.end}" if thing.values("P570") else f"born {thing.start}"
            case "a_occupation":
                return article_for(thing.look.get("occupation", "citizen"))
            case "medium":
                return " on ".join(self.part.label(v.entity) for v in thing.values("P186"))
            case "group":
                return {"Lepidoptera": "butterfly"}.get(thing.look["group"], thing.look["group"])
        raise AssertionError(key)


def joined(words: list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
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
    """Capitalises a sentence that begins with a link whose words begin in lower case."""
    end = text.index("]]")
    inner = text[2:end]
    target, bar, words = inner.partition("|")
    return f"[[{target}{bar}{words[:1].upper()}{words[1:]}" + text[end:] if bar else f"[[{target[:1].upper()}{target[1:]}" + text[end:]
