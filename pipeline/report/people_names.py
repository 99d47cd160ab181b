"""Words for people: the names of entities, properties and values, and the clauses of a logical form
(the formal query) as sentences."""

import re
from typing import Any, Protocol

from questloom.language.english import MONTHS
from questloom.prompts.phrases.words import Words
from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Compare,
    Compute,
    Form,
    Fuzzy,
    Image,
    Reads,
    SentenceClause,
    Term,
)
from questloom.records.knowledge import Claim, ImageAsset, PropertyInfo, Value, value_of_key
from questloom.records.periods import DAY, YEAR, parts_of

_ID = re.compile(r"\b[QP][1-9]\d*\b")
_LITERAL = re.compile(r"\b(?:time:[+-][\w-]*/\d+|quantity:\S+)")


class Sources(Protocol):
    """What the report looks up in a store (`questloom.knowledge.store.Store`). Without a store the
    report shows ids instead of names."""

    def label(self, entity_id: str, language: str = "en") -> str: ...
    def property(self, property_id: str) -> PropertyInfo | None: ...
    def claims(self, subject: str) -> tuple[Claim, ...]: ...
    def image(self, image_id: str) -> ImageAsset | None: ...
    def image_bytes(self, image_id: str) -> bytes: ...


def date_words(time: str, precision: int) -> str:
    """An ISO 8601 time in words, as exact as Wikidata states it: "+1874-03-12…" at precision 11 is
    "12 March 1874"."""
    try:
        stated, month, day = parts_of(time)
    except ValueError:
        return time
    year, era = abs(stated), " BCE" if stated < 0 else ""
    if precision < YEAR:
        millennium = f"{Words.ordinal((year - 1) // 1000 + 1)} millennium"
        return {8: f"{year // 10 * 10}s", 7: Words.century(year), 6: millennium}.get(
            precision, f"about {year}"
        ) + era
    if precision == YEAR or not 1 <= month <= 12:
        return f"{year}{era}"
    return f"{f'{day} ' if precision >= DAY and day else ''}{MONTHS[month - 1]} {year}{era}"


class Names:
    """Names in one language, taken from a store if the report has one."""

    def __init__(self, sources: Sources | None, language: str = "en") -> None:
        self.sources, self.language = sources, language
        self._properties: dict[str, str] = {}

    def entity(self, entity_id: str) -> str:
        """The name of an entity, or the id if there is no name."""
        if self.sources is None or not entity_id:
            return entity_id.removeprefix("wiki:")
        return self.sources.label(entity_id, self.language) or entity_id

    def property(self, property_id: str) -> str:
        """The name of a property, or the id if there is no name. A hop without a property, which
        only a sentence states, is called "linked"."""
        if not property_id:
            return "linked"
        if property_id not in self._properties:
            info = self.sources.property(property_id) if self.sources else None
            self._properties[property_id] = info.label(self.language) if info else property_id
        return self._properties[property_id]

    def value(self, value: Value) -> str:
        """A value in words."""
        match value.kind:
            case "entity":
                return self.entity(value.entity)
            case "time":
                return date_words(value.time, value.precision)
            case "quantity":
                unit = self.entity(value.unit) if value.unit else ""
                return f"{value.number:,g} {unit}".strip() if value.number is not None else "?"
            case "coordinate":
                return f"{value.latitude:.4f}, {value.longitude:.4f}"
            case "somevalue" | "novalue":
                return {"somevalue": "unknown value", "novalue": "no value"}[value.kind]
        return value.text

    def key(self, key: str) -> str:
        """The value of a variable, in words. The value is the id of an entity, or the `Value.key()`
        of a literal."""
        kind, _, rest = key.partition(":")
        match kind:
            case "time":
                return self.value(value_of_key(key))
            case "quantity":
                number, _, unit = rest.partition(":")
                return f"{number} {self.entity(unit) if unit else ''}".strip()
            case "string" | "monolingual" | "url" | "external_id" | "commons_media":
                return rest.partition(":")[2]
            case "coordinate":
                return rest
        return self.entity(key)

    def title(self, title: str) -> str:
        """The title under which the report lists a rejected item. If the title is only the id of an
        entity, the entity's name replaces it."""
        return self.entity(title) if _ID.fullmatch(title) or title.startswith("wiki:") else title

    def spoken(self, text: str) -> str:
        """A formal text such as "P84=Q12" or "time:+1874/9", made readable. Names stand before the
        ids, and words replace literals."""

        def label(found: re.Match) -> str:
            known = (self.entity if found[0][0] == "Q" else self.property)(found[0])
            return found[0] if known == found[0] else f"{known} ({found[0]})"

        return _ID.sub(label, _LITERAL.sub(lambda found: self.key(found[0]), text))


def clause_words(form: Form, names: Names, bindings: dict[str, str]) -> list[str]:
    """The clauses of a logical form, each written as a short sentence."""

    def term(t: Term) -> str:
        if isinstance(t, Value):
            return names.value(t)
        return names.key(bindings[t]) if bindings.get(t) else t

    def say(clause: Any) -> str:
        match clause:
            case Image():
                return f"the picture shows {term(clause.var)}"
            case ClaimClause():
                return f"{term(clause.subject)} — {names.property(clause.property)} — {term(clause.object)}"
            case ClassClause():
                return f"{term(clause.var)} — instance of — {names.entity(clause.class_id)}"
            case Fuzzy():
                return f"{term(clause.subject)} — {names.property(clause.property)} — {vague_words(clause, names, term(clause.object))}"
            case Compare():
                return f"{term(clause.left)} {clause.op} {term(clause.right)}"
            case Compute():
                return f"{term(clause.out)} is the {clause.op.replace('_', ' ')} of {', '.join(term(a) for a in clause.args)}"
            case Reads():
                shown = clause.of == form.anchor
                where = "the picture" if shown else f"a picture of {term(clause.of)}"
                return f"{term(clause.var)} is read on {where} ({read_words(clause, names)})"
            case SentenceClause():
                said = clause.relation or "is linked with"
                return f"a sentence says: {term(clause.subject)} {said} {term(clause.object)}"
        raise AssertionError(f"no words for {clause}")

    return [say(c) for c in form.clauses]


def vague_words(clause: Fuzzy, names: Names, of: str) -> str:
    """A short description of a value that the question does not name: "some town with a name of 2
    words", "not Velm", "12 years after Ada Orm — date of birth"."""
    match clause.kind:
        case "meta-attribute" if clause.initial:
            return f"some {of} whose name begins with {clause.initial}"
        case "meta-attribute":
            return f"some {of} with a name of {clause.number} words"
        case "exclusion":
            return f"not {of}"
        case "arithmetic":
            when = "after" if clause.number > 0 else "before"
            return f"{abs(clause.number)} years {when} {of} — {names.property(clause.since)}"
    return f"some {of}" if clause.kind == "category" else f"in {of}"


def read_words(clause: Reads, names: Names) -> str:
    """What a clause `Reads` makes the solver read in the picture: "inscription, plaque"."""
    read = (names.property(clause.property), names.entity(clause.part))
    return ", ".join(dict.fromkeys(filter(None, read)))
