"""Every property that a question may use, said of real things: `real_questions.txt` holds the words, and a person has read each line.

After a deliberate change of phrases, read the new lines and write them with `QUESTLOOM_WRITE_GOLDENS=1 pytest <this file>`.
"""

import difflib
import os
import re
from pathlib import Path

import pytest

from questloom.language.relations import relation_table, worded_properties
from questloom.prompts.phrases import property_phrase, property_use
from questloom.records.form import Ask, ClaimClause, Form
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.verbalise import verbalise

HERE = Path(__file__).parent
GOLDENS = HERE / "real_questions.txt"
ROWS = [
    [cell.strip() for cell in line.split("|")]
    for line in (HERE / "real_claims.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def value_of(said: str, is_entity: bool) -> Value:
    """ "Ulm" is a thing where it has a class; else "1851" and "1851-03-04" are dates of a dated property, "30 metre" a quantity, "=text" a text."""
    if is_entity:
        return entity_value(said)
    if said.startswith("="):
        return Value(kind="string", text=said[1:])
    if re.fullmatch(r"\d{4}-\d\d-\d\d", said):
        return Value(kind="time", time=f"+{said}T00:00:00Z", precision=11)
    number, _, unit = said.partition(" ")
    return Value(kind="quantity", number=float(number), unit=unit)


class RealWords:
    """The `WordSource` of one row: ids are the labels themselves."""

    def __init__(self, row: list[str], datatype: str) -> None:
        self.classes = {row[1]: row[2], **({row[3]: row[4]} if len(row) > 4 else {})}
        self._datatype = datatype

    def label(self, entity_id: str, language: str) -> str:
        return entity_id

    def datatype(self, property_id: str) -> str:
        return self._datatype

    def class_of(self, entity_id: str) -> str:
        return self.classes.get(entity_id, "").split(" < ")[0]

    def superclasses(self, class_id: str) -> tuple[str, ...]:
        return next(
            (tuple(c.split(" < ")) for c in self.classes.values() if c.split(" < ")[0] == class_id),
            (class_id,),
        )


def said(row: list[str]) -> str:
    """The claim as its first sentence, and the question for its value where it may be asked."""
    property_id, subject = row[:2]
    dated = any(f.other == "t" for f in property_phrase(property_id).say)
    value = (
        Value(kind="time", time=f"+{row[3]}-00-00T00:00:00Z", precision=9)
        if dated and re.fullmatch(r"\d{4}", row[3])
        else value_of(row[3], len(row) > 4)
    )
    kind = {"entity": "wikibase-item"}.get(value.kind, value.kind)
    words = RealWords(row, kind)
    claim = ClaimClause(subject=entity_value(subject), property=property_id, object=value)
    told = FormWords(
        form=Form(clauses=(claim,), ask=Ask(var="a", type="entity")),
        names={},
        classes={},
        genders={},
        years={},
        facts=words,
        language="en",
    )
    frame = told.phrase(claim).say[0]
    ends = {
        "s": told.name(claim.subject),
        "o": told.words.at(value) if kind == "time" else told.value(value),
    }
    statement = frame.statement(ends[frame.subject], ends[frame.end])
    if not property_use(property_id).answer:
        return f"{property_id}  {statement}."
    ask = Ask(
        var="a",
        type={"wikibase-item": "entity", "time": "date", "quantity": "quantity"}.get(
            kind, "string"
        ),
        unit=value.unit,
        precision={9: "year", 11: "day"}.get(value.precision, "") if kind == "time" else "",
    )
    classes = {"a": words.class_of(row[3])} if kind == "wikibase-item" else {}
    worded = verbalise(
        Form(
            clauses=(ClaimClause(subject=claim.subject, property=property_id, object="a"),), ask=ask
        ),
        names={"": ""},
        classes=classes,
        facts=words,
        item_id=f"{property_id}{subject}",
        recipe_seed=0,
    )
    return f"{property_id}  {statement}. {worded.text if not worded.problems else f'No wording: {worded.problems[0]}.'}"


def test_every_property_that_a_question_may_use_is_said_of_a_real_thing():
    assert {row[0] for row in ROWS} == {
        property_id for property_id, known in relation_table().relations.items() if known.use.weight
    } and len(ROWS) >= 300
    assert all(len(row) in (4, 5) for row in ROWS)


def test_every_real_claim_is_worded_as_a_person_accepted_it():
    text = "\n".join(map(said, ROWS)) + "\n"
    if os.environ.get("QUESTLOOM_WRITE_GOLDENS"):
        GOLDENS.write_text(text, encoding="utf-8")
    expected = GOLDENS.read_text(encoding="utf-8")
    changed = "\n".join(
        difflib.unified_diff(expected.splitlines(), text.splitlines(), lineterm="", n=0)
    )
    assert not changed, f"read these, then write the goldens anew:\n{changed}"


@pytest.mark.parametrize("property_id", sorted(worded_properties()))
def test_no_phrase_says_its_property_in_the_words_of_a_label_that_is_no_english(property_id):
    assert not any(
        re.search(r"\(|\bwork period\b|\bmember of political party\b", f.statement("s", "o"))
        for f in property_phrase(property_id).say
    )
