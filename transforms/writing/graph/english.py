"""Writes the English of the graph writer: a form becomes a question. All labels come from the
store."""

from questloom.prompts.phrases import language_data
from questloom.records.form import Form
from questloom.records.knowledge import value_of_key
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.writing.graph.label_source import StoreWords, hidden_names
from questloom.transforms.writing.graph.verbalise import Verbalisation, verbalise


class English:
    """Puts forms into words of the recipe's language. English is the only language with complete
    words."""

    def __init__(self, facts: Facts, recipe_seed: int, language: str = "en") -> None:
        self._facts, self._seed, self._language = facts, recipe_seed, language
        self._words = StoreWords(facts)

    def label(self, entity_id: str) -> str:
        return self._words.label(entity_id, self._language)

    def question(self, form: Form, bindings: dict[str, str], item_id: str) -> Verbalisation:
        """Puts a form into words. The text describes variables and names constants. The text must
        not contain the name of a thing that is a variable."""
        # While the form has no picture, the question need not mention one.
        names = {} if form.anchor else {"": ""}
        years = {
            v: year
            for v, key in bindings.items()
            if key.startswith("time:") and (year := value_of_key(key).year) is not None
        }
        shown = bindings.get(form.anchor, "")
        groups = language_data(self._language)["groups"]
        return verbalise(
            form,
            names=names,
            classes=self._words.classes_of(bindings),
            facts=self._words,
            item_id=item_id,
            recipe_seed=self._seed,
            genders={v: self._words.pronoun_of(key) for v, key in bindings.items()},
            years=years,
            seen=self._words.group_of(shown, groups) if shown.startswith("Q") else "",
            language=self._language,
            hidden=hidden_names(self._facts, bindings, (self._language,)),
        )
