"""Puts a form into several short sentences, in the style of puzzles: "This bridge crosses a river.
Which lake does that river reach?"

The things of a form come in order from the picture to the question. Some things are announced by a
sentence of their own, with at most two facts. Other things are described where they are first
mentioned ("this bridge's architect"). Each division is tried, and `verbalise.py` compares the
results. The text refers back to an introduced thing by its kind or a
pronoun. The question comes last, and is worded like a question of one sentence.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from questloom.records.form import Reads, Term
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.ellipsis import without_echo, without_second_noun
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.lints import (
    MAX_NESTED,
    num_relative,
    verbs_of,
    weigh_sentence,
)
from questloom.transforms.writing.graph.questions import capital, question
from questloom.transforms.writing.graph.telling import Telling

MAX_STRUCTURES = 32
"""Maximum number of divisions into sentences that are tried."""
TRIES_PER_SENTENCE = 5
PER_CLAIM = 1.8
"""The amount by which each fact of a sentence lowers the sentence's cost. Without a credit for
facts, sentences with few facts would always win."""
PER_SENTENCE = 1.8
"""Cost of a second sentence. Each further sentence costs this much more than the one before:
readers gave questions of one sentence 4.0 of 5, of two 3.5, of three 3.0, and of more 2.0."""

REPEATED = 1.0
"""Cost of each time that a text says a noun beyond the second: "A painting was made there. That
painting hangs in a museum. Which family donated that painting?"; and of a verb that two sentences
share."""
MAX_JOINED = 18
"""Maximum number of words of two sentences that become one."""
OPENS_WITH_YEAR = 5.0
"""Cost of a text whose first sentence says that a picture shows a year. Readers found this opening
contrived."""

_ITSELF = re.compile(
    r"Which (?!\w+(?: \w+){0,2} (?:did|does|was|is) it\b|\w+(?: \w+)? \w+ it\?).*(?<!as )\bits?\b"
)

_LYING = re.compile(r" that (?:is|lies|stands) (?=(?:at|beside|by|in|on) an? [\w -]+\.$)")
"""Words that readers do not miss: "a town (that lies) on a river"."""
_SMALL_OPENINGS = frozenset("A An Another He Her His It Its One She That The There This".split())
_THERE = re.compile(r" (?:at|in|on) that ([\w -]+)\.$")
"""The place at the end of "A treaty was signed in that town."."""


@dataclass(frozen=True)
class Thing:
    """A thing of the form, with the claims by which the sentences introduce and describe the
    thing."""

    var: str
    link: int
    """Index of the claim that connects the variable to an earlier thing; -1 for the pictured thing."""
    facts: tuple[int, ...]
    """Indices of the claims that connect the variable to constants and to other earlier things."""
    parent: str = ""
    on_way: bool = True
    """Whether the variable lies on the path from the picture to the question. False for a hidden
    thing that only helps to describe a thing on the path."""


def things_of(words: FormWords) -> tuple[Thing, ...]:
    """The things of a form in the order in which the sentences tell them, from the picture to the
    question. A thing beside the path follows the thing to which it belongs."""
    links: dict[str, list[tuple[int, str]]] = {}
    for i, claim in enumerate(words.claims):
        # A year in the picture of a thing connects the thing that it dates to the pictured thing.
        seen = words.reads.get(str(claim.object))
        ends = claim.subject, seen.of if seen else claim.object
        if isinstance(ends[0], str) and isinstance(ends[1], str) and ends[1] not in words.literals:
            links.setdefault(ends[0], []).append((i, ends[1]))
            links.setdefault(ends[1], []).append((i, ends[0]))
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
        facts = [
            i for i, slot in words.describing(var) if not isinstance(_other(words, i, slot), str)
        ]
        told.append(Thing(var, link, (*facts, *(i for i, _ in back[:-1])), parent, on_way))
        for _, side in links.get(var, ()):
            if side not in way and side != words.form.ask.var and side not in {t.var for t in told}:
                tell(side, False)

    for var in way:
        tell(var, True)
    return tuple(told)


def _targets(words: FormWords) -> frozenset[str]:
    """The things with which the question sentence itself deals: the asked thing, or the things
    whose values are asked for or compared."""
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
    """The paths from a variable to any of the end variables. No path passes a variable twice."""
    todo: list[tuple[str, ...]] = [(start,)]
    while todo:
        path = todo.pop()
        if path[-1] in ends:
            yield path
        todo += [(*path, v) for _, v in links.get(path[-1], ()) if v not in path]


def _other(words: FormWords, index: int, slot: str) -> Term:
    claim = words.claims[index]
    return claim.object if slot == "s" else claim.subject


def structures(things: tuple[Thing, ...], rng: random.Random) -> list[frozenset[str]]:
    """The ways to divide a text into sentences, in random order: each is the set of things that have
    no sentence of their own."""
    linked = [t.var for t in things if t.link >= 0]
    count = 2 ** len(linked)
    return [
        frozenset(var for i, var in enumerate(linked) if bits >> i & 1)
        for bits in rng.sample(range(count), min(count, MAX_STRUCTURES))
    ]


def tell(
    words: FormWords,
    things: tuple[Thing, ...],
    described: frozenset[str],
    rng: random.Random,
) -> tuple[str, Telling]:
    """One wording of a form in several sentences, with the record of its random choices.

    Args:
        words: the form and its words.
        things: the things of the form, from `things_of`.
        described: the things that have no sentence of their own, but are described where they are
            first mentioned.
        rng: random generator for every other choice.

    Returns:
        The text, and the record of choices with the cost. The cost includes the weight of each
        sentence.
    """
    in_place = set(described)
    for t in reversed(things):
        alone = not t.facts and not any(s.parent == t.var and s.var in in_place for s in things)
        if not t.on_way and alone:
            in_place.discard(t.var)  # without the link nothing would describe it
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

    def add(say: Callable[[Telling], str]) -> None:
        nonlocal telling
        text, telling = _lightest(telling, say)
        if texts and (both := joined(texts[-1], text, telling)):
            telling.cost += weigh_sentence(both) - weigh_sentence(texts[-1]) - weigh_sentence(text)
            telling.join()
            texts[-1] = both
        else:
            texts.append(text)

    for thing in things:
        if thing.var in in_place:
            continue
        if thing.link >= 0:
            add(lambda t, thing=thing: t.announce(thing.var, thing.link, facts[thing.var]))  # type: ignore[misc]
        while left := [i for i in facts[thing.var] if i not in telling.used]:
            add(lambda t, thing=thing, left=left: t.more_of(thing.var, left))  # type: ignore[misc]
    for reads in _counted_years(words):
        if rng.random() < 0.5:
            telling.cost += OPENS_WITH_YEAR * (not texts)
            add(lambda t, reads=reads: t.tell_year(reads))  # type: ignore[misc]
    add(_ask)
    telling.cost += cost_of_number(len(texts))
    nouns = [n for v, n in telling.introduced.items() if not words.is_person(v)]
    texts = [without_second_noun(t, nouns) for t in texts[:-1]] + texts[-1:]
    text = " ".join(texts)
    for noun in set(telling.introduced.values()):
        telling.cost += REPEATED * max(0, len(re.findall(rf"\b{re.escape(noun)}\b", text)) - 2)
    verbs = Counter(verb for said in texts for verb in verbs_of(said))
    telling.cost += REPEATED * sum(number - 1 for number in verbs.values())
    return text, telling


def cost_of_number(sentences: int) -> float:
    """The cost of a number of sentences."""
    return PER_SENTENCE * (sentences - 1) * sentences / 2


def joined(before: str, text: str, telling: Telling) -> str:
    """Two statements as one, if the first introduces the subject of the second as its last word;
    or the place of the second; otherwise "".

    "This painting depicts a woman." and "She died in a town." become "This painting depicts a woman
    who died in a town."; "The film is set in a town." and "A treaty was signed in that town." become
    "The film is set in a town where a treaty was signed.".
    """
    words = telling.form_words
    noun = telling.introduced.get(telling.subject, "")
    last = re.search(rf" (?:an?|another) {re.escape(noun)}\.$", before)
    if num_relative(f"{before} {text}") >= MAX_NESTED:
        return ""
    if there := _THERE.search(text):
        said, place = text[: there.start()], re.search(rf" an? {re.escape(there[1])}\.$", before)
        if not place or not _is_new_place(telling, there[1]) or said.endswith((" is", " also")):
            return ""
        first, _, rest = said.partition(" ")
        opening = first.lower() if first in _SMALL_OPENINGS else first
        if opening == first:  # "The museum where “Fog” hangs" is the only one.
            before = f"{before[: place.start()]} the {there[1]}."
        both = f"{before[:-1]} where {opening} {rest}."
    elif noun and last and telling.is_new(telling.subject):
        pronoun = "who" if words.is_person(telling.subject) else "that"
        both = f"{before[:-1]} {pronoun}{text.removeprefix(capital(telling.subject_words))}"
        # "A river that rises on a mountain in a district": which of the two is there?
        both = both if num_relative(before) else _LYING.sub(" ", both)
    else:
        return ""
    apart = weigh_sentence(before) + weigh_sentence(text) + 2 * PER_SENTENCE
    return both if len(both.split()) <= MAX_JOINED and weigh_sentence(both) <= apart else ""


def _is_new_place(telling: Telling, noun: str) -> bool:
    """Whether the current sentence sets a new thing in the place that the previous sentence has
    introduced."""
    words, place = telling.form_words, telling.place
    return (
        telling.introduced.get(place) == noun
        and telling.is_new(place)
        and words.is_place(place)
        and not words.is_water(place)
    )


def _counted_years(words: FormWords) -> list[Reads]:
    """The years in pictures from which the question counts."""
    asked = words.computes.get(words.form.ask.var)
    return [words.reads[a] for a in asked.args if a in words.reads] if asked else []


def _ask(telling: Telling) -> str:
    """Makes the question sentence. A wording is refused if a reader could take "it" for the asked
    thing ("Which painting hangs in the town where it stands?"), unless it is the asked thing
    ("Which district has that town as its capital?")."""
    telling.asking = True
    text = telling.with_the(capital(question(telling).replace(",?", "?")))
    telling.cost += HOPELESS * bool(_ITSELF.match(text))
    return text


def _lightest(telling: Telling, say: Callable[[Telling], str]) -> tuple[str, Telling]:
    """The lightest of several wordings of one sentence, with the record of its random choices."""
    found: list[tuple[float, str, Telling]] = []
    for _ in range(TRIES_PER_SENTENCE):
        tried = telling.forked()
        text = without_echo(capital(say(tried)), tried.form_words.data["wider"])
        tried.cost += weigh_sentence(text)
        # A little randomness, or the first words of the table would always win.
        worth = tried.rng.random() - PER_CLAIM * len(tried.used)
        found.append((tried.cost + worth, text, tried))
    _, text, best = min(found, key=lambda f: f[:2])
    return text, best
