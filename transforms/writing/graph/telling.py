"""Writes the sentences of a puzzle in order. A sentence announces a thing or adds facts, and later
sentences refer back to the thing."""

import copy
import random
import re
from collections.abc import Sequence

from questloom.language.frames import BE, PREPOSITIONS, Frame, share_verb
from questloom.records.form import Reads, Term
from questloom.transforms.writing.graph.clauses import HOPELESS, LIGHT, WEAK
from questloom.transforms.writing.graph.first_mentions import FirstMentions
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.lints import num_relative
from questloom.transforms.writing.graph.noun_phrases import MAX_DEPTH

ELSEWHERE = 4.0
"""Cost of a sentence about the year in one thing's picture where the question counts to a date of
another thing. "How many years before the year on this tower's plaque did the church open?" keeps
both apart."""
EMPTY = 3.0
"""Cost of a sentence that only announces a person, an area, or a thing of the pictured one: "A
shipyard built this ship.". Readers gave such a question 2.3 of 5, and "On what date did the founder of the shipyard
that built this ship die?" 5."""
BACKWARD = 2.5
"""Cost of a sentence that begins with the new thing where the known one is the natural subject: "A
painting is owned by this museum.", "A museum employed her."."""
BLUNT = 1.5
"""Cost of a new thing without a clause before the known one: "A woman commissioned this bridge."
Editors gave it 3.3 of 5, and "This bridge was commissioned by a woman." 4.3."""
BEARS = 5.0
"""Cost of "The plaque of this tower bears a year.". Editors gave such a question 3 of 5, and "How many
years separate the opening of this tower from the year on its plaque?" 4.5."""
CHOPPED = 4.0
"""Cost of a sentence that says what another thing has to do with a known one: "It stands by a sea. The
Velm empties into that sea." Editors gave it 2 of 5, and "the sea into which the Velm empties" 4.7."""
ONE_OF = 2.0
"""Cost of "one of her daughters", who may be her only one."""
SECOND = 1.5
"""Cost of "a painting by Ada Orme" beside the pictured painting."""
INSIDE = 6.0
"""Cost of "Her family donated a painting in the museum.", where the museum may be where they did so."""
READ_ON = 3.0
"""Cost of "A church dedicated to the same saint as this chapel opened in 1960.": which opened?"""
TWICE = 3.0
"""Cost of "also painted another painting", where "also" and "another" say the same."""
CLAUSE_FIRST = 2.0
"""Cost of "A woman who died in 1968 came from this man's family.". Readers gave it 3 of 5, and "A woman
from this man's family died in 1968." 4."""
LONG_FIRST, LONG = 0.5, 9
"""Cost of each word of a subject beyond a number of words."""


class Telling(FirstMentions):
    """One random wording in several sentences. The choice of a noun phrase depends on earlier
    sentences."""

    deepest = MAX_DEPTH

    def __init__(self, form_words: FormWords, rng: random.Random) -> None:
        super().__init__(form_words, rng)
        self._empty, self._empty_before = 0.0, 0.0
        """What the current and the previous sentence cost as empty ones."""
        self.place = ""
        """The place in which the current sentence sets a new thing: "A treaty was signed in that
        town."."""

    def forked(self) -> "Telling":
        """A copy of this wording that continues with a new sentence."""
        other = copy.copy(self)
        other.used, other.introduced = set(self.used), dict(self.introduced)
        other.told_years, other.works = set(self.told_years), dict(self.works)
        other.heads = dict(self.heads)
        other._earlier = (*self._earlier, *self._before)
        other.said_nouns, other._before, other._nouns = [], self._mentioned, dict(self._nouns)
        other._mentioned, other._announcing = [], False
        other._empty, other._empty_before = 0.0, self._empty
        other._names, other._topic, other.subject = dict(self._names), self.subject, ""
        other._subjects = self._subjects | {self.subject}
        other.subject_words = ""
        other._counted_before = self._counted
        other._known_before, other._known = self._known, frozenset(self.introduced)
        other._now_another = other._called_it = other.place = ""
        other._called_it_before = self._called_it
        return other

    def join(self) -> None:
        """Makes the current sentence a part of the previous one."""
        self.cost -= self._empty_before
        self.subject, self._known = self._topic, self._known_before
        self._counted = self._counted_before
        self._mentioned = [*self._before, *self._mentioned]

    def is_new(self, var: str) -> bool:
        """Whether the previous sentence was the first to mention a thing."""
        return var in self._known - self._known_before

    # ------------------------------------------------------------ sentences

    def announce(self, var: str, index: int, facts: Sequence[int]) -> str:
        """A sentence that introduces a thing by a claim about an earlier thing, with at most two further facts."""
        words = self.form_words
        self._announcing = True
        slot = self._slot(index, var)
        known, person = self.other(index, slot), words.is_person(var)
        self.used.add(index)
        implied = [noun for noun in words.ends(index, slot) if noun in words.data["of_kind"]]
        if implied and self.rng.random() < 0.7:  # "That river has a tributary."
            return self._has(known, var, self.choose(implied))
        light = [i for i in facts if not isinstance(self.other(i, self._slot(i, var)), str)]
        more = [self.choose(light)] if light and self.rng.random() < 0.5 else []
        roles = words.ends(index, slot)
        by_role = bool(roles and person and (more or facts)) and self.rng.random() < 0.6
        if by_role and not more:
            more = [self.choose(facts)]  # "Her son commissioned the bridge that …"
        self.used.update(more)
        rest = [i for i in light if i not in more]
        claims = [(i, self._slot(i, var)) for i in more]
        if by_role:
            self._add_fact(claims, rest, var)
            return self._by_role(var, known, self.choose(roles), slot, claims)
        # Everybody comes from a family, and each painting is by an artist: "this man's family" and
        # "its artist" say as much.
        self.cost += 9.0 * (slot == "o" and words.noun(var) in roles)
        # "A man wrote this novel. He …": "the author of this novel" says as much.
        self.cost += (2.0 if more else 4.0) * (slot == "o" and person and bool(roles))
        # "This woman married a man": "her husband" says as much.
        only = self.kin() & set(roles)
        self.cost += 6.0 * (bool(only) and not more)
        frames = self.frames(index)
        # "A woman from that family died in 1968.", not "A woman who died in 1968 came from that family."
        shorter = [f for f in frames if f.is_reducible and f.subject == slot and claims]
        reduces = bool(shorter) and self.rng.random() < 0.5
        frame = self.choose(shorter if reduces else frames)
        self._empty = 0.0 if more else EMPTY * self._emptiness(var, slot, known, frame)
        self.cost += self._empty
        bare = not claims and frame.subject == slot and isinstance(known, str)
        bare = bare and (not person or known == words.form.anchor)
        self.cost += BLUNT * (bare and any(f.subject != slot for f in frames))
        employs = words.is_person(known) and not person and frame.verb not in BE
        self.cost += BACKWARD * (frame.subject == slot and (frame.preposition == "by" or employs))
        if frame.subject == slot:
            self.subject = var
            role = frame.verb in BE and frame.middle.startswith(("the ", "a ", "an "))
            self.cost += HOPELESS * role  # "A man was the father of this man."
            named = self._first_named(var)
            if reduces:
                head, named = named, self.modified(named, [(index, slot)], person, bare_head=True)
                # "Another painting by her hangs in the museum" would say that the first is there
                # too, but not "another painting donated by her".
                weak = named.removeprefix(head).split()[0] in PREPOSITIONS
                weak = weak and " by the same " not in named
                self.cost += HOPELESS * (weak and bool(self._now_another))
                self._introduced_as(var)
                self._add_fact(claims, rest, var)
                more_said = self.predicates(claims)
                self._weigh_first(named, more_said)
                return f"{named} {more_said}."
            # "Another painting was also made there" says it twice.
            also = frame if self._now_another else self._also(frame, index, slot)
            said = also.predicate(self._other_end(frame, index, slot))
            if not claims and frame.preposition in ("at", "in", "on") and isinstance(known, str):
                self.place = known
            self.cost += HOPELESS * frame.is_weak  # "A painting in the museum is by this man"
            if claims and (reduced := not self._now_another and self.rng.random() < 0.5):
                named = self.modified(named, claims, person, bare_head=True)
            self._weigh_first(named, said)
            self._introduced_as(var)
            if claims and not reduced:
                [(i, end)] = claims
                more_frame = self.frame(i, subject=end)
                self.cost += WEAK * more_frame.is_weak  # "and is by Ada Orme"
                both = [said, more_frame.predicate(self._other_end(more_frame, i, end))]
                said = share_verb([frame, more_frame], both, LIGHT) or " and ".join(both)
                # "A woman came from the family that donated this painting and died in 1915": did
                # the family die?
                self.cost += 4.0 * num_relative(both[0])
                self.cost += 2 * BACKWARD  # "A family donated that painting and built a church."
            elif said.startswith("is in "):
                return f"there is {named} {said.removeprefix('is ')}."
            return f"{named} {said}."
        subject = self.noun_phrase(known, subject=True)
        self.subject, self.subject_words = known if isinstance(known, str) else "", subject
        frame = self._also(frame, index, slot)
        self.cost += WEAK * frame.is_weak  # "is by an author"
        named = self._first_named(var)
        if claims and self._now_another:
            # "Another painting by her" would say that the first one is hers too; "also keeps a
            # painting by her" does not.
            if self._has_one(known, self._now_another):
                frame = frame if "also" in f"{frame.verb} {frame.middle}" else frame.with_also()
            else:
                self.cost += SECOND
            named, self._now_another = words.words.indefinite(self._nouns[var]), ""
        self.cost += TWICE * (bool(self._now_another) and "also" in f"{frame.verb} {frame.middle}")
        self.cost += LONG_FIRST * max(0, len(subject.split()) - LONG)
        if claims:
            if any(end == "o" for _, end in claims) and not self._now_another:
                named = f"the {self._nouns[var]}"  # "the town where “Fog” is set"
            head, named = named, self.modified(named, claims, person, bare_head=True)
            # "Her family donated a painting in the museum": was it donated there?
            inside = named.removeprefix(head).startswith((" at ", " in "))
            self.cost += INSIDE * (inside and not words.is_place(var))
        self._introduced_as(var)
        self.weigh_before_rest(frame, named)  # "had a bridge across the River Orla built"
        return f"{frame.statement(subject, named)}."

    def _add_fact(self, claims: list[tuple[int, str]], rest: Sequence[int], var: str) -> None:
        """Adds a second fact to the predicates in half of the wordings: "A man from the family
        attended the academy and died in Velm."."""
        if rest and self.rng.random() < 0.5:
            claims.append((rest[0], self._slot(rest[0], var)))
            self.used.add(rest[0])

    def _emptiness(self, var: str, slot: str, known: Term, frame: Frame) -> float:
        """How little a sentence says that only announces a thing, as a factor of `EMPTY`."""
        words, lies = self.form_words, (frame.middle, frame.preposition) == ("", "in")
        if lies and words.kinds(var)[:1] in (("county",), ("region",)):
            return 4.0  # "That town is in a district": so is every town.
        if words.is_person(var) or known == words.form.anchor:
            return 1.0
        # "The founder died in a town.", where "the town where the founder died" was possible.
        return 0.7 * (slot == "o" and words.is_place(var))

    def _has(self, known: Term, var: str, noun: str) -> str:
        """Announces a thing by a noun that says its relation to a known one: "That river has a
        tributary."."""
        subject = self.noun_phrase(known, subject=True)
        self.subject, self.subject_words = known if isinstance(known, str) else "", subject
        self._mentioned.append(var)
        self._nouns[var] = noun
        self._introduced_as(var)
        return f"{subject} has {self.form_words.words.indefinite(noun)}."

    def _also(self, frame: Frame, index: int, slot: str) -> Frame:
        """The sentence with "also" if the text has said the same of the earlier thing: "The artist
        of this painting also painted another painting"."""
        words = self.form_words
        claims = words.claims
        # "An actor" says no verb.
        told = [
            i
            for i in self.used - self._saying
            if i != index and not (claims[i].subject in self.works and words.phrase(claims[i]).noun)
        ]
        known, end = self.other(index, slot), "object" if slot == "s" else "subject"
        if not isinstance(known, str):
            return frame
        verb = frame.verb if frame.verb not in BE else None
        same = any(
            getattr(claims[i], end) == known
            and (
                claims[i].property == claims[index].property
                or verb in {f.verb for f in self.frames(i)}
            )
            for i in told
        )
        return frame.with_also() if same else frame

    def _has_one(self, known: Term, noun: str) -> bool:
        """Whether the text has connected a known thing with another thing of a kind."""
        told = (self.form_words.claims[i] for i in self.used - self._saying)
        alike = self._alike(noun)
        return any({c.subject, c.object} == {known, v} for c in told for v in alike if v != known)

    def frame(self, index: int, *, subject: str) -> Frame:
        frame = super().frame(index, subject=subject)
        return self._also(frame, index, "o" if subject == "s" else "s")

    def _same(self, index: int, slot: str) -> str:
        said, var = super()._same(index, slot), self.other(index, slot)
        noun = self.form_words.called(str(var))
        # "A painting by the same artist as that painting": that painting was the last one named, and
        # every painting has an artist. But "the same woman" would be any woman whom the text has
        # named, and "the same artist" any artist of a painting that the sentence before has named.
        twins = {c.subject for c in self.form_words.claims if c.object == var} - {None}
        kinds = {self._noun_of(v) for v in twins}
        near = {v for v in self._before if self._noun_of(v) in kinds}
        data = self.form_words.data
        clear = noun in data["professions"] and noun not in data["proven"]
        clear = clear and len(self._alike(noun)) == 1
        clear = clear and len(near) == 1 and near <= twins
        return re.sub(r"^(the same [\w -]+?) as that [\w-]+$", r"\1", said) if clear else said

    def predicates(self, claims: Sequence[tuple[int, str]]) -> str:
        self._saying = {i for i, _ in claims}
        said = super().predicates(claims)
        self._saying = set()
        return said

    def _weigh_first(self, named: str, said: str) -> None:
        """Adds the cost of a sentence that begins with the new thing: a reader may take the predicate
        for one of the pictured thing, and waits for the verb behind a clause or many words."""
        reads_on = re.search(r" this [\w-]+$", named) is not None
        self.cost += READ_ON * (reads_on and said.split()[0].endswith("ed"))
        self.cost += CLAUSE_FIRST * num_relative(named)
        self.cost += LONG_FIRST * max(0, len(named.split()) - LONG)

    def _by_role(
        self, var: str, known: Term, role: str, slot: str, claims: list[tuple[int, str]]
    ) -> str:
        """Announces a person by a role: "One of his pupils wrote the opera X.", or "This man's wife
        was born in Velm."."""
        of = self.possessor(known, role)
        one_of_many = slot == "s" and role not in self.form_words.data["only_one"]
        if one_of_many:
            said = self.form_words.words
            owner = of.removesuffix(f" {role}").removesuffix("'s")
            if of.startswith("the ") or owner not in ("his", "her", "its"):
                # Who tells of "one of this woman's daughters" knows of two.
                of = f"{said.indefinite(role)} of {of.partition(' of ')[2] or owner}"
            else:
                self.cost += ONE_OF * (role in self.kin())
                of = f"one of {owner} {said.plural(role)}"
        self.introduce(var, role)
        self._mentioned.append(var)
        self.subject = var
        return f"{of} {self.predicates(claims)}."

    def more_of(self, var: str, facts: Sequence[int]) -> str:
        """A sentence with one or two more facts about an introduced thing."""
        said = [(i, self._slot(i, var)) for i in facts]
        asking = [c for c in said if any(f.subject == c[1] for f in self.frames(c[0]))]
        if not asking:
            index, slot = self.choose(said)
            self.used.add(index)
            frame = self.choose(self.frames(index))
            subject = self.noun_phrase(self.other(index, slot), subject=True)
            self.cost += CHOPPED
            return f"{frame.statement(subject, self.noun_phrase(var))}."
        chosen = self.rng.sample(asking, min(len(asking), self.rng.choice((1, 2))))
        self.used.update(i for i, _ in chosen)
        subject = self.noun_phrase(var, subject=True)
        self.subject, self.subject_words = var, subject
        return f"{subject} {self.predicates(chosen)}."

    def tell_year(self, reads: Reads) -> str:
        """A sentence about a year in a picture: "The plaque of this tower gives a year."."""
        told = self.placed(reads, self.form_words.data["readings"][reads.property]["told"])
        self.told_years.add(reads.var)
        words = self.form_words
        asked = words.computes[words.form.ask.var].args
        dated = {words.definition(a)[1].subject for a in asked if a not in words.reads}
        self.cost += BEARS + ELSEWHERE * (reads.of not in dated)
        self.subject = reads.of if reads.of == self._topic else ""
        return f"{told}."

    def _slot(self, index: int, var: str) -> str:
        return "o" if self.form_words.claims[index].object == var else "s"
