"""Joins the claims of a form into clauses: predicates of a subject, and the clauses that modify a
head noun ("the tower designed by … that stands in …")."""

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from questloom.language.english import adjective
from questloom.language.frames import BE, PREPOSITIONS, Frame, share_verb
from questloom.records.form import ClaimClause, Reads, Term
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.fuzzy_words import negated, years_from
from questloom.transforms.writing.graph.lints import (
    ends_in_short_clause,
    num_relative,
    stays,
    verbs_of,
)

HOPELESS = 1_000.0
"""Cost of a wording that no reader should see, for example a variable without a description, or the
same name for two things."""
WEAK = 9.0
"""Cost of a sentence whose verb says nothing: "A painting is by this man"."""
MOST_BEFORE_REST = 3
"""Maximum number of words between a verb and the rest of its sentence: "has that town as its
capital"."""
BEHIND_PERSON = 5.0
"""Cost of a clause behind another person: "the painting by her that was made in Velm"."""
STYLE = 3.0
"""Cost of a value behind its noun that could stand before the noun."""
LIGHT = 4
"""Maximum number of words of a noun phrase in the middle of a clause."""
_T = TypeVar("_T")


class Clauses(ABC):
    """One random derivation (choice of words) for the clauses of a form.

    `used` are the claims that the text has already stated. `introduced` maps each variable that the
    text has mentioned to its noun, by which the text can refer back. `said_nouns` are the nouns
    after which "this one" may stand for the pictured thing.
    """

    def __init__(self, form_words: FormWords, rng: random.Random) -> None:
        self.form_words, self.rng = form_words, rng
        self.used: set[int] = set()
        self.introduced: dict[str, str] = {}
        self.told_years: set[str] = set()
        """The years in pictures that have a sentence of their own."""
        self.anchor_phrase = ""
        self.cost = 0.0
        self.taste = 0.0
        """How much the draft likes the chosen words."""
        self.said_nouns: list[str] = []
        self.heads: dict[str, str] = {}
        """The nouns by which descriptions begin: "man" in "the man who designed it"."""
        self.works: dict[str, str] = {}
        """The occupation by which the text calls somebody: "a botanist"."""
        self._depth = 0
        self.describing: list[str] = []
        """The people whom the text is describing, the outermost first."""

    def choose(self, options: Sequence[_T]) -> _T:
        """Chooses one of several wordings at random."""
        chosen = self.rng.choice(options)
        self.taste += self.form_words.taste(chosen)
        return chosen

    @abstractmethod
    def noun_phrase(self, term: Term, *, subject: bool = False) -> str:
        """The words for a term at the current place of the text. If `subject` is true, the term is
        the subject of its clause ("she", not "her")."""

    @abstractmethod
    def in_year(self, reads: Reads) -> str:
        """The words for the date of a thing, if its year stands in a picture: "in the year on the
        plaque of this bridge"."""

    def introduce(self, var: str, noun: str) -> None:
        """Marks the variable as introduced. The noun can then refer back to the variable."""
        self.introduced[var] = noun
        self.said_nouns.append(noun)

    def take_claims(self, var: str) -> list[tuple[int, str]]:
        """The claims that describe a variable and are not yet used. After the call, the returned
        claims count as used."""
        words, found = self.form_words, list[tuple[int, str]]()
        for i, slot in words.describing(var):
            other = self.other(i, slot)
            outward = (
                not isinstance(other, str)
                or other in words.names
                or words.ranks[other] > words.ranks[var]
            )
            if i not in self.used and outward:
                found.append((i, slot))
        self.used.update(i for i, _ in found)
        return found

    def other(self, index: int, slot: str) -> Term:
        """The end of a claim that is opposite to the given end."""
        claim = self.form_words.claims[index]
        return claim.object if slot == "s" else claim.subject

    def frames(self, index: int) -> tuple[Frame, ...]:
        """The sentences that can state a claim."""
        words, claim = self.form_words, self.form_words.claims[index]
        found = words.phrase(claim).frames(words.verbs)
        if words.phrase(claim).noun and not self.is_occupation(index, "s"):
            # Who "was an architect" is whoever designed something.
            found = tuple(f for f in found if f.verb not in BE)
        if words.phrase(claim).adjective and isinstance(claim.object, Value):
            found = tuple(f.with_adjective() for f in found)
        return (
            tuple(negated(f, words.verbs.bases) for f in found) if self._is_denied(index) else found
        )

    def _is_denied(self, index: int) -> bool:
        vague = self.form_words.vague.get(self.form_words.claims[index])
        return vague is not None and vague.kind == "exclusion"

    def frame(self, index: int, *, subject: str) -> Frame:
        """A sentence for a claim, in which the given end of the claim is the subject. If the claim
        has no sentence with this subject, the wording gets the cost `HOPELESS`."""
        fit = [f for f in self.frames(index) if f.subject == subject]
        if not fit:
            self.cost += HOPELESS
            return self.frames(index)[0]
        return self.choose(fit)

    def predicates(self, claims: Sequence[tuple[int, str]]) -> str:
        """Joins claims into predicates of their common subject: "stands in Karsk and was opened in
        1850".

        If two claims have the same relation or the same verb, the verb appears only once: "holds
        that painting and “Fog”", "was discovered in Karsk by Ivo Mersk".
        """
        # "That church is in the style of Salt Gothic", where "a Salt Gothic church" was possible.
        self.cost += STYLE * any(self.is_adjective(i, slot) for i, slot in claims if slot == "s")
        alike = {self.form_words.claims[i].property for i, _ in claims}
        if len(alike) == 1 < len(claims):
            (index, slot), *_ = claims
            frame = self.frame(index, subject=slot)
            ends = [self._other_end(frame, i, slot) for i, slot in claims]
            return frame.predicate(self.form_words.words.listed(ends))
        frames = [self.frame(i, subject=slot) for i, slot in claims]
        ends = [self._other_end(f, i, slot) for f, (i, slot) in zip(frames, claims, strict=True)]
        said = [f.predicate(end) for f, end in zip(frames, ends, strict=True)]
        pairs = zip(frames, ends, strict=True)
        self.cost += WEAK * any(f.is_weak and not end.startswith("the same ") for f, end in pairs)
        return share_verb(frames, said, LIGHT) or self.form_words.words.listed(said)

    def weigh_before_rest(self, frame: Frame, said: str) -> None:
        """Forbids long words before the rest of a sentence, which a reader would take for a part of
        these words: "Which district has the town where this painting was made as its capital?"."""
        self.cost += HOPELESS * (bool(frame.rest) and len(said.split()) > MOST_BEFORE_REST)
        # "Has that town as its capital", and worse, "has it as its capital"
        self.cost += bool(frame.rest) * (1.5 * said.startswith("that ") + 3.0 * (said == "it"))

    def _other_end(self, frame: Frame, index: int, slot: str) -> str:
        """The words for the end of a claim opposite to the described thing."""
        words, other = self.form_words, self.other(index, slot)
        vague = words.vague.get(words.claims[index])
        if vague is not None and vague.since:
            start = vague.object
            since = words.property_phrase(vague.since, start)
            return years_from(
                vague,
                frame,
                since,
                words.words,
                self.choose,
                lambda subject: self.noun_phrase(start, subject=subject),
            )
        if isinstance(other, Value) and frame.other == "t":
            return words.words.at(other)
        if isinstance(other, str) and other in words.reads:
            return self.in_year(words.reads[other])
        said = self._same(index, slot) or self.noun_phrase(other)
        if words.phrase(words.claims[index]).adjective and isinstance(other, Value):
            said = adjective(said).removesuffix(f" {frame.rest.capitalize()}")  # "Plain Style"
        self.weigh_before_rest(frame, said)
        # A common noun as value needs an article ("a poet", "an apple"); names and descriptions
        # have their own.
        common = (
            frame.other == "a"
            and said[:1].islower()
            and not said.startswith(("the ", "a ", "an ", "this "))
        )
        return words.words.indefinite(said) if common else said

    def _same(self, index: int, slot: str) -> str:
        """Words like "the same architect as this bridge", if only one claim describes the
        architect, and this claim has the same relation as the given claim; otherwise ""."""
        words, var = self.form_words, self.other(index, slot)
        if (
            slot != "s"
            or not isinstance(var, str)
            or var in {*words.names, *self.introduced, words.form.anchor}
        ):
            return ""
        before, claim = set(self.used), words.claims[index]
        match [words.claims[i] for i, _ in self.take_claims(var)]:
            case [ClaimClause(object=end, property=property) as twin] if (
                end == var and property == claim.property and self.rng.random() < 0.6
            ):
                noun = words.called(var)  # "the same saint", not "the same man"
                self._depth += 1
                other = self.noun_phrase(twin.subject)
                self._depth -= 1
                self.introduce(var, noun)
                if other == f"this {words.noun(str(claim.subject))}" and not words.is_person(
                    claim.subject
                ):
                    other = self.anchor_phrase = (
                        "this one"  # "a painting by the same artist as this one"
                    )
                # "Commissioned by the same woman as this one": as this woman?
                self.cost += words.is_person(var) and other == "this one"
                # "The same family as the first one": a family, or a painting? "The same man as her"?
                self.cost += HOPELESS * (" " not in other or other == "the first one")
                return f"the same {noun} as {other}"
        self.used = before
        return ""

    def modified(
        self, head: str, claims: Sequence[tuple[int, str]], person: bool, *, bare_head: bool
    ) -> str:
        """Adds claims to a head noun. Reduced clauses ("designed by …") come first, then relative
        clauses that share one pronoun.

        Args:
            head: "the tower", "a tower", "the architect of …".
            claims: the claims about the head, from `take_claims`.
            person: whether the clauses take "who" instead of "that".
            bare_head: whether the head is a bare noun. A clause after a bare noun may leave out
                "that was".
        """
        pronoun = "who" if person else "that"
        reduced, relative = list[str](), dict[str, list[str]]()
        # What years are counted from lies on the way, which mentions it first.
        for i, slot in sorted(claims, key=self._told_late):
            other = self.other(i, slot)
            phrase = self.form_words.phrase(self.form_words.claims[i])
            if bare_head and isinstance(other, Value) and self.is_occupation(i, slot):
                head = self._with_noun(head, str(self.form_words.claims[i].subject), other)
                continue
            if (
                isinstance(other, Value)
                and bare_head
                and (
                    self.is_adjective(i, slot)
                    # not "the 2000 painting"
                    or (
                        (phrase.dated and other.precision == 9 and other.year and other.year % 100)
                        and self.rng.random() < 0.7
                    )
                )
            ):
                head = self.with_adjective(head, other)
                continue
            frame = self.choose(self.frames(i))
            if frame.subject == slot:
                predicate = frame.predicate(self._other_end(frame, i, slot))
                # "The town beside that river not in Velm": is the river not there?
                vague = self.form_words.vague.get(self.form_words.claims[i])
                alone = len(claims) == 1 or vague is None or vague.kind == "range"
                shorter = frame.is_weak or self.rng.random() < 0.8
                if bare_head and alone and frame.is_reducible and shorter:
                    reduced.append(predicate.partition(" ")[2])
                else:
                    relative.setdefault(pronoun, []).append(predicate)
                    self.cost += WEAK * frame.is_weak
                    # "the town that is the home port of …", "the church that holds the grave of …",
                    # "the bridge that is in this town"
                    self.cost += 2.0 * (
                        frame.middle.startswith("the ") or (bare_head and frame.is_reducible)
                    )
                continue
            subject = self.noun_phrase(other, subject=True)
            short = ends_in_short_clause(subject.split())
            self.cost += (
                (0.4 if short else 0.8) * max(0, len(subject.split()) - 3)
                + (1.0 if short else 4.0) * num_relative(subject)
                + 4.0 * (frame.preposition in ("by", "of", "from"))
            )
            said = frame.gap(subject)
            # "A town that district has as its capital"
            self.cost += 5.0 * (bool(frame.rest) and head.startswith("a"))
            self.cost += 4.0 * said.endswith((" is", " was"))  # "the town where this library is"
            if (
                frame.preposition in ("in", "at", "on")
                and not frame.rest
                and self.form_words.is_place(self.form_words.claims[i].object)
                and not (
                    frame.preposition == "on"
                    and self.form_words.is_water(self.form_words.claims[i].object)
                )
            ):
                relative.setdefault("where", []).append(said)
            elif (
                stays(frame)
                and not frame.rest
                and len(claims) == 1
                and len(subject.split()) < LIGHT
                and not subject.startswith("that ")  # "the man that play is dedicated to"
            ):
                # "The man this species is named after".
                relative.setdefault("", []).append(f"{said} {frame.preposition}")
            elif frame.preposition:
                # "The bridge beneath which this river flows", but "the sea into which the Velm flows".
                self.cost += 2.0 if subject[:1].isupper() else 5.0
                relative.setdefault(
                    f"{frame.preposition} {'whom' if person else 'which'}", []
                ).append(said)
            else:
                short = len(subject.split()) <= 2 and not subject.startswith("that ")
                short = short and not (
                    person and subject[:1].isupper()
                )  # "his daughter Ada Orme taught"
                contact = len(claims) == 1 and short
                # "The organ this church holds", but not "which the cathedral shown here holds".
                self.cost += 2.0 if contact else HOPELESS
                relative.setdefault("" if contact else "whom" if person else "which", []).append(
                    said
                )
        # "The 1991 painting" would make a reader ask which painting.
        as_adjectives = any(
            not self.form_words.phrase(self.form_words.claims[i]).noun for i, _ in claims
        )
        self.cost += 2.5 * (as_adjectives and bare_head and not reduced and not relative)
        return self._joined(head, reduced, relative)

    def _told_late(self, claim: tuple[int, str]) -> tuple[bool, bool]:
        vague = self.form_words.vague.get(self.form_words.claims[claim[0]])
        return bool(vague and vague.since), isinstance(self.other(*claim), str)

    def is_adjective(self, index: int, slot: str) -> bool:
        """Whether a claim's value can stand before the noun: "the Gothic church"."""
        phrase, other = (
            self.form_words.phrase(self.form_words.claims[index]),
            self.other(index, slot),
        )
        return phrase.adjective and isinstance(other, Value)

    def is_occupation(self, index: int, slot: str) -> bool:
        """Whether a claim's value can stand in place of a person's noun: "the botanist". Whoever
        designed a building may be called its architect, so "the architect" says too little."""
        phrase, other = (
            self.form_words.phrase(self.form_words.claims[index]),
            self.other(index, slot),
        )
        return (
            phrase.noun
            and slot == "s"
            and isinstance(other, Value)
            and self.noun_phrase(other).split(" ")[-1] not in self.form_words.data["professions"]
        )

    def _with_noun(self, head: str, var: str, value: Value) -> str:
        """Puts an occupation in place of a noun: "a botanist" for "another man"."""
        self.works[var] = self.noun_phrase(value)
        if head.startswith("the "):
            return f"the {self.works[var]}"
        return self.form_words.words.indefinite(self.works[var])

    def with_adjective(self, head: str, value: Term) -> str:
        """Puts a value before the noun of a head: "the 1871 painting", "which Gothic church" (from
        "Gothic architecture")."""
        article, _, noun = head.partition(" ")
        if noun.startswith("other "):
            article, noun = f"{article} other", noun.removeprefix("other ")
        said = f"{adjective(self.noun_phrase(value))} {noun}"
        if article in ("a", "an"):
            return self.form_words.words.indefinite(said)
        return f"{article} {said}"

    def _joined(self, head: str, reduced: list[str], relative: dict[str, list[str]]) -> str:
        """Joins the head with its reduced and relative clauses. Short clauses come first, so that
        no clause seems to belong to the noun of another clause."""

        def light(texts: list[str]) -> list[str]:
            return sorted(texts, key=lambda t: len(t.split()))

        listed = self.form_words.words.listed
        where = light([r for r in reduced if r.split(" ")[0] in PREPOSITIONS])
        done = light([r for r in reduced if r not in where])
        verbs = {r.split(" ")[0] for r in done}
        if len(verbs) == 1 < len(done):  # "born in Velm in 1847"
            done = [" ".join([done[0], *(r.partition(" ")[2] for r in done[1:])])]
        makers = [w for w in where if re.match(r"by (?:this|that|the) ", w)]
        short = sum(len(d.split()) for d in done) <= LIGHT
        if makers and short and verbs_of(" ".join(done)) == ("make",):
            # "The painting made in Velm by this man", not "by this man made in Velm".
            done = [f"{done[0]} {makers[0]}"]
            where = [w for w in where if w not in makers]
        clauses = [f"{opening} {listed(light(said))}".strip() for opening, said in relative.items()]
        parts = [*where, *([listed(done)] if done else []), *clauses]
        self.cost += (
            4.0 * sum(len(p.split()) > LIGHT for p in parts[:-1])
            + 4.0 * max(0, len(clauses) - 1)
            + 3.0 * max(0, len(where) - 1)
        )
        # "the station in this town that has two floors": does the station or the town have two
        # floors?
        # "The woman from that family born in 1936": was she or the family born then?
        nouns = (" this ", " the ", " that ", " her ", " his ")
        self.cost += 5.0 * any(n in f" {p} " for p in parts[:-1] for n in nouns)
        self.cost += BEHIND_PERSON * (len(parts) > 1 and parts[0] in ("by her", "by him"))
        # "The same artist as the second painting that was made there": which was made there?
        self.cost += HOPELESS * any(" as the " in p for p in parts[:-1])
        # "The man inspired by Ada Orme who worked for that museum": who worked there?
        self.cost += BEHIND_PERSON * any(
            part.split()[-1][:1].isupper() and after.startswith("who ")
            for part, after in pairwise(parts)
        )
        # "The mountain beside Varn that belongs to those hills": is that the lake?
        self.cost += BEHIND_PERSON * any(
            part.split()[-1][:1].isupper() and after.startswith("that ")
            for part, after in pairwise(parts)
            if part in where and part.split()[0] != "by"
        )
        # "The bridge commissioned by Ada Orme that crosses this river"
        self.cost += 2.5 * any(
            re.search(r"by [A-Z][^ ]*(?: [A-Z][^ ]*)*$", part) and after.startswith("that ")
            for part, after in pairwise(parts)
        )
        # "The painting by this man owned by the museum": is the man owned?
        self.cost += HOPELESS * any(n in f" {p} " for p in where for n in nouns if done)
        return " ".join([head, *parts])
