"""What a reply must be before anybody reads it."""

import pytest
from pydantic import ValidationError

from questloom.prompts.replies import Solved, Worded


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (Worded, {"question": "Who built it?", "phrase": "the tower in the picture"}),
        (Worded, {"question": "", "phrase": ""}),
        (Worded, {"question": "Who built it? " * 200, "phrase": "it"}),
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
    made = Worded.model_validate(
        {
            "question": "The tower in the picture is old. Who built it?",
            "phrase": "the tower in the picture",
        }
    )
    assert made.phrase == "The tower in the picture"
