"""Puts a logical form into English. Tries several random wordings, and takes one of the smoothest.

A short question is one sentence; a longer question has several (`sentences.py`). The best wording
depends on how deep and long the descriptions are. Therefore many wordings of all kinds are made at
random, and their costs are compared. The draft's hash decides between equally good wordings.
"""

import random
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile

from questloom.language.sentences import sentence_spans
from questloom.records.form import Form
from questloom.records.identity import chance
from questloom.transforms.writing.form_edits import unsayable
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.ellipsis import without_echo
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.fuzzy_words import refers_forward
from questloom.transforms.writing.graph.label_source import WordSource
from questloom.transforms.writing.graph.lints import find_hidden_words, problems, weigh
from questloom.transforms.writing.graph.noun_phrases import NounPhrases
from questloom.transforms.writing.graph.questions import capital, question
from questloom.transforms.writing.graph.sentences import (
    cost_of_number,
    structures,
    tell,
    things_of,
)
from questloom.transforms.writing.graph.telling import Telling

TRIES_PER_CLAIM = 32
"""Number of random wordings that are tried per claim of a question."""
LONGER = 4
"""If no wording is good enough for readers, this factor times as many wordings are tried."""
HIDDEN = 30.0
"""Cost of each hidden word in a text."""
TELLINGS, MOST_TELLINGS, GOOD = 40, 240, 10.0
"""Number of random wordings in several sentences that are tried, the number where they all have a
fault or cost at least `GOOD`, and that cost."""
TRIES, BEST_DIVISIONS = 8, 8
"""How often each division into sentences is tried, and how many of the lightest are then tried on.
Where there are too many to try each, divisions are tried that differ from the lightest in one
thing."""
MAX_CLAIMS = 5
"""Maximum number of claims in a single sentence, including the asked claim."""
HEAVY = 7.0
"""Cost above which several lighter sentences replace a single sentence."""
HEAVIEST = 12.0
"""Cost above which even the smoothest sentence is refused."""
HEAVIEST_OF_SEVERAL = 11.0
"""The limit to the mean cost of several sentences, without the cost of their number: a plan of ten
hidden names needs many."""
NEARLY = 0.9
"""A wording counts as equally good if its cost exceeds that of the best wording by at most this
number. The draft's tastes pick one of the equally good wordings. A repeated noun or verb costs more
than this."""


@dataclass(frozen=True, kw_only=True)
class Verbalisation:
    """A form in English words."""

    text: str
    anchor_phrase: str
    """The words that refer to the picture, as they stand in the text."""
    problems: tuple[str, ...] = ()
    """The faults of the best wording. A question with faults is not shown to readers."""
    cost: float = 0.0
    """How awkward the wording is. A wording with a cost below `HEAVY` counts as light."""


def verbalise(
    form: Form,
    *,
    names: Mapping[str, str],
    classes: Mapping[str, str],
    facts: WordSource,
    item_id: str,
    recipe_seed: int,
    genders: Mapping[str, str] | None = None,
    years: Mapping[str, int] | None = None,
    seen: str = "",
    language: str = "en",
    hidden: Collection[str] = (),
) -> Verbalisation:
    """Puts a form into a question that a person would ask.

    Args:
        form: the form of the question.
        names: maps variables and entity ids to names. The text describes a variable without a name.
        classes: maps each variable to its class. The mapping may also have entity ids, if the
            caller knows better classes than `facts`.
        facts: source of labels, datatypes and classes.
        item_id: the draft's id. The draft's id and `recipe_seed` decide between equally good
            wordings.
        recipe_seed: the recipe's seed.
        genders: maps each variable that is a person to "he" or "she", where the sex is known.
        years: maps each variable that is a date to its year. A form that computes with two dates
            needs both years.
        seen: a word for what everybody sees in the picture, if the word says more than the thing's
            class ("bird" for a species).
        language: language of the phrases.
        hidden: words that the text must not contain (names of asked or described things), in any
            letter case.

    Raises:
        InputError: the language has no phrases.
    """
    words = FormWords(
        form=form,
        names=names,
        classes=classes,
        genders=genders or {},
        years=years or {},
        facts=facts,
        language=language,
        seen=seen,
        rng=chance(recipe_seed, item_id, "taste"),
    )
    rng = chance(recipe_seed, item_id, "verbalise")
    found = _one_sentence(words, rng, hidden) if len(words.claims) <= MAX_CLAIMS else None
    if found is None or found.problems or found.cost > HEAVY:
        several = _several_sentences(words, rng, hidden)
        if several and (
            found is None
            or (bool(several.problems), several.cost) < (bool(found.problems), found.cost)
        ):
            return several
    assert found is not None, "a form with a picture can be told"
    return found


def _one_sentence(words: FormWords, rng: random.Random, hidden: Collection[str]) -> Verbalisation:
    wordings: dict[str, tuple[float, NounPhrases]] = {}
    weights: dict[str, float] = {}
    tries = TRIES_PER_CLAIM * max(1, len(words.claims))
    for number in range(LONGER * tries):
        if number >= tries and not HEAVIEST < min(cost for cost, _ in wordings.values()) < HOPELESS:
            break
        phrases = NounPhrases(words, rng)
        text = _derive(phrases)
        cost = phrases.cost + HOPELESS * (len(phrases.used) < len(words.claims))
        if cost >= HOPELESS and wordings:
            continue
        if text not in weights:
            weights[text] = weigh(text, words.language) + HIDDEN * len(
                find_hidden_words(text, hidden)
            )
        if text not in wordings or cost + weights[text] < wordings[text][0]:
            wordings[text] = (cost + weights[text], phrases)
    best = min(cost for cost, _ in wordings.values())
    text = _to_taste(
        [t for t, (cost, _) in wordings.items() if cost <= best + NEARLY], wordings, rng
    )
    _, phrases = wordings[text]
    return _judged(text, phrases, best, hidden, heavy=best > HEAVIEST)


def _several_sentences(
    words: FormWords, rng: random.Random, hidden: Collection[str]
) -> Verbalisation | None:
    """The lightest wording in several sentences; None where the form has no picture with which the
    sentences could begin."""
    things = things_of(words) if words.form.anchor and words.form.anchor not in words.names else ()
    if not things:
        return None
    wordings: dict[str, tuple[float, Telling]] = {}
    text = ""
    divisions = structures(things, rng)
    costs = dict.fromkeys(divisions, float("inf"))
    linked, tried = [t.var for t in things if t.link >= 0], TRIES * len(divisions)
    is_sample = 2 ** len(linked) > len(divisions)
    for number in range(MOST_TELLINGS):
        if number == tried or (number > tried and is_sample):
            # From here on, the best divisions only.
            divisions = sorted(costs, key=lambda d: costs[d])[:BEST_DIVISIONS]
        described = divisions[number % len(divisions)]
        if number >= tried and is_sample and rng.random() < 0.5:
            described ^= {rng.choice(linked)}  # a division like one of the best
        if number >= TELLINGS and wordings[text][0] < GOOD and not problems(text, words.language):
            break
        said, telling = tell(words, things, described, rng)
        cost = telling.cost + HIDDEN * len(find_hidden_words(said, hidden))
        cost += HOPELESS * (len(telling.used) < len(words.claims))
        costs[described] = min(costs.get(described, cost), cost)
        if said not in wordings or cost < wordings[said][0]:
            wordings[said] = cost, telling
        text = min(wordings, key=lambda t: (wordings[t][0], t))
    # A heavier text without a fault is better than a lighter one with a fault.
    by_cost = sorted((cost, t) for t, (cost, _) in wordings.items() if not _is_heavy(t, cost))
    fine = (each for each in by_cost if not problems(each[1], words.language))
    cost = wordings[text][0]
    if best := next(fine, None):
        cost = best[0]
        near = takewhile(lambda each: each[0] <= cost + NEARLY, fine)
        text = _to_taste([best[1], *(t for _, t in near)], wordings, rng)
    return _judged(text, wordings[text][1], cost, hidden, heavy=_is_heavy(text, cost))


def _to_taste(
    near: Collection[str], wordings: Mapping[str, tuple[float, NounPhrases]], rng: random.Random
) -> str:
    """Of the equally good wordings, the one that the draft likes best."""
    texts = sorted(near)
    rng.shuffle(texts)
    return max(texts, key=lambda t: wordings[t][1].taste)


def _is_heavy(text: str, cost: float) -> bool:
    """Whether the sentences of a text are harder to read than readers accept."""
    number = len(sentence_spans(text))
    return cost - cost_of_number(number) > HEAVIEST_OF_SEVERAL * number


def _judged(
    text: str,
    phrases: NounPhrases,
    cost: float,
    hidden: Collection[str],
    *,
    heavy: bool,
) -> Verbalisation:
    """Makes the result of a wording: its text, its cost and its faults."""
    words = phrases.form_words
    faults = ("heavy",) * heavy + (
        *problems(text, words.language),
        *(f"says {h}" for h in find_hidden_words(text, hidden)),
        *unsayable(words.claims),
    )
    if phrases.cost >= HOPELESS or len(phrases.used) < len(words.claims):
        faults += ("something is not described",)
    anchor = words.form.anchor
    if anchor and anchor not in words.names and not phrases.anchor_phrase:
        faults += ("the picture is not mentioned",)
    return Verbalisation(text=text, anchor_phrase=phrases.anchor_phrase, problems=faults, cost=cost)


def _derive(phrases: NounPhrases) -> str:
    """Makes one random wording as a single sentence."""
    text = capital(question(phrases).replace(",?", "?"))
    text = without_echo(text, phrases.form_words.data["wider"])
    # "the species shown here" ends a sentence or begins one; in the middle it is "this species".
    # "This one" comes last.
    shown = phrases.anchor_phrase
    phrases.cost += HOPELESS * (re.search(r"this one\b(?!\?)", text) is not None)
    phrases.cost += HOPELESS * refers_forward(phrases.form_words.form, text, shown)
    phrases.cost += 4.0 * (
        shown.startswith("the ") and re.search(rf"[a-z’'] {re.escape(shown)} \w", text) is not None
    )
    return text
