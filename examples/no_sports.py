"""A filter of your own: it drops questions about sport.

In this folder, or where this file can be imported:

    questloom synth --store STORE --out RUN --set 'filters.custom=[no_sports:NoSports]'

A package may also give it a short name, in its pyproject.toml:

    [project.entry-points."questloom.filters"]
    no_sports = "mypackage.no_sports:NoSports"
"""

from questloom.knowledge.store.store import Store
from questloom.records.synthesis import Question
from questloom.transforms.filters.custom import Drop


class NoSports:
    """The question is not about sport."""

    reasons = {"sport": "A thing between the picture and the answer belongs to sport."}  # noqa: RUF012

    def __call__(self, question: Question, store: Store) -> Drop | None:
        """Looks up each thing that the question passes; None keeps it."""
        for thing in (question.anchor, *question.bindings.values()):
            entity = store.entity(thing)
            if entity is not None and entity.topic == "sports":
                return Drop("sport", {"entity": entity.id, "label": entity.label()})
        return None
