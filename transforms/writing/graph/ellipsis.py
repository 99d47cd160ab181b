"""Leaves out or replaces a noun that a text would repeat."""

import re
from collections.abc import Collection, Mapping

from questloom.transforms.writing.graph.lints import stem


def without_echo(text: str, wider: Mapping[str, str]) -> str:
    """The text with a wider noun where a verb repeats the noun.

    Args:
        text: one or several sentences.
        wider: maps nouns to wider ones, from the language's file.

    >>> without_echo("Which painting was painted in Velm?", {"painting": "work"})
    'Which work was painted in Velm?'
    """
    for noun, instead in wider.items():
        echo = rf"(?<![Tt]h(?:at|is) )\b{noun}(?=(?:(?!{noun})[^.?])* {stem(noun)}ed in\b)"
        text = re.sub(echo, instead, text)
    return text


def without_second_noun(sentence: str, nouns: Collection[str]) -> str:
    """The statement with "another" where its subject has the same noun.

    Args:
        sentence: a statement.
        nouns: the nouns by which the text calls things; not people.

    >>> without_second_noun("The river that crosses Velm flows into another river.", ["river"])
    'The river that crosses Velm flows into another.'
    >>> without_second_noun("The river's bridge is beside another river.", ["river"])
    "The river's bridge is beside another river."
    >>> without_second_noun("This river is named after a woman from another river.", ["river"])
    'This river is named after a woman from another river.'
    """
    for noun in map(re.escape, nouns):
        subject = rf"^(?:An?|Another|That|The|This) {noun}(?![’'\w])"
        relative = rf"\ban? {noun} that(?: [a-z]+){{1,4}}"
        said = rf"((?:{subject}(?: (?!(?:an?|who)\b)[^ “]+)*|.*{relative})) another {noun}(?=\.)"
        sentence = re.sub(said, r"\1 another", sentence)
    return sentence
