"""An example of your own writer. The writer puts a plan into one short sentence, or refuses the
plan.

This command uses the writer. Run the command in the folder of this file, or wherever Python can
import this file:

```
questloom synth --store STORE --out RUN --set writer=terse:Terse
```

The writer knows only a few relations, and follows them from the picture to the answer. The writer
refuses all other plans. A package can give the writer a short name, by an entry point of the group
`questloom.writers`.
"""

from questloom.knowledge.store.store import Store
from questloom.records.form import ClaimClause, ClassClause, Form, Image, Term
from questloom.records.outcomes import Reason
from questloom.records.plan import Plan
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.writing.writer import Wording

STEPS = {
    "P19": "birthplace",
    "P22": "father",
    "P26": "spouse",
    "P50": "author",
    "P84": "architect",
    "P138": "namesake",
    "P170": "maker",
    "P1066": "teacher",
}
QUESTIONS = {
    "P19": "Where was {} born?",
    "P20": "Where did {} die?",
    "P119": "Where was {} buried?",
    "P569": "{when} was {} born?",
    "P570": "{when} did {} die?",
}
WHEN = {"": "", "year": "In which year", "day": "On which day"}
HUMAN = "Q5"


class Terse:
    """Implements the only method that a package must write: the method of
    `questloom.transforms.writing.writer.Writer`.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    async def word(self, plan: Plan, seed_id: str) -> Wording | Refusal:
        """In which year did the namesake of this person's birthplace die?"""
        form = plan.logical_form
        *steps, last = properties_of(form) or [""]
        if last not in QUESTIONS or not STEPS.keys() >= {*steps} or form.ask.precision not in WHEN:
            return Refusal(reason=Reason.NO_WORDING, evidence={"form": form.to_json()})
        kind = find_descriptor_class(self.store, plan.anchor)
        thing = phrase = f"this {'person' if kind == HUMAN else self.store.label(kind, 'en')}"
        for number, step in enumerate(steps):
            thing = f"the {STEPS[step]} of {thing}" if number else f"{thing}'s {STEPS[step]}"
        text = QUESTIONS[last].format(thing, when=WHEN[form.ask.precision])
        return Wording(text=text, anchor_phrase=phrase)


def properties_of(form: Form) -> list[str]:
    """The relations on the path from the picture to the answer. Each relation leads from a thing to
    its value. The result is empty if the form has no single path from the picture to the answer.
    """
    at: Term = form.anchor
    found = []
    shown, *claims = form.clauses
    for claim in claims:
        if isinstance(claim, ClassClause) and claim.class_id == HUMAN:  # as is every father
            continue
        if not isinstance(claim, ClaimClause) or claim.subject != at:
            return []
        found.append(claim.property)
        at = claim.object
    is_path = isinstance(shown, Image) and not shown.sign and at == form.ask.var
    return found if is_path else []
