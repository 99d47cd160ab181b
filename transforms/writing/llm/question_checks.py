"""Compares the words of a question with their sources without a model. Checks the language, the
precision, and the names, numbers and relations.

The checks refuse clear faults. The message of a check tells the model how to correct the fault. A
reader must still confirm the words that pass (`check_words`), because rules cannot understand a
sentence.
"""

import re
from collections.abc import Sequence

from questloom.language.names_in_text import folded
from questloom.language.units import unit_of
from questloom.prompts.phrases import language_data
from questloom.prompts.phrases.words import Words
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.kinds import StatedKind, find_kind_words, is_occupation, says
from questloom.transforms.writing.llm.allowed_words import unsaid_words
from questloom.transforms.writing.llm.relation_words import (
    LANGUAGE,
    RelationWords,
    tells_relation,
    unsaid_events,
    unsupported_words,
)

FUNCTION_WORDS = {
    "en": "the of and which what who was were is that with whose from by did how many in it its this shown a an as at on to for",
    "de": "der die das und welche welchem welcher welches wurde war ist den dem ein eine einer von mit im am wer wie zu des",
    "fr": "le la les des et quel quelle dans est qui une un du en par sur dont a été au aux",
    "es": "el la los las y cuál qué en es fue quién una un del por con que su se al",
    "ca": "el la els les i quin quina en és va qui una un del per amb que seu es al",
    "it": "il la i gli le e quale in è fu chi una un del della per con che di nel al",
    "pt": "o a os as e qual em é foi quem uma um do da por com que no na ao",
    "nl": "de het een en welke wat wie was is van met in werd door op dat bij",
    "sv": "och vilken vilket det den en ett är var som av i på med för",
    "pl": "i w z na który która jest był przez do się w jakim jak kto",
}
"""The commonest small words of each language. A text counts as written in the language of which it
has the most small words."""
EXACTNESS = {
    "en": {
        "century": r"\bcentury\b",
        "year": r"\byears?\b",
        "month": r"\bmonths?\b",
        "day": r"\b(?:day|date|dates|when exactly)\b",
    },
    "de": {
        "century": r"\bJahrhundert",
        "year": r"\bJahr(?:es|e|en)?\b",
        "month": r"\bMonat",
        "day": r"\b(?:Tag|Datum|wann genau)",
    },
}
"""The words with which a question asks for a date of each precision, by language."""
_ONLY_YEAR = {
    "en": r"\b(?:which|what) (?:year|month)\b",
    "de": r"\bwelche[mnrs]? (?:Jahr(?:es)?|Monat(?:s|es)?)\b",
}
_ASKED = {
    "en": {
        "century": '"in which century"',
        "year": '"in which year"',
        "month": '"in which month of which year"',
        "day": '"on which day" or "on what date"',
    },
    "de": {
        "century": '"in welchem Jahrhundert"',
        "year": '"in welchem Jahr"',
        "month": '"in welchem Monat welchen Jahres"',
        "day": '"an welchem Tag"',
    },
}
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_SENTENCE_START = re.compile(r"(?:^|[.?!:;]\s+|[\"“«(]\s*)$")
_INITIAL_CAPITALS = ("de",)
"""Languages that write every noun with a capital letter, so that a capital letter does not show
that a word is a name."""
MIN_STEM = 4
MAX_AROUND = 3
"""Number of words on each side of a cited word that are quoted too."""
_LABELS = re.compile(
    r"\bin or next to\b|\badministrative territorial entity\b|\btaxon name\b", re.IGNORECASE
)
_TORN = re.compile(
    r"\b(?:die|lie|lies|cover|covers|stand|stands|begin|open|live|flow) ((?:who|whose|where|(?:in|on|at|of|by|to) (?:which|whom))\b.*)"
)
_RELATIVE = re.compile(r"\b(?:who|whose|whom|which|where|that)\b")
MAX_TORN = 8
"""Maximum number of words of a relative clause that may stand behind the verb, away from its noun:
"In which town did the person die who taught its founder?"."""


def other_language(text: str, language: str) -> bool:
    """Whether a text is clearly written in another language."""
    words = [w for w in re.findall(r"[^\W\d_]+", text.casefold())]
    counts = {
        code: sum(w in listed.split() for w in words) for code, listed in FUNCTION_WORDS.items()
    }
    return language in counts and counts[language] < max(counts.values())


def places(text: str, words: Sequence[str]) -> str:
    """Quotes words with the words around them in the text, so that a model can find their places.

    >>> places("In which town was the painter who taught the sailor born?", ["sailor"])
    '"sailor" (in "who taught the sailor born?")'
    """
    found = (
        re.search(
            rf"(?:\S+\s+){{0,{MAX_AROUND}}}\S*(?<!\w){re.escape(w)}(?!\w)\S*(?:\s+\S+){{0,{MAX_AROUND}}}",
            text,
            re.IGNORECASE,
        )
        for w in words
    )
    return ", ".join(
        f'"{word}"' + (f' (in "{place[0]}")' if place else "")
        for word, place in zip(words, found, strict=True)
    )


def check_language(text: str, language: str) -> None:
    """Raises ValueError, with a message for the model, if a text is clearly not in the recipe's
    language."""
    if other_language(text, language):
        raise ValueError(f"the text is not written in the language asked for, {language}")


def check_plain(text: str, language: str) -> None:
    """Raises ValueError if an English text contains a label from Wikidata's tables that nobody
    says, or a clause far from its noun ("Where did the man die who …")."""
    if language != LANGUAGE:
        return
    if label := _LABELS.search(text):
        raise ValueError(f'"{label[0]}" is a label of a table; say it as a person would')
    torn = _TORN.search(text)
    if torn and not (len(torn[1].split()) <= MAX_TORN and len(_RELATIVE.findall(torn[1])) == 1):
        raise ValueError(
            f'"{torn[1]}" stands apart from what it tells of; tell that in a sentence of its own before, and ask last'
        )


def check_exactness(text: str, answer: Answer, language: str) -> None:
    """Raises ValueError if a question does not state the precision of a date, or the unit of a
    number, for which it asks. A language that `EXACTNESS` lacks is not checked."""
    if language not in EXACTNESS:
        return
    if answer.type == "date":
        asked = {
            name
            for name, words in EXACTNESS[language].items()
            if re.search(words, text, re.IGNORECASE)
        }
        if answer.precision not in asked or (
            answer.precision == "day" and re.search(_ONLY_YEAR[language], text, re.IGNORECASE)
        ):
            said = _ASKED[language]
            raise ValueError(
                f"the answer is exact to the {answer.precision}, so the question must ask {said[answer.precision]}"
            )
    elif answer.unit:
        words = re.findall(r"[^\W\d_]+|[%°]", text)
        named = {
            unit_of(" ".join(words[i : i + n])) for n in (1, 2, 3) for i in range(len(words))
        } - {None}
        stems = [w[:MIN_STEM] for w in folded(answer.unit).split()]
        if unit_of(answer.unit) not in named and not all(
            any(w.startswith(s) for w in folded(text).split()) for s in stems
        ):
            raise ValueError(
                f'the question does not say its unit; ask "{_how_many(answer.unit, language)}"'
            )


def _how_many(unit: str, language: str) -> str:
    """The words of a question for a number of units."""
    if language != LANGUAGE:
        return f"wie viele {unit}"
    return f"how many {Words(language_data(LANGUAGE)).plural(unit)}"


def check_names(text: str, sources: list[str], language: str) -> None:
    """Raises ValueError if a text has a number, or a word with a capital letter, that no source
    text has."""
    known = folded("\n".join(sources))
    numbers = sorted(set(_DIGITS.findall(text)) - {d for s in sources for d in _DIGITS.findall(s)})
    if numbers:
        raise ValueError(f"nothing that was shown says {', '.join(numbers)}")
    if language in _INITIAL_CAPITALS:
        return
    lost = []
    for match in re.finditer(r"[^\W\d_][\w’'-]*", text):
        word = re.sub(r"['’]s?$", "", match[0])
        if not word[:1].isupper() or word == "I" or _SENTENCE_START.search(text[: match.start()]):
            continue
        stems = [part[: max(MIN_STEM, len(part) - 3)] for part in folded(word).split()]
        if not all(f" {stem}" in known for stem in stems):
            lost.append(word)
    if lost:
        raise ValueError(f'nothing that was shown says "{", ".join(dict.fromkeys(lost))}"')


def check_kinds(
    text: str,
    stated: list[StatedKind],
    sources: list[str],
    relations: list[RelationWords],
    language: str,
    also: frozenset[str] = frozenset(),
    never: frozenset[str] = frozenset(),
) -> None:
    """Raises ValueError if an English text states a kind, a sex or an occupation that no claim
    states.

    Args:
        text: a question or description.
        stated: the kinds that claims state about the things in the text.
        sources: texts from which words may come.
        relations: the relations that the text may state. The words for a relation may name a
            person's role ("the architect").
        language: the recipe's language.
        also: further words that are allowed.
        never: words for roles that belong to other kinds of things ("sculptor", where the text is
            about a painting).
    """
    if language != LANGUAGE:
        return
    words = also.union(*(kind.words for kind in stated), folded("\n".join(sources)).split())
    unsaid = [
        w
        for w in find_kind_words(text)
        if not says(w, words)
        and not (
            is_occupation(w) and tells_relation(w, relations) and w.removesuffix("s") not in never
        )
    ]
    if unsaid:
        kinds = (
            ", ".join(dict.fromkeys([*(kind.label for kind in stated), *sorted(also)])) or "nothing"
        )
        raise ValueError(
            f"no claim says that anything here is {places(text, unsaid)}; of kinds, sexes and occupations the claims say: {kinds}; "
            'where none of them fits say "person" or "thing"'
        )


def check_events(
    text: str, relation: RelationWords, others: list[RelationWords], pages: str, language: str
) -> None:
    """Raises ValueError if an English text names an event ("founded") that neither the claim nor a
    page names. A claim like "inception" names no particular event."""
    if language == LANGUAGE and (words := unsaid_events(text, relation, others, pages)):
        said = (
            f"say it as the page does: {pages}"
            if pages
            else 'no page says which event it was: say "came into being", "begin" or "date from"'
        )
        raise ValueError(f'the claim "{relation.hints[0]}" is not "{", ".join(words)}"; {said}')


def check_relations(
    text: str,
    relations: list[RelationWords],
    sources: list[str],
    language: str,
    kinds: frozenset[str] = frozenset(),
) -> None:
    """Raises ValueError if an English text clearly states a relation that its evidence lacks.
    `kinds` are the words for the kinds of the things."""
    if language == LANGUAGE and (words := unsupported_words(text, relations, sources, kinds)):
        raise ValueError(
            f"nothing that was cited says {places(text, words)}; leave it out, or say it in other words of a cited line"
        )


def check_words(
    text: str, relations: list[RelationWords], sources: list[str], language: str
) -> None:
    """Raises ValueError if an English text has a word without a source. Names and small words need
    no source."""
    if language == LANGUAGE and (words := unsaid_words(text, relations, sources)):
        raise ValueError(
            f"nothing that was cited says {places(text, words)}; leave it out, or use the words of the cited lines"
        )
