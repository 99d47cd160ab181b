"""A form in several short sentences, as a setter of puzzles writes: "This bridge crosses a river. Which lake does that river reach?"

The things of a form are taken in order from the picture to the question. Each is either announced by a sentence of its
own, with at most two facts, or described where it is first mentioned ("this bridge's architect"); which of the two is
drawn at random, and `verbalise.py` weighs the outcomes. What is announced is referred back to by its kind or a pronoun.
The question stands last, by the grammar of one sentence.
"""

import copy
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from questloom.language.frames import Frame
from questloom.records.form import Term
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.form_words import FormWords, bare
from questloom.transforms.writing.graph.lints import weigh_sentence
from questloom.transforms.writing.graph.noun_phrases import HOPELESS, LIGHT, NounPhrases
from questloom.transforms.writing.graph.questions import capital, question

IN_PLACE = 0.45
"""How often a thing is described where it is first mentioned rather than announced."""
TRIES_PER_SENTENCE = 5
PER_CLAIM = 1.8
"""Credit for a fact that a sentence tells, or each would tell as little as it can."""
PER_SENTENCE = 1.2
"""Cost of one more sentence: two short ones are no better than one that is easy."""
ORDINALS = ("first", "second", "third")
_ITSELF = re.compile(r"Which (?!\w+(?: \w+){0,2} (?:did|does|was|is) it\b).*\bits?\b")
OBJECTS = {"it": "it", "he": "him", "she": "her"}
ANY = "?"
"""Pronoun of a person whose sex is not known, or of somebody named: he or she."""


@dataclass(frozen=True)
class Thing:
    """A variable in the order of telling."""

    var: str
    link: int
    """The claim that ties it to a thing before it; -1 for the picture's own."""
    facts: tuple[int, ...]
    """Claims that tie it to constants and to other things before it."""
    parent: str = ""
    on_way: bool = True
    """Whether it lies between the picture and the question; a hidden thing beside the way does not."""


def things_of(words: FormWords) -> tuple[Thing, ...]:
    """The things of a form in the order of telling: from the picture to the question, what lies beside the way right behind the thing it belongs to."""
    links: dict[str, list[tuple[int, str]]] = {}
    for i, claim in enumerate(words.claims):
        if isinstance(claim.subject, str) and isinstance(claim.object, str):
            if claim.object not in words.literals:
                links.setdefault(claim.subject, []).append((i, claim.object))
                links.setdefault(claim.object, []).append((i, claim.subject))
    anchor = words.form.anchor
    on_way = {v for path in _paths(anchor, _targets(words), links) for v in path}
    way = sorted(on_way - {words.form.ask.var}, key=lambda v: words.ranks[v], reverse=True)
    told: list[Thing] = []

    def tell(var: str, on_way: bool) -> None:
        before = {t.var for t in told}
        back = [(i, v) for i, v in links.get(var, ()) if v in before]
        if var != anchor and not back:
            return
        link, parent = back[-1] if back else (-1, "")
        facts = [i for i, slot in words.describing(var) if not isinstance(_other(words, i, slot), str)]
        told.append(
            Thing(var, link, (*facts, *(i for i, _ in back[:-1])), parent, on_way)
        )
        for _, side in links.get(var, ()):
            if side not in way and side != words.form.ask.var and side not in {t.var for t in told}:
                tell(side, False)

    for var in way:
        tell(var, True)
    return tuple(told)


def _targets(words: FormWords) -> frozenset[str]:
    """The variables at which the question itself begins."""
    ask, found, todo = words.form.ask.var, set[str](), [words.form.ask.var]
    while todo:
        var = todo.pop()
        if var in words.computes:
            compute = words.computes[var]
            todo += [t for t in (*compute.args, *compute.keys) if isinstance(t, str)]
        elif var in words.reads:
            todo.append(words.reads[var].of)
        elif var in words.literals:
            todo += [s for c in words.claims if c.object == var and isinstance(s := c.subject, str)]
        else:
            found.add(var)
    return frozenset(found | ({ask} if ask not in words.literals | set(words.computes) else set()))


def _paths(
    start: str, ends: frozenset[str], links: dict[str, list[tuple[int, str]]]
) -> Iterator[tuple[str, ...]]:
    """The ways from a variable to one of others, none through a variable twice."""
    todo = [(start,)]
    while todo:
        path = todo.pop()
        if path[-1] in ends:
            yield path
        todo += [(*path, v) for _, v in links.get(path[-1], ()) if v not in path]


def _other(words: FormWords, index: int, slot: str) -> Term:
    claim = words.claims[index]
    return claim.object if slot == "s" else claim.subject


def tell(words: FormWords, things: tuple[Thing, ...], rng: random.Random) -> "tuple[str, Telling]":
    """One wording of a form in several sentences, with the account of its derivation.

    Args:
        words: the form and its words.
        things: of the form, as `things_of` gives them.
        rng: for every choice.

    Returns:
        The text, and the derivation with its cost, each sentence weighed.
    """
    in_place = {t.var for t in things if t.link >= 0 and rng.random() < IN_PLACE}
    telling = Telling(words, rng)
    facts = {
        t.var: (
            *t.facts,
            *(s.link for s in things if s.parent == t.var and s.var in in_place and not s.on_way),
        )
        for t in things
    }
    telling.held = {
        i for t in things if t.var not in in_place for i in (t.link, *facts[t.var]) if i >= 0
    }
    texts: list[str] = []

    def add(say: "Callable[[Telling], str]") -> None:
        nonlocal telling
        text, telling = _lightest(telling, say)
        texts.append(text)

    for thing in things:
        if thing.var in in_place:
            continue
        if thing.link >= 0:
            add(lambda t, thing=thing: t.announce(thing, facts[thing.var]))  # type: ignore[misc]
        while left := [i for i in facts[thing.var] if i not in telling.used]:
            add(lambda t, thing=thing, left=left: t.more_of(thing.var, left))  # type: ignore[misc]
    add(_ask)
    telling.cost += PER_SENTENCE * (len(texts) - 1)
    return " ".join(texts), telling


def _ask(telling: "Telling") -> str:
    """The question; what is asked for must not be taken for "it" ("Which painting hangs in the town where it stands?")."""
    text = capital(question(telling).replace(",?", "?"))
    telling.cost += HOPELESS * bool(_ITSELF.match(text))
    return text


def _lightest(telling: "Telling", say: "Callable[[Telling], str]") -> "tuple[str, Telling]":
    """The lightest of some wordings of one sentence, and the derivation with it."""
    found: list[tuple[float, str, Telling]] = []
    for _ in range(TRIES_PER_SENTENCE):
        tried = telling.forked()
        text = capital(say(tried))
        tried.cost += weigh_sentence(text)
        # A little chance, or the first words of the table would be taken whenever they fit.
        worth = tried.rng.random() - PER_CLAIM * len(tried.used)
        found.append((tried.cost + worth, text, tried))
    _, text, best = min(found, key=lambda f: f[:2])
    return text, best


class Telling(NounPhrases):
    """A derivation whose noun phrases know what the sentences before have told."""

    def __init__(self, form_words: FormWords, rng: random.Random) -> None:
        super().__init__(form_words, rng)
        self.held: set[int] = set()
        """Claims that get a sentence, and are not told by the way."""
        self._mentioned: list[Term] = []
        self._before: list[Term] = []
        """What this sentence and the one before have mentioned."""
        self._topic = ""
        """The subject of the sentence before."""
        self._subject = ""
        self._nouns: dict[str, str] = {}
        self._now_another = ""
        """The noun of which this sentence says "another"."""

    def forked(self) -> "Telling":
        """A derivation that goes on from here with a new sentence."""
        other = copy.copy(self)
        other.used, other.introduced = set(self.used), dict(self.introduced)
        other.said_nouns, other._before, other._nouns = [], self._mentioned, dict(self._nouns)
        other._mentioned, other._topic, other._subject = [], self._subject, ""
        other._now_another = ""
        return other

    # ------------------------------------------------------------ sentences

    def announce(self, thing: Thing, facts: Sequence[int]) -> str:
        """A sentence that introduces a thing by its tie to one before, with at most one fact more."""
        words, var, index = self.form_words, thing.var, thing.link
        slot = self._slot(index, var)
        known, person = self.other(index, slot), words.is_person(var)
        self.used.add(index)
        light = [i for i in facts if not isinstance(self.other(i, self._slot(i, var)), str)]
        more = [self.choose(light)] if light and self.rng.random() < 0.5 else []
        self.used.update(more)
        claims = [(i, self._slot(i, var)) for i in more]
        roles = words.ends(index, slot)
        if roles and more and person and self.rng.random() < 0.6:
            return self._by_role(var, known, self.choose(roles), slot, claims)
        # Everybody comes from a family, and each painting is by an artist: "this man's family", "its artist" say as much.
        told = slot == "o" and (words.noun(var) in roles or (person and bool(roles)))
        self.cost += (6.0 if words.noun(var) in roles else 2.0) * told
        frame = self.choose(self.frames(index))
        if frame.subject == slot:
            self.cost += HOPELESS * frame.middle.startswith(("the ", "a ", "an "))
            named = self._first_named(var)
            said = frame.predicate(self.noun_phrase(known))
            self._subject = var
            if claims and (reduced := self.rng.random() < 0.5):
                named = self.modified(named, claims, person, bare_head=True)
            self._introduced_as(var)
            both = claims and not reduced
            return f"{named} {f'{said} and {self.predicates(claims)}' if both else said}."
        subject = self.noun_phrase(known, subject=True)
        self._subject = known if isinstance(known, str) else ""
        named = self._first_named(var)
        if claims:
            named = self.modified(named, claims, person, bare_head=True)
        self._introduced_as(var)
        return f"{frame.statement(subject, named)}."

    def _by_role(
        self, var: str, known: Term, role: str, slot: str, claims: list[tuple[int, str]]
    ) -> str:
        """ "One of his pupils wrote the opera X.", "This man's wife was born in Velm."."""
        of = self.possessor(known, role)
        one_of_many = slot == "s" and role not in self.form_words.data["only_one"]
        if one_of_many:
            plural = self.form_words.words.plural(bare(role))
            if of.startswith("the "):
                of = f"{self.form_words.words.indefinite(bare(role))} of{of.partition(' of')[2]}"
            else:
                of = f"one of {of.removesuffix(bare(role))}{plural}"
        self._subject = var
        self.introduce(var, bare(role))
        self._mentioned.append(var)
        return f"{of} {self.predicates(claims)}."

    def more_of(self, var: str, facts: Sequence[int]) -> str:
        """A sentence with one fact or two of a thing that was introduced."""
        said = [(i, self._slot(i, var)) for i in facts]
        asking = [c for c in said if any(f.subject == c[1] for f in self.frames(c[0]))]
        if not asking:
            index, slot = self.choose(said)
            self.used.add(index)
            frame = self.choose(self.frames(index))
            subject = self.noun_phrase(self.other(index, slot), subject=True)
            return f"{frame.statement(subject, self.noun_phrase(var))}."
        chosen = self.rng.sample(asking, min(len(asking), self.rng.choice((1, 2))))
        self.used.update(i for i, _ in chosen)
        subject = self.noun_phrase(var, subject=True)
        self._subject = var
        return f"{subject} {self.predicates(chosen)}."

    def _slot(self, index: int, var: str) -> str:
        return "o" if self.form_words.claims[index].object == var else "s"

    # ------------------------------------------------------------ kinds and pronouns

    def _first_named(self, var: str) -> str:
        """ "a river", or "another river" behind one; who directed a film is a man rather than "a director"."""
        words = self.form_words
        noun = words.called(var) if self.rng.random() < 0.6 else words.noun(var)
        self._nouns[var] = noun
        self._mentioned.append(var)
        same = self._alike(short(words, noun))
        self.cost += 3.0 * len(same) + HOPELESS * (len(same) >= len(ORDINALS))
        self._now_another = short(words, noun) if same else ""
        if len(same) == 2:
            return f"a third {noun}"
        return f"another {noun}" if same else words.words.indefinite(noun)

    def introduce(self, var: str, noun: str) -> None:
        """See `NounPhrases`; somebody's wife is "the woman" from now on, or "the wife" beside another woman."""
        plain = self.form_words.noun(var)
        super().introduce(var, plain if noun in self._kin() and not self._alike(plain) else noun)

    def asked_kind(self, var: str, noun: str) -> str:
        """ "Which other bridge …" where one was told of and the asked one is tied to it by a claim of its own."""
        own = any(c.subject == var for c in self.form_words.claims)
        alike = bool(self._alike(short(self.form_words, noun)))
        self._now_another = short(self.form_words, noun) if own and alike else ""
        return f"other {noun}" if own and alike else noun

    def _kin(self) -> frozenset[str]:
        """Nouns of whom somebody has one: "the wife", but "that pupil"."""
        told = self.form_words.data["by_gender"]
        return frozenset(noun for kin in told.values() for noun in kin.values())

    def possessor(self, term: Term, noun: str) -> str:
        said = super().possessor(term, noun)
        self._mentioned.append(term)
        return said

    def _introduced_as(self, var: str) -> None:
        self.introduce(var, self._nouns[var])

    def _alike(self, noun: str) -> list[str]:
        """The things introduced that are called by a noun, in order."""
        return [v for v, n in self.introduced.items() if short(self.form_words, n) == noun]

    def noun_phrase(self, term: Term, *, subject: bool = False) -> str:
        said = super().noun_phrase(term, subject=subject)
        self._mentioned.append(term)
        return said

    def _anchor(self, var: str) -> str:
        noun = self.form_words.noun(var)
        self.introduce(var, noun)
        self.anchor_phrase = self.form_words.data["pictured"][0].replace("{c}", noun)
        return self.anchor_phrase

    def _reference(self, var: str, subject: bool) -> str:
        pronoun = self._pronoun(var)
        if pronoun and self.rng.random() < 0.8:
            return pronoun if subject else OBJECTS[pronoun]
        noun = short(self.form_words, self.introduced[var])
        if var == self.form_words.form.anchor:
            return f"this {noun}"
        alike = self._alike(noun)
        person = self.form_words.is_person(var)
        if noun == self._now_another and alike == [var] and not person:
            return "the first one"  # "Another painting hangs in the museum that holds the first one."
        others = [v for v in alike if v != self.form_words.form.anchor]
        if len(alike) == 1:
            if noun == self.form_words.data["default_nouns"]["person"] and not subject:
                return f"the same {noun}"
            plain = person and noun in (self.form_words.noun(var), *self._kin())
            return f"{'the' if plain else 'that'} {noun}"
        if len(others) == 1:
            return f"the other {noun}"
        self.cost += HOPELESS * (len(others) < len(alike) or len(others) > len(ORDINALS))
        return f"the {ORDINALS[others.index(var) % len(ORDINALS)]} {noun}"

    def _pronoun(self, var: str) -> str:
        """ "he", "she" or "it", where the sentence before leaves no doubt of whom; else ""."""
        mine, near = self._gender(var), [*self._before, *self._mentioned]
        if mine == ANY or var not in near:
            return ""
        goes_on = mine == "it" and self._topic == var and not self._mentioned
        others = {t.key() if isinstance(t, Value) else t for t in near if self._may_be(t, mine)}
        return mine if goes_on or others == {var} else ""

    def _gender(self, term: Term) -> str:
        words = self.form_words
        if not words.is_person(term):
            return "it"
        return (words.genders.get(term, "") if isinstance(term, str) else "") or ANY

    def _may_be(self, term: Term, pronoun: str) -> bool:
        """Whether a reader might take a pronoun for a term; no date or number is "it"."""
        if isinstance(term, Value) and term.kind != "entity":
            return False
        gender = self._gender(term)
        return gender == pronoun or (gender == ANY and pronoun != "it")

    def take_claims(self, var: str) -> list[tuple[int, str]]:
        already = set(self.used)
        found = [c for c in super().take_claims(var) if c[0] not in self.held]
        self.used = already | {i for i, _ in found}
        return found


def short(words: FormWords, noun: str) -> str:
    """What a thing is called again: "bridge" of "arch bridge"."""
    last = noun.split(" ")[-1]
    return last if last in words.data["short_nouns"] else noun
