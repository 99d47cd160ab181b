"""Names of entities in several languages, in the format of Wikibase (the software of Wikidata).

Wikibase stores a name under a language's own code ("de-at"), under the code of a broader language
("de"), or under "mul".
"""

from collections.abc import Iterable, Mapping
from functools import cache

EVERY_LANGUAGE = "mul"
"""The code for names that hold in every language."""


@cache
def codes_of(language: str) -> tuple[str, ...]:
    """The codes under which names in a language are stored. The label comes from the first of these
    codes that has one.

    >>> codes_of("de-at"), codes_of("en")
    (('de-at', 'de', 'mul'), ('en', 'mul'))
    """
    return tuple(dict.fromkeys((language, language.partition("-")[0], EVERY_LANGUAGE)))


def label_in(labels: Mapping[str, str], language: str) -> str:
    """The label in a language, else the English label, else ""."""
    return next((found for code in (*codes_of(language), "en") if (found := labels.get(code))), "")


def names_by_language(
    labels: Mapping[str, str], aliases: Mapping[str, Iterable[str]], languages: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """An entity's labels and aliases in each language. Every reader returns names in this form.

    If a language has a label of its own, labels under broader codes become aliases.

    Args:
        labels: label by language code.
        aliases: aliases by language code.
        languages: language codes to keep. With (), all codes are kept, and English names are also
            made from those under "mul".

    >>> names_by_language({"mul": "Haus Lorn", "de": "Lornhaus"}, {"mul": ["Lornpalais"]}, ("en", "de"))
    ({'en': 'Haus Lorn', 'de': 'Lornhaus'}, {'en': ('Lornpalais',), 'de': ('Lornpalais', 'Haus Lorn')})
    """
    kept = {} if languages else dict(labels)
    others = (
        {} if languages else {code: tuple(dict.fromkeys(found)) for code, found in aliases.items()}
    )
    for language in languages or ("en",):
        said = [labels[code] for code in codes_of(language) if labels.get(code)]
        also = [alias for code in codes_of(language) for alias in aliases.get(code, ())]
        also += [other for other in said if other != said[0]]
        if said:
            kept[language] = said[0]
        if also:
            others[language] = tuple(dict.fromkeys(also))
    return kept, others
