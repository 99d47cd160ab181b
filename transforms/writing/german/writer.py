"""The graph writer in German: a plan as a question, without a model."""

from dataclasses import dataclass

from questloom.prompts.phrases import language_data
from questloom.records.form import SentenceClause
from questloom.records.outcomes import Reason
from questloom.records.plan import Plan
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.writing.german.nouns import Things, UnsaidError
from questloom.transforms.writing.german.questions import german_question
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.label_source import StoreWords, hidden_names
from questloom.transforms.writing.graph.lints import find_hidden_words
from questloom.transforms.writing.writer import Wording
from questloom.transforms.writing.writer_names import GERMAN


@dataclass
class GermanWriter:
    """Implements `questloom.transforms.writing.writer.Writer` with the store alone.

    Args:
        facts: the store. The writer uses the store's German labels as names, and the English label
            where the store has no German one.
        most_plans: maximum number of plans of a seed.
    """

    facts: Facts
    most_plans: int = 1_000
    name: str = "graph"

    def __post_init__(self) -> None:
        self._words = StoreWords(self.facts)

    async def word(self, plan: Plan, seed_id: str) -> Wording | Refusal:
        """The plan in words. The result is a refusal if German lacks words for a part of the
        plan."""
        form, bindings = plan.logical_form, plan.bindings
        if told := form.of(SentenceClause):
            return Refusal(reason=Reason.NO_PHRASE, evidence={"relation": told[0].relation})
        shown = bindings.get(form.anchor, "")
        words = FormWords(
            form=form,
            names={},
            classes=self._words.classes_of(bindings),
            genders={v: self._words.pronoun_of(key) for v, key in bindings.items()},
            years={},
            facts=self._words,
            # The kinds of things are those of the English table.
            language="en",
            seen=self._words.group_of(shown, language_data("en")["groups"]) if shown else "",
        )
        try:
            text, things = german_question(
                lambda: Things(words=words, bindings=bindings, seen=words.seen)
            )
        except UnsaidError as missing:
            return Refusal(reason=Reason.NO_WORDING, evidence={"lacks": str(missing)})
        hidden = hidden_names(self.facts, bindings, ("en", GERMAN))
        if said := find_hidden_words(text, hidden):
            return Refusal(reason=Reason.NO_WORDING, evidence={"says": said})
        at = text.lower().find(things.anchor_phrase.lower()) if things.anchor_phrase else -1
        if at < 0:
            return Refusal(reason=Reason.NO_WORDING, evidence={"lacks": "the picture"})
        return Wording(text=text, anchor_phrase=text[at : at + len(things.anchor_phrase)])
