"""Puts vague clues into words for the llm writer: the line of each clue in the request, and the
words that an English question needs for the clue.

The line never contains the exact value, so that the model cannot reveal the value.
"""

import re

from num2words import num2words

from questloom.language.names_in_text import folded, names_of_entity
from questloom.prompts.phrases import language_data
from questloom.prompts.phrases.words import Words
from questloom.records.form import Form, Fuzzy
from questloom.records.knowledge import Value
from questloom.records.periods import CENTURY
from questloom.transforms.writing.llm.material import property_label

DENIALS = ("not", "n't", "other than", "outside", "except", "never", "no", "neither", "besides")
"""Words that deny something and may stand before a name."""
_ORDER = {True: ("after", "later", "younger"), False: ("before", "earlier", "older")}
_NAME = ("name", "names", "named", "called", "title", "titled")


def vague_line(store, clause: Fuzzy, subject: str, of: str, language: str) -> str:
    """The request's line for one vague clue: "Fog — narrative location: some port, not named".

    Args:
        store: the store.
        clause: the clue.
        subject: the name of the thing that the clue describes.
        of: the name of `clause.object`.
        language: the language of the labels.
    """
    relation = property_label(store, clause.property, language)
    return f"{subject} — {relation}: {_like(store, clause, of, language)}"


def _like(store, clause: Fuzzy, of: str, language: str) -> str:
    match clause.kind:
        case "category":
            return f"some {of}, not named"
        case "meta-attribute" if clause.initial:
            return f"some {of}, not named, whose name begins with {clause.initial}"
        case "meta-attribute":
            return f"some {of}, not named, whose name has {num2words(clause.number)} words"
        case "exclusion":
            return f"not {of}"
        case "arithmetic":
            when = "after" if clause.number > 0 else "before"
            since = property_label(store, clause.since, language)
            return f"{num2words(abs(clause.number))} years {when} the {since} of {of}"
    assert isinstance(clause.object, Value), "a range is a period"
    return f"in {Words(language_data('en')).date(clause.object)}"


def vague_sources(form: Form) -> list[str]:
    """Words that a question may use for the vague clues of a form, in addition to the words of the
    clues' lines."""
    found = []
    for clause in form.of(Fuzzy):
        if clause.number:
            found.append(f"{abs(clause.number)} {num2words(abs(clause.number))}")
        if clause.kind == "range":
            assert isinstance(clause.object, Value), "a range is a period"
            found.append(_century_in_words(clause.object))
        elif clause.kind == "exclusion":
            found.append(" ".join(DENIALS))
        elif clause.kind == "arithmetic":
            found.append(" ".join(_ORDER[clause.number > 0]))
        elif clause.kind == "meta-attribute":
            found.append(" ".join((*_NAME, "word words letter begin begins beginning starts")))
    return found


def check_vague(store, form: Form, text: str, language: str) -> None:
    """Raises ValueError, with a message for the model, if an English text does not state a vague
    clue of its form."""
    for clause in form.of(Fuzzy):
        if not _is_said(store, clause, text, language):
            of = store.label(clause.object.entity, language) if _names(clause) else ""
            raise ValueError(
                f'the question does not say of a {property_label(store, clause.property, language)} that it is "{_like(store, clause, of, language)}"'
            )


def _names(clause: Fuzzy) -> bool:
    return isinstance(clause.object, Value) and clause.object.kind == "entity"


def _is_said(store, clause: Fuzzy, text: str, language: str) -> bool:
    words = set(folded(text).split())
    number = {str(abs(clause.number)), *num2words(abs(clause.number)).split("-")}
    match clause.kind:
        case "arithmetic":
            return bool(words & {*_ORDER[clause.number > 0]}) and bool(words & number)
        case "range":
            assert isinstance(clause.object, Value)
            return _says_period(clause.object, text)
        case "exclusion":
            assert isinstance(clause.object, Value)
            entity = store.entity(clause.object.entity)
            return any(
                _is_denied(text, name) for name in names_of_entity(entity, (language,)) if entity
            )
    assert isinstance(clause.object, Value)
    head = folded(store.label(clause.object.entity, language)).split()[-1]
    if not any(word.startswith(head) for word in words):
        return False
    if clause.kind == "category":
        return True
    told = bool(re.search(rf"(?<!\w){clause.initial}(?!\w)", text)) if clause.initial else False
    return bool(words & {*_NAME}) and (told or bool(words & number and not clause.initial))


def _says_period(value: Value, text: str) -> bool:
    said = Words(language_data("en")).date(value).removeprefix("the ")
    if value.precision != CENTURY:
        return said in text
    return said in text or _century_in_words(value) in text.lower()


def _century_in_words(value: Value) -> str:
    """The words for a century ("nineteenth century"); "" for a decade."""
    said = re.match(r"the (\d+)\w\w century", Words(language_data("en")).date(value))
    return f"{num2words(int(said[1]), ordinal=True)} century" if said else ""


def _is_denied(text: str, name: str) -> bool:
    denials = "|".join(d if d.startswith("n'") else rf"(?<!\w){d}" for d in DENIALS)
    told = rf"(?:{denials})(?!\w)[^.?!]*(?<!\w){re.escape(name)}(?!\w)"
    return bool(re.search(told, text.replace("’", "'"), re.IGNORECASE))
