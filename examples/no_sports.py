"""An example of your own filter: it drops questions about sport.

This command uses the filter. Run the command in the folder of this file, or wherever Python can
import this file:

```
questloom synth --store STORE --out RUN --set 'filters.custom=[no_sports:NoSports]'
```

`question.text` holds the words of the question, and `question.answer.text` holds the answer.
`records/synthesis.py` lists all fields. The recipe has no settings for your filter: write the
limits of the filter into its class. A package can give the filter a short name in its
pyproject.toml:

```
[project.entry-points."questloom.filters"]
no_sports = "mypackage.no_sports:NoSports"
```
"""

from questloom.knowledge.store.store import Store
from questloom.records.synthesis import Question
from questloom.transforms.filters.custom import Drop


class NoSports:
    """The question is not about sport."""

    reasons = {"sport": "A thing between the picture and the answer belongs to sport."}  # noqa: RUF012

    def __call__(self, question: Question, store: Store) -> Drop | None:
        """Drops the question if a thing between the picture and the answer belongs to sport;
        returns None to keep the question.

        A `Drop` takes a key of `reasons`, and small JSON as evidence for the report.
        """
        for thing in (question.anchor, *question.bindings.values()):
            entity = store.entity(thing)
            if entity is not None and entity.topic == "sports":
                return Drop("sport", {"entity": entity.id, "label": entity.label()})
        return None
