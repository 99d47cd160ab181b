"""What a reply must be before anybody reads it."""

import pytest
from pydantic import ValidationError

from questloom.prompts.replies import (
    Description,
    Hidden,
    InvarianceVote,
    PathQuestion,
    Questions,
    Solved,
    UniquenessVote,
)

ASKED = {"question": "Who built it?", "answer": "Varga", "answer_type": "entity"}


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (Questions, {"questions": [ASKED]}),  # rests on nothing
        (Questions, {"questions": [{**ASKED, "claim": 1, "answer": "x" * 200}]}),
        (PathQuestion, {**ASKED, "claim": 1, "phrase": "the tower shown"}),
        (Description, {"text": "the tower of Merren", "claims": []}),
        (
            Description,
            {"text": "the tower of Merren", "claims": [{"number": 1, "words": "in Merren"}]},
        ),
        (Hidden, {"question": "Who built it?", "phrase": "the tower in the picture"}),
        (UniquenessVote, {"why": "w", "rival": "Varga's son", "holds": True}),
        (InvarianceVote, {"why": "w", "other_answer": "1872", "holds": True}),
        (Solved, {"reasoning": "r"}),
    ],
)
def test_a_reply_that_contradicts_itself_or_lacks_its_source_is_bad(model, data):
    with pytest.raises(ValidationError):
        model.model_validate(data)


@pytest.mark.parametrize("nothing", [None, "", "None", "n/a", "unknown.", " null "])
def test_the_ways_to_say_nothing_are_none(nothing):
    assert Solved(reasoning="r", answer=nothing).answer is None


def test_a_field_that_nobody_asked_for_is_ignored():
    assert (
        Solved.model_validate({"reasoning": "r", "answer": "1871", "confidence": 3}).answer
        == "1871"
    )


def test_a_phrase_that_begins_a_sentence_is_found_as_it_stands():
    made = Hidden.model_validate(
        {
            "question": "The tower in the picture is old. Who built it?",
            "phrase": "the tower in the picture",
        }
    )
    assert made.phrase == "The tower in the picture"
