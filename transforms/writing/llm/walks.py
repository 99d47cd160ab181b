"""Which walks a question can be asked over: no model is paid for one whose sentence says nothing, or that turns in a circle."""

import re

from questloom.language.names_in_text import folded
from questloom.records.knowledge import Entity
from questloom.records.synthesis import Hop

MAX_NAMES_IN_LIST = 6
"""A sentence with so many names is a list: it says no relation by which one of them could be found."""
_NAME = re.compile(r"[A-ZÀ-Þ][\w’'-]+(?: (?:(?:of|de|the) )?[A-ZÀ-Þ][\w’'-]+)*")
_REFERS_BACK = re.compile(r"^(?:it|its|he|his|she|her|they|their)\b", re.IGNORECASE)
_KIND_AT_START = re.compile(r"^(?:the|this|these) ([a-zß-ÿ]+)\b(?! (?:of|from) )", re.IGNORECASE)
"""How a page calls its own thing without naming it: "The town lies …", "This bridge …"; "The Merren Prize" and "The mayor of Orl" are something else."""


def askable_path(
    hops: tuple[Hop, ...], entities: tuple[Entity, ...], languages: tuple[str, ...]
) -> bool:
    """Whether every step says a relation of its two stops, and no stop leads back to an earlier one.

    Args:
        hops: the walk; one over a claim always says its relation.
        entities: its stops.
        languages: whose names are looked for in sentences.
    """
    names = [{folded(name) for name in e.names(languages)} for e in entities]
    circle = any(a & b for i, a in enumerate(names) for b in names[i + 1 :])
    return not circle and all(
        hop.property or _says(hop, entity, languages)
        for hop, entity in zip(hops, entities, strict=False)
    )


def _says(hop: Hop, source: Entity, languages: tuple[str, ...]) -> bool:
    """Whether a linking sentence is about the stop that it starts from, and is no list."""
    sentence = hop.evidence.strip()
    if (
        sentence.startswith(("*", "#", "|", "•", "–"))
        or len(_NAME.findall(sentence)) > MAX_NAMES_IN_LIST
    ):
        return False
    kind = _KIND_AT_START.match(sentence)
    calls = kind is not None and kind[1].islower()
    said = folded(sentence)
    return bool(calls or _REFERS_BACK.match(sentence)) or any(
        name and folded(name) in said for name in source.names(languages)
    )
