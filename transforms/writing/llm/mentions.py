"""Which entity a name in a question is: names are resolved by what the question was made from, and only then by title."""

import re

from questloom.knowledge.readers.titles import normalise_title
from questloom.language.names_in_text import folded, leaked, names_of_entity
from questloom.language.normalise import without_bracket
from questloom.transforms.writing.form_edits import constants
from questloom.transforms.writing.writer import Draft

MAX_NAME_WORDS = 6


def entity_of(
    store, draft: Draft, surface: str, title: str, source_id: str, languages: tuple[str, ...]
) -> str | None:
    """The entity that a question calls `surface`, or None.

    A name may belong to several things ("Paris"), so the nearest source wins: the entities that the form names, then
    the links of the articles that the question's facts were taken from, then the title that the reply gives.

    Args:
        store: the store.
        draft: the question.
        surface: the words in the question.
        title: the article's title, as the reply gives it.
        source_id: the seed's entity, whose article the first question came from.
        languages: whose names of named entities are compared.
    """
    named = (source_id, *(constants(draft.form) if draft.form else ()))
    for entity_id in named:
        entity = store.entity(entity_id)
        if entity is not None and any(
            folded(surface) == folded(wording)
            for name in entity.names(languages)
            for wording in (name, without_bracket(name))
        ):
            return entity_id
    for entity_id in dict.fromkeys(
        (*(step.entity_id for step in reversed(draft.history) if step.entity_id), source_id)
    ):
        article = store.article(entity_id)
        for link in article.links if article else ():
            if folded(link.anchor) == folded(surface) and (
                found := store.entity_of_title(link.target)
            ):
                return found
    return store.entity_of_title(normalise_title(title)) or store.entity_of_title(
        normalise_title(surface)
    )


def named_entities(
    store, draft: Draft, source_id: str, languages: tuple[str, ...]
) -> dict[str, str]:
    """The entities of the store that a question calls by name, by id, each with the words: what may be hidden or shown."""
    found: dict[str, str] = {}
    text = draft.text
    for entity_id in (
        constants(draft.form) if draft.form else ()
    ):  # first, since their names may hold commas or other names
        entity = store.entity(entity_id)
        wordings = sorted(
            {
                w
                for n in (entity.names(languages) if entity else ())
                for w in (n, without_bracket(n))
            },
            key=lambda n: (-len(n), n),
        )
        place = next(
            (m for name in wordings if (m := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))),
            None,
        )
        if (
            place and not place[0].islower()
        ):  # "lawyer", "marine art": what a thousand questions could share
            found[entity_id] = place[0]
            text = text[: place.start()] + " ; " + text[place.end() :]
    source = store.entity(source_id)
    names = source.names(languages) if source is not None else ()
    for name in sorted(
        {*names, *map(without_bracket, names)} - {""}, key=lambda n: (-len(n), n)
    ):  # also a common noun: "gato", "horse"
        match = re.search(rf"\b{re.escape(name)}(?:e?s)?\b", text, re.IGNORECASE)
        if match and source_id not in found:
            found[source_id] = match[0]
    words = [re.sub(r"['’]s?$", "", word) for word in re.findall(r"[\w'’.-]+", text)]
    runs = [
        " ".join(words[i:j]).strip(".")
        for i in range(len(words))
        if words[i][:1].isupper()
        for j in range(min(len(words), i + MAX_NAME_WORDS), i, -1)
    ]
    for run in dict.fromkeys(runs):
        inside = any(run in longer for longer in found.values())
        if inside or run not in text:
            continue
        named = entity_of(store, draft, run, run, source_id, languages)
        if named is not None and store.entity(named) is not None:
            found.setdefault(named, run)
    taken = taken_entities(draft)
    return {e: run for e, run in found.items() if e not in taken}


def without_shared(store, found: dict[str, str], languages: tuple[str, ...]) -> dict[str, str]:
    """The named entities less those of whose names a part would stay: nobody can hide Ada Orm and keep the Orm Museum. The museum comes first."""
    names = {
        e: names_of_entity(entity, languages)
        for e in found
        if (entity := store.entity(e)) is not None
    }
    return {
        e: said
        for e, said in found.items()
        if not any(leaked(other, names.get(e, ())) for o, other in found.items() if o != e)
    }


def taken_entities(draft: Draft) -> frozenset[str]:
    """Entities that are hidden in the question, shown by its picture, or its answer: none of them may be picked."""
    hidden = set(draft.bindings.values()) | {draft.anchor}
    if draft.answer.value.kind == "entity":
        hidden.add(draft.answer.value.entity)
    return frozenset(hidden)
