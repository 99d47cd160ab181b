"""Puts a form into German: statements about the things between picture and answer, then the
question.

Gender, case and the places of the verb come from `questloom.language.german`. The writer takes the
form, the kinds of things and the labels as the English writer does, but uses no rules of English
grammar.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from questloom.language.german import (
    DATIVE,
    GENITIVE,
    NOMINATIVE,
    PRONOUNS,
    Field,
    Noun,
    Sentence,
    german,
    noun,
    sentence,
)
from questloom.records.form import ClaimClause, Compute, Fuzzy, Reads, Term
from questloom.transforms.writing.german.nouns import Things, UnsaidError, date

_WHO = ("wer", "wessen", "wem", "wen")
MOST_ROLES = 2
"""Maximum number of roles one within the other: "der Vater des Architekten dieser Burg"."""


def german_question(make: Callable[[], Things]) -> tuple[str, Things]:
    """The words of a form, and its things as the words mention them. If a relative clause in the
    question cannot describe a thing, a statement before the question introduces it.

    Args:
        make: gives the things of the form, none of them mentioned.

    Raises: UnsaidError: a part of the form has no words.
    """
    for tells_all in (False, True):
        things = make()
        try:
            return German(things, tells_all).question(), things
        except UnsaidError as error:
            missing = error
    raise missing


@dataclass
class German:
    """Writes the German text of one form.

    Args:
        things: the things of the form.
    """

    things: Things
    tells_all: bool = False
    """Whether statements introduce also the thing of which the question asks something."""
    used: set[int] = field(default_factory=set)
    """Indices of the claims that the text has already stated."""
    _tail: list[str] = field(default_factory=list)
    _here: list[str] = field(default_factory=list)
    """The things that the current sentence has mentioned so far, in order."""
    _before: list[str] = field(default_factory=list)
    """The things that the previous sentence mentions."""
    _asks: bool = False
    """Whether the current sentence is the question."""

    def __post_init__(self) -> None:
        self.words = self.things.words
        self.form = self.words.form
        self.claims = self.words.claims
        if self.form.of(Fuzzy) or self.form.sign:
            raise UnsaidError("a vague clue, or a sign")

    # ------------------------------------------------------------ the text

    def question(self) -> str:
        """The whole text: first the statements, then the question.

        Raises: UnsaidError: a part of the form has no words.
        """
        self.things.mention(self.form.anchor)
        computed = self.words.computes.get(self.form.ask.var)
        asked = self._asked_claim()
        reading = self.words.reads.get(self.form.ask.var)
        target = (
            reading.of if reading else "" if asked is None else self._end(asked, self.form.ask.var)
        )
        told = self._tell(asked, "" if computed or self.tells_all else target)
        self._asks = True
        if computed is not None:
            last = self._difference(computed)
        elif reading is not None:
            last = f"welches Jahr steht {self._place(reading)}"
            if self.form.ask.type != "date":
                last = f"was steht {self._place(reading)}"
        else:
            assert asked is not None
            last = self._asking(asked)
        if len(self.used) < len(self.claims):
            raise UnsaidError("a claim that no sentence says")
        return " ".join([*told, self._finished(last, "?")])

    def _asked_claim(self) -> int | None:
        """The claim from which the question sentence is made: if possible, a claim that connects
        the asked thing with another thing of the form."""
        var = self.form.ask.var
        mine = [i for i, c in enumerate(self.claims) if var in (c.subject, c.object)]
        linking = [i for i in mine if isinstance(self._end(i, var), str)]
        return next(iter([*linking, *mine]), None)

    def _tell(self, asked: int | None, target: str) -> list[str]:
        """Statements that introduce all things except the asked thing and the thing whose attribute
        is asked."""
        waiting = {self.form.ask.var, target} - {self.form.anchor}
        told: list[str] = []
        moved = True
        while moved:
            moved = False
            for i, claim in enumerate(self.claims):
                if i in self.used or i == asked or self._is_date(i):
                    continue
                ends = [t for t in (claim.subject, claim.object) if isinstance(t, str)]
                if any(self._role(i, v) for v in ends if v not in self.things.mentioned):
                    continue
                new = [v for v in ends if not self._is_known(v)]
                if waiting & {*ends} or (len(new) == len(ends) and new):
                    continue
                told.append(self._statement(i))
                moved = True
        return told

    def _is_date(self, i: int) -> bool:
        """Whether the claim's date only takes part in a computation."""
        value = self.claims[i].object
        return (
            isinstance(value, str)
            and value in self.words.literals
            and value not in self.words.reads
        )

    def _is_known(self, var: str, depth: int = MOST_ROLES) -> bool:
        """Whether the text can refer to the thing: it has mentioned the thing, or the thing has a
        role ("der Vater des Architekten dieser Burg") that takes at most `depth` nouns."""
        if var in self.things.mentioned:
            return True
        claims = [i for i, c in enumerate(self.claims) if c.object == var]
        return depth > 0 and any(self._role(i, var, depth) for i in claims)

    def _role(self, i: int, var: str, depth: int = MOST_ROLES) -> Noun | None:
        """The noun for a thing's role ("der Architekt dieser Burg"), if no other claim describes
        the thing and the text can refer to the thing to which the role belongs."""
        claim = self.claims[i]
        if claim.object != var or not isinstance(claim.subject, str) or i in self.used:
            return None
        said = self._has_role(i, var)
        if said is None or not self._is_known(claim.subject, depth - 1):
            return None
        described = [
            j
            for j, c in enumerate(self.claims)
            if j != i and var in (c.subject, c.object) and not isinstance(self._end(j, var), str)
        ]
        return None if described or self.form.ask.var == var else noun(said)

    def _has_role(self, i: int, var: str) -> str | None:
        if not isinstance(var, str) or var in self.things.mentioned:
            return None
        table, subject = self._table(i), self.claims[i].subject
        said = table.get("roles", {}).get(self.things.kind(subject)) or table.get("role", {})
        return said.get(self.words.genders.get(var, ""))

    # ------------------------------------------------------------ sentences

    def _statement(self, i: int) -> str:
        claim, said = self.claims[i], self._sentence(i)
        self.used.add(i)
        known = [f for f in said.fields if f.slot and self._is_given(self._term(claim, f))]
        front = known[0] if known else said.fields[0]
        order = [front, *(f for f in said.fields if f is not front)]
        return self._finished(
            said.statement([self._field(claim, f, f is front) for f in order]), "."
        )

    def _asking(self, i: int) -> str:
        claim, said = self.claims[i], self._sentence(i)
        self.used.add(i)
        asked = next(
            (f for f in said.fields if f.slot and self._term(claim, f) == self.form.ask.var), None
        )
        if asked is None:  # "wie viele Meter hoch ist ..."
            return said.statement([self._field(claim, f, False) for f in said.fields])
        order = [f for f in said.fields if f is not asked]
        if asked.slot == "t":
            when = german()["when"][self.form.ask.precision]
            return said.statement([when, *(self._field(claim, f, False) for f in order)])
        var = self.form.ask.var
        more = self._relatives(var, self.things.noun(var))
        which = self.things.noun(var).which(asked.case, other=self.things.other(var))
        if self.words.is_person(var) and not more:
            which = _WHO[asked.case - 1]
        if asked.case == GENITIVE:
            raise UnsaidError("a question for a genitive")
        before = self._tail
        self._tail = []
        rest = [self._field(claim, f, False) for f in order]
        # The asked thing's clauses stand behind its noun: the sentence goes on after them.
        which += "".join(f", {m}" for m in more) + ("," if more else "")
        self._tail = [*before, *self._tail]
        return said.statement([asked.say(which), *rest])

    def _difference(self, computed: Compute) -> str:
        if computed.op != "difference":
            raise UnsaidError(f"the computation {computed.op}")
        first, second = (self._event(a) for a in computed.args)
        return f"wie viele Jahre liegen zwischen {first} und {second}"

    def _event(self, term: Term) -> str:
        """What happened at a date, in the dative: "der Geburt des Mannes"."""
        if isinstance(term, str) and (reading := self.words.reads.get(term)):
            return f"dem Jahr {self._place(reading)}"
        i = next(i for i, c in enumerate(self.claims) if c.object == term)
        self.used.add(i)
        table, thing = self._table(i), self.claims[i].subject
        assert isinstance(thing, str)
        kinds = self.words.kinds(thing)
        said = next(
            (table["events"][k] for k in kinds if k in table.get("events", {})), table.get("event")
        )
        if said is None:
            raise UnsaidError(f"the event of {self.claims[i].property}")
        # "auf der Tafel der Kirche und ihrer Eröffnung": of the plaque's?
        if self._here[-1:] == [thing] and not self._on_plaque(thing):
            return noun(said).own(self.things.noun(thing).gender, DATIVE)
        return f"{noun(said).definite(DATIVE)} {self._thing(thing, GENITIVE)}"

    def _place(self, reading: Reads) -> str:
        """Where a writing stands: "auf der Tafel dieser Kirche", "auf diesem Bild"."""
        if self._is_plaque(reading):
            return f"{german()['plaque']} {self._thing(reading.of, GENITIVE)}"
        if reading.of == self.form.anchor:
            self.things.anchor_phrase = self.things.anchor_phrase or "diesem Bild"
            return "auf diesem Bild"
        where = german()["portrait" if self.words.is_person(reading.of) else "picture"]
        return f"{where} {self._thing(reading.of, GENITIVE)}"

    def _on_plaque(self, thing: str) -> bool:
        """Whether the text tells of a plaque on a thing whose noun is feminine, as the plaque's is."""
        read = [r for r in self.words.reads.values() if r.of == thing]
        return self.things.noun(thing).gender == "f" and any(map(self._is_plaque, read))

    def _is_plaque(self, reading: Reads) -> bool:
        return self.words.facts.label(reading.part, "en") == "commemorative plaque"

    # ------------------------------------------------------------ the parts of a sentence

    def _field(self, claim: ClaimClause, part: Field, front: bool) -> str:
        if not part.slot:
            return part.before
        term = self._term(claim, part)
        if part.slot == "t":
            return self._when(term)
        if front and part.case == NOMINATIVE and not part.before and self._is_clear(term):
            self._here.append(str(term))
            return PRONOUNS[self.things.noun(term).gender]
        said = self._thing(term, part.case)
        # "vom Museum „Rote Halle“", but "von dem Mann" of somebody whom the text has mentioned.
        short = not isinstance(term, str) or (
            term in self.things.roles and term not in self._before
        )
        return part.say(said, short=short)

    def _is_clear(self, term: Term) -> bool:
        """Whether a pronoun can stand for the thing: the previous sentence ends with the thing, and
        mentions no other thing of the same grammatical gender."""
        if not isinstance(term, str) or self._before[-1:] != [term] or term == self.form.anchor:
            return False
        mine = self.things.noun(term).gender
        return all(v == term or self.things.noun(v).gender != mine for v in self._before)

    def _thing(self, term: Term, case: int) -> str:
        if not isinstance(term, str):
            return self.things.named(term, case)
        said = self._described(term, case)
        self._here.append(term)
        return said

    def _described(self, term: str, case: int) -> str:
        if term == self.form.anchor or term in self.things.mentioned:
            return self.things.known(term, case)
        for i, claim in enumerate(self.claims):
            if role := self._role(i, term):
                self.used.add(i)
                assert isinstance(claim.subject, str)
                self.things.roles[term] = role
                if self.things.other(term):
                    raise UnsaidError("two people of one role")
                self.things.mention(term)
                if self._here[-1:] == [claim.subject]:
                    return role.own(self.things.noun(claim.subject).gender, case)
                return f"{role.definite(case)} {self._thing(claim.subject, GENITIVE)}"
        mine, said = self.things.noun(term), set(self.used)
        other = self.things.other(term)
        self.things.mention(term)
        self._tail = self._tail + self._relatives(term, mine)
        if not self._asks:
            return mine.indefinite(case, other=other)
        # "The church that he designed" is one church; "the church that opened in 1850" may be one of several.
        leading = [i for i in self.used - said if isinstance(self._end(i, term), str)]
        if not leading:
            raise UnsaidError("a thing that nothing leads to")
        twice = any(self._leads_twice(i, term) for i in leading)
        if twice and not other:
            raise UnsaidError("a thing that a clause of the question does not single out")
        other = other and twice
        if not other and any(self._is_confused(self._end(i, term), mine) for i in leading):
            raise UnsaidError("two things of one noun in a question")
        return mine.definite(case, other=other)

    def _is_confused(self, end: str, mine: Noun) -> bool:
        """Whether the text would say "der Fluss, in den der Fluss mündet"."""
        return end != self.form.anchor and self.things.noun(end).forms == mine.forms

    def _leads_twice(self, i: int, var: str) -> bool:
        """Whether another claim leads from the same thing to a thing with the same noun: "das andere
        Gemälde, das in dem Museum hängt"."""
        claim, mine = self.claims[i], self.things.noun(var).forms[0].lower()
        side = "subject" if claim.subject == var else "object"
        for j, other in enumerate(self.claims):
            thing = getattr(other, side)
            if (
                isinstance(thing, str)
                and thing != var
                and other.property == claim.property
                and self._end(j, thing) == self._end(i, var)
                and self.things.noun(thing).forms[0].lower().endswith(mine)
            ):
                return True
        return False

    def _claims_of(self, var: str) -> list[int]:
        return [
            i
            for i, c in enumerate(self.claims)
            if i not in self.used and var in (c.subject, c.object) and not self._is_date(i)
        ]

    def _relatives(self, var: str, mine: Noun) -> list[str]:
        """One relative clause with all facts about a thing that the text has not yet stated: "die
        er entwarf und die in Velm steht". The list is empty if no such facts are left."""
        clauses, outer = [], self._tail
        self._tail = []
        for i in self._claims_of(var):
            end = self._end(i, var)
            if i in self.used or (isinstance(end, str) and end in (self.form.ask.var,)):
                continue
            claim, said = self.claims[i], self._sentence(i)
            if isinstance(end, str) and end not in self.words.literals and not self._is_known(end):
                continue
            others = (j for j in range(len(self.claims)) if j != i)
            if (
                end == claim.object
                and self._has_role(i, end)
                and not any(self._role(j, end) for j in others)
            ):
                continue  # "whose mother is a woman" says nothing: she is told of as "the mother of this man"
            self.used.add(i)
            slot = next(f for f in said.fields if f.slot and self._term(claim, f) == var)
            rest = [self._field(claim, f, False) for f in said.fields if f is not slot]
            clauses.append(said.clause([_relative(slot, mine), *rest]))
        nested, self._tail = self._tail, outer
        return [" und ".join(clauses), *nested] if clauses else []

    def _when(self, term: Term) -> str:
        if not isinstance(term, str):
            return date(term)
        reading = self.words.reads.get(term)
        if reading is None:
            raise UnsaidError("a date of its own")
        place = self._place(reading)
        self._tail.append(f"das {place} steht")
        return "in dem Jahr"

    def _term(self, claim: ClaimClause, part: Field) -> Term:
        return claim.subject if part.slot == "s" else claim.object

    def _is_given(self, term: Term) -> bool:
        return isinstance(term, str) and self._is_known(term)

    def _end(self, i: int, var: str) -> Any:
        claim = self.claims[i]
        return claim.object if claim.subject == var else claim.subject

    def _table(self, i: int) -> Mapping[str, Any]:
        table = german()["relations"].get(self.claims[i].property)
        if table is None:
            raise UnsaidError(f"the relation {self.claims[i].property}")
        return table

    def _sentence(self, i: int) -> Sentence:
        table, claim = self._table(i), self.claims[i]
        said = table.get("say", "")
        for name, term in (("kinds_object", claim.object), ("kinds", claim.subject)):
            found = table.get(name, {})
            said = next((found[k] for k in self.words.kinds(term) if k in found), said)
        if "ask" in table:
            unit = self.form.ask.unit
            unit = self.words.facts.label(unit, "en") if unit.startswith("Q") else unit
            if claim.object != self.form.ask.var or (unit and unit not in german()["units"]):
                raise UnsaidError(f"a measure as a clue, or the unit {unit}")
            said = table["ask"].replace("{unit}", german()["units"].get(unit, ""))
        made = sentence(said)
        return replace(made, fields=tuple(self._upon(claim, part) for part in made.fields))

    def _upon(self, claim: ClaimClause, part: Field) -> Field:
        """The field with "auf" in place of "in" for an island."""
        if part.before != "in" or self.things.kind(self._term(claim, part)) not in german()["upon"]:
            return part
        return replace(part, before="auf")

    def _finished(self, text: str, mark: str) -> str:
        """A sentence, followed by the relative clauses that wait for its end."""
        whole = text + "".join(f", {clause}" for clause in self._tail)
        self._tail = []
        self._before, self._here = self._here, []
        return whole[:1].upper() + whole[1:] + mark


def _relative(slot: Field, mine: Noun) -> str:
    """The words that open a relative clause: the relative pronoun with its preposition or noun
    ("von dem", "deren Vater")."""
    pronoun = mine.relative(slot.case)
    if slot.case == GENITIVE:
        article, thing = slot.before.rsplit(" ", 1)
        return f"{'zu ' if article == 'zur' else ''}{pronoun} {thing}"
    return slot.say(pronoun)
