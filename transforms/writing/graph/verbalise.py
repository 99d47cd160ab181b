"""A logical form in English: several derivations of the grammar are tried, and one of the smoothest is taken.

A question is one sentence where that is light, else several (`sentences.py`). Which wording fits depends on how deep and heavy its
descriptions are; so all are derived at random a number of times and weighed, and the draft's hash decides between those that are equally good.
"""

import random
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from questloom.language.sentences import sentence_spans
from questloom.records.form import ClaimClause, Form
from questloom.records.identity import chance
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.fuzzy_words import refers_forward
from questloom.transforms.writing.graph.label_source import WordSource
from questloom.transforms.writing.graph.lints import find_hidden_words, problems, weigh
from questloom.transforms.writing.graph.noun_phrases import HOPELESS, NounPhrases
from questloom.transforms.writing.graph.questions import capital, question
from questloom.transforms.writing.graph.sentences import tell, things_of
from questloom.transforms.writing.graph.telling import Telling

TRIES_PER_CLAIM = 32
"""Derivations a question, by the number of its claims."""
LONGER = 4
"""How many times as many at most, where none so far is for readers."""
HIDDEN = 30.0
"""Cost of a word that is to be hidden."""
TELLINGS = 40
"""Derivations in several sentences."""
MAX_CLAIMS = 5
"""In one sentence, the one that is asked for included."""
HEAVY = 7.0
"""Cost above which one sentence gives way to several, if they are lighter."""
HEAVIEST = 12.0
"""Cost above which the smoothest sentence is still not for readers; of several, their mean."""
NEARLY = 1.2
"""Wordings whose cost is within this of the best are equally good, and one is drawn."""
KINSHIP = frozenset({"P22", "P25", "P26", "P40", "P3373", "P1038"})


@dataclass(frozen=True, kw_only=True)
class Verbalisation:
    """A form in words."""

    text: str
    anchor_phrase: str
    """The words that refer to the picture, as they stand in the text."""
    problems: tuple[str, ...] = ()
    """What is wrong with the best wording found; a question with problems is not for readers."""
    cost: float = 0.0
    """How awkward it is; less than `HEAVY` is light."""


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
    """A form as a question that a person would ask.

    Args:
        form: what is asked.
        names: variables and entity ids to the names by which to call them; a variable that is not here is described.
        classes: variables (and entity ids, where known better than `facts` does) to the class they are called by.
        facts: labels, datatypes and classes.
        item_id: the draft's id; with `recipe_seed` it decides between equally good wordings.
        recipe_seed: the recipe's seed.
        genders: variables for people to "he" or "she", where known.
        years: variables for dates to their years; a form that computes with them needs both.
        seen: what the eye sees in the picture, where that is more than a class.
        language: of the phrases.
        hidden: words that must not be said (aliases of what is asked or described), in any case.

    Raises:
        InputError: there are no phrases for the language.
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
    text = rng.choice(sorted(text for text, (cost, _) in wordings.items() if cost <= best + NEARLY))
    _, phrases = wordings[text]
    return _judged(text, phrases, best, hidden, heavy=best > HEAVIEST)


def _several_sentences(
    words: FormWords, rng: random.Random, hidden: Collection[str]
) -> Verbalisation | None:
    """The lightest telling; None where a form has no picture to begin with."""
    things = things_of(words) if words.form.anchor and words.form.anchor not in words.names else ()
    if not things:
        return None
    wordings: dict[str, tuple[float, Telling]] = {}
    text = ""
    for number in range(LONGER * TELLINGS):
        if number >= TELLINGS and not problems(text, words.language):
            break
        said, telling = tell(words, things, rng)
        cost = telling.cost + HIDDEN * len(find_hidden_words(said, hidden))
        cost += HOPELESS * (len(telling.used) < len(words.claims))
        if said not in wordings or cost < wordings[said][0]:
            wordings[said] = cost, telling
        text = min(wordings, key=lambda t: (wordings[t][0], t))
    cost, best = wordings[text]
    heavy = cost > HEAVIEST * len(sentence_spans(text))
    return _judged(text, best, cost, hidden, heavy=heavy)


def _judged(
    text: str,
    phrases: NounPhrases,
    cost: float,
    hidden: Collection[str],
    *,
    heavy: bool,
) -> Verbalisation:
    """A wording with what is wrong with it."""
    words = phrases.form_words
    faults = ("heavy",) * heavy + (
        *problems(text, words.language),
        *(f"says {h}" for h in find_hidden_words(text, hidden)),
        *_faults(words),
    )
    if phrases.cost >= HOPELESS or len(phrases.used) < len(words.claims):
        faults += ("something is not described",)
    anchor = words.form.anchor
    if anchor and anchor not in words.names and not phrases.anchor_phrase:
        faults += ("the picture is not mentioned",)
    return Verbalisation(text=text, anchor_phrase=phrases.anchor_phrase, problems=faults, cost=cost)


def _faults(words: FormWords) -> tuple[str, ...]:
    """What no wording of a form can mend."""
    found, claims = [], words.claims
    related = [
        frozenset((c.subject, c.object))
        for c in claims
        if isinstance(c.subject, str) and isinstance(c.object, str)
    ]
    if len(set(related)) < len(related):
        found.append("it says twice how two things are related")
    kin = [c for c in claims if c.property in KINSHIP]
    if any(_meet(one, two) for k, one in enumerate(kin) for two in kin[:k]):
        found.append("kinship by way of kin")
    return tuple(found)


def _meet(one: ClaimClause, two: ClaimClause) -> bool:
    """Whether two claims are about one variable."""
    return any(
        isinstance(term, str) and term in (two.subject, two.object)
        for term in (one.subject, one.object)
    )


def _derive(phrases: NounPhrases) -> str:
    """One wording."""
    text = capital(question(phrases).replace(",?", "?"))
    # "the species shown here" ends a sentence or begins one; in the middle it is "this species". "This one" is said last.
    shown = phrases.anchor_phrase
    phrases.cost += HOPELESS * (re.search(r"this one\b(?!\?)", text) is not None)
    phrases.cost += HOPELESS * refers_forward(phrases.form_words.form, text, shown)
    phrases.cost += 4.0 * (
        shown.startswith("the ") and re.search(rf"[a-z’'] {re.escape(shown)} \w", text) is not None
    )
    return text
