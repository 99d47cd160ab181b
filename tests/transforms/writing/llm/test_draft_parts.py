"""What a prompt says of the claims that may be asked for: numbers, kinds and wordings, how many questions they do for, and whether there is a choice."""

import pytest

from questloom.records.knowledge import Entity, Value
from questloom.transforms.writing.llm.draft_parts import asking_values
from questloom.transforms.writing.llm.everyday_words import word_question
from questloom.transforms.writing.llm.material import ClaimLine, Material, SentenceLine
from tests.small_facts import SmallFacts, claim, year

DAY, AGE = (
    Value(kind="time", time=f"+{at}T00:00:00Z", precision=p)
    for at, p in (("1850-05-04", 11), ("1850-00-00", 3))
)
CLAIMS = [
    claim("Q1", "P19", "Q2"),
    claim("Q1", "P20", "Q2"),
    claim("Q1", "P569", year(1800)),
    claim("Q1", "P570", DAY),
    claim("Q1", "P571", AGE),
    claim("Q1", "P2048", Value(kind="quantity", number=30.0)),
    claim("Q1", "P1448", Value(kind="string", text="x")),
    claim("Q1", "P50", "Q404"),
]
STORE = SmallFacts(
    [*CLAIMS, claim("Q2", "P31", "Q3")], {"Q3": Entity(id="Q3", labels={"en": "town"})}
)
NAMED = SmallFacts(
    [*CLAIMS, claim("Q1", "P31", "Q5"), claim("Q2", "P31", "Q3")],
    {
        e: Entity(id=e, labels={"en": name})
        for e, name in {
            "Q1": "Ada Orm",
            "Q2": "Tolm",
            "Q3": "town",
            "Q5": "human",
            "Q6": "Orm's Rest",
        }.items()
    },
)
SENTENCE = SentenceLine(text="It was built of oak.", section=0, start=0, end=20)


def said(
    *numbers: int,
    most: int = 3,
    sentences: tuple[SentenceLine, ...] = (),
    claims=tuple(CLAIMS),
    store: SmallFacts = STORE,
) -> dict:
    shown = Material(
        entity=Entity(id="Q1"),
        article=None,
        sentences=sentences,
        claims=tuple(ClaimLine(words="w", claim=c, value=c.value) for c in claims),
    )
    return asking_values(store, numbers, shown, most, "en")


def lines(**values) -> list[str]:
    return values["askable"].splitlines()[1:-1]


@pytest.mark.parametrize(
    ("number", "told"),
    [(1, "1 (town)"), (3, "3 (year)"), (4, "4 (day)"), (5, "5"), (6, "6"), (7, "7")],
)
def test_a_claim_is_told_with_the_kind_of_its_value_where_that_has_a_word(number, told):
    assert [line.split(":")[0] for line in lines(**said(number))] == [told]


def test_a_thing_that_the_store_does_not_hold_has_no_kind_and_no_wording():
    store = SmallFacts([])
    assert lines(**said(1, store=store)) == ["1"] and store.entity("Q2") is None


def test_a_claim_is_told_with_the_words_in_which_people_ask_for_it():
    assert lines(**said(1, store=NAMED)) == ["1 (town): In which town was Ada Orm born?"]
    assert lines(**said(4, store=NAMED))[0] in {
        "4 (day): On which date did Ada Orm die?",
        "4 (day): On what date did Ada Orm die?",
    }


def test_no_wording_is_shown_for_a_property_that_has_no_phrase_nor_one_that_says_the_answer_nor_in_another_language():
    tolm, orm = CLAIMS[0].value, claim("Q6", "P138", "Q1").value
    assert word_question(NAMED, "Q1", "P19", tolm, "en") and not word_question(
        NAMED, "Q1", "P99999", tolm, "en"
    )
    assert word_question(NAMED, "Q6", "P84", tolm, "en") and not word_question(
        NAMED, "Q6", "P138", orm, "en"
    )
    assert word_question(NAMED, "Q1", "P19", CLAIMS[0].value, "de") == ""


def test_what_people_like_best_to_know_comes_first_and_none_is_told_as_none():
    assert [line[0] for line in lines(**said(4, 8, 3, 1))] == [
        "8",
        "1",
        "4",
        "3",
    ]  # an author, a place, then dates in their order
    assert lines(**said()) == ["(none)"]


def test_as_many_questions_are_wanted_as_there_are_properties_to_ask_for_and_never_more_than_the_most():
    assert [said(*numbers)["num_wanted"] for numbers in ((1,), (1, 2), (1, 2, 3, 4))] == [1, 2, 3]
    twice = (claim("Q1", "P569", year(1800)), claim("Q1", "P569", DAY))
    assert said(1, 2, claims=twice)["num_wanted"] == 1, (
        "two values of one property are one question"
    )


def test_sentences_give_the_most_questions_however_few_claims_there_are():
    assert (
        said(1, sentences=(SENTENCE,))["num_wanted"]
        == said(sentences=(SENTENCE,))["num_wanted"]
        == 3
    )


@pytest.mark.parametrize(
    ("numbers", "sentences", "choice"),
    [((1, 3), (), True), ((1,), (), False), ((), (), False), ((1,), (SENTENCE,), True)],
)
def test_there_is_a_choice_among_two_claims_or_where_sentences_are_shown(
    numbers, sentences, choice
):
    assert said(*numbers, sentences=sentences)["choice"] is choice
